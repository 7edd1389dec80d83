// Arithmetic expressions of scene files: "0.5*sin(2*pi*t)".
//
// Text is parsed once into a short postfix program; running it takes one pass over the program, no recursion
// and no heap. It runs on Taylor series, so that functions of time come with exact rates and accelerations.
//
//   sum     = product { ("+" | "-") product }          power   = primary [ "^" unary ]
//   product = unary { ("*" | "/") unary }              primary = number | name | name "(" sum { "," sum } ")"
//   unary   = { "-" | "+" } power                               | "(" sum ")"
#pragma once

#include "io/document/taylor.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace catena::io {

/// What expressions may refer to: parameters with a value, and parameters that are words (kinds, solver
/// names).
struct Symbols {
  std::map<std::string, double, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> words;
};

/// Why a text is not an expression. A plain value: the caller knows the place and makes the message.
struct ExpressionError {
  std::string what;
  std::string remedy;
};

class Expression {
 public:
  static constexpr std::size_t kMaxLength = 10'000;  // characters
  static constexpr int kMaxDepth = 64;               // nested parentheses, signs and powers
  static constexpr int kMaxStack = 256;              // operands waiting at once

  /// Parses `text`; `variable` ("t", "u" or nothing) is the name that stays free. Throws ExpressionError.
  static Expression parse(std::string_view text, const Symbols& symbols, std::string_view variable = {});
  /// The same with several names that stay free; they come before parameters.
  static Expression parse(std::string_view text, const Symbols& symbols,
                          std::span<const std::string> variables);

  bool depends_on_variable() const { return depends_on_variable_; }

  /// Value and derivatives up to order N where the variable has the value `x`.
  template <int N>
  Taylor<N> evaluate(double x) const;
  /// The same along a line: every variable is a series in one and the same number.
  template <int N>
  Taylor<N> evaluate(std::span<const Taylor<N>> x) const;

 private:
  friend class ExpressionParser;
  enum class Op : std::uint8_t;
  struct Instruction {
    Op op;
    double value;  // of constants; of variables which
  };
  std::vector<Instruction> program_;
  bool depends_on_variable_ = false;
};

/// Names that parameters may not take: constants, variables and functions.
bool is_reserved_name(std::string_view name);

}  // namespace catena::io
