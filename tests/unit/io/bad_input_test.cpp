// Input that has crashed simulators: each is refused with a place, the value and a remedy, and none crashes.
#include "catena/scene.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace catena {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  bool loads = false;
  std::vector<Issue> issues;
  std::string text() const {
    std::string all;
    for (const Issue& issue : issues) all += issue.text() + "\n";
    return all;
  }
  bool says(const std::string& part) const { return text().find(part) != std::string::npos; }
};

Outcome load_text(const std::string& text) {
  Outcome outcome;
  try {
    const Scene scene = parse_scene(text, "bad.yaml");
    outcome.loads = true;
  } catch (const InvalidInput& error) {
    outcome.issues = error.issues();
  }
  return outcome;
}

Outcome load_file(const fs::path& file) {
  Outcome outcome;
  try {
    const Scene scene = load_scene(file);
    outcome.loads = true;
  } catch (const InvalidInput& error) {
    outcome.issues = error.issues();
  }
  return outcome;
}

// refused, with "bad.yaml:line:column" in front of every issue
void expect_refused(const std::string& text, const std::string& part) {
  const Outcome outcome = load_text(text);
  SCOPED_TRACE(text.substr(0, 200));
  EXPECT_FALSE(outcome.loads);
  EXPECT_TRUE(outcome.says(part)) << "expected '" << part << "' in:\n" << outcome.text();
  for (const Issue& issue : outcome.issues) {
    EXPECT_TRUE(issue.where.starts_with("bad.yaml")) << issue.where;
    EXPECT_FALSE(issue.what.empty());
    EXPECT_FALSE(issue.remedy.empty()) << issue.what;
    EXPECT_LT(issue.text().size(), 1000u);
  }
}

std::string with_mass(const std::string& mass) {
  return "bodies:\n  - {name: p, kind: particle, mass: " + mass + "}\n";
}

TEST(BadInput, Masses) {
  for (const char* mass :
       {"0",        "-1",  "1e-300", "1e300", "1e999", "-1e999", ".nan", "nan", ".inf", "inf", "1/0",
        "sqrt(-1)", "[1]", "{a: 1}", "''",    "heavy", "1 kg",   "0x",   "--",  "*",    "1e",  "true"}) {
    SCOPED_TRACE(mass);
    const Outcome outcome = load_text(with_mass(mass));
    EXPECT_FALSE(outcome.loads);
    ASSERT_FALSE(outcome.issues.empty());
    EXPECT_TRUE(outcome.issues[0].where.starts_with("bad.yaml:2:")) << outcome.issues[0].where;
  }
  const Outcome outcome = load_text(with_mass("-1"));
  EXPECT_EQ(outcome.issues[0].where, "bad.yaml:2:37 bodies[0].mass");
  EXPECT_EQ(outcome.issues[0].what, "mass must be positive, got -1 kg");
}

TEST(BadInput, PosesAndShapes) {
  const auto rigid = [](const std::string& rest) {
    return "bodies: [{name: r, kind: rigid, mass: 1, " + rest + "}]";
  };
  expect_refused(rigid("inertia: [1, 1, 1], position: [1e308, 0, 0]"), "too large");
  expect_refused(rigid("inertia: [1, 1, 1], position: [0, .nan, 0]"), "finite");
  expect_refused(rigid("inertia: [1, 1, 1], position: [0]"), "list of 2 or 3 numbers");
  expect_refused(rigid("inertia: [1, 1, 5]"), "triangle");
  expect_refused(rigid("inertia: [-1, 1, 1]"), "body 'r'");
  expect_refused(rigid("inertia: [0, 0, 0]"), "body 'r'");
  expect_refused(rigid("inertia: [1, 1]"), "inertia must be");
  expect_refused(rigid("inertia: [[1, 0, 0], [0, 1, 0]]"), "inertia must be");
  expect_refused(rigid("inertia: [1, 1, 1], orientation: [0, 0, 0, 0]"), "unit quaternion");
  expect_refused(rigid("inertia: [1, 1, 1], axis: [0, 0, 0], angle: 1"), "must not be zero");
  expect_refused(rigid("shape: {kind: sphere, radius: 0}"), "radius must be positive");
  expect_refused(rigid("shape: {kind: sphere, radius: .nan}"), "finite");
  expect_refused(rigid("shape: {kind: box, size: [1, -1, 1]}"), "every edge");
  expect_refused(rigid("shape: {kind: rod}"), "no length");
  expect_refused(rigid("from: [0, 0, 0], to: [0, 0, 0]"), "no length");
  expect_refused(rigid("from: [0, 0, 0]"), "come together");
  expect_refused(rigid("angle: 1, angle_deg: 2, inertia: [1, 1, 1]"), "say the same thing");
  expect_refused(rigid("velocity: [0, 0, 0]"), "no inertia");
  expect_refused("bodies: [{name: r, kind: planar, mass: 1, inertia: 1, position: [0, 0, 1]}]", "body 'r'");
}

