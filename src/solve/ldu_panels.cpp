#include "solve/ldu_panels.h"

#include "catena/interrupt.h"
#include "solve/small_lu.h"

#include <algorithm>
#include <cmath>

namespace catena::solve {
namespace {

constexpr double kVanishedPivot = 1e-12;  // a pivot over what cancelled in it
// From this many multiplications on a product goes to Eigen's blocked kernels, in tiles that these keep on the stack.
constexpr double kBlockedCoreProduct = 20000.0;
constexpr int kCoreTile = 64;

void grow(std::vector<double>& numbers, std::size_t size) {
  if (numbers.size() < size) numbers.resize(size);
}

// P = A Bᵀ (m × m), inner size `width`; A and B have stride h.
void multiply_blocked_transposed(const double* A, const double* B, int m, int width, int h, double* P) {
  using Matrix = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  using ConstMatrix = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  const ConstMatrix left(A, m, width, Eigen::OuterStride<>(h)), right(B, m, width, Eigen::OuterStride<>(h));
  Matrix out(P, m, m, Eigen::OuterStride<>(m));
  for (int c = 0; c < m; c += kCoreTile)
    for (int r = 0; r < m; r += kCoreTile) {
      const int rows = std::min(kCoreTile, m - r), columns = std::min(kCoreTile, m - c);
      out.block(r, c, rows, columns).noalias() =
          left.middleRows(r, rows) * right.middleRows(c, columns).transpose();
    }
}

}  // namespace

void LduPanels::analyze(const Problem& problem, const OrderRequest& request) {
  const Graph& g = *problem.graph;
  num_bodies_ = g.num_bodies();
  structure_.analyze(problem, request);
  int size = 0;
  diagonal_offset_.clear();
  entry_of_node_.clear();
  for (const PanelNode& node : structure_.nodes) {
    diagonal_offset_.push_back(size);
    size += node.dim * node.dim;
    entry_of_node_.push_back(node.is_constraint ? g.row_offset[node.node - num_bodies_]
                                                : g.body_offset[node.node]);
  }
  const auto values = std::size_t(structure_.num_values), front = std::size_t(structure_.largest_front);
  grow(diagonal_, std::size_t(size));
  lower_.resize(values);
  upper_.resize(values);
  grow(product_, front * front);
  scale_.resize(std::size_t(structure_.num_entries));
  z_.resize(std::size_t(structure_.num_entries));
  plan(g);
}

void LduPanels::plan(const Graph& g) {
  sources_.clear();
  const std::vector<int>& position = structure_.order.position;
  // block (row node, column node) of the matrix
  const auto add = [&](Source::Kind kind, int from, int row, int column) {
    const int rows = structure_.nodes[row].dim, columns = structure_.nodes[column].dim;
    const Target to = structure_.block(std::max(row, column), std::min(row, column));
    sources_.push_back({kind, column <= row, from, rows, columns, to});
  };
  for (int k = 0; k < structure_.order.size(); ++k) {
    const PanelNode& node = structure_.nodes[k];
    if (!node.is_constraint) {
      add(Source::Kind::body, g.mass_offset[node.node], k, k);
      continue;
    }
    const int c = node.node - num_bodies_;
    add(Source::Kind::compliance, g.row_offset[c], k, k);
    for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1]; ++e) {
      // row-major J is its transpose column-major: block (body, constraint); the mirror image follows from it
      const int body = position[g.edges[e].body];
      add(Source::Kind::edge, g.edges[e].offset, body, k);
    }
  }
  for (const Link& link : g.links) {
    const int a = position[link.a], b = position[link.b];
    if (a < 0 || b < 0) continue;
    add(Source::Kind::upper, link.offset, a, b);
    add(Source::Kind::lower, link.offset, b, a);
  }
}

