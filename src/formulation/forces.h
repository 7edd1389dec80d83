// Applied and velocity-quadratic forces over the velocities of the bodies, their potentials and powers.   O(bodies + forces)
#pragma once

#include "formulation/equations.h"
#include "formulation/kinematics.h"

namespace catena {

using WrenchScratch = std::vector<Eigen::Matrix<double, 6, 1>>;  // of one force, a wrench per marker

/// Which forces are wanted: implicit stages take those along coordinates as rows.
enum class ForceParts : std::uint8_t { all, without_coordinates };

/// F += weight and shape forces of all bodies.
void add_body_forces(const Layout& layout, const VecX& q, const VecX& v, VecX& F);
/// F += I ω × ω and what else bodies have that is quadratic in the velocities; M: the mass blocks at q.
void add_velocity_forces(const Layout& layout, const VecX& q, const VecX& v, const VecX& M, VecX& F);
/// F += what the forces of the model exert, by the chain rule from their markers.
void add_marker_forces(const Layout& layout, const Kinematics& kinematics, const Instant& at,
                       ForceParts parts, WrenchScratch& scratch, VecX& F);

/// The wrenches of one force at its markers, into `scratch`.
inline void apply_force(const Force& force, const Motion& motion, WrenchScratch& scratch) {
  for (std::size_t k = 0; k < motion.at.size(); ++k) scratch[k].setZero();
  Wrenches wrenches({scratch.data(), motion.at.size()});
  force.apply(motion, wrenches);
}

double gravity_potential(const Layout& layout, const VecX& q, const Kinematics& kinematics);
/// Of springs and of the shapes of bodies.
double spring_potential(const Layout& layout, const Kinematics& kinematics, const Instant& at);
/// What forces and shapes do without a potential; driven constraints: efforts.h.
Powers compute_powers(const Layout& layout, const Kinematics& kinematics, const Instant& at);

}  // namespace catena
