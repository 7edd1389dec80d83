#include "solve/auxiliary.h"

#include "solve/union_find.h"

#include <algorithm>

namespace catena::solve {
namespace {

constexpr int kLanes = 4;  // columns solved at a time
// Above this many rows the sums over shared paths cost more than full solves (measured on ladders).
constexpr int kPathRows = 64;

}  // namespace

// Touched panels are processed in ascending order; a heap holds those still to come.
void ResponseMatrix::sweep(const SparseSolver& primary, const SparseColumn& column, Path& out) {
  const SparseStructure& s = primary.structure();
  z_.resize(std::size_t(s.num_entries), 0.0);
  touched_.resize(s.panels.size(), 0);
  out.panels.clear();
  out.values.clear();
  heap_.clear();
  const auto later = std::greater<>();
  const auto touch = [&](int panel) {
    if (touched_[std::size_t(panel)]) return;
    touched_[std::size_t(panel)] = 1;
    heap_.push_back(panel);
    std::push_heap(heap_.begin(), heap_.end(), later);
  };
  for (std::size_t i = 0; i < column.index.size(); ++i) {
    const int entry = primary.entry_of(column.index[i]);
    z_[std::size_t(entry)] += column.value[i];
    touch(primary.panel_of_variable(column.index[i]));
  }
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const int p = heap_.back();
    heap_.pop_back();
    const Panel& panel = s.panels[std::size_t(p)];
    primary.factors().forward_panel(s, p, z_.data());
    for (int i = panel.row_begin; i < panel.row_end; ++i)
      touch(s.panel_of[std::size_t(s.rows[std::size_t(i)].position)]);
    out.panels.push_back(p);
    for (int i = 0; i < panel.width; ++i) out.values.push_back(z_[std::size_t(panel.entry + i)]);
  }
  for (const int p : out.panels) {
    const Panel& panel = s.panels[std::size_t(p)];
    touched_[std::size_t(p)] = 0;
    std::fill_n(z_.begin() + panel.entry, panel.width, 0.0);
  }
}

double ResponseMatrix::product(const SparseSolver& primary, const Path& a, const Path& b) {
  const SparseStructure& s = primary.structure();
  double sum = 0.0;
  std::size_t i = 0, j = 0;
  const double *x = a.values.data(), *y = b.values.data();
  while (i < a.panels.size() && j < b.panels.size()) {
    const int p = a.panels[i], q = b.panels[j];
    const Panel& panel = s.panels[std::size_t(std::min(p, q))];
    if (p == q)
      for (int k = 0; k < panel.width; ++k)
        sum += x[k] * primary.factors().inverse_pivot(panel.entry + k) * y[k];
    if (p <= q) {
      x += panel.width;
      ++i;
    }
    if (q <= p) {
      y += panel.width;
      ++j;
    }
  }
  return sum;
}

double ResponseMatrix::product(const SparseSolver& primary, const Path& a, const double* z) {
  const SparseStructure& s = primary.structure();
  double sum = 0.0;
  const double* x = a.values.data();
  for (const int p : a.panels) {
    const Panel& panel = s.panels[std::size_t(p)];
    for (int k = 0; k < panel.width; ++k)
      sum += x[k] * primary.factors().inverse_pivot(panel.entry + k) * z[panel.entry + k];
    x += panel.width;
  }
  return sum;
}

void ResponseMatrix::compute(const SparseSolver& primary, const std::vector<SparseColumn>& J_a,
                             const std::vector<SparseColumn>& K, bool symmetric, ResponseMethod method,
                             Eigen::MatrixXd& G) {
  const int k = int(J_a.size());
  G.resize(k, k);
  switch (method) {
    case ResponseMethod::path:
      return by_paths(primary, J_a, K, symmetric, G);
    case ResponseMethod::solves:
      return by_solves(primary, J_a, symmetric ? J_a : K, G);
    case ResponseMethod::rosenthal:
      return by_full_sweeps(primary, J_a, K, symmetric, G);
    case ResponseMethod::literal:
      return literally(primary, J_a, symmetric ? J_a : K, G);
  }
}

