// Applied and velocity-quadratic forces, their potentials and powers.
#pragma once

#include "catena/simulation.h"
#include "formulation/equations.h"
#include "formulation/maximal/kinematics.h"

namespace catena::maximal {

struct ForceArrays {
  std::vector<Eigen::Matrix<double, 6, 1>> wrenches;  // scratch of one force
  explicit ForceArrays(const Layout& layout) : wrenches(std::size_t(std::max(layout.most_markers, 1))) {}
};

/// F = gravity + forces (+ velocity-quadratic terms); M: the mass blocks at q.
void update_forces(const Layout& layout, const VecX& q, const VecX& v, const VecX& M,
                   const Kinematics& kinematics, double t, const VecX& memory, bool with_velocity_terms,
                   ForceArrays& arrays, VecX& F);

double gravity_potential(const Layout& layout, const VecX& q, const Kinematics& kinematics);
/// Of springs and of the shapes of bodies.
double spring_potential(const Layout& layout, const VecX& q, const Kinematics& kinematics, double t,
                        const VecX& memory);
/// What a force does without a potential, to the account it belongs to.
void add_power(const Force& force, const Motion& motion, Powers& powers);
Powers compute_powers(const Layout& layout, const VecX& q, const VecX& v, const Kinematics& kinematics,
                      double t, const VecX& memory);

Motion force_motion(const ForceSlot& slot, const Kinematics& kinematics, double t, const VecX& memory);

}  // namespace catena::maximal
