// Assembling mechanisms and looking at how they can move: kinematics without inertia.
//
//   AssemblyReport report = assemble(sim);        // closes all joints from a rough start
//   for (const DofDirection& d : dof_directions(sim)) ...
#pragma once

#include "catena/simulation.h"

namespace CATENA_API catena {

struct AssemblyOptions {
  int max_iterations = 500;
  double tolerance = 1e-11;  // largest |C| that counts as closed, relative to the model's size
};

struct AssemblyReport {
  bool is_closed = false;
  int iterations = 0;
  double start_error = 0.0, error = 0.0;  // largest |C|, m or rad
  double velocity_change = 0.0;           // largest change that made the velocities consistent
  std::string message;                    // what could not be closed, with names; empty when all is
};

/// Moves the bodies until all constraints hold, by damped least squares with the block-sparse factorisation (Levenberg and
/// Marquardt; the masses are the metric), then makes the velocities consistent. The state is left untouched when it fails.
[[nodiscard]] AssemblyReport assemble(Simulation& sim, const AssemblyOptions& options = {});

/// One way to move that all constraints allow: v with J v = 0.
struct DofDirection {
  VecX velocity;        // one number per velocity of the model; 1 at the coordinate that leads
  BodyId leader;        // the body with that coordinate
  std::string summary;  // "crank turns about z; coupler, follower go with it"
};

/// Independent directions, as many as there are degrees of freedom, each led by one coordinate that the others leave alone.
/// Throws InvalidInput for models with more than `largest` velocities.
std::vector<DofDirection> dof_directions(const Simulation& sim, int largest = 2000);

/// A frame of the motion along a direction: the state reached after `amount` (m or rad of the leading coordinate), constraints held.
/// Nothing when the mechanism cannot go that far.
std::optional<State> move_along(const Simulation& sim, const DofDirection& direction, double amount);

}  // namespace catena
