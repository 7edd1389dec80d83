#include "solve/sparse.h"

#include "math/small_matrix_kernel.h"

#include <algorithm>
#include <random>

namespace catena::solve {
namespace {

constexpr double kSmallestDrop = 1e-13;  // τ of (1) without constraint error
constexpr double kDropPerDrift2 = 100.0;
constexpr double kLargestDrift = 1e-4;    // δ that (1) believes
constexpr double kRegularisation = 1e-9;  // compliance of rescue(), relative to the diagonal of J M⁻¹ Jᵀ
constexpr int kDoubtRounds = 8;           // rows looked at more closely per factorisation
constexpr double kImplied =
    1e-20;  // |Jᵀz|² of a dependency, relative; an independent row has its true pivot here
constexpr int kLargestBody = 30;  // velocities of one body (kMostVelocities of the model)
constexpr int kRescueIterations = 30;
constexpr double kRescueTolerance = 1e-14;  // of GMRES, relative
constexpr int kOrderRounds = 6;             // attempts at an order that drops no independent row
constexpr double kWrongDrop = 1e-6;         // relative residual that shows one

// scale_i += J_i M⁻¹ J_iᵀ, with M = L Λ Lᵀ (inverse pivots on the diagonal). D = 0: dimension at run time.
template <int D>
void add_row_scales(int dim, int rows, const double* J, const double* M, double* scale) {
  constexpr int kMost = D > 0 ? D : kLargestBody;
  const int n = D > 0 ? D : dim;
  for (int i = 0; i < rows; ++i, J += n) {
    double y[kMost];
    double sum = 0.0;
    for (int j = 0; j < n; ++j) {
      y[j] = J[j];
      for (int k = 0; k < j; ++k) y[j] -= M[j + k * n] * y[k];
      sum += y[j] * y[j] * M[j + j * n];
    }
    scale[i] += sum;
  }
}

}  // namespace

double SparseSolver::drop_threshold(const Problem& problem) {
  // a rough start says nothing about the rank of a closed mechanism
  const double drift = std::min(problem.drift, kLargestDrift);
  return std::max(kSmallestDrop, kDropPerDrift2 * drift * drift);
}

Refusal SparseSolver::analyze(const Problem& problem) {
  num_bodies_ = problem.graph->num_bodies();
  for (int b = 0; b < num_bodies_; ++b)
    if (problem.graph->dims[b] > kLargestBody)
      return {"has more velocities than this solver provides for", -1};
  std::vector<char> late(std::size_t(problem.graph->num_constraints()), 0);
  for (int round = 0; round < kOrderRounds; ++round) {
    structure_.analyze(problem, late);
    plan_assembly(problem);
    factor_.resize(structure_);
    if (!factor(problem).ok() || !find_wrongly_dropped(problem, late)) break;
  }
  return {};
}

void SparseSolver::plan_assembly(const Problem& problem) {
  const Graph& g = *problem.graph;
  const std::vector<int>& position = structure_.order.position;
  masses_.clear();
  edges_.clear();
  compliances_.clear();
  links_.clear();
  entry_of_constraint_.assign(g.rows.size(), 0);
  row_of_entry_.assign(std::size_t(structure_.num_entries), -1);
  variable_.assign(std::size_t(structure_.num_entries), 0);
  scale_.assign(std::size_t(structure_.num_entries), 0.0);
  forced_.assign(std::size_t(structure_.num_entries), 0.0);
  z_.assign(std::size_t(structure_.num_entries), 0.0);
  for (int b = 0; b < num_bodies_; ++b) {
    const int at = position[b];
    masses_.push_back({g.mass_offset[b], g.dims[b], g.dims[b], structure_.block(at, at), false});
    for (int i = 0; i < g.dims[b]; ++i) variable_[structure_.nodes[at].entry + i] = g.body_offset[b] + i;
  }
  for (int c = 0; c < g.num_constraints(); ++c) {
    const int at = position[num_bodies_ + c];
    compliances_.push_back({g.row_offset[c], g.rows[c], g.rows[c], structure_.block(at, at), false});
    entry_of_constraint_[c] = structure_.nodes[at].entry;
    for (int i = 0; i < g.rows[c]; ++i) {
      row_of_entry_[structure_.nodes[at].entry + i] = g.row_offset[c] + i;
      variable_[structure_.nodes[at].entry + i] = g.num_x() + g.row_offset[c] + i;
    }
  }
  entry_of_.assign(variable_.size(), 0);
  panel_of_variable_.assign(variable_.size(), 0);
  for (std::size_t k = 0; k < structure_.nodes.size(); ++k)
    for (int i = 0; i < structure_.nodes[k].dim; ++i) {
      const int entry = structure_.nodes[k].entry + i;
      entry_of_[std::size_t(variable_[std::size_t(entry)])] = entry;
      panel_of_variable_[std::size_t(variable_[std::size_t(entry)])] = structure_.panel_of[k];
    }
  for (const Edge& e : g.edges) {
    const int body = position[e.body], constraint = position[num_bodies_ + e.constraint];
    // J is stored row-major, so the block with the body's dimension running down the rows is a plain copy
    const bool transposed = body < constraint;
    edges_.push_back({e.offset, g.dims[e.body], g.rows[e.constraint],
                      structure_.block(std::max(body, constraint), std::min(body, constraint)), transposed});
  }
  for (const Link& link : g.links) {
    const int a = position[link.a], b = position[link.b];
    links_.push_back({link.offset, g.dims[link.a], g.dims[link.b],
                      structure_.block(std::max(a, b), std::min(a, b)), a < b});
  }
}

// Values of H, lower triangles; regularisation > 0 adds that much compliance to every row, relative to its scale.
void SparseSolver::assemble(const Problem& problem, double regularisation, SparseFactor& out) {
  std::vector<double>& values = out.values();
  std::fill(values.begin(), values.end(), 0.0);
  const auto copy = [&](const Source& s, const double* from, double sign) {
    double* to = values.data() + s.to.values;
    const std::ptrdiff_t down = s.transposed ? s.to.stride : 1, across = s.transposed ? 1 : s.to.stride;
    for (int c = 0; c < s.columns; ++c)
      for (int r = 0; r < s.rows; ++r) to[r * down + c * across] = sign * from[r + c * s.rows];
  };
  for (const Source& s : masses_) {
    const double* M = problem.M.data() + s.from;
    double* to = values.data() + s.to.values;
    for (int c = 0; c < s.columns; ++c)
      for (int r = c; r < s.rows; ++r) to[r + c * s.to.stride] = M[r + c * s.rows];
  }
  for (const Source& s : edges_) copy(s, problem.J.data() + s.from, -1.0);
  for (const Source& s : links_) copy(s, problem.links.data() + s.from, 1.0);
  for (std::size_t c = 0; c < compliances_.size(); ++c) {
    const Source& s = compliances_[c];
    for (int i = 0; i < s.rows; ++i)
      values[std::size_t(s.to.values + i * (s.to.stride + 1))] =
          -problem.S[s.from + i] - regularisation * scale_[std::size_t(entry_of_constraint_[c] + i)];
  }
}

// What a row's pivot would be if its bodies were free: the diagonal of J M⁻¹ Jᵀ + S.
int SparseSolver::update_scale(const Problem& problem) {
  const Graph& g = *problem.graph;
  mass_factor_ = problem.M;
  for (int b = 0; b < num_bodies_; ++b) {
    double* M = &mass_factor_[g.mass_offset[b]];
    const int failed = g.dims[b] == 6   ? math::factor_ldlt<double, 6>(M, 0.0)
                       : g.dims[b] == 3 ? math::factor_ldlt<double, 3>(M, 0.0)
                                        : math::factor_ldlt(g.dims[b], M, 0.0);
    if (failed >= 0) return b;
  }
  for (int c = 0; c < g.num_constraints(); ++c)
    for (int i = 0; i < g.rows[c]; ++i)
      scale_[std::size_t(entry_of_constraint_[c] + i)] = problem.S[g.row_offset[c] + i];
  for (const Edge& e : g.edges) {
    const double *J = &problem.J[e.offset], *M = &mass_factor_[g.mass_offset[e.body]];
    double* scale = &scale_[std::size_t(entry_of_constraint_[e.constraint])];
    switch (g.dims[e.body]) {
      case 6:
        add_row_scales<6>(6, g.rows[e.constraint], J, M, scale);
        break;
      case 3:
        add_row_scales<3>(3, g.rows[e.constraint], J, M, scale);
        break;
      default:
        add_row_scales<0>(g.dims[e.body], g.rows[e.constraint], J, M, scale);
    }
  }
  return -1;
}

// Looks closer at the rows whose pivots may be made of rounding; true when one of them was decided wrongly and is now forced.
//
// A pivot is a difference and cannot be trusted below 1e-13 or so of what it is the difference of. The dependency behind it can:
// one solve gives its null vector z, and |Jᵀz| is a plain sum, known to 1e-15; |Jᵀz|² is the pivot as it should be.
bool SparseSolver::correct_a_decision(const Problem& problem) {
  const Graph& g = *problem.graph;
  const double drift = std::min(problem.drift, kLargestDrift);
  const double threshold = std::max(kImplied, kDropPerDrift2 * drift * drift);
  int looks = 0;
  for (const int entry : factor_.doubtful()) {
    if (++looks > kDoubtRounds) break;
    const int row = row_of_entry_[std::size_t(entry)];
    const bool is_dropped = factor_.is_dropped(entry);
    force_.setZero(g.num_x());
    rate_.setZero(g.num_rows());
    unit_.setZero(g.num_rows());
    unit_[row] = 1.0;
    if (is_dropped)
      add_Jt_times(problem, unit_, force_);  // held by the others' part in the dependency
    else
      rate_ = unit_;  // inverse iteration: the answer is the dependency divided by the pivot
    (void)solve(problem, force_, rate_, x_, lambda_);
    if (is_dropped) lambda_ += unit_;
    force_.setZero(g.num_x());
    add_Jt_times(problem, lambda_, force_);
    double size = 0.0, pivot = 0.0;
    for (std::size_t e = 0; e < variable_.size(); ++e)
      if (row_of_entry_[e] >= 0) {
        const double z = lambda_[row_of_entry_[e]];
        size += z * z * scale_[e];
        pivot += z * z * problem.S[row_of_entry_[e]];
      }
    for (int b = 0; b < num_bodies_; ++b)
      add_row_scales<0>(g.dims[b], 1, &force_[g.body_offset[b]], &mass_factor_[g.mass_offset[b]], &pivot);
    const bool should_drop = !(pivot > threshold * size);
    if (should_drop == is_dropped) continue;
    forced_[std::size_t(entry)] = should_drop ? -1.0 : pivot / (lambda_[row] * lambda_[row]);
    return true;
  }
  return false;
}

FactorResult SparseSolver::failure(int position) const {
  const int node = structure_.order.nodes[std::size_t(position)];
  if (node < num_bodies_) return {FactorStatus::not_positive, -1, node};
  return {FactorStatus::singular, node - num_bodies_, -1};
}

FactorResult SparseSolver::factor(const Problem& problem) {
  if (const int body = update_scale(problem); body >= 0) return {FactorStatus::not_positive, -1, body};
  std::fill(forced_.begin(), forced_.end(), 0.0);
  for (int round = 0;; ++round) {
    assemble(problem, 0.0, factor_);
    const int failed = factor_.factor(structure_, scale_, drop_threshold(problem), forced_);
    if (failed >= 0) return failure(failed);
    if (round == kDoubtRounds || !correct_a_decision(problem)) break;
  }
  dropped_rows_.clear();
  for (const int entry : factor_.dropped()) dropped_rows_.push_back(row_of_entry_[std::size_t(entry)]);
  return {};
}

void SparseSolver::gather(const Eigen::VectorXd& f, const Eigen::VectorXd& d, double* z) const {
  const int n = int(f.size());
  for (std::size_t e = 0; e < variable_.size(); ++e)
    z[e] = variable_[e] < n ? f[variable_[e]] : -d[variable_[e] - n];
}

void SparseSolver::scatter(const double* z, Eigen::VectorXd& x, Eigen::VectorXd& lambda) const {
  const int n = int(x.size());
  for (std::size_t e = 0; e < variable_.size(); ++e)
    (variable_[e] < n ? x[variable_[e]] : lambda[variable_[e] - n]) = z[e];
}

FactorResult SparseSolver::solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                                 Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  x.resize(problem.graph->num_x());
  lambda.resize(problem.graph->num_rows());
  gather(f, d, z_.data());
  factor_.solve(structure_, z_.data());
  scatter(z_.data(), x, lambda);
  return {};
}

