// Scenes: what a text means, and that every published example loads.
#include "catena/scene.h"

#include "catena/joints.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numbers>

namespace catena {
namespace {

namespace fs = std::filesystem;

const fs::path kExamples = fs::path(CATENA_SOURCE_DIR) / "examples";

const BodyEntry& body(const Scene& scene, std::string_view name) {
  return scene.model.bodies()[std::size_t(scene.model.index_of(scene.model.find_body(name).value()))];
}

Placement placement(const Scene& scene, std::string_view name) {
  const BodyEntry& entry = body(scene, name);
  return entry.body->unpack(entry.q.data(), entry.v.data());
}

std::string message(const std::string& text, const std::map<std::string, std::string>& set = {}) {
  try {
    parse_scene(text, "scene.yaml", set);
  } catch (const InvalidInput& error) {
    std::string all;
    for (const Issue& issue : error.issues()) all += issue.text() + "\n";
    return all;
  }
  return "";
}

TEST(Scene, EveryExampleLoadsAndStarts) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kExamples)) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const Scene scene = load_scene(entry.path());
    EXPECT_FALSE(scene.title.empty());
    EXPECT_FALSE(scene.description.empty());
    EXPECT_FALSE(scene.probes.empty());
    const Simulation sim = make_simulation(scene);
    const bool may_start_open = scene.options.integrator == Integrator::first_order;
    EXPECT_TRUE(may_start_open || sim.constraint_error() < 1e-9) << sim.constraint_error();
    for (const Probe& probe : scene.probes) {
      std::vector<double> values(std::size_t(probe.size), std::nan(""));
      probe.read(sim, values.data());
      for (const double value : values) EXPECT_TRUE(std::isfinite(value)) << probe.name;
      EXPECT_EQ(probe.components.size(), probe.size == 1 ? 0u : std::size_t(probe.size));
    }
    ++count;
  }
  EXPECT_GE(count, 13);
}

TEST(Scene, ExamplesHaveTheirPublishedSizes) {
  const Scene tree = load_scene(kExamples / "tree-127.yaml");
  EXPECT_EQ(tree.model.bodies().size(), 127u);
  EXPECT_EQ(tree.model.constraints().size(), 127u);
  const Scene star = load_scene(kExamples / "star-100.yaml");
  EXPECT_EQ(star.model.bodies().size(), 101u);
  const Scene crane = load_scene(kExamples / "crane.yaml");
  EXPECT_EQ(crane.model.bodies().size(), 101u);
  EXPECT_EQ(crane.model.constraints().size(), 101u);
  const Vec3 payload = placement(crane, "cable-payload").position;
  EXPECT_NEAR((payload - Vec3(1, 0, -1) * 10.0 / std::numbers::sqrt2).norm(), 0.0, 1e-12);
  const Scene six = load_scene(kExamples / "six-body.yaml", {{"joint", "hinge"}});
  EXPECT_EQ(six.model.constraints().size(), 5u);
  EXPECT_EQ(six.model.constraints()[0].constraint->kind(), "hinge");
}

