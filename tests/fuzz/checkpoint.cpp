// Checkpoints: the first byte chooses a model and whether the checksum is set right, so that more than the checksum is tried.
#include "sim/checkpoint.h"

#include "catena/scene.h"
#include "fuzz/target.h"
#include "math/fnv.h"

#include <array>

namespace catena::fuzz {
namespace {

constexpr double kStep = 1e-3;

// What a state may have: turns counted, a history of a multi-step integrator, commands, events that took joints out, loops.
constexpr std::array kModels{R"(
bodies: [{name: rod, kind: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}]
joints: [{name: pin, kind: hinge, a: rod, point: [0, 0, 0], axis: [0, 1, 0]}]
forces: [{name: coil, kind: torsion-spring, a: rod, axis: [0, 1, 0], stiffness: 3}]
)",
                             R"(
bodies:
  - {name: a, kind: particle, mass: 1, position: [1, 0, 0]}
  - {name: b, kind: particle, mass: 2, position: [2, 0, 0]}
constraints:
  - {name: first, kind: distance, a: a, point_b: [0, 0, 0]}
  - {name: second, kind: distance, a: b, b: a}
forces: [{name: far, kind: spring, a: b, point_b: [3, 0, 0], stiffness: 1e5}]
options: {integrator: bdf2}
)",
                             R"(
bodies:
  - {name: a, kind: planar, mass: 1, inertia: 0.1, position: [0, 0.5]}
  - {name: b, kind: planar, mass: 1, inertia: 0.1, position: [1, 1]}
  - {name: c, kind: planar, mass: 1, inertia: 0.1, position: [2, 0.5]}
joints:
  - {name: j1, kind: hinge, a: a, point: [0, 0]}
  - {name: j2, kind: hinge, a: b, b: a, point: [0, 1]}
  - {name: j3, kind: hinge, a: c, b: b, point: [2, 1]}
  - {name: j4, kind: hinge, a: c, point: [2, 0], breaks_at: {force: 1}}
options: {integrator: generalised-alpha}
)"};

Simulation make(std::size_t model) {
  return make_simulation(parse_scene(kModels[model % kModels.size()]));
}

std::uint64_t checksum_of(std::string_view bytes) {
  math::Fnv hash;
  hash.add(bytes.data(), bytes.size());
  return hash.value;
}

/// With the checksum that its other bytes have.
std::string sealed(std::string_view bytes) {
  constexpr std::size_t kChecksum = sizeof(std::uint64_t);
  std::string out(bytes.substr(0, bytes.size() < kChecksum ? 0 : bytes.size() - kChecksum));
  const std::uint64_t checksum = checksum_of(out);
  return out.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
}

/// What was accepted continues, and what is saved of it continues identically.
void promise_continuation(Simulation& sim, std::size_t model) {
  promise_finite(sim);
  Simulation twin = make(model);
  restore_checkpoint(twin, decode_checkpoint(encode_checkpoint(make_checkpoint(sim)), "again"), "again");
  for (int k = 0; k < 2; ++k) {
    promise_step(sim, kStep);
    promise_step(twin, kStep);
    promise(sim.hash() == twin.hash(), "a checkpoint of a restored simulation continues otherwise");
  }
}

Answer restore(const std::string& content, std::size_t model) {
  Simulation sim = make(model);
  const std::uint64_t before = sim.hash();
  try {
    restore_checkpoint(sim, decode_checkpoint(content, "checkpoint"), "checkpoint");
  } catch (const InvalidInput& refusal) {
    promise_named(refusal);
    promise(sim.hash() == before, "a refused checkpoint changed the state");
    promise_step(sim, kStep);
    return Answer::refused;
  } catch (const Interrupted&) {
    promise(sim.hash() == before, "an interrupted checkpoint changed the state");
    throw;
  }
  promise_continuation(sim, model);
  return Answer::ok;
}

}  // namespace

Answer try_checkpoint(std::string_view bytes) {
  if (bytes.empty()) return Answer::refused;
  const auto choice = std::uint8_t(bytes[0]);
  const std::string content = choice % 2 == 0 ? std::string(bytes.substr(1)) : sealed(bytes.substr(1));
  const Budget budget;
  try {
    return restore(content, choice / 2);
  } catch (const Interrupted&) {  // steps that somebody wrote down may ask for much
    return Answer::interrupted;
  }
}

std::vector<std::string> checkpoint_seeds() {
  std::vector<std::string> seeds;
  for (std::size_t model = 0; model < kModels.size(); ++model) {
    Simulation sim = make(model);
    for (int steps = 0; steps < 5; ++steps) (void)sim.step(kStep);
    seeds.push_back(char(2 * model + 1) + encode_checkpoint(make_checkpoint(sim)));
  }
  return seeds;
}

}  // namespace catena::fuzz
