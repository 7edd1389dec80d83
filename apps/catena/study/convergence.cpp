// Differences, observed orders and extrapolation (convergence.h has the equations).
#include "study/convergence.h"

#include "shared/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace catena::app {
namespace {

constexpr double kRounding = 1e-10;  // position iterations stop at 1e-11 of the model's size
constexpr double kNoOrder = 0.5;     // below this, halving the step hardly helps

/// Size of a quantity with this unit in a scene of length L, energy E and mass M; 0 when not known.
double size_of_unit(const std::string& unit, const LevelSamples& scene) {
  const double L = scene.length, E = scene.energy, M = scene.mass;
  const double V = M > 0 ? std::sqrt(2.0 * E / M) : 0.0;
  const double turn = L > 0 ? V / L : 0.0, force = L > 0 ? E / L : 0.0;
  const std::pair<const char*, double> sizes[] = {
      {"m", L},     {"m or rad", L}, {"rad", 1.0},    {"m/s", V},        {"rad/s", turn},       {"J", E},
      {"N", force}, {"N·m", E},      {"W", E * turn}, {"kg·m/s", M * V}, {"kg·m²/s", M * V * L}};
  for (const auto& [name, size] : sizes)
    if (unit == name) return size;
  return 0.0;
}

std::string ordinal(double order) {
  static const char* const kNames[] = {"zeroth", "first", "second", "third", "fourth", "fifth", "sixth"};
  const auto index = std::size_t(std::lround(order));
  return index < std::size(kNames) ? std::string(kNames[index]) + " order" : fmt::format("order {}", index);
}

bool is_expected(double order, const Expectation& expected) {
  return expected.order && std::abs(order - *expected.order) <= expected.slack * *expected.order;
}

/// (5); nothing where fewer than two differences tell.
std::optional<double> overall_order(const std::vector<double>& e, double floor, double ratio) {
  const auto most = std::max_element(e.begin(), e.end());
  const auto least = std::find_if(e.rbegin(), e.rend(), [&](double x) { return x > floor; });
  if (least == e.rend() || least.base() - 1 <= most) return std::nullopt;
  return std::log(*most / *least) / (double(least.base() - 1 - most) * std::log(ratio));
}

/// What to turn when a level is too coarse.
const char* knob(const Expectation& expected) {
  return expected.parameter == std::string_view("dt") ? "--dt" : expected.parameter;
}

std::string with_unit(double value, const std::string& unit) {
  return fmt::format("{:.2g}{}{}", value, unit.empty() ? "" : " ", unit);
}

}  // namespace

bool is_adaptive(Integrator integrator) {
  return traits(integrator).is_adaptive;
}

Expectation expectation(Integrator integrator) {
  Expectation expected;
  expected.integrator = name(integrator);
  if (is_adaptive(integrator)) {
    // the error follows the tolerance, but only roughly: steps are chosen by an estimate
    expected.order = 1.0;
    expected.ratio = 10.0;
    expected.slack = 0.4;
    expected.parameter = "tolerance";
  } else if (traits(integrator).order > 0) {
    expected.order = traits(integrator).order;
  }
  return expected;
}

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::rounding:
      return "rounding";
    case Outcome::expected:
      return "expected";
    case Outcome::higher:
      return "higher";
    case Outcome::lower:
      return "lower";
    case Outcome::not_converged:
      break;
  }
  return "not-converged";
}

Convergence::Convergence(std::vector<Probe> probes, Expectation expected) : expected_(std::move(expected)) {
  for (Probe& probe : probes) {
    width_ += probe.size;
    studies_.push_back({});
    studies_.back().probe = std::move(probe);
  }
}

/// Component `at` of b less that of a, both numbers of one probe at one instant.
double Convergence::difference(const ProbeStudy& study, std::size_t at, const double* a,
                               const double* b) const {
  const std::string& quantity = study.probe.quantity;
  if (quantity == "angle" || quantity == "joint-angle")  // equal up to whole turns
    return std::remainder(b[at] - a[at], 2.0 * std::numbers::pi);
  if (quantity == "orientation") {  // a quaternion and its negative are one orientation
    double dot = 0.0;
    for (std::size_t i = 0; i < std::size_t(study.probe.size); ++i) dot += a[i] * b[i];
    return b[at] - std::copysign(1.0, dot) * a[at];
  }
  return b[at] - a[at];
}

