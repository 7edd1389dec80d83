// Where every body and every marker is, and how fast.   O(bodies + markers)
//
// Particles, planar and spatial rigid bodies all move their points by the same formula,
//   x_P = x + r,  ẋ_P = v + ω × r,  r = R p,                                                                 (1)
// with R = 1, ω = 0 for particles and ω along z in the plane; bodies of other kinds answer through Body::point.
#pragma once

#include "formulation/maximal/layout.h"
#include "math/small_matrix_kernel.h"

namespace catena::maximal {

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

struct Kinematics {
  std::vector<BodyMotion> bodies;                         // the world, at rest, comes last
  std::vector<Marker> constraint_markers, force_markers;  // in the order of the layout
  std::vector<MarkerMotion> constraint_levers, force_levers;
  std::vector<OtherMarker> constraint_others, force_others;  // used only for BodyType::other
  double step = 0.0;                                         // Motion::step

  explicit Kinematics(const Layout& layout);
};

/// Positions, rotations and velocities of all bodies.
void update_bodies(const Layout& layout, const VecX& q, const VecX& v, Kinematics& kinematics);

/// One marker from its body.
void update_marker(const Layout& layout, const MarkerSlot& slot, const VecX& q, const VecX& v,
                   const Kinematics& kinematics, Marker& marker, MarkerMotion& lever, OtherMarker& other);

/// All markers of one constraint.
void update_markers(const Layout& layout, const ConstraintSlot& slot, const VecX& q, const VecX& v,
                    Kinematics& kinematics);

/// Markers of the constraints that are evaluated through them: all but the joints known by name.
void update_constraint_markers(const Layout& layout, const VecX& q, const VecX& v, Kinematics& kinematics);

void update_force_markers(const Layout& layout, const VecX& q, const VecX& v, Kinematics& kinematics);

/// R I Rᵀ, columns STRIDE apart. By hand: Eigen's product of 3 × 3 matrices costs twice as much.
template <int STRIDE>
inline void write_inertia(const Mat3& R, const Mat3& I, double* out) {
  CATENA_UNROLL
  for (int j = 0; j < 3; ++j) {
    const double *c0 = R.data(), *c1 = c0 + 3, *c2 = c0 + 6;  // columns of R
    const double RI[3] = {c0[j] * I(0, 0) + c1[j] * I(1, 0) + c2[j] * I(2, 0),
                          c0[j] * I(0, 1) + c1[j] * I(1, 1) + c2[j] * I(2, 1),
                          c0[j] * I(0, 2) + c1[j] * I(1, 2) + c2[j] * I(2, 2)};
    CATENA_UNROLL
    for (int k = 0; k <= j; ++k)
      out[j + STRIDE * k] = out[k + STRIDE * j] = RI[0] * c0[k] + RI[1] * c1[k] + RI[2] * c2[k];
  }
}

/// Mass blocks in world axes. The entries of rigid bodies that never change are written by write_constant_mass.
void update_mass(const Layout& layout, const VecX& q, const Kinematics& kinematics, VecX& M);
void write_constant_mass(const Layout& layout, VecX& M);

/// f_body += (force ; torque about the marker) of one marker, for any kind of body.
void add_wrench(const Layout& layout, const MarkerSlot& slot, const MarkerMotion& lever,
                const OtherMarker& other, const Vec3& force, const Vec3& torque, VecX& f);

}  // namespace catena::maximal