TEST(BadInput, NamesAndReferences) {
  const std::string p = "{name: p, kind: particle, mass: 1, position: [1, 0, 0]}";
  expect_refused("bodies: [" + p + ", " + p + "]", "more than one body");
  expect_refused("bodies: [" + p + "]\njoints: [{kind: distance, a: q, point_b: [0, 0, 0]}]",
                 "there is no body 'q'");
  expect_refused("bodies: [" + p + "]\njoints: [{kind: ball, a: p, b: p}]", "itself");
  expect_refused("bodies: [" + p + "]\njoints: [{kind: ball, a: world, b: world}]", "world");
  expect_refused("bodies: [" + p + "]\njoints: [{kind: hinge, a: p, point: [1, 0, 0], axis: [0, 0, 1]}]",
                 "axes");
  expect_refused("bodies: [" + p + "]\nprobes: [{quantity: joint-force, joint: pin}]", "there is no joint");
  expect_refused("bodies: [{name: world, kind: particle, mass: 1}]", "taken");
  expect_refused("bodies: [{name: '', kind: particle, mass: 1}]", "name");
  expect_refused("bodies: [{kind: particle, mass: 1}]", "'name' is missing");
  expect_refused("bodies: [{name: p, kind: partical, mass: 1}]", "did you mean 'particle'");
  expect_refused("bodies: [{name: p, kind: particle, masss: 1}]", "did you mean 'mass'");
  expect_refused("bodies: [" + p + "]\nbodys: []", "did you mean 'bodies'");
  expect_refused("bodies: [{name: p, kind: particle, mass: 1, mass: 2}]", "given twice");
}

TEST(BadInput, ForcesAndConstraints) {
  const std::string p = "bodies: [{name: p, kind: particle, mass: 1, position: [1, 0, 0]}]\n";
  expect_refused(p + "forces: [{kind: spring, a: p, point_b: [0, 0, 0], stiffness: 1e300}]", "too large");
  expect_refused(p + "forces: [{kind: spring, a: p, point_b: [0, 0, 0], stiffness: 1e29}]",
                 "force 'spring-1'");
  expect_refused(p + "forces: [{kind: spring, a: p, point_b: [0, 0, 0], stiffness: -1}]", "negative");
  expect_refused(p + "forces: [{kind: spring, a: p, stiffness: 1}]", "point_b");
  expect_refused(p + "forces: [{kind: drag, a: p, linear: .nan}]", "finite");
  expect_refused(p + "forces: [{kind: load, a: p}]", "neither force nor torque");
  expect_refused(p + "forces: [{kind: load, a: p, force: [1/t, 0, 0]}]", "no finite value at t = 0");
  expect_refused(p + "forces: [{kind: load, a: p, force: [sin(t, 0, 0]}]", "bad.yaml");
  expect_refused(p + "constraints: [{kind: distance, a: p, point_b: [1, 0, 0]}]", "coincide");
  expect_refused(p + "constraints: [{kind: distance, a: p, point_b: [0, 0, 0], length: 0}]", "positive");
  expect_refused(p + "constraints: [{kind: distance, a: p, point_b: [0, 0, 0], length: sqrt(t)}]", "length");
  expect_refused(
      p + "constraints: [{kind: point-on-curve, a: p, curve: {kind: circle, centre: [0, 0, 0], radius: -1}}]",
      "positive");
  expect_refused(p + "constraints: [{kind: point-on-curve, a: p, curve: {kind: expression, at: [u, 0, 0], "
                     "range: [1, 0]}}]",
                 "range");
  expect_refused(p + "constraints: [{kind: gear, a: p, ratio: 2}]", "axis");
}

TEST(BadInput, PlanesBesideSurfacesAndOutlines) {
  const auto touching = [](const std::string& keys) {
    return "bodies: [{name: ball, kind: rigid, mass: 1, shape: {kind: sphere, radius: 0.5}, position: [0, 0, "
           "0.5]}]\n"
           "constraints:\n  - {kind: rolling, a: ball, shape: {kind: sphere, radius: 0.5}, " +
           keys + "}\n";
  };
  EXPECT_TRUE(load_text(touching("normal: [0, 0, 1]")).loads);
  EXPECT_TRUE(load_text(touching("surface: {kind: plane, normal: [0, 0, 1]}")).loads);
  for (const std::string key : {"normal: [0, 1, 0]", "plane_point: [0, 0, 1]"})
    for (const std::string other : {"surface: {kind: plane}", "shape_b: {kind: sphere, radius: 1}",
                                    "surface: {kind: ellipsoid, semi_axes: [1, 1, 1]}"})
      expect_refused(touching(other + ", " + key),
                     fmt::format("'{}' is of the plane of b, but '{}' says what b is",
                                 key.substr(0, key.find(':')), other.substr(0, other.find(':'))));
}

