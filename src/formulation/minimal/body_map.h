// From joints to bodies and back: the linear map v_bodies = A v_joints of a position, its transpose, and coordinates.
//
// Velocities of bodies are those of a state in body coordinates: of the centre of mass and angular, in world axes, as many as the kind of the
// body has. Loose bodies, which no joint carries and which have coordinates of their own, are mapped to themselves.   O(links) each
#pragma once

#include "formulation/kinematics.h"
#include "formulation/minimal/workspace.h"

namespace catena::minimal {

/// Coordinates of all bodies. After update_motion.
void write_bodies(const Structure& structure, const Workspace& data, const VecX& q, const VecX& v,
                  VecX& body_q, VecX& body_v);
/// Where all bodies are, for whoever needs no coordinates of theirs; there are no loose ones. After update_motion.
void write_motions(const Structure& structure, const Workspace& data, std::vector<BodyMotion>& bodies);
/// Coordinates of one joint whose markers move so; on entry q tells which of several.
void read_joint(const JointMotion& motion, const Marker& a, const Marker& b, double* q, double* v);
/// The nearest joint coordinates of all. @param markers  scratch
void read_joints(const Structure& structure, const VecX& body_q, const VecX& body_v,
                 std::vector<Marker>& markers, VecX& q, VecX& v);

// At the places of update_places:

/// out = A x
void spread(const Structure& structure, Workspace& data, const VecX& x, VecX& out);
/// out = Aᵀ f
void gather(const Structure& structure, Workspace& data, const VecX& f, VecX& out);
/// Takes forces on bodies off the bias forces of their links (start_bias_forces).
void take_off_bias(const Structure& structure, const VecX& f, Workspace& data);
/// Forces on bodies, pairs of them at the joints, with Aᵀ out = f.
void scatter(const Structure& structure, const Workspace& data, const VecX& f, VecX& out);
/// x of velocities of bodies that are A x; of others the nearest, joint by joint.
void collect(const Structure& structure, Workspace& data, const VecX& body_v, VecX& x);

/// Ȧ v: what bodies accelerate by at v̇ = 0. After update_motion too.
void write_bias_accelerations(const Structure& structure, Workspace& data, VecX& out);

}  // namespace catena::minimal