void Convergence::add(LevelSamples samples) {
  const std::size_t width = std::size_t(width_), instants = width ? samples.values.size() / width : 0;
  std::size_t first = 0;
  for (ProbeStudy& study : studies_) {
    const std::size_t size = std::size_t(study.probe.size);
    double largest = 0.0, scale = size_of_unit(study.probe.unit, samples);
    for (std::size_t i = 0; i < instants; ++i) {
      const double* now = &samples.values[i * width + first];
      for (std::size_t c = 0; c < size; ++c) {
        scale = std::max(scale, std::abs(now[c]));
        if (levels_ > 0)
          largest = std::max(largest, std::abs(difference(study, c, &last_.values[i * width + first], now)));
      }
    }
    study.scale = std::max(study.scale, scale);
    if (levels_ > 0) study.differences.push_back(largest);
    if (instants > 0) {
      const double* end = &samples.values[(instants - 1) * width + first];
      study.value.assign(end, end + size);
    }
    first += size;
  }
  if (levels_ > 0 && instants > 0) {
    last_change_.assign(width, 0.0);
    const std::size_t end = (instants - 1) * width;
    first = 0;
    for (const ProbeStudy& study : studies_)
      for (std::size_t c = 0, at = first; c < std::size_t(study.probe.size); ++c, ++first)
        last_change_[first] = difference(study, c, &last_.values[end + at], &samples.values[end + at]);
  }
  last_ = std::move(samples);
  ++levels_;
}

void Convergence::judge(ProbeStudy& study) const {
  const auto& e = study.differences;
  const double floor = kRounding * study.scale;
  for (std::size_t k = 0; k + 1 < e.size(); ++k) {
    const bool tells = e[k] > floor && e[k + 1] > floor;
    study.orders.push_back(tells ? std::optional(std::log(e[k] / e[k + 1]) / std::log(expected_.ratio))
                                 : std::nullopt);  // (2)
    if (tells) study.order = study.orders.back();
  }
  if (e.empty()) return;
  const bool has_tolerances = expected_.parameter == std::string_view("tolerance");
  if (has_tolerances) study.order = overall_order(e, floor, expected_.ratio);
  if (e.back() <= floor) {
    study.outcome = Outcome::rounding;
    study.error_bar = std::max(e.back(), 1e-13 * study.scale);
    return;
  }
  if (!study.order || *study.order < kNoOrder) {
    if (e.back() > expected_.asked * study.scale) return;
    study.outcome = Outcome::expected;
    study.error_bar = e.back();
    return;
  }
  const double wanted = expected_.order.value_or(*study.order);
  study.outcome = *study.order < wanted * (1.0 - expected_.slack)   ? Outcome::lower
                  : *study.order > wanted * (1.0 + expected_.slack) ? Outcome::higher
                                                                    : Outcome::expected;
  const double gain = std::pow(expected_.ratio, std::min(*study.order, wanted)) - 1.0;
  study.error_bar = e.back() / gain;  // (4)
}

std::vector<ProbeStudy> Convergence::conclude() const {
  std::vector<ProbeStudy> studies = studies_;
  std::size_t first = 0;
  for (ProbeStudy& study : studies) {
    judge(study);
    const bool extrapolates = study.outcome != Outcome::rounding && study.outcome != Outcome::not_converged &&
                              study.order && *study.order >= kNoOrder;
    for (std::size_t c = 0; c < study.value.size(); ++c, ++first)
      if (extrapolates)
        study.value[c] += last_change_[first] * *study.error_bar / study.differences.back();  // (3)
  }
  return studies;
}

Verdict verdict(const std::vector<ProbeStudy>& studies, const Expectation& expected) {
  const auto worst = std::max_element(studies.begin(), studies.end(), [](const auto& a, const auto& b) {
    if (a.outcome != b.outcome) return a.outcome < b.outcome;
    return a.order.value_or(1e9) > b.order.value_or(1e9);
  });
  if (worst == studies.end() || worst->differences.empty())
    return {false, "not converged: fewer than two levels were run to the end, nothing can be compared"};
  const std::string probe = fmt::format("probe '{}'", worst->probe.name);
  const std::string order = worst->order ? fmt::format("{:.2f}", *worst->order) : "unknown";
  switch (worst->outcome) {
    case Outcome::rounding:
      if (!worst->order)
        return {true, "converged: the levels differ by rounding only; a coarser level would do"};
      if (is_expected(*worst->order, expected))
        return {true, fmt::format("{} down to rounding, as {} should", ordinal(*expected.order),
                                  expected.integrator)};
      return {true, fmt::format("converged down to rounding; order {} before that", order)};
    case Outcome::expected:
      if (!expected.order) return {true, fmt::format("converged with order {}", order)};
      if (expected.parameter == std::string_view("tolerance"))
        return {true,
                fmt::format("errors follow the tolerance, as with {} they should", expected.integrator)};
      return {true, fmt::format("{}, as {} should", ordinal(*expected.order), expected.integrator)};
    case Outcome::higher:
      return {true, fmt::format("order {} or better, more than the {:g} of {}", order, *expected.order,
                                expected.integrator)};
    case Outcome::lower:
      return {
          true,
          fmt::format("converging with order {} ({}), less than the {:g} of {}: start from a smaller {}, or "
                      "look for forces that are not smooth",
                      order, probe, *expected.order, expected.integrator, knob(expected))};
    case Outcome::not_converged:
      break;
  }
  return {false,
          fmt::format("not converged: {} still changes by {} between the last two levels, observed order "
                      "{}; start from a smaller {} or give a shorter --time (chaotic motion magnifies "
                      "every error)",
                      probe, with_unit(worst->differences.back(), worst->probe.unit), order, knob(expected))};
}

}  // namespace catena::app
