#include "solve/sparse_factor.h"

#include "catena/interrupt.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace catena::solve {
namespace {

using Matrix = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
using ConstMatrix = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

// From this many multiplications on a product goes to Eigen's blocked kernels, which need some work to start.
constexpr double kBlockedProduct = 20000.0;
// Tiles of products that Eigen keeps on the stack: no allocation.
constexpr int kFrontTile = 64;
// A row of a constraint waits for the others when its relative pivot is below this, and below this part of the largest one.
constexpr double kLittleLeft = 0.1, kMuchLess = 0.5;

/// The lower triangle of E Lᵀ (m × m): E has stride m, L stride h. Column by column, rows vectorised.
template <int W>
void multiply(const double* E, const double* L, int m, int h, double* product) {
  for (int c = 0; c < m; ++c) {
    double factor[W];
    for (int k = 0; k < W; ++k) factor[k] = L[c + k * h];
    double* out = product + c * m;
    for (int r = c; r < m; ++r) {
      double sum = E[r] * factor[0];
      for (int k = 1; k < W; ++k) sum += E[r + k * m] * factor[k];
      out[r] = sum;
    }
  }
}

/// The same for a width known at run time.
void multiply(const double* E, const double* L, int m, int width, int h, double* product) {
  for (int c = 0; c < m; ++c) {
    double* out = product + c * m;
    std::fill(out + c, out + m, 0.0);
    for (int k = 0; k < width; ++k) {
      const double factor = L[c + k * h];
      for (int r = c; r < m; ++r) out[r] += E[r + k * m] * factor;
    }
  }
}

void multiply_blocked(const double* E, const double* L, int m, int width, int h, double* product) {
  const ConstMatrix left(E, m, width, Eigen::OuterStride<>(m));
  const ConstMatrix right(L, m, width, Eigen::OuterStride<>(h));
  Matrix out(product, m, m, Eigen::OuterStride<>(m));
  for (int c = 0; c < m; c += kFrontTile) {
    allow_interruption();
    const int columns = std::min(kFrontTile, m - c);
    for (int r = c; r < m; r += kFrontTile) {
      const int tile = std::min(kFrontTile, m - r);
      out.block(r, c, tile, columns).noalias() =
          left.middleRows(r, tile) * right.middleRows(c, columns).transpose();
    }
  }
}

}  // namespace

void SparseFactor::resize(const SparseStructure& s) {
  const auto at_least = [](std::vector<double>& scratch, std::size_t size) {
    if (scratch.size() < size) scratch.resize(size);
  };
  const auto front = std::size_t(s.largest_front);
  values_.resize(std::size_t(s.num_values));
  inverse_.assign(std::size_t(s.num_entries), 0.0);
  source_.resize(std::size_t(s.num_entries));
  swapped_.resize(std::size_t(s.num_entries));
  has_swapped_rows_.resize(s.panels.size());
  take_rows_in_line();
  at_least(E_, front * std::size_t(std::max(s.largest_width, 1)));
  at_least(product_, front * front);
  dropped_.clear();
  dropped_.reserve(std::size_t(s.num_entries));
  doubtful_.reserve(std::size_t(s.num_entries));
}

void SparseFactor::take_rows_in_line() {
  std::iota(source_.begin(), source_.end(), 0);
  std::iota(swapped_.begin(), swapped_.end(), 0);
  std::fill(has_swapped_rows_.begin(), has_swapped_rows_.end(), char(0));
  is_reordered_ = false;
}

// The row of a constraint, from the j-th on, with the largest pivot relative to its scale; the j-th itself unless another has clearly more.
int SparseFactor::largest_pivot(const PanelNode& node, const double* A, int stride,
                                const std::vector<double>& scale, int j) const {
  const auto relative = [&](int i) {
    const double size = scale[std::size_t(source_[std::size_t(node.entry + i)])];
    return size > 0.0 ? -A[i * (stride + 1)] / size : 0.0;
  };
  int best = j;
  const double own = relative(j);
  double largest = own;
  for (int i = j + 1; i < node.dim; ++i)
    if (const double pivot = relative(i); pivot > largest) largest = pivot, best = i;
  return own < kMuchLess * largest ? best : j;
}

