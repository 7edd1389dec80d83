// The model: names and ids, markers from world coordinates, and what validation finds.
#include "catena/model.h"

#include "catena/joints.h"
#include "math/rotation.h"

#include <gtest/gtest.h>

#include <limits>

namespace catena {
namespace {

const double kNaN = std::numeric_limits<double>::quiet_NaN();

std::shared_ptr<const Body> ball_of_clay() {
  return sphere(1.0, 0.1);
}

/// Two rigid bodies, two planar ones, one particle of each kind; valid as it stands.
struct Mixed {
  Model model;
  BodyId a = model.add("a", ball_of_clay(), {.position = {1, 2, 3}, .orientation = exp_rotation({1, 0, 2})});
  BodyId b = model.add("b", ball_of_clay());
  BodyId flat_a =
      model.add("flat_a", planar_rod(1, 1), {.position = {1, 0, 0}, .orientation = exp_rotation({0, 0, 1})});
  BodyId flat_b = model.add("flat_b", planar_rod(1, 1));
  BodyId dot = model.add("dot", std::make_shared<Particle3>(1.0), {.position = {0, 0, 5}});
  BodyId flat_dot = model.add("flat_dot", std::make_shared<Particle2>(1.0));
};

std::string all_text(const Model& model) {
  std::string text;
  for (const Issue& issue : model.validate()) text += issue.text() + "\n";
  return text;
}

void expect_one_issue(const Model& model, const std::string& where, const std::string& word) {
  const std::vector<Issue> issues = model.validate();
  ASSERT_EQ(issues.size(), 1u) << all_text(model);
  EXPECT_EQ(issues[0].where, where);
  EXPECT_NE(issues[0].what.find(word), std::string::npos) << issues[0].what;
  EXPECT_FALSE(issues[0].remedy.empty());
}

TEST(Issue, ReadsWhereWhatAndRemedy) {
  const Issue issue{"body 'arm'", "mass must be positive, got -1 kg", "give a mass above 0"};
  EXPECT_EQ(issue.text(), "body 'arm': mass must be positive, got -1 kg (give a mass above 0)");
  const InvalidInput error({issue, {"model", "has no bodies", ""}});
  EXPECT_EQ(std::string(error.what()), issue.text() + "\nmodel: has no bodies");
  EXPECT_EQ(error.issues().size(), 2u);
}

TEST(Model, IdsStayValidAndAreNeverReused) {
  Mixed m;
  const ConstraintId pin = m.model.add("pin", ball(m.model.join(m.a, m.b, {0, 0, 0})));
  const ForceId spring =
      m.model.add("spring", spring_damper(m.model.join(m.flat_a, world, {0, 0, 0}), 1, 0, 1));
  EXPECT_EQ(m.model.index_of(m.flat_b), 3);
  m.model.remove(m.dot);
  m.model.remove(m.flat_b);
  EXPECT_EQ(m.model.index_of(m.flat_b), -1);
  EXPECT_EQ(m.model.index_of(m.flat_dot), 3);
  EXPECT_EQ(m.model.bodies()[3].name, "flat_dot");
  EXPECT_NE(m.model.add("new", ball_of_clay()), m.flat_b);
  EXPECT_EQ(m.model.index_of(world), -1);
  EXPECT_EQ(m.model.find_body("flat_dot"), m.flat_dot);
  EXPECT_EQ(m.model.find_body("dot"), std::nullopt);
  EXPECT_EQ(m.model.find_constraint("pin"), pin);
  EXPECT_EQ(m.model.find_force("spring"), spring);
  m.model.remove(pin);
  m.model.remove(spring);
  EXPECT_EQ(m.model.find_constraint("pin"), std::nullopt);
  EXPECT_EQ(m.model.index_of(spring), -1);
  EXPECT_EQ(all_text(m.model), "");
}

TEST(Model, RemovingABodyNamesWhatHoldsIt) {
  Mixed m;
  m.model.add("pin", ball(m.model.join(m.a, m.b, {0, 0, 0})));
  m.model.add("pull", mouse_spring(m.model.mark(m.a, {0, 0, 0}), {0, 0, 0}, 1, 0));
  try {
    m.model.remove(m.a);
    FAIL() << "removed a body in use";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("constraint 'pin', force 'pull'"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(m.model.bodies().size(), 6u);
  EXPECT_THROW(m.model.remove(BodyId{99}), InvalidInput);
  EXPECT_THROW(m.model.remove(world), InvalidInput);
  EXPECT_THROW(m.model.remove(ConstraintId{}), InvalidInput);
  EXPECT_THROW(m.model.remove(ForceId{}), InvalidInput);
}

TEST(Model, JoinPutsBothMarkersAtTheWorldPointWithTheWorldAxis) {
  const Mixed m;
  const Vec3 point(0.5, -1, 2), axis = Vec3(1, 1, 0).normalized();
  const AttachmentPair at = m.model.join(m.a, m.b, point, axis);
  for (const Attachment& side : {at.a, at.b}) {
    const BodyEntry& entry = m.model.bodies()[std::size_t(m.model.index_of(side.body))];
    PointMap map;
    FrameMap frame;
    entry.body->point(entry.q.data(), entry.v.data(), side.point, map);
    entry.body->frame(entry.q.data(), entry.v.data(), frame);
    EXPECT_LT((map.x - point).norm(), 1e-14);
    EXPECT_LT(((frame.R * side.axes).col(2) - axis).norm(), 1e-14);
    EXPECT_LT((frame.R * side.axes - frame_from_axis(axis)).norm(), 1e-14);
  }
}

TEST(Model, AConstraintIsPlanarWhenAllItsBodiesAre) {
  Mixed m;
  m.model.add("flat", ball(m.model.join(m.flat_a, m.flat_b, {0, 0, 0})));
  m.model.add("to world", ball(m.model.join(m.flat_a, world, {0, 0, 0})));
  m.model.add("mixed", ball(m.model.join(m.flat_a, m.a, {0, 0, 0})));
  EXPECT_TRUE(m.model.constraints()[0].planar);
  EXPECT_TRUE(m.model.constraints()[1].planar);
  EXPECT_FALSE(m.model.constraints()[2].planar);
}

TEST(Model, SetStartChecksSizesAndForgetsAnOldPlacementProblem) {
  Model model;
  model.add("far", std::make_shared<Particle3>(1.0), {.position = {1e308, 0, 0}});
  expect_one_issue(model, "body 'far'", "position is too large");
  EXPECT_THROW(model.set_start(0, VecX::Zero(2), VecX::Zero(3)), InvalidInput);
  EXPECT_THROW(model.set_start(1, VecX::Zero(3), VecX::Zero(3)), InvalidInput);
  model.set_start(0, VecX::Zero(3), VecX::Zero(3));
  EXPECT_EQ(all_text(model), "");
  model.set_start(0, VecX::Constant(3, kNaN), VecX::Zero(3));
  expect_one_issue(model, "body 'far'", "start coordinates");
}

TEST(Validation, AWellFormedModelHasNoIssues) {
  Mixed m;
  m.model.add("hinge", hinge(m.model.join(m.a, m.b, {0, 0, 0}, {1, 0, 0})));
  m.model.add("flat hinge", hinge(m.model.join(m.flat_a, m.flat_b, {0.5, 0, 0})));
  m.model.add("flat slider", slider(m.model.join(m.flat_a, world, {0.5, 0, 0}, {1, 1, 0})));
  m.model.add("flat weld", weld(m.model.join(m.flat_a, m.flat_b, {0.5, 0, 0}, {1, 1, 0})));
  m.model.add("rope", distance(m.model.join(m.dot, m.a, {0, 0, 5}, {0, 0, 1}, {0, 0, 0}), 5));
  m.model.add("bead",
              point_on_curve(m.model.mark(m.flat_dot, {0, 0, 0}), {}, circle({0, 1, 0}, {0, 0, 1}, 1)));
  m.model.add("push", load(m.model.mark(m.dot, {0, 0, 5}), {}, {}));
  EXPECT_EQ(all_text(m.model), "");
}

TEST(Validation, CollectsEverythingAtOnce) {
  Model model;
  model.gravity = {0, kNaN, 0};
  const BodyId x = model.add("x", std::make_shared<Particle3>(-1.0));
  model.add("x", std::make_shared<Particle3>(1.0), {.angular_velocity = {0, 0, 1}});
  model.add("", std::shared_ptr<const Body>());
  model.add("loop", ball(model.join(x, x, {0, 0, 0})));
  model.add("nowhere", ball({}));
  model.add("lost", hinge({{BodyId{77}}, {x}}));
  const std::string text = all_text(model);
  for (const char* expected :
       {"model: gravity must be finite", "body 'x': this name is used by more than one body",
        "body number 2: has no name", "body 'x': mass must be positive", "body '': is an empty pointer",
        "body 'x': a particle cannot turn", "constraint 'loop': joins body 'x' to itself",
        "constraint 'nowhere': is attached to the world only",
        "constraint 'lost': is attached to body number 77",
        "constraint 'lost': needs axes, but 'x' is a particle"}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected << "\nnot in\n" << text;
  }
  EXPECT_EQ(model.validate().size(), 10u) << text;
}

TEST(Validation, AnEmptyModelAndAbsurdGravityAreReported) {
  Model model;
  expect_one_issue(model, "model", "no bodies");
  model.add("a", ball_of_clay());
  model.gravity = {0, 0, -1e7};
  expect_one_issue(model, "model", "gravity is too large");
}

TEST(Validation, AttachmentsMustBeFiniteAndOnTheirBody) {
  const auto with = [](auto make, const char* where, const char* word) {
    Mixed m;
    make(m);
    expect_one_issue(m.model, where, word);
  };
  with(
      [](Mixed& m) {
        m.model.add("j", ball({{m.a, {kNaN, 0, 0}}, {m.b}}));
      },
      "constraint 'j'", "point must be finite");
  with(
      [](Mixed& m) {
        m.model.add("j", ball({{m.a, {1e300, 0, 0}}, {m.b}}));
      },
      "constraint 'j'", "too large");
  with(
      [](Mixed& m) {
        m.model.add("j", ball({{m.a}, {m.dot, {0, 0, 0.1}}}));
      },
      "constraint 'j'", "beside the particle");
  with(
      [](Mixed& m) {
        m.model.add("j", ball({{m.flat_a, {0, 0, 0.1}}, {m.flat_b}}));
      },
      "constraint 'j'", "outside");
  with(
      [](Mixed& m) {
        m.model.add("j", ball({{m.flat_a}, {world, {0, 0, 1}}}));
      },
      "constraint 'j'", "outside");
  with(
      [](Mixed& m) {
        m.model.add("j", ball({{m.a, {0, 0, 0}, 2.0 * Mat3::Identity()}, {m.b}}));
      },
      "constraint 'j'", "orthonormal");
  with([](Mixed& m) { m.model.add("f", drag({world}, 1.0)); }, "force 'f'", "world only");
  with([](Mixed& m) { m.model.add("f", drag({m.dot}, 1.0, 0.0, 1.0)); }, "force 'f'", "needs axes");
  with([](Mixed& m) { m.model.add("f", ForcePtr()); }, "force 'f'", "empty pointer");
  with([](Mixed& m) { m.model.add("j", ConstraintPtr()); }, "constraint 'j'", "empty pointer");
}

TEST(Validation, ABadJointAxisIsReported) {
  Mixed m;
  m.model.add("j", hinge(m.model.join(m.a, world, {0, 0, 0}, {0, 0, 0})));
  const auto issues = m.model.validate();
  ASSERT_FALSE(issues.empty());
  for (const Issue& issue : issues) EXPECT_NE(issue.what.find("axis that is zero"), std::string::npos);
}

TEST(Validation, JointParametersAreChecked) {
  const auto with = [](auto make, const char* word) {
    Mixed m;
    m.model.add("j", make(m));
    expect_one_issue(m.model, "constraint 'j'", word);
  };
  const auto spatial = [](const Mixed& m) { return m.model.join(m.a, m.b, {0, 0, 0}); };
  with([&](Mixed& m) { return distance(spatial(m), 0.0); }, "length must be positive");
  with([&](Mixed& m) { return distance(spatial(m), -1.0); }, "length must be positive");
  with([&](Mixed& m) { return distance(spatial(m), kNaN); }, "length must be positive");
  with([&](Mixed& m) { return gear(spatial(m), 0.0); }, "ratio");
  with([&](Mixed& m) { return gear(spatial(m), kNaN); }, "ratio");
  with([&](Mixed& m) { return nail({m.a}, {0, kNaN, 0}); }, "target must be finite");
  with([&](Mixed& m) { return driven_hinge(spatial(m), nullptr); }, "no function of time");
  with([&](Mixed& m) { return driven_slider(spatial(m), constant(kNaN)); }, "not finite at t = 0");
  with([&](Mixed& m) { return driven_distance(spatial(m), constant(-1)); }, "length at t = 0");
  with([&](Mixed& m) { return driven_nail({m.a}, {nullptr}); }, "target.x has no function");
  with([&](Mixed& m) { return point_on_curve({m.a}, {}, nullptr); }, "no curve");
  with([&](Mixed& m) { return point_on_curve({m.a}, {}, circle({0, 0, 0}, {0, 0, 1}, -1)); }, "not finite");
  with([&](Mixed& m) { return point_on_curve({m.a}, {}, line({0, 0, 0}, {0, 0, 0})); }, "not finite");
  with([&](Mixed& m) { return point_on_curve({m.a}, {}, user_curve(nullptr, 0, 1)); }, "not finite");
  with([&](Mixed& m) { return point_on_curve({m.a}, {}, user_curve(nullptr, 1, 1)); }, "range");
}

TEST(Validation, PlanarJointsMustStayInThePlane) {
  const auto with = [](auto make, const char* word) {
    Mixed m;
    m.model.add("j", make(m));
    expect_one_issue(m.model, "constraint 'j'", word);
  };
  const auto flat = [](const Mixed& m, const Vec3& axis) {
    return m.model.join(m.flat_a, m.flat_b, {0, 0, 0}, axis);
  };
  with([&](Mixed& m) { return universal(flat(m, {0, 0, 1})); }, "does not exist in the plane");
  with([&](Mixed& m) { return hinge(flat(m, {1, 0, 0})); }, "axis must be z");
  with([&](Mixed& m) { return driven_hinge(flat(m, {1, 0, 0}), constant(0)); }, "axis must be z");
  with([&](Mixed& m) { return gear(flat(m, {1, 0, 0}), 2.0); }, "axis must be z");
  with([&](Mixed& m) { return slider(flat(m, {0, 0, 1})); }, "sliding axis");
  with([&](Mixed& m) { return driven_slider(flat(m, {0, 0, 1}), constant(0)); }, "sliding axis");
  with([&](Mixed& m) { return nail({m.flat_a}, {0, 0, 1}); }, "plane z = 0");
  with(
      [&](Mixed& m) {
        return point_on_curve({m.flat_a}, {}, line({0, 0, 0}, {1, 0, 1}));
      },
      "leaves the plane");
  with(
      [&](Mixed& m) {
        return weld({m.model.mark(m.flat_a, {0, 0, 0}), m.model.mark(m.flat_b, {0, 0, 0}, {1, 0, 0})});
      },
      "tilted");
}

}  // namespace
}  // namespace catena
