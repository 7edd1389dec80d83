// What the viewer adds to a model while it runs: the hand, streamed targets, switches of forces.
//
// Names begin with a '.', so that they are not drawn (catena/output.h). None of them has memory: states recorded with and without
// them are the same.
#pragma once

#include "catena/catena.h"

namespace catena::app {

inline constexpr const char* kHandName = ".hand";

/// Where a point of a body should go, and how hard it is pulled there. Shared with the force or the nail that does it.
struct Pull {
  Vec3 target = Vec3::Zero();                       // world, m
  Quat orientation = Quat::Identity();              // of the body
  bool turns = false;                               // whether the orientation is pulled too
  double stiffness = 0.0, damping = 0.0;            // N/m, N·s/m
  double turn_stiffness = 0.0, turn_damping = 0.0;  // N·m/rad, N·m·s/rad
};
using PullPtr = std::shared_ptr<Pull>;

ForcePtr pull_force(const Attachment& at, PullPtr pull);
/// The force of a pull on its body now, N.
Vec3 force_of(const Pull& pull, const Marker& at);

/// A nail whose place is the pull's target: kinematic dragging.
ConstraintPtr pull_nail(const Attachment& at, PullPtr pull);

/// A force that can be switched off.
ForcePtr switched(ForcePtr force, std::shared_ptr<const bool> is_on);
/// Whether it can be switched already: its first command is "on".
bool has_own_switch(const Force& force);
/// The scene with all its other forces made so; `switches` has one per force, in order.
void make_switchable(Scene& scene, std::vector<std::shared_ptr<bool>>& switches);

/// Mass that a hand at a point of a body feels in the direction in which it yields most, constraints counted: what an impulse shows.
double softest_mass(Simulation& sim, const Attachment& at);
/// Gains that make a pull feel alike for a fly and for a crane, and stay stable with the step dt. @param size of the model, m
void tune(Pull& pull, double softest, double total_mass, double size, double dt);

}  // namespace catena::app
