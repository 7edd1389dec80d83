// The response matrix of response_matrix.h as the literature prints it, on a sparse factor: to compare with.
//
//   literal       k full solves, G column by column
//   solves        the same, four columns at a time
//   rosenthal     G = Y_Aᵀ D⁻¹ Y_K,  Y = L⁻¹ (· ; 0) of H = L D Lᵀ: the backward passes of the literal procedure are not needed
// Reference: Baraff 1996, section 8, and Rosenthal, acknowledged there.
#pragma once

#include "solve/sparse.h"
#include "solve/sparse_rows.h"

namespace catena::solve {

enum class ResponseMethod : std::uint8_t { path, solves, rosenthal, literal };

/// @param K       parallel to A; a row without parts in it acts along A
/// @param method  any but `path`, which is ResponseMatrix
void compute_response_by_solves(const SparseSolver& primary, const SparseRows& A, const SparseRows& K,
                                ResponseMethod method, Eigen::MatrixXd& G);

}  // namespace catena::solve
