// Checkpoints: a run that is continued has the bits of one that was never interrupted, and only with what it was saved from.
#include "sim/checkpoint.h"

#include "catena/catena.h"
#include "catena/output.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>

namespace catena {
namespace {

std::filesystem::path checkpoint_file() {
  return std::filesystem::temp_directory_path() / fmt::format("catena-checkpoint-{}", ::getpid());
}

void take_steps(Simulation& sim, int steps, double dt) {
  for (int k = 0; k < steps; ++k) {
    double left = dt;
    while (left > 1e-12 * dt) {
      const StepReport report = sim.step(left);
      ASSERT_TRUE(report.ok()) << report.message;
      left -= report.advanced;
      if (report.event.empty()) break;
    }
  }
}

/// Saved after every number of steps, continued to the same end, compared in bits.
void expect_same_bits(const std::string& text, Integrator integrator, int steps, double dt) {
  Scene scene = parse_scene(text);
  scene.options.integrator = integrator;
  Simulation whole = make_simulation(scene);
  take_steps(whole, steps, dt);
  for (int at = 0; at < steps; at += 1 + at / 6) {
    Simulation first = make_simulation(scene);
    take_steps(first, at, dt);
    first.save(checkpoint_file());
    Simulation second = make_simulation(scene);
    second.load(checkpoint_file());
    EXPECT_EQ(second.hash(), first.hash());
    EXPECT_EQ(second.multipliers(), first.multipliers()) << "a reading, saved after " << at;
    EXPECT_EQ(second.numerical_energy(), first.numerical_energy());
    take_steps(second, steps - at, dt);
    EXPECT_EQ(second.hash(), whole.hash()) << name(integrator) << ", saved after " << at << " steps";
    EXPECT_EQ(second.choice().integrator, whole.choice().integrator);
    EXPECT_EQ(second.multipliers(), whole.multipliers());
  }
  std::filesystem::remove(checkpoint_file());
}

constexpr const char* kBouncing = R"yaml(
bodies: [{name: p, kind: particle, mass: 1, position: [0, 0, 0.01]}]
forces: [{kind: contact, a: p, surface: {kind: plane}, stiffness: 2e4, damping: 400}]
)yaml";

constexpr const char* kLimited = R"yaml(
bodies: [{name: shank, kind: rigid, mass: 3, from: [0, 0, 0], to: [0.4, 0, 0]}]
joints: [{name: knee, kind: hinge, a: shank, point: [0, 0, 0], axis: [0, 1, 0]}]
forces:
  - {kind: joint-limit, a: shank, point: [0, 0, 0], axis: [0, 1, 0], lower: -0.1, upper: 0.5, stiffness: 1e5, damping: 3}
)yaml";

// a string that an event cuts, and a hinge that breaks
constexpr const char* kBreaking = R"yaml(
bodies:
  - {name: stone, kind: particle, mass: 1, position: [1, 0, 0]}
  - {name: rod, kind: rigid, mass: 1, from: [2, 0, 0], to: [3, 0, 0]}
constraints: [{name: string, kind: distance, a: stone, b: world, point_b: [0, 0, 0]}]
joints: [{name: h, kind: hinge, a: rod, point: [2, 0, 0], axis: [0, 1, 0], breaks_at: {force: 20}}]
forces: [{name: pull, kind: spring, a: stone, b: rod, stiffness: 3, rest_length: 1}]
probes: [{name: speed, quantity: velocity, body: stone, component: norm}]
events: [{name: cut, probe: speed, rises_above: 2, remove: [string]}]
)yaml";

// driven, with a loop: what a step leaves of its factor belongs to a time
constexpr const char* kDriven = R"yaml(
bodies:
  - {name: crank, kind: rigid, mass: 1, from: [0, 0, 0], to: [0.3, 0, 0]}
  - {name: rod, kind: rigid, mass: 1, from: [0.3, 0, 0], to: [1.3, 0, 0]}
joints:
  - {name: drive, kind: hinge, a: crank, point: [0, 0, 0], axis: [0, 1, 0], angle: "t + 0.3*sin(3*t)"}
  - {name: pin, kind: hinge, a: rod, b: crank, point: [0.3, 0, 0], axis: [0, 1, 0]}
  - {name: guide, kind: point-on-curve, a: rod, point: [1.3, 0, 0], curve: {kind: line, point: [1.3, 0, 0], direction: [1, 0, 0]}}
