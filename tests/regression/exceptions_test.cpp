// User code that throws in the middle of a step, and numbers that were never numbers: a simulation goes on as if nothing had been tried.
#include "support/mechanisms.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

namespace catena {
namespace {

/// A pendulum with a force that throws when it is called for the n-th time.
struct ThrowingPendulum {
  std::shared_ptr<int> calls_left = std::make_shared<int>(-1);  // below zero: never
  Model model = test::make_chain({.links = 3, .hinges = true, .angle = 0.3});

  ThrowingPendulum() {
    const auto push = [calls = calls_left](const Motion& motion, Wrenches& out) {
      if (*calls > 0 && --*calls == 0) throw std::runtime_error("no wind today");
      out.add(0, Vec3(0.1 * motion.at[0].v.x(), 0, 0));
    };
    model.add("wind", user_force({Attachment{*model.find_body("link1")}}, push));
  }
};

// Wherever the force throws, the next step is bit for bit the one that would have been taken without it.
TEST(Exceptions, OfAForceLeaveTheSimulationWhereItWas) {
  for (const Integrator integrator : {Integrator::rattle, Integrator::rk4, Integrator::dormand_prince,
                                      Integrator::bdf2, Integrator::tr_bdf2, Integrator::symplectic_euler}) {
    ThrowingPendulum undisturbed;
    Simulation expected(undisturbed.model, {.integrator = integrator});
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(expected.step(0.01).ok());
    for (int call = 1; call < 40; call += 3) {
      SCOPED_TRACE(std::string(name(integrator)) + ", call " + std::to_string(call));
      ThrowingPendulum at;
      Simulation sim(at.model, {.integrator = integrator});
      ASSERT_TRUE(sim.step(0.01).ok());
      ASSERT_TRUE(sim.step(0.01).ok());
      const State before = sim.state();
      *at.calls_left = call;
      try {
        (void)sim.step(0.01);
        *at.calls_left = -1;
      } catch (const std::runtime_error&) {
        EXPECT_TRUE(identical(sim.state(), before));
        ASSERT_TRUE(sim.step(0.01).ok());
      }
      EXPECT_TRUE(identical(sim.state(), expected.state()));
    }
  }
}

TEST(Exceptions, OfAnEventLeaveTheSimulationWhereItWas) {
  Simulation sim(test::make_chain({.links = 2, .hinges = true}), {.integrator = Integrator::rattle});
  int calls = 0;
  Event event;
  event.name = "gone";
  event.value = [&calls](const Simulation& at) {
    if (++calls > 5) throw std::runtime_error("lost");
    return at.time() - 0.005;
  };
  sim.add_event(event);
  const State before = sim.state();
  EXPECT_THROW((void)sim.step(0.01), std::runtime_error);
  EXPECT_TRUE(identical(sim.state(), before));
}

// Two edits later the simulation may be where it was in memory, but it is another one: its step cannot be taken back.
TEST(Exceptions, OfAnActionThatHasEditedAreNotRefusals) {
  for (const int edits : {0, 1, 2, 3}) {
    Simulation sim(test::make_chain({.links = 3, .hinges = true}), {.integrator = Integrator::rattle});
    sim.add_event({.name = "cut",
                   .value = [](const Simulation& at) { return at.time() - 0.005; },
                   .action =
                       [edits](Simulation& at) {
                         for (int k = 0; k < edits; ++k)
                           at.edit([k](Model& model) {
                             model.remove(*model.find_constraint("joint" + std::to_string(2 - k)));
                           });
                         throw InvalidInput({{"action", "has second thoughts", "let it"}});
                       }});
    if (edits == 0) {
      EXPECT_FALSE(sim.step(0.01).ok());
      EXPECT_EQ(sim.time(), 0.0);
    } else {
      EXPECT_THROW((void)sim.step(0.01), InvalidInput) << edits << " edits";
      EXPECT_NEAR(sim.time(), 0.005, 1e-12) << edits << " edits";
      EXPECT_EQ(sim.model().constraints().size(), std::size_t(3 - edits));
      EXPECT_TRUE(sim.step(0.001).ok());
    }
  }
}

// A controller's command is taken back with the step, and not later.
TEST(Exceptions, TakeCommandsBackOnce) {
  ThrowingPendulum at;
  const ForceId drive = at.model.add(
      "motor",
      motor(at.model.join(*at.model.find_body("link0"), world, {0, 0, 0}, Vec3::UnitY()), Command{}));
  Simulation sim(at.model, {.integrator = Integrator::rattle});
  double wanted = 1.0;
  sim.add_controller("hand", 0.01, [&](Simulation& s) { s.set_command(drive, std::vector{wanted}); });
  ASSERT_TRUE(sim.step(0.01).ok());
  const State good = sim.state();
  wanted = 2.0;
  *at.calls_left = 2;
  EXPECT_THROW((void)sim.step(0.01), std::runtime_error);
  EXPECT_TRUE(identical(sim.state(), good));
  sim.set_command(drive, std::vector{5.0});
  EXPECT_FALSE(sim.step(-1.0).ok());
  EXPECT_EQ(sim.command(drive)[0], 5.0);
}

TEST(Exceptions, AreWhatStatesGetThatAreNoNumbers) {
  Simulation sim(test::make_chain({.links = 2}));
  State state = sim.state();
  state.ledger[Account::motors] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(sim.set_state(state), InvalidInput);
  state = sim.state();
  state.substep = std::numeric_limits<double>::infinity();
  EXPECT_THROW(sim.set_state(state), InvalidInput);
}

// The dense form has a largest size; beyond it wrote into a matrix that was not there.
TEST(Exceptions, AreWhatTheDenseFormAnswersToLargeModels) {
  const Model model = test::make_chain({.links = 2000});
  EXPECT_THROW(Simulation(model, {.integrator = Integrator::bdf2, .stiff_form = StiffForm::dense}),
               InvalidInput);
}

// A four-bar whose follower is tilted a little: how many rows count as implied must not depend on what was read before.
TEST(Check, SaysTheSameWhateverWasReadBefore) {
  Model model;
  const BodyId crank = test::add_rod(model, "crank", {0, 0, 0}, {0, 0, 0.3}),
               coupler = test::add_rod(model, "coupler", {0, 0, 0.3}, {1, 0, 0.3}),
               follower = test::add_rod(model, "follower", {1, 0, 0}, {1, 0, 0.3});
  const Vec3 y = Vec3::UnitY(), tilted(1e-7, 1, 0);
  model.add("a", hinge(model.join(crank, world, {0, 0, 0}, y)));
  model.add("b", hinge(model.join(coupler, crank, {0, 0, 0.3}, y)));
  AttachmentPair open = model.join(follower, coupler, {1, 0, 0.3}, y);
  open.a.axes = model.join(follower, coupler, {1, 0, 0.3}, tilted).a.axes;
  model.add("c", hinge(open));
  model.add("d", hinge(model.join(follower, world, {1, 0, 0}, y)));
  const Simulation fresh(model), read(model);
  (void)read.accelerations();
  EXPECT_EQ(check(fresh).redundant_rows, check(read).redundant_rows);
  EXPECT_EQ(check(fresh).dof, check(read).dof);
}

}  // namespace
}  // namespace catena
