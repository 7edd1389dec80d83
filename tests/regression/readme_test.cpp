// The figures of the README that are not times: measured as it says, and the same to the digit that it gives.
#include "support/files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>

namespace {

using nlohmann::json;

/// The first numbers behind the row of the README's table that has these words.
std::vector<double> figures_of(const std::string& words) {
  const std::string text = catena::test::read_all(std::filesystem::path(CATENA_SOURCE_DIR) / "README.md");
  const std::size_t at = text.find(words), cell = text.find('|', at), end = text.find('\n', at);
  EXPECT_NE(at, std::string::npos) << "the README has no row '" << words << "'";
  std::vector<double> out;
  if (at == std::string::npos) return out;
  const std::string row = text.substr(cell, end - cell);
  for (std::size_t i = 0; i < row.size();) {
    char* rest = nullptr;
    const double number =
        std::isdigit(static_cast<unsigned char>(row[i])) ? std::strtod(row.c_str() + i, &rest) : NAN;
    if (std::isfinite(number)) out.push_back(number);
    i = rest != nullptr ? std::size_t(rest - row.c_str()) : i + 1;
  }
  return out;
}

json summary_of_crane(const std::string& arguments) {
  const std::string command = fmt::format("'{}' run '{}/examples/crane.yaml' --json --quiet {}",
                                          CATENA_COMMAND, CATENA_SOURCE_DIR, arguments);
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string out;
  for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) out += char(c);
  EXPECT_EQ(::pclose(pipe), 0);
  return json::parse(out);
}

/// Equal up to a factor: one digit is given, and what is left by rounding and iterations varies with the compiler.
void expect_alike(double measured, double given, double factor) {
  EXPECT_LT(measured, factor * given);
  EXPECT_GT(measured, given / factor);
}

TEST(Readme, TheCraneIsAsExactAsItSays) {
  const json run = summary_of_crane("");
  EXPECT_EQ(run["steps"], 1200);
  EXPECT_EQ(run["integrator"], "bdf2");
  const auto separation = figures_of("implicit: largest joint separation"),
             energy = figures_of("energy lost, of the 30 kJ");
  ASSERT_TRUE(!separation.empty() && !energy.empty());
  expect_alike(run["constraint_error"]["max"], separation[0], 3.0);
  expect_alike(run["energy"]["max_drift"], energy[0], 1.3);
  EXPECT_NEAR(run["energy"]["scale"].get<double>(), 30e3, 500.0);
}

TEST(Readme, TheCraneByRattleIsAsExactAsItSays) {
  const json run = summary_of_crane("--integrator rattle --dt 0.5e-3");
  const auto given = figures_of("--integrator rattle --dt 0.5e-3");
  ASSERT_GE(given.size(), 2U);
  expect_alike(run["constraint_error"]["max"], given[0], 3.0);
  expect_alike(run["energy"]["max_drift"], given[1], 1.5);
}

}  // namespace
