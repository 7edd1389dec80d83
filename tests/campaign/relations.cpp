// Part of the campaign: every example under every relation, again and again with another rotation, shift, boost and order.
#include "campaign/part.h"
#include "support/metamorphic.h"

#include <algorithm>

namespace catena::test {
namespace {

std::vector<std::filesystem::path> examples() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(CATENA_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

Verdict follow_example(const std::vector<std::filesystem::path>& files, std::uint64_t number) {
  const std::filesystem::path& file = files[number % files.size()];
  const Relation relation = kRelations[number / files.size() % kRelations.size()];
  try {
    const Scene scene = load_scene(file);
    if (!why_not(relation, scene).empty()) return {Outcome::unjudged, why_not(relation, scene)};
    const Followed followed = follow(scene, relation, 100, unsigned(number));
    if (followed.problem.empty()) return {};
    return {Outcome::silent, file.stem().string() + ", " + name(relation) + ": " + followed.problem};
  } catch (const std::exception& problem) {
    return {Outcome::silent, file.stem().string() + ", " + name(relation) + ": " + problem.what()};
  }
}

}  // namespace
}  // namespace catena::test

int main(int argc, char** argv) {
  using namespace catena::test;
  const auto files = examples();
  return run_part(argc, argv, "relations",
                  [&](std::uint64_t number) { return follow_example(files, number); });
}
