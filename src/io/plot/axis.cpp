// Ticks at 1, 2 or 5 times a power of ten; decades (and 2, 5 when there are few) on logarithmic axes.
#include "io/plot/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

/// Smallest of 1, 2, 5 × 10^k that is at least `rough`.
double round_step(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (double m : {1.0, 2.0, 5.0})
    if (m * power >= rough * (1 - 1e-9)) return m * power;
  return 10.0 * power;
}

void label_linear_ticks(PlotAxis& axis, double step) {
  // One common power of ten is taken out of large and small numbers, so that labels stay short.
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  const int exponent = int(std::floor(std::log10(largest)));
  const bool scaled = exponent >= 5 || exponent <= -3;
  const int common = scaled ? 3 * int(std::floor(exponent / 3.0)) : 0;
  const double unit = std::pow(10.0, common);
  if (common != 0) axis.factor = "×" + power_of_ten(common);

  const int decimals = std::max(0, int(std::ceil(-std::log10(step / unit) - 1e-9)));
  const auto first = std::llround(std::ceil(axis.low / step - 1e-9));
  const auto last = std::llround(std::floor(axis.high / step + 1e-9));
  for (auto k = first; k <= last; ++k) {
    const double value = double(k) * step;
    const char* sign = value < 0 ? "−" : "";
    axis.ticks.push_back(
        {value, fmt::format("{}{:.{}f}", sign, std::abs(value / unit), std::min(decimals, 12))});
  }
}

PlotAxis make_log_axis(double low, double high, int num_ticks) {
  PlotAxis axis;
  axis.log = true;
  int first = int(std::floor(std::log10(low) + 1e-9));
  int last = int(std::ceil(std::log10(high) - 1e-9));
  if (first == last) ++last;
  axis.low = std::pow(10.0, first);
  axis.high = std::pow(10.0, last);
  const int stride = std::max(1, (last - first + num_ticks - 1) / num_ticks);
  for (int k = first; k <= last; ++k) {
    const double decade = std::pow(10.0, k);
    axis.ticks.push_back({decade, (k - first) % stride == 0 ? power_of_ten(k) : std::string()});
    if (stride > 1 || k == last) continue;
    for (int m = 2; m < 10; ++m)
      axis.ticks.push_back({m * decade, last - first <= 2 && (m == 2 || m == 5)
                                            ? fmt::format("{}·{}", m, power_of_ten(k))
                                            : std::string()});
  }
  return axis;
}

}  // namespace

double PlotAxis::fraction(double value) const {
  if (!log) return (value - low) / (high - low);
  return std::log(std::max(value, low) / low) / std::log(high / low);
}

std::string power_of_ten(int exponent) {
  static const char* const kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "10⁻" : "10";
  for (char digit : std::to_string(std::abs(exponent))) out += kDigits[digit - '0'];
  return out;
}

PlotAxis make_axis_for_range(double low, double high, int num_ticks) {
  PlotAxis axis;
  axis.low = low;
  axis.high = high;
  label_linear_ticks(axis, round_step((high - low) / num_ticks));
  return axis;
}

PlotAxis make_axis(std::span<const double> values, bool log, int num_ticks, double margin) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (double value : values) {
    if (!std::isfinite(value) || (log && value < 1e-300)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) low = log ? 1e-1 : 0.0, high = 1.0;  // nothing to show: an empty frame
  if (log) return make_log_axis(low, high, num_ticks);

  // A constant has no extent: give it one that its own digits can still resolve.
  if (high - low <= 1e-12 * std::max(std::abs(low), std::abs(high))) {
    const double half = low == 0.0 ? 1.0 : 0.1 * std::abs(low);
    low -= half;
    high += half;
  }
  const double room = margin * (high - low);
  if (low != 0.0) low -= room;  // what starts at zero stands on the axis
  high += room;
  const double step = round_step((high - low) / num_ticks);
  return make_axis_for_range(std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step,
                             num_ticks);
}

}  // namespace catena
