// An impulse at a point of a body: velocities jump, positions stay, the constraints hold through it.
//
//   M v⁺ = M v + Aᵀp + Jᵀμ,   J v⁺ = -C_t        A: the velocity of the point over the velocities of its body         (1)
//
#include "sim/impl.h"

#include <fmt/core.h>

#include <cmath>

namespace catena {
namespace {

StepReport refuse_impulse(const Simulation::Impl& s, const SolveResult& result) {
  StepReport report;
  report.status = StepReport::Status::refused;
  report.residual = result.residual;
  report.message = explain(s, result);
  return report;
}

}  // namespace

SolveResult Simulation::Impl::jump_to(const VecX& momentum, Account account) {
  if (const SolveResult& result = factored(); !result.ok()) return result;
  const double energy_before = balance().energy.total();
  VecX v, mu;
  const VecX d = -equations->C_t();
  const SolveResult result = equations->solve_checked(momentum, d, v, mu);  // (1)
  if (!result.ok()) return result;
  State unmoved = state;
  state.v = v;
  state.history.forget();
  state.multipliers.resize(0);
  forget_known();
  rates_are_known = false;
  const auto undo = [&] {
    state = std::move(unmoved);
    forget_known();
  };
  double work = 0.0;
  try {
    work = balance().energy.total() - energy_before;
  } catch (...) {  // no blow whose work is not booked
    undo();
    throw;
  }
  if (std::isfinite(work)) {
    state.ledger[account] += work;
    return result;
  }
  undo();
  return {.status = SolveResult::Status::not_finite};
}

StepReport Simulation::apply_impulse(BodyId body, const Vec3& point, const Vec3& impulse) {
  require_no_controller_running(*this, "apply_impulse");
  Impl& s = *impl_;
  const int index = s.model.index_of(body);
  if (index < 0 || !point.allFinite() || !impulse.allFinite())
    throw InvalidInput({{"apply_impulse", "needs a body of the model, a finite point and a finite impulse",
                         "take the BodyId from Model::add or Model::find_body"}});
  if (const SolveResult& result = s.factored(); !result.ok()) return refuse_impulse(s, result);
  VecX momentum(s.equations->num_v());
  s.equations->apply_mass(s.state.v, momentum);
  s.equations->add_point_force(index, point, impulse, momentum);
  const SolveResult result = s.jump_to(momentum, Account::impulses);
  if (!result.ok()) {
    StepReport report = refuse_impulse(s, result);
    if (result.status == SolveResult::Status::not_finite)
      report.message =
          fmt::format("the impulse of {:.3g} N·s on body '{}' leaves no finite energy; give less",
                      impulse.stableNorm(), s.model.bodies()[std::size_t(index)].name);
    return report;
  }
  StepReport report;
  report.residual = result.residual;
  return report;
}

}  // namespace catena
