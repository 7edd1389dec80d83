// Typed values of records. Every error names what was expected, what was found and what to do.
#include "io/document/fields.h"

#include "io/document/suggest.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace catena::io {

const Key* Record::find(std::string_view name) const {
  for (const Key& key : keys)
    if (key.name == name) return &key;
  return nullptr;
}

std::vector<Key> join_keys(std::initializer_list<std::vector<Key>> lists) {
  std::vector<Key> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// ------------------------------------------------------------------------------------------------- scalars

namespace {

// the value of a parameter as text, or nothing
std::optional<std::string> parameter_text(std::string_view name, const Symbols& symbols) {
  if (const auto it = symbols.words.find(name); it != symbols.words.end()) return it->second;
  if (const auto it = symbols.numbers.find(name); it != symbols.numbers.end())
    return fmt::format("{}", it->second);
  return std::nullopt;
}

std::string suggest_parameter(std::string_view name, const Symbols& symbols) {
  std::vector<std::string_view> known;
  for (const auto& [key, value] : symbols.words) known.push_back(key);
  for (const auto& [key, value] : symbols.numbers) known.push_back(key);
  return suggest(name, known, "parameters");
}

std::string_view article(std::string_view what) {
  return !what.empty() && std::string_view("aeiou").find(what.front()) != std::string_view::npos ? "an" : "a";
}

}  // namespace

// "${k-1}": an expression of parameters, as text
static std::optional<std::string> expression_text(std::string_view text, const Symbols& symbols) {
  if (text.find_first_of("+-*/^(") == std::string_view::npos) return std::nullopt;
  try {
    const double value = Expression::parse(text, symbols).evaluate<0>(0.0).c[0];
    if (std::isfinite(value)) return fmt::format("{}", value + 0.0);
  } catch (const ExpressionError&) {
  }
  return std::nullopt;
}

std::optional<std::string> read_text(const Node& node, const Reading& reading) {
  if (!node.is_scalar()) {
    reading.diagnostics.add(node, "a text is expected, got " + node.describe(),
                            "write one word or a text in quotes");
    return std::nullopt;
  }
  const std::string& text = node.text;
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '$') {
      result += text[i++];
      continue;
    }
    // ${name} anywhere, $name only as the whole text
    std::size_t end = std::string::npos, begin = 0;
    if (i + 1 < text.size() && text[i + 1] == '{') {
      begin = i + 2;
      end = text.find('}', begin);
    } else if (i == 0) {
      begin = 1;
      end = text.size();
    }
    if (end == std::string::npos) {
      result += text[i++];
      continue;
    }
    const std::string_view name = std::string_view(text).substr(begin, end - begin);
    auto value = parameter_text(name, reading.symbols);
    if (!value) value = expression_text(name, reading.symbols);
    if (!value) {
      reading.diagnostics.add(node, fmt::format("there is no parameter '{}'", shorten(name)),
                              suggest_parameter(name, reading.symbols));
      return std::nullopt;
    }
    result += *value;
    i = end + 1;
  }
  return result;
}

std::optional<double> read_number(const Node& node, const Reading& reading, std::string_view what) {
  const auto report = [&](std::string why, std::string remedy) {
    reading.diagnostics.add(node, std::move(why), std::move(remedy));
    return std::nullopt;
  };
  if (!node.is_scalar())
    return report(fmt::format("{} must be a number, got {}", what, node.describe()),
                  "give a number or an expression");
  const std::string& text = node.text;
  // plain numbers need no parser: scenes with 100,000 bodies consist of them
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || text.empty()) {
    std::string source = text;
    if (source == ".nan" || source == ".NaN" || source == ".inf" || source == "-.inf")
      return report(fmt::format("{} must be finite, got '{}'", what, source), "give a finite number");
    if (source.starts_with('$')) {
      const auto substituted = read_text(node, reading);
      if (!substituted) return std::nullopt;
      source = *substituted;
    }
    try {
      value = Expression::parse(source, reading.symbols).evaluate<0>(0.0).c[0];
    } catch (const ExpressionError& error) {
      return report(fmt::format("{} '{}' {}", what, shorten(source), error.what), error.remedy);
    }
  }
  if (!std::isfinite(value))
    return report(
        fmt::format("{} must be finite, got {}{}", what, value,
                    node.text == fmt::format("{}", value) ? "" : " from '" + shorten(node.text) + "'"),
        "give a finite number");
  if (std::abs(value) > kLargest)
    return report(fmt::format("{} is too large to compute with, got {}", what, value),
                  fmt::format("use SI units and magnitudes below {}", kLargest));
  return value;
}

