// The state of a simulation in its own coordinates and in those of its bodies.
#include "sim/impl.h"

namespace catena {

Instant Simulation::Impl::in_bodies(const State& own, VecX& q, VecX& v) const {
  if (own.coordinates == Coordinates::bodies) return instant_of(own);
  joint_equations->to_bodies(own.q, own.v, q, v);
  return {q, v, own.time, own.memory};
}

State Simulation::Impl::in_body_coordinates(const State& own) const {
  State out = own;
  if (own.coordinates == Coordinates::bodies) return out;
  const std::lock_guard lock(known_mutex_);
  joint_equations->to_bodies(own.q, own.v, out.q, out.v);
  out.coordinates = Coordinates::bodies;
  return out;
}

State Simulation::Impl::in_own_coordinates(const State& other) const {
  const Coordinates own = joint_equations ? Coordinates::joints : Coordinates::bodies;
  if (other.coordinates == own) return other;
  if (own == Coordinates::bodies) return catena::in_body_coordinates(model, other);
  State out = other;
  // turns are counted from where the simulation is
  out.q = state.coordinates == own && state.q.size() == equations->num_q() ? state.q : VecX();
  joint_equations->to_joints(other.q, other.v, out.q, out.v);
  out.coordinates = own;
  return out;
}

void Simulation::Impl::take_state(const State& given) {
  const auto refuse = [](std::string what) {
    throw InvalidInput({{"set_state", std::move(what), "use a state of the same model"}});
  };
  const bool is_converted = joint_equations && given.coordinates == Coordinates::bodies;
  const Layout& layout = system->layout;
  if (given.coordinates != Coordinates::bodies && given.coordinates != Coordinates::joints)
    refuse("the state has coordinates that do not exist");
  if (is_converted && (given.q.size() != layout.num_q || given.v.size() != layout.num_v ||
                       given.memory.size() != layout.num_memory))
    refuse("the state has other sizes than the model");
  State taken = in_own_coordinates(given);
  if (state.q.size() > 0)
    if (std::string problem = explain_bad_state(*this, taken); !problem.empty()) refuse(std::move(problem));
  std::string opening;
  if (is_converted) {  // joint coordinates cannot say that a joint is open: it is told before the first step
    joint_equations->bodies_have_moved();  // also where the next line is interrupted
    body_equations->evaluate(instant_of(given));
    opening = explain_violation(*this, *body_equations, given);
    if (!opening.empty() && !traits(choice.integrator).has_inertia)
      opening += "; or use formulation 'maximal', where joints may begin open and are pulled together";
  }
  open_start = std::move(opening);
  restart(std::move(taken));
}

void Simulation::Impl::advance_memory(State& end) const {
  if (system->layout.num_memory == 0) return;
  const Instant at = in_bodies(end, end_q, end_v);
  system->advance_memory(at, end.memory);
}

}  // namespace catena
