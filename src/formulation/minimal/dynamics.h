// What inverse and forward dynamics share.
#pragma once

#include "formulation/minimal/workspace.h"

namespace catena::minimal {

/// Throws InvalidInput when there is no such link.
const Link& link_at(const Structure& structure, int link);
/// Throws InvalidInput when the inputs of an algorithm do not fit the tree. @param a may be nullptr
void check_sizes(const Structure& structure, const VecX& q, const VecX& v, const VecX* a, Loads loads);

/// A of all links from v̇, after update_motion.
void update_accelerations(const Structure& structure, const VecX& a, Workspace& data);
/// What the joints carry at these accelerations.
void update_joint_forces(const Structure& structure, Loads loads, Workspace& data);
/// p of articulated bodies, into LinkMotion::F and, to stay there, into Workspace::forces; after update_motion.
void start_bias_forces(const Structure& structure, Loads loads, Workspace& data);
/// v̇ of the links from the bias forces, which become those of articulated bodies; M is factored on the way, as by factor_mass.
/// @returns the link whose motion has no inertia, kNone when all is well
int solve_articulated(const Structure& structure, const double* tau, Workspace& data, VecX& a);
/// Inertias of what hangs on each joint, as if nothing in it moved; after update_places.
void update_composites(const Structure& structure, Workspace& data);
// M of the links, at the places of update_places; entries of loose bodies are not touched. x.size() = num_v.
/// Factors M. @returns the link whose motion has no inertia, kNone when all is well
int factor_mass(const Structure& structure, Workspace& data);
/// x = M⁻¹ f with that factor.
void solve_mass(const Structure& structure, const VecX& f, Workspace& data, VecX& x);
/// out = M x
void multiply_mass(const Structure& structure, const VecX& x, Workspace& data, VecX& out);

/// A load about the origin of a link.
Force6 load_on(const Structure& structure, const Workspace& data, int link, Loads loads);

}  // namespace catena::minimal
