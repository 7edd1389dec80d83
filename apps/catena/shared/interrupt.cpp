// Ctrl-C and SIGTERM as a question that loops ask.
#include "shared/interrupt.h"

#include <csignal>

namespace catena::app {
namespace {

volatile std::sig_atomic_t interrupted_by = 0;

constexpr int kInterrupting[] = {SIGINT, SIGTERM};

}  // namespace

Interruptible::Interruptible() {
  for (const int signal : kInterrupting) std::signal(signal, [](int number) { interrupted_by = number; });
}

Interruptible::~Interruptible() {
  for (const int signal : kInterrupting) std::signal(signal, SIG_DFL);
}

bool was_interrupted() {
  return interrupted_by != 0;
}

int interruption_status() {
  return 128 + interrupted_by;
}

}  // namespace catena::app
