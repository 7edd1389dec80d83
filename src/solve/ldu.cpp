#include "solve/ldu.h"

#include "solve/block_rank.h"
#include "solve/elimination_steps.h"
#include "solve/grouping.h"
#include "solve/ldu_core.h"
#include "solve/ldu_leaf.h"

#include <algorithm>

namespace catena::solve {
namespace {

using ConstRows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// Whether the rows without compliance are independent on this body alone.
bool holds_body(const Problem& p, int constraint, const Edge& edge, std::vector<double>& scratch) {
  const Graph& g = *p.graph;
  const int rows = g.rows[std::size_t(constraint)], dim = g.dims[std::size_t(edge.body)];
  scratch.clear();
  for (int r = 0; r < rows; ++r) {
    const double* row = p.J.data() + edge.offset + r * dim;
    if (p.S[g.row_offset[std::size_t(constraint)] + r] == 0.0) scratch.insert(scratch.end(), row, row + dim);
  }
  return has_full_row_rank(scratch.data(), int(scratch.size()) / dim, dim);
}

class LduSolver final : public EqualitySolver, private SteppedFactor {
 public:
  std::unique_ptr<EqualitySolver> clone() const override { return std::make_unique<LduSolver>(*this); }
  Refusal analyze(const Problem& problem) override;
  FactorResult factor(const Problem& problem) override;
  FactorResult solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                     Eigen::VectorXd& x, Eigen::VectorXd& lambda) override;
  PivotSigns pivot_signs(const Problem& problem) override {
    const int surplus = negative_bodies_ - negative_constraints_;
    return {problem.graph->num_x() - surplus, problem.graph->num_rows() + surplus, 0};
  }

  SteppedFactor* stepped() override { return this; }

 private:
  const EliminationSteps& steps() const override { return elimination_; }
  void forward(const Problem& problem, int step, double* z) override;
  void backward(const Problem& problem, int step, double* z) override;
  void list_steps(const Graph& g);

  /// A constraint on one body that consists of springs: (3) of ldu.h.
  struct Absorbed {
    int edge = 0, rows = 0, dim = 0, row = 0, D = 0, entry = 0, J = 0;
  };
  void absorb_springs(const Problem& problem);
  void find_leaves(const Problem& problem);
  bool make_leaf(const Problem& problem, int body, LduLeaf& leaf);

  std::vector<Absorbed> absorbed_;
  std::vector<LduLeaf> leaves_;
  LduCore core_;
  EliminationSteps elimination_;  // leaves, then the nodes of the core
  int listed_order_ = 0;          // of the core
  Eigen::VectorXd D_;
  Eigen::VectorXd values_;  // aligned, so that sums do not depend on where it lies
  int negative_bodies_ = 0, negative_constraints_ = 0;  // pivots of the other sign than M and -S have

