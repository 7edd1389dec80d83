// Stopping what takes long: reading a scene, ordering, assembling, stepping, analysing.
//
//   std::atomic<bool> stop = false;                                // set by a signal handler or another thread
//   const InterruptScope scope([&stop] { return stop.load(); });   // of this thread, while it lives
//   try { (void)sim.step(dt); } catch (const Interrupted&) {}      // the state is what it was before the step
//
// Every long operation asks now and then, after a bounded amount of work. The question belongs to a thread and is not a parameter of every
// function on the way: what is being computed does not depend on it.
//
// A program: examples/cpp/interrupt.cpp
#pragma once

#include "catena/math.h"

#include <exception>
#include <functional>

namespace CATENA_API catena {

/// Thrown out of an operation that was asked to end. What it was going to change is as it was before, as after every exception.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override;
};

/// While one of these lives, operations on its thread ask `is_wanted` again and again and throw Interrupted when it says so. Scopes may be
/// nested: the innermost is asked, and one without a question lets nothing be interrupted. Actions of events are not: a step that ended at
/// an event has had its action.
class InterruptScope {
 public:
  explicit InterruptScope(std::function<bool()> is_wanted);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  const std::function<bool()> is_wanted_;
  const std::function<bool()>* const outer_;
};

/// Throws Interrupted when that is wanted; a few nanoseconds otherwise. For long loops of a program's own forces, controllers and readers,
/// between pieces of work of at most some milliseconds.
void allow_interruption();

}  // namespace catena
