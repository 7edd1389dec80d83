// Parser and evaluator of expressions; both linear in the length of the text.
#include "io/document/expression.h"

#include "catena/scene.h"
#include "io/document/suggest.h"

#include <fmt/format.h>

#include <charconv>
#include <numbers>

namespace catena::io {

enum class Expression::Op : std::uint8_t {
  constant,
  variable,
  add,
  subtract,
  multiply,
  divide,
  power,
  negate,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sqrt,
  exp,
  log,
  abs,
  min,
  max,
  pow,
  sinh,
  cosh,
  tanh,
  floor,
  step,
  smoothstep,
};

namespace {

struct Function {
  std::string_view name;
  int num_arguments;  // -1: two or more, folded from the left
};
// in the order of Op, from Op::sin on
constexpr Function kFunctions[] = {
    {"sin", 1},  {"cos", 1},  {"tan", 1},  {"asin", 1},  {"acos", 1}, {"atan", 1},       {"atan2", 2},
    {"sqrt", 1}, {"exp", 1},  {"log", 1},  {"abs", 1},   {"min", -1}, {"max", -1},       {"pow", 2},
    {"sinh", 1}, {"cosh", 1}, {"tanh", 1}, {"floor", 1}, {"step", 1}, {"smoothstep", 1},
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::vector<std::string_view> known_names(const Symbols& symbols,
                                          std::span<const std::string_view> variables) {
  std::vector<std::string_view> names{"pi", "e"};
  names.insert(names.end(), variables.begin(), variables.end());
  for (const auto& [name, value] : symbols.numbers) names.push_back(name);
  return names;
}

}  // namespace

bool is_reserved_name(std::string_view name) {
  if (name == "pi" || name == "e" || name == "t" || name == "u") return true;
  for (const Function& function : kFunctions)
    if (name == function.name) return true;
  return false;
}

/// Recursive descent over the grammar in the header; emits postfix code.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const Symbols& symbols, std::vector<std::string_view> variables)
      : text_(text), symbols_(symbols), variables_(std::move(variables)) {}

  Expression parse() {
    if (text_.size() > Expression::kMaxLength)
      fail(fmt::format("is too long for an expression ({} characters)", text_.size()),
           fmt::format("stay below {} characters; parameters can hold intermediate results",
                       Expression::kMaxLength));
    sum();
    if (peek() != '\0')
      fail(fmt::format("has '{}' where an operator was expected", rest()), "use + - * / ^ ( )");
    return std::move(result_);
  }

 private:
  using Op = Expression::Op;

  [[noreturn]] void fail(std::string what, std::string remedy) {
    throw ExpressionError{std::move(what), std::move(remedy)};
  }

  char peek() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  std::string rest() const { return shorten(text_.substr(at_), 20); }

  void emit(Op op, int num_operands, double value = 0.0) {
    waiting_ += 1 - num_operands;
    if (waiting_ > Expression::kMaxStack) fail("is too deeply nested", "split it with parameters");
    result_.program_.push_back({op, value});
  }

  void sum() {
    product();
    while (true) {
      if (accept('+')) {
        product();
        emit(Op::add, 2);
      } else if (accept('-')) {
        product();
        emit(Op::subtract, 2);
      } else {
        return;
      }
    }
  }

  void product() {
    unary();
    while (true) {
      if (accept('*')) {
        unary();
        emit(Op::multiply, 2);
      } else if (accept('/')) {
        unary();
        emit(Op::divide, 2);
      } else {
        return;
      }
    }
  }

  // every recursion passes here, so this is where depth is counted
  void unary() {
    if (++depth_ > Expression::kMaxDepth)
      fail(fmt::format("is nested more than {} levels deep", Expression::kMaxDepth),
           "split it with parameters");
    if (accept('-')) {
      unary();
      emit(Op::negate, 1);
    } else if (accept('+')) {
      unary();
    } else {
      primary();
      if (accept('^')) {
        unary();
        emit(Op::power, 2);
      }
    }
    --depth_;
  }

  void primary() {
    const char c = peek();
    if (is_digit(c) || c == '.') return number();
    if (is_letter(c)) return name();
    if (accept('(')) {
      sum();
      close();
      return;
    }
    if (c == '\0') fail("ends where a number, name or '(' was expected", "complete the expression");
    fail(fmt::format("has '{}' where a number, name or '(' was expected", rest()),
         "write it as in \"2*pi*sqrt(l/g)\"");
  }

  void close() {
    if (!accept(')'))
      fail(peek() == '\0' ? "ends before a ')'" : fmt::format("has '{}' where ')' was expected", rest()),
           "close the parenthesis");
  }

  void number() {
    double value = 0.0;
    const char* begin = text_.data() + at_;
    const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (status == std::errc::result_out_of_range)
      fail(fmt::format("has the number {} that does not fit a double",
                       shorten(std::string_view(begin, end), 20)),
           "use a magnitude between 1e-300 and 1e300");
    if (status != std::errc())
      fail(fmt::format("has '{}' where a number was expected", rest()), "write it as in 0.5 or 1e-3");
    at_ += static_cast<std::size_t>(end - begin);
    emit(Op::constant, 0, value);
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (peek() == '(') return call(name);
    for (std::size_t i = 0; i < variables_.size(); ++i)
      if (name == variables_[i]) {
        result_.depends_on_variable_ = true;
        return emit(Op::variable, 0, double(i));
      }
    if (name == "pi") return emit(Op::constant, 0, std::numbers::pi);
    if (name == "e") return emit(Op::constant, 0, std::numbers::e);
    if (const auto it = symbols_.numbers.find(name); it != symbols_.numbers.end())
      return emit(Op::constant, 0, it->second);
    if (const auto it = symbols_.words.find(name); it != symbols_.words.end())
      fail(fmt::format("uses the parameter '{}', which is the word '{}'", name, shorten(it->second, 20)),
           "give it a number, or use it where a word is expected, as ${" + std::string(name) + "}");
    if (name == "t" || name == "u")
      fail(fmt::format("uses '{}', but this is not a function of {}", name,
                       name == "t" ? "time" : "a curve parameter"),
           "use parameters and constants only");
    fail(fmt::format("uses the unknown name '{}'", shorten(name, 40)),
         suggest(name, known_names(symbols_, variables_), "known names"));
  }

