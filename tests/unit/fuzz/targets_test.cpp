// Every fuzz target on its seeds, on the corpus of inputs that once broke something (tests/fuzz/corpus), and on some mutations.
#include "fuzz/mutate.h"
#include "fuzz/target.h"
#include "support/files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

namespace catena::fuzz {
namespace {

constexpr unsigned kSeed = 20;
constexpr int kMutations = 3000;
constexpr std::chrono::seconds kAtMost(4);  // for the mutations of one target

class FuzzTargets : public ::testing::TestWithParam<Target> {
 protected:
  /// Whether all promises were kept; the input is shown where not.
  static bool keeps_promises(const Target& target, const std::string& input) {
    try {
      (void)target.run(input);
      return true;
    } catch (const std::exception& problem) {
      ADD_FAILURE() << problem.what() << "\nby the input\n" << ::testing::PrintToString(input);
      return false;
    }
  }
};

// A seed that is refused at the door lets mutations try the door only. Large scenes may take longer than their budget.
TEST_P(FuzzTargets, TakeTheirSeeds) {
  for (const std::string& seed : GetParam().seeds()) {
    EXPECT_TRUE(keeps_promises(GetParam(), seed));
    EXPECT_NE(GetParam().run(seed), Answer::refused) << ::testing::PrintToString(seed);
  }
}

TEST_P(FuzzTargets, KeepPromisesThatWereOnceBroken) {
  const std::filesystem::path folder =
      fmt::format("{}/tests/fuzz/corpus/{}", CATENA_SOURCE_DIR, GetParam().name);
  ASSERT_TRUE(std::filesystem::is_directory(folder)) << folder;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    EXPECT_TRUE(keeps_promises(GetParam(), test::read_all(entry.path()))) << entry.path();
}

TEST_P(FuzzTargets, KeepPromisesOnMutations) {
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  Mutator mutator(kSeed, GetParam().seeds(), GetParam().words());
  const auto end = std::chrono::steady_clock::now() + kAtMost;
  for (int k = 0; k < kMutations && std::chrono::steady_clock::now() < end; ++k)
    if (!keeps_promises(GetParam(), mutator.next())) break;
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTargets, ::testing::ValuesIn(all_targets().begin(), all_targets().end()),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

}  // namespace
}  // namespace catena::fuzz