// ------------------------------------------------------------------------------------------------- records

Fields::Fields(const Node& node, const Record& record, const Reading& reading)
    : node_(&node), record_(&record), reading_(reading), errors_before_(reading.diagnostics.count()) {
  if (!node.is_map()) {
    reading.diagnostics.add(
        node, "a map of keys and values is expected, got " + node.describe(),
        record.keys.empty() ? "" : fmt::format("begin with '{}: ...'", record.keys.front().name));
    return;
  }
  for (const Node* child : node.children) {
    if (record.find(child->key) != nullptr) continue;
    std::vector<std::string_view> known;
    for (const Key& key : record.keys) known.push_back(key.name);
    reading.diagnostics.add(
        child->where_key(),
        fmt::format("the key '{}' is not known{}", shorten(child->key),
                    record.kind.empty() ? "" : fmt::format(" for {} {}", article(record.kind), record.kind)),
        suggest(child->key, known, "known keys"));
  }
  for (const Key& key : record.keys)
    if (key.required && find(key.name) == nullptr)
      reading.diagnostics.add(
          node, fmt::format("'{}' is missing", key.name),
          fmt::format("add '{}: ...' ({}{}{})", key.name, key.doc, key.unit.empty() ? "" : ", ", key.unit));
}

std::optional<Fields> Fields::select(const Node& node, const Variant& variant, const Reading& reading) {
  std::vector<std::string_view> kinds;
  for (const Record& record : variant.kinds) kinds.push_back(record.kind);
  if (!node.is_map()) {
    reading.diagnostics.add(
        node, fmt::format("a {} is a map of keys and values, got {}", variant.what, node.describe()),
        fmt::format("begin with '{}: ...'", variant.selector));
    return std::nullopt;
  }
  if (variant.selector.empty()) return Fields(node, variant.kinds.front(), reading);  // only one kind
  const Node* kind = node.find(variant.selector);
  if (kind == nullptr || !kind->is_scalar()) {
    reading.diagnostics.add(node, fmt::format("'{}' is missing", variant.selector),
                            suggest("", kinds, fmt::format("kinds of {}", variant.what)));
    return std::nullopt;
  }
  const auto wanted = read_text(*kind, reading);
  if (!wanted) return std::nullopt;
  for (const Record& record : variant.kinds)
    if (record.kind == *wanted) return Fields(node, record, reading);
  reading.diagnostics.add(*kind, fmt::format("'{}' is not a kind of {}", shorten(*wanted), variant.what),
                          suggest(*wanted, kinds, "kinds"));
  return std::nullopt;
}

const Key& Fields::key_of(std::string_view key) const {
  const Key* found = record_->find(key);
  if (found == nullptr)
    throw std::logic_error(fmt::format("the table of '{}' has no key '{}'", record_->kind, key));
  return *found;
}

const Node* Fields::find(std::string_view key) const {
  key_of(key);
  const Node* child = node_->is_map() ? node_->find(key) : nullptr;
  return child != nullptr && child->kind != Node::Kind::null ? child : nullptr;
}

void Fields::exclusive(std::initializer_list<std::string_view> keys) const {
  std::string_view first;
  for (const std::string_view key : keys) {
    if (!has(key)) continue;
    if (first.empty()) {
      first = key;
    } else {
      reading_.diagnostics.add(find(key)->where_key(),
                               fmt::format("'{}' and '{}' say the same thing", first, key),
                               "keep one of them");
    }
  }
}

