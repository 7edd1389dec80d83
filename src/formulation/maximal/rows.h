// From constraints to the rows of the problem: C, C_t, the bias b, the blocks of J and the explicit forms.
//
// Chain rule (Witkin 1997, hybrid models): a constraint gives G per marker, a body gives the marker's J_p and bias,
//   J_body = G [ J_p ; W ],     b = γ + Σ_k G_k (bias_p ; bias_ω).                                             (1)
#pragma once

#include "formulation/maximal/kinematics.h"

namespace catena::maximal {

struct RowArrays {
  VecX C, C_t, bias;         // per row
  std::vector<double> G;     // scratch of one constraint
  std::vector<double> rows;  // scratch: C, C_t, γ of one constraint, where only C is wanted

  explicit RowArrays(const Layout& layout);
};

/// The entries of J and of the explicit forms that never change; once per structure, before the first update_rows.
void write_constant_rows(const Layout& layout, solve::Problem& problem);

/// Whether the bias of the rows is wanted, besides C, C_t and J.
enum class RowParts : std::uint8_t { all, without_bias };
/// Fills C, C_t, bias, problem.J, and problem.pairs where explicit_edge[c] ≥ 0.
void update_rows(const Layout& layout, const Kinematics& kinematics, double t, const VecX& memory,
                 const std::vector<int>& explicit_edge, RowParts parts, RowArrays& rows,
                 solve::Problem& problem);

/// What a constraint is evaluated with.
Motion constraint_motion(const ConstraintSlot& slot, const Kinematics& kinematics, double t,
                         const VecX& memory);

/// (1) for one marker: its block of J from G (rows × 6), and its share of b.
void write_marker_block(const Layout& layout, const MarkerSlot& marker, const MarkerMotion& lever,
                        const OtherMarker& other, int rows, const double* G, VecX& J, double* bias);

/// Only C.
void update_errors(const Layout& layout, const Kinematics& kinematics, double t, const VecX& memory,
                   RowArrays& rows, VecX& C);

/// G of one constraint at the current kinematics, into rows.G; used to read constraint forces in their own axes.
void evaluate_constraint(const ConstraintSlot& slot, const Kinematics& kinematics, double t,
                         const VecX& memory, RowArrays& rows);

}  // namespace catena::maximal