TEST(BadInput, Steps) {
  for (const char* dt : {"0", "-1e-3", ".nan", "1e300", "1e7", "fast"}) {
    expect_refused(with_mass("1") + "options: {dt: " + std::string(dt) + "}\n", "dt");
    expect_refused(with_mass("1") + "options: {solver: magic, dt: " + std::string(dt) + "}\n", "solver");
  }
  expect_refused(with_mass("1") + "options: {duration: -1}", "duration");
  expect_refused(with_mass("1") + "options: {integrator: ratle}", "did you mean 'rattle'");
  expect_refused(with_mass("1") + "options: {feedback_ks: 1}", "come together");
  expect_refused(with_mass("1") + "options: {max_position_iterations: 1.5}", "whole number");
}

TEST(BadInput, ScenesWithoutBodies) {
  expect_refused("title: nothing\n", "no bodies");
  expect_refused("bodies: []\n", "no bodies");
  expect_refused("", "empty");
  expect_refused("# only a comment\n", "empty");
  expect_refused("~\n", "empty");
  expect_refused("just a text\n", "map");
  expect_refused("[1, 2, 3]\n", "map");
  expect_refused("bodies: {name: p}\n", "must be a list");
  expect_refused("bodies: [3]\n", "map");
}

TEST(BadInput, TextsThatAreNoYaml) {
  expect_refused(std::string("bodies: \0[]", 11), "not text");
  expect_refused(
      "\x7f"
      "ELF\x02\x01\x01",
      "not text");
  expect_refused("bodies: [\xff\xfe]", "not text");
  expect_refused("bodies: [{name: p", "bad.yaml:1:");
  expect_refused("bodies:\n\t- name: p\n", "YAML");
  expect_refused("title: \"no end", "YAML");
  expect_refused("a: 1\n---\nb: 2\n", "second document");
  expect_refused("title: !!binary aGVsbG8=\n", "tag");
  expect_refused("<!DOCTYPE x [<!ENTITY a \"b\">]><x>&a;</x>", "bad.yaml");
}

