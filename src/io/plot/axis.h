// Axes of plots: a range, round tick values and their labels, linear or logarithmic.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace catena {

struct Tick {
  double value = 0.0;
  std::string label;  // empty for minor ticks
};

struct PlotAxis {
  double low = 0.0, high = 1.0;  // ends of the axis, in data units
  bool log = false;
  std::vector<Tick> ticks;
  std::string factor;  // "×10⁶": what the labels are to be multiplied with; empty when nothing

  /// 0 at the low end, 1 at the high end. On a logarithmic axis values below the low end are put there.
  double fraction(double value) const;
};

/// An axis that holds all finite values with round ends and about `num_ticks` ticks. A linear one leaves at
/// least `margin` times the extent of the values free at both ends.
PlotAxis make_axis(std::span<const double> values, bool log, int num_ticks, double margin);
/// The same for a given linear range, which is kept.
PlotAxis make_axis_for_range(double low, double high, int num_ticks);

/// "10⁻⁸"
std::string power_of_ten(int exponent);

}  // namespace catena
