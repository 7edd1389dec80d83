// Every example is the same motion when it is turned, shifted, mirrored, set in uniform motion, put in another order or renamed.
#include "support/metamorphic.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace catena::test {
namespace {

class Examples : public ::testing::TestWithParam<std::string> {};

TEST_P(Examples, AreTheSameMotionInEveryWorld) {
  const Scene scene = load_example(GetParam());
  for (const Relation relation : kRelations) {
    if (!why_not(relation, scene).empty()) continue;
    const Followed followed = follow(scene, relation, 5, 1);
    EXPECT_EQ(followed.problem, "") << name(relation);
    EXPECT_GT(followed.steps, 0) << name(relation) << " compared nothing";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Examples, ::testing::ValuesIn(example_names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace catena::test