  // of analyze()
  std::vector<char> body_left_, constraint_left_;
  Grouping edges_of_body_, links_of_body_;
  std::vector<int> num_holding_;  // per body: constraints left
  std::vector<int> parents_;      // to be looked at before the next body in their order
  std::vector<double> rigid_rows_;
};

void LduSolver::absorb_springs(const Problem& problem) {
  const Graph& g = *problem.graph;
  for (int c = 0; c < g.num_constraints(); ++c) {
    const auto i = std::size_t(c);
    const bool one_body = g.edge_begin[i + 1] - g.edge_begin[i] == 1;
    if (!one_body || !(problem.S.segment(g.row_offset[i], g.rows[i]).minCoeff() > 0.0)) continue;
    const Edge& edge = g.edges[std::size_t(g.edge_begin[i])];
    const auto b = std::size_t(edge.body);
    absorbed_.push_back({g.edge_begin[i], g.rows[i], g.dims[b], g.row_offset[i], g.mass_offset[b],
                         g.body_offset[b], edge.offset});
    constraint_left_[i] = 0;
  }
}

bool LduSolver::make_leaf(const Problem& problem, int body, LduLeaf& leaf) {
  const Graph& g = *problem.graph;
  const auto b = std::size_t(body);
  if (num_holding_[b] > 1) return false;
  leaf = {};
  leaf.body = body;
  leaf.dim = g.dims[b];
  leaf.D = g.mass_offset[b];
  leaf.entry = g.body_offset[b];
  const Edge* holding = nullptr;
  for (const int e : edges_of_body_[body]) {
    const Edge& edge = g.edges[std::size_t(e)];
    if (constraint_left_[std::size_t(edge.constraint)] != 0) holding = &edge;
  }
  if (holding != nullptr) {
    const auto c = std::size_t(holding->constraint);
    leaf.constraint = holding->constraint;
    leaf.rows = g.rows[c];
    leaf.row = g.row_offset[c];
    leaf.J = holding->offset;
    for (int e = g.edge_begin[c]; e < g.edge_begin[c + 1]; ++e) {
      const Edge& edge = g.edges[std::size_t(e)];
      if (edge.body == body) continue;
      if (leaf.parent >= 0) return false;  // three bodies
      const auto p = std::size_t(edge.body);
      leaf.parent = edge.body;
      leaf.parent_dim = g.dims[p];
      leaf.parent_D = g.mass_offset[p];
      leaf.parent_entry = g.body_offset[p];
      leaf.parent_J = edge.offset;
    }
    if (!holds_body(problem, leaf.constraint, *holding, rigid_rows_)) return false;
  }
  for (const int l : links_of_body_[body]) {
    const Link& link = g.links[std::size_t(l)];
    const int other = link.a == body ? link.b : link.a;
    if (body_left_[std::size_t(other)] == 0) continue;
    if (other != leaf.parent) return false;
    leaf.link = link.offset;
    leaf.link_from_body = link.a == body;
  }
  return true;
}

void LduSolver::find_leaves(const Problem& problem) {
  const Graph& g = *problem.graph;
  parents_.clear();
  num_holding_.assign(g.dims.size(), 0);
  for (const Edge& edge : g.edges)
    num_holding_[std::size_t(edge.body)] += constraint_left_[std::size_t(edge.constraint)];
  for (int next = 0; next < g.num_bodies() || !parents_.empty();) {
    int body = next;
    if (parents_.empty()) {
      ++next;
    } else {
      body = parents_.back();
      parents_.pop_back();
    }
    LduLeaf leaf;
    if (body_left_[std::size_t(body)] == 0 || !make_leaf(problem, body, leaf)) continue;
    body_left_[std::size_t(body)] = 0;
    if (leaf.constraint >= 0) constraint_left_[std::size_t(leaf.constraint)] = 0;
    if (leaf.parent >= 0) {
      --num_holding_[std::size_t(leaf.parent)];
      parents_.push_back(leaf.parent);
    }
    leaves_.push_back(leaf);
  }
}

Refusal LduSolver::analyze(const Problem& problem) {
  const Graph& g = *problem.graph;
  if (Refusal refusal = refuse_unless(problem, {.links = true, .unsymmetric = true}); refusal.refused())
    return refusal;
  if (problem.is_symmetric && !g.links.empty())
    return {"has links with one block, where this solver needs both", -1, Obstacle::links};
  absorbed_.clear();
  leaves_.clear();
  body_left_.assign(g.dims.size(), 1);
  constraint_left_.assign(g.rows.size(), 1);
  edges_of_body_.build(g.num_bodies(), [&](auto add) {
    for (std::size_t e = 0; e < g.edges.size(); ++e) add(g.edges[e].body, int(e));
  });
  links_of_body_.build(g.num_bodies(), [&](auto add) {
    for (std::size_t l = 0; l < g.links.size(); ++l) {
      add(g.links[l].a, int(l));
      add(g.links[l].b, int(l));
    }
  });
  absorb_springs(problem);
  find_leaves(problem);
  core_.analyze(problem, body_left_, constraint_left_);
  std::ptrdiff_t size = 0;
  for (LduLeaf& leaf : leaves_) {
    leaf.values = size;
    size += leaf_size(leaf);
  }
  if (values_.size() < size) values_.setZero(size);
  D_ = problem.M;
  list_steps(g);
  return {};
}

void LduSolver::list_steps(const Graph& g) {
  elimination_.reset(g);
  listed_order_ = core_.num_orders();
  for (const LduLeaf& leaf : leaves_) {
    elimination_.add_step();
    elimination_.add_body(g, leaf.body);
    if (leaf.constraint >= 0) elimination_.add_constraint(g, leaf.constraint);
  }
  for (int k = 0; k < core_.panels().num_nodes(); ++k) {
    elimination_.add_step();
    if (core_.panels().is_constraint(k))
      elimination_.add_constraint(g, core_.panels().index_of(k));
    else
      elimination_.add_body(g, core_.panels().index_of(k));
  }
  for (std::size_t k = 0; k < leaves_.size(); ++k)
    if (leaves_[k].parent >= 0)
      elimination_.parent[k] = elimination_.step_of_body[std::size_t(leaves_[k].parent)];
  for (int k = 0; k < core_.panels().num_nodes(); ++k)
    if (const int parent = core_.panels().parent(k); parent >= 0)
      elimination_.parent[leaves_.size() + std::size_t(k)] = int(leaves_.size()) + parent;
}

// Springs absorbed in bodies have no part in this: with d = 0 they add nothing on the way in, and their multipliers are not asked for.
void LduSolver::forward(const Problem& problem, int step, double* z) {
  double* lambda = z + problem.graph->num_x();
  if (step < int(leaves_.size()))
    leaf_forward(problem, leaves_[std::size_t(step)], D_.data(), values_.data(), z, lambda);
  else
    core_.panels().forward(step - int(leaves_.size()), z, lambda);
}

void LduSolver::backward(const Problem& problem, int step, double* z) {
  double* lambda = z + problem.graph->num_x();
  if (step < int(leaves_.size()))
    leaf_backward(leaves_[std::size_t(step)], values_.data(), z, lambda);
  else
    core_.panels().backward(step - int(leaves_.size()), z, lambda);
}

FactorResult LduSolver::factor(const Problem& problem) {
  D_ = problem.M;
  negative_bodies_ = negative_constraints_ = 0;
  for (const Absorbed& a : absorbed_) {
    Eigen::Map<Eigen::MatrixXd> block(D_.data() + a.D, a.dim, a.dim);
    const ConstRows J(problem.J.data() + a.J, a.rows, a.dim);
    for (int r = 0; r < a.rows; ++r)
      block.noalias() += (1.0 / problem.S[a.row + r]) * J.row(r).transpose().lazyProduct(J.row(r));
  }
  for (const LduLeaf& leaf : leaves_)
    if (!eliminate_leaf(problem, leaf, D_.data(), values_.data(), negative_bodies_, negative_constraints_)) {
      core_.settle();
      return {FactorStatus::singular, leaf.constraint, leaf.body};
    }
  if (core_.is_empty()) return {};
  const FactorResult result = core_.factor(problem, D_);
  negative_bodies_ += core_.panels().negative_bodies();
  negative_constraints_ += core_.panels().negative_constraints();
  if (core_.num_orders() != listed_order_) list_steps(*problem.graph);
  return result;
}

FactorResult LduSolver::solve(const Problem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& d,
                              Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  x = f;
  lambda = -d;
  // λ = S⁻¹(d - J x): f ← f + JᵀS⁻¹d on the way in, λ on the way out
  for (const Absorbed& a : absorbed_) {
    const ConstRows J(problem.J.data() + a.J, a.rows, a.dim);
    for (int r = 0; r < a.rows; ++r)
      x.segment(a.entry, a.dim) -= (lambda[a.row + r] / problem.S[a.row + r]) * J.row(r).transpose();
  }
  for (const LduLeaf& leaf : leaves_)
    leaf_forward(problem, leaf, D_.data(), values_.data(), x.data(), lambda.data());
  if (!core_.is_empty()) core_.panels().solve(x.data(), lambda.data());
  for (std::size_t k = leaves_.size(); k-- > 0;)
    leaf_backward(leaves_[k], values_.data(), x.data(), lambda.data());
  for (const Absorbed& a : absorbed_) {
    const ConstRows J(problem.J.data() + a.J, a.rows, a.dim);
    for (int r = 0; r < a.rows; ++r)
      lambda[a.row + r] =
          -(lambda[a.row + r] + J.row(r).dot(x.segment(a.entry, a.dim))) / problem.S[a.row + r];
  }
  return {};
}

}  // namespace

std::unique_ptr<EqualitySolver> make_ldu_solver() {
  return std::make_unique<LduSolver>();
}

}  // namespace catena::solve
