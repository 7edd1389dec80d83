// Reports of benchmarks, as a page and as JSON.
#include "bench/bench.h"
#include "shared/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace catena::app {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Cell& cell) {
  return std::visit([](const auto& value) { return Json(value); }, cell.value);
}

}  // namespace

Cell cell(std::string text) {
  return {text, text};
}

Cell cell(int value) {
  return {std::to_string(value), value};
}

Cell cell(double value, const char* format) {
  return {fmt::format(fmt::runtime(format), value), value};
}

Cell cell_seconds(double seconds) {
  return {seconds_text(seconds), seconds};
}

void BenchReport::section(const std::string& key, const std::string& title) {
  sections_.push_back({key, title, {}});
}

void BenchReport::note(const std::string& text) {
  sections_.back().items.emplace_back(text);
}

void BenchReport::table(const std::string& key, const std::vector<std::string>& heading,
                        const std::vector<std::vector<Cell>>& rows) {
  sections_.back().items.emplace_back(NamedTable{key, heading, rows});
}

void BenchReport::check(bool holds, const std::string& what) {
  sections_.back().items.emplace_back(Check{holds, what});
}

void BenchReport::plot(const BenchArguments& arguments, const std::string& file, const Plot& plot) {
  if (arguments.svg.empty()) return;
  const auto path = std::filesystem::path(arguments.svg) / file;
  write_text(path, render_plot(plot));
  note("plot: " + path.string());
}

bool BenchReport::holds() const {
  bool all = true;
  for (const Section& section : sections_)
    for (const auto& item : section.items)
      if (const auto* check = std::get_if<Check>(&item)) all = all && check->holds;
  return all;
}

std::string BenchReport::text() const {
  std::string out;
  for (const Section& section : sections_) {
    out += (out.empty() ? "" : "\n") + section.title + "\n";
    for (const auto& item : section.items) {
      if (const auto* note = std::get_if<std::string>(&item)) out += "  " + *note + "\n";
      if (const auto* check = std::get_if<Check>(&item))
        out += fmt::format("  {} {}\n", check->holds ? "holds:" : "FAILS:", check->what);
      if (const auto* named = std::get_if<NamedTable>(&item)) {
        Table table(named->heading);
        for (const auto& row : named->rows) {
          std::vector<std::string> texts;
          for (const Cell& cell : row) texts.push_back(cell.text);
          table.add(std::move(texts));
        }
        out += table.text();
      }
    }
  }
  return out;
}

std::string BenchReport::json() const {
  Json json = {{"bench", name_}, {"holds", holds()}, {"sections", Json::object()}, {"checks", Json::array()}};
  for (const Section& section : sections_) {
    Json& to = json["sections"][section.key];
    to["title"] = section.title;
    for (const auto& item : section.items) {
      if (const auto* note = std::get_if<std::string>(&item)) to["notes"].push_back(*note);
      if (const auto* check = std::get_if<Check>(&item))
        json["checks"].push_back({{"section", section.key}, {"what", check->what}, {"holds", check->holds}});
      const auto* named = std::get_if<NamedTable>(&item);
      if (!named) continue;
      Json rows = Json::array();
      for (const auto& row : named->rows) {
        Json object;
        for (std::size_t c = 0; c < row.size(); ++c) object[named->heading[c]] = json_of(row[c]);
        rows.push_back(std::move(object));
      }
      to[named->key] = std::move(rows);
    }
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace catena::app
