#include "solve/auxiliary.h"

#include "solve/sparse.h"
#include "solve/union_find.h"

#include <algorithm>

namespace catena::solve {

AuxiliarySolver::AuxiliarySolver() : rule_(Rule::cycles_and_directions) {
  auto sparse = std::make_unique<SparseSolver>();
  sparse_ = sparse.get();
  primary_ = std::move(sparse);
}

AuxiliarySolver::AuxiliarySolver(std::unique_ptr<EqualitySolver> primary, Rule rule)
    : rule_(rule), primary_(std::move(primary)) {}

// What stands on the primary factor is set anew by factor().
AuxiliarySolver::AuxiliarySolver(const AuxiliarySolver& other)
    : rule_(other.rule_),
      primary_(other.primary_->clone()),
      sparse_(other.sparse_ != nullptr ? static_cast<const SparseSolver*>(primary_.get()) : nullptr),
      graph_(other.graph_),
      primary_problem_(other.primary_problem_),
      primary_constraints_(other.primary_constraints_),
      auxiliary_constraints_(other.auxiliary_constraints_),
      rows_(other.rows_),
      primary_rows_(other.primary_rows_),
      redundancy_(other.redundancy_),
      mu_(other.mu_) {}

// A constraint is primary unless it has directions of its own, or closes a cycle of bodies and constraints where that matters.
void AuxiliarySolver::choose_primaries(const Graph& g) {
  primary_constraints_.clear();
  auxiliary_constraints_.clear();
  UnionFind components(g.num_bodies() + g.num_constraints());
  for (int c = 0; c < g.num_constraints(); ++c) {
    bool is_auxiliary = g.own_direction[c] != 0;
    for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1] && rule_ == Rule::cycles_and_directions; ++e)
      for (int other = e + 1; other < g.edge_begin[c + 1]; ++other)
        is_auxiliary =
            is_auxiliary || components.find(g.edges[e].body) == components.find(g.edges[other].body);
    (is_auxiliary ? auxiliary_constraints_ : primary_constraints_).push_back(c);
    if (is_auxiliary) continue;
    for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1]; ++e)
      components.join(g.edges[e].body, g.num_bodies() + c);
  }
}

void AuxiliarySolver::build_primary_graph(const Problem& problem) {
  const Graph& g = *problem.graph;
  GraphBuilder builder;
  for (const int dim : g.dims) builder.add_body(dim);
  for (const int c : primary_constraints_) {
    std::vector<int> bodies;
    for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1]; ++e) bodies.push_back(g.edges[e].body);
    builder.add_constraint(g.rows[c], bodies);
  }
  for (const Link& link : g.links) builder.add_link(link.a, link.b);
  graph_ = std::make_shared<const Graph>(builder.finish());
  primary_problem_.resize(
      *graph_, problem.is_symmetric ? Problem::Symmetry::symmetric : Problem::Symmetry::unsymmetric);
}

Refusal AuxiliarySolver::analyze(const Problem& problem) {
  const Graph& g = *problem.graph;
  const bool is_default = rule_ == Rule::cycles_and_directions;
  if (Refusal refusal =
          refuse_unless(problem, {.links = !is_default, .unsymmetric = !is_default, .own_directions = true});
      refusal.refused())
    return refusal;
  choose_primaries(g);
  build_primary_graph(problem);
  const auto list_rows = [&](const std::vector<int>& listed, std::vector<int>& rows) {
    rows.clear();
    for (const int c : listed)
      for (int i = 0; i < g.rows[c]; ++i) rows.push_back(g.row_offset[c] + i);
  };
  list_rows(auxiliary_constraints_, rows_);
  list_rows(primary_constraints_, primary_rows_);
  mu_.setZero(num_auxiliary_rows());
  redundancy_.forget();
  copy_primary_numbers(problem);
  return primary_->analyze(primary_problem_);
}

void AuxiliarySolver::copy_primary_numbers(const Problem& problem) {
  const Graph& g = *problem.graph;
  primary_problem_.M = problem.M;
  primary_problem_.links = problem.links;
  primary_problem_.lower = problem.lower;
  primary_problem_.row_error = problem.row_error;
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
}

