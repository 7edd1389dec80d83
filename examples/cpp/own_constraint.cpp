// A constraint of one's own: a point stays on the paraboloid z = k (x² + y²). Works in every solver and integrator.
#include <catena/catena.h>

#include <cstdio>

// [snippet:constraint]
class OnParaboloid : public catena::Constraint {
 public:
  OnParaboloid(const catena::Attachment& a, double k) : Constraint({a}), k_(k) {}
  std::string_view kind() const override { return "on-paraboloid"; }
  int num_rows(bool) const override { return 1; }
  void evaluate(const catena::Motion& motion, catena::Rows& rows) const override {
    const catena::Marker& p = motion.at[0];
    rows.C(0) = p.x.z() - k_ * (p.x.x() * p.x.x() + p.x.y() * p.x.y());
    rows.set_G(0, 0, {-2 * k_ * p.x.x(), -2 * k_ * p.x.y(), 1}, catena::Vec3::Zero());
    rows.gamma(0) = -2 * k_ * (p.v.x() * p.v.x() + p.v.y() * p.v.y());
  }

 private:
  double k_;  // 1/m
};
// [snippet:end]

int main() {
  using namespace catena;
  Model model;
  const BodyId bob = model.add("marble", sphere(0.2, 0.01), {.position = {1, 0, 0.5}, .velocity = {0, 2, 0}});
  const BodyId tail = model.add("tail", rod(0.1, 0.4), {.position = {1.2, 0, 0.5}});
  model.add("bowl", std::make_shared<OnParaboloid>(Attachment{bob}, 0.5));
  model.add("string", ball(model.join(tail, bob, {1, 0, 0.5})));

  Simulation sim(model);
  if (!sim.project().ok()) return 1;  // the tail's end must start with the marble's velocity
  const Comparison solvers = compare(sim, 1);
  for (const auto& row : solvers.rows)
    std::printf("%-10s differs by %.1e\n", name(row.solver).data(), row.acceleration_difference);
  while (sim.time() < 2.0)
    if (const StepReport report = sim.step(1e-3); !report.ok()) return std::puts(report.message.c_str()), 1;
  std::printf("after 2 s: |C| = %.1e m, energy drift %.1e J\n", sim.constraint_error(),
              sim.numerical_energy());
  return solvers.agree ? 0 : 1;
}
