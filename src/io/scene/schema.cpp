// JSON Schema (draft 2020-12) of the scene format, made from the tables that the readers use.
#include "io/scene/context.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace catena::io {

namespace {

using Json = nlohmann::ordered_json;

Json list_of(const char* definition, int least, int most) {
  return {{"type", "array"},
          {"items", {{"$ref", fmt::format("#/$defs/{}", definition)}}},
          {"minItems", least},
          {"maxItems", most}};
}

// what the values of keys are; expressions and ${parameters} are texts
Json value_definitions() {
  const Json text_or = [](const char* type) { return Json{{"type", {type, "string"}}}; }("number");
  const auto with = [](Json base, const char* key, Json value) {
    base[key] = std::move(value);
    return base;
  };
  const Json integer{{"type", {"integer", "string"}}};
  Json d;
  d["number"] = with(text_or, "description", "a number, or an expression of parameters");
  d["positive"] = with(text_or, "exclusiveMinimum", 0);
  d["non_negative"] = with(text_or, "minimum", 0);
  d["integer"] = with(integer, "minimum", 0);
  d["count"] = with(integer, "minimum", 1);
  d["boolean"] = {{"type", {"boolean", "string"}}};
  d["text"] = {{"type", {"string", "number", "boolean"}}};
  d["name"] = {{"type", {"string", "number"}}, {"description", "a new name"}};
  d["body"] = {{"type", {"string", "number"}}, {"description", "the name of a body"}};
  d["constraint"] = {{"type", {"string", "number"}}, {"description", "the name of a joint or constraint"}};
  d["vector"] = list_of("number", 2, 3);
  d["direction"] = list_of("number", 2, 3);
  d["spin"] = {{"anyOf", {list_of("number", 2, 3), Json{{"$ref", "#/$defs/number"}}}}};
  d["quaternion"] = list_of("number", 4, 4);
  d["range"] = list_of("number", 2, 2);
  d["pairs"] = {{"type", "array"}, {"items", {{"$ref", "#/$defs/range"}}}, {"minItems", 1}};
  d["inertia"] = {{"anyOf", {list_of("number", 3, 3), list_of("number", 6, 6), list_of("direction", 3, 3)}}};
  d["function"] = with(text_or, "description", "a number, or an expression of parameters and t");
  d["functions"] = {{"anyOf", {list_of("function", 2, 3), Json{{"$ref", "#/$defs/function"}}}}};
  d["curve_functions"] = list_of("function", 2, 3);
  d["few_numbers"] = {{"anyOf", {Json{{"$ref", "#/$defs/number"}}, list_of("number", 1, 3)}}};
  d["vector_list"] = {{"type", "array"}, {"items", {{"$ref", "#/$defs/vector"}}}};
  d["name_list"] = {{"type", {"array", "string"}}, {"items", {{"$ref", "#/$defs/text"}}}};
  return d;
}

std::string_view definition_of(Value value) {
  switch (value) {
    case Value::number:
      return "number";
    case Value::positive:
      return "positive";
    case Value::non_negative:
      return "non_negative";
    case Value::integer:
      return "integer";
    case Value::count:
      return "count";
    case Value::boolean:
      return "boolean";
    case Value::text:
      return "text";
    case Value::name:
      return "name";
    case Value::body:
      return "body";
    case Value::constraint:
      return "constraint";
    case Value::vector:
      return "vector";
    case Value::direction:
      return "direction";
    case Value::spin:
      return "spin";
    case Value::quaternion:
      return "quaternion";
    case Value::inertia:
      return "inertia";
    case Value::function:
      return "function";
    case Value::functions:
      return "functions";
    case Value::curve_functions:
    case Value::point_functions:
      return "curve_functions";
    case Value::range:
      return "range";
    case Value::vector_list:
      return "vector_list";
    case Value::few_numbers:
      return "few_numbers";
    case Value::pairs:
      return "pairs";
    case Value::name_list:
      return "name_list";
    case Value::choice:
    case Value::record:
    case Value::variants:
    case Value::variant_list:
    case Value::entries:
    case Value::parameters:
      break;
  }
  return "";
}

class SchemaWriter {
 public:
  std::string write() {
    definitions_ = value_definitions();
    Json schema = object(scene_record(), "");
    Json root{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Catena scene"}};
    root.update(schema);
    root["$defs"] = std::move(definitions_);
    return root.dump(2);
  }

 private:
  // a map; the selector's value is fixed, or comes from a parameter
  Json object(const Record& record, std::string_view selector) {
    Json properties = Json::object(), required = Json::array();
    for (const Key& key : record.keys) {
      properties[std::string(key.name)] = key.name == selector ? choice({record.kind}) : value(key);
      if (key.required) required.push_back(key.name);
    }
    Json result{{"type", "object"}, {"description", record.doc}, {"properties", std::move(properties)}};
    if (!required.empty()) result["required"] = std::move(required);
    result["additionalProperties"] = false;
    return result;
  }

  Json value(const Key& key) {
    Json result;
    switch (key.value) {
      case Value::choice:
        result = choice(key.details.choices);
        break;
      case Value::record:
        result = object(key.details.record(), "");
        break;
      case Value::variants:
        result = reference(key.details.variant());
        break;
      case Value::variant_list:
        result = {{"type", "array"}, {"items", list_entry(key.details.variant())}};
        break;
      case Value::
          entries:  // checked when it is read: a schema of schemas would say it again for every section
        result = {{"type", "array"}, {"items", {{"type", "object"}}}};
        break;
      case Value::parameters:
        result = {{"type", "object"},
                  {"additionalProperties",
                   {{"anyOf", {Json{{"$ref", "#/$defs/text"}}, object(parameter_record(), "")}}}}};
        break;
      default:
        result = {{"$ref", fmt::format("#/$defs/{}", definition_of(key.value))}};
    }
    result["description"] =
        key.unit.empty() ? std::string(key.doc) : fmt::format("{}  [{}]", key.doc, key.unit);
    return result;
  }

  // an entry of a section, or several of them repeated
  Json list_entry(const Variant& variant) {
    if (!definitions_.contains("repeated_entries"))
      definitions_["repeated_entries"] = object(repeated_entries_record(), "");
    return {{"anyOf", {reference(variant), Json{{"$ref", "#/$defs/repeated_entries"}}}}};
  }

  static Json choice(const std::vector<std::string_view>& choices) {
    Json names = Json::array();
    for (const std::string_view name : choices) names.push_back(name);
    return {{"anyOf", {Json{{"enum", std::move(names)}}, Json{{"type", "string"}, {"pattern", "^\\$"}}}}};
  }

  // variants become definitions of their own, so that lists that share them do not repeat them
  Json reference(const Variant& variant) {
    std::string name(variant.what);
    std::replace(name.begin(), name.end(), ' ', '_');
    name = "any_" + name;
    if (!definitions_.contains(name)) {
      definitions_[name] = Json::object();
      Json kinds = Json::array();
      for (const Record& record : variant.kinds) kinds.push_back(object(record, variant.selector));
      definitions_[name] = kinds.size() == 1 ? kinds[0] : Json{{"anyOf", std::move(kinds)}};
    }
    return {{"$ref", "#/$defs/" + name}};
  }

  Json definitions_;
};

}  // namespace
}  // namespace catena::io

namespace catena {

std::string scene_schema() {
  return io::SchemaWriter().write();
}

}  // namespace catena