// Rows and columns j and k > j of a node change places, in everything that is left of its panel and in L to the left of it.
void SparseFactor::swap_rows(const SparseStructure& s, const Panel& panel, const PanelNode& node, int j,
                             int k) {
  const std::int64_t h = panel.height();
  double* values = values_.data() + panel.values;
  const int a = node.column + j, b = node.column + k;
  for (int c = 0; c < a; ++c) std::swap(values[a + c * h], values[b + c * h]);
  std::swap(values[a + a * h], values[b + b * h]);
  for (int i = a + 1; i < b; ++i) std::swap(values[i + a * h], values[b + i * h]);
  for (int r = b + 1; r < h; ++r) std::swap(values[r + a * h], values[r + b * h]);
  std::swap(source_[std::size_t(node.entry + j)], source_[std::size_t(node.entry + k)]);
  swapped_[std::size_t(node.entry + j)] = node.entry + k;
  has_swapped_rows_[std::size_t(&panel - s.panels.data())] = 1;
  is_reordered_ = true;
}

namespace {

/// Column j of a diagonal block becomes one of L, and is taken off those behind it.
inline void eliminate_column(double* A, int stride, int dim, int j, double inverse) {
  double* column = A + j * stride;
  for (int k = j + 1; k < dim; ++k) {
    const double l = column[k] * inverse;
    for (int i = k; i < dim; ++i) A[i + k * stride] -= column[i] * l;
  }
  for (int i = j + 1; i < dim; ++i) column[i] *= inverse;
}

}  // namespace

// L D Lᵀ of one node's diagonal block; its strictly lower part becomes L.
bool SparseFactor::factor_body(const PanelNode& node, double* A, int stride) {
  for (int j = 0; j < node.dim; ++j) {
    const double pivot = A[j * (stride + 1)];
    if (!(pivot > 0.0)) return false;
    inverse_[std::size_t(node.entry + j)] = 1.0 / pivot;
    eliminate_column(A, stride, node.dim, j, 1.0 / pivot);
  }
  return true;
}

bool SparseFactor::factor_constraint(const SparseStructure& s, const Panel& panel, const PanelNode& node,
                                     const std::vector<double>& scale, double drop) {
  const int stride = panel.height();
  double* A = values_.data() + panel.values + std::int64_t(node.column) * (stride + 1);
  const auto dropped_before = std::ptrdiff_t(dropped_.size());
  for (int j = 0; j < node.dim; ++j) {
    double* column = A + j * stride;
    int entry = source_[std::size_t(node.entry + j)];
    if (!(-column[j] > kLittleLeft * scale[std::size_t(entry)]))
      if (const int k = largest_pivot(node, A, stride, scale, j); k > j) {
        swap_rows(s, panel, node, j, k);
        entry = source_[std::size_t(node.entry + j)];
      }
    const double pivot = -column[j], size = scale[std::size_t(entry)], forced = forced_[entry];
    if (std::isnan(pivot)) return false;
    if (forced == 0.0 && pivot < kLargestDoubt * size && std::abs(pivot) > kSmallestDoubt * size)
      doubtful_.push_back({entry, pivot / size});
    if (forced < 0.0 || (forced == 0.0 && !(pivot > drop * size))) {
      inverse_[std::size_t(node.entry + j)] = 0.0;
      dropped_.push_back(entry);
      for (int i = j + 1; i < node.dim; ++i) column[i] = 0.0;
      continue;
    }
    if (forced > 0.0) column[j] = -forced;
    if (-column[j] < smallest_kept_ * size) {
      smallest_kept_ = -column[j] / size;
      smallest_kept_entry_ = entry;
    }
    const double inverse = 1.0 / column[j];
    inverse_[std::size_t(node.entry + j)] = inverse;
    eliminate_column(A, stride, node.dim, j, inverse);
  }
  if (is_reordered_) std::sort(dropped_.begin() + dropped_before, dropped_.end());
  return true;
}

