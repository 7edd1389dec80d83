// Momentum of bodies in world axes, and how it changes.   O(bodies)
//
//   π = (m v ; I ω) of rigid bodies, M v of planar ones and particles, v itself of bodies of other kinds                 (1)
//   dπ/dt = (m a ; I α + ω × I ω)                                                                                  (2)
#pragma once

#include "formulation/layout.h"

namespace catena {

void momentum(const Layout& layout, const VecX& q, const VecX& v, VecX& pi);
void momentum_rate(const Layout& layout, const VecX& q, const VecX& v, const VecX& a, VecX& rate);

/// q ⊕ u of all bodies. Quaternions are not normalised: they are of unit length to rounding.
void displace_bodies(const Layout& layout, const VecX& q, const VecX& u, VecX& out);
/// u += rate of the chart at u for a movement du (Body::chart_rate).
void advance_chart(const Layout& layout, const VecX& du, VecX& u);
/// How far the fastest rigid body turns.   rad
double largest_turn(const Layout& layout, const VecX& u, int* body = nullptr);

}  // namespace catena
