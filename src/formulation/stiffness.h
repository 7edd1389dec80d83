// How forces at markers change when their bodies move, over the velocities of the bodies.
//
//   ∂(Tᵀw)_k/∂(motion of body l) = T_kᵀ K_kl T_l + [f_k]×[r_k]×  for l = k,   K_kl = ∂w_k/∂(motion of marker l)        (1)
//
// w = (f ; τ) at marker k, T: marker_map.h, r: lever of the marker. The last term says that a force on a lever turns with the body; bodies
// of other kinds have it in the derivative of their own T.
#pragma once

#include "formulation/marker_map.h"

namespace catena {

/// block += factor·T_kᵀ K T_l for markers k and l of a set; K: 6 × 6, block: num_v of k's body × num_v of l's, both column-major.
void add_pair_stiffness(const Layout& layout, const std::vector<MarkerSlot>& slots, const MarkerSet& set,
                        int k, int l, double factor, const double* K, double* block);

/// block += factor·[f]×[r]× in the rows and columns of the body's rotation.
void add_lever_stiffness(const BodySlot& body, const MarkerMotion& lever, const Vec3& force, double factor,
                         double* block);

/// K and V of one force at its markers by central differences: derivatives by pose and by velocity, 36 numbers per pair of markers.
/// Newton's method needs them for its speed only; differences of 1e-6 leave it quadratic to about 1e-9.
struct ForceDerivatives {
  VecX K, V;
  std::vector<Marker> moved;  // scratch
  std::vector<Eigen::Matrix<double, 6, 1>> wrenches;

  explicit ForceDerivatives(const Layout& layout);
  void evaluate(const Layout& layout, const ForceSlot& slot, const Motion& motion);
  /// Adds to K what V contributes when velocities follow displacements u of a stage of length τ:  v = u̇,  δv = δu/τ. The velocity of a
  /// marker, v + ω × r, also changes with the pose at a given velocity of the body (δv = -[ω]×[r]×δθ), and ω of the body through the
  /// chart (δω = J_l⁻¹(θ)δθ/τ).                                                                                    (2)
  void add_rates(const Layout& layout, const ForceSlot& slot, const MarkerSet& set, const VecX& u,
                 double tau);

 private:
  void add_difference(const Force& force, const Motion& motion, int marker, int direction, double step);
};

}  // namespace catena
