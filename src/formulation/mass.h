// Mass blocks of all bodies in world axes.   O(bodies)
#pragma once

#include "formulation/kinematics.h"
#include "math/small_matrix_kernel.h"

namespace catena {

/// R I Rᵀ, columns STRIDE apart. By hand: Eigen's product of 3 × 3 matrices costs twice as much.
template <int STRIDE>
inline void write_inertia(const Mat3& R, const Mat3& I, double* out) {
  CATENA_UNROLL
  for (int j = 0; j < 3; ++j) {
    const double *c0 = R.data(), *c1 = c0 + 3, *c2 = c0 + 6;  // columns of R
    const double RI[3] = {c0[j] * I(0, 0) + c1[j] * I(1, 0) + c2[j] * I(2, 0),
                          c0[j] * I(0, 1) + c1[j] * I(1, 1) + c2[j] * I(2, 1),
                          c0[j] * I(0, 2) + c1[j] * I(1, 2) + c2[j] * I(2, 2)};
    CATENA_UNROLL
    for (int k = 0; k <= j; ++k)
      out[j + STRIDE * k] = out[k + STRIDE * j] = RI[0] * c0[k] + RI[1] * c1[k] + RI[2] * c2[k];
  }
}

/// Blocks at BodySlot::M, num_v × num_v, column-major. The entries of rigid bodies that never change are written by write_constant_mass.
void update_mass(const Layout& layout, const VecX& q, const Kinematics& kinematics, VecX& M);
void write_constant_mass(const Layout& layout, VecX& M);

/// Mass of velocity k of a body whose mass block is constant and diagonal: planar bodies and particles.
inline double diagonal_mass(const BodySlot& slot, int k) {
  return slot.type == BodyType::planar && k == 2 ? slot.planar_inertia : slot.mass;
}

/// First velocity of a body that is an angular one; num_v where there is none of its own.
inline int first_angular(const BodySlot& slot) {
  return slot.type == BodyType::rigid ? 3 : slot.type == BodyType::planar ? 2 : slot.num_v;
}

/// ½ vᵀM v of one body.   J
double kinetic_energy(const BodySlot& slot, const double* M, const double* v);

}  // namespace catena
