// Line plots as SVG: title, legend, axes with round ticks, any number of series. O(points)
//
// Series with more points than pixels are thinned to the smallest and largest value of every pixel column,
// which looks the same and keeps the files small.
#include "catena/output.h"
#include "io/plot/axis.h"
#include "io/plot/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr double kLeft = 84, kRight = 28, kBottom = 62;  // margins           px
constexpr double kLegendLine = 22;                       // height of a line  px

/// Size of the file; paths get a nearly square one.
struct Page {
  double width, height;  // px
};
Page page_of(const Plot& plot) {
  return plot.equal_aspect ? Page{680, 700} : Page{900, 520};
}

struct Frame {
  double x0, y0, x1, y1;  // of the plotting area, y downwards   px
  PlotAxis x, y;
  double px(double value) const { return x0 + (x1 - x0) * x.fraction(value); }
  double py(double value) const { return y1 - (y1 - y0) * y.fraction(value); }
};

std::vector<double> gather(const Plot& plot, std::vector<double> Series::*member) {
  std::vector<double> all;
  for (const Series& series : plot.series)
    all.insert(all.end(), (series.*member).begin(), (series.*member).end());
  return all;
}

/// Widens the axis whose pixels per unit are too many, until both scales agree.
void equalise(Frame& frame) {
  const double scale_x = (frame.x1 - frame.x0) / (frame.x.high - frame.x.low);
  const double scale_y = (frame.y1 - frame.y0) / (frame.y.high - frame.y.low);
  PlotAxis& axis = scale_x > scale_y ? frame.x : frame.y;
  const double ratio = scale_x > scale_y ? scale_x / scale_y : scale_y / scale_x;
  const double middle = 0.5 * (axis.low + axis.high), half = 0.5 * (axis.high - axis.low) * ratio;
  axis = make_axis_for_range(middle - half, middle + half, scale_x > scale_y ? 8 : 6);
}

std::string draw_grid(const Frame& frame) {
  std::string out;
  const auto line = [&](double xa, double ya, double xb, double yb, const char* colour, double width) {
    out += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"{}\"/>\n",
        xa, ya, xb, yb, colour, width);
  };
  for (const Tick& tick : frame.x.ticks) {
    const double x = frame.px(tick.value);
    line(x, frame.y0, x, frame.y1, svg::kGridColour, tick.label.empty() ? 0.4 : 1.0);
    if (!tick.label.empty()) out += svg::text(x, frame.y1 + 20, tick.label, "middle", 13, svg::kFaintInk);
  }
  for (const Tick& tick : frame.y.ticks) {
    const double y = frame.py(tick.value);
    line(frame.x0, y, frame.x1, y, svg::kGridColour, tick.label.empty() ? 0.4 : 1.0);
    if (!tick.label.empty()) out += svg::text(frame.x0 - 9, y + 4.5, tick.label, "end", 13, svg::kFaintInk);
  }
  // a zero line is a landmark; draw it stronger
  if (!frame.y.log && frame.y.low < 0 && frame.y.high > 0)
    line(frame.x0, frame.py(0), frame.x1, frame.py(0), "#b8c2cc", 1.2);
  if (!frame.y.factor.empty())
    out += svg::text(frame.x0 - 9, frame.y0 - 9, frame.y.factor, "end", 13, svg::kFaintInk);
  if (!frame.x.factor.empty())
    out += svg::text(frame.x1, frame.y1 + 38, frame.x.factor, "end", 13, svg::kFaintInk);
  return out;
}

struct Pixel {
  double x, y;
};

/// Points of a series in pixels, in runs that are drawn without interruption.
std::vector<std::vector<Pixel>> to_pixels(const Series& series, const Frame& frame) {
  std::vector<std::vector<Pixel>> runs(1);
  const std::size_t n = std::min(series.x.size(), series.y.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) {
      if (!runs.back().empty()) runs.emplace_back();
      continue;
    }
    runs.back().push_back({frame.px(series.x[i]), frame.py(series.y[i])});
  }
  return runs;
}

/// Keeps first, lowest, highest and last point of every half pixel. Only for curves that go to the right.
std::vector<Pixel> thin(const std::vector<Pixel>& points) {
  if (points.size() < 2000) return points;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i].x < points[i - 1].x) return points;
  std::vector<Pixel> out;
  for (std::size_t begin = 0; begin < points.size();) {
    std::size_t end = begin, low = begin, high = begin;
    for (; end < points.size() && std::floor(2 * points[end].x) == std::floor(2 * points[begin].x); ++end) {
      if (points[end].y < points[low].y) low = end;
      if (points[end].y > points[high].y) high = end;
    }
    std::size_t keep[] = {begin, std::min(low, high), std::max(low, high), end - 1};
    for (int k = 0; k < 4; ++k)
      if (k == 0 || keep[k] != keep[k - 1]) out.push_back(points[keep[k]]);
    begin = end;
  }
  return out;
}

