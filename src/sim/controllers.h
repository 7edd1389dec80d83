// Controllers: functions that are called at sample times and write commands, which hold until the next sample.
//
// Sample k of a controller of period T belongs to the step [t, t + dt) that contains k·T + εT: the function is called at the
// beginning of that step. With
//   count(t) = ⌈t/T - ε⌉        samples that belong to steps before t                                        (1)
// the function is called when count(t + dt) > count(t). Each sample is met exactly once, whatever the steps are, and nothing but
// the time of the state decides: a restored run samples as the first one did. ε = 1/1000 is far above the rounding of a time that
// is a sum of steps. A step longer than the period would have to skip samples and is refused.
#pragma once

#include "catena/simulation.h"

#include <utility>

namespace catena {

struct Controller {
  std::string name;
  double period = 0.0;  // s
  std::function<void(Simulation&)> function;
};

/// The controllers of a simulation, and what has to be known while they run.
struct Controllers {
  std::vector<Controller> all;
  bool running = false;       // commands wait for the end of all controllers to have an effect
  bool commands_new = false;  // a command was written meanwhile
  VecX memory_before;         // of the state, for a step that is refused
  bool may_take_back = false;

  /// The step was completed: commands stay.
  void keep() { may_take_back = false; }
  /// The step was refused: commands become what they were. Whether there was anything to take back.
  bool take_back(VecX& memory) {
    if (!std::exchange(may_take_back, false)) return false;
    memory = memory_before;
    return true;
  }
};

/// count of (1)
double sample_count(double time, double period);

/// Calls those that have a sample in the step from now to now + dt. Returns why the step cannot be made; empty when all is well.
std::string run_controllers(Simulation& sim, double dt);

/// After a step: commands stay, or become what they were before it.
void finish_controllers(Simulation::Impl& sim, bool step_completed);

/// The same at the end of a scope, also when user code throws in it.
struct CommandsOfStep {
  Simulation& sim;
  bool are_kept = false;
  ~CommandsOfStep();
};

/// Throws InvalidInput when called from inside of a controller.
void require_no_controller_running(const Simulation& sim, std::string_view what);

}  // namespace catena
