// What points of links answer to wrenches on them: the operational-space compliance Λ = J M⁻¹Jᵀ, without J and M.
//
//   P = (1 - S D⁻¹Uᵀ) X       how a motion of the parent passes a joint that gives way; X: to the origin of the link                  (1)
//   Υ = P Υ_p Pᵀ + S D⁻¹Sᵀ    parents first: the answer of a link to a wrench on itself; Υ of the world is 0                          (2)
//   Ω_ij = P_i … P_c+ Υ_c P_c+ᵀ … P_jᵀ      c: the nearest link that carries both (one of the two, or neither: then Ω_ij = 0)          (3)
//
// U and D are those of the articulated bodies (mass_factor.cpp). Wrenches go down and motions come up through the same functions that
// the articulated bodies use: Pᵀw is what a joint hands down of w, and a column of (2) is the answer of the parent to that, passed up,
// with what the joint gives way by itself.
//
//   W_i      wrenches on point i about the origin of its link, a column for each of six units
//   W_i(c) = P_c+ᵀ … P_iᵀ W_i      the same, as they reach a link below: joint by joint, or by the product of an edge                   (4)
//   Λ_ij = W_i(c)ᵀ Υ_c W_j(c)                                                                                                         (5)
//
// Links c of (5) are nodes of the virtual tree of the points. Over an edge of l joints that carries n points, (4) takes n·l passes of six wrenches past
// a joint, or l passes and n products of 6 × 6 matrices when the edge is made one matrix first. A pass costs as much as three products
// (a hinge; five for joints of more freedom), so that n = 1 goes joint by joint and everything else by edges.
//
// Cost: O(links) for (2); with n points O(links + n·nodes + n²). No allocation after the largest set of points.
// Sources: Jain, Robot and Multibody Dynamics (2011), ch. 10; Jain et al., Minimal Coordinate Formulation of Contact Dynamics (2011), (49)-(54).
#include "formulation/minimal/operational_space.h"

#include "formulation/minimal/articulated_joint.h"

namespace catena {

using namespace minimal;

namespace minimal {
namespace {

constexpr double kNoDrive[JointMotion::kMostV] = {};

/// What a joint leaves of a bias force on its link (minus a wrench), about the origin of the parent; what it takes stays in JointFactor::u.
Force6 bias_below(const Structure& structure, Workspace& data, int k, const Force6& bias) {
  const auto at = std::size_t(k);
  Force6 p = bias;
  p += push_joint(structure.links[at], at, kNoDrive, bias, data);
  return p.from(data.links[at].r);
}

/// The motion of a link from that of its parent, with what its joint took of the last bias force.
Motion6 motion_above(const Structure& structure, Workspace& data, int k, const Motion6& below) {
  const auto at = std::size_t(k);
  double rates[JointMotion::kMostV];
  Motion6 A = below.at(data.links[at].r);
  accelerate_joint(structure.links[at], at, data, A, rates);
  return A;
}

/// Pᵀ of (1), of six wrenches.
void hand_wrenches_down(const Structure& structure, Workspace& data, int k, Spatial6& wrenches) {
  for (int j = 0; j < 6; ++j)
    wrenches.col(j) = column_from(bias_below(structure, data, k, force_from(wrenches.col(j))));
}

/// (2), column by column: to a bias force the answer is minus that to a wrench.
void find_own_answer(const Structure& structure, Workspace& data, int k, std::vector<Spatial6>& own) {
  const int parent = structure.links[std::size_t(k)].parent;
  for (int j = 0; j < 6; ++j) {
    const Force6 bias = bias_below(structure, data, k, force_from(Vec6::Unit(j)));
    Motion6 below = Motion6::zero();
    if (parent >= 0) below = motion_from(-(own[std::size_t(parent)] * column_from(bias)));
    own[std::size_t(k)].col(j) = -column_from(motion_above(structure, data, k, below));
  }
}

/// (2) of all links that carry points.
void find_own_answers(const Structure& structure, Workspace& work, OperationalWorkspace& own) {
  own.is_asked.assign(structure.links.size(), 0);
  own.own.resize(structure.links.size());
  for (const VirtualTree::Node& node : own.seen.nodes())
    for (int k = node.link; k >= 0 && own.is_asked[std::size_t(k)] == 0;
         k = structure.links[std::size_t(k)].parent)
      own.is_asked[std::size_t(k)] = 1;
  for (std::size_t k = 0; k < own.own.size(); ++k)
    if (own.is_asked[k] != 0) find_own_answer(structure, work, int(k), own.own);
}

bool goes_by_edge(const VirtualTree::Node& node, Climb climb) {
  return climb == Climb::automatic ? node.carried > 1 : climb == Climb::edges;
}

/// Down an edge, joint by joint.
void hand_down_edge(const Structure& structure, Workspace& work, const VirtualTree::Node& node,
                    OperationalWorkspace& own, Spatial6& wrenches) {
  int k = node.link;
  for (int i = 0; i < node.length; ++i, k = structure.links[std::size_t(k)].parent)
    hand_wrenches_down(structure, work, k, wrenches);
  own.count.passes += node.length;
}

void find_edges(const Structure& structure, Climb climb, Workspace& work, OperationalWorkspace& own) {
  const auto& nodes = own.seen.nodes();
  own.edges.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].parent < 0 || !goes_by_edge(nodes[i], climb)) continue;
    own.edges[i].setIdentity();
    hand_down_edge(structure, work, nodes[i], own, own.edges[i]);
  }
}