  void call(std::string_view name) {
    int index = 0;
    for (const Function& function : kFunctions) {
      if (function.name == name) break;
      ++index;
    }
    if (index == int(std::size(kFunctions))) {
      std::vector<std::string_view> names;
      for (const Function& function : kFunctions) names.push_back(function.name);
      fail(fmt::format("calls the unknown function '{}'", shorten(name, 40)),
           suggest(name, names, "functions"));
    }
    const Function& function = kFunctions[index];
    const Op op = static_cast<Op>(int(Op::sin) + index);
    accept('(');
    int count = 0;
    do {
      sum();
      ++count;
      if (function.num_arguments < 0 && count > 1) emit(op, 2);
    } while (accept(','));
    close();
    const bool fits = function.num_arguments < 0 ? count >= 2 : count == function.num_arguments;
    if (!fits)
      fail(fmt::format("gives {} argument{} to {}()", count, count == 1 ? "" : "s", name),
           function.num_arguments < 0 ? "give it two or more"
                                      : fmt::format("give it {}", function.num_arguments));
    if (function.num_arguments > 0) emit(op, function.num_arguments);
  }

  std::string_view text_;
  const Symbols& symbols_;
  std::vector<std::string_view> variables_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int waiting_ = 0;  // operands on the stack at this point of the program
  Expression result_;
};

Expression Expression::parse(std::string_view text, const Symbols& symbols, std::string_view variable) {
  std::vector<std::string_view> variables;
  if (!variable.empty()) variables.push_back(variable);
  return ExpressionParser(text, symbols, std::move(variables)).parse();
}

Expression Expression::parse(std::string_view text, const Symbols& symbols,
                             std::span<const std::string> variables) {
  return ExpressionParser(text, symbols, {variables.begin(), variables.end()}).parse();
}

template <int N>
Taylor<N> Expression::evaluate(double x) const {
  const Taylor<N> variable = Taylor<N>::variable(x);
  return evaluate(std::span<const Taylor<N>>(&variable, 1));
}

template <int N>
Taylor<N> Expression::evaluate(std::span<const Taylor<N>> x) const {
  std::array<Taylor<N>, kMaxStack> stack;
  int n = 0;
  for (const Instruction& instruction : program_) {
    Taylor<N>& top = stack[n == 0 ? 0 : n - 1];   // the only or second operand
    Taylor<N>& below = stack[n < 2 ? 0 : n - 2];  // the first of two operands
    // clang-format off
    switch (instruction.op) {
      case Op::constant: stack[n++] = Taylor<N>::constant(instruction.value); break;
      case Op::variable: stack[n++] = x[std::size_t(instruction.value)]; break;
      case Op::add:      below = below + top; --n; break;
      case Op::subtract: below = below - top; --n; break;
      case Op::multiply: below = below * top; --n; break;
      case Op::divide:   below = below / top; --n; break;
      case Op::power:
      case Op::pow:      below = io::pow(below, top); --n; break;
      case Op::atan2:    below = io::atan2(below, top); --n; break;
      case Op::min:      below = io::min(below, top); --n; break;
      case Op::max:      below = io::max(below, top); --n; break;
      case Op::negate:   top = -top; break;
      case Op::sin:      top = io::sin(top); break;
      case Op::cos:      top = io::cos(top); break;
      case Op::tan:      top = io::tan(top); break;
      case Op::asin:     top = io::asin(top); break;
      case Op::acos:     top = io::acos(top); break;
      case Op::atan:     top = io::atan(top); break;
      case Op::sqrt:     top = io::sqrt(top); break;
      case Op::exp:      top = io::exp(top); break;
      case Op::log:      top = io::log(top); break;
      case Op::abs:      top = io::abs(top); break;
      case Op::sinh:     top = io::sinh(top); break;
      case Op::cosh:     top = io::cosh(top); break;
      case Op::tanh:     top = io::tanh(top); break;
      case Op::floor:    top = io::floor(top); break;
      case Op::step:     top = io::step(top); break;
      case Op::smoothstep: top = io::smoothstep(top); break;
    }
    // clang-format on
  }
  return stack[0];
}

template Taylor<0> Expression::evaluate(double) const;
template Taylor<2> Expression::evaluate(double) const;
template Taylor<3> Expression::evaluate(double) const;
template Taylor<2> Expression::evaluate(std::span<const Taylor<2>>) const;

}  // namespace catena::io

namespace catena {

double evaluate_expression(const std::string& text, const std::map<std::string, double>& variables) {
  io::Symbols symbols;
  symbols.numbers.insert(variables.begin(), variables.end());
  const std::string where = "expression \"" + io::shorten(text, 60) + "\"";
  try {
    const double value = io::Expression::parse(text, symbols).evaluate<0>(0.0).c[0];
    if (std::isfinite(value)) return value;
    throw InvalidInput({{where, fmt::format("the result is not finite, got {}", value),
                         "avoid 1/0, log(0) and roots of negative numbers"}});
  } catch (const io::ExpressionError& error) {
    throw InvalidInput({{where, error.what, error.remedy}});
  }
}

}  // namespace catena
