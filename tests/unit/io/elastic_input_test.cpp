// Springs, stops and contacts of scenes: what is refused, and where the message points.
#include "catena/scene.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

constexpr const char* kLeg =
    "bodies:\n"
    "  - {name: shank, kind: rigid, mass: 3, from: [0, 0, 0], to: [0.4, 0, 0]}\n"
    "  - {name: dot, kind: particle, mass: 1, position: [0, 0, 5]}\n"
    "joints: [{name: knee, kind: hinge, a: shank, point: [0, 0, 0], axis: [0, 1, 0]}]\n";

std::vector<Issue> issues_of(const std::string& more) {
  try {
    (void)parse_scene(kLeg + more, "leg.yaml");
  } catch (const InvalidInput& error) {
    return error.issues();
  }
  return {};
}

struct ElasticMistake {
  std::string keys;
  std::string where;  // part of the place
  std::string what;   // part of the message
};

void expect_mistakes(const std::string& before, const std::vector<ElasticMistake>& mistakes) {
  for (const ElasticMistake& m : mistakes) {
    SCOPED_TRACE(before + m.keys);
    const std::vector<Issue> issues = issues_of("forces: [{name: f, " + before + m.keys + "}]\n");
    bool found = false;
    for (const Issue& issue : issues) {
      EXPECT_TRUE(issue.where.starts_with("leg.yaml:5:")) << issue.where;
      EXPECT_FALSE(issue.remedy.empty()) << issue.text();
      found = found || (issue.where.find(m.where) != std::string::npos &&
                        issue.what.find(m.what) != std::string::npos);
    }
    EXPECT_TRUE(found) << (issues.empty() ? "accepted" : issues[0].text());
  }
}

const std::string kAtKnee = "a: shank, point: [0, 0, 0], axis: [0, 1, 0], ";

TEST(ElasticInput, GoodOnesAreAccepted) {
  for (const char* good : {"kind: joint-spring, stiffness: 5, damping: 0.2, rest: 0.3",
                           "kind: joint-limit, stiffness: 1e5, lower: -1",
                           "kind: joint-limit, coordinate: swing, stiffness: 1e5, upper: 1",
                           "kind: joint-spring, coordinate: frame, stiffness: 5, preload: -1, limit: 3"})
    EXPECT_TRUE(issues_of("forces: [{name: f, " + kAtKnee + good + "}]\n").empty()) << good;
}

TEST(ElasticInput, MistakesInJointSpringsNameTheirKey) {
  expect_mistakes("kind: joint-spring, " + kAtKnee,
                  {{"stiffness: -1", "forces[0].stiffness", "negative"},
                   {"stiffness: .nan", "forces[0].stiffness", "finite"},
                   {"stiffness: .inf", "forces[0].stiffness", "finite"},
                   {"stiffness: 1e300", "forces[0].stiffness", "too large"},
                   {"stiffness: 1e29", "force 'f'", "stiffness is too large"},
                   {"stiffness: soft", "forces[0].stiffness", "soft"},
                   {"stiffness: [1, 2, 3]", "forces[0].stiffness", "must be a number"},
                   {"stiffness: 1, damping: -1", "forces[0].damping", "negative"},
                   {"stiffness: 1, damping: .nan", "forces[0].damping", "finite"},
                   {"stiffness: 1, rest: .nan", "forces[0].rest", "finite"},
                   {"stiffness: 1, preload: .inf", "forces[0].preload", "finite"},
                   {"stiffness: 1, limit: 0", "forces[0].limit", "positive"},
                   {"stiffness: 1, limit: -1", "forces[0].limit", "positive"},
                   {"stiffness: 1, coordinate: ball, rest: 1", "forces[0].rest", "rests where"},
                   {"stiffness: 1, coordinate: hing", "forces[0].coordinate", "'hing'"},
                   {"stiffness: 1, lower: 0", "forces[0].lower", "not known"}});
}

TEST(ElasticInput, MistakesInJointLimitsNameTheirKey) {
  expect_mistakes("kind: joint-limit, " + kAtKnee,
                  {{"stiffness: 1", "forces[0]", "needs 'lower' or 'upper'"},
                   {"upper: 1", "forces[0]", "'stiffness' is missing"},
                   {"stiffness: 0, upper: 1", "forces[0].stiffness", "positive"},
                   {"stiffness: -1, upper: 1", "forces[0].stiffness", "positive"},
                   {"stiffness: 1, lower: 1, upper: 0", "forces[0].lower", "lower = 1 is above upper = 0"},
                   {"stiffness: 1, lower: .nan", "forces[0].lower", "finite"},
                   {"stiffness: 1, upper: .nan", "forces[0].upper", "finite"},
                   {"stiffness: 1, upper: 1, damping: -1", "forces[0].damping", "negative"},
                   {"stiffness: 1, upper: 1, coordinate: ball", "forces[0].coordinate", "'ball'"}});
}

