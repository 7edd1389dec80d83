// How the wrenches of one force at its markers change with the poses and velocities of these markers, by central differences.
//
// Newton's method needs them for its speed only; differences of 1e-6 leave it quadratic to about 1e-9.
#pragma once

#include "formulation/system.h"

namespace catena {

struct ForceDerivatives {
  VecX K, V;                  // by pose and by velocity: 6 × 6, column-major, per pair of markers (k, l)
  std::vector<Marker> moved;  // scratch
  std::vector<Eigen::Matrix<double, 6, 1>> wrenches;

  explicit ForceDerivatives(const Layout& layout);
  void evaluate(const Layout& layout, const ForceSlot& slot, const Motion& motion);
  /// Adds to K what V contributes when velocities follow displacements u of a stage of length τ:  v = u̇,  δv = δu/τ. The velocity of a
  /// marker, v + ω × r, also changes with the pose at a given velocity of the body (δv = -[ω]×[r]×δθ), and ω of the body through the
  /// chart (δω = J_l⁻¹(θ)δθ/τ).                                                                                    (1)
  void add_rates(const Layout& layout, const ForceSlot& slot, const MarkerSet& set, const VecX& u,
                 double tau);
  /// f += what the tangent at the velocities of the trial, where the derivatives were taken, says at rest, less what the force itself
  /// says where the system is, which is at rest. Nothing for forces that are linear in velocities.
  void add_tangent_at_rest(System& system, const ForceSlot& slot, const Instant& at, VecX& f) const;

 private:
  void add_difference(const Force& force, const Motion& motion, int marker, int direction, double step);
};

}  // namespace catena
