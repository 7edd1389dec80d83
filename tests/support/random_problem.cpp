#include "support/random_problem.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena::testing {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

int uniform_int(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}
double uniform(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

// Orthonormal rows or columns, whichever are fewer.
MatrixXd random_orthonormal(std::mt19937& random, int rows, int columns) {
  const int large = std::max(rows, columns), small = std::min(rows, columns);
  MatrixXd full(large, small);
  for (int j = 0; j < small; ++j) full.col(j) = random_vector(random, large);
  const MatrixXd Q = MatrixXd(full.householderQr().householderQ()).leftCols(small);
  return rows >= columns ? Q : MatrixXd(Q.transpose());
}

// T = [ 1 -[l]× ; 0 1 ]
Eigen::Matrix<double, 6, 6> transport(const Eigen::Vector3d& l) {
  Eigen::Matrix<double, 6, 6> T = Eigen::Matrix<double, 6, 6>::Identity();
  T.topRightCorner<3, 3>() << 0, l.z(), -l.y(), -l.z(), 0, l.x(), l.y(), -l.x(), 0;
  return T;
}

// Three independent directions, not quite orthogonal.
Eigen::Matrix3d random_basis(std::mt19937& random) {
  Eigen::Matrix3d basis = random_orthonormal(random, 3, 3);
  for (int i = 0; i < 3; ++i) basis.row(i) += 0.2 * random_orthonormal(random, 1, 3);
  return basis;
}

// Rows of joints: ball, universal, hinge, slider, weld, driven slider.
constexpr solve::PairShape kPairShapes[] = {{3, 0, true},  {3, 1, true}, {3, 2, true},
                                            {2, 3, false}, {3, 3, true}, {3, 3, false}};

// Trees of bodies while they grow: which bodies are connected.
class Components {
 public:
  explicit Components(int size) : parent_(size) {
    for (int i = 0; i < size; ++i) parent_[i] = i;
  }
  int find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(int a, int b) { parent_[find(a)] = find(b); }

 private:
  std::vector<int> parent_;
};

}  // namespace

VectorXd random_vector(std::mt19937& random, int size) {
  std::normal_distribution<double> normal;
  return VectorXd::NullaryExpr(size, [&](Eigen::Index) { return normal(random); });
}

