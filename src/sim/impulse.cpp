// An impulse at a point of a body: velocities jump, positions stay, the constraints hold through it.
//
//   M v⁺ = M v + Aᵀp + Jᵀμ,   J v⁺ = -C_t        A: the velocity of the point over the velocities of its body         (1)
//
// The three rows of A stand on the factor as rows that hold for a moment (solve/extra_rows.h); p is their multiplier.
#include "sim/impl.h"

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

StepReport Simulation::apply_impulse(BodyId body, const Vec3& point, const Vec3& impulse) {
  require_no_controller_running(*this, "apply_impulse");
  Impl& s = *impl_;
  const int index = s.model.index_of(body);
  if (index < 0 || !point.allFinite() || !impulse.allFinite())
    throw InvalidInput({{"apply_impulse", "needs a body of the model, a finite point and a finite impulse",
                         "take the BodyId from Model::add or Model::find_body"}});
  if (const SolveResult& result = s.factored(); !result.ok()) return refuse_impulse(s, result);
  const double before = s.balance().energy.total();
  Formulation& equations = *s.equations;
  solve::ExtraRows rows;
  rows.begin(equations.solver(), equations.problem());
  equations.add_point_rows(index, point, rows);

  VecX momentum(equations.num_v()), v, mu;
  equations.apply_mass(s.state.v, momentum);
  rows.add_forces(impulse, momentum);
  const VecX d = -equations.C_t();
  const SolveResult result = equations.solve_checked(momentum, d, v, mu);  // (1)
  if (!result.ok()) return refuse_impulse(s, result);
  State state = s.state;
  state.v = v;
  state.history.forget();
  state.multipliers.resize(0);
  s.restart(std::move(state));
  s.state.ledger[Account::impulses] += s.balance().energy.total() - before;
  StepReport report;
  report.residual = result.residual;
  return report;
}

}  // namespace catena
