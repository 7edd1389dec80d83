// Inputs nobody meant, from inputs somebody did: bytes and lines cut out, repeated and mixed, words of the format and numbers at the edges.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace catena::fuzz {

class Mutator {
 public:
  Mutator(unsigned seed, std::vector<std::string> seeds, std::vector<std::string> words);

  /// One of the seeds with a few changes.
  std::string next();
  /// The same of a given input, at most `longest` bytes.
  std::string changed(std::string text, std::size_t longest);

 private:
  void change(std::string& text);
  void change_bytes(std::string& text);
  void change_lines(std::string& text);
  void change_number(std::string& text);
  void insert_word(std::string& text);
  void mix(std::string& text);
  std::size_t below(std::size_t count) { return count == 0 ? 0 : std::size_t(random_() % count); }
  const std::string& any(const std::vector<std::string>& list) { return list[below(list.size())]; }

  std::mt19937 random_;
  std::vector<std::string> seeds_, words_;
};

}  // namespace catena::fuzz
