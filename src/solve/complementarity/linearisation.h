// Equations of Alart and Curnier, or of the natural map, of one block and their derivatives: (1), (2) and (4) of newton.h.
//
// Legend (of natural maps)
//   D      derivative of the projection at y = x - ũ
//   σ      u_t/|u_t|
//
//   ∂F/∂x = 1 - D,    ∂F/∂u = D (1 + μ e_n σᵀ)                                                                                 (1)
#pragma once

#include "solve/complementarity/natural_map.h"

namespace catena::solve::complementarity {

struct Linearised {
  Eigen::Vector3d F = Eigen::Vector3d::Zero();
  Eigen::Matrix3d A = Eigen::Matrix3d::Zero(), B = Eigen::Matrix3d::Zero();  // ∂F/∂u, ∂F/∂x within the block
  double load[3] = {};                                                       // ∂F/∂x_L of a dependent row
};

/// The block at x and u, vectors of all rows.
Linearised linearise(const Block& b, const double* x, const double* u, bool natural);

}  // namespace catena::solve::complementarity
