// Values of records that are functions: of time t for driven constraints and loads, of u for curves.
#include "io/document/fields.h"
#include "io/document/suggest.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>

namespace catena::io {

namespace {

/// What a function last returned. A step asks for the same time again and again, and expressions are interpreted; one memory per thread,
/// so that simulations in several threads can share a scene.
struct Remembered {
  std::uint64_t function = 0;  // 0: none
  double time = 0.0;
  Jet value;
};

TimeFunction time_function(const Expression& expression) {
  if (!expression.depends_on_variable()) return constant(expression.evaluate<0>(0.0).c[0]);
  static std::atomic<std::uint64_t> count{0};
  return [expression, function = ++count](double t) {
    static thread_local std::array<Remembered, 256> memory;
    Remembered& last = memory[function % memory.size()];
    if (last.function != function || last.time != t) {
      const Taylor<2> f = expression.evaluate<2>(t);
      last = {function, t, Jet{f.derivative(0), f.derivative(1), f.derivative(2)}};
    }
    return last.value;
  };
}

}  // namespace

std::optional<Expression> Fields::expression(const Node& node, std::string_view what,
                                             std::string_view variable) const {
  if (!node.is_scalar()) {
    reading_.diagnostics.add(
        node, fmt::format("{} must be a number or a function of {}, got {}", what, variable, node.describe()),
        fmt::format("write it as \"0.5*sin(2*pi*{})\"", variable));
    return std::nullopt;
  }
  std::optional<std::string> text = node.text;
  if (node.text.starts_with('$')) text = read_text(node, reading_);
  if (!text) return std::nullopt;
  try {
    Expression result = Expression::parse(*text, reading_.symbols, variable);
    const Taylor<2> start = result.evaluate<2>(0.0);
    for (int k = 0; k <= 2; ++k) {
      if (std::isfinite(start.c[k]) && std::abs(start.c[k]) <= kLargest) continue;
      constexpr std::string_view kNames[] = {"value", "first derivative", "second derivative"};
      reading_.diagnostics.add(
          node, fmt::format("{} '{}' has no finite {} at {} = 0", what, shorten(*text), kNames[k], variable),
          fmt::format("choose a function that is smooth at {} = 0", variable));
      return std::nullopt;
    }
    return result;
  } catch (const ExpressionError& error) {
    reading_.diagnostics.add(node, fmt::format("{} '{}' {}", what, shorten(*text), error.what), error.remedy);
    return std::nullopt;
  }
}

// a list of two or three functions; a single one stands for the z component
std::optional<std::array<Expression, 3>> Fields::expressions(std::string_view key,
                                                             std::string_view variable) const {
  const Node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const Expression zero = Expression::parse("0", reading_.symbols);
  if (node->is_scalar() && variable == "t") {
    auto z = expression(*node, key, variable);
    if (!z) return std::nullopt;
    return std::array{zero, zero, std::move(*z)};
  }
  if (!node->is_list() || node->children.size() < 2 || node->children.size() > 3) {
    report(key,
           fmt::format("{} must be a list of 2 or 3 numbers or functions of {}, got {}", key, variable,
                       node->describe()),
           "write it as [x, y, z]");
    return std::nullopt;
  }
  std::array result{zero, zero, zero};
  bool complete = true;
  for (std::size_t i = 0; i < node->children.size(); ++i) {
    auto component = expression(*node->children[i], key, variable);
    if (component) result[i] = std::move(*component);
    complete = complete && component.has_value();
  }
  if (!complete) return std::nullopt;
  return result;
}

std::optional<TimeFunction> Fields::function(std::string_view key, bool* depends_on_time) const {
  const Node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto result = expression(*node, key, "t");
  if (!result) return std::nullopt;
  if (depends_on_time != nullptr) *depends_on_time = result->depends_on_variable();
  return time_function(*result);
}

std::optional<PointFunction> Fields::functions(std::string_view key, bool* depends_on_time) const {
  const auto result = expressions(key, "t");
  if (!result) return std::nullopt;
  if (depends_on_time != nullptr) {
    *depends_on_time = false;
    for (const Expression& component : *result)
      *depends_on_time = *depends_on_time || component.depends_on_variable();
  }
  return PointFunction{time_function((*result)[0]), time_function((*result)[1]), time_function((*result)[2])};
}

std::optional<std::array<Expression, 3>> Fields::curve_functions(std::string_view key) const {
  return expressions(key, "u");
}

std::optional<std::array<Expression, 3>> Fields::point_functions(
    std::string_view key, std::span<const std::string> variables) const {
  const Node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_list() || node->children.size() < 2 || node->children.size() > 3) {
    report(key, fmt::format("{} must be a list of 2 or 3 expressions, got {}", key, node->describe()),
           "write it as [x, y, z]");
    return std::nullopt;
  }
  const Expression zero = Expression::parse("0", reading_.symbols);
  std::array result{zero, zero, zero};
  for (std::size_t i = 0; i < node->children.size(); ++i) {
    const Node& part = *node->children[i];
    const auto text = part.text.starts_with('$') ? read_text(part, reading_) : part.text;
    if (!text) return std::nullopt;
    try {
      result[i] = Expression::parse(*text, reading_.symbols, variables);
    } catch (const ExpressionError& error) {
      reading_.diagnostics.add(part, fmt::format("{} '{}' {}", key, shorten(*text), error.what),
                               error.remedy);
      return std::nullopt;
    }
  }
  return result;
}

}  // namespace catena::io
