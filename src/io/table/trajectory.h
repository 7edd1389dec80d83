// What the files of trajectories have in common, whatever their format.
#pragma once

#include "catena/math.h"

namespace catena::io {

/// Angle of a planar body about z, in [-π, π].
double planar_angle(const Quat& turn);

}  // namespace catena::io
