// The automatic choice of the integrator: models and scenes whose right answer is known, and whether the choice works.
#include "catena/force.h"
#include "catena/joints.h"
#include "catena/scene.h"
#include "support/mechanisms.h"

#include <gtest/gtest.h>

#include <cmath>

namespace catena {
namespace {

struct AutomaticCase {
  std::string name;
  Model model;
  double dt;
  Integrator right;
  double omega = 0.0;     // fastest oscillation or decay of the model, where it decides    rad/s
  std::string culprit{};  // what the reason must name
};

using Extra = std::function<void(Model&, BodyId, const AttachmentPair&)>;

/// A rod of 1 kg and 1 m on a hinge, horizontal, with something more.
Model hinged_rod(const Extra& add = {}) {
  Model model;
  const BodyId arm = test::add_rod(model, "arm", {0, 0, 0}, {1, 0, 0});
  const AttachmentPair at = model.join(arm, world, {0, 0, 0}, Vec3::UnitY());
  model.add("pivot", hinge(at));
  if (add) add(model, arm, at);
  return model;
}
constexpr double kRodInertia = 1.0 / 3.0;  // about its end, kg·m²

Model sprung_rod(double stiffness, double damping) {
  return hinged_rod([=](Model& model, BodyId, const AttachmentPair& at) {
    model.add("spring", torsion_spring(at, stiffness, damping, 0.0));
  });
}
Model rod_on_rubber(double stiffness) {
  return hinged_rod([=](Model& model, BodyId arm, const AttachmentPair&) {
    const BodyId tip = test::add_rod(model, "tip", {1, 0, 0}, {1.5, 0, 0});
    model.add("rubber", bushing(model.join(tip, arm, {1, 0, 0}), Vec3::Constant(stiffness),
                                Vec3::Constant(1e-3 * stiffness), Vec3::Zero(), Vec3::Zero()));
  });
}
Model scene_model(const std::string& name) {
  return load_scene(std::string(CATENA_SOURCE_DIR) + "/examples/" + name + ".yaml").model;
}
Model free_top() {
  Model model;
  model.gravity.setZero();
  model.add("top", std::make_shared<Rigid>(1.0, Vec3(1, 2, 3)), {.angular_velocity = {0.1, 10, 0.1}});
  return model;
}
Model ball_over_table(double stiffness) {
  Model model;
  const BodyId load = model.add("load", sphere(2.0, 0.1), {.position = {0, 0, 0.11}});
  model.add("table", compliant_contact(Attachment{load}, 0.1, Attachment{},
                                       plane_surface({0, 0, 0}, {0, 0, 1}), stiffness, 0.0));
  return model;
}

std::vector<AutomaticCase> resolved_cases() {
  const Integrator rattle = Integrator::rattle;
  return {{"slow pendulum", hinged_rod(), 1.0 / 60, rattle},
          {"double pendulum", test::make_chain({.links = 2, .length = 1.0}), 1.0 / 60, rattle},
          {"short light chain at 1 ms", test::make_chain({.links = 10}), 1e-3, rattle},
          {"payload chain at 0.1 ms", test::make_chain({.links = 50, .payload = 1000.0}), 1e-4, rattle},
          {"four-bar", scene_model("four-bar"), 1.0 / 60, rattle},
          {"bricard", scene_model("bricard"), 1.0 / 60, rattle},
          {"free top", free_top(), 1.0 / 60, rattle},
          {"soft spring", sprung_rod(10.0, 0.1), 1.0 / 60, rattle},
          {"soft bushing at 1 ms", rod_on_rubber(100.0), 1e-3, rattle}};
}

std::vector<AutomaticCase> stiff_cases() {
  const Integrator bdf2 = Integrator::bdf2;
  const double rod_k6 = std::sqrt(1e6 / kRodInertia), rod_k9 = std::sqrt(1e9 / kRodInertia);
  // a taut rod of mass m and length l under the tension T swings across at √(12 T/(m l))
  const auto taut = [](double below, double mass, double length) {
    return std::sqrt(12.0 * below * test::kGravity / (mass * length));
  };
  return {{"payload chain", test::make_chain({.links = 50, .payload = 1000.0}), 1.0 / 60, bdf2,
           taut(1050, 1, 0.1), "link0"},
          {"long chain", test::make_chain({.links = 50}), 1.0 / 60, bdf2, taut(50, 1, 0.1), "link0"},
          {"crane", scene_model("crane"), 1.0 / 60, bdf2, taut(1100, 1, 0.1), "cable1"},
          {"spring of 1e6", sprung_rod(1e6, 0.0), 1.0 / 60, bdf2, rod_k6, "force 'spring'"},
          {"spring of 1e9", sprung_rod(1e9, 0.0), 1.0 / 60, bdf2, rod_k9, "force 'spring'"},
          {"stiff damper", sprung_rod(0.0, 1e4), 1.0 / 60, bdf2, 1e4 / kRodInertia, "force 'spring'"},
          {"stiff bushing", rod_on_rubber(1e6), 1.0 / 60, bdf2, 0.0, "force 'rubber'"},
          {"stiff stop, not touched yet", hinged_rod([](Model& model, BodyId, const AttachmentPair& at) {
             model.add("stop", elastic(hinge_coordinate(at), {.stiffness = 1e6, .upper = 0.7}));
           }),
           1.0 / 60, bdf2, rod_k6, "force 'stop'"},
          {"stiff table, not touched yet", ball_over_table(1e6), 1.0 / 60, bdf2, std::sqrt(1e6 / 2.0),
           "force 'table'"},
          {"stiff servo", hinged_rod([](Model& model, BodyId, const AttachmentPair& at) {
             model.add("servo", pd_motor(at, constant(0.1), 1e6, 10.0));
           }),
           1.0 / 60, bdf2, rod_k6, "force 'servo'"}};
}

/// The number after "may swing at ", and the one after "ω·dt = ".
std::pair<double, double> estimates_of(const std::string& reason) {
  const auto number_after = [&](const std::string& words) {
    const std::size_t at = reason.find(words);
    return at == std::string::npos ? std::nan("") : std::strtod(reason.c_str() + at + words.size(), nullptr);
  };
  return {number_after("may swing at "), number_after("ω·dt = ")};
}

void expect_right_choice(const AutomaticCase& c) {
  SCOPED_TRACE(c.name);
  Simulation sim(c.model);
  double rise = 0.0, exchanged = 1e-3;
  const double start = sim.energy().total();
  for (int k = 0; k < 60; ++k) {
    const StepReport report = sim.step(c.dt);
    ASSERT_TRUE(report.ok()) << "step " << k << ": " << report.message;
    rise = std::max(rise, sim.energy().total() - start);
    exchanged = std::max(exchanged, std::abs(sim.energy().gravity) + sim.energy().kinetic + std::abs(start));
  }
  EXPECT_EQ(name(sim.choice().integrator), name(c.right)) << sim.choice().integrator_reason;
  const std::string& reason = sim.choice().integrator_reason;
  EXPECT_EQ(reason.find('\n'), std::string::npos);
  if (c.name != "stiff servo") {
    EXPECT_LT(rise, 0.02 * exchanged);  // a servo does work
  }
  if (c.right != Integrator::bdf2) return;
  const auto [omega, omega_dt] = estimates_of(reason);
  EXPECT_NE(reason.find(c.culprit), std::string::npos) << reason;
  EXPECT_NEAR(omega_dt, omega * c.dt, 0.06 * omega_dt) << reason;  // printed with two digits
  EXPECT_GT(omega_dt, 1.0);
  // it may be too careful, by not seeing what a joint holds, but not by much; and not careless
  if (c.omega > 0.0) {
    EXPECT_GT(omega, 0.9 * c.omega) << reason;
    EXPECT_LT(omega, 5.0 * c.omega) << reason;
  }
}

TEST(AutomaticIntegrator, TakesRattleWhereTheStepResolvesTheMotion) {
  for (const AutomaticCase& c : resolved_cases()) expect_right_choice(c);
}

TEST(AutomaticIntegrator, TakesBdf2WhereItDoesNotAndNamesWhatDecided) {
  for (const AutomaticCase& c : stiff_cases()) expect_right_choice(c);
}

TEST(AutomaticIntegrator, DecidesWithTheFirstStepAndNotBefore) {
  Simulation sim(sprung_rod(1e6, 0.0));
  EXPECT_TRUE(sim.choice().integrator_is_provisional);
  ASSERT_TRUE(sim.step(1e-5).ok());
  EXPECT_FALSE(sim.choice().integrator_is_provisional);
  EXPECT_EQ(sim.choice().integrator, Integrator::rattle);  // ω·dt = 0.03
}

TEST(AutomaticIntegrator, SeesDampingOfFrictionDragAndMotors) {
  const Integrator bdf2 = Integrator::bdf2;
  const AutomaticCase cases[] = {
      {"stiff friction", hinged_rod([](Model& model, BodyId, const AttachmentPair& at) {
         model.add("friction", viscous_friction(at, 100.0));
       }),
       1.0 / 60, bdf2, 100.0 / kRodInertia, "force 'friction'"},
      {"stiff drag", hinged_rod([](Model& model, BodyId arm, const AttachmentPair&) {
         model.add("honey", drag(Attachment{arm}, 1e4));
       }),
       1.0 / 60, bdf2, 1e4 * 0.25 / kRodInertia, "force 'honey'"},
      {"stiff damping of a soft servo", hinged_rod([](Model& model, BodyId, const AttachmentPair& at) {
         model.add("servo", pd_motor(at, constant(0.1), 10.0, 1e4));
       }),
       1.0 / 60, bdf2, 1e4 / kRodInertia, "force 'servo'"}};
  for (const AutomaticCase& c : cases) expect_right_choice(c);
}

TEST(AutomaticIntegrator, NamesTheEstimateWhenItTakesRattle) {
  for (const AutomaticCase& c : resolved_cases()) {
    SCOPED_TRACE(c.name);
    Simulation sim(c.model);
    ASSERT_TRUE(sim.step(c.dt).ok());
    const std::string& reason = sim.choice().integrator_reason;
    EXPECT_LT(estimates_of(reason).second, 1.0) << reason;  // not a number: it is not said
  }
}

}  // namespace
}  // namespace catena
