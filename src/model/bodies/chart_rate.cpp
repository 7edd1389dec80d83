// Rates of the retraction charts: how fast u moves in q ⊕ u when the body moves with velocity v.
#include "catena/body.h"
#include "math/rotation.h"

#include <algorithm>

namespace catena {

void Body::chart_rate(const double* /*u*/, const double* v, double* u_dot) const {
  std::copy(v, v + num_v(), u_dot);
}

// R = exp([φ]×) R₀ moves with ω = J_l(φ) φ̇, so
//   φ̇ = J_l⁻¹(φ) ω = ω - ½ φ × ω + κ φ × (φ × ω),   κ = (1 - (φ/2) cot(φ/2)) / φ²               (1)
void Rigid::chart_rate(const double* u, const double* v, double* u_dot) const {
  const Vec3 phi(u[3], u[4], u[5]), w(v[3], v[4], v[5]);
  const double angle2 = phi.squaredNorm();
  const double half = 0.5 * std::sqrt(angle2);
  const double kappa = angle2 < 1e-4 ? 1.0 / 12.0 + angle2 / 720.0 : (1.0 - half / std::tan(half)) / angle2;
  const Vec3 cross = phi.cross(w);
  const Vec3 rate = w - 0.5 * cross + kappa * phi.cross(cross);
  std::copy(v, v + 3, u_dot);
  for (int i = 0; i < 3; ++i) u_dot[3 + i] = rate[i];
}

}  // namespace catena