// One panel. W > 0: a single node of that dimension; 0: any.
template <int W>
bool SparseFactor::eliminate(const SparseStructure& s, const Panel& panel, const std::vector<double>& scale,
                             double drop) {
  double* values = values_.data() + panel.values;
  const int h = panel.height(), width = W > 0 ? W : panel.width, m = panel.below;
  for (int k = panel.first; k < panel.last; ++k) {
    const PanelNode& node = s.nodes[k];
    const int first = node.column, dim = W > 0 ? W : node.dim;
    double* columns = values + std::int64_t(first) * h;
    if (!(node.is_constraint ? factor_constraint(s, panel, node, scale, drop)
                             : factor_body(node, columns + first, h)))
      return false;
    const double* inverse = inverse_.data() + node.entry;
    // rows below the node in this panel: E = (what is there) L⁻ᵀ, then L = E D⁻¹
    const int begin = first + dim, rest = h - begin;
    for (int c = 0; c < dim; ++c) {
      double* target = columns + begin + c * h;
      for (int b = 0; b < c; ++b) {
        const double l = columns[first + c + b * h];
        const double* from = columns + begin + b * h;
        for (int r = 0; r < rest; ++r) target[r] -= from[r] * l;
      }
    }
    // the columns to the right inside the panel
    for (int column = begin; column < width; ++column) {
      double* target = values + std::int64_t(column) * h;
      for (int c = 0; c < dim; ++c) {
        const double l = columns[column + c * h] * inverse[c];
        const double* from = columns + c * h;
        for (int r = column; r < h; ++r) target[r] -= from[r] * l;
      }
    }
    double* E = E_.data() + first * m;
    for (int c = 0; c < dim; ++c) {
      double* column = columns + c * h;
      const double scale_by = inverse[c];
      for (int r = 0; r < m; ++r) E[r + c * m] = column[width + r];
      for (int r = begin; r < h; ++r) column[r] *= scale_by;
    }
  }
  if (m == 0) return true;
  const double* L = values + width;
  if (double(m) * m * width > kBlockedProduct)
    multiply_blocked(E_.data(), L, m, width, h, product_.data());
  else if constexpr (W > 0)
    multiply<W>(E_.data(), L, m, h, product_.data());
  else
    multiply(E_.data(), L, m, width, h, product_.data());
  subtract_products(s, panel);
  return true;
}

void SparseFactor::subtract_products(const SparseStructure& s, const Panel& panel) {
  const int m = panel.below;
  const PanelRow* rows = s.rows.data();
  for (int u = panel.update_begin; u < panel.update_end; ++u) {
    const Update& update = s.updates[u];
    const int* target_rows = s.target_rows.data() + update.target_rows - update.begin;
    for (int i = update.begin; i < update.end; ++i) {
      const PanelRow& column = rows[i];
      const double* product = product_.data() + std::int64_t(column.row - panel.width) * m - panel.width;
      double* target = values_.data() + update.values + std::int64_t(column.column) * update.stride;
      for (int j = i; j < update.last; ++j) {
        const PanelRow& row = rows[j];
        const double* from = product + row.row;
        double* to = target + target_rows[j];
        for (int c = 0; c < column.dim; ++c) {
          for (int r = i == j ? c : 0; r < row.dim; ++r) to[r] -= from[r];
          from += m;
          to += update.stride;
        }
      }
    }
  }
}

int SparseFactor::factor(const SparseStructure& s, const std::vector<double>& scale, double drop,
                         const std::vector<double>& forced) {
  dropped_.clear();
  doubtful_.clear();
  forced_ = forced.data();
  if (is_reordered_) take_rows_in_line();
  smallest_kept_ = std::numeric_limits<double>::infinity();
  smallest_kept_entry_ = -1;
  for (const Panel& panel : s.panels) {
    bool ok = false;
    switch (panel.last - panel.first == 1 ? panel.width : 0) {
      case 1:
        ok = eliminate<1>(s, panel, scale, drop);
        break;
      case 2:
        ok = eliminate<2>(s, panel, scale, drop);
        break;
      case 3:
        ok = eliminate<3>(s, panel, scale, drop);
        break;
      case 5:
        ok = eliminate<5>(s, panel, scale, drop);
        break;
      case 6:
        ok = eliminate<6>(s, panel, scale, drop);
        break;
      default:
        ok = eliminate<0>(s, panel, scale, drop);
    }
    if (ok) continue;
    for (int k = panel.first; k < panel.last; ++k)
      if (!s.nodes[k].is_constraint) return k;
    return panel.first;
  }
  return -1;
}