initial: {project: true}
)yaml";

TEST(Continued, ContactsAndStopsOfImplicitStepsKeepTheirBits) {
  for (const Integrator integrator : {Integrator::bdf2, Integrator::tr_bdf2, Integrator::generalised_alpha,
                                      Integrator::backward_euler, Integrator::automatic}) {
    expect_same_bits(kBouncing, integrator, 24, 1.0 / 60);
    expect_same_bits(kLimited, integrator, 24, 1.0 / 60);
  }
}

TEST(Continued, ModelsThatEventsHaveChangedGoOn) {
  for (const Integrator integrator :
       {Integrator::automatic, Integrator::rk4, Integrator::bdf2, Integrator::dormand_prince})
    expect_same_bits(kBreaking, integrator, 60, 0.01);
}

TEST(Continued, DrivenLoopsKeepTheirBits) {
  for (const Integrator integrator : {Integrator::automatic, Integrator::rattle, Integrator::bdf2,
                                      Integrator::tr_bdf2, Integrator::dormand_prince})
    expect_same_bits(kDriven, integrator, 30, 0.01);
}

/// What loading into another model says; empty when it is accepted.
std::string refusal(const std::string& saved, const std::string& loaded) {
  Simulation one = make_simulation(parse_scene(saved)), two = make_simulation(parse_scene(loaded));
  one.save(checkpoint_file());
  const std::uint64_t before = two.hash();
  try {
    two.load(checkpoint_file());
  } catch (const InvalidInput& error) {
    EXPECT_EQ(two.hash(), before);
    return error.what();
  }
  return {};
}

/// Bars of a sheared lattice in the plane z = 0, on the ground at its lower edge, with hinges at its knots and here and there another joint:
/// rows imply each other in ways that depend on the position.
Model lattice(unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Model model;
  model.gravity = {0.0, -9.81, number(-1.0, 1.0)};
  const int columns = 1 + int(random() % 3u), floors = 1 + int(random() % 3u);
  const double shear = number(-1.0, 1.0);
  std::map<std::pair<int, int>, std::vector<BodyId>> bars_at;
  const auto knot = [&](int i, int j) { return Vec3(i + shear * j, 0.7 * j, 0.0); };
  const auto add_bar = [&](int i, int j, int to_i, int to_j) {
    const double mass = number(0.5, 2.0);
    const BodyId bar = model.add(fmt::format("bar {} {} {}", i, j, to_j - j),
                                 std::make_shared<Rigid>(mass, Vec3(mass * Vec3(0.1, 0.12, 0.15))),
                                 {.position = 0.5 * (knot(i, j) + knot(to_i, to_j))});
    bars_at[{i, j}].push_back(bar);
    bars_at[{to_i, to_j}].push_back(bar);
  };
  for (int i = 0; i <= columns; ++i)
    for (int j = 0; j <= floors; ++j) {
      if (i < columns && j > 0) add_bar(i, j, i + 1, j);
      if (j < floors) add_bar(i, j, i, j + 1);
    }
  for (const auto& [at, bars] : bars_at)
    for (std::size_t k = at.second == 0 ? 0 : 1; k < bars.size(); ++k) {
      const AttachmentPair pair =
          model.join(bars[k], at.second == 0 ? world : bars[0], knot(at.first, at.second), Vec3::UnitZ());
      const unsigned kind = unsigned(random() % 10u);
      model.add(fmt::format("knot {} {} {}", at.first, at.second, k), kind < 6   ? hinge(pair)
                                                                      : kind < 8 ? ball(pair)
                                                                                 : universal(pair));
    }
  return model;
}

