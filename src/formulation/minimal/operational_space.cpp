// What links answer to wrenches on links: the operational-space compliance Λ = J M⁻¹Jᵀ, without J and M.
//
//   P = (1 - S D⁻¹Uᵀ) X       how a motion of the parent passes a joint that gives way; X: to the origin of the link                  (1)
//   Υ = P Υ_p Pᵀ + S D⁻¹Sᵀ    parents first: the answer of a link to a wrench on itself; Υ of the world is 0                          (2)
//   Ω_ij = P_i … P_c+ Υ_c P_c+ᵀ … P_jᵀ      c: the nearest link that carries both (one of the two, or neither: then Ω_ij = 0)          (3)
//
// U and D are those of the articulated bodies (mass_factor.cpp). Cost: O(links) for (2), O(depth) for each pair. Λ has a block (3) per pair,
// taken from the origins of the links to their centres of mass.
//
// Source: Jain, Robot and Multibody Dynamics (2011), ch. 10.
#include "formulation/minimal/articulated_joint.h"

#include <algorithm>

namespace catena {

using namespace minimal;

namespace {

using Spatial6 = Eigen::Matrix<double, 6, 6>;
using JointColumns = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;

/// The columns are motions; the same, at a point r away.
Spatial6 shifted(Spatial6 columns, const Vec3& r) {
  for (int j = 0; j < 6; ++j) columns.col(j).head<3>() += columns.col(j).tail<3>().cross(r);
  return columns;
}

/// S D⁻¹ of one joint.
JointColumns yielding(const Link& link, const Workspace& data, const JointFactor& joint) {
  JointColumns out = data.directions(link);
  if (link.kind == JointKind::hinge || link.kind == JointKind::slider) return out * joint.D[0];
  if (link.kind == JointKind::ball) {  // D is J itself, for turns about the axes of the world
    Mat3 inverse = Mat3::Identity();
    for (int i = 0; i < 3; ++i) solve_turn(joint, inverse.col(i).data());
    out.setZero();
    out.bottomRows<3>() = inverse;
    return out;
  }
  for (int r = 0; r < 6; ++r) {
    double row[JointMotion::kMostV];
    for (int i = 0; i < link.num_v(); ++i) row[i] = out(r, i);
    math::solve_ldlt(link.num_v(), joint.D, row);
    for (int i = 0; i < link.num_v(); ++i) out(r, i) = row[i];
  }
  return out;
}

/// P x of (1), of six motions at once.
Spatial6 passed(const Link& link, const LinkMotion& own, const Workspace& data, const JointFactor& joint,
                const ArticulatedInertia<double>& I, const Spatial6& x) {
  Spatial6 out = shifted(x, own.r);
  if (link.num_v() == 0) return out;
  const JointColumns S = yielding(link, data, joint);
  if (link.kind == JointKind::ball) {  // of any motion nothing but a push is left: U = (H ; J)
    Eigen::Matrix<double, 3, 6> torque;
    for (int j = 0; j < 6; ++j)
      torque.col(j) =
          transposed_times(I.H, V3<double>(out.col(j).head<3>())) + I.J * V3<double>(out.col(j).tail<3>());
    return out - S * torque;
  }
  return out - S * (data.U.middleCols(link.v, link.num_v()).transpose() * out);
}

/// S D⁻¹Sᵀ
Spatial6 own_compliance(const Link& link, const Workspace& data, const JointFactor& joint) {
  Spatial6 out = Spatial6::Zero();
  if (link.num_v() == 0) return out;
  const JointColumns S = yielding(link, data, joint);
  if (link.kind == JointKind::ball)
    out.bottomRightCorner<3, 3>() = S.bottomRows<3>();
  else
    out = S * data.directions(link).transpose();
  return out;
}

/// Links from `link` to the world.
std::vector<int> way_down(const Structure& structure, int link) {
  std::vector<int> way;
  for (int k = link; k >= 0; k = structure.links[std::size_t(k)].parent) way.push_back(k);
  return way;
}

struct Compliance {
  const Structure& structure;
  const Workspace& data;
  std::vector<Spatial6> own;  // Υ

  Compliance(const Structure& s, const Workspace& d) : structure(s), data(d), own(s.links.size()) {
    for (std::size_t k = 0; k < own.size(); ++k) {
      own[k] = own_compliance(s.links[k], d, d.joints[k]);
      if (const int parent = s.links[k].parent; parent >= 0)
        own[k] += pass(int(k), pass(int(k), own[std::size_t(parent)]).transpose());
    }
  }
  Spatial6 pass(int k, const Spatial6& x) const {
    const auto at = std::size_t(k);
    return passed(structure.links[at], data.links[at], data, data.joints[at], data.inertia[at], x);
  }
  /// x of link c, passed on to a link it carries.
  Spatial6 carry(int c, int link, Spatial6 x) const {
    const std::vector<int> way = way_down(structure, link);
    for (auto k = std::find(way.rbegin(), way.rend(), c) + 1; k != way.rend(); ++k) x = pass(*k, x);
    return x;
  }
  /// (3)
  Spatial6 between(int i, int j) const {
    const std::vector<int> a = way_down(structure, i), b = way_down(structure, j);
    for (const int c : a)
      if (std::find(b.begin(), b.end(), c) != b.end())
        return carry(c, j, carry(c, i, own[std::size_t(c)]).transpose()).transpose();
    return Spatial6::Zero();
  }
};

}  // namespace

int operational_compliance(const JointTree& tree, const VecX& q, std::span<const int> links, TreeData& data,
                           MatX& Lambda) {
  const Structure& structure = tree.structure();
  Workspace& work = data.workspace();
  check_sizes(structure, q, work.still, nullptr, {});
  for (const int link : links) (void)link_at(structure, link);
  update_places(structure, q, work);
  if (const int stuck = factor_mass(structure, work); stuck != JointTree::kNone) return stuck;
  const Compliance compliance(structure, work);
  Lambda.resize(6 * Eigen::Index(links.size()), 6 * Eigen::Index(links.size()));
  for (std::size_t i = 0; i < links.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const Vec3 &a = work.links[std::size_t(links[i])].lever, &b = work.links[std::size_t(links[j])].lever;
      const Spatial6 block =
          shifted(shifted(compliance.between(links[i], links[j]), a).transpose(), b).transpose();
      Lambda.block<6, 6>(6 * Eigen::Index(i), 6 * Eigen::Index(j)) = block;
      Lambda.block<6, 6>(6 * Eigen::Index(j), 6 * Eigen::Index(i)) = block.transpose();
    }
  return JointTree::kNone;
}

}  // namespace catena
