// What the benchmarks share: arguments, and a report that is a page for people or JSON for programs.
#pragma once

#include "catena/catena.h"

#include <string>
#include <variant>
#include <vector>

namespace catena::app {

struct BenchArguments {
  std::string name;
  int links = 1000;
  std::string joint;  // linear: the mechanism; empty: hinge, or stiff where steps are taken
  std::string step;   // linear: integrator whose steps are taken; empty: evaluations instead
  std::string formulation = "maximal";  // linear: of the mechanism
  std::string method;                   // response: one of them, or empty for all
  int repeats = 20;
  std::string svg;    // folder for plots; empty: none
  std::string chain;  // payload: only this one of the chains; empty: all
  std::string tree;   // speed: only this one of the trees; empty: all
  std::string peers;  // payload, speed: folder of the peer programs, "none", or empty for the build's
  std::string python = "python3";  // payload: runs the one of MuJoCo
  bool json = false;
};

/// One entry of a table: what people read and what programs read.
struct Cell {
  std::string text;
  std::variant<std::string, int, double> value;
};
Cell cell(std::string text);
Cell cell(int value);
Cell cell(double value, const char* format = "{:.3g}");
Cell cell_seconds(double seconds);

class BenchReport {
 public:
  explicit BenchReport(std::string name) : name_(std::move(name)) {}

  void section(const std::string& key, const std::string& title);
  void note(const std::string& text);
  void table(const std::string& key, const std::vector<std::string>& heading,
             const std::vector<std::vector<Cell>>& rows);
  /// A figure that must hold; the bench fails when it does not.
  void check(bool holds, const std::string& what);
  /// Writes a plot to the folder asked for, if any.
  void plot(const BenchArguments& arguments, const std::string& file, const Plot& plot);

  bool holds() const;
  std::string text() const;
  std::string json() const;

 private:
  struct NamedTable {
    std::string key;
    std::vector<std::string> heading;
    std::vector<std::vector<Cell>> rows;
  };
  struct Check {
    bool holds;
    std::string what;
  };
  struct Section {
    std::string key, title;
    std::vector<std::variant<std::string, NamedTable, Check>> items;  // in the order they came
  };
  std::string name_;
  std::vector<Section> sections_;
};

/// Shortest time of `repeats` evaluations, each from the numbers of a state to accelerations and multipliers.   s
double time_evaluation(Simulation& sim, int repeats);

void bench_loops(const BenchArguments& arguments, BenchReport& report);
void bench_response(const BenchArguments& arguments, BenchReport& report);
void bench_linear(const BenchArguments& arguments, BenchReport& report);
void bench_speed(const BenchArguments& arguments, BenchReport& report);
void bench_baraff(const BenchArguments& arguments, BenchReport& report);
void bench_witkin(const BenchArguments& arguments, BenchReport& report);
void bench_payload(const BenchArguments& arguments, BenchReport& report);
void bench_hernandez(const BenchArguments& arguments, BenchReport& report);
/// A part of bench_hernandez: springs as compliant rows, as blocks between bodies, and densely.
void compare_stiff_forms(const BenchArguments& arguments, BenchReport& report);

}  // namespace catena::app
