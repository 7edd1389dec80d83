// Part of the campaign: every example under every relation, again and again with another rotation, shift, boost and order.
#include "campaign/part.h"
#include "support/metamorphic.h"

namespace catena::test {
namespace {

Verdict follow_example(const std::vector<std::string>& examples, std::uint64_t number) {
  const std::string& example = examples[number % examples.size()];
  const Relation relation = kRelations[number / examples.size() % kRelations.size()];
  try {
    const Scene scene = load_example(example);
    if (!why_not(relation, scene).empty()) return {Outcome::unjudged, why_not(relation, scene)};
    const Followed followed = follow(scene, relation, 100, unsigned(number));
    if (followed.problem.empty())
      return followed.steps > 0 ? Verdict{} : Verdict{Outcome::unjudged, "no step could be compared"};
    return {Outcome::silent, example + ", " + name(relation) + ": " + followed.problem};
  } catch (const std::exception& problem) {
    return {Outcome::silent, example + ", " + name(relation) + ": " + problem.what()};
  }
}

}  // namespace
}  // namespace catena::test

int main(int argc, char** argv) {
  using namespace catena::test;
  const auto examples = example_names();
  return run_part(argc, argv, "relations",
                  [&](std::uint64_t number) { return follow_example(examples, number); });
}
