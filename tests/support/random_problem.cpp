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
  Components trees(options.bodies);
  std::vector<int> freedom(options.bodies);  // dimensions not yet taken by the rows a body has brought
  for (int b = 0; b < options.bodies; ++b) {
    const int dim = options.dims[uniform_int(random, 0, int(options.dims.size()) - 1)];
    builder.add_body(dim);
    freedom[b] = dim;
    std::vector<int> bodies{b};
    if (b > 0 && uniform(random, 0, 1) >= options.root_probability) {
      const int arity = uniform_int(random, 2, std::max(2, options.max_arity));
      for (int attempt = 1; attempt < arity; ++attempt) {
        const int other = uniform_int(random, 0, b - 1);
        const bool closes_loop = std::any_of(bodies.begin(), bodies.end(),
                                             [&](int i) { return trees.find(i) == trees.find(other); });
        if (closes_loop) continue;
        bodies.push_back(other);
      }
    } else if (uniform(random, 0, 1) < options.free_probability) {
      continue;
    }
    const bool is_pair = bodies.size() <= 2 && dim == 6 && builder.graph.dims[bodies.back()] == 6 &&
                         uniform(random, 0, 1) < options.pair_probability;
    const int rows = is_pair ? uniform_int(random, 4, 6) : uniform_int(random, 1, std::min(dim, options.max_rows));
    freedom[b] -= rows;
    for (const int other : bodies) trees.join(b, other);
    const int constraint = builder.add_constraint(rows, bodies, is_pair);
    if (is_pair) arms_.push_back({constraint, 0.3 * random_vector(random, 3)});
  }
  for (int k = 0; k < options.loops; ++k) {
    const int a = uniform_int(random, 0, options.bodies - 1), b = uniform_int(random, 0, options.bodies - 1);
    // half of what a body has left, so that no group of bodies is held more often than it has dimensions
    const int rows = std::min(freedom[a] / 2, options.max_rows);
    if (a == b || rows == 0) continue;
    freedom[a] -= rows;
    builder.add_constraint(rows, {a, b}, false);
  }
  const int originals = builder.graph.num_constraints();
  for (int k = 0; k < options.copies; ++k) {
    const int c = uniform_int(random, 0, originals - 1);
    std::vector<int> bodies;
    for (const solve::Edge& e : builder.graph.edges)
      if (e.constraint == c) bodies.push_back(e.body);
    copies.emplace_back(c, builder.add_constraint(builder.graph.rows[c], bodies, false));
  }
  graph = builder.finish();
}

void RandomProblem::draw_numbers(std::mt19937& random, const RandomProblemOptions& options) {
  for (int b = 0; b < graph.num_bodies(); ++b) {
    const int dim = graph.dims[b];
    const double mass = std::pow(options.mass_ratio, uniform(random, 0, 1));
    const MatrixXd Q = random_orthonormal(random, dim, dim);
    const VectorXd principal = VectorXd::NullaryExpr(dim, [&](Eigen::Index) { return uniform(random, 1, 3); });
    Eigen::Map<MatrixXd>(&problem.M[graph.mass_offset[b]], dim, dim) = mass * Q * principal.asDiagonal() * Q.transpose();
  }
  for (const solve::Edge& e : graph.edges) {
    const bool own = &e == &graph.edges[graph.edge_begin[e.constraint]];
    const int rows = graph.rows[e.constraint], dim = graph.dims[e.body];
    // the other bodies' blocks are smaller, so that errors die out along a chain instead of growing
    const double scale = own ? uniform(random, 1, 2) : uniform(random, 0.3, 0.9);
    Eigen::Map<RowMajor>(&problem.J[e.offset], rows, dim) = scale * random_orthonormal(random, rows, dim);
  }
  for (const Arm& arm : arms_) {
    const int first = graph.edge_begin[arm.constraint];
    if (graph.edge_begin[arm.constraint + 1] - first < 2) continue;
    const int rows = graph.rows[arm.constraint];
    const Eigen::Map<RowMajor> J_a(&problem.J[graph.edges[first].offset], rows, 6);
    Eigen::Map<RowMajor>(&problem.J[graph.edges[first + 1].offset], rows, 6) = -J_a * transport(arm.l);
  }
  for (int c = 0; options.compliance > 0.0 && c < graph.num_constraints(); ++c) {
    if (uniform(random, 0, 1) < 0.5) continue;
    for (int i = graph.row_offset[c]; i < graph.row_offset[c + 1]; ++i)
      problem.S[i] = options.compliance * uniform(random, 0.5, 2);
  }
  f = random_vector(random, graph.num_x());
  d = random_vector(random, graph.num_rows());
}

void RandomProblem::copy_numbers() {
  for (const auto& [original, copy] : copies) {
    const int from = graph.edges[graph.edge_begin[original]].offset, to = graph.edges[graph.edge_begin[copy]].offset;
    const int last = graph.edge_begin[original + 1];
    const int size = (last < int(graph.edges.size()) ? graph.edges[last].offset : graph.J_size) - from;
    problem.J.segment(to, size) = VectorXd(problem.J.segment(from, size));
    for (VectorXd* v : {&problem.S, &d}) {
      for (int i = 0; i < graph.rows[copy]; ++i) (*v)[graph.row_offset[copy] + i] = (*v)[graph.row_offset[original] + i];
    }
  }
}

void RandomProblem::fill_pairs(const solve::EqualitySolver& solver) {
  for (int k = 0; k < int(arms_.size()); ++k) {
    const Arm& arm = arms_[k];
    const int edge = solver.explicit_edge(arm.constraint);
    if (edge < 0) continue;
    const bool is_first = edge == graph.edge_begin[arm.constraint];
    const int rows = graph.rows[arm.constraint];
    const MatrixXd J_c = Eigen::Map<const RowMajor>(&problem.J[graph.edges[edge].offset], rows, 6);
    solve::Pair& pair = problem.pairs[k];
    Eigen::Map<Eigen::Vector3d>(pair.l) = is_first ? arm.l : Eigen::Vector3d(-arm.l);
    Eigen::Map<MatrixXd>(pair.B, 6, rows) = J_c.transpose() * (J_c * J_c.transpose()).inverse();
    const MatrixXd Q = J_c.transpose().householderQr().householderQ();
    Eigen::Map<MatrixXd>(pair.N, 6, 6 - rows) = Q.rightCols(6 - rows);
  }
}

MatrixXd dense_M(const solve::Problem& problem) {
  const solve::Graph& g = *problem.graph;
  MatrixXd M = MatrixXd::Zero(g.num_x(), g.num_x());
  for (int b = 0; b < g.num_bodies(); ++b)
    M.block(g.body_offset[b], g.body_offset[b], g.dims[b], g.dims[b]) =
        Eigen::Map<const MatrixXd>(&problem.M[g.mass_offset[b]], g.dims[b], g.dims[b]);
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

MatrixXd dense_kkt(const solve::Problem& problem) {
  const int n = problem.graph->num_x(), m = problem.graph->num_rows();
  const MatrixXd J = dense_J(problem);
  MatrixXd H(n + m, n + m);
  H << dense_M(problem), -J.transpose(), -J, -MatrixXd(problem.S.asDiagonal());
  return H;
}

}  // namespace catena::testing
