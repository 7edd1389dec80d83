// Ctrl-C as a question that loops ask.
#include "shared/interrupt.h"

#include <csignal>

namespace catena::app {
namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

Interruptible::Interruptible() {
  std::signal(SIGINT, [](int) { interrupted = 1; });
}

Interruptible::~Interruptible() {
  std::signal(SIGINT, SIG_DFL);
}

bool was_interrupted() {
  return interrupted != 0;
}

}  // namespace catena::app
