// Blocks of vectors whose size is known to the compiler where it is 6 or 3, the common ones, and at run time otherwise.
#pragma once

#include <Eigen/Core>

#include <type_traits>

namespace catena::solve {

template <int D>
using ConstBlock = Eigen::Map<const Eigen::Array<double, D, 1>>;
template <int D>
using MutableBlock = Eigen::Map<Eigen::Array<double, D, 1>>;
/// A block to sum into: a copy that stays in registers when the size is known, else the block itself. Copy
/// back after.
template <int D>
using Sum = std::conditional_t<D == Eigen::Dynamic, MutableBlock<D>, Eigen::Array<double, D, 1>>;

/// Calls `run` with the dimension as a type: 6 and 3 by name, Eigen::Dynamic for all others.
template <class F>
void with_dimension(int dim, F&& run) {
  if (dim == 6) {
    run(std::integral_constant<int, 6>{});
  } else if (dim == 3) {
    run(std::integral_constant<int, 3>{});
  } else {
    run(std::integral_constant<int, Eigen::Dynamic>{});
  }
}

}  // namespace catena::solve
