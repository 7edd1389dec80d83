// Ctrl-C as a question that loops ask, so that what has been computed can still be written.
#pragma once

namespace catena::app {

/// While one of these lives, Ctrl-C is noted instead of ending the program.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

bool was_interrupted();

}  // namespace catena::app