void Fields::report(std::string_view key, std::string what, std::string remedy) const {
  const Node* node = find(key);
  reading_.diagnostics.add(node != nullptr ? *node : *node_, std::move(what), std::move(remedy));
}

// -------------------------------------------------------------------------------------------------- values

std::optional<double> Fields::number(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const Key& meaning = key_of(key);
  const auto value = read_number(*node, reading_, key);
  if (!value) return std::nullopt;
  const std::string got = fmt::format("got {}{}{}", *value, meaning.unit.empty() ? "" : " ", meaning.unit);
  switch (meaning.value) {
    case Value::positive:
      if (*value >= kSmallest) return value;
      report(key, fmt::format("{} must be {}, {}", key, *value > 0 ? "above 1e-30" : "positive", got),
             "give a value above 0");
      return std::nullopt;
    case Value::non_negative:
      if (*value >= 0.0) return value;
      report(key, fmt::format("{} must not be negative, {}", key, got), "give 0 or more");
      return std::nullopt;
    default:
      return value;
  }
}

int Fields::integer(std::string_view key, int fallback) const {
  constexpr double kMost = 1e7;
  const auto value = number(key);
  if (!value) return fallback;
  const double least = key_of(key).value == Value::count ? 1.0 : 0.0;
  if (*value == std::floor(*value) && *value >= least && *value <= kMost) return int(*value);
  report(key, fmt::format("{} must be a whole number from {} to {}, got {}", key, least, kMost, *value),
         "round it, for instance with floor()");
  return fallback;
}

bool Fields::boolean(std::string_view key, bool fallback) const {
  const Node* node = find(key);
  if (node == nullptr) return fallback;
  const auto value = read_text(*node, reading_);
  if (!value) return fallback;
  if (*value == "true" || *value == "false") return *value == "true";
  report(key, fmt::format("{} must be true or false, got '{}'", key, shorten(*value)), "write true or false");
  return fallback;
}

std::optional<std::string> Fields::text(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto value = read_text(*node, reading_);
  if (!value) return std::nullopt;
  const Key& meaning = key_of(key);
  if (meaning.value != Value::choice) return value;
  for (const std::string_view choice : meaning.details.choices)
    if (choice == *value) return value;
  report(key, fmt::format("'{}' is not a choice for {}", shorten(*value), key),
         suggest(*value, meaning.details.choices, "choices"));
  return std::nullopt;
}

std::optional<std::vector<double>> Fields::numbers(const Node& node, std::string_view what, int least,
                                                   int most) const {
  const int size = int(node.children.size());
  if (!node.is_list() || size < least || size > most) {
    reading_.diagnostics.add(
        node,
        fmt::format("{} must be a list of {} numbers, got {}", what,
                    least == most ? fmt::format("{}", least) : fmt::format("{} or {}", least, most),
                    node.describe()),
        most == 3 ? "write it as [x, y, z]" : "write it as [a, b, ...]");
    return std::nullopt;
  }
  std::vector<double> values;
  for (const Node* child : node.children)
    if (const auto value = read_number(*child, reading_, what)) values.push_back(*value);
  if (int(values.size()) < size) return std::nullopt;
  return values;
}

std::optional<Vec3> Fields::vector(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (key_of(key).value == Value::spin && node->is_scalar()) {
    const auto about_z = read_number(*node, reading_, key);
    return about_z ? std::optional(Vec3(0.0, 0.0, *about_z)) : std::nullopt;
  }
  const auto values = numbers(*node, key, 2, 3);
  if (!values) return std::nullopt;
  const Vec3 result((*values)[0], (*values)[1], values->size() == 3 ? (*values)[2] : 0.0);
  if (key_of(key).value == Value::direction && result.norm() < 1e-12) {
    report(key, fmt::format("{} must not be zero", key), "give a direction, as [0, 0, 1]");
    return std::nullopt;
  }
  return result;
}

