// What Body::pack refuses, shared by the kinds.
#pragma once

#include "catena/bodies.h"

#include <string>

namespace catena {

/// Not finite, too large, or a quaternion that is far from unit length; empty when all is well.
std::string check_placement(const Placement& placement);
/// Motion out of the plane z = 0.
std::string check_in_plane(const Placement& placement);
/// An orientation or a rotation that a particle cannot have.
std::string check_no_rotation(const Placement& placement);

}  // namespace catena
