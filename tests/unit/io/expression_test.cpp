// Expressions of scene files: arithmetic, exact derivatives, limits.
#include "io/document/expression.h"

#include "catena/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>

namespace catena {
namespace {

using io::Expression;
using io::ExpressionError;
using io::Symbols;
using io::Taylor;

Expression parse(const std::string& text, std::string_view variable = "t") {
  Symbols symbols;
  symbols.numbers = {{"l", 2.0}, {"g", 9.81}};
  symbols.words = {{"joint", "ball"}};
  return Expression::parse(text, symbols, variable);
}

double value(const std::string& text, double t = 0.0) {
  return parse(text).evaluate<0>(t).c[0];
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const ExpressionError& error) {
    return error.what + "; " + error.remedy;
  }
  return "";
}

TEST(Expression, FollowsTheUsualPrecedence) {
  EXPECT_EQ(value("1+2*3"), 7.0);
  EXPECT_EQ(value("(1+2)*3"), 9.0);
  EXPECT_EQ(value("2-3-4"), -5.0);
  EXPECT_EQ(value("12/3/2"), 2.0);
  EXPECT_EQ(value("-2^2"), -4.0);
  EXPECT_EQ(value("2^3^2"), 512.0);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value(" 1e-3 * 2.5e3 "), 2.5);
  EXPECT_EQ(value("--1"), 1.0);
  EXPECT_EQ(value("min(3, 1, 2) + max(3, 1, 2)"), 4.0);
  EXPECT_DOUBLE_EQ(value("2*pi*sqrt(l/g)"), 2.0 * std::numbers::pi * std::sqrt(2.0 / 9.81));
  EXPECT_DOUBLE_EQ(value("log(e)"), 1.0);
  EXPECT_EQ(value("step(t) + floor(2.7)", -1.0), 2.0);
  EXPECT_EQ(value("smoothstep(0.5)"), 0.5);
}

TEST(Expression, PublicFunctionTakesVariables) {
  EXPECT_DOUBLE_EQ(evaluate_expression("a*b^2", {{"a", 3.0}, {"b", 2.0}}), 12.0);
  EXPECT_THROW(evaluate_expression("a*"), InvalidInput);
  EXPECT_THROW(evaluate_expression("1/0"), InvalidInput);
  EXPECT_THROW(evaluate_expression("sqrt(-1)"), InvalidInput);
}

// Three derivatives by Taylor arithmetic are those of central differences, for every function at ordinary points.
TEST(Expression, DerivativesAgreeWithFiniteDifferences) {
  const std::string functions[] = {
      "sin(1.3*t)",
      "cos(t*t)",
      "tan(0.4*t)",
      "asin(0.3*t)",
      "acos(0.3*t)",
      "atan(2*t)",
      "atan2(sin(t), 0.3+cos(t))",
      "atan2(2+t, 0.1*t)",
      "sqrt(2+t)",
      "exp(-t)",
      "log(3+t)",
      "abs(t-5)",
      "min(t, t*t+3)",
      "max(t^3, -9)",
      "pow(2+t, 1.5)",
      "(2+t)^t",
      "t^3 - 2*t^2 + 1",
      "(t-4)^5",
      "sinh(t)",
      "cosh(0.7*t)",
      "tanh(t)",
      "smoothstep(0.5+0.3*t)",
      "floor(t+0.5)",
      "step(t-9)",
      "1/(2+t^2)",
      "t/(1+t*t)*exp(sin(t))",
      "-t^2",
      "2^t",
      "l*cos(g*t)",
  };
  constexpr unsigned kSeed = 7;
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> at(-1.2, 1.2);
  for (const std::string& function : functions) {
    const Expression f = parse(function);
    const double t = at(random);
    SCOPED_TRACE(function + " at t = " + std::to_string(t) + ", seed " + std::to_string(kSeed));
    const Taylor<3> exact = f.evaluate<3>(t);
    const Taylor<2> second = f.evaluate<2>(t);
    EXPECT_EQ(exact.c[0], f.evaluate<0>(t).c[0]);
    for (int k = 0; k <= 2; ++k) EXPECT_EQ(exact.c[k], second.c[k]);
    // each derivative from the exact one below it: fourth-order differences, error O(h⁴)
    constexpr double h = 1e-3;
    for (int k = 1; k <= 3; ++k) {
      const auto lower = [&](double x) { return f.evaluate<3>(x).derivative(k - 1); };
      const double difference =
          (8.0 * (lower(t + h) - lower(t - h)) - (lower(t + 2 * h) - lower(t - 2 * h))) / (12.0 * h);
      EXPECT_NEAR(exact.derivative(k), difference, 1e-6 * (1.0 + std::abs(difference))) << "derivative " << k;
    }
  }
}

