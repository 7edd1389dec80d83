// The published schema, the tables of the readers and the documentation name the same keys.
#include "catena/scene.h"
#include "io/scene/context.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace catena {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(std::filesystem::path(CATENA_SOURCE_DIR) / path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// calls visit(record) for the scene and everything inside it
void visit_records(const io::Record& record, const std::function<void(const io::Record&)>& visit) {
  visit(record);
  for (const io::Key& key : record.keys) {
    if (key.details.record != nullptr) visit_records(key.details.record(), visit);
    if (key.details.variant != nullptr)
      for (const io::Record& kind : key.details.variant().kinds) visit_records(kind, visit);
  }
}

TEST(SceneSchema, PublishedFileIsTheOneTheProgramPrints) {
  EXPECT_TRUE(read("docs/scene.schema.json") == scene_schema() + "\n")
      << "write it anew with `catena schema > docs/scene.schema.json`";
}

TEST(SceneSchema, EveryKeyOfTheReadersIsInTheSchema) {
  const nlohmann::json schema = nlohmann::json::parse(scene_schema());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  // every object of the schema, as its set of keys
  std::set<std::set<std::string>> objects;
  const std::function<void(const nlohmann::json&)> collect = [&](const nlohmann::json& node) {
    if (node.is_object() && node.contains("properties")) {
      std::set<std::string> keys;
      for (const auto& [key, value] : node["properties"].items()) keys.insert(key);
      objects.insert(keys);
    }
    if (node.is_structured())
      for (const auto& child : node) collect(child);
  };
  collect(schema);
  visit_records(io::scene_record(), [&](const io::Record& record) {
    std::set<std::string> keys;
    for (const io::Key& key : record.keys) keys.emplace(key.name);
    EXPECT_TRUE(objects.contains(keys)) << "record '" << record.kind << "' (" << record.doc << ")";
  });
}

TEST(SceneSchema, EveryReferenceInTheSchemaExists) {
  const nlohmann::json schema = nlohmann::json::parse(scene_schema());
  const std::function<void(const nlohmann::json&)> check = [&](const nlohmann::json& node) {
    if (node.is_object() && node.contains("$ref") && node["$ref"].is_string()) {
      const std::string name = node["$ref"].get<std::string>().substr(std::string("#/$defs/").size());
      EXPECT_TRUE(schema["$defs"].contains(name)) << name;
    }
    if (node.is_structured())
      for (const auto& child : node) check(child);
  };
  check(schema);
}

TEST(SceneSchema, EveryIntegratorCanBeAskedFor) {
  const std::string schema = scene_schema();
  for (const IntegratorTraits& integrator : kIntegrators)
    EXPECT_NE(schema.find('"' + std::string(integrator.name) + '"'), std::string::npos) << integrator.name;
}

TEST(SceneSchema, EveryKeyAndKindIsDocumented) {
  const std::string page = read("docs/scene-format.md");
  ASSERT_FALSE(page.empty());
  visit_records(io::scene_record(), [&](const io::Record& record) {
    if (!record.kind.empty()) {
      EXPECT_NE(page.find("`" + std::string(record.kind) + "`"), std::string::npos) << "kind " << record.kind;
    }
    for (const io::Key& key : record.keys)
      EXPECT_NE(page.find("`" + std::string(key.name) + "`"), std::string::npos)
          << record.kind << "." << key.name;
  });
}

TEST(SceneSchema, TablesHaveNoKeyTwiceAndChoicesWhereNeeded) {
  visit_records(io::scene_record(), [&](const io::Record& record) {
    std::set<std::string_view> seen;
    for (const io::Key& key : record.keys) {
      EXPECT_TRUE(seen.insert(key.name).second) << record.kind << "." << key.name;
      EXPECT_FALSE(key.doc.empty()) << record.kind << "." << key.name;
      EXPECT_EQ(key.value == io::Value::choice, !key.details.choices.empty())
          << record.kind << "." << key.name;
      EXPECT_EQ(key.value == io::Value::record, key.details.record != nullptr)
          << record.kind << "." << key.name;
    }
  });
}

}  // namespace
}  // namespace catena
