#include "solve/complementarity/problem.h"

#include <algorithm>
#include <cassert>

namespace catena::solve::complementarity {

void Rows::clear() {
  blocks_.clear();
  compliance_.clear();
}

int Rows::add(Block block) {
  block.row = size();
  blocks_.push_back(block);
  for (int i = 0; i < block.size; ++i) compliance_.push_back(0.0);
  return block.row;
}

int Rows::add_box(double lower, double upper) {
  assert(lower <= upper);
  return add({.lower = lower, .upper = upper});
}

int Rows::add_cone(double friction, int tangents) {
  assert(friction >= 0.0 && (tangents == 1 || tangents == 2));
  return add({.kind = Kind::cone, .size = 1 + tangents, .friction = {friction, friction}});
}

int Rows::add_elliptic_cone(double friction_1, double friction_2) {
  assert(friction_1 >= 0.0 && friction_2 >= 0.0);
  return add({.kind = Kind::cone, .size = 3, .friction = {friction_1, friction_2}});
}

int Rows::add_dependent(double friction, int load_row, int load_size) {
  assert(friction >= 0.0 && load_row >= 0 && load_size >= 1 && load_size <= 3 &&
         load_row + load_size <= size());
  Block block{.kind = Kind::dependent, .load_row = load_row, .load_size = load_size};
  std::fill_n(block.load_weight.begin(), load_size, friction);
  return add(block);
}

void Rows::set_compliance(int row, double value) {
  assert(value >= 0.0);
  compliance_[std::size_t(row)] = value;
}

}  // namespace catena::solve::complementarity