TEST(Expression, ConstantsHaveNoDerivativeEvenAtSingularPoints) {
  for (const char* text : {"sqrt(0)", "asin(1)", "0^2", "0^0.5", "atan2(0, 0)", "abs(0)"}) {
    SCOPED_TRACE(text);
    const Taylor<3> f = parse(text).evaluate<3>(0.0);
    EXPECT_TRUE(std::isfinite(f.c[0]));
    EXPECT_TRUE(f.is_constant());
    EXPECT_FALSE(parse(text).depends_on_variable());
  }
  const Taylor<3> cube = parse("t^3").evaluate<3>(0.0);  // binomials that vanish meet no 0·∞
  EXPECT_EQ(cube.derivative(2), 0.0);
  EXPECT_EQ(cube.derivative(3), 6.0);
}

TEST(Expression, AnInfiniteSlopeSpoilsNeitherValueNorLowerDerivatives) {
  const Taylor<2> power = parse("t^1.5").evaluate<2>(0.0);  // was not a number
  EXPECT_EQ(power.c[0], 0.0);
  EXPECT_EQ(power.c[1], 0.0);
  EXPECT_TRUE(std::isinf(power.c[2]));
  EXPECT_EQ(parse("0.5^t").evaluate<2>(0.7).c[0], parse("0.5^t").evaluate<0>(0.7).c[0]);
  const Taylor<2> constant = parse("exp(-1/0)").evaluate<2>(0.0);
  EXPECT_EQ(constant.c[0], 0.0);
  EXPECT_TRUE(constant.is_constant());
}

TEST(Expression, ErrorsSayWhatAndWhatToDo) {
  EXPECT_NE(error_of("2*").find("complete the expression"), std::string::npos);
  EXPECT_NE(error_of("2*(1+3").find("')'"), std::string::npos);
  EXPECT_NE(error_of("sim(t)").find("did you mean 'sin'"), std::string::npos);
  EXPECT_NE(error_of("2*x").find("unknown name 'x'"), std::string::npos);
  EXPECT_NE(error_of("2 3").find("operator"), std::string::npos);
  EXPECT_NE(error_of("atan2(1)").find("1 argument to atan2"), std::string::npos);
  EXPECT_NE(error_of("joint").find("the word 'ball'"), std::string::npos);
  EXPECT_NE(error_of("1e999").find("does not fit"), std::string::npos);
  EXPECT_NE(error_of("").find("ends where"), std::string::npos);
  EXPECT_NE(error_of("a b c $ %").find("unknown"), std::string::npos);
}

TEST(Expression, DepthAndLengthAreLimited) {
  EXPECT_NE(error_of(std::string(100'000, '(')).find("too long"), std::string::npos);
  EXPECT_NE(error_of(std::string(9'000, '(')).find("nested"), std::string::npos);
  EXPECT_NE(error_of(std::string(9'000, '-') + "1").find("nested"), std::string::npos);
  std::string powers = "1";
  for (int i = 0; i < 2'000; ++i) powers += "^1";
  EXPECT_NE(error_of(powers).find("nested"), std::string::npos);
  std::string sum = "1";
  for (int i = 0; i < 4'000; ++i) sum += "+1";
  EXPECT_EQ(value(sum), 4001.0);
}

TEST(Expression, ReservedNamesAreKnown) {
  for (const char* name : {"pi", "e", "t", "u", "sin", "smoothstep"})
    EXPECT_TRUE(io::is_reserved_name(name)) << name;
  EXPECT_FALSE(io::is_reserved_name("mass"));
}

}  // namespace
}  // namespace catena
