// Scenes: text to model to first steps.
#include "catena/scene.h"

#include "fuzz/target.h"
#include "support/files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

namespace catena::fuzz {
namespace {

constexpr std::uintmax_t kLargestSeed = 5000;  // bytes

/// Every word that the format knows: names of keys, and what they may say.
void collect_words(const nlohmann::json& schema, std::set<std::string>& words) {
  if (schema.is_object()) {
    if (const auto it = schema.find("properties"); it != schema.end() && it->is_object())
      for (const auto& [name, value] : it->items()) words.insert(name + ": ");
    for (const char* key : {"enum", "const"})
      if (const auto it = schema.find(key); it != schema.end())
        for (const auto& value : it->is_array() ? *it : nlohmann::json::array({*it}))
          if (value.is_string()) words.insert(value.get<std::string>());
  }
  if (schema.is_structured())
    for (const auto& value : schema) collect_words(value, words);
}

}  // namespace

Answer try_scene(std::string_view bytes) {
  const Budget budget;
  try {
    const Scene scene = parse_scene(std::string(bytes), "scene");
    Simulation sim = make_simulation(scene);
    promise_finite(sim);
    for (int k = 0; k < 2; ++k) promise_step(sim, scene.dt);
    std::vector<double> values;
    for (const Probe& probe : scene.probes) {
      values.assign(std::size_t(probe.size), 0.0);
      probe.read(sim, values.data());
    }
    return Answer::ok;
  } catch (const InvalidInput& refusal) {
    promise_named(refusal);
    return Answer::refused;
  } catch (const Interrupted&) {
    return Answer::interrupted;
  }
}

std::vector<std::string> scene_seeds() {
  std::vector<std::string> seeds;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(CATENA_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".yaml" && entry.file_size() <= kLargestSeed)
      files.push_back(entry.path());
  std::ranges::sort(files);
  for (const auto& file : files) seeds.push_back(test::read_all(file));
  return seeds;
}

std::vector<std::string> scene_words() {
  std::set<std::string> words{"${",    "}",    "[", "]",    "{",    "}",   ": ",   "- ",
                              "&a",    "*a",   "#", "'",    "\"",   "|\n", "\n  ", "repeat: {to: 3}\n",
                              "world", "null", "~", "true", "<<: ", "!!",  "---\n"};
  collect_words(nlohmann::json::parse(scene_schema()), words);
  return {words.begin(), words.end()};
}

}  // namespace catena::fuzz