TEST(Continued, LoopsKeepTheirBitsWhateverOrderOfEliminationWasFound) {
  int compared = 0;
  for (unsigned seed = 1; seed <= 20; ++seed)
    for (const Integrator integrator : {Integrator::rattle, Integrator::bdf2}) {
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, name(integrator)));
      Options options;
      options.integrator = integrator;
      const auto model = std::make_shared<const Model>(lattice(seed));
      Simulation whole(model, options);
      const auto goes_on = [](Simulation& sim, int steps) {
        bool ok = true;
        for (int k = 0; k < steps && ok; ++k) ok = sim.step(0.005).ok();
        return ok;
      };
      if (!goes_on(whole, 20)) continue;  // some are singular: no step goes on from there
      whole.save(checkpoint_file());
      Simulation restored(model, options), cloned = whole.clone();
      restored.load(checkpoint_file());
      const bool ok = goes_on(whole, 10);
      EXPECT_EQ(goes_on(restored, 10), ok);
      EXPECT_EQ(goes_on(cloned, 10), ok);
      EXPECT_EQ(restored.hash(), whole.hash());
      EXPECT_EQ(cloned.hash(), whole.hash());
      ++compared;
    }
  EXPECT_GT(compared, 30);
  std::filesystem::remove(checkpoint_file());
}

TEST(Fingerprint, EveryParameterCountsAndItsOwnerIsNamed) {
  const auto scene = [](const std::string& key, const std::string& value) {
    std::map<std::string, std::string> now{
        {"G", "9.81"},  {"I", "1"},    {"K", "10"},  {"D", "0"},     {"REST", "0.5"},     {"DRAG", "1"},
        {"LIMIT", "3"}, {"GAIN", "5"}, {"LAW", "t"}, {"UPPER", "1"}, {"AXIS", "0, 1, 0"}, {"L", "1"}};
    now.at(key) = value;
    return fmt::format(R"yaml(
gravity: [0, 0, -{}]
bodies:
  - {{name: a, kind: rigid, mass: 1, inertia: [{}, 1, 1], position: [1, 0, 0]}}
  - {{name: c, kind: rigid, mass: 1, inertia: [1, 1, 1], position: [{}, 2, 0]}}
joints:
  - {{name: j, kind: hinge, a: a, point: [0, 0, 0], axis: [{}]}}
  - {{name: d, kind: hinge, a: c, point: [0, 2, 0], axis: [0, 1, 0], angle: "{}"}}
forces:
  - {{name: s, kind: spring, a: a, point_b: [0, 0, 3], stiffness: {}, damping: {}, rest_length: {}}}
  - {{name: w, kind: drag, a: a, linear: 1, quadratic: {}}}
  - {{name: m, kind: pd-motor, a: a, point: [0, 0, 0], axis: [0, 1, 0], target: 1, stiffness: {}, damping: 1, limit: {}}}
  - {{name: l, kind: joint-limit, a: a, point: [0, 0, 0], axis: [0, 1, 0], lower: -1, upper: {}, stiffness: 1e3}}
)yaml",
                       now["G"], now["I"], now["L"], now["AXIS"], now["LAW"], now["K"], now["D"], now["REST"],
                       now["DRAG"], now["GAIN"], now["LIMIT"], now["UPPER"]);
  };
  const std::string original = scene("G", "9.81");
  EXPECT_EQ(refusal(original, original), "");
  for (const auto& [key, value, owner] : {std::array{"G", "9.8", "gravity"},
                                          {"I", "1.5", "body 'a'"},
                                          {"AXIS", "0, 1, 0.001", "constraint 'j'"},
                                          {"LAW", "t + 1e-6*t^2", "constraint 'd'"},
                                          {"K", "10.000001", "force 's'"},
                                          {"D", "1e-3", "force 's'"},
                                          {"REST", "0.5001", "force 's'"},
                                          {"DRAG", "1.001", "force 'w'"},
                                          {"GAIN", "5.001", "force 'm'"},
                                          {"LIMIT", "3.001", "force 'm'"},
                                          {"UPPER", "1.001", "force 'l'"}}) {
    const std::string message = refusal(original, scene(key, value));
    EXPECT_NE(message.find(owner), std::string::npos) << key << ": " << message;
    EXPECT_NE(message.find("another model"), std::string::npos) << key << ": " << message;
  }
  std::filesystem::remove(checkpoint_file());
}

TEST(Fingerprint, WhatWasNeverThereIsNamed) {
  const std::string more = std::string(kLimited) + "  - {name: air, kind: drag, a: shank, linear: 1}\n";
  EXPECT_NE(refusal(more, kLimited).find("'air'"), std::string::npos);
  EXPECT_NE(refusal(kLimited, more).find("'air'"), std::string::npos);
  std::filesystem::remove(checkpoint_file());
}

