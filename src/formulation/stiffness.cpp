#include "formulation/stiffness.h"

#include "formulation/joint_rows.h"
#include "formulation/marker_map.h"

#include <algorithm>

namespace catena {
namespace {

constexpr int kMostPairedMarkers = 16;  // of an owner with blocks

// block += factor·T_kᵀ K T_l for markers k and l of a set.
void add_pair_stiffness(const Layout& layout, const std::vector<MarkerSlot>& slots, const MarkerSet& set,
                        int k, int l, double factor, const double* K, double* block) {
  const BodySlot& left = layout.bodies[std::size_t(slots[std::size_t(k)].body)];
  const BodySlot& right = layout.bodies[std::size_t(slots[std::size_t(l)].body)];
  const MarkerMotion &lever_k = set.levers[std::size_t(k)], &lever_l = set.levers[std::size_t(l)];
  double scaled[36];
  for (int i = 0; i < 36; ++i) scaled[i] = factor * K[i];
  double half[6 * kMostVelocities];  // K T_l, row-major
  if (left.type == BodyType::rigid && right.type == BodyType::rigid) {
    for (int i = 0; i < 6; ++i) put_rigid_row<false, 6>(lever_l.r, scaled + i, half + 6 * i);
    for (int j = 0; j < 6; ++j) put_rigid_row<true, 6>(lever_k.r, half + j, block + 6 * j);
    return;
  }
  const int n = right.num_v;
  std::fill(half, half + 6 * n, 0.0);
  for (int i = 0; i < 6; ++i) add_row<6>(right, lever_l, set.other(l), scaled + i, half + n * i);
  for (int j = 0; j < n; ++j) {
    double column[6];
    for (int i = 0; i < 6; ++i) column[i] = half[n * i + j];
    add_row(left, lever_k, set.other(k), column, block + left.num_v * j);
  }
}

}  // namespace

MarkerBlocks::Place MarkerBlocks::place_of(const solve::Graph& graph, int a, int b) {
  if (a < 0 || b < 0) return {};
  if (a == b) return {Part::body, graph.mass_offset[std::size_t(a)]};
  const std::pair<int, int> wanted = std::minmax(a, b);
  const auto at = std::lower_bound(graph.links.begin(), graph.links.end(), wanted,
                                   [](const solve::Link& link, const std::pair<int, int>& key) {
                                     return std::pair(link.a, link.b) < key;
                                   });
  if (at == graph.links.end() || std::pair(at->a, at->b) != wanted) return {};
  return {at->a == a ? Part::upper : Part::lower, at->offset};
}

void MarkerBlocks::add(const solve::Graph& graph, const std::vector<MarkerSlot>& markers,
                       const AttachedSlot& owner) {
  if (owner.num_markers() <= kMostPairedMarkers)
    for (int k = owner.marker_begin; k < owner.marker_end; ++k)
      for (int l = owner.marker_begin; l < owner.marker_end; ++l)
        places_.push_back(place_of(graph, markers[std::size_t(k)].body, markers[std::size_t(l)].body));
  begin_.push_back(int(places_.size()));
}

void StiffnessSink::add_pairs(std::size_t index, const AttachedSlot& owner, const double* K) const {
  if (!blocks.has_blocks(index)) return;
  const int count = owner.num_markers();
  for (int k = 0; k < count; ++k)
    for (int l = 0; l < count; ++l)
      if (double* block = blocks.find(index, count, k, l, H))
        add_pair_stiffness(layout, markers, set, owner.marker_begin + k, owner.marker_begin + l, factor,
                           K + 36 * (k * count + l), block);
}

void StiffnessSink::add_lever(int marker, const Vec3& force) const {
  const int index = markers[std::size_t(marker)].body;
  if (index < 0) return;
  const BodySlot& body = layout.bodies[std::size_t(index)];
  const Vec3& r = set.levers[std::size_t(marker)].r;
  double* block = H.M.data() + body.M;
  if (body.type == BodyType::rigid)
    MarkerStiffness::Block(block).bottomRightCorner<3, 3>() += factor * double_cross(force, r);
  else if (body.type == BodyType::planar)
    block[8] -= factor * force.head<2>().dot(r.head<2>());
}

void StiffnessSink::add_row_levers(const AttachedSlot& owner, int rows, const double* G,
                                   const double* lambda) const {
  for (int m = owner.marker_begin; m < owner.marker_end; ++m, G += 6 * rows)
    if (markers[std::size_t(m)].body >= 0) add_lever(m, wrench_of_rows(rows, G, lambda).force);
}

void StiffnessSink::add_joint(std::size_t index, const ConstraintSlot& slot, const Kinematics& kinematics,
                              const double* lambda) const {
  const auto add = [&](int k, int l, const auto& K) {
    if (double* block = blocks.find(index, 2, k, l, H))
      MarkerStiffness::Block(block).bottomRightCorner<3, 3>() += factor * K;
  };
  with_joint(slot.joint, [&]<JointType TYPE>() {
    const JointStiffness K = joint_stiffness<TYPE>(JointSides(layout, slot, kinematics), lambda);
    add(0, 0, K.aa);
    add(1, 1, K.bb);
    if constexpr (kDots<TYPE> == 0) return;
    add(0, 1, K.ab);
    add(1, 0, K.ab.transpose());
  });
}

}  // namespace catena
