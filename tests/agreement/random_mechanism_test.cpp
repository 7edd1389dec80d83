// A few hundred random mechanisms against every oracle; `make campaign` goes on from here.
#include "support/mechanisms.h"
#include "support/oracles.h"

#include <gtest/gtest.h>

#include <array>

namespace catena::test {
namespace {

TEST(RandomMechanism, HundredsRunOrAreRefusedInWords) {
  std::array<int, 5> counts{};
  const std::uint64_t last = kSlowness > 1.0 ? 120 : 400;
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    const Verdict verdict = judge(random_mechanism(seed), {.steps = 6});
    ++counts[std::size_t(verdict.outcome)];
    EXPECT_NE(verdict.outcome, Outcome::silent) << "seed " << seed << ": " << verdict.what;
    EXPECT_NE(verdict.outcome, Outcome::hung) << "seed " << seed << ": " << verdict.what;
  }
  EXPECT_GT(counts[std::size_t(Outcome::ok)], int(last / 4)) << "too few ran to say anything";
}

}  // namespace
}  // namespace catena::test
