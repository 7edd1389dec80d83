// Where every body and every marker is, and how fast.   O(bodies + markers)
//
// Particles, planar and spatial rigid bodies all move their points by the same formula,
//   x_P = x + r,  ẋ_P = v + ω × r,  r = R p,                                                                 (1)
// with R = 1, ω = 0 for particles and ω along z in the plane; bodies of other kinds answer through Body::point.
#pragma once

#include "formulation/instant.h"
#include "formulation/layout.h"

namespace catena {

struct BodyMotion {
  Vec3 x, v, w;
  Mat3 R;
};

/// A marker with what the chain rule needs beside the public part.
struct MarkerMotion {
  Vec3 r;     // lever from the centre of mass, world axes
  Vec3 bias;  // acceleration of the point at v̇ = 0
};

/// Chain-rule matrices of a marker on a body of another kind.
struct OtherMarker {
  PointMap point;
  FrameMap frame;
};

/// The markers of all constraints, or of all forces, in the order of the layout.
struct MarkerSet {
  std::vector<Marker> markers;
  std::vector<MarkerMotion> levers;
  std::vector<OtherMarker>
      others;  // only where there are bodies of other kinds; else a single one that nobody reads

  MarkerSet(std::size_t size, bool has_other_bodies);
  const OtherMarker& other(int marker) const { return others[others.size() > 1 ? std::size_t(marker) : 0]; }
  OtherMarker& other(int marker) { return others[others.size() > 1 ? std::size_t(marker) : 0]; }
};

struct Kinematics {
  std::vector<BodyMotion> bodies;  // the world, at rest, comes last
  MarkerSet constraints, forces, inequalities;

  explicit Kinematics(const Layout& layout);
};

/// Positions, rotations and velocities of all bodies.
void update_bodies(const Layout& layout, const VecX& q, const VecX& v, Kinematics& kinematics);

/// Markers of the constraints that are evaluated through them: all but the joints known by name.
void update_constraint_markers(const Layout& layout, const VecX& q, const VecX& v, Kinematics& kinematics);
/// All markers of one constraint.
void update_markers(const Layout& layout, const ConstraintSlot& slot, const VecX& q, const VecX& v,
                    Kinematics& kinematics);
void update_force_markers(const Layout& layout, const VecX& q, const VecX& v, Kinematics& kinematics);
void update_inequality_markers(const Layout& layout, const VecX& q, const VecX& v, Kinematics& kinematics);

/// What a constraint or a force is evaluated with; `set` is where its markers are.
inline Motion motion_of(const AttachedSlot& slot, const MarkerSet& set, const Instant& at) {
  Motion motion;
  motion.at = {set.markers.data() + slot.marker_begin, std::size_t(slot.num_markers())};
  motion.time = at.time;
  motion.planar = slot.planar;
  motion.memory = {at.memory.data() + slot.memory, std::size_t(slot.memory_size)};
  motion.step = at.step;
  return motion;
}

}  // namespace catena
