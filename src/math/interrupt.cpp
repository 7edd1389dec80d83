#include "catena/interrupt.h"

#include <utility>

namespace catena {
namespace {

constinit thread_local const std::function<bool()>* question = nullptr;

}  // namespace

const char* Interrupted::what() const noexcept {
  return "interrupted";
}

InterruptScope::InterruptScope(std::function<bool()> is_wanted)
    : is_wanted_(std::move(is_wanted)), outer_(std::exchange(question, is_wanted_ ? &is_wanted_ : nullptr)) {}

InterruptScope::~InterruptScope() {
  question = outer_;
}

void allow_interruption() {
  if (question != nullptr && (*question)()) throw Interrupted();
}

}  // namespace catena