int SparseSolver::refinements() const {
  const double pivot = factor_.smallest_kept_pivot();
  return pivot < 1e-9 ? 2 : pivot < 1e-3 ? 1 : 0;
}

// Rows dropped although they are independent show themselves on right-hand sides that can be met: J x = J y.
bool SparseSolver::find_wrongly_dropped(const Problem& problem, std::vector<char>& late) {
  if (dropped_rows_.empty()) return false;
  const Graph& g = *problem.graph;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  Eigen::VectorXd y(g.num_x()), d = Eigen::VectorXd::Zero(g.num_rows()), x, lambda;
  for (double& entry : y) entry = normal(random);
  add_J_times(problem, y, d);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(g.num_x());
  (void)solve(problem, zero, d, x, lambda);
  Eigen::VectorXd rest = -d;
  add_J_times(problem, x, rest);
  rest += problem.S.cwiseProduct(lambda);
  const double size = d.lpNorm<Eigen::Infinity>();
  bool found = false;
  for (const int row : dropped_rows_) {
    if (!(std::abs(rest[row]) > kWrongDrop * size)) continue;
    const int c = find_block(g.row_offset, row);
    found = found || !late[std::size_t(c)];
    late[std::size_t(c)] = 1;
  }
  return found;
}

bool SparseSolver::rescue(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                          Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  const Eigen::Index n = x.size(), m = lambda.size();
  if (regular_.values().size() != factor_.values().size()) regular_.resize(structure_);
  assemble(problem, std::max(kRegularisation, drop_threshold(problem)), regular_);
  std::fill(forced_.begin(), forced_.end(), 0.0);
  if (regular_.factor(structure_, scale_, 0.0, forced_) >= 0) return false;
  rhs_.resize(n + m);
  rhs_ << f, -d;
  unknown_.resize(n + m);
  unknown_ << x, lambda;
  const auto apply = [&](const Eigen::VectorXd& v, Eigen::VectorXd& out) {
    x_ = v.head(n);
    lambda_ = v.tail(m);
    mass_times(problem, x_, force_);
    rate_ = problem.S.cwiseProduct(lambda_);
    add_J_times(problem, x_, rate_);
    lambda_ = -lambda_;
    add_Jt_times(problem, lambda_, force_);
    out.resize(n + m);
    out << force_, -rate_;
  };
  const auto precondition = [&](Eigen::VectorXd& v) {
    x_ = v.head(n);
    lambda_ = -v.tail(m);
    gather(x_, lambda_, z_.data());
    regular_.solve(structure_, z_.data());
    scatter(z_.data(), x_, lambda_);
    v << x_, lambda_;
  };
  const Krylov::Outcome outcome =
      krylov_.improve(rhs_, kRescueIterations, kRescueTolerance, apply, precondition, unknown_);
  x = unknown_.head(n);
  lambda = unknown_.tail(m);
  return outcome.residual <= std::sqrt(kRescueTolerance);
}

std::unique_ptr<EqualitySolver> make_sparse_solver() {
  return std::make_unique<SparseSolver>();
}

}  // namespace catena::solve