TEST(ElasticInput, MistakesInContactsNameTheirKey) {
  const std::string floor = "surface: {kind: plane}, ";
  expect_mistakes("kind: contact, a: shank, ",
                  {{floor + "radius: 0.1", "forces[0]", "'stiffness' is missing"},
                   {floor + "stiffness: -1", "forces[0].stiffness", "positive"},
                   {floor + "stiffness: .nan", "forces[0].stiffness", "finite"},
                   {floor + "stiffness: 1, radius: -1", "forces[0].radius", "negative"},
                   {floor + "stiffness: 1, radius: .nan", "forces[0].radius", "finite"},
                   {floor + "stiffness: 1, damping: -1", "forces[0].damping", "negative"},
                   {"surface: {kind: ellipsoid, semi_axes: [1, 1, 2]}, stiffness: 1, radius: 0.1",
                    "force 'f'", "measures distances"},
                   {floor + "stiffness: 1, b: shank", "force 'f'", "itself"}});
}

TEST(ElasticInput, MistakesInGainsNameTheirKey) {
  expect_mistakes("kind: pd-motor, " + kAtKnee,
                  {{"target: 0, stiffness: -1", "forces[0].stiffness", "negative"},
                   {"target: 0, stiffness: .nan", "forces[0].stiffness", "finite"},
                   {"target: 0, stiffness: 1e300", "forces[0].stiffness", "too large"},
                   {"target: 0, stiffness: 1, damping: -2", "forces[0].damping", "negative"},
                   {"target: 1/0, stiffness: 1", "forces[0].target", "finite"},
                   {"target: 0", "forces[0]", "'stiffness' is missing"}});
}

TEST(ElasticInput, CoordinatesWithAxesNeedBodiesWithAxes) {
  expect_mistakes("a: dot, stiffness: 1, ",
                  {{"kind: joint-spring, coordinate: ball", "force 'f'", "'dot' is a particle"},
                   {"kind: joint-limit, coordinate: swing, upper: 1", "force 'f'", "'dot' is a particle"}});
}

TEST(ElasticInput, MistakesInOptionsOfImplicitSchemesNameTheirKey) {
  const std::pair<const char*, const char*> cases[] = {
      {"integrator: bdf3", "did you mean 'bdf2'"},
      {"alpha_rho: -1", "alpha_rho"},
      {"alpha_rho: .nan", "alpha_rho"},
      {"newton_tolerance: 0", "newton_tolerance"},
      {"newton_tolerance: .nan", "newton_tolerance"},
      {"max_newton_iterations: 0", "max_newton_iterations"},
      {"max_newton_iterations: 1.5", "whole number"},
      {"max_halvings: -1", "max_halvings"},
      {"linear_corrections: -1", "linear_corrections"},
      {"stiff_form: soft", "choices: compliant, grandparent"},
      {"newton_matrix: exat", "did you mean 'exact'"}};
  for (const auto& [option, part] : cases) {
    const std::vector<Issue> issues = issues_of("options: {" + std::string(option) + "}\n");
    ASSERT_EQ(issues.size(), 1u) << option;
    EXPECT_NE(issues[0].text().find(part), std::string::npos) << issues[0].text();
  }
}

TEST(ElasticInput, AContactWithoutAGoodSurfaceIsRefused) {
  expect_mistakes("kind: contact, a: shank, stiffness: 1, ",
                  {{"radius: 0", "forces[0]", "'surface' is missing"},
                   {"surface: {kind: plain}", "forces[0].surface.kind", "is not a kind of surface"},
                   {"surface: {kind: plane, normal: [0, 0, 0]}", "forces[0].surface", "must not be zero"}});
}

TEST(ElasticInput, ASpectralRadiusBeyondTheStableOnesIsRefused) {
  EXPECT_EQ(issues_of("options: {integrator: generalised-alpha, alpha_rho: 0.9}\n").size(), 1u);
}

}  // namespace
}  // namespace catena
