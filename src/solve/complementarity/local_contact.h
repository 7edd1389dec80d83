// One contact alone, solved exactly: Coulomb's law with W of one cone.
//
// Legend
//   q      rates without the contact's own multipliers, normal first
//   a      how much the tangents resist beyond sticking: r_t = -(A + a)⁻¹ c opposes the slip u_t = -a r_t
//
//   A = W_tt - W_tn W_nt/W_nn,   c = q_t - W_tn q_n/W_nn,   r_n(a) = -(q_n + W_nt r_t(a))/W_nn                                     (1)
//   f(a) = |r_t(a)| - μ r_n(a):   sticks with a = 0 where f(0) ≤ 0, slips with the root of f elsewhere; open where q_n ≥ 0             (2)
//
// f < 0 for a → ∞, so that the root is always bracketed; found in z = 1/(1 + a/s) ∈ (0, 1] by the Illinois rule, halved every fourth step.
#pragma once

#include "solve/complementarity/problem.h"

namespace catena::solve::complementarity {

/// @param W  3 × 3, column-major; with one tangent the last row and column are not read
/// @param r  the answer; left alone and false where the normal does not answer to its multiplier (W_nn ≤ 0)
bool solve_contact(int size, double friction, const double* W, const double* q, double* r);

}  // namespace catena::solve::complementarity
