// What strangers may write, tried with bytes that nobody meant: scenes, expressions, checkpoints, recordings, messages to the viewer.
//
// A target takes any bytes and says how they were answered. It must return: no crash, no hang, no memory out of proportion. What else is
// promised is checked on the way, and a broken promise is thrown:
//   - a refusal is an InvalidInput (in recordings: the error that the reader documents) that names a place and what is wrong there;
//   - what is accepted can be used: the first steps are taken or refused with a reason, every number is finite;
//   - what is refused or interrupted leaves everything as it was.
// The same functions run in the unit tests, on seeds and some mutations of them, and under libFuzzer (preset `fuzz`).
#pragma once

#include "catena/interrupt.h"
#include "catena/model.h"
#include "catena/simulation.h"

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace catena::fuzz {

enum class Answer : std::uint8_t { ok, refused, interrupted };

class BrokenPromise : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws BrokenPromise when it does not hold.
void promise(bool holds, const std::string& what);
void promise_named(const InvalidInput& refusal);
void promise_finite(const Simulation& sim);
/// Takes a step; it is done, or refused in words with the state untouched.
void promise_step(Simulation& sim, double dt);

/// A short text may ask for two million bodies: what takes longer than this is interrupted, which must work too.
class Budget {
 public:
  static constexpr double kSeconds = 0.25;  // of this thread's processor time
  Budget();

 private:
  InterruptScope scope_;
};

struct Target {
  std::string_view name;
  Answer (*run)(std::string_view bytes);
  std::vector<std::string> (*seeds)();  // what is valid, found when asked for
  std::vector<std::string> (*words)();  // what mutations insert
};

Answer try_scene(std::string_view bytes);
Answer try_expression(std::string_view bytes);
Answer try_checkpoint(std::string_view bytes);
Answer try_replay(std::string_view bytes);
Answer try_messages(std::string_view bytes);

std::span<const Target> all_targets();
/// Throws std::invalid_argument when there is none of that name.
const Target& target_named(std::string_view name);

// Seeds and words of the targets, beside them.
std::vector<std::string> scene_seeds();
std::vector<std::string> scene_words();
std::vector<std::string> expression_seeds();
std::vector<std::string> expression_words();
std::vector<std::string> checkpoint_seeds();
std::vector<std::string> replay_seeds();
std::vector<std::string> message_seeds();
std::vector<std::string> message_words();
std::vector<std::string> no_words();

}  // namespace catena::fuzz