std::string draw_marker(Pixel at, const char* colour) {
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.2\"/>\n", at.x,
      at.y, colour, svg::kPaper);
}

std::string draw_series(const Series& series, const Frame& frame, const char* colour) {
  std::string out;
  const bool line = series.style != Series::Style::markers;
  const bool markers =
      series.style == Series::Style::markers || series.style == Series::Style::line_and_markers;
  for (const auto& run : to_pixels(series, frame)) {
    if (line && run.size() > 1) {
      out += "<polyline points=\"";
      for (const Pixel& p : thin(run)) out += fmt::format("{:.1f},{:.1f} ", p.x, p.y);
      out += fmt::format(
          "\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-linejoin=\"round\" "
          "stroke-linecap=\"round\"{}/>\n",
          colour, series.style == Series::Style::dashed ? " stroke-dasharray=\"7 5\"" : "");
    }
    if (markers || run.size() == 1)
      for (const Pixel& p : run) out += draw_marker(p, colour);
  }
  return out;
}

/// Legend in lines from the left; returns its height.
double draw_legend(const Plot& plot, double right, double top, std::string& out) {
  double x = kLeft, y = top;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    if (series.name.empty()) continue;
    const double width = 34 + svg::text_width(series.name, 13) + 18;
    if (x > kLeft && x + width > right) x = kLeft, y += kLegendLine;
    const char* colour = svg::kPalette[i % svg::kPalette.size()];
    if (series.style != Series::Style::markers)
      out += fmt::format(
          "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
          "stroke-width=\"3\"{}/>\n",
          x, y, x + 24, y, colour, series.style == Series::Style::dashed ? " stroke-dasharray=\"7 5\"" : "");
    if (series.style == Series::Style::markers || series.style == Series::Style::line_and_markers)
      out += draw_marker({x + 12, y}, colour);
    out += svg::text(x + 31, y + 4.5, series.name, "start", 13, svg::kInk);
    x += width;
  }
  return y + kLegendLine - top;
}

}  // namespace

std::string render_plot(const Plot& plot) {
  const Page page = page_of(plot);
  std::string out = svg::open(page.width, page.height, plot.title);
  out += svg::text(kLeft, 32, plot.title, "start", 19, svg::kInk, "font-weight=\"600\"");
  double top = 46;
  if (!plot.subtitle.empty()) {
    out += svg::text(kLeft, top + 7, plot.subtitle, "start", 13, svg::kFaintInk);
    top += 22;
  }
  const bool has_legend =
      std::any_of(plot.series.begin(), plot.series.end(), [](const Series& s) { return !s.name.empty(); });
  if (has_legend) top += draw_legend(plot, page.width - kRight, top + 10, out) + 4;

  Frame frame{kLeft, top + 12, page.width - kRight, page.height - kBottom, {}, {}};
  frame.x = make_axis(gather(plot, &Series::x), plot.log_x, 8, plot.equal_aspect ? 0.03 : 0.0);
  frame.y = make_axis(gather(plot, &Series::y), plot.log_y, 6, plot.equal_aspect ? 0.03 : 0.02);
  if (plot.equal_aspect && !plot.log_x && !plot.log_y) equalise(frame);

  const double width = frame.x1 - frame.x0, height = frame.y1 - frame.y0;
  const std::string area = fmt::format("x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"",
                                       frame.x0, frame.y0, width, height);
  out += fmt::format("<clipPath id=\"area\"><rect {}/></clipPath>\n<rect {} fill=\"{}\"/>\n", area, area,
                     svg::kPaper);
  out += draw_grid(frame);
  out += "<g clip-path=\"url(#area)\">\n";
  for (std::size_t i = 0; i < plot.series.size(); ++i)
    out += draw_series(plot.series[i], frame, svg::kPalette[i % svg::kPalette.size()]);
  out += "</g>\n";
  out += fmt::format("<rect {} fill=\"none\" stroke=\"#c5ced8\" stroke-width=\"1\"/>\n", area);
  out += svg::text(frame.x0 + width / 2, page.height - 16, plot.x_label, "middle", 14, svg::kInk);
  const double middle = frame.y0 + height / 2;
  out += svg::text(22, middle, plot.y_label, "middle", 14, svg::kInk,
                   fmt::format("transform=\"rotate(-90 22 {:.1f})\"", middle));
  return out + "</svg>\n";
}

}  // namespace catena
