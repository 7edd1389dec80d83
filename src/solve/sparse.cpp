#include "solve/sparse.h"

#include "math/small_matrix_kernel.h"
#include "solve/independent_rows.h"

#include <algorithm>
#include <random>

namespace catena::solve {
namespace {

constexpr double kSmallestDrop = 1e-13;  // τ of (1) for exact rows
constexpr double kDropPerError2 = 100.0;
constexpr double kLargestError = 1e-4;    // δ that (1) believes
constexpr double kRegularisation = 1e-9;  // compliance of rescue(), relative to the diagonal of J M⁻¹ Jᵀ
constexpr double kDoubt = 1e-9;           // relative pivot below which rounding may have made it
constexpr int kDoubtRounds = 8;           // rows looked at more closely per factorisation
constexpr double kImplied =
    1e-20;  // |Jᵀz|² of a dependency, relative; an independent row has its true pivot here
constexpr int kRescueIterations = 30;
constexpr double kRescueTolerance = 1e-14;  // of GMRES, relative
constexpr int kOrderRounds = 6;             // attempts at an order that drops no independent row
constexpr double kWrongDrop = 1e-6;         // relative residual that shows one

// scale_i += J_i M⁻¹ J_iᵀ, with M = L Λ Lᵀ (inverse pivots on the diagonal). D = 0: dimension at run time.
// scratch: of that dimension.
template <int D>
void add_row_scales(int dim, int rows, const double* J, const double* M, double* scale, double* scratch) {
  const int n = D > 0 ? D : dim;
  double local[D > 0 ? D : 1];
  double* y = D > 0 ? local : scratch;
  for (int i = 0; i < rows; ++i, J += n) {
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

double SparseSolver::drop_threshold(double row_error) {
  // a rough start says nothing about the rank of a closed mechanism
  const double error = std::min(row_error, kLargestError);
  return std::max(kSmallestDrop, kDropPerError2 * error * error);
}

Refusal SparseSolver::analyze(const Problem& problem) {
  num_bodies_ = problem.graph->num_bodies();
  num_x_ = problem.graph->num_x();
  if (Refusal refusal = refuse_unless(problem, {.links = true}); refusal.refused()) return refusal;
  largest_row_.assign(std::size_t(num_bodies_ > 0 ? std::ranges::max(problem.graph->dims) : 0), 0.0);
  late_.assign(std::size_t(problem.graph->num_constraints()), 0);
  is_order_proven_ = false;
  redundancy_.forget();
  find_order(problem);
  return {};
}

void SparseSolver::find_order(const Problem& problem) {
  is_ordered_ = false;
  structure_.analyze(problem, {.late = late_});
  plan_assembly(problem);
  factor_.resize(structure_);
  is_regular_sized_ = false;
  is_ordered_ = true;
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
  missed_.reserve(std::size_t(structure_.num_entries));
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
  list_steps();
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

void SparseSolver::list_steps() {
  EliminationSteps& out = elimination_;
  out.parent.clear();
  out.ranges.clear();
  out.range_begin.assign(1, 0);
  out.step_of_body.clear();
  out.entry_of_body.clear();
  out.num_entries = structure_.num_entries;
  for (const Panel& panel : structure_.panels) {
    const bool is_root = panel.row_begin == panel.row_end;
    out.parent.push_back(
        is_root ? -1
                : structure_.panel_of[std::size_t(structure_.rows[std::size_t(panel.row_begin)].position)]);
    out.ranges.push_back({panel.entry, panel.entry + panel.width});
    out.range_begin.push_back(int(out.ranges.size()));
  }
  for (int b = 0; b < num_bodies_; ++b) {
    const int at = structure_.order.position[std::size_t(b)];
    out.step_of_body.push_back(structure_.panel_of[std::size_t(at)]);
    out.entry_of_body.push_back(structure_.nodes[std::size_t(at)].entry);
  }
}

void SparseSolver::forward(const Problem& /*problem*/, int step, double* z) {
  factor_.forward_panel<kColumns>(structure_, step, z);
}

void SparseSolver::backward(const Problem& /*problem*/, int step, double* z) {
  const Panel& panel = structure_.panels[std::size_t(step)];
  for (int i = panel.entry; i < panel.entry + panel.width; ++i)
    for (int k = 0; k < kColumns; ++k) z[i * kColumns + k] *= factor_.inverse_pivot(i);
  factor_.backward_panel<kColumns>(structure_, step, z);
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
        add_row_scales<6>(6, g.rows[e.constraint], J, M, scale, largest_row_.data());
        break;
      case 3:
        add_row_scales<3>(3, g.rows[e.constraint], J, M, scale, largest_row_.data());
        break;
      default:
        add_row_scales<0>(g.dims[e.body], g.rows[e.constraint], J, M, scale, largest_row_.data());
    }
  }
  return -1;
}

// Looks closer at the rows whose pivots may be made of rounding; true when one of them was decided wrongly and is now forced.
//
// A pivot is a difference and cannot be trusted below 1e-13 or so of what it is the difference of. The dependency behind it can:
// one solve gives its null vector z, and |Jᵀz| is a plain sum, known to 1e-15; |Jᵀz|² is the pivot as it should be.
//
// Rows that were kept come first, in the order of elimination: a pivot of rounding that is divided by spoils all that follow, while a row
// that is dropped spoils nothing but itself.
bool SparseSolver::correct_a_decision(const Problem& problem) {
  for (const bool is_dropped : {false, true}) {
    int looks = 0;
    for (const auto& [entry, pivot] : factor_.doubtful()) {
      if (pivot > kDoubt || factor_.is_dropped(entry) != is_dropped) continue;
      if (++looks > kDoubtRounds) break;
      if (correct_decision(problem, entry, is_dropped)) return true;
    }
  }
  return redundancy_.has_missed(int(factor_.dropped().size())) && find_a_missed_row(problem);
}

// Fewer rows were dropped than depended on others where joints were closed: rounding, which grows with the square of a structure's length,
// has made a pivot larger than it is thought to. The weakest rows come first.
bool SparseSolver::find_a_missed_row(const Problem& problem) {
  missed_.clear();
  for (const SparseFactor::Doubt& doubt : factor_.doubtful())
    if (!factor_.is_dropped(doubt.entry)) missed_.push_back(doubt);
  std::sort(missed_.begin(), missed_.end(), [](const auto& a, const auto& b) { return a.pivot < b.pivot; });
  const auto looks = std::min(missed_.size(), std::size_t(kDoubtRounds));
  for (std::size_t i = 0; i < looks; ++i)
    if (correct_decision(problem, missed_[i].entry, false)) return true;
  return false;
}

bool SparseSolver::correct_decision(const Problem& problem, int entry, bool is_dropped) {
  const Graph& g = *problem.graph;
  const double threshold = std::max(kImplied, kDropPerError2 * error_ * error_);
  const int row = row_of_entry_[std::size_t(entry)];
  clear_scratch(problem);
  unit_[row] = 1.0;
  if (is_dropped)
    add_Jt_times(problem, unit_, force_);  // held by the others' part in the dependency
  else
    rate_[row] = 1.0;  // inverse iteration: the answer is the dependency divided by the pivot
  apply_inverse(force_, rate_, x_, lambda_);
  if (is_dropped) lambda_[row] += 1.0;
  force_.setZero();
  add_Jt_times(problem, lambda_, force_);
  double size = 0.0, pivot = 0.0;
  for (std::size_t e = 0; e < variable_.size(); ++e)
    if (row_of_entry_[e] >= 0) {
      const double z = lambda_[row_of_entry_[e]];
      size += z * z * scale_[e];
      pivot += z * z * problem.S[row_of_entry_[e]];
    }
  for (int b = 0; b < num_bodies_; ++b)
    add_row_scales<0>(g.dims[b], 1, &force_[g.body_offset[b]], &mass_factor_[g.mass_offset[b]], &pivot,
                      largest_row_.data());
  const bool should_drop = !(pivot > threshold * size);
  if (should_drop == is_dropped) return false;
  forced_[std::size_t(entry)] = should_drop ? -1.0 : pivot / (lambda_[row] * lambda_[row]);
  return true;
}

FactorResult SparseSolver::failure(int position) const {
  const int node = structure_.order.nodes[std::size_t(position)];
  if (node < num_bodies_) return {FactorStatus::not_positive, -1, node};
  return {FactorStatus::singular, node - num_bodies_, -1};
}

// The first factor of an order shows whether it drops independent rows; their constraints then go last.
FactorResult SparseSolver::factor(const Problem& problem) {
  if (!is_ordered_) find_order(problem);
  FactorResult result = factor_in_order(problem);
  for (int round = 1; !is_order_proven_ && round < kOrderRounds; ++round) {
    if (!result.ok() || !find_wrongly_dropped(problem)) break;
    find_order(problem);
    result = factor_in_order(problem);
  }
  if (!is_order_proven_ && !KnownRedundancy::is_closed(problem.row_error)) prove_independence(problem);
  redundancy_.note(problem.row_error, result.ok() ? int(dropped_rows_.size()) : -1);
  is_order_proven_ = true;  // whatever came of it: later factors are functions of their numbers alone
  return result;
}

// Of a structure that was analysed where its joints are open, and whose pivots say nothing therefore.
void SparseSolver::prove_independence(const Problem& problem) {
  IndependentRows rows;
  rows.analyze(*problem.graph);
  if (rows.prove_where_closed(problem)) redundancy_.note_proof();
}

FactorResult SparseSolver::factor_in_order(const Problem& problem) {
  if (const int body = update_scale(problem); body >= 0) return {FactorStatus::not_positive, -1, body};
  FactorResult result;
  redundancy_.factor(std::min(problem.row_error, kLargestError), kLeastRowError, [&](double error) {
    error_ = error;
    result = factor_with_error(problem);
    return result.ok() ? int(dropped_rows_.size()) : -1;
  });
  return result;
}

FactorResult SparseSolver::factor_with_error(const Problem& problem) {
  std::fill(forced_.begin(), forced_.end(), 0.0);
  for (int round = 0;; ++round) {
    assemble(problem, 0.0, factor_);
    const int failed = factor_.factor(structure_, scale_, drop_threshold(error_), forced_);
    if (failed >= 0) return failure(failed);
    if (round == kDoubtRounds || !correct_a_decision(problem)) break;
  }
  dropped_rows_.clear();
  for (const int entry : factor_.dropped()) dropped_rows_.push_back(row_of_entry_[std::size_t(entry)]);
  return {};
}

void SparseSolver::gather(const Eigen::VectorXd& f, const Eigen::VectorXd& d, double* z) const {
  for (std::size_t e = 0; e < variable_.size(); ++e)
    z[e] = variable_[e] < num_x_ ? f[variable_[e]] : -d[variable_[e] - num_x_];
}

void SparseSolver::scatter(const double* z, Eigen::VectorXd& x, Eigen::VectorXd& lambda) const {
  for (std::size_t e = 0; e < variable_.size(); ++e)
    (variable_[e] < num_x_ ? x[variable_[e]] : lambda[variable_[e] - num_x_]) = z[e];
}

void SparseSolver::apply_inverse(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& x,
                                 Eigen::VectorXd& lambda) {
  gather(f, d, z_.data());
  factor_.solve(structure_, z_.data());
  scatter(z_.data(), x, lambda);
}

// Vectors that grow only: no allocation when the next graph is smaller.
void SparseSolver::clear_scratch(const Problem& problem) {
  const auto clear = [](Eigen::VectorXd& scratch, Eigen::Index size) {
    if (scratch.size() < size) scratch.resize(size);
    scratch.setZero();
  };
  for (Eigen::VectorXd* scratch : {&x_, &force_}) clear(*scratch, problem.graph->num_x());
  for (Eigen::VectorXd* scratch : {&rate_, &unit_, &lambda_}) clear(*scratch, problem.S.size());
}

FactorResult SparseSolver::solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                                 Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  x.resize(problem.graph->num_x());
  lambda.resize(problem.S.size());
  lambda.tail(problem.S.size() - problem.graph->num_rows()).setZero();
  apply_inverse(f, d, x, lambda);
  return {};
}

// Rows dropped although they are independent show themselves on right-hand sides that can be met: J x = J y.
bool SparseSolver::find_wrongly_dropped(const Problem& problem) {
  if (dropped_rows_.empty()) return false;
  const Graph& g = *problem.graph;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  clear_scratch(problem);
  for (int i = 0; i < g.num_x(); ++i) x_[i] = normal(random);
  add_J_times(problem, x_, rate_);
  apply_inverse(force_, rate_, x_, lambda_);
  const int m = g.num_rows();
  unit_.head(m) =
      problem.S.head(m).cwiseProduct(lambda_.head(m)) - rate_.head(m);  // what is left of the rows
  add_J_times(problem, x_, unit_);
  const double size = rate_.lpNorm<Eigen::Infinity>();
  bool found = false;
  for (const int row : dropped_rows_) {
    if (!(std::abs(unit_[row]) > kWrongDrop * size)) continue;
    const int c = find_block(g.row_offset, row);
    found = found || !late_[std::size_t(c)];
    late_[std::size_t(c)] = 1;
  }
  return found;
}

bool SparseSolver::rescue(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                          Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  const Eigen::Index n = x.size(), m = lambda.size();
  if (!is_regular_sized_) regular_.resize(structure_);
  is_regular_sized_ = true;
  assemble(problem, std::max(kRegularisation, drop_threshold(error_)), regular_);
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
