// The report of a convergence study: a page for people, JSON for programs, a plot.
#include "shared/text.h"
#include "study/converge.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace catena::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxProbesInText = 12, kMaxProbesInPlot = 8;

std::string level_text(const ConvergeResult& result, std::size_t k) {
  const Level& level = result.runs[k].level;
  return level.tolerance ? fmt::format("{:.0e}", *level.tolerance) : seconds_text(level.dt);
}

std::string value_text(const ProbeStudy& study) {
  // as many digits as the error bar leaves, and two more
  const double bar = study.error_bar.value_or(0.0);
  const int decimals = bar > 0 ? std::clamp(2 - int(std::floor(std::log10(bar))), 0, 17) : 6;
  std::string text;
  for (double value : study.value) {
    const bool fixed = std::abs(value) < 1e9 && bar > 1e-15;
    text += (text.empty() ? "" : ", ") +
            (fixed ? fmt::format("{:.{}f}", value, decimals) : fmt::format("{:.10g}", value));
  }
  if (study.value.size() > 1) text = "(" + text + ")";
  text += study.error_bar ? fmt::format(" ± {:.1e}", bar) : ", error unknown";
  return study.probe.unit.empty() ? text : text + " " + study.probe.unit;
}

std::string study_text(const ConvergeResult& result, const ProbeStudy& study) {
  std::string out = fmt::format("  {}: {}{}\n", study.probe.name, study.probe.quantity,
                                study.probe.unit.empty() ? "" : " (" + study.probe.unit + ")");
  Table table({"levels", "difference", "order"});
  for (std::size_t k = 0; k < study.differences.size(); ++k) {
    std::string order;
    if (k > 0) order = study.orders[k - 1] ? fmt::format("{:.2f}", *study.orders[k - 1]) : "rounding";
    table.add({level_text(result, k) + " → " + level_text(result, k + 1),
               fmt::format("{:.3e}", study.differences[k]), order});
  }
  out += table.text(4);
  const bool extrapolated = study.outcome != Outcome::rounding && study.outcome != Outcome::not_converged;
  return out + fmt::format("    at the end{}: {}\n", extrapolated ? ", extrapolated" : "", value_text(study));
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::string converge_text(const std::string& title, const ConvergeResult& result) {
  double wall = 0.0;
  for (const auto& run : result.runs) wall += run.wall_seconds;
  std::string out =
      fmt::format("{}\n  {} levels of {} to t = {:g} s, {}, {}; compared at {} instants; {}\n", title,
                  result.runs.size(), result.expected.parameter, result.time, result.expected.integrator,
                  name(result.choice.solver), result.instants, seconds_text(wall));
  std::vector<ProbeStudy> studies = result.studies;
  const std::size_t all = studies.size();
  if (all > kMaxProbesInText) {  // the worst
    std::stable_sort(studies.begin(), studies.end(), [](const auto& a, const auto& b) {
      if (a.outcome != b.outcome) return a.outcome > b.outcome;
      return a.differences.back() > b.differences.back();
    });
    studies.resize(kMaxProbesInText);
  }
  for (const ProbeStudy& study : studies)
    if (!study.differences.empty()) out += study_text(result, study);
  if (studies.size() < all)
    out += fmt::format("  {} more probes converge at least as well; --json has all\n", all - studies.size());
  for (const std::string& file : result.files) out += fmt::format("  written: {}\n", file);
  return out + result.verdict.text + "\n";
}

std::string converge_json(const std::string& title, const ConvergeResult& result) {
  Json json = {{"scene", title},
               {"status", name(result.status)},
               {"message", result.message},
               {"converged", result.verdict.converged},
               {"verdict", result.verdict.text},
               {"integrator", result.expected.integrator},
               {"solver", name(result.choice.solver)},
               {"parameter", result.expected.parameter},
               {"ratio", result.expected.ratio},
               {"expected_order", optional_json(result.expected.order)},
               {"time", result.time},
               {"instants", result.instants}};
  json["levels"] = Json::array();
  for (const auto& run : result.runs)
    json["levels"].push_back({{"dt", run.level.dt},
                              {"tolerance", optional_json(run.level.tolerance)},
                              {"steps", run.level.steps},
                              {"wall_seconds", run.wall_seconds}});
  json["probes"] = Json::array();
  for (const ProbeStudy& study : result.studies) {
    Json item = {{"name", study.probe.name},
                 {"quantity", study.probe.quantity},
                 {"unit", study.probe.unit},
                 {"outcome", name(study.outcome)},
                 {"differences", study.differences}};
    item["orders"] = Json::array();
    for (const auto& order : study.orders) item["orders"].push_back(optional_json(order));
    item["order"] = optional_json(study.order);
    item["value"] = study.value.size() == 1 ? Json(study.value[0]) : Json(study.value);
    item["error_bar"] = optional_json(study.error_bar);
    json["probes"].push_back(std::move(item));
  }
  json["files"] = result.files;
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Plot converge_plot(const std::string& title, const ConvergeResult& result) {
  Plot plot;
  plot.title = title + ": convergence";
  plot.subtitle = result.verdict.text.substr(0, result.verdict.text.find(':'));
  plot.x_label = result.expected.parameter == std::string_view("dt") ? "dt (s)" : "tolerance";
  plot.y_label = "difference to the next level";
  plot.log_x = plot.log_y = true;
  double smallest = INFINITY;
  for (const ProbeStudy& study : result.studies) {
    if (plot.series.size() == kMaxProbesInPlot) break;
    if (study.differences.empty() || study.differences.front() <= 0.0) continue;
    Series series{study.probe.name + (study.probe.unit.empty() ? "" : " (" + study.probe.unit + ")"),
                  {},
                  {},
                  Series::Style::line_and_markers};
    for (std::size_t k = 0; k < study.differences.size(); ++k) {
      series.x.push_back(result.runs[k].level.size());
      series.y.push_back(study.differences[k] > 0 ? study.differences[k] : NAN);
    }
    if (study.outcome != Outcome::rounding) smallest = std::min(smallest, study.differences.front());
    plot.series.push_back(std::move(series));
  }
  if (result.expected.order && std::isfinite(smallest) && result.runs.size() > 2) {
    Series guide{fmt::format("slope {:g}", *result.expected.order), {}, {}, Series::Style::dashed};
    const double from = result.runs.front().level.size();
    for (std::size_t k = 0; k + 1 < result.runs.size(); ++k) {
      const double at = result.runs[k].level.size();
      guide.x.push_back(at);
      guide.y.push_back(0.5 * smallest * std::pow(at / from, *result.expected.order));
    }
    plot.series.push_back(std::move(guide));
  }
  return plot;
}

}  // namespace catena::app