TEST(BadInput, NestingIsLimited) {
  expect_refused("a: " + std::string(10'000, '[') + std::string(10'000, ']'), "nested");
  expect_refused(std::string(10'000, '['), "bad.yaml:1:");
  std::string dashes, maps;
  for (int i = 0; i < 10'000; ++i) dashes += "- ";
  for (int i = 0; i < 10'000; ++i) maps += "{a: ";
  expect_refused(dashes, "nested");
  expect_refused(maps, "bad.yaml:1:");
  expect_refused(with_mass(std::string(4'000, '(') + "1" + std::string(4'000, ')')), "nested");
}

TEST(BadInput, AliasesCannotMultiply) {
  std::string laughs = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) laughs += (k > 0 ? ", " : "") + alias;
    laughs += "]\n";
  }
  expect_refused(laughs, "aliases expanded");
  expect_refused("bodies: &b [*b]\n", "inside of what it refers to");
  expect_refused("bodies: [*nothing]\n", "bad.yaml:1:");
}

TEST(BadInput, HugeNumbers) {
  expect_refused(with_mass(std::string(10'000'000, '9')), "more than 65536 characters");
  expect_refused(with_mass(std::string(50'000, '9')), "bad.yaml:2:");
  EXPECT_TRUE(load_text(with_mass("0." + std::string(1'000, '3'))).loads);
  expect_refused(std::string(65u << 20, ' '), "larger than 64 MB");
  expect_refused("generate: [{kind: chain, links: 1e9}]", "links");
  expect_refused("generate: [{kind: tree, depth: 60}]", "bodies");
  expect_refused("generate: [{kind: net, rows: 1e6, columns: 1e6}]", "bodies");
}

TEST(BadInput, AllErrorsComeAtOnce) {
  const Outcome outcome = load_text(
      "gravty: [0, 0, -9.81]\n"
      "bodies:\n"
      "  - {name: a, kind: particle, mass: -1}\n"
      "  - {name: b, kind: particle, mas: 1}\n"
      "joints:\n"
      "  - {kind: ball, a: a, b: c}\n"
      "options: {dt: 0}\n");
  EXPECT_EQ(outcome.issues.size(), 6u)
      << outcome.text();  // b lacks its mass as well; the joint is blamed for c only
}

TEST(BadInput, ManyErrorsAreCounted) {
  std::string text = "bodies:\n";
  for (int i = 0; i < 1000; ++i) text += "  - {name: p" + std::to_string(i) + ", kind: particle, mass: -1}\n";
  const Outcome outcome = load_text(text);
  EXPECT_EQ(outcome.issues.size(), 101u);
  EXPECT_TRUE(outcome.says("900 more errors"));
}

class BadFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("catena_bad_files_" + std::to_string(std::random_device{}()));
    fs::create_directories(folder_ / "inner");
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  fs::path folder_;
};

TEST_F(BadFiles, MissingFilesAndFolders) {
  EXPECT_TRUE(load_file(folder_ / "nothing.yaml").says("no such file"));
  EXPECT_TRUE(load_file(folder_).says("folder"));
  EXPECT_TRUE(load_file(write("empty.yaml", "")).says("empty"));
}

TEST_F(BadFiles, IncludesStayInTheFolderAndEnd) {
  write("inner/outside.yaml", "include: ../main.yaml\n");
  EXPECT_TRUE(load_file(write("a.yaml", "include: b.yaml\n")).says("no file"));
  write("b.yaml", "include: [a.yaml]\n");
  EXPECT_TRUE(load_file(folder_ / "a.yaml").says("a.yaml -> b.yaml -> a.yaml"));
  EXPECT_TRUE(load_file(write("self.yaml", "include: self.yaml\n")).says("self.yaml -> self.yaml"));
  EXPECT_TRUE(load_file(write("absolute.yaml", "include: /etc/hostname\n")).says("leads out"));
  EXPECT_TRUE(load_file(write("up.yaml", "include: ../up.yaml\n")).says("leads out"));
  EXPECT_TRUE(load_file(write("sly.yaml", "include: inner/../../up.yaml\n")).says("leads out"));
  EXPECT_TRUE(load_file(folder_ / "inner/outside.yaml").says("leads out"));
  EXPECT_TRUE(load_file(write("list.yaml", "include: [[x]]\n")).says("name of a file"));
  fs::create_symlink(folder_ / "main.yaml", folder_ / "inner/link.yaml");
  write("main.yaml", "title: x\n");
  EXPECT_TRUE(load_file([&] {
                std::ofstream(folder_ / "inner/user.yaml") << "include: link.yaml\n";
                return folder_ / "inner/user.yaml";
              }())
                  .says("leads out"));
  EXPECT_TRUE(load_text("include: other.yaml\n").says("without a file"));
}

// Truncations and random changes of the examples load or are refused; nothing else happens.
TEST(BadInput, DamagedExamplesLoadOrAreRefused) {
  constexpr unsigned kSeed = 20;
  std::mt19937 random(kSeed);
  std::vector<std::string> examples;
  for (const char* name :
       {"spinning-top", "gear-train", "crane", "truss-bridge", "bead-on-wire", "six-body"}) {
    std::ifstream file(fs::path(CATENA_SOURCE_DIR) / "examples" / (std::string(name) + ".yaml"));
    std::ostringstream text;
    text << file.rdbuf();
    examples.push_back(text.str());
    ASSERT_GT(examples.back().size(), 100u) << name;
  }
  const std::string alphabet = "0123456789.-+*/^()[]{}:,'\"&*!|>%@`#\n \tabcxyz$e\\\x80\xc3\xff";
  int loaded = 0, refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial));
    std::string text = examples[random() % examples.size()];
    const int changes = 1 + int(random() % 4);
    for (int k = 0; k < changes; ++k) {
      const std::size_t at = random() % text.size();
      switch (random() % 5) {
        case 0:
          text[at] = alphabet[random() % alphabet.size()];
          break;
        case 1:
          text.insert(at, 1, alphabet[random() % alphabet.size()]);
          break;
        case 2:
          text.erase(at, 1 + random() % 20);
          break;
        case 3:
          text.resize(at + 1);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
          break;
      }
      if (text.empty()) text = "x";
    }
    // a mutated number of links must not turn a test of texts into a test of memory
    if (text.find("links: {value: 100,") == std::string::npos && text.find("chain") != std::string::npos)
      continue;
    const Outcome outcome = load_text(text);
    ++(outcome.loads ? loaded : refused);
    EXPECT_TRUE(outcome.loads || !outcome.issues.empty());
  }
  EXPECT_GT(loaded, 50);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace catena
