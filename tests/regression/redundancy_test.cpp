// Redundant and contradicting constraints: counted, named, explained.
#include "catena/analysis.h"
#include "catena/catena.h"
#include "sim/impl.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

BodyId add_box(Model& model, const std::string& name, const Vec3& at) {
  return model.add(name, box(2.0, Vec3(0.3, 0.2, 0.1)), {.position = at});
}

// |Jᵀz| of every dependency against |z|, in the model's own rows.
void expect_null_vectors(const Simulation& sim, const CheckReport& report) {
  const solve::Problem& problem = SimulationAccess::impl(sim).evaluated_bodies().problem();
  for (const Dependency& d : report.dependencies) {
    VecX force = VecX::Zero(problem.graph->num_x());
    solve::add_Jt_times(problem, d.null_vector, force);
    EXPECT_LT(force.norm(), 1e-10 * d.null_vector.norm());
    EXPECT_GE(d.named_share, 0.95);
  }
}

TEST(Redundancy, ADuplicatedJointIsNamedWithItsOriginal) {
  Model model;
  const BodyId a = add_box(model, "a", Vec3(0.5, 0, 0)), b = add_box(model, "b", Vec3(1.5, 0, 0));
  model.add("shoulder", ball(model.join(a, world, Vec3::Zero())));
  model.add("elbow", hinge(model.join(b, a, Vec3(1, 0, 0), Vec3::UnitY())));
  model.add("elbow-again", hinge(model.join(b, a, Vec3(1, 0, 0), Vec3::UnitY())));
  Simulation sim(model);
  const CheckReport report = check(sim);
  EXPECT_EQ(report.redundant_rows, 5);
  EXPECT_EQ(report.dof, 4);
  ASSERT_EQ(report.dependencies.size(), 5u);
  expect_null_vectors(sim, report);
  for (const Dependency& d : report.dependencies) {
    ASSERT_EQ(d.parts.size(), 2u);
    for (const DependencyPart& part : d.parts) EXPECT_EQ(part.name.substr(0, 5), "elbow");
    EXPECT_NE(d.remedy.find("same bodies"), std::string::npos) << d.remedy;
    EXPECT_TRUE(d.is_consistent);
  }
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(sim.step(1e-3).ok());
  // forces are shared in no particular way; those of least norm evenly
  const VecX even = minimum_norm_multipliers(sim);
  EXPECT_LT((even.segment(3, 5) - even.segment(8, 5)).norm(), 1e-6 * (1.0 + even.norm()));
}

// A table on four legs, each a vertical distance: three would do.
TEST(Redundancy, FourEqualLegsCarryEqualLoads) {
  Model model;
  const BodyId table = add_box(model, "table", Vec3(0, 0, 1));
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      model.add("leg" + std::to_string(model.constraints().size()),
                distance(model.join(table, world, Vec3(x, y, 1), Vec3::UnitZ(), Vec3(x, y, 0)), 1.0));
  const Simulation sim(model);
  const CheckReport report = check(sim);
  EXPECT_EQ(report.redundant_rows, 1);
  ASSERT_EQ(report.dependencies.size(), 1u);
  EXPECT_EQ(report.dependencies[0].parts.size(), 4u);
  expect_null_vectors(sim, report);
  const VecX load = minimum_norm_multipliers(sim);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(std::abs(load[i]), 2.0 * 9.81 / 4, 1e-6);
}

TEST(Redundancy, IndependentLoopsHaveNone) {
  Model model;
  const BodyId a = add_box(model, "a", Vec3(0, 0, 0)), b = add_box(model, "b", Vec3(1, 0, 0));
  model.add("left", ball(model.join(a, b, Vec3(0.5, 0, 0))));
  model.add("bar", distance(model.join(a, b, Vec3(0, 1, 0), Vec3::UnitZ(), Vec3(1, 1, 0)), 1.0));
  const CheckReport report = check(Simulation(model));
  EXPECT_EQ(report.redundant_rows, 0);
  EXPECT_EQ(report.loops, 1);
  EXPECT_EQ(report.dof, 8);
}

TEST(Conflict, OfTwoDrivesIsRefusedWithNames) {
  Model model;
  const BodyId wheel = add_box(model, "wheel", Vec3::Zero());
  const AttachmentPair axle = model.join(wheel, world, Vec3::Zero(), Vec3::UnitZ());
  model.add("slow-drive", driven_hinge(axle, ramp(0.0, 1.0)));
  model.add("fast-drive", driven_hinge(axle, ramp(0.0, 2.0)));
  Simulation sim(model);
  const CheckReport report = check(sim);
  bool announced = false;
  for (const std::string& warning : report.warnings)
    announced = announced ||
                (warning.find("conflict") != std::string::npos && warning.find("drive") != std::string::npos);
  EXPECT_TRUE(announced);
  const std::uint64_t before = sim.hash();
  const StepReport step = sim.step(1e-3);
  EXPECT_FALSE(step.ok());
  EXPECT_NE(step.message.find("drive'"), std::string::npos) << step.message;
  EXPECT_EQ(sim.hash(), before);
}

}  // namespace
}  // namespace catena