void LduPanels::assemble(const Problem& problem, const Eigen::VectorXd& D) {
  std::fill(lower_.begin(), lower_.end(), 0.0);
  std::fill(upper_.begin(), upper_.end(), 0.0);
  // adds sign · block to `lower`, or its transpose to `upper`
  const auto add = [](const Source& s, bool turned, const double* from, double sign,
                      std::vector<double>& out) {
    double* to = out.data() + s.to.values;
    const std::ptrdiff_t down = turned ? s.to.stride : 1, across = turned ? 1 : s.to.stride;
    for (int c = 0; c < s.columns; ++c)
      for (int r = 0; r < s.rows; ++r) to[r * down + c * across] += sign * from[r + c * s.rows];
  };
  for (const Source& s : sources_) switch (s.kind) {
      case Source::Kind::body:
        add(s, false, D.data() + s.from, 1.0, lower_);
        break;
      case Source::Kind::compliance:
        for (int i = 0; i < s.rows; ++i)
          lower_[std::size_t(s.to.values + std::int64_t(i) * (s.to.stride + 1))] = -problem.S[s.from + i];
        break;
      case Source::Kind::edge:  // Jᵀ, and J, whose transpose it is
        add(s, !s.below, problem.J.data() + s.from, -1.0, lower_);
        add(s, !s.below, problem.J.data() + s.from, -1.0, upper_);
        break;
      case Source::Kind::upper:
        add(s, !s.below, problem.links.data() + s.from, 1.0, s.below ? lower_ : upper_);
        break;
      case Source::Kind::lower:
        add(s, !s.below, problem.lower.data() + s.from, 1.0, s.below ? lower_ : upper_);
        break;
    }
}

bool LduPanels::factor_diagonal(const PanelNode& node, const double* block, int stride) {
  const int k = structure_.order.position[node.node], n = node.dim;
  double* LU = diagonal_.data() + diagonal_offset_[k];
  for (int c = 0; c < n; ++c) std::copy_n(block + c * stride, n, LU + c * n);
  const int negative = factor_lu<0>(LU, n);
  if (negative < 0) return false;
  if (!node.is_constraint) {
    negative_bodies_ += negative;
    return true;
  }
  for (int r = 0; r < n; ++r)  // the diagonal holds inverse pivots
    if (std::abs(LU[r * (n + 1)]) * kVanishedPivot * scale_[node.entry + r] > 1.0) return false;
  negative_constraints_ += n - negative;
  return true;
}

// Wᵀ = Uᵀ D⁻ᵀ from row `begin` on: column operations in the order of the substitutions.
void LduPanels::divide_upper(const PanelNode& node, double* upper, int begin, int stride) const {
  const int n = node.dim;
  const double* LU = diagonal_.data() + diagonal_offset_[structure_.order.position[node.node]];
  const auto subtract = [&](int i, int k, double factor) {
    double* to = upper + i * stride;
    const double* from = upper + k * stride;
    for (int r = begin; r < stride; ++r) to[r] -= factor * from[r];
  };
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) subtract(i, k, LU[i + k * n]);
  for (int k = n - 1; k >= 0; --k) {
    for (int r = begin; r < stride; ++r) upper[r + k * stride] *= LU[k + k * n];
    for (int i = 0; i < k; ++i) subtract(i, k, LU[i + k * n]);
  }
}

void LduPanels::note_cancellation(const Panel& panel, const PanelNode& node, int begin) {
  const int h = panel.height();
  const double* L = lower_.data() + panel.values + std::int64_t(node.column) * h;
  const double* W = upper_.data() + panel.values + std::int64_t(node.column) * h;
  const auto note = [&](int row, double& scale) {
    double sum = 0.0;
    for (int k = 0; k < node.dim; ++k) sum += L[row + k * h] * W[row + k * h];
    scale += std::abs(sum);
  };
  for (int r = begin; r < panel.width; ++r) note(r, scale_[panel.entry + r]);
  for (int i = panel.row_begin; i < panel.row_end; ++i) {
    const PanelRow& row = structure_.rows[i];
    if (!structure_.nodes[row.position].is_constraint) continue;
    for (int r = 0; r < row.dim; ++r) note(row.row + r, scale_[row.entry + r]);
  }
}

