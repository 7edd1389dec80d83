// Things by the group they belong to, in their order: counted, then distributed. O(things + groups); the storage is kept.
#pragma once

#include <span>
#include <vector>

namespace catena::solve {

class Grouping {
 public:
  /// @param for_each  called twice with a function (group, thing), which it calls for all things; one may be in several groups
  template <class ForEach>
  void build(int groups, ForEach for_each) {
    begin_.assign(std::size_t(groups) + 2, 0);
    for_each([&](int group, int /*thing*/) { ++begin_[std::size_t(group) + 2]; });
    for (std::size_t k = 2; k < begin_.size(); ++k) begin_[k] += begin_[k - 1];
    things_.resize(std::size_t(begin_.back()));
    for_each([&](int group, int thing) { things_[std::size_t(begin_[std::size_t(group) + 1]++)] = thing; });
  }

  int num_groups() const { return int(begin_.size()) - 2; }
  std::span<const int> operator[](int group) const {
    return {things_.data() + begin_[std::size_t(group)], things_.data() + begin_[std::size_t(group) + 1]};
  }

 private:
  std::vector<int> begin_ = {0, 0};  // of each group, and one more
  std::vector<int> things_;
};

}  // namespace catena::solve
