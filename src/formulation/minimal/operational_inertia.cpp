// The inertia Λ⁻¹ that is felt at points of links, or why there is none.
//
//   Λ = Tᵀ L D Lᵀ T       pivoted along the diagonal, in numbers without units: Λ_ij / √(w_i w_j)                                     (1)
//   w_i                   of torques t, the largest diagonal entry of the point's three; of forces theirs + l² t, with the way l to the root   (2)
//   z_r = e_r - Λ_kk⁻¹Λ_kr    for every row r that is left over, k: rows that are kept;  Λ z_r = 0                                     (3)
//
// z_r are wrenches on the points that move none of them: what the joints hold, or what two points of one link hold against each other.
// Cost: that of Λ, and O(n³) for its n rows.
#include "formulation/minimal/dynamics.h"
#include "solve/pivoted_ldlt.h"

#include <fmt/core.h>

#include <algorithm>

namespace catena {

using namespace minimal;

namespace {

constexpr double kNoCompliance = 1e-11;  // pivots of (1)
constexpr double kNoPart = 1e-6;         // what is not worth a word in a wrench, relative to its largest part
constexpr const char* kUnits[6] = {"force along x",  "force along y",  "force along z",
                                   "torque about x", "torque about y", "torque about z"};

/// Way from a point to the joint that nothing carries.
double reach_of(const Structure& structure, const Workspace& work, const LinkPoint& point) {
  double out = Vec3(work.links[std::size_t(point.link)].lever).norm() + point.at.norm();
  for (int k = point.link; structure.links[std::size_t(k)].parent >= 0;
       k = structure.links[std::size_t(k)].parent)
    out += Vec3(work.links[std::size_t(k)].r).norm();
  return out;
}

/// (2)
VecX worth_of_rows(const Structure& structure, const Workspace& work, std::span<const LinkPoint> points,
                   const MatX& Lambda) {
  VecX out(Lambda.rows());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto at = 6 * Eigen::Index(i);
    const double turn = Lambda.diagonal().segment<3>(at + 3).maxCoeff(),
                 push = Lambda.diagonal().segment<3>(at).maxCoeff(),
                 reach = reach_of(structure, work, points[i]);
    out.segment<3>(at).setConstant(push + reach * reach * turn);
    out.segment<3>(at + 3).setConstant(turn);
  }
  return out;
}

/// (3), a column per row that is left over.
MatX immobile_wrenches(const MatX& Lambda, solve::PivotedLdlt& factor) {
  const Eigen::Index size = Lambda.rows();
  MatX out(size, size - factor.rank());
  for (Eigen::Index i = 0; i < out.cols(); ++i) {
    const int row = factor.order()[std::size_t(factor.rank() + i)];
    VecX kept = Lambda.col(row);
    factor.solve(kept);
    out.col(i) = -kept;
    out(row, i) = 1.0;
  }
  return out;
}

/// "force along x", or all its parts where there are several.
std::string wrench_in_words(const Vec6& wrench, double largest) {
  int parts = 0, last = 0;
  for (int k = 0; k < 6; ++k)
    if (std::abs(wrench[k]) > kNoPart * largest) last = k, ++parts;
  if (parts == 1) return kUnits[last];
  return fmt::format("({:.3g} {:.3g} {:.3g} N | {:.3g} {:.3g} {:.3g} N·m)", wrench[0], wrench[1], wrench[2],
                     wrench[3], wrench[4], wrench[5]);
}

std::string point_in_words(const Structure& structure, std::span<const LinkPoint> points, std::size_t i) {
  const Link& link = structure.links[std::size_t(points[i].link)];
  return fmt::format("point {} on body '{}' (link {})", i, structure.names_of_bodies[std::size_t(link.body)],
                     points[i].link);
}

/// One wrench that moves nothing: who holds it.
std::string held_in_words(const Structure& structure, std::span<const LinkPoint> points, const VecX& z) {
  const double largest = z.cwiseAbs().maxCoeff();
  std::string out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec6 own = z.segment<6>(6 * Eigen::Index(i));
    if (own.cwiseAbs().maxCoeff() <= kNoPart * largest) continue;
    out += fmt::format("{}{} at {}", out.empty() ? "" : " with ", wrench_in_words(own, largest),
                       point_in_words(structure, points, i));
  }
  return out;
}

std::string explain_rank(const Structure& structure, std::span<const LinkPoint> points,
                         const OperationalReport& report) {
  constexpr Eigen::Index kMostTold = 6;
  std::string out = fmt::format(
      "no operational inertia: the compliance of {} point{} has rank {} of {}; nothing gives way to ",
      points.size(), points.size() == 1 ? "" : "s", report.rank, 6 * points.size());
  for (Eigen::Index i = 0; i < std::min(report.missing.cols(), kMostTold); ++i)
    out += (i == 0 ? "" : ", ") + held_in_words(structure, points, report.missing.col(i));
  if (const Eigen::Index more = report.missing.cols() - kMostTold; more > 0)
    out += fmt::format(", and {} more", more);
  return out + "; use the compliance itself, or fewer points";
}

}  // namespace

OperationalReport operational_inertia(const JointTree& tree, const VecX& q, std::span<const LinkPoint> points,
                                      TreeData& data, MatX& inertia) {
  const Structure& structure = tree.structure();
  OperationalReport report;
  MatX Lambda;
  if (const int stuck = operational_compliance(tree, q, points, data, Lambda); stuck != JointTree::kNone) {
    const Link& link = structure.links[std::size_t(stuck)];
    report.refusal =
        fmt::format("no operational inertia: body '{}' (link {}) moves without any inertia; give it a mass",
                    structure.names_of_bodies[std::size_t(link.body)], stuck);
    return report;
  }
  solve::PivotedLdlt factor;
  factor.factor(Lambda, worth_of_rows(structure, data.workspace(), points, Lambda), kNoCompliance);
  report.rank = factor.rank();
  report.missing = immobile_wrenches(Lambda, factor);
  if (report.missing.cols() > 0) {
    report.refusal = explain_rank(structure, points, report);
    return report;
  }
  inertia.setIdentity(Lambda.rows(), Lambda.cols());
  for (Eigen::Index j = 0; j < inertia.cols(); ++j) factor.solve(inertia.col(j));
  inertia = MatX(0.5 * (inertia + inertia.transpose()));
  return report;
}

}  // namespace catena
