// Questions about a model: a four-bar linkage is drawn roughly, assembled, and asked how it can move and whether the solvers agree.
#include <catena/analysis.h>
#include <catena/joints.h>

#include <cstdio>

int main() {
  using namespace catena;
  Model model;
  model.gravity = {0, -9.81, 0};
  const BodyId crank = model.add("crank", planar_rod(1.0, 0.5), {.position = {0.1, 0.2, 0}});
  const BodyId coupler = model.add("coupler", planar_rod(2.0, 1.2), {.position = {0.6, 0.7, 0}});
  const BodyId follower = model.add("follower", planar_rod(1.0, 0.9), {.position = {1.1, 0.4, 0}});
  const auto pin = [&](const char* name, BodyId a, const Vec3& on_a, BodyId b, const Vec3& on_b) {
    model.add(name, hinge({Attachment{a, on_a}, Attachment{b, on_b}}));
  };
  pin("motor", crank, {-0.25, 0, 0}, world, {0, 0, 0});
  pin("knee", coupler, {-0.6, 0, 0}, crank, {0.25, 0, 0});
  pin("wrist", follower, {0.45, 0, 0}, coupler, {0.6, 0, 0});
  pin("pivot", follower, {-0.45, 0, 0}, world, {1, 0, 0});

  Simulation sim(model);
  const AssemblyReport report = assemble(sim);  // the pins met nowhere: now they do
  std::printf("closed from %.2f m apart to %.0e m\n", report.start_error, report.error);
  const auto directions = dof_directions(sim);
  for (const DofDirection& direction : directions)
    std::printf("it can move: %s\n", direction.summary.c_str());
  const Comparison solvers = compare(sim, 1);
  std::printf("%zu solvers %s\n", solvers.rows.size(), solvers.agree ? "agree" : "disagree");
  return report.is_closed && directions.size() == 1 && solvers.agree ? 0 : 1;
}