TEST(Scene, ChainOf100000LinksLoads) {
  const Scene scene = load_scene(kExamples / "chain.yaml", {{"links", "100000"}, {"joint", "hinge"}});
  EXPECT_EQ(scene.model.bodies().size(), 100'000u);
  EXPECT_EQ(scene.parameters.at("links"), "100000");
}

TEST(Scene, ParametersReachNumbersAndWords) {
  Scene scene = parse_scene(
      "parameters: {total: 12, links: 4, kind_of_body: particle, each: total/links}\n"
      "bodies:\n"
      "  - {name: p, kind: $kind_of_body, mass: each, position: [2*pi, links^2, -each]}\n"
      "  - {name: \"p${links}\", kind: \"${kind_of_body}\", mass: \"${each}\"}\n");
  EXPECT_EQ(body(scene, "p").body->mass(), 3.0);
  EXPECT_EQ(body(scene, "p4").body->mass(), 3.0);
  EXPECT_EQ(placement(scene, "p").position, Vec3(2 * std::numbers::pi, 16, -3));
  const std::map<std::string, std::string> set{{"links", "2*3"}};
  scene = parse_scene(
      "parameters: {total: 12, links: 4, each: total/links}\n"
      "bodies: [{name: p, kind: particle, mass: each}]\n",
      "scene", set);
  EXPECT_EQ(body(scene, "p").body->mass(), 2.0);
  EXPECT_EQ(scene.parameters.at("each"), "2");
}

TEST(Scene, WrongSettingsAreExplained) {
  const std::string text =
      "parameters:\n  links: {value: 4, min: 1, max: 9}\n  joint: {value: ball, choices: [ball, hinge]}\n"
      "bodies: [{name: p, kind: particle, mass: 1}]\n";
  EXPECT_EQ(message(text, {{"links", "5"}, {"joint", "hinge"}}), "");
  EXPECT_NE(message(text, {{"linsk", "5"}}).find("did you mean 'links'"), std::string::npos);
  EXPECT_NE(message(text, {{"links", "50"}}).find("from 1 to 9, got 50"), std::string::npos);
  EXPECT_NE(message(text, {{"links", "many"}}).find("is a number"), std::string::npos);
  EXPECT_NE(message(text, {{"joint", "3"}}).find("is a word"), std::string::npos);
  EXPECT_NE(message(text, {{"joint", "bal"}}).find("did you mean 'ball'"), std::string::npos);
}

TEST(Scene, AWrongSettingIsReportedOnceAndNotByItsUsers) {
  const std::string text =
      "parameters: {joint: {value: ball, choices: [ball, hinge]}, mass: {value: 1, min: 0.5}}\n"
      "bodies: [{name: p, kind: particle, mass: mass, position: [1, 0, 0]}]\n"
      "joints: [{kind: $joint, a: p, point: [1, 0, 0]}]\n";
  EXPECT_EQ(message(text), "");
  for (const auto& [name, value] :
       {std::pair("joint", "bal"), std::pair("joint", "3"), std::pair("mass", "0.1")}) {
    const std::string all = message(text, {{name, value}});
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1) << all;
  }
}

TEST(Scene, RodsArePlacedBetweenTwoPoints) {
  const Scene scene =
      parse_scene("bodies: [{name: r, kind: rigid, mass: 3, from: [1, 2, 3], to: [1, 4, 1]}]");
  const Placement p = placement(scene, "r");
  EXPECT_NEAR((p.position - Vec3(1, 3, 2)).norm(), 0.0, 1e-14);
  EXPECT_NEAR((p.orientation * Vec3::UnitX() - Vec3(0, 1, -1).normalized()).norm(), 0.0, 1e-14);
  const auto& rigid = dynamic_cast<const Rigid&>(*body(scene, "r").body);
  EXPECT_NEAR(rigid.inertia()(1, 1), 3.0 * 8.0 / 12.0, 1e-14);
}

TEST(Scene, OrientationsAgreeHoweverTheyAreWritten) {
  const std::string head = "bodies: [{name: r, kind: rigid, mass: 1, inertia: [1, 1, 1], ";
  const Quat expected(std::sqrt(0.5), 0, 0, std::sqrt(0.5));
  for (const std::string spelling : {"angle_deg: 90", "angle: pi/2", "axis: [0, 0, 2], angle_deg: 90",
                                     "rpy_deg: [0, 0, 90]", "orientation: [sqrt(0.5), 0, 0, sqrt(0.5)]"}) {
    const Scene scene = parse_scene(head + spelling + "}]");
    EXPECT_NEAR(placement(scene, "r").orientation.angularDistance(expected), 0.0, 1e-12) << spelling;
  }
  const Scene scene = parse_scene(head + "angle_deg: 90, angular_velocity_body: [1, 2, 3]}]");
  EXPECT_NEAR((placement(scene, "r").angular_velocity - Vec3(-2, 1, 3)).norm(), 0.0, 1e-12);
}

TEST(Scene, InertiaMayBeThreeSixOrNineNumbers) {
  for (const std::string inertia :
       {"[3, 4, 5, 0.1, 0.2, 0.3]", "[[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]]"}) {
    const Scene scene = parse_scene("bodies: [{name: r, kind: rigid, mass: 1, inertia: " + inertia + "}]");
    Mat3 expected;
    expected << 3, 0.1, 0.2, 0.1, 4, 0.3, 0.2, 0.3, 5;
    EXPECT_EQ(dynamic_cast<const Rigid&>(*body(scene, "r").body).inertia(), expected) << inertia;
  }
}

