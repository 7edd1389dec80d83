#include "solve/ldu.h"

#include "solve/ldu_core.h"
#include "solve/ldu_leaf.h"

#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <deque>

namespace catena::solve {
namespace {

using ConstDense = Eigen::Map<const Eigen::MatrixXd>;
using ConstRows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

constexpr double kIndependentRows = 1e-8;  // smallest to largest pivot of rigid rows that counts as full rank

/// Whether the rows without compliance are independent on this body alone.
bool holds_body(const LduProblem& p, int constraint, const Edge& edge) {
  const Graph& g = *p.graph;
  const int rows = g.rows[std::size_t(constraint)], dim = g.dims[std::size_t(edge.body)];
  Eigen::MatrixXd rigid(dim, rows);
  int count = 0;
  for (int r = 0; r < rows; ++r)
    if (p.S[g.row_offset[std::size_t(constraint)] + r] == 0.0)
      rigid.col(count++) = ConstRows(p.J.data() + edge.offset, rows, dim).row(r).transpose();
  if (count == 0) return true;
  if (count > dim) return false;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(kIndependentRows);
  qr.compute(rigid.leftCols(count));
  return qr.rank() == count;
}

class TreeLdu final : public LduSolver {
 public:
  void analyze(const LduProblem& problem) override;
  FactorResult factor(const LduProblem& problem) override;
  void solve(const LduProblem& problem, Eigen::VectorXd& x, Eigen::VectorXd& lambda) override;
  bool has_right_signs() const override { return negative_bodies_ == negative_constraints_; }

 private:
  /// A constraint on one body that consists of springs: (3) of ldu.h.
  struct Absorbed {
    int edge = 0, rows = 0, dim = 0, row = 0, D = 0, entry = 0, J = 0;
  };
  void absorb_springs(const LduProblem& problem);
  void find_leaves(const LduProblem& problem);
  bool make_leaf(const LduProblem& problem, int body, LduLeaf& leaf) const;

  std::vector<Absorbed> absorbed_;
  std::vector<LduLeaf> leaves_;
  LduCore core_;
  Eigen::VectorXd D_;
  Eigen::VectorXd values_;  // aligned, so that sums do not depend on where it lies
  int negative_bodies_ = 0, negative_constraints_ = 0;

