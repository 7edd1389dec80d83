// How fast results converge: differences between runs of ever finer levels, observed order, extrapolation.
//
//   y_k(t)  a quantity at the common instants t of all levels, level k = 0 .. L-1, finest last
//   r       ratio of the levels: 2 for steps that are halved, 10 for tolerances that shrink by a decade
//
//   e_k = max over instants and components |y_{k+1} - y_k|                                                  (1)
//   p_k = log(e_k / e_{k+1}) / log r             observed order                                             (2)
//   y*  = y_{L-1} + (y_{L-1} - y_{L-2}) / (r^p - 1)   at the end, Richardson                                (3)
//   bar = e_{L-2} / (r^p - 1)                    what is left in the finest level by (1) and (2)            (4)
//
//   p   = log(e_m / e_l) / ((l - m) log r)       of adaptive integrators: m has the largest difference,     (5)
//                                                l the last one above rounding
//
// p in (3) and (4) is the last observed order, but never more than the method's own: a lucky order would promise too
// much. An adaptive integrator chooses its steps by an estimate, and where it takes or leaves one step the orders (2) jump by more than
// half: (5) is what tells. Levels before m are those whose steps were as long as the instants allow, whatever the tolerance.
// A last difference below the tolerance of the coarser of its two levels, in parts of the size of the quantity, is all that was asked for.
// The bar belongs to the finest level; the extrapolated value is usually better than that.
// Differences below 1e-10 of the size of the quantity may be rounding and give no order.
#pragma once

#include "catena/catena.h"

#include <optional>
#include <string>
#include <vector>

namespace catena::app {

/// One run of a study: a fixed step, or the tolerance of an integrator that chooses its steps.
struct Level {
  double dt = 0.0;                  // s; with a tolerance, the distance of the instants it must meet
  std::optional<double> tolerance;  // of an adaptive integrator
  long long steps = 1;
  double size() const { return tolerance.value_or(dt); }
};

/// What is known about a method before the study.
struct Expectation {
  std::string integrator;
  std::optional<double> order;  // in the size of the level; nothing when unknown
  double ratio = 2.0;           // r
  double slack = 0.1;           // how far an observed order may be off, relative
  const char* parameter = "dt";
  double asked = 0.0;  // tolerance of the last level but one, whose error the last difference shows
};
Expectation expectation(Integrator integrator);
bool is_adaptive(Integrator integrator);

/// From best to worst.
enum class Outcome : std::uint8_t { rounding, higher, expected, lower, not_converged };
std::string_view name(Outcome outcome);

/// The study of one probe.
struct ProbeStudy {
  Probe probe;
  double scale = 0.0;                         // size of the quantity, for the limit of rounding
  std::vector<double> differences;            // (1), one fewer than levels
  std::vector<std::optional<double>> orders;  // (2), one fewer than differences; nothing near rounding
  std::optional<double> order;                // the last of them, or (5)
  std::vector<double> value;                  // (3); the finest level where there is nothing to extrapolate
  std::optional<double> error_bar;            // (4)
  Outcome outcome = Outcome::not_converged;
};

/// What a level leaves behind.
struct LevelSamples {
  std::vector<double> values;  // all probes at all instants, instant after instant
  // sizes in the scene, from which those of other units follow
  double length = 0, energy = 0, mass = 0;  // m, J, kg
};

class Convergence {
 public:
  Convergence(std::vector<Probe> probes, Expectation expected);
  /// Compares with the level before, which is then forgotten. All levels have the same instants.
  void add(LevelSamples samples);
  /// Orders, values and outcomes of all levels so far.
  std::vector<ProbeStudy> conclude() const;
  int width() const { return width_; }  // numbers per instant

 private:
  double difference(const ProbeStudy& study, std::size_t at, const double* a, const double* b) const;
  void judge(ProbeStudy& study) const;

  Expectation expected_;
  std::vector<ProbeStudy> studies_;
  int width_ = 0;
  LevelSamples last_;
  std::vector<double> last_change_;  // y_k - y_{k-1} at the end, all probes
  int levels_ = 0;
};

/// Whether everything converged, and one line that says so and why.
struct Verdict {
  bool converged = false;
  std::string text;
};
Verdict verdict(const std::vector<ProbeStudy>& studies, const Expectation& expected);

}  // namespace catena::app
