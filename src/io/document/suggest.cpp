// Edit distances for "did you mean"; quadratic in the length of names, linear in their number.
#include "io/document/suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace catena::io {

std::string shorten(std::string_view text, std::size_t length) {
  std::string out;
  for (const char c : text.substr(0, length)) out += (c >= 0 && c < ' ') || c == 127 ? ' ' : c;
  if (text.size() > length) {
    while (!out.empty() && (out.back() & 0xC0) == 0x80) out.pop_back();  // never cut a UTF-8 character in two
    if (!out.empty() && (out.back() & 0x80) != 0) out.pop_back();
    out += "…";
  }
  return out;
}

namespace {

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours.
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = int(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = int(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substitute = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, substitute});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::string suggest(std::string_view word, std::span<const std::string_view> known, std::string_view what) {
  constexpr std::size_t kLongest =
      64;  // nobody misspells longer names by a letter, and the distance is quadratic
  constexpr std::size_t kListed = 24;
  std::string_view best;
  // a third of the letters may be wrong, two of a short word, and never all of them
  const int length = int(std::min(word.size(), kLongest));
  int best_distance = std::min(length, 1 + (length < 4 ? 1 : std::max(2, length / 3)));
  if (word.size() <= kLongest) {
    for (const std::string_view name : known) {
      if (name.size() > kLongest) continue;
      const int distance = edit_distance(word, name);
      if (distance < best_distance) {
        best = name;
        best_distance = distance;
      }
    }
  }
  if (!best.empty()) return fmt::format("did you mean '{}'?", best);
  if (known.empty()) return fmt::format("there are no {}", what);
  const std::size_t listed = std::min(known.size(), kListed);
  std::string names;
  for (const std::string_view name : known.first(listed))
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  return fmt::format("{}: {}{}", what, names,
                     known.size() > listed ? fmt::format(" and {} more", known.size() - listed) : "");
}

}  // namespace catena::io
