#include "support/dense_reference.h"

#include "sim/impl.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace catena::test {
namespace {

using Long = long double;
using LongMatrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;

constexpr Long kCertain = 1e-10L,
               kNothing = 1e-14L;  // of the largest pivot: a row that counts, and one that repeats others

constexpr double kAtRest = 1e-4;    // of the largest acceleration of the model: the least that counts as one
constexpr double kAbsolute = 1e-6;  // m/s²

struct BodyBlock {
  int at, dim;
  LongMatrix L;
};

std::vector<BodyBlock> mass_factors(const solve::Problem& p) {
  const solve::Graph& g = *p.graph;
  std::vector<BodyBlock> bodies;
  for (int b = 0; b < g.num_bodies(); ++b) {
    const Eigen::Map<const MatX> M(p.M.data() + g.mass_offset[b], g.dims[b], g.dims[b]);
    bodies.push_back({g.body_offset[b], g.dims[b], M.cast<Long>().llt().matrixL()});
  }
  return bodies;
}

/// Aᵀ of (1), one column per row of J.
LongMatrix scaled_rows(const solve::Problem& p, const std::vector<BodyBlock>& bodies) {
  const solve::Graph& g = *p.graph;
  LongMatrix At = LongMatrix::Zero(g.num_x(), g.num_rows());
  for (const solve::Edge& e : g.edges) {
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> J(
        p.J.data() + e.offset, g.rows[e.constraint], g.dims[e.body]);
    const BodyBlock& body = bodies[std::size_t(e.body)];
    At.block(body.at, g.row_offset[e.constraint], body.dim, J.rows()) =
        body.L.triangularView<Eigen::Lower>().solve(J.transpose().cast<Long>());
  }
  return At;
}

/// The correction A⁺ e from the independent ones of the rows.
LongVector correction(const LongMatrix& At, const LongVector& e, DenseReference& out) {
  if (At.cols() == 0) return LongVector::Zero(At.rows());
  const Eigen::ColPivHouseholderQR<LongMatrix> qr(At);
  const LongVector pivots = qr.matrixQR().diagonal().cwiseAbs();
  int rank = 0;
  while (rank < pivots.size() && pivots[rank] > kCertain * pivots[0]) ++rank;
  if (rank < pivots.size() && pivots[rank] > kNothing * pivots[0])
    out.not_judged = "rows are nearly dependent";
  if (rank == 0) return LongVector::Zero(At.rows());
  out.condition = double(pivots[0] / pivots[rank - 1]);
  out.redundant_rows = int(At.cols()) - rank;
  const LongVector permuted = qr.colsPermutation().transpose() * e;
  const LongVector z = qr.matrixQR()
                           .topLeftCorner(rank, rank)
                           .template triangularView<Eigen::Upper>()
                           .transpose()
                           .solve(permuted.head(rank));
  LongVector full = LongVector::Zero(At.rows());
  full.head(rank) = z;
  return qr.householderQ() * full;
}

}  // namespace

DenseReference dense_reference(const Simulation& sim) {
  BodyEquations& equations = SimulationAccess::impl(sim).evaluated_bodies();
  const solve::Problem& p = equations.problem();
  DenseReference out;
  if (p.graph->num_own_directions > 0) return out.not_judged = "rows act elsewhere", out;
  const std::vector<BodyBlock> bodies = mass_factors(p);
  LongMatrix At = scaled_rows(p, bodies);
  LongVector y = equations.force().cast<Long>(), d = -equations.bias().cast<Long>();
  for (const BodyBlock& b : bodies) b.L.triangularView<Eigen::Lower>().solveInPlace(y.segment(b.at, b.dim));
  for (Eigen::Index r = 0; r < At.cols(); ++r) {
    const Long length = At.col(r).norm();
    if (length > 0) At.col(r) /= length, d[r] /= length;
  }
  const LongVector free = y, e = d - At.transpose() * y;
  y += correction(At, e, out);
  const LongVector left = d - At.transpose() * y;
  out.contradiction = double(left.norm());
  const Long rest = left.template lpNorm<Eigen::Infinity>();
  if (rest > 1e-9L * (e.template lpNorm<Eigen::Infinity>() + free.norm()))
    out.not_judged = "rows contradict each other";
  out.scale.resize(Eigen::Index(bodies.size()));
  VecX inertia(out.scale.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyBlock& b = bodies[i];
    out.scale[Eigen::Index(i)] = double(y.segment(b.at, b.dim).norm() + free.segment(b.at, b.dim).norm());
    inertia[Eigen::Index(i)] = double(b.L.diagonal().minCoeff());
    b.L.transpose().triangularView<Eigen::Upper>().solveInPlace(y.segment(b.at, b.dim));
  }
  out.accelerations = y.cast<double>();
  // beside bodies that move, one at rest has the rounding of its neighbours
  const double largest = out.scale.cwiseQuotient(inertia).maxCoeff();
  out.scale += (kAtRest * largest + kAbsolute) * inertia;
  return out;
}

double acceleration_difference(const Simulation& sim, const DenseReference& reference,
                               const VecX& accelerations) {
  const solve::Problem& p = SimulationAccess::impl(sim).evaluated_bodies().problem();
  const std::vector<BodyBlock> bodies = mass_factors(p);
  double worst = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyBlock& b = bodies[i];
    const LongVector wrong =
        b.L.transpose() * (accelerations - reference.accelerations).segment(b.at, b.dim).cast<Long>();
    const double difference = double(wrong.norm()) / reference.scale[Eigen::Index(i)];
    worst = difference <= worst ? worst : difference;  // NaN counts
  }
  return worst;
}

}  // namespace catena::test
