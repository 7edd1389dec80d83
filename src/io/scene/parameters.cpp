// Section `parameters`: named numbers and words that the rest of a scene, and --set, may use.
//
//   parameters:
//     links: 100
//     joint: {value: ball, choices: [ball, hinge], doc: kind of joint}
//     mass: 1000/links            # may use what stands above
#include "io/document/suggest.h"
#include "io/scene/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena::io {

const Record& parameter_record() {
  static const Record record{
      "",
      "a parameter with limits",
      {
          {"value", Value::text, "", "number, expression of earlier parameters, or word", kRequired},
          {"doc", Value::text, "", "what it means"},
          {"min", Value::number, "", "least value"},
          {"max", Value::number, "", "largest value"},
          {"choices", Value::name_list, "", "words it may be"},
      }};
  return record;
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && letter(text.front()) && text.size() <= 64 &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

namespace {

struct Definition {
  std::string name;
  const Node* value;  // what holds: the last definition, in the place of the first
};

// words: letters, digits, '-', '_' and '.', beginning with a letter
bool is_word(std::string_view text) {
  std::string plain(text);
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return is_name(plain) && text.front() != '.' && text.front() != '-';
}

struct Setting {
  std::string where;
  std::string text;
};

class ParameterReader {
 public:
  ParameterReader(SceneContext& context, const std::map<std::string, std::string>& set)
      : context_(context), set_(set) {}

  void read(std::span<const Node* const> sections) {
    for (const Node* section : sections) collect(*section);
    for (const Definition& definition : definitions_) evaluate(definition);
    for (const auto& [name, text] : set_) {
      if (find(name) != definitions_.end()) continue;
      std::vector<std::string_view> known;
      for (const Definition& definition : definitions_) known.push_back(definition.name);
      context_.diagnostics.add(fmt::format("--set {}={}", shorten(name), shorten(text)),
                               fmt::format("the scene has no parameter '{}'", shorten(name)),
                               suggest(name, known, "parameters"));
    }
  }

 private:
  std::vector<Definition>::iterator find(const std::string& name) {
    return std::find_if(definitions_.begin(), definitions_.end(),
                        [&name](const Definition& d) { return d.name == name; });
  }

  // a file that includes another may give its parameters new values; their place stays
  void collect(const Node& section) {
    if (!section.is_map()) {
      context_.diagnostics.add(section, "parameters are a map of names and values, got " + section.describe(),
                               "write 'name: value' lines");
      return;
    }
    constexpr std::size_t kMaxParameters = 1000;
    for (const Node* child : section.children) {
      if (definitions_.size() >= kMaxParameters) {
        context_.diagnostics.add(*child, fmt::format("there are more than {} parameters", kMaxParameters),
                                 "put repeated structures into 'generate'");
        return;
      }
      if (!is_name(child->key) || is_reserved_name(child->key)) {
        context_.diagnostics.add(
            child->where_key(), fmt::format("'{}' cannot be the name of a parameter", shorten(child->key)),
            is_reserved_name(child->key) ? "it has a meaning in expressions; choose another name"
                                         : "use letters, digits and '_', beginning with a letter");
        continue;
      }
      const auto it = find(child->key);
      if (it != definitions_.end())
        it->value = child;
      else
        definitions_.push_back({child->key, child});
    }
  }

  void evaluate(const Definition& definition) {
    const Node& node = *definition.value;
    std::optional<Fields> fields;
    const Node* value = &node;
    if (node.is_map()) {
      fields.emplace(node, parameter_record(), context_.reading());
      value = fields->find("value");
      if (value == nullptr) return make_unusable(definition.name);
    }
    if (!value->is_scalar()) {
      context_.diagnostics.add(*value,
                               fmt::format("parameter '{}' must be a number or a word, got {}",
                                           definition.name, value->describe()),
                               "write 'name: value'");
      return make_unusable(definition.name);
    }
    Setting setting{value->where(), value->text};
    const bool was_word = is_plain_word(value->text);
    if (const auto it = set_.find(definition.name); it != set_.end()) {
      setting = {fmt::format("--set {}={}", definition.name, shorten(it->second)), it->second};
      if (was_word != is_plain_word(setting.text)) {
        context_.diagnostics.add(
            setting.where,
            fmt::format("parameter '{}' is a {}", definition.name, was_word ? "word" : "number"),
            fmt::format("give it a {} as in '{}={}'", was_word ? "word" : "number", definition.name,
                        shorten(value->text)));
        setting.text = value->text;  // goes on with the scene's own value, so that its users are not blamed
      }
    }
    if (was_word)
      store_word(definition.name, setting, value->text, fields);
    else
      store_number(definition.name, setting, fields);
  }

  // a word that names no parameter; with one it would be an expression
  bool is_plain_word(const std::string& text) const {
    if (!is_word(text) || text == "pi" || text == "e") return false;
    try {
      Expression::parse(text, context_.symbols);
      return false;
    } catch (const ExpressionError&) {
      return true;
    }
  }

  void store_word(const std::string& name, Setting setting, const std::string& fallback,
                  const std::optional<Fields>& fields) {
    if (const Node* choices = fields ? fields->find("choices") : nullptr) {
      std::vector<std::string_view> known;
      for (const Node* choice : choices->children) known.push_back(choice->text);
      if (std::find(known.begin(), known.end(), setting.text) == known.end()) {
        context_.diagnostics.add(
            setting.where,
            fmt::format("'{}' is not a choice for parameter '{}'", shorten(setting.text), name),
            suggest(setting.text, known, "choices"));
        setting.text = fallback;
      }
    }
    context_.symbols.words[name] = setting.text;
    context_.scene.parameters[name] = setting.text;
  }

  void store_number(const std::string& name, const Setting& setting, const std::optional<Fields>& fields) {
    double value = 0.0;
    try {
      value = Expression::parse(setting.text, context_.symbols).evaluate<0>(0.0).c[0];
    } catch (const ExpressionError& error) {
      context_.diagnostics.add(
          setting.where, fmt::format("parameter '{}' = '{}' {}", name, shorten(setting.text), error.what),
          error.remedy);
      return make_unusable(name);
    }
    const double least = fields ? fields->number("min", -kLargest) : -kLargest;
    const double most = fields ? fields->number("max", kLargest) : kLargest;
    if (!(value >= least && value <= most)) {
      context_.diagnostics.add(
          setting.where,
          fmt::format("parameter '{}' must be from {} to {}, got {}", name, least, most, value),
          "give a value between these");
      return make_unusable(name);
    }
    context_.symbols.numbers[name] = value;
    context_.scene.parameters[name] = fmt::format("{}", value);
  }

  // stands for the value after an error, so that its users are not reported as well
  void make_unusable(const std::string& name) { context_.symbols.numbers[name] = 1.0; }

  SceneContext& context_;
  const std::map<std::string, std::string>& set_;
  std::vector<Definition> definitions_;  // in the order in which they are evaluated
};

}  // namespace

void read_parameters(SceneContext& context, std::span<const Node* const> sections,
                     const std::map<std::string, std::string>& set) {
  ParameterReader(context, set).read(sections);
}

}  // namespace catena::io