TEST(Scene, FunctionsOfTimeDriveJoints) {
  const std::string bodies = "bodies: [{name: arm, kind: rigid, mass: 1, from: [0, 0, 0], to: [1, 0, 0]}]\n";
  const auto kind = [&](const std::string& joint) {
    return std::string(
        parse_scene(bodies + "joints: [{a: arm, " + joint + "}]").model.constraints()[0].constraint->kind());
  };
  EXPECT_EQ(kind("kind: hinge, point: [0, 0, 0], axis: [0, 0, 1]"), "hinge");
  EXPECT_NE(kind("kind: hinge, point: [0, 0, 0], axis: [0, 0, 1], angle: 0.5*sin(2*pi*t)").find("driven"),
            std::string::npos);
  EXPECT_NE(kind("kind: slider, axis: [1, 0, 0], travel: t^2").find("driven"), std::string::npos);
  EXPECT_EQ(kind("kind: nail, point: [0, 0, 0]"), "nail");
  EXPECT_NE(kind("kind: nail, point: [0, 0, 0], target: [t, 0, 0]").find("driven"), std::string::npos);
  EXPECT_EQ(kind("kind: distance, point_b: [0, 0, 2], length: 3"), "distance");
  EXPECT_NE(kind("kind: distance, point_b: [0, 0, 2], length: 2+0.1*sin(t)").find("driven"),
            std::string::npos);
}

TEST(Scene, JsonIsASubset) {
  const Scene scene =
      parse_scene(R"({"gravity": [0, 0, -1.62], "bodies": [{"name": "p", "kind": "particle", "mass": 2}]})");
  EXPECT_EQ(scene.model.gravity.z(), -1.62);
  EXPECT_EQ(body(scene, "p").body->mass(), 2.0);
}

TEST(Scene, GravityPointsDownInThePlaneAndInSpace) {
  EXPECT_EQ(parse_scene("bodies: [{name: p, kind: particle, mass: 1}]").model.gravity, Vec3(0, 0, -9.81));
  EXPECT_EQ(parse_scene("bodies: [{name: p, kind: particle-2d, mass: 1}]").model.gravity, Vec3(0, -9.81, 0));
  EXPECT_EQ(parse_scene("gravity: [1, 2, 3]\nbodies: [{name: p, kind: particle, mass: 1}]").model.gravity,
            Vec3(1, 2, 3));
}

TEST(Scene, UserCurvesHaveExactDerivatives) {
  const Scene scene = parse_scene(
      "bodies: [{name: p, kind: particle, mass: 1, position: [1, 0, 0]}]\n"
      "constraints: [{kind: point-on-curve, a: p, curve: {kind: expression, at: [cos(u), sin(u), 0.1*u], "
      "range: [-1, 1]}}]");
  EXPECT_EQ(scene.model.constraints().size(), 1u);
  EXPECT_EQ(make_simulation(scene).constraint_error(), 0.0);
}

TEST(Scene, InitialMovesBodiesAndKeepsJoints) {
  const Scene scene = parse_scene(
      "bodies: [{name: p, kind: particle, mass: 1, position: [1, 0, 0]}]\n"
      "constraints: [{name: rod, kind: distance, a: p, point_b: [0, 0, 0]}]\n"
      "initial: {project: true, bodies: [{body: p, position: [0, 1.1, 0], velocity: [1, 1, 0]}]}");
  const Simulation sim = make_simulation(scene);
  const Placement p = sim.placement(*scene.model.find_body("p"));
  EXPECT_NEAR((p.position - Vec3(0, 1, 0)).norm(), 0.0, 1e-9);
  EXPECT_NEAR((p.velocity - Vec3(1, 0, 0)).norm(), 0.0, 1e-9);
}

