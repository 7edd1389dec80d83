// Ctrl-C (SIGINT) and SIGTERM as a question that loops ask, so that what has been computed can still be written.
#pragma once

namespace catena::app {

/// While one of these lives, these signals are noted instead of ending the program.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

bool was_interrupted();
/// The exit status of a program that was: 128 and the number of the signal.
int interruption_status();

}  // namespace catena::app
