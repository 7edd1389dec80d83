// Steps that allocate nothing once they are warm: every example with the integrator it ships with, one explicit and one implicit, in body and
// in joint coordinates, and what users write themselves, whose derivatives are differences.
#include "catena/catena.h"
#include "support/allocation_counter.h"
#include "support/mechanisms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace catena {
namespace {

constexpr int kWarmUp = 8, kCounted = 4;

struct Counted {
  int steps = 0;
  long allocations = 0;
  std::string refused_because;
};

/// Steps that end at an event or have something to say may allocate: their words are on the heap.
Counted count_allocations(Simulation& sim, double dt) {
  Counted out;
  for (int k = 0; k < kWarmUp + kCounted; ++k) {
    const testing::AllocationCounter allocations;
    const StepReport report = sim.step(dt);
    const long made = allocations.count();
    if (!report.ok()) {
      out.refused_because = report.message;
      break;
    }
    if (k < kWarmUp || !report.warning.empty() || !report.event.empty()) continue;
    ++out.steps;
    out.allocations += made;
  }
  return out;
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(CATENA_SOURCE_DIR "/examples"))
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// A scene of many like parts with fewer of them: how often a step allocates does not depend on how many there are.
Scene reduced_example(const std::string& name) {
  std::map<std::string, std::string> fewer;
  if (name == "rope-bridge") fewer["planks"] = "60";
  return load_scene(std::string(CATENA_SOURCE_DIR "/examples/") + name + ".yaml", fewer);
}

class Examples : public ::testing::TestWithParam<std::string> {};

TEST_P(Examples, DoNotAllocateInAStepWithTheirIntegrator) {
  const Scene scene = reduced_example(GetParam());
  Simulation sim = make_simulation(scene);
  const Counted counted = count_allocations(sim, scene.dt);
  ASSERT_EQ(counted.refused_because, "");
  EXPECT_GT(counted.steps, 0) << "every step had something to say";
  EXPECT_EQ(counted.allocations, 0);
}

TEST_P(Examples, DoNotAllocateInAStepWithOtherIntegrators) {
  Scene scene = reduced_example(GetParam());
  const bool starts_closed = traits(scene.options.integrator).has_inertia;
  std::string refusals;
  int counted_any = 0;
  for (const Integrator integrator :
       {Integrator::rk4, Integrator::bdf2, Integrator::linearised_euler, Integrator::moreau}) {
    scene.options.integrator = integrator;
    try {
      Simulation sim = make_simulation(scene);
      const Counted counted = count_allocations(sim, scene.dt);
      EXPECT_EQ(counted.allocations, 0) << name(integrator);
      counted_any += counted.steps;
      refusals += counted.refused_because + "\n";
    } catch (const InvalidInput& problem) {  // not made for the solver, the start or the bodies of this scene
      refusals += std::string(problem.what()) + "\n";
    }
  }
  EXPECT_TRUE(counted_any > 0 || !starts_closed)
      << "no integrator made a step that says nothing: " << refusals;
}

TEST_P(Examples, DoNotAllocateInAStepInJointCoordinates) {
  struct Way {
    Formulation formulation;
    Integrator integrator;
    double longest;  // s
  };
  constexpr double kShort = 1e-5;  // s: resolves most springs that the scenes leave to implicit integrators
  Scene scene = reduced_example(GetParam());
  scene.options.solver = Solver::automatic;
  const bool starts_closed = traits(scene.options.integrator).has_inertia;
  std::string refusals;
  int counted_any = 0;
  for (const Way& way : {Way{Formulation::minimal, Integrator::symplectic_euler, kShort},
                         Way{Formulation::minimal, Integrator::rk4, kShort},
                         Way{Formulation::minimal, Integrator::rattle, scene.dt},
                         Way{Formulation::minimal, Integrator::linearised_euler, scene.dt},
                         Way{Formulation::minimal, Integrator::moreau, scene.dt},
                         Way{Formulation::middle, Integrator::symplectic_euler, kShort}}) {
    scene.options.formulation = way.formulation;
    scene.options.integrator = way.integrator;
    try {
      Simulation sim = make_simulation(scene);
      const Counted counted = count_allocations(sim, std::min(way.longest, scene.dt));
      EXPECT_EQ(counted.allocations, 0) << name(way.formulation) << ", " << name(way.integrator);
      counted_any += counted.steps;
      refusals += counted.refused_because + "\n";
    } catch (const InvalidInput& problem) {  // too many rows beside the tree, or as above
      refusals += std::string(problem.what()) + "\n";
    }
  }
  EXPECT_TRUE(counted_any > 0 || !starts_closed) << "no step that says nothing: " << refusals;
}

INSTANTIATE_TEST_SUITE_P(All, Examples, ::testing::ValuesIn(example_names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// |x_a - x_b|² = l², as a user would write it: its geometric stiffness is the default, read off γ.
class SquaredDistance final : public Constraint {
 public:
  SquaredDistance(const AttachmentPair& at, double length) : Constraint({at.a, at.b}), length_(length) {}
  std::string_view kind() const override { return "squared-distance"; }
  int num_rows(bool) const override { return 1; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Vec3 apart = motion.at[0].x - motion.at[1].x, rate = motion.at[0].v - motion.at[1].v;
    rows.C(0) = 0.5 * (apart.squaredNorm() - length_ * length_);
    rows.gamma(0) = rate.squaredNorm();
    rows.set_G(0, 0, apart, Vec3::Zero());
    rows.set_G(0, 1, -apart, Vec3::Zero());
  }

 private:
  double length_;
};

/// A point that moves across its own axis z only where that points, as the edge of a skate: no C, so that G is differentiated.
class Skate final : public Constraint {
 public:
  explicit Skate(const Attachment& at) : Constraint({at}) {}
  std::string_view kind() const override { return "skate"; }
  int num_rows(bool) const override { return 1; }
  int num_holonomic_rows(bool) const override { return 0; }
  bool needs_orientation() const override { return true; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker& at = motion.at[0];
    rows.gamma(0) = at.w.cross(at.R.col(2)).dot(at.v);
    rows.set_G(0, 0, at.R.col(2), Vec3::Zero());
  }
};

/// A force without derivatives of its own: they are differences.
class Breeze final : public Force {
 public:
  explicit Breeze(const Attachment& at) : Force({at}) {}
  std::string_view kind() const override { return "breeze"; }
  bool depends_on_velocity() const override { return true; }
  Account account() const override { return Account::drag; }
  void apply(const Motion& motion, Wrenches& wrenches) const override {
    const Marker& at = motion.at[0];
    wrenches.add(0, -0.1 * at.v.norm() * at.v - 0.2 * at.x, Vec3::Zero());
  }
};

TEST(UserDefined, ConstraintsAndForcesDoNotAllocateInAStep) {
  Model model;
  const BodyId upper = test::add_rod(model, "upper", {0, 0, 0}, {0.3, 0, -0.95});
  const BodyId lower = test::add_rod(model, "lower", {0.3, 0, -0.95}, {0.4, 0.1, -1.94});
  model.add("pivot", ball(model.join(upper, world, {0, 0, 0})));
  model.add("elbow", ball(model.join(lower, upper, {0.3, 0, -0.95})));
  const AttachmentPair guy = model.join(lower, world, {0.4, 0.1, -1.94}, Vec3::UnitZ(), {2, 1, 0});
  model.add("guy", std::make_shared<SquaredDistance>(guy, (Vec3(2, 1, 0) - Vec3(0.4, 0.1, -1.94)).norm()));
  model.add("skate", std::make_shared<Skate>(model.mark(upper, {0.3, 0, -0.95}, {0.2, 1, 0})));
  model.add("breeze", std::make_shared<Breeze>(model.mark(lower, {0.4, 0.1, -1.94})));
  for (const Integrator integrator :
       {Integrator::rattle, Integrator::rk4, Integrator::dormand_prince, Integrator::symplectic_euler,
        Integrator::bdf2, Integrator::tr_bdf2, Integrator::generalised_alpha, Integrator::backward_euler,
        Integrator::linearised_euler}) {
    SCOPED_TRACE(std::string(name(integrator)));
    Simulation sim(model, {.integrator = integrator});
    const Counted counted = count_allocations(sim, 1e-3);
    ASSERT_EQ(counted.refused_because, "");
    EXPECT_EQ(counted.steps, kCounted);
    EXPECT_EQ(counted.allocations, 0);
  }
}

}  // namespace
}  // namespace catena
