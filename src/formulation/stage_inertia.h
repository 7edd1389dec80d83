// Inertia of bodies in an implicit stage: residual, and its derivative by the displacement.
//
// A spatial rigid body, with I in world axes, L = I ω, and θ the angular part of u:
//   s ∂r/∂u = [ m 1   0 ;  0   I J_l⁻¹(θ) + τ(I[ω]× - [L]×) ]                                       momentum form         (1)
//   angular block  (I + (s/τ)([ω]×I - [L]×)) J_l⁻¹(θ) + s(I[a]× - [I a]× + [ω]×(I[ω]× - [L]×))      acceleration form     (2)
// A linearised step from u = 0 would miss that I turns; it takes the gyroscopic torque instead, linear about the velocity ω at its start:
//   angular block  I + τ([ω]×I - [I ω]×),   r = (I u/τ - L)/τ - ω × I ω  at u = 0                                         (3)
// Bodies of other kinds answer through their own functions and are differentiated numerically. In a linearised step their mass is that of the
// start, and their velocity force f, of second degree, is linear about the velocity v there:
//   f(v) + f'(v)(u/τ - v):   at u = 0 and in its slope  f(v + u/τ) - f(1.5 v) + f(0.5 v)                                     (4)
#pragma once

#include "formulation/body_rows.h"
#include "formulation/stage_equations.h"
#include "formulation/system.h"

namespace catena {

/// A wrench at a marker of a body.
struct MarkerLoad {
  const MarkerSlot* marker;
  Wrench wrench;
};

/// Adds what rows with multipliers λ, or a force, exert at markers on bodies of other kinds.
void add_row_loads(const Layout& layout, const std::vector<MarkerSlot>& markers, const AttachedSlot& owner,
                   int rows, const double* G, const double* lambda, std::vector<MarkerLoad>& loads);
void add_force_loads(const Layout& layout, const ForceSlot& slot, const Motion& motion,
                     WrenchScratch& scratch, std::vector<MarkerLoad>& loads);

class StageInertia {
 public:
  explicit StageInertia(const System& system)
      : system_(system), layout_(system.layout), inertia_(layout_.bodies.size(), Mat3::Zero()) {}

  /// r of stage_equations.h (2), (3) without forces, at displacement u; v: the velocity there. The system is placed there.
  void update_residual(const Stage& stage, const VecX& u, const VecX& v, VecX& r);

  /// D += s ∂r/∂u, blocks at BodySlot::M, at the last update_residual().
  /// @param loads  on bodies of other kinds: how their generalised forces change with the body belongs to its block
  void add_derivative(const Stage& stage, const VecX& u, std::span<const MarkerLoad> loads, VecX& D) const;

 private:
  void rigid_residual(const Stage& stage, std::size_t body, const double* v, double* r);
  Mat3 rotational_derivative(const Stage& stage, std::size_t body, const VecX& u) const;
  void other_residual(const Stage& stage, const BodySlot& slot, const double* u, double* r) const;
  void loaded_residual(const Stage& stage, int body, std::span<const MarkerLoad> loads, const double* u,
                       double* r) const;
  void add_differences(const Stage& stage, int body, std::span<const MarkerLoad> loads, const VecX& u,
                       VecX& D) const;

  const System& system_;
  const Layout& layout_;
  std::vector<Mat3> inertia_;  // world axes, of rigid bodies
  VecX a_;                     // accelerations, in the acceleration form
};

}  // namespace catena