TEST(Scene, GeneratorsCountAsTheySay) {
  const auto count = [](const std::string& generator) {
    const Model model = parse_scene("generate: [" + generator + "]").model;
    return std::pair(model.bodies().size(), model.constraints().size());
  };
  using Sizes = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(count("{kind: chain, links: 5}"), Sizes(5, 5));
  EXPECT_EQ(count("{kind: chain, links: 5, anchor: free}"), Sizes(5, 4));
  EXPECT_EQ(count("{kind: chain, links: 5, end: world, bend_deg: 10, joint: hinge, twist_deg: 90}"),
            Sizes(5, 6));
  EXPECT_EQ(count("{kind: chain, links: 5, payload: {mass: 9}}"), Sizes(6, 6));
  EXPECT_EQ(count("{kind: chain, links: 5, body: particle, total_mass: 1, total_length: 2}"), Sizes(5, 5));
  EXPECT_EQ(count("{kind: chain, links: 5, body: particle-2d}"), Sizes(5, 5));
  EXPECT_EQ(count("{kind: chain, links: 5, body: planar, joint: hinge}"), Sizes(5, 5));
  EXPECT_EQ(count("{kind: tree, depth: 4, branching: 3}"), Sizes(40, 40));
  EXPECT_EQ(count("{kind: random-tree, bodies: 50, seed: 3, joint: universal}"), Sizes(50, 50));
  EXPECT_EQ(count("{kind: star, arms: 7, links: 2, hub: {mass: 1, radius: 0.1}, anchor: free}"),
            Sizes(15, 14));
  EXPECT_EQ(count("{kind: ladder, rungs: 4, body: planar, joint: hinge}"), Sizes(12, 16));
  EXPECT_EQ(count("{kind: net, rows: 3, columns: 4}"), Sizes(12, 9 + 8 + 2));
}

TEST(Scene, EveryProbeReads) {
  const Scene scene = parse_scene(R"(
bodies: [{name: arm, kind: rigid, mass: 1, from: [0, 0, 0], to: [1, 0, 0]}]
joints: [{name: pin, kind: hinge, a: arm, point: [0, 0, 0], axis: [0, 1, 0]}]
probes:
  - {name: tip, quantity: position, body: arm, point: [1, 0, 0]}
  - {name: tip-speed, quantity: velocity, body: arm, point: [1, 0, 0], component: norm}
  - {quantity: orientation, body: arm}
  - {quantity: angle, body: arm}
  - {quantity: angular-velocity, body: arm, axes: body}
  - {name: reach, quantity: distance, a: arm, point_a: [1, 0, 0], point_b: [0, 0, 0]}
  - {quantity: joint-angle, joint: pin}
  - {quantity: joint-travel, joint: pin}
  - {name: support, quantity: joint-force, joint: pin, component: norm}
  - {quantity: joint-torque, joint: pin}
  - {quantity: multipliers, joint: pin}
  - {quantity: energy, part: kinetic}
  - {quantity: energy, part: numerical}
  - {quantity: momentum}
  - {quantity: angular-momentum, component: y}
  - {quantity: constraint-error}
  - {quantity: constraint-power}
)");
  ASSERT_EQ(scene.probes.size(), 17u);
  const Simulation sim = make_simulation(scene);
  std::map<std::string, std::vector<double>> values;
  for (const Probe& probe : scene.probes) {
    values[probe.name].assign(std::size_t(probe.size), std::nan(""));
    probe.read(sim, values[probe.name].data());
    for (const double value : values[probe.name]) EXPECT_TRUE(std::isfinite(value)) << probe.name;
  }
  EXPECT_EQ(values["tip"], (std::vector<double>{1, 0, 0}));
  EXPECT_NEAR(values["reach"][0], 1.0, 1e-14);
  EXPECT_NEAR(values["support"][0], 9.81 / 4.0, 1e-9);  // a horizontal rod released: a quarter of its weight
  EXPECT_EQ(values["multipliers-1"].size(), 5u);
}

TEST(Scene, IncludesComeFirstAndParametersMayBeGivenAgain) {
  const fs::path folder = fs::temp_directory_path() / "catena_scene_test_include";
  fs::create_directories(folder / "parts");
  const auto write = [&](const char* name, const char* text) { std::ofstream(folder / name) << text; };
  write("parts/arm.yaml",
        "parameters: {mass: 1, twice: 2*mass}\nbodies: [{name: arm, kind: particle, mass: twice}]\n");
  write("main.yaml",
        "include: parts/arm.yaml\nparameters: {mass: 5}\n"
        "bodies: [{name: bob, kind: particle, mass: mass, position: [1, 0, 0]}]\n");
  const Scene scene = load_scene(folder / "main.yaml");
  EXPECT_EQ(scene.model.bodies()[0].name, "arm");
  EXPECT_EQ(body(scene, "arm").body->mass(), 10.0);
  EXPECT_EQ(body(scene, "bob").body->mass(), 5.0);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace catena