// The nodes to the right inside the panel: lower from their diagonal blocks on, upper from below these on.
void LduPanels::update_panel(const Panel& panel, int position) {
  const int h = panel.height();
  const PanelNode& node = structure_.nodes[position];
  double *lower = lower_.data() + panel.values, *upper = upper_.data() + panel.values;
  for (int k = position + 1; k < panel.last; ++k) {
    const PanelNode& other = structure_.nodes[k];
    for (int c = other.column; c < other.column + other.dim; ++c)
      for (int i = node.column; i < node.column + node.dim; ++i) {
        const double w = upper[c + i * h], l = lower[c + i * h];
        const double *L = lower + i * h, *W = upper + i * h;
        double *to_lower = lower + c * h, *to_upper = upper + c * h;
        for (int r = other.column; r < h; ++r) to_lower[r] -= L[r] * w;
        for (int r = other.column + other.dim; r < h; ++r) to_upper[r] -= W[r] * l;
      }
  }
}

void LduPanels::multiply(const Panel& panel) {
  const int m = panel.below, h = panel.height(), width = panel.width;
  const double *L = lower_.data() + panel.values + width, *W = upper_.data() + panel.values + width;
  if (double(m) * m * width > kBlockedCoreProduct)
    return multiply_blocked_transposed(L, W, m, width, h, product_.data());
  for (int c = 0; c < m; ++c) {
    double* out = product_.data() + c * m;
    std::fill(out, out + m, 0.0);
    for (int k = 0; k < width; ++k) {
      const double w = W[c + k * h];
      for (int r = 0; r < m; ++r) out[r] += L[r + k * h] * w;
    }
  }
}

void LduPanels::subtract_products(const Panel& panel) {
  const int m = panel.below;
  const double* product = product_.data();
  for (int u = panel.update_begin; u < panel.update_end; ++u) {
    const Update& update = structure_.updates[u];
    const int* target_rows = structure_.target_rows.data() + update.target_rows - update.begin;
    for (int i = update.begin; i < update.end; ++i) {
      const PanelRow& column = structure_.rows[i];
      const int at_column = column.row - panel.width;
      const std::int64_t target = update.values + std::int64_t(column.column) * update.stride;
      for (int j = i; j < update.last; ++j) {
        const PanelRow& row = structure_.rows[j];
        const int at_row = row.row - panel.width;
        double* lower = lower_.data() + target + target_rows[j];
        double* upper = upper_.data() + target + target_rows[j];
        for (int c = 0; c < column.dim; ++c, lower += update.stride, upper += update.stride) {
          const double* down = product + at_row + std::int64_t(at_column + c) * m;
          for (int r = 0; r < row.dim; ++r) lower[r] -= down[r];
          if (i == j) continue;
          const double* across = product + at_column + c + std::int64_t(at_row) * m;
          for (int r = 0; r < row.dim; ++r) upper[r] -= across[std::int64_t(r) * m];
        }
      }
    }
  }
}

int LduPanels::eliminate_panel(const Panel& panel) {
  const int h = panel.height();
  for (int k = panel.first; k < panel.last; ++k) {
    const PanelNode& node = structure_.nodes[k];
    const std::int64_t columns = panel.values + std::int64_t(node.column) * h;
    if (!factor_diagonal(node, lower_.data() + columns + node.column, h)) return k;
    const int begin = node.column + node.dim;
    divide_upper(node, upper_.data() + columns, begin, h);
    note_cancellation(panel, node, begin);
    update_panel(panel, k);
  }
  if (panel.below == 0) return -1;
  allow_interruption();
  multiply(panel);
  subtract_products(panel);
  return -1;
}

int LduPanels::factor(const Problem& problem, const Eigen::VectorXd& D) {
  assemble(problem, D);
  std::fill(scale_.begin(), scale_.end(), 0.0);
  negative_bodies_ = negative_constraints_ = 0;
  for (const Panel& panel : structure_.panels)
    if (const int failed = eliminate_panel(panel); failed >= 0) return failed;
  return -1;
}

int LduPanels::parent(int k) const {
  const Panel& panel = structure_.panels[std::size_t(structure_.panel_of[std::size_t(k)])];
  if (k + 1 < panel.last) return k + 1;
  return panel.row_begin == panel.row_end ? -1 : structure_.rows[std::size_t(panel.row_begin)].position;
}