TEST(Checkpoint, NumbersThatAreNotFiniteAreRefused) {
  Simulation sim = make_simulation(parse_scene(kLimited));
  const auto forged = [&](auto&& change) {
    State state = sim.state();
    change(state);
    EXPECT_THROW(sim.set_state(state), InvalidInput);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  forged([&](State& s) { s.ledger[Account::gravity] = nan; });
  forged([&](State& s) { s.time_rest = nan; });
  forged([&](State& s) { s.substep = -1.0; });
  forged([&](State& s) { s.multipliers = VecX::Zero(3); });
}

TEST(Checkpoint, ForgedOnesAreRefused) {
  Simulation sim = make_simulation(parse_scene(kLimited));
  const std::uint64_t before = sim.hash();
  const auto forged = [&](auto&& change) {
    Checkpoint checkpoint = make_checkpoint(sim);
    change(checkpoint);
    write_text(checkpoint_file(), encode_checkpoint(checkpoint));  // its checksum fits
    EXPECT_THROW(sim.load(checkpoint_file()), InvalidInput);
    EXPECT_EQ(sim.hash(), before);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  forged([&](Checkpoint& c) { c.start_energy = nan; });
  forged([&](Checkpoint& c) { c.state.ledger[Account::motors] = nan; });
  forged([&](Checkpoint& c) { c.state.q[0] = nan; });
  forged([&](Checkpoint& c) { c.analysed_at.v[0] = nan; });
  forged([&](Checkpoint& c) { c.state.memory.resize(0); });
  forged([&](Checkpoint& c) { c.analysed_at.q.resize(2); });
  forged([&](Checkpoint& c) { c.analysed_at.memory.resize(0); });
  forged([&](Checkpoint& c) { c.choice.integrator = Integrator(200); });
  forged([&](Checkpoint& c) { c.choice.solver = Solver(200); });
  forged([&](Checkpoint& c) { c.present.clear(); });
  std::filesystem::remove(checkpoint_file());
}

TEST(Checkpoint, EndlessDevicesPipesAndFoldersAreRefused) {
  Simulation sim = make_simulation(parse_scene(kLimited));
  for (const char* file : {"/dev/zero", "/dev/null", "/"}) EXPECT_THROW(sim.load(file), InvalidInput) << file;
  for (const char* file : {"/dev/null", "/"}) EXPECT_THROW(sim.save(file), InvalidInput) << file;
}

TEST(Checkpoint, ADifferentParameterIsNamedWithBothValues) {
  const auto with = [](double k, double mass, double g) {
    return make_simulation(parse_scene(fmt::format(
        "gravity: [0, 0, {}]\n"
        "bodies: [{{name: p, kind: particle, mass: {}, position: [1, 0, 0]}}]\n"
        "forces: [{{name: coil, kind: spring, a: p, point_b: [0, 0, 0], stiffness: {}, rest_length: 0}}]\n",
        g, mass, k)));
  };
  with(100, 1, -9).save(checkpoint_file());
  const auto refusal = [](Simulation sim) -> std::string {
    try {
      sim.load(checkpoint_file());
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  };
  const auto expect_said = [&](Simulation sim, const char* words) {
    const std::string text = refusal(std::move(sim));
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  expect_said(with(200, 1, -9), "force 'coil' is not what it was: stiffness was 100 and is 200");
  expect_said(with(100, 3, -9), "body 'p' is not what it was: mass was 1 and is 3");
  expect_said(with(100, 1, -2), "gravity is not what it was: z was -9 and is -2");
  EXPECT_EQ(refusal(with(100, 1, -9)), "accepted");
  std::filesystem::remove(checkpoint_file());
}

TEST(Time, ManyShortStepsAddUp) {
  Model model;
  model.gravity.setZero();
  model.add("p", std::make_shared<Particle3>(1.0), {.velocity = {1, 0, 0}});
  for (const Integrator integrator : {Integrator::rattle, Integrator::bdf2, Integrator::dormand_prince}) {
    Simulation sim(model, {.integrator = integrator});
    for (int k = 0; k < 60000; ++k) ASSERT_TRUE(sim.step(1e-3).ok());
    EXPECT_DOUBLE_EQ(sim.time(), 60.0) << name(integrator);
  }
}

}  // namespace
}  // namespace catena
