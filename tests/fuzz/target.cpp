#include "fuzz/target.h"

#include "catena/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace catena::fuzz {
namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

}  // namespace

void promise(bool holds, const std::string& what) {
  if (!holds) throw BrokenPromise(what);
}

void promise_named(const InvalidInput& refusal) {
  promise(!refusal.issues().empty(), "a refusal without an issue");
  for (const Issue& issue : refusal.issues())
    promise(!issue.where.empty() && !issue.what.empty(),
            "a refusal without a place or a reason: " + issue.text());
}

void promise_finite(const Simulation& sim) {
  const State& s = sim.state();
  promise(std::isfinite(s.time), "the time is not finite");
  for (const VecX* part : {&s.q, &s.v, &s.memory, &s.history.numbers, &s.multipliers})
    promise(part->allFinite(), "the state is not finite");
  promise(std::ranges::all_of(s.ledger.values, [](double x) { return std::isfinite(x); }),
          "the ledger is not finite");
}

void promise_step(Simulation& sim, double dt) {
  const State before = sim.state();
  StepReport report;
  try {
    report = sim.step(dt);
  } catch (const Interrupted&) {
    promise(identical(before, sim.state()), "an interrupted step changed the state");
    throw;
  }
  if (report.ok()) return promise_finite(sim);
  promise(!report.message.empty(), "a step was refused without a reason");
  promise(identical(before, sim.state()), "a refused step changed the state: " + report.message);
}

Budget::Budget()
    : scope_([end = thread_seconds() + kSeconds, asked = 0U]() mutable {
        return ++asked % 16 == 0 && thread_seconds() > end;
      }) {}

std::vector<std::string> no_words() {
  return {};
}

std::span<const Target> all_targets() {
  static constexpr Target kTargets[] = {{"scene", try_scene, scene_seeds, scene_words},
                                        {"expression", try_expression, expression_seeds, expression_words},
                                        {"checkpoint", try_checkpoint, checkpoint_seeds, no_words},
                                        {"replay", try_replay, replay_seeds, no_words},
                                        {"messages", try_messages, message_seeds, message_words}};
  return kTargets;
}

const Target& target_named(std::string_view name) {
  const auto all = all_targets();
  const auto it = std::ranges::find(all, name, &Target::name);
  if (it == all.end()) throw std::invalid_argument(fmt::format("there is no target '{}'", name));
  return *it;
}

}  // namespace catena::fuzz
