// Jacobi's rotations, sorted. Eigen's solver does the same work, and takes seconds to compile wherever it is used.
#include "math/principal_axes.h"

#include "math/small_eigen.h"

#include <utility>

namespace catena::math {

PrincipalAxes principal_axes(const Mat3& symmetric) {
  Mat3 diagonal = symmetric;
  PrincipalAxes found;
  find_eigenvectors(3, diagonal.data(), found.axes.data());
  for (int i = 0; i < 3; ++i) found.values[i] = diagonal(i, i);
  for (int i = 0; i < 2; ++i) {
    int least = i;
    for (int j = i + 1; j < 3; ++j)
      if (found.values[j] < found.values[least]) least = j;
    if (least == i) continue;
    std::swap(found.values[i], found.values[least]);
    for (int row = 0; row < 3; ++row) std::swap(found.axes(row, i), found.axes(row, least));
  }
  return found;
}

}  // namespace catena::math