std::optional<Quat> Fields::quaternion(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto values = numbers(*node, key, 4, 4);
  if (!values) return std::nullopt;
  const Quat result((*values)[0], (*values)[1], (*values)[2], (*values)[3]);
  if (std::abs(result.norm() - 1.0) > 1e-3) {
    report(key, fmt::format("{} must be a unit quaternion [w, x, y, z], got norm {}", key, result.norm()),
           "normalise it, or use axis and angle_deg");
    return std::nullopt;
  }
  return result.normalized();
}

std::optional<std::pair<double, double>> Fields::range(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto values = numbers(*node, key, 2, 2);
  if (!values) return std::nullopt;
  if ((*values)[0] < (*values)[1]) return std::pair((*values)[0], (*values)[1]);
  report(key, fmt::format("{} must begin below its end, got [{}, {}]", key, (*values)[0], (*values)[1]),
         "write it as [begin, end]");
  return std::nullopt;
}

std::vector<Vec3> Fields::vectors(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return {};
  if (!node->is_list()) {
    report(key, fmt::format("{} must be a list of vectors, got {}", key, node->describe()),
           "write it as [[x, y, z], [x, y, z]]");
    return {};
  }
  std::vector<Vec3> result;
  for (const Node* child : node->children)
    if (const auto v = numbers(*child, key, 2, 3))
      result.emplace_back((*v)[0], (*v)[1], v->size() == 3 ? (*v)[2] : 0.0);
  return result.size() == node->children.size() ? result : std::vector<Vec3>{};
}

std::vector<double> Fields::few_numbers(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return {};
  if (node->is_list()) return numbers(*node, key, 1, 3).value_or(std::vector<double>{});
  const auto value = read_number(*node, reading_, key);
  return value ? std::vector{*value} : std::vector<double>{};
}

std::vector<std::string> Fields::names(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return {};
  std::vector<std::string> result;
  const auto add = [&](const Node& item) {
    if (const auto text = read_text(item, reading_)) result.push_back(*text);
  };
  if (node->is_list())
    for (const Node* child : node->children) add(*child);
  else
    add(*node);
  return result;
}

std::optional<std::vector<Vec2>> Fields::pairs(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_list() || node->children.empty()) {
    report(key, fmt::format("{} must be a list of pairs, got {}", key, node->describe()),
           "write it as [[x, y], [x, y], ...]");
    return std::nullopt;
  }
  std::vector<Vec2> result;
  for (const Node* child : node->children)
    if (const auto pair = numbers(*child, key, 2, 2)) result.emplace_back((*pair)[0], (*pair)[1]);
  if (result.size() < node->children.size()) return std::nullopt;
  return result;
}

std::optional<Fields> Fields::fields(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const Key& meaning = key_of(key);
  if (meaning.details.variant != nullptr) return select(*node, meaning.details.variant(), reading_);
  return Fields(*node, meaning.details.record(), reading_);
}

std::optional<Mat3> read_inertia(const Fields& fields, std::string_view key) {
  const Node* node = fields.find(key);
  if (node == nullptr) return std::nullopt;
  std::vector<double> values;
  const auto read_all = [&](const Node& list) {
    for (const Node* child : list.children)
      if (const auto value = read_number(*child, fields.reading(), key)) values.push_back(*value);
  };
  const std::size_t size = node->children.size();
  const bool matrix = size == 3 && node->children[0]->is_list() && node->children[1]->is_list() &&
                      node->children[2]->is_list();
  const std::size_t expected = matrix ? 9 : size;
  if (matrix)
    for (const Node* row : node->children) read_all(*row);
  else if (node->is_list() && (size == 3 || size == 6))
    read_all(*node);
  Mat3 I = Mat3::Zero();
  const double* m = values.data();
  if (!node->is_list() || values.size() != expected || (expected != 3 && expected != 6 && expected != 9)) {
    fields.report(key,
                  "inertia must be [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or three lists of three, got " +
                      node->describe(),
                  "give the moments about the centre of mass in body axes, kg·m²");
    return std::nullopt;
  }
  if (expected == 9) I << m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8];
  if (expected == 6) I << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
  if (expected == 3) I.diagonal() << m[0], m[1], m[2];
  return I;
}

}  // namespace catena::io