// The rows of the panel's constraints as their pivots were taken, and back.
template <int LANES>
void SparseFactor::order_rows(const Panel& panel, double* z) const {
  for (int i = panel.entry; i < panel.entry + panel.width; ++i)
    if (const int k = swapped_[std::size_t(i)]; k != i)
      std::swap_ranges(z + i * LANES, z + (i + 1) * LANES, z + k * LANES);
}

template <int LANES>
void SparseFactor::restore_rows(const Panel& panel, double* z) const {
  for (int i = panel.entry + panel.width - 1; i >= panel.entry; --i)
    if (const int k = swapped_[std::size_t(i)]; k != i)
      std::swap_ranges(z + i * LANES, z + (i + 1) * LANES, z + k * LANES);
}

// With several right-hand sides each loop over lanes is one vector operation; with one it vanishes.
template <int LANES>
void SparseFactor::forward_panel(const SparseStructure& s, int index, double* z) const {
  const Panel& panel = s.panels[std::size_t(index)];
  const double* values = values_.data() + panel.values;
  const int h = panel.height(), width = panel.width;
  double* own = z + std::ptrdiff_t(panel.entry) * LANES;
  if (has_swapped_rows_[std::size_t(index)] != 0) order_rows<LANES>(panel, z);
  for (int c = 0; c < width; ++c)
    for (int r = c + 1; r < width; ++r)
      for (int l = 0; l < LANES; ++l) own[r * LANES + l] -= values[r + c * h] * own[c * LANES + l];
  for (int i = panel.row_begin; i < panel.row_end; ++i) {
    const PanelRow& row = s.rows[std::size_t(i)];
    double* out = z + std::ptrdiff_t(row.entry) * LANES;
    const double* L = values + row.row;
    for (int c = 0; c < width; ++c)
      for (int r = 0; r < row.dim; ++r)
        for (int l = 0; l < LANES; ++l) out[r * LANES + l] -= L[r + c * h] * own[c * LANES + l];
  }
}

template <int LANES>
void SparseFactor::backward_panel(const SparseStructure& s, int index, double* z) const {
  const Panel& panel = s.panels[std::size_t(index)];
  const double* values = values_.data() + panel.values;
  const int h = panel.height(), width = panel.width;
  double* own = z + std::ptrdiff_t(panel.entry) * LANES;
  for (int i = panel.row_begin; i < panel.row_end; ++i) {
    const PanelRow& row = s.rows[std::size_t(i)];
    const double* other = z + std::ptrdiff_t(row.entry) * LANES;
    const double* L = values + row.row;
    for (int c = 0; c < width; ++c) {
      double sum[LANES] = {};
      for (int r = 0; r < row.dim; ++r)
        for (int l = 0; l < LANES; ++l) sum[l] += L[r + c * h] * other[r * LANES + l];
      for (int l = 0; l < LANES; ++l) own[c * LANES + l] -= sum[l];
    }
  }
  for (int c = width - 1; c >= 0; --c)
    for (int r = c + 1; r < width; ++r)
      for (int l = 0; l < LANES; ++l) own[c * LANES + l] -= values[r + c * h] * own[r * LANES + l];
  if (has_swapped_rows_[std::size_t(index)] != 0) restore_rows<LANES>(panel, z);
}

template <int LANES>
void SparseFactor::forward(const SparseStructure& s, double* z) const {
  for (int p = 0; p < int(s.panels.size()); ++p) forward_panel<LANES>(s, p, z);
}

template <int LANES>
void SparseFactor::backward(const SparseStructure& s, double* z) const {
  for (int i = 0; i < s.num_entries; ++i)
    for (int l = 0; l < LANES; ++l) z[i * LANES + l] *= inverse_[std::size_t(i)];
  for (int p = int(s.panels.size()) - 1; p >= 0; --p) backward_panel<LANES>(s, p, z);
}

template void SparseFactor::forward_panel<4>(const SparseStructure& s, int index, double* z) const;
template void SparseFactor::backward_panel<4>(const SparseStructure& s, int index, double* z) const;
template void SparseFactor::forward<1>(const SparseStructure& s, double* z) const;
template void SparseFactor::backward<1>(const SparseStructure& s, double* z) const;
template void SparseFactor::forward<4>(const SparseStructure& s, double* z) const;
template void SparseFactor::backward<4>(const SparseStructure& s, double* z) const;

}  // namespace catena::solve
