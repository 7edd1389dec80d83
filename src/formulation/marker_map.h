// The chain rule from markers to bodies, once: the velocity of a marker over the velocities of its body,
//
//   (ẋ_P ; ω) = T v                                                                                              (1)
//   rigid        T = ( 1  -[r]× ; 0  1 )          g T = ( n , τ + r × n )   for a row g = ( n , τ ) over the marker's velocity
//   planar       the same without z, and r × n about z only
//   particles    T = ( 1 ; 0 )                    g T = n
//   other kinds  T = ( J of the point ; W of the frame )
//
// Everything that goes from markers to bodies is a product of rows with T: blocks of J (rows of G), generalised forces
// (a wrench is a row), stiffness between two markers (rows, then columns).
#pragma once

#include "formulation/kinematics.h"

namespace catena {

/// out = g T of a rigid body, or out += g T; the six numbers of g are STRIDE apart. Straight-line code: it is most of an assembly.
template <bool kAdds = true, int STRIDE = 1>
inline void put_rigid_row(const Vec3& r, const double* g, double* out) {
  const double x = g[0], y = g[STRIDE], z = g[2 * STRIDE], rx = r[0], ry = r[1], rz = r[2];
  const double tx = g[3 * STRIDE] + ry * z - rz * y, ty = g[4 * STRIDE] + rz * x - rx * z,
               tz = g[5 * STRIDE] + rx * y - ry * x;
  out[0] = kAdds ? out[0] + x : x;
  out[1] = kAdds ? out[1] + y : y;
  out[2] = kAdds ? out[2] + z : z;
  out[3] = kAdds ? out[3] + tx : tx;
  out[4] = kAdds ? out[4] + ty : ty;
  out[5] = kAdds ? out[5] + tz : tz;
}

template <int STRIDE = 1>
inline void add_other_row(const BodySlot& body, const OtherMarker& other, const double* g, double* out) {
  const Vec3 linear(g[0], g[STRIDE], g[2 * STRIDE]);
  Eigen::Map<Eigen::RowVectorXd> row(out, body.num_v);
  row.noalias() += linear.transpose().lazyProduct(other.point.J);
  if (!body.body->has_orientation()) return;
  const Vec3 angular(g[3 * STRIDE], g[4 * STRIDE], g[5 * STRIDE]);
  row.noalias() += angular.transpose().lazyProduct(other.frame.W);
}

/// The same for any kind of body: the one place that knows T.
template <int STRIDE = 1>
inline void add_row(const BodySlot& body, const MarkerMotion& lever, const OtherMarker& other,
                    const double* g, double* out) {
  switch (body.type) {
    case BodyType::rigid:
      return put_rigid_row<true, STRIDE>(lever.r, g, out);
    case BodyType::planar:
      out[0] += g[0];
      out[1] += g[STRIDE];
      out[2] += g[5 * STRIDE] + lever.r[0] * g[STRIDE] - lever.r[1] * g[0];
      return;
    case BodyType::particle3:
      for (int k = 0; k < 3; ++k) out[k] += g[k * STRIDE];
      return;
    case BodyType::particle2:
      for (int k = 0; k < 2; ++k) out[k] += g[k * STRIDE];
      return;
    case BodyType::other:
      return add_other_row<STRIDE>(body, other, g, out);
  }
}

/// f_body += Tᵀ(force ; torque about the marker).
inline void add_wrench(const Layout& layout, const MarkerSlot& slot, const MarkerSet& set, int marker,
                       const double* wrench, VecX& f) {
  if (slot.body < 0) return;
  const BodySlot& body = layout.bodies[std::size_t(slot.body)];
  add_row(body, set.levers[std::size_t(marker)], set.other(marker), wrench, f.data() + body.v);
}

}  // namespace catena