void ResponseMatrix::by_paths(const SparseSolver& primary, const std::vector<SparseColumn>& J_a,
                              const std::vector<SparseColumn>& K, bool symmetric, Eigen::MatrixXd& G) {
  const std::size_t k = J_a.size();
  paths_J_.resize(k);
  for (std::size_t r = 0; r < k; ++r) sweep(primary, J_a[r], paths_J_[r]);
  if (symmetric) {
    for (std::size_t r = 0; r < k; ++r)
      for (std::size_t s = 0; s <= r; ++s)
        G(Eigen::Index(r), Eigen::Index(s)) = G(Eigen::Index(s), Eigen::Index(r)) =
            product(primary, paths_J_[r], paths_J_[s]);
    return;
  }
  paths_K_.resize(k);
  for (std::size_t s = 0; s < k; ++s) sweep(primary, K[s], paths_K_[s]);
  for (std::size_t r = 0; r < k; ++r)
    for (std::size_t s = 0; s < k; ++s)
      G(Eigen::Index(r), Eigen::Index(s)) = product(primary, paths_J_[r], paths_K_[s]);
}

void ResponseMatrix::by_solves(const SparseSolver& primary, const std::vector<SparseColumn>& J_a,
                               const std::vector<SparseColumn>& K, Eigen::MatrixXd& G) {
  const SparseStructure& s = primary.structure();
  const int k = int(J_a.size());
  lanes_.assign(std::size_t(s.num_entries) * kLanes, 0.0);
  for (int first = 0; first < k; first += kLanes) {
    const int count = std::min(kLanes, k - first);
    std::fill(lanes_.begin(), lanes_.end(), 0.0);
    for (int lane = 0; lane < count; ++lane) {
      const SparseColumn& column = K[std::size_t(first + lane)];
      for (std::size_t i = 0; i < column.index.size(); ++i)
        lanes_[std::size_t(primary.entry_of(column.index[i])) * kLanes + std::size_t(lane)] +=
            column.value[i];
    }
    primary.factors().solve<kLanes>(s, lanes_.data());
    for (int r = 0; r < k; ++r) {
      const SparseColumn& row = J_a[std::size_t(r)];
      double sum[kLanes] = {};
      for (std::size_t i = 0; i < row.index.size(); ++i) {
        const double* x = lanes_.data() + std::size_t(primary.entry_of(row.index[i])) * kLanes;
        for (int lane = 0; lane < kLanes; ++lane) sum[lane] += row.value[i] * x[lane];
      }
      for (int lane = 0; lane < count; ++lane) G(r, first + lane) = sum[lane];
    }
  }
}

void ResponseMatrix::by_full_sweeps(const SparseSolver& primary, const std::vector<SparseColumn>& J_a,
                                    const std::vector<SparseColumn>& K, bool symmetric, Eigen::MatrixXd& G) {
  const SparseStructure& s = primary.structure();
  const auto sweep_all = [&](const std::vector<SparseColumn>& columns) {
    Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(s.num_entries, Eigen::Index(columns.size()));
    for (std::size_t c = 0; c < columns.size(); ++c) {
      double* y = Y.col(Eigen::Index(c)).data();
      for (std::size_t i = 0; i < columns[c].index.size(); ++i)
        y[primary.entry_of(columns[c].index[i])] += columns[c].value[i];
      primary.factors().forward(s, y);
    }
    return Y;
  };
  const Eigen::MatrixXd Y_J = sweep_all(J_a);
  Eigen::MatrixXd scaled = symmetric ? Y_J : sweep_all(K);
  for (int i = 0; i < s.num_entries; ++i) scaled.row(i) *= primary.factors().inverse_pivot(i);
  G.noalias() = Y_J.transpose() * scaled;
}

// As printed: every column is solved completely.
void ResponseMatrix::literally(const SparseSolver& primary, const std::vector<SparseColumn>& J_a,
                               const std::vector<SparseColumn>& K, Eigen::MatrixXd& G) {
  const SparseStructure& s = primary.structure();
  const int k = int(J_a.size());
  z_.assign(std::size_t(s.num_entries), 0.0);
  for (int column = 0; column < k; ++column) {
    std::fill(z_.begin(), z_.end(), 0.0);
    const SparseColumn& force = K[std::size_t(column)];
    for (std::size_t i = 0; i < force.index.size(); ++i)
      z_[std::size_t(primary.entry_of(force.index[i]))] += force.value[i];
    primary.factors().solve(s, z_.data());
    for (int r = 0; r < k; ++r) {
      const SparseColumn& row = J_a[std::size_t(r)];
      double sum = 0.0;
      for (std::size_t i = 0; i < row.index.size(); ++i)
        sum += row.value[i] * z_[std::size_t(primary.entry_of(row.index[i]))];
      G(r, column) = sum;
    }
  }
  std::fill(z_.begin(), z_.end(), 0.0);
}

