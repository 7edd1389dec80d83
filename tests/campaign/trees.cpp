// Part of the campaign: the tree algorithms against each other on random trees of 1 to 200 links, all joints, masses up to 1 : 10⁶.
// Prints the largest errors of each kind, over what is allowed at the condition of the tree's mass matrix.
#include "campaign/part.h"
#include "support/tree_laws.h"

#include <fmt/core.h>

namespace catena::test {
namespace {

struct Largest {
  double error = 0.0, of_allowed = 0.0;
  std::uint64_t seed = 0, allowed_seed = 0;
  void see(double value, double allowed, std::uint64_t number) {
    if (value > error) error = value, seed = number;
    if (value > of_allowed * allowed) of_allowed = value / allowed, allowed_seed = number;
  }
};

struct LargestErrors {
  Largest round_trip, inverse, jacobians, energy, reactions;
  double condition = 1.0, identity = 0.0;  // the latter in units of rounding times condition

  void see(const TreeErrors& errors, std::uint64_t seed) {
    const double allowed = errors.tolerance();
    round_trip.see(errors.round_trip, allowed, seed);
    inverse.see(errors.inverse, allowed, seed);
    jacobians.see(errors.jacobians, allowed, seed);
    energy.see(errors.energy, allowed, seed);
    reactions.see(errors.reactions, allowed, seed);
    condition = std::max(condition, errors.condition);
    identity =
        std::max(identity, errors.identity / (std::numeric_limits<double>::epsilon() * errors.condition));
  }
  void print() const {
    fmt::print("{:12} {:>10} {:>8}   {:>16} {:>8}\n", "law", "largest", "at seed", "of what may be",
               "at seed");
    const auto row = [](const char* law, const Largest& of) {
      fmt::print("{:12} {:10.1e} {:8}   {:16.4f} {:8}\n", law, of.error, of.seed, of.of_allowed,
                 of.allowed_seed);
    };
    row("round trip", round_trip);
    row("inverse", inverse);
    row("Jacobians", jacobians);
    row("energy", energy);
    row("reactions", reactions);
    fmt::print("condition of M up to {:.1e}; columns of M M⁻¹ - 1 up to {:.2g} roundings times it\n",
               condition, identity);
  }
};

Verdict judge_tree(std::uint64_t seed, LargestErrors& largest) {
  RandomNumbers random{unsigned(seed)};
  TreeCase c(random, {.links = random.integer(1, 200),
                      .mass_exponent = random.number(0.0, 3.0),
                      .chain = random.integer(0, 3) == 0});
  const TreeErrors errors = tree_errors(c, random);
  largest.see(errors, seed);
  if (errors.largest() < errors.tolerance()) return {};
  return {Outcome::silent, fmt::format("round trip {:.1e}, inverse {:.1e}, Jacobians {:.1e}, energy {:.1e}, "
                                       "reactions {:.1e}; at condition "
                                       "{:.1e} {:.1e} is allowed",
                                       errors.round_trip, errors.inverse, errors.jacobians, errors.energy,
                                       errors.reactions, errors.condition, errors.tolerance())};
}

}  // namespace
}  // namespace catena::test

int main(int argc, char** argv) {
  using namespace catena::test;
  LargestErrors largest;
  const int status = run_part(argc, argv, "trees", [&](std::uint64_t seed) -> Verdict {
    try {
      return judge_tree(seed, largest);
    } catch (const std::exception& problem) {
      return {Outcome::silent, problem.what()};
    }
  });
  largest.print();
  return status;
}