void AuxiliarySolver::set_rows(const Problem& problem) {
  const Graph& g = *problem.graph;
  extra_.begin(*primary_, primary_problem_);
  for (const int c : auxiliary_constraints_)
    for (int i = 0; i < g.rows[c]; ++i) {
      extra_.add_row(0.0, problem.S[g.row_offset[c] + i]);
      for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1]; ++e) {
        const Edge& edge = g.edges[e];
        const int row = i * g.dims[edge.body];
        extra_.add_part(edge.body, problem.J.data() + edge.offset + row);
        if (g.own_direction[c] != 0) extra_.add_direction(edge.body, problem.K.data() + edge.offset + row);
      }
    }
}

int AuxiliarySolver::whole_row(int primary_row) const {
  return primary_row < 0 ? -1 : primary_rows_[std::size_t(primary_row)];
}

void AuxiliarySolver::list_dropped_rows() {
  dropped_rows_.clear();
  for (const int r : extra_.dropped_rows()) dropped_rows_.push_back(rows_[std::size_t(r)]);
  for (const int row : primary_->dropped_rows()) dropped_rows_.push_back(whole_row(row));
  std::sort(dropped_rows_.begin(), dropped_rows_.end());
}

FactorResult AuxiliarySolver::factor(const Problem& problem) {
  copy_primary_numbers(problem);
  FactorResult result = primary_->factor(primary_problem_);
  if (result.constraint >= 0) result.constraint = primary_constraints_[std::size_t(result.constraint)];
  if (!result.ok()) return result;
  set_rows(problem);
  redundancy_.factor(problem.row_error, SparseSolver::kLeastRowError, [&](double error) {
    result = extra_.factor(SparseSolver::drop_threshold(error));
    return result.ok() ? int(extra_.dropped_rows().size()) : -1;
  });
  redundancy_.note(problem.row_error, result.ok() ? int(extra_.dropped_rows().size()) : -1);
  list_dropped_rows();
  return result;
}

PivotSigns AuxiliarySolver::pivot_signs(const Problem& problem) {
  const bool is_positive = problem.is_symmetric && problem.graph->num_own_directions == 0;
  return is_positive ? EqualitySolver::pivot_signs(problem) : extra_.pivot_signs();
}

FactorResult AuxiliarySolver::solve(const Problem& problem, const Eigen::VectorXd& f,
                                    const Eigen::VectorXd& d, Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  const Graph& g = *problem.graph;
  d_primary_.resize(graph_->num_rows());
  int row = 0;
  for (const int c : primary_constraints_) {
    d_primary_.segment(row, g.rows[c]) = d.segment(g.row_offset[c], g.rows[c]);
    row += g.rows[c];
  }
  for (int r = 0; r < num_auxiliary_rows(); ++r) extra_.set_right_side(r, d[rows_[std::size_t(r)]]);
  const FactorResult result = extra_.solve_free(f, d_primary_, x, lambda_primary_);
  if (!result.ok()) return result;
  extra_.solve(x, lambda_primary_, mu_);
  lambda.resize(g.num_rows());
  row = 0;
  for (const int c : primary_constraints_) {
    lambda.segment(g.row_offset[c], g.rows[c]) = lambda_primary_.segment(row, g.rows[c]);
    row += g.rows[c];
  }
  for (int r = 0; r < num_auxiliary_rows(); ++r) lambda[rows_[std::size_t(r)]] = mu_[r];
  return {};
}

const Eigen::MatrixXd& AuxiliarySolver::compute_response(ResponseMethod method) {
  if (method == ResponseMethod::path) {
    extra_.forget_response();
    G_ = extra_.response();
  } else {
    compute_response_by_solves(*sparse_, extra_.all_rows(), extra_.all_directions(), method, G_);
  }
  return G_;
}

std::unique_ptr<EqualitySolver> make_auxiliary_solver() {
  return std::make_unique<AuxiliarySolver>();
}

std::unique_ptr<EqualitySolver> make_ldu_solver_for(const Graph& g) {
  if (g.num_own_directions == 0) return make_ldu_solver();
  return std::make_unique<AuxiliarySolver>(make_ldu_solver(), AuxiliarySolver::Rule::directions);
}

}  // namespace catena::solve
