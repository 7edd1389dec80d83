// Rates of the retraction charts: how fast u moves in q ⊕ u when the body moves with velocity v.
#include "catena/bodies.h"
#include "math/rotation.h"

#include <algorithm>

namespace catena {

void Body::chart_rate(const double* /*u*/, const double* v, double* u_dot) const {
  std::copy(v, v + num_v(), u_dot);
}

void Rigid::chart_rate(const double* u, const double* v, double* u_dot) const {
  std::copy(v, v + 3, u_dot);
  const Vec3 rate = rotation_chart_rate({u[3], u[4], u[5]}, {v[3], v[4], v[5]});
  for (int i = 0; i < 3; ++i) u_dot[3 + i] = rate[i];
}

}  // namespace catena