// What stands below a node: rows of its columns, how many, and the entry of z_ that they belong to.
template <class Visit>
void LduPanels::visit_below(int k, Visit&& visit) const {
  const PanelNode& node = structure_.nodes[std::size_t(k)];
  const Panel& panel = structure_.panels[std::size_t(structure_.panel_of[std::size_t(k)])];
  const int begin = node.column + node.dim;
  visit(begin, panel.width - begin, panel.entry + begin);
  for (int i = panel.row_begin; i < panel.row_end; ++i) {
    const PanelRow& row = structure_.rows[std::size_t(i)];
    visit(row.row, row.dim, row.entry);
  }
}

// The nodes that these rows are.
template <class Visit>
void LduPanels::visit_later(int k, Visit&& visit) const {
  const Panel& panel = structure_.panels[std::size_t(structure_.panel_of[std::size_t(k)])];
  for (int later = k + 1; later < panel.last; ++later) visit(later);
  for (int i = panel.row_begin; i < panel.row_end; ++i) visit(structure_.rows[std::size_t(i)].position);
}

void LduPanels::forward_in_place(int k) {
  const PanelNode& node = structure_.nodes[std::size_t(k)];
  const Panel& panel = structure_.panels[std::size_t(structure_.panel_of[std::size_t(k)])];
  const int h = panel.height();
  double *z = z_.data(), *mine = z + node.entry;
  solve_lu<0>(diagonal_.data() + diagonal_offset_[std::size_t(k)], mine, 1, node.dim, node.dim);
  const double* L = lower_.data() + panel.values + std::int64_t(node.column) * h;
  visit_below(k, [&](int row, int count, int entry) {
    for (int c = 0; c < node.dim; ++c)
      for (int r = 0; r < count; ++r) z[entry + r] -= L[row + r + c * h] * mine[c];
  });
}

void LduPanels::backward_in_place(int k) {
  const PanelNode& node = structure_.nodes[std::size_t(k)];
  const Panel& panel = structure_.panels[std::size_t(structure_.panel_of[std::size_t(k)])];
  const int h = panel.height();
  double *z = z_.data(), *mine = z + node.entry;
  const double* W = upper_.data() + panel.values + std::int64_t(node.column) * h;
  visit_below(k, [&](int row, int count, int entry) {
    for (int c = 0; c < node.dim; ++c) {
      double sum = 0.0;
      for (int r = 0; r < count; ++r) sum += W[row + r + c * h] * z[entry + r];
      mine[c] -= sum;
    }
  });
}

void LduPanels::load(int k, const double* x, const double* lambda) {
  const PanelNode& node = structure_.nodes[std::size_t(k)];
  std::copy_n((node.is_constraint ? lambda : x) + entry_of_node_[std::size_t(k)], node.dim,
              &z_[std::size_t(node.entry)]);
}

void LduPanels::store(int k, double* x, double* lambda) const {
  const PanelNode& node = structure_.nodes[std::size_t(k)];
  std::copy_n(&z_[std::size_t(node.entry)], node.dim,
              (node.is_constraint ? lambda : x) + entry_of_node_[std::size_t(k)]);
}

void LduPanels::solve(double* x, double* lambda) {
  const int n = num_nodes();
  for (int k = 0; k < n; ++k) load(k, x, lambda);
  for (int k = 0; k < n; ++k) forward_in_place(k);
  for (int k = n - 1; k >= 0; --k) backward_in_place(k);
  for (int k = 0; k < n; ++k) store(k, x, lambda);
}

void LduPanels::forward(int k, double* x, double* lambda) {
  load(k, x, lambda);
  visit_later(k, [&](int other) { load(other, x, lambda); });
  forward_in_place(k);
  store(k, x, lambda);
  visit_later(k, [&](int other) { store(other, x, lambda); });
}

void LduPanels::backward(int k, double* x, double* lambda) {
  load(k, x, lambda);
  visit_later(k, [&](int other) { load(other, x, lambda); });
  backward_in_place(k);
  store(k, x, lambda);
}

}  // namespace catena::solve