double relative_difference(const VectorXd& a, const VectorXd& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  if (a.size() == 0) return 0.0;
  return (a - b).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

RandomProblem::RandomProblem(std::mt19937& random, const RandomProblemOptions& options) {
  draw_structure(random, options);
  problem.resize(graph);
  draw_numbers(random, options);
  copy_numbers();
}

void RandomProblem::draw_structure(std::mt19937& random, const RandomProblemOptions& options) {
  solve::GraphBuilder builder;
  std::vector<int> freedom;     // per body: dimensions not yet taken by rows
  std::vector<int> free_roots;  // first bodies of trees that nothing holds
  Components trees(options.bodies);
  for (int b = 0; b < options.bodies; ++b) {
    const int dim = options.dims[uniform_int(random, 0, int(options.dims.size()) - 1)];
    builder.add_body(dim);
    freedom.push_back(dim);
    std::vector<int> bodies{b};
    if (b > 0 && uniform(random, 0, 1) >= options.root_probability) {
      bodies.push_back(uniform_int(random, 0, b - 1));
      trees.join(b, bodies.back());
      // further bodies come with the tree below them, so that no constraint is turned upside down
      for (int k = uniform_int(random, 2, std::max(2, options.max_arity)); k > 2 && !free_roots.empty();
           --k) {
        const auto pick = free_roots.begin() + uniform_int(random, 0, int(free_roots.size()) - 1);
        if (trees.find(*pick) == trees.find(b)) continue;
        trees.join(*pick, b);
        bodies.push_back(*pick);
        free_roots.erase(pick);
      }
    } else if (uniform(random, 0, 1) < options.free_probability) {
      free_roots.push_back(b);
      continue;
    }
    const bool is_pair = bodies.size() <= 2 && dim == 6 && builder.graph.dims[bodies.back()] == 6 &&
                         uniform(random, 0, 1) < options.pair_probability;
    const solve::PairShape shape = is_pair ? kPairShapes[uniform_int(random, 0, 5)] : solve::PairShape{};
    const int rows =
        is_pair ? shape.linear + shape.angular : uniform_int(random, 1, std::min(dim, options.max_rows));
    freedom[b] -= rows;
    const int constraint = builder.add_constraint(rows, bodies, shape);
    if (!is_pair) continue;
    joints_.push_back({constraint, 0.3 * random_vector(random, 3), 0.3 * random_vector(random, 3),
                       shape.at_point ? Eigen::Matrix3d::Identity() : random_basis(random),
                       random_basis(random)});
  }
  draw_further_constraints(random, options, freedom, builder);
  graph = builder.finish();
}

void RandomProblem::draw_further_constraints(std::mt19937& random, const RandomProblemOptions& options,
                                             std::vector<int>& freedom, solve::GraphBuilder& builder) {
  for (int k = 0; k < options.nails + options.loops; ++k) {
    const int a = uniform_int(random, 0, options.bodies - 1), b = uniform_int(random, 0, options.bodies - 1);
    const bool is_nail = k < options.nails;
    // half of what a body has left, so that no group of bodies is held more often than it has dimensions
    const int rows = std::min(freedom[a] / 2, options.max_rows);
    if (rows == 0 || (a == b && !is_nail)) continue;
    freedom[a] -= rows;
    builder.add_constraint(rows, is_nail ? std::vector<int>{a} : std::vector<int>{a, b});
  }
  const int originals = builder.graph.num_constraints();
  for (int k = 0; k < options.copies; ++k) {
    const int c = uniform_int(random, 0, originals - 1);
    std::vector<int> bodies;
    for (const solve::Edge& e : builder.graph.edges)
      if (e.constraint == c) bodies.push_back(e.body);
    copies.emplace_back(c, builder.add_constraint(builder.graph.rows[c], bodies));
  }
}

void RandomProblem::draw_numbers(std::mt19937& random, const RandomProblemOptions& options) {
  for (int b = 0; b < graph.num_bodies(); ++b) {
    const int dim = graph.dims[b];
    const double mass = std::pow(options.mass_ratio, uniform(random, 0, 1));
    const MatrixXd Q = random_orthonormal(random, dim, dim);
    const VectorXd principal =
        VectorXd::NullaryExpr(dim, [&](Eigen::Index) { return uniform(random, 1, 3); });
    Eigen::Map<MatrixXd>(&problem.M[graph.mass_offset[b]], dim, dim) =
        mass * Q * principal.asDiagonal() * Q.transpose();
  }
  for (const solve::Edge& e : graph.edges) {
    const bool own = &e == &graph.edges[graph.edge_begin[e.constraint]];
    const int rows = graph.rows[e.constraint], dim = graph.dims[e.body];
    // the other bodies' blocks are smaller, so that errors die out along a chain instead of growing
    const double scale = own ? uniform(random, 1, 2) : uniform(random, 0.3, 0.9);
    Eigen::Map<RowMajor>(&problem.J[e.offset], rows, dim) = scale * random_orthonormal(random, rows, dim);
  }
  write_joint_rows();
  for (int c = 0; options.compliance > 0.0 && c < graph.num_constraints(); ++c) {
    if (uniform(random, 0, 1) < 0.5 || graph.pair[c] >= 0) continue;  // pairs are rigid
    for (int i = graph.row_offset[c]; i < graph.row_offset[c + 1]; ++i)
      problem.S[i] = options.compliance * uniform(random, 0.5, 2);
  }
  f = random_vector(random, graph.num_x());
  d = random_vector(random, graph.num_rows());
}

void RandomProblem::write_joint_rows() {
  for (const Joint& joint : joints_) {
    const solve::PairShape shape = graph.pair_shape[joint.constraint];
    const int first = graph.edge_begin[joint.constraint], rows = graph.rows[joint.constraint];
    MatrixXd J = MatrixXd::Zero(rows, 6);
    for (int i = 0; i < shape.linear; ++i) {
      const Eigen::Vector3d n = joint.n.row(i);
      J.row(i) << n.transpose(), joint.r.cross(n).transpose();
    }
    J.bottomRightCorner(shape.angular, 3) = joint.g.topRows(shape.angular);
    Eigen::Map<RowMajor>(&problem.J[graph.edges[first].offset], rows, 6) = J;
    if (graph.edge_begin[joint.constraint + 1] - first == 2)
      Eigen::Map<RowMajor>(&problem.J[graph.edges[first + 1].offset], rows, 6) = -J * transport(joint.l);
  }
}

void RandomProblem::copy_numbers() {
  for (const auto& [original, copy] : copies) {
    const int from = graph.edges[graph.edge_begin[original]].offset,
              to = graph.edges[graph.edge_begin[copy]].offset;
    const int last = graph.edge_begin[original + 1];
    const int size = (last < int(graph.edges.size()) ? graph.edges[last].offset : graph.J_size) - from;
    problem.J.segment(to, size) = VectorXd(problem.J.segment(from, size));
    for (VectorXd* v : {&problem.S, &d}) {
      for (int i = 0; i < graph.rows[copy]; ++i)
        (*v)[graph.row_offset[copy] + i] = (*v)[graph.row_offset[original] + i];
    }
  }
}

void RandomProblem::fill_pairs(const solve::EqualitySolver& solver) {
  for (int k = 0; k < int(joints_.size()); ++k) {
    const Joint& joint = joints_[k];
    const int edge = solver.explicit_edge(joint.constraint);
    if (edge < 0) continue;
    // from the second body the joint looks the same, with the arm reversed and the sign of the rows changed
    const bool is_first = edge == graph.edge_begin[joint.constraint];
    solve::Pair& pair = problem.pairs[k];
    Eigen::Map<Eigen::Vector3d>(pair.l) = is_first ? joint.l : Eigen::Vector3d(-joint.l);
    Eigen::Map<Eigen::Vector3d>(pair.r) = is_first ? joint.r : Eigen::Vector3d(joint.r + joint.l);
    Eigen::Map<Eigen::Matrix3d>(pair.nu) = joint.n.inverse();
    Eigen::Map<Eigen::Matrix3d>(pair.gamma) = joint.g.inverse();
    pair.sign = is_first ? 1.0 : -1.0;
  }
}

MatrixXd dense_M(const solve::Problem& problem) {
  const solve::Graph& g = *problem.graph;
  MatrixXd M = MatrixXd::Zero(g.num_x(), g.num_x());
  for (int b = 0; b < g.num_bodies(); ++b)
    M.block(g.body_offset[b], g.body_offset[b], g.dims[b], g.dims[b]) =
        Eigen::Map<const MatrixXd>(&problem.M[g.mass_offset[b]], g.dims[b], g.dims[b]);
  for (const solve::Link& link : g.links) {
    const int a = g.dims[link.a], b = g.dims[link.b];
    const MatrixXd upper = Eigen::Map<const MatrixXd>(&problem.links[link.offset], a, b);
    M.block(g.body_offset[link.a], g.body_offset[link.b], a, b) += upper;
    M.block(g.body_offset[link.b], g.body_offset[link.a], b, a) +=
        problem.is_symmetric ? MatrixXd(upper.transpose())
                             : MatrixXd(Eigen::Map<const MatrixXd>(&problem.lower[link.offset], b, a));
  }
  return M;
}

MatrixXd dense_J(const solve::Problem& problem) {
  const solve::Graph& g = *problem.graph;
  MatrixXd J = MatrixXd::Zero(g.num_rows(), g.num_x());
  for (const solve::Edge& e : g.edges)
    J.block(g.row_offset[e.constraint], g.body_offset[e.body], g.rows[e.constraint], g.dims[e.body]) =
        Eigen::Map<const RowMajor>(&problem.J[e.offset], g.rows[e.constraint], g.dims[e.body]);
  return J;
}

MatrixXd dense_K(const solve::Problem& problem) {
  const solve::Graph& g = *problem.graph;
  MatrixXd K = dense_J(problem);
  for (const solve::Edge& e : g.edges)
    if (g.own_direction[std::size_t(e.constraint)] != 0)
      K.block(g.row_offset[e.constraint], g.body_offset[e.body], g.rows[e.constraint], g.dims[e.body]) =
          Eigen::Map<const RowMajor>(&problem.K[e.offset], g.rows[e.constraint], g.dims[e.body]);
  return K;
}

MatrixXd dense_kkt(const solve::Problem& problem) {
  const int n = problem.graph->num_x(), m = problem.graph->num_rows();
  const MatrixXd J = dense_J(problem);
  MatrixXd H(n + m, n + m);
  H << dense_M(problem), -dense_K(problem).transpose(), -J, -MatrixXd(problem.S.head(m).asDiagonal());
  return H;
}

namespace {

VectorXd right_side(const RandomProblem& r) {
  VectorXd rhs(r.f.size() + r.d.size());
  rhs << r.f, -r.d;
  return rhs;
}

Solution split(const RandomProblem& r, const VectorXd& z) {
  return {z.head(r.f.size()), z.tail(r.d.size())};
}

}  // namespace

Solution solve_reference(const RandomProblem& r) {
  return split(r, dense_kkt(r.problem).fullPivLu().solve(right_side(r)));
}

Solution solve_reference(const solve::Problem& problem, const VectorXd& f, const VectorXd& d) {
  const int n = problem.graph->num_x(), m = problem.graph->num_rows();
  VectorXd rhs(n + m);
  rhs << f.head(n), -d.head(m);
  const VectorXd z = dense_kkt(problem).fullPivLu().solve(rhs);
  return {z.head(n), z.tail(m)};
}

Solution solve_least_squares(const RandomProblem& r) {
  return split(r, dense_kkt(r.problem).completeOrthogonalDecomposition().solve(right_side(r)));
}

MatrixXd inverse_response(const solve::Problem& problem) {
  const int n = problem.graph->num_x();
  return dense_kkt(problem).fullPivLu().inverse().topLeftCorner(n, n);
}

VectorXd solve_dense(const MatrixXd& H, const VectorXd& rhs) {
  return H.fullPivLu().solve(rhs);
}

int count_negative_eigenvalues(const MatrixXd& H) {
  return int((Eigen::SelfAdjointEigenSolver<MatrixXd>(H, Eigen::EigenvaluesOnly).eigenvalues().array() < 0.0)
                 .count());
}

int rank_of_rows(const MatrixXd& J) {
  return int(Eigen::ColPivHouseholderQR<MatrixXd>(J.transpose()).rank());
}

}  // namespace catena::testing