// A constraint is primary unless it closes a cycle of bodies and constraints.
void AuxiliarySolver::choose_primaries(const Problem& problem) {
  const Graph& g = *problem.graph;
  primary_constraints_.clear();
  auxiliary_constraints_.clear();
  UnionFind components(g.num_bodies() + g.num_constraints());
  for (int c = 0; c < g.num_constraints(); ++c) {
    bool closes = false;
    for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1]; ++e)
      for (int other = e + 1; other < g.edge_begin[c + 1]; ++other)
        closes = closes || components.find(g.edges[e].body) == components.find(g.edges[other].body);
    (closes ? auxiliary_constraints_ : primary_constraints_).push_back(c);
    if (closes) continue;
    for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1]; ++e)
      components.join(g.edges[e].body, g.num_bodies() + c);
  }
}

Refusal AuxiliarySolver::analyze(const Problem& problem) {
  const Graph& g = *problem.graph;
  if (const char* why = refuse_links(g)) return {why, -1};
  choose_primaries(problem);
  GraphBuilder builder;
  for (const int dim : g.dims) builder.add_body(dim);
  for (const int c : primary_constraints_) {
    std::vector<int> bodies;
    for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1]; ++e) bodies.push_back(g.edges[e].body);
    builder.add_constraint(g.rows[c], bodies);
  }
  graph_ = builder.finish();
  primary_problem_.resize(graph_);
  rows_.clear();
  columns_.clear();
  for (const int c : auxiliary_constraints_)
    for (int i = 0; i < g.rows[c]; ++i) {
      rows_.push_back(g.row_offset[c] + i);
      SparseColumn column;
      for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1]; ++e)
        for (int j = 0; j < g.dims[g.edges[e].body]; ++j)
          column.index.push_back(g.body_offset[g.edges[e].body] + j);
      column.value.assign(column.index.size(), 0.0);
      columns_.push_back(std::move(column));
    }
  copy_primary_numbers(problem);
  return primary_.analyze(primary_problem_);
}

void AuxiliarySolver::copy_primary_numbers(const Problem& problem) {
  const Graph& g = *problem.graph;
  primary_problem_.M = problem.M;
  primary_problem_.drift = problem.drift;
  int row = 0, offset = 0;
  for (const int c : primary_constraints_) {
    primary_problem_.S.segment(row, g.rows[c]) = problem.S.segment(g.row_offset[c], g.rows[c]);
    row += g.rows[c];
    for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1]; ++e) {
      const int size = g.rows[c] * g.dims[g.edges[e].body];
      primary_problem_.J.segment(offset, size) = problem.J.segment(g.edges[e].offset, size);
      offset += size;
    }
  }
  std::size_t k = 0;
  for (const int c : auxiliary_constraints_)
    for (int i = 0; i < g.rows[c]; ++i, ++k) {
      std::size_t at = 0;
      for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1]; ++e) {
        const int dim = g.dims[g.edges[e].body];
        for (int j = 0; j < dim; ++j) columns_[k].value[at++] = problem.J[g.edges[e].offset + i * dim + j];
      }
    }
}

FactorResult AuxiliarySolver::factor(const Problem& problem) {
  copy_primary_numbers(problem);
  const FactorResult result = primary_.factor(primary_problem_);
  if (result.status == FactorStatus::singular)
    return {result.status, primary_constraints_[std::size_t(result.constraint)], -1};
  if (!result.ok()) return result;
  const Graph& g = *problem.graph;
  dropped_rows_.clear();
  const int k = num_auxiliary_rows();
  response_.compute(primary_, columns_, columns_, true,
                    k <= kPathRows ? ResponseMethod::path : ResponseMethod::solves, G_);
  row_weights(problem, weights_);
  scale_.resize(k);
  for (int r = 0; r < k; ++r) {
    const int row = rows_[std::size_t(r)];
    G_(r, r) += problem.S[row];
    scale_[r] = weights_[row] + problem.S[row];
  }
  factor_.factor(G_, scale_, primary_.drop_threshold(problem));
  for (int i = factor_.rank(); i < k; ++i)
    dropped_rows_.push_back(rows_[std::size_t(factor_.order()[std::size_t(i)])]);
  for (const int row : primary_.dropped_rows()) {
    const int c = find_block(graph_.row_offset, row);
    dropped_rows_.push_back(g.row_offset[primary_constraints_[std::size_t(c)]] + row - graph_.row_offset[c]);
  }
  std::sort(dropped_rows_.begin(), dropped_rows_.end());
  return {};
}

