// Which rows say the same, and in whose names.
//
// The block-sparse factor drops a row i that the rows before it imply. With a force J_iᵀ on the bodies nothing moves; the
// multipliers that hold it are the other rows' part in the dependency:
//   M x = J_iᵀ + Jᵀλ,  J x = 0   ⇒   x = 0,  Jᵀ(λ + e_i) = 0,   null vector z = λ + e_i                           (1)
// Weights are taken in the mass metric, z_r² (J M⁻¹ Jᵀ)_rr, so that forces and torques compare.
#pragma once

#include "catena/analysis.h"
#include "sim/impl.h"

namespace catena {

struct Redundancy {
  std::vector<int> rows;  // implied by others
  std::vector<Dependency> dependencies;
};

/// At the current state of the simulation; explains at most `max_dependencies` of the rows.
Redundancy find_redundancy(Simulation::Impl& sim, int max_dependencies);

}  // namespace catena
