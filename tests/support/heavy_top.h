// A heavy symmetric top on a ball joint, tilted by half a radian.
#pragma once

#include "catena/catena.h"

namespace catena::test {

inline Model heavy_top(double spin) {
  Model model;
  const Quat tilt(Eigen::AngleAxisd(0.5, Vec3::UnitY()));
  const BodyId body = model.add("top", std::make_shared<Rigid>(1.0, Vec3(0.02, 0.02, 0.01)),
                                {.position = tilt * Vec3(0, 0, 0.1),
                                 .orientation = tilt,
                                 .velocity = Vec3::Zero(),
                                 .angular_velocity = tilt * Vec3(0, 0, spin)});
  model.add("tip", ball(model.join(body, world, {0, 0, 0})));
  return model;
}

}  // namespace catena::test
