// Collects everything that is wrong with a scene, each with its place, so that one run shows all errors.
#pragma once

#include "catena/model.h"

#include <string>
#include <vector>

namespace catena::io {

struct Node;

class Diagnostics {
 public:
  static constexpr std::size_t kMaxIssues = 100;  // shown; the others are counted

  void add(const Node& node, std::string what, std::string remedy);
  void add(std::string where, std::string what, std::string remedy);

  std::size_t count() const { return count_; }
  /// Throws InvalidInput when anything was reported.
  void throw_if_any() const;

 private:
  std::vector<Issue> issues_;
  std::size_t count_ = 0;
};

}  // namespace catena::io
