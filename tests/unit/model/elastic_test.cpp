// Elastic forces: the law, and mistakes in it, which are refused with the name of the force and of the number.
#include "catena/force.h"
#include "catena/joints.h"
#include "support/mechanisms.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN(),
                 kForever = std::numeric_limits<double>::infinity();

TEST(ElasticLaw, IsASpringADamperAndAPreload) {
  const Law law{.stiffness = 3.0, .damping = 0.5, .preload = 2.0};
  const LawResponse r = respond(law, 0.4, -1.0);
  EXPECT_DOUBLE_EQ(r.force, 2.0 - 3.0 * 0.4 + 0.5);
  EXPECT_DOUBLE_EQ(r.stiffness, 3.0);
  EXPECT_DOUBLE_EQ(r.damping, 0.5);
  EXPECT_DOUBLE_EQ(r.potential, 0.5 * 3.0 * 0.16 - 2.0 * 0.4);
}

TEST(ElasticLaw, OfAStopPushesOutsideOnlyAndNeverPulls) {
  const Law stop{.stiffness = 10.0, .damping = 1.0, .lower = -1.0, .upper = 2.0};
  for (const double inside : {-1.0, 0.0, 2.0}) EXPECT_EQ(respond(stop, inside, 5.0).force, 0.0);
  EXPECT_DOUBLE_EQ(respond(stop, 2.5, 0.0).force, -5.0);
  EXPECT_DOUBLE_EQ(respond(stop, 2.5, 1.0).force, -6.0);
  EXPECT_DOUBLE_EQ(respond(stop, 2.5, -3.0).force, -2.0);
  EXPECT_EQ(respond(stop, 2.5, -7.0).force, 0.0);  // leaves faster than it is pushed
  EXPECT_EQ(respond(stop, 2.5, -7.0).stiffness, 0.0);
  EXPECT_DOUBLE_EQ(respond(stop, -1.5, 0.0).force, 5.0);
  EXPECT_EQ(respond(stop, -1.5, 7.0).force, 0.0);
}

TEST(ElasticLaw, SaturatesAtItsLimitWithoutStiffness) {
  const Law weak{.stiffness = 10.0, .limit = 4.0};
  EXPECT_DOUBLE_EQ(respond(weak, 0.3, 0.0).force, -3.0);
  EXPECT_DOUBLE_EQ(respond(weak, 0.5, 0.0).force, -4.0);
  EXPECT_DOUBLE_EQ(respond(weak, -0.5, 0.0).force, 4.0);
  EXPECT_EQ(respond(weak, 0.5, 0.0).stiffness, 0.0);
}

