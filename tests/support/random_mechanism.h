// Random mechanisms from a seed: every kind of body, constraint and force, loops, repeated rows, masses from 1e-6 to 1e6 kg, and the
// methods to simulate them with. The same seed is the same mechanism, on every run.
#pragma once

#include "catena/catena.h"

#include <cstdint>

namespace catena::test {

struct Mechanism {
  Model model;
  Options options;
  double dt = 1e-3;  // s
};

Mechanism random_mechanism(std::uint64_t seed);

}  // namespace catena::test