/// W of the point itself.
Spatial6 wrenches_at(const Structure& structure, const Workspace& work, const LinkPoint& point) {
  const auto k = std::size_t(point.link);
  const LinkMotion& link = work.links[k];
  const V3<double> arm = link.lever + link.world.R * (structure.links[k].at_body.R * V3<double>(point.at));
  Spatial6 out;
  for (int j = 0; j < 6; ++j) out.col(j) = column_from(force_from(Vec6::Unit(j)).from(arm));
  return out;
}

/// (4) of all points, at all nodes below them.
void climb_down(const Structure& structure, std::span<const LinkPoint> points, Climb climb, Workspace& work,
                OperationalWorkspace& own) {
  const auto& nodes = own.seen.nodes();
  own.first.clear();
  own.wrenches.clear();
  for (std::size_t i = 0; i < points.size(); ++i) {
    own.first.push_back(int(own.wrenches.size()));
    Spatial6 W = wrenches_at(structure, work, points[i]);
    own.wrenches.push_back(W);
    for (auto n = std::size_t(own.seen.node_of(i)); nodes[n].parent >= 0; n = std::size_t(nodes[n].parent)) {
      if (goes_by_edge(nodes[n], climb)) {
        W = own.edges[n] * W;
        ++own.count.products;
      } else {
        hand_down_edge(structure, work, nodes[n], own, W);
      }
      own.wrenches.push_back(W);
    }
  }
}

/// (5) of one point with itself and with those before it.
void find_answers_of(std::size_t j, OperationalWorkspace& own, MatX& Lambda) {
  const auto& nodes = own.seen.nodes();
  const auto steps_down = [&](int from, int to) {
    return std::size_t(nodes[std::size_t(from)].depth - nodes[std::size_t(to)].depth);
  };
  const int last = own.seen.node_of(j);
  own.answers.clear();
  std::size_t at = std::size_t(own.first[j]);
  for (int n = last; n >= 0; n = nodes[std::size_t(n)].parent, ++at)
    own.answers.push_back(own.own[std::size_t(nodes[std::size_t(n)].link)] * own.wrenches[at]);
  for (std::size_t i = 0; i <= j; ++i) {
    auto block = Lambda.block<6, 6>(6 * Eigen::Index(i), 6 * Eigen::Index(j));
    const int node = own.seen.node_of(i), c = own.seen.meeting(node, last);
    if (c < 0)
      block.setZero();
    else
      block.noalias() = own.wrenches[std::size_t(own.first[i]) + steps_down(node, c)].transpose().lazyProduct(
          own.answers[steps_down(last, c)]);
    if (i == j) block = Spatial6(0.5 * (block + block.transpose()));
    Lambda.block<6, 6>(6 * Eigen::Index(j), 6 * Eigen::Index(i)) = Spatial6(block.transpose());
  }
}

}  // namespace

void find_compliance(const Structure& structure, std::span<const LinkPoint> points, Climb climb,
                     Workspace& work, OperationalWorkspace& own, MatX& Lambda) {
  own.count = {};
  own.seen.build(structure, points);
  find_own_answers(structure, work, own);
  find_edges(structure, climb, work, own);
  climb_down(structure, points, climb, work, own);
  Lambda.resize(6 * Eigen::Index(points.size()), 6 * Eigen::Index(points.size()));
  for (std::size_t j = 0; j < points.size(); ++j) find_answers_of(j, own, Lambda);
}

}  // namespace minimal

int operational_compliance(const JointTree& tree, const VecX& q, std::span<const LinkPoint> points,
                           TreeData& data, MatX& Lambda) {
  const Structure& structure = tree.structure();
  Workspace& work = data.workspace();
  check_sizes(structure, q, work.still, nullptr, {});
  for (const LinkPoint& point : points) (void)link_at(structure, point.link);
  update_places(structure, q, work);
  if (const int stuck = factor_mass(structure, work); stuck != JointTree::kNone) return stuck;
  find_compliance(structure, points, Climb::automatic, work, data.operational(), Lambda);
  return JointTree::kNone;
}

}  // namespace catena