/// What the simulation of a rod with this force says; empty: accepted.
std::string refusal_of(const ForcePtr& force) {
  Model model;
  test::add_rod(model, "arm", {0, 0, 0}, {1, 0, 0});
  model.add("knee", force);
  try {
    const Simulation sim(model);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

const AttachmentPair kArmPair{{BodyId{0}}, {}};

void expect_refusal(const ForcePtr& force, const std::string& part) {
  const std::string said = refusal_of(force);
  EXPECT_NE(said.find("force 'knee'"), std::string::npos) << "expected '" << part << "', got: " << said;
  EXPECT_NE(said.find(part), std::string::npos) << said;
}

TEST(ElasticForce, RefusesBadLawsByName) {
  const auto with = [](const Law& law) { return elastic(hinge_coordinate(kArmPair), law); };
  EXPECT_EQ(refusal_of(with({.stiffness = 5.0, .damping = 0.1, .lower = -1.0, .upper = 1.0})), "");
  for (const double bad : {-1.0, kNotANumber, kForever, 1e300}) {
    expect_refusal(with({.stiffness = bad}), "stiffness");
    expect_refusal(with({.damping = bad}), "damping");
  }
  expect_refusal(with({.preload = kNotANumber}), "preload");
  expect_refusal(with({.stiffness = 1.0, .lower = 1.0, .upper = 0.5}),
                 "lower bound 1 is above the upper bound 0.5");
  expect_refusal(with({.stiffness = 1.0, .lower = kNotANumber}), "lower bound");
  expect_refusal(with({.stiffness = 1.0, .upper = kNotANumber}), "upper bound");
  for (const double bad : {0.0, -1.0, kNotANumber})
    expect_refusal(with({.stiffness = 1.0, .limit = bad}), "limit must be positive");
}

TEST(ElasticForce, RefusesBadCoordinatesByName) {
  const Law law{.stiffness = 1.0};
  expect_refusal(elastic(hinge_coordinate(kArmPair, kNotANumber), law), "rest angle");
  expect_refusal(elastic(slider_coordinate(kArmPair, kForever), law), "rest travel");
  expect_refusal(elastic(length_coordinate(kArmPair, -1.0), law), "rest length");
  expect_refusal(elastic(gear(kArmPair, 2.0), law), "'gear' has rows without a position");
  expect_refusal(elastic_each(ball_coordinates(kArmPair), {law, law}), "2 laws for 3 coordinates");
  expect_refusal(elastic_each(ball_coordinates(kArmPair), {law, law, {.stiffness = -1.0}}),
                 "stiffness along z");
  expect_refusal(elastic_each(frame_coordinates(kArmPair), {law, law, law, law, {.damping = -1.0}, law}),
                 "angular damping along y");
}

TEST(ElasticForce, RefusesBadContactsByName) {
  const SurfacePtr floor = plane_surface({0, 0, 0}, {0, 0, 1});
  const auto with = [](double radius, const SurfacePtr& surface, double k, double b) {
    return compliant_contact(kArmPair.a, radius, kArmPair.b, surface, k, b);
  };
  EXPECT_EQ(refusal_of(with(0.1, floor, 1.0, 0.0)), "");
  expect_refusal(with(-0.1, floor, 1.0, 0.0), "radius");
  expect_refusal(with(kNotANumber, floor, 1.0, 0.0), "radius");
  expect_refusal(with(0.1, floor, -1.0, 0.0), "stiffness");
  expect_refusal(with(0.1, floor, 1.0, kNotANumber), "damping");
  expect_refusal(with(0.1, nullptr, 1.0, 0.0), "no surface");
  expect_refusal(with(0.1, plane_surface({0, 0, 0}, {0, 0, 0}), 1.0, 0.0), "normal");
  expect_refusal(with(0.1, ellipsoid_surface({0, 0, 0}, {1, 1, 2}), 1.0, 0.0), "measures distances");
}

TEST(ElasticForce, RefusesBadGainsOfMotorsByName) {
  for (const double bad : {-1.0, kNotANumber, kForever, 1e300}) {
    expect_refusal(pd_motor(kArmPair, constant(0.0), bad, 1.0), "stiffness");
    expect_refusal(pd_motor(kArmPair, constant(0.0), 1.0, bad), "damping");
    expect_refusal(linear_pd_motor(kArmPair, constant(0.0), bad, 1.0), "stiffness");
    expect_refusal(velocity_motor(kArmPair, constant(0.0), bad), "gain");
  }
  expect_refusal(pd_motor(kArmPair, constant(kNotANumber), 1.0, 1.0), "target");
}

TEST(ElasticForce, RefusesBoundsThatAreNoNumbersOrLeaveNoTravel) {
  const auto with = [](const Law& law) { return elastic(hinge_coordinate(kArmPair), law); };
  for (const Law& law :
       {Law{.stiffness = 1.0, .lower = kNotANumber}, Law{.stiffness = 1.0, .upper = kNotANumber}})
    EXPECT_EQ(refusal_of(with(law)).find("exchange"), std::string::npos) << refusal_of(with(law));
  expect_refusal(with({.stiffness = 1.0, .lower = kForever}), "lower");
  expect_refusal(with({.stiffness = 1.0, .upper = -kForever}), "upper");
}

TEST(ElasticForce, SaysWhichOfSeveralLawsIsBad) {
  const Law good{.stiffness = 1.0};
  expect_refusal(elastic_each(ball_coordinates(kArmPair), {good, good, {.preload = kNotANumber}}), "along z");
  expect_refusal(elastic_each(ball_coordinates(kArmPair), {good, good, {.lower = 1.0, .upper = 0.0}}),
                 "along z");
}

TEST(ImplicitOptions, AreRefusedWhenTheyMeanNothing) {
  const std::pair<std::string, std::function<void(Options&)>> cases[] = {
      {"newton_tolerance", [](Options& o) { o.newton_tolerance = -1.0; }},
      {"newton_tolerance", [](Options& o) { o.newton_tolerance = kNotANumber; }},
      {"max_newton_iterations", [](Options& o) { o.max_newton_iterations = 0; }},
      {"max_halvings", [](Options& o) { o.max_halvings = -1; }},
      {"alpha_rho", [](Options& o) { o.alpha_rho = 0.9; }},
      {"alpha_rho", [](Options& o) { o.alpha_rho = kNotANumber; }},
      {"linear_corrections", [](Options& o) { o.linear_corrections = -1; }}};
  for (const auto& [key, spoil] : cases) {
    Options options{.integrator = Integrator::bdf2};
    spoil(options);
    try {
      const Simulation sim(test::make_chain({.links = 2}), options);
      ADD_FAILURE() << key << " was accepted";
    } catch (const InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
    }
  }
}

TEST(ElasticForceDeathTest, WithoutCoordinatesIsRefusedAndDoesNotCrash) {
  EXPECT_EXIT(
      {
        const std::string said = refusal_of(elastic(nullptr, {.stiffness = 1.0}));
        std::_Exit(said.find("there are no coordinates") != std::string::npos ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace catena
