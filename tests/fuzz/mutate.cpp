#include "fuzz/mutate.h"

#include <algorithm>
#include <utility>

namespace catena::fuzz {
namespace {

constexpr std::size_t kLongest = 20'000;  // bytes of a mutated seed
constexpr const char* kEdgeNumbers[] = {"0",           "-1",  "1e308", "-1e308", "1e-308",  "1e30",
                                        "1e-30",       "nan", "inf",   "1e9",    "0.5",     "2147483648",
                                        "-2147483649", "3",   "1e400", "1/0",    "65536",   "1e-12",
                                        "7",           "360", "1e16",  "-0",     "2000000", "1.7e5"};

bool is_of_number(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == 'e';
}

/// Where the line begins in which a byte stands, and where it ends.
std::pair<std::size_t, std::size_t> line_at(const std::string& text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  return {before == std::string::npos ? 0 : before + 1, std::min(text.find('\n', at), text.size())};
}

}  // namespace

Mutator::Mutator(unsigned seed, std::vector<std::string> seeds, std::vector<std::string> words)
    : random_(seed), seeds_(std::move(seeds)), words_(std::move(words)) {}

std::string Mutator::next() {
  return changed(any(seeds_), kLongest);
}

std::string Mutator::changed(std::string text, std::size_t longest) {
  for (std::size_t left = 1 + below(4); left > 0; --left) change(text);
  if (text.size() > longest) text.resize(longest);
  return text;
}

void Mutator::change(std::string& text) {
  switch (below(6)) {
    case 0:
      return change_bytes(text);
    case 1:
      return change_lines(text);
    case 2:
    case 3:
      return change_number(text);
    case 4:
      return insert_word(text);
    default:
      return mix(text);
  }
}

void Mutator::change_bytes(std::string& text) {
  if (text.empty()) return;
  const std::size_t at = below(text.size()), count = 1 + below(std::min<std::size_t>(8, text.size() - at));
  switch (below(4)) {
    case 0:
      text[at] = char(random_());
      break;
    case 1:
      text[at] = char(text[at] ^ (1 << below(8)));
      break;
    case 2:
      text.erase(at, count);
      break;
    default:
      text.insert(below(text.size()), text.substr(at, count));
  }
}

void Mutator::change_lines(std::string& text) {
  const auto [begin, end] = line_at(text, below(text.size()));
  const std::string line = text.substr(begin, end - begin) + "\n";
  switch (below(3)) {
    case 0:
      text.erase(begin, std::min(line.size(), text.size() - begin));
      break;
    case 1:
      text.insert(line_at(text, below(text.size())).first, line);
      break;
    default:
      text.resize(end);
  }
}

void Mutator::change_number(std::string& text) {
  const std::size_t from = below(text.size());
  const auto first = std::find_if(text.begin() + std::ptrdiff_t(from), text.end(), is_of_number);
  const auto last = std::find_if_not(first, text.end(), is_of_number);
  const char* number = kEdgeNumbers[below(std::size(kEdgeNumbers))];
  text.replace(first, last, number);
}

void Mutator::insert_word(std::string& text) {
  if (words_.empty()) return change_bytes(text);
  const std::size_t at = below(text.size() + 1);
  text.replace(at, below(2) == 0 ? 0 : std::min<std::size_t>(below(12), text.size() - at), any(words_));
}

void Mutator::mix(std::string& text) {
  const std::string& other = any(seeds_);
  if (other.empty()) return;
  const std::size_t from = below(other.size()),
                    count = 1 + below(std::min<std::size_t>(200, other.size() - from));
  const std::size_t at = below(text.size() + 1);
  text.replace(at, std::min(below(count + 1), text.size() - at), other.substr(from, count));
}

}  // namespace catena::fuzz
