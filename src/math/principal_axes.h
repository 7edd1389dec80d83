// Principal values and axes of a symmetric 3 × 3 matrix.
#pragma once

#include "catena/math.h"

namespace catena::math {

struct PrincipalAxes {
  Vec3 values;  // ascending
  Mat3 axes;    // columns of unit length, in the order of the values
};

/// Of a finite symmetric matrix. A few hundred operations, for set-up and checks.
PrincipalAxes principal_axes(const Mat3& symmetric);

}  // namespace catena::math
