// Numbers and tables as people read them.
#include "shared/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace catena::app {
namespace {

std::string with_prefix(double value, const char* unit, int smallest, int largest) {
  static const char* const kPrefix[] = {"n", "µ", "m", "", "k", "M", "G", "T"};  // 10^-9 to 10^12
  if (value == 0.0 || !std::isfinite(value)) return fmt::format("{:g} {}", value, unit);
  const int exponent =
      std::clamp(int(std::floor(std::log10(std::abs(value)) / 3.0 + 1e-12)), smallest, largest);
  return fmt::format("{:.3g} {}{}", value / std::pow(1000.0, exponent), kPrefix[exponent + 3], unit);
}

/// A number, or a number and a unit.
bool looks_numeric(const std::string& cell) {
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  return end != cell.c_str() && (*end == '\0' || *end == ' ');
}

/// Optimal string alignment: letters added, left out, exchanged, and neighbours swapped.
int misspelling(const std::string& a, const std::string& b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1, 0));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = int(i + j);
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(const std::string& word, std::span<const std::string> names) {
  constexpr std::size_t kLongest = 40;
  if (word.size() > kLongest) return {};
  int best = word.size() < 4 ? 2 : 3;  // not that many letters
  std::string found;
  for (const std::string& name : names)
    if (const int letters = misspelling(word, name); letters < best) {
      best = letters;
      found = name;
    }
  return found;
}

std::string seconds_text(double seconds) {
  return seconds >= 1000 ? fmt::format("{:.0f} s", seconds) : with_prefix(seconds, "s", -3, 0);
}

std::string energy_text(double joules) {
  return with_prefix(joules, "J", std::abs(joules) < 1e-9 ? 0 : -3, 4);
}

std::string number_text(double value) {
  return fmt::format("{:.6g}", value);
}

std::string joined(std::span<const std::string> words, const char* separator) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : separator) + word;
  return all;
}

std::size_t display_width(const std::string& text) {
  return std::size_t(std::count_if(text.begin(), text.end(),
                                   [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string Table::text(int indent) const {
  std::size_t columns = 0;
  for (const auto& row : rows_) columns = std::max(columns, row.size());
  std::vector<std::size_t> width(columns, 0);
  std::vector<bool> numeric(columns, true);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      width[c] = std::max(width[c], display_width(rows_[r][c]));
      if (r > 0 && !rows_[r][c].empty() && !looks_numeric(rows_[r][c])) numeric[c] = false;
    }
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line(std::size_t(indent), ' ');
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string pad(width[c] - display_width(rows_[r][c]), ' ');
      if (c > 0) line += "  ";
      line += numeric[c] ? pad + rows_[r][c] : rows_[r][c] + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r == 0) {
      std::size_t total = 2 * (columns - 1);
      for (std::size_t w : width) total += w;
      out += std::string(std::size_t(indent), ' ');
      for (std::size_t i = 0; i < total; ++i) out += "─";
      out += "\n";
    }
  }
  return out;
}

}  // namespace catena::app