const Eigen::MatrixXd& AuxiliarySolver::compute_response(ResponseMethod method) {
  response_.compute(primary_, columns_, columns_, true, method, G_);
  return G_;
}

// (3): J_a x_0 from the forward pass alone, the forces of μ added to it, one backward pass.
void AuxiliarySolver::solve_along_paths(const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                                        Eigen::VectorXd& x) {
  const SparseStructure& s = primary_.structure();
  const std::vector<ResponseMatrix::Path>& paths = response_.paths();
  z_.resize(std::size_t(s.num_entries));
  primary_.gather(f, d_primary_, z_.data());
  primary_.factors().forward(s, z_.data());
  for (std::size_t r = 0; r < paths.size(); ++r)
    mu_[Eigen::Index(r)] = d[rows_[r]] - ResponseMatrix::product(primary_, paths[r], z_.data());
  factor_.solve(mu_);
  for (std::size_t r = 0; r < paths.size(); ++r) {
    const double* y = paths[r].values.data();
    for (const int p : paths[r].panels) {
      const Panel& panel = s.panels[std::size_t(p)];
      for (int i = 0; i < panel.width; ++i) z_[std::size_t(panel.entry + i)] += mu_[Eigen::Index(r)] * *y++;
    }
  }
  primary_.factors().backward(s, z_.data());
  x.resize(graph_.num_x());
  lambda_primary_.resize(graph_.num_rows());
  primary_.scatter(z_.data(), x, lambda_primary_);
}

// The same without paths: x_0 by one solve, the answer by a second one with the forces of μ.
void AuxiliarySolver::solve_twice(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& x) {
  (void)primary_.solve(primary_problem_, f, d_primary_, x, lambda_primary_);
  for (std::size_t r = 0; r < columns_.size(); ++r) {
    double rate = 0.0;
    for (std::size_t i = 0; i < columns_[r].index.size(); ++i)
      rate += columns_[r].value[i] * x[columns_[r].index[i]];
    mu_[Eigen::Index(r)] = d[rows_[r]] - rate;
  }
  factor_.solve(mu_);
  force_ = f;
  for (std::size_t r = 0; r < columns_.size(); ++r)
    for (std::size_t i = 0; i < columns_[r].index.size(); ++i)
      force_[columns_[r].index[i]] += columns_[r].value[i] * mu_[Eigen::Index(r)];
  (void)primary_.solve(primary_problem_, force_, d_primary_, x, lambda_primary_);
}

FactorResult AuxiliarySolver::solve(const Problem& problem, const Eigen::VectorXd& f,
                                    const Eigen::VectorXd& d, Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  const Graph& g = *problem.graph;
  const int k = num_auxiliary_rows();
  d_primary_.resize(graph_.num_rows());
  int row = 0;
  for (const int c : primary_constraints_) {
    d_primary_.segment(row, g.rows[c]) = d.segment(g.row_offset[c], g.rows[c]);
    row += g.rows[c];
  }
  mu_.resize(k);
  if (k <= kPathRows)
    solve_along_paths(f, d, x);
  else
    solve_twice(f, d, x);
  lambda.resize(g.num_rows());
  row = 0;
  for (const int c : primary_constraints_) {
    lambda.segment(g.row_offset[c], g.rows[c]) = lambda_primary_.segment(row, g.rows[c]);
    row += g.rows[c];
  }
  for (int r = 0; r < k; ++r) lambda[rows_[std::size_t(r)]] = mu_[r];
  return {};
}

std::unique_ptr<EqualitySolver> make_auxiliary_solver() {
  return std::make_unique<AuxiliarySolver>();
}

}  // namespace catena::solve
