// Explicit form of a lower pair: the free directions N and the dual basis B of its rows (solve/problem.h, eq. 3).
//
// Rows of a lower pair, for the body whose lever to the joint is r:
//   linear   n_i·(v + ω × r),      angular   g_j·ω                                                           (1)
// Completing {g_j} to a basis of space gives dual vectors γ_j (g_i·γ_j = δ_ij) and free directions φ (g_j·φ = 0); likewise
// ν_i and the free directions u for {n_i}. Then, exactly and whatever the drift of the joint,
//   B: (ν_i ; 0), (r × γ_j ; γ_j)        N: (u ; 0), (r × φ ; φ)                                              (2)
#pragma once

#include "catena/constraint.h"
#include "solve/problem.h"

namespace catena::maximal {

/// @param G      rows of marker a, (linear + angular) × 6, row-major
/// @param sign   +1 when the body carries marker a, -1 when it carries marker b
/// @param r      lever of the body to the point where the linear rows act
/// @param l      T x_p = (v_p - l × ω_p ; ω_p)
void compute_explicit_form(const LowerPair& pair, const double* G, double sign, const Vec3& r, const Vec3& l,
                           solve::Pair& out);

}  // namespace catena::maximal