  // of analyze()
  std::vector<char> body_left_, constraint_left_;
  std::vector<std::vector<int>> edges_of_body_, links_of_body_;
};

void TreeLdu::absorb_springs(const LduProblem& problem) {
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

bool TreeLdu::make_leaf(const LduProblem& problem, int body, LduLeaf& leaf) const {
  const Graph& g = *problem.graph;
  const auto b = std::size_t(body);
  leaf = {};
  leaf.body = body;
  leaf.dim = g.dims[b];
  leaf.D = g.mass_offset[b];
  leaf.entry = g.body_offset[b];
  const Edge* holding = nullptr;
  for (const int e : edges_of_body_[b]) {
    const Edge& edge = g.edges[std::size_t(e)];
    if (constraint_left_[std::size_t(edge.constraint)] == 0) continue;
    if (holding != nullptr) return false;
    holding = &edge;
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
    if (!holds_body(problem, leaf.constraint, *holding)) return false;
  }
  for (const int l : links_of_body_[b]) {
    const Link& link = g.links[std::size_t(l)];
    const int other = link.a == body ? link.b : link.a;
    if (body_left_[std::size_t(other)] == 0) continue;
    if (other != leaf.parent) return false;
    leaf.link = link.offset;
    leaf.link_from_body = link.a == body;
  }
  return true;
}

void TreeLdu::find_leaves(const LduProblem& problem) {
  const Graph& g = *problem.graph;
  std::deque<int> queue;
  for (int b = 0; b < g.num_bodies(); ++b) queue.push_back(b);
  while (!queue.empty()) {
    const int body = queue.front();
    queue.pop_front();
    LduLeaf leaf;
    if (body_left_[std::size_t(body)] == 0 || !make_leaf(problem, body, leaf)) continue;
    body_left_[std::size_t(body)] = 0;
    if (leaf.constraint >= 0) constraint_left_[std::size_t(leaf.constraint)] = 0;
    if (leaf.parent >= 0) queue.push_front(leaf.parent);
    leaves_.push_back(leaf);
  }
}

void TreeLdu::analyze(const LduProblem& problem) {
  const Graph& g = *problem.graph;
  absorbed_.clear();
  leaves_.clear();
  body_left_.assign(g.dims.size(), 1);
  constraint_left_.assign(g.rows.size(), 1);
  edges_of_body_.assign(g.dims.size(), {});
  links_of_body_.assign(g.dims.size(), {});
  for (std::size_t e = 0; e < g.edges.size(); ++e)
    edges_of_body_[std::size_t(g.edges[e].body)].push_back(int(e));
  for (std::size_t l = 0; l < g.links.size(); ++l) {
    links_of_body_[std::size_t(g.links[l].a)].push_back(int(l));
    links_of_body_[std::size_t(g.links[l].b)].push_back(int(l));
  }
  absorb_springs(problem);
  find_leaves(problem);
  core_.analyze(problem, body_left_, constraint_left_);
  std::ptrdiff_t size = 0;
  for (LduLeaf& leaf : leaves_) {
    leaf.values = size;
    size += leaf_size(leaf);
  }
  values_.setZero(size);
  D_ = problem.M;
}

FactorResult TreeLdu::factor(const LduProblem& problem) {
  D_ = problem.M;
  negative_bodies_ = negative_constraints_ = 0;
  for (const Absorbed& a : absorbed_) {
    Eigen::Map<Eigen::MatrixXd> block(D_.data() + a.D, a.dim, a.dim);
    const ConstRows J(problem.J.data() + a.J, a.rows, a.dim);
    for (int r = 0; r < a.rows; ++r)
      block.noalias() += (1.0 / problem.S[a.row + r]) * J.row(r).transpose().lazyProduct(J.row(r));
  }
  for (const LduLeaf& leaf : leaves_)
    if (!eliminate_leaf(problem, leaf, D_.data(), values_.data(), negative_bodies_, negative_constraints_))
      return {FactorStatus::singular, leaf.constraint, leaf.body};
  if (core_.is_empty()) return {};
  const FactorResult result = core_.factor(problem, D_);
  negative_bodies_ += core_.negative_bodies();
  negative_constraints_ += core_.negative_constraints();
  return result;
}

void TreeLdu::solve(const LduProblem& problem, Eigen::VectorXd& x, Eigen::VectorXd& lambda) {
  // λ = -S⁻¹(g + J x): f ← f - JᵀS⁻¹g on the way in, λ on the way out
  for (const Absorbed& a : absorbed_) {
    const ConstRows J(problem.J.data() + a.J, a.rows, a.dim);
    for (int r = 0; r < a.rows; ++r)
      x.segment(a.entry, a.dim) -= (lambda[a.row + r] / problem.S[a.row + r]) * J.row(r).transpose();
  }
  for (const LduLeaf& leaf : leaves_)
    leaf_forward(problem, leaf, D_.data(), values_.data(), x.data(), lambda.data());
  if (!core_.is_empty()) core_.solve(x, lambda);
  for (std::size_t k = leaves_.size(); k-- > 0;)
    leaf_backward(leaves_[k], values_.data(), x.data(), lambda.data());
  for (const Absorbed& a : absorbed_) {
    const ConstRows J(problem.J.data() + a.J, a.rows, a.dim);
    for (int r = 0; r < a.rows; ++r)
      lambda[a.row + r] =
          -(lambda[a.row + r] + J.row(r).dot(x.segment(a.entry, a.dim))) / problem.S[a.row + r];
  }
}

/// The whole matrix of (1) with partial pivoting.
class DenseLdu final : public LduSolver {
 public:
  void analyze(const LduProblem&) override {}
  FactorResult factor(const LduProblem& p) override {
    const Graph& g = *p.graph;
    const int n = g.num_x(), m = g.num_rows();
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n + m, n + m);
    for (std::size_t b = 0; b < g.dims.size(); ++b)
      H.block(g.body_offset[b], g.body_offset[b], g.dims[b], g.dims[b]) =
          ConstDense(p.M.data() + g.mass_offset[b], g.dims[b], g.dims[b]);
    for (const Link& link : g.links) {
      const auto a = std::size_t(link.a), b = std::size_t(link.b);
      H.block(g.body_offset[a], g.body_offset[b], g.dims[a], g.dims[b]) +=
          ConstDense(p.links.data() + link.offset, g.dims[a], g.dims[b]);
      H.block(g.body_offset[b], g.body_offset[a], g.dims[b], g.dims[a]) +=
          ConstDense(p.lower.data() + link.offset, g.dims[b], g.dims[a]);
    }
    for (const Edge& edge : g.edges) {
      const auto b = std::size_t(edge.body), c = std::size_t(edge.constraint);
      const ConstRows J(p.J.data() + edge.offset, g.rows[c], g.dims[b]);
      H.block(n + g.row_offset[c], g.body_offset[b], g.rows[c], g.dims[b]) -= J;
      H.block(g.body_offset[b], n + g.row_offset[c], g.dims[b], g.rows[c]) -= J.transpose();
    }
    H.bottomRightCorner(m, m).diagonal() = -p.S;
    lu_.compute(H);
    return H.allFinite() ? FactorResult{} : FactorResult{FactorStatus::singular, -1, -1};
  }
  void solve(const LduProblem& p, Eigen::VectorXd& x, Eigen::VectorXd& lambda) override {
    Eigen::VectorXd z(x.size() + lambda.size());
    z << x, lambda;
    z = lu_.solve(z).eval();
    x = z.head(p.graph->num_x());
    lambda = z.tail(p.graph->num_rows());
  }

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace

void LduProblem::resize(const Graph& g) {
  Problem::resize(g);
  lower.setZero(g.links_size);
}

void ldu_residual(const LduProblem& p, const Eigen::VectorXd& x, const Eigen::VectorXd& lambda,
                  const Eigen::VectorXd& f, const Eigen::VectorXd& g_side, Eigen::VectorXd& r1,
                  Eigen::VectorXd& r2) {
  const Graph& g = *p.graph;
  r1 = -f;
  r2 = -g_side - p.S.cwiseProduct(lambda);
  for (std::size_t b = 0; b < g.dims.size(); ++b)
    r1.segment(g.body_offset[b], g.dims[b]) +=
        ConstDense(p.M.data() + g.mass_offset[b], g.dims[b], g.dims[b]) *
        x.segment(g.body_offset[b], g.dims[b]);
  for (const Link& link : g.links) {
    const auto a = std::size_t(link.a), b = std::size_t(link.b);
    r1.segment(g.body_offset[a], g.dims[a]) +=
        ConstDense(p.links.data() + link.offset, g.dims[a], g.dims[b]) *
        x.segment(g.body_offset[b], g.dims[b]);
    r1.segment(g.body_offset[b], g.dims[b]) +=
        ConstDense(p.lower.data() + link.offset, g.dims[b], g.dims[a]) *
        x.segment(g.body_offset[a], g.dims[a]);
  }
  for (const Edge& edge : g.edges) {
    const auto b = std::size_t(edge.body), c = std::size_t(edge.constraint);
    const ConstRows J(p.J.data() + edge.offset, g.rows[c], g.dims[b]);
    r1.segment(g.body_offset[b], g.dims[b]) -= J.transpose() * lambda.segment(g.row_offset[c], g.rows[c]);
    r2.segment(g.row_offset[c], g.rows[c]) -= J * x.segment(g.body_offset[b], g.dims[b]);
  }
}

std::unique_ptr<LduSolver> make_ldu_solver() {
  return std::make_unique<TreeLdu>();
}
std::unique_ptr<LduSolver> make_dense_ldu_solver() {
  return std::make_unique<DenseLdu>();
}

}  // namespace catena::solve
