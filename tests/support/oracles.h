// What must hold of any mechanism, whatever it is: judged from outside, with readings and the model's own laws.
//
//   finite        every number of an accepted state is
//   closed        rows C and their rates, evaluated from poses and twists of bodies, are as small as the method promises
//   solvers       each that takes the model finds the accelerations of a dense reference, at the start and at the end
//   energy        kinetic, gravity, springs recomputed from bodies and forces; the ledger adds up to what is left
//   momentum      of what no outside force reaches
//   refusal       leaves every bit of the state, and says a name
//   continuation  a saved, a restored and a cloned simulation go on bit for bit
//   time          no step takes longer than a bound
#pragma once

#include "support/random_mechanism.h"

#include <filesystem>

namespace catena::test {

enum class Outcome : std::uint8_t {
  ok,
  refused,   // in words, before the first step or at one; the state is untouched
  unjudged,  // it ran, but solvers could not be compared: rows nearly dependent, contradictory or with directions of their own
  hung,
  silent,  // a wrong answer that nothing announced, or a refusal that changed the state or names nothing
};

struct Verdict {
  Outcome outcome = Outcome::ok;
  std::string what;  // of what was refused or failed
};

struct JudgeOptions {
  int steps = 8;
  double seconds_per_step = 5.0;  // of processor time
  std::filesystem::path checkpoint =
      {};  // where it may be written; empty: continuation is judged by a clone alone
};

/// Simulates the mechanism and holds it against all of the above.
Verdict judge(const Mechanism& mechanism, const JudgeOptions& options);

}  // namespace catena::test
