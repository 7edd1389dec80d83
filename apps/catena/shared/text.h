// Numbers and tables as people read them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace catena::app {

/// "1.23 ms": three digits and the unit that fits. Zero and negative numbers are fine.
std::string seconds_text(double seconds);
/// "12.3 kJ"
std::string energy_text(double joules);
/// "3.21e-05", "0.0123", "12345": six significant digits at most, no trailing zeros.
std::string number_text(double value);

/// "a, b, c"
std::string joined(std::span<const std::string> words, const char* separator = ", ");

/// A table with aligned columns under a heading. Columns of numbers are aligned to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> heading) { rows_.push_back(std::move(heading)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text(int indent = 2) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// The name that was meant: nearest by letters left out, added, exchanged or swapped, and not too far; empty where none is near.
std::string nearest_name(const std::string& word, std::span<const std::string> names);

/// Length of a text on the screen: characters, not bytes.
std::size_t display_width(const std::string& text);

}  // namespace catena::app
