// The linear system of one Newton iteration of an implicit step, factored in linear time: problem.h with an unsymmetric M, here D.
//
// D, with one block per body and two per link, contains derivatives that no energy belongs to. Rows with S > 0 are springs.
//
// Elimination: leaves first. A body i with one constraint c left, whose only other body is p, goes together with c and changes nothing
// but the block of p (algorithm of Hernández et al. with the block between a body and the one behind its joint, as LDU):
//   D_i = L U,  X = D_i⁻¹J_iᵀ,  Y = D_i⁻¹D_ip,  Q = J_i X + S,  B₁ = J_p - J_i Y,  B₂ = J_pᵀ - D_pi X
//   D_p ← D_p - D_pi Y + B₂ Q⁻¹ B₁                                                                                 (2)
// Constraints on one body whose rows are all springs go first, into its block: D_i ← D_i + JᵀS⁻¹J.                      (3)
// What is left when there are no leaves (loops, constraints on three bodies) is eliminated block by block in an order of minimum degree.
//
// Pivots are not exchanged; their signs tell whether Newton's method moves towards a minimum (pivot_signs).
// Cost O(n) for trees. Constraints whose forces do not act along their rows are refused.
#pragma once

#include "solve/equality_solver.h"
