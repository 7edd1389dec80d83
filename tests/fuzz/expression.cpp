// Expressions: numbers, and functions of a variable with their derivatives.
#include "io/document/expression.h"

#include "catena/scene.h"
#include "fuzz/target.h"

#include <cmath>

namespace catena::fuzz {
namespace {

/// Constants have no derivatives, and derivatives do not change values.
void promise_consistent(const io::Expression& expression) {
  for (const double x : {0.0, 0.7, -3.0, 1e9}) {
    const auto value = expression.evaluate<0>(x);
    const auto series = expression.evaluate<2>(x);
    promise(value.c[0] == series.c[0] || (std::isnan(value.c[0]) && std::isnan(series.c[0])),
            "derivatives change the value");
    if (expression.depends_on_variable() || !std::isfinite(series.c[0])) continue;
    promise(series.c[1] == 0.0 && series.c[2] == 0.0, "a constant has derivatives");
  }
}

}  // namespace

Answer try_expression(std::string_view bytes) {
  io::Symbols symbols;
  symbols.numbers = {{"a", 2.0}, {"length", 0.5}};
  symbols.words = {{"kind", "rigid"}};
  Answer answer = Answer::refused;
  try {
    promise_consistent(io::Expression::parse(bytes, symbols, "t"));
    answer = Answer::ok;
  } catch (const io::ExpressionError& error) {
    promise(!error.what.empty() && !error.remedy.empty(), "a refusal without a reason or a remedy");
  }
  try {
    promise(std::isfinite(evaluate_expression(std::string(bytes), {{"a", 2.0}})),
            "a number that is not finite");
  } catch (const InvalidInput& refusal) {
    promise_named(refusal);
  }
  return answer;
}

std::vector<std::string> expression_seeds() {
  return {"0.5*sin(2*pi*t)",
          "2*pi*sqrt(length/9.81)",
          "min(a, max(1, t))^-2",
          "-t^2^0.5 + 1e-3",
          "atan2(t, 1)/log(3)",
          "step(t - 1)*exp(-t)",
          "((((a))))",
          "floor(a/2)*tanh(t)",
          "smoothstep(2*t)",
          "pow(t, 3)*cosh(a)",
          "abs(-a)"};
}

std::vector<std::string> expression_words() {
  return {"sin(", "cos(",   "sqrt(", "log(",  "exp(",        "pow(",  "min(", "max(",  "atan2(", "floor(",
          "abs(", "asin(",  "tanh(", "step(", "smoothstep(", "sinh(", "t",    "a",     "pi",     "e",
          "^",    "^-",     ",",     "(",     ")",           "((((",  "))))", "1e308", "0x1p3",  "nan",
          "inf",  "length", "kind",  "1/0",   "--",          "+-",    "..",   " "};
}

}  // namespace catena::fuzz
