// Constraints that no joint of the tree holds (loops, gears, rolling, drives, ...) as rows over joint velocities.
//
//   M x = f + K λ,   J x = d                J = J_b A,  K = AᵀK_b,   A: from joints to bodies (body_map.h)                        (1)
//   W = M⁻¹K,  Λ = J W,   Λ λ = d - J M⁻¹f,   x = M⁻¹f + W λ                                                                     (2)
//
// Λ is the operational-space compliance of the rows (Jain). Rows that others imply are dropped, by what they are worth in body coordinates,
// where no joint hides that. Cost: O(rows · links) for J and W, O(rows² · velocities) for Λ, O(rows³) for its factor.
#pragma once

#include "formulation/body_equations.h"
#include "formulation/minimal/dynamics.h"
#include "solve/pivoted_ldlt.h"
#include "solve/pivoted_lu.h"
#include "solve/weakest_pivot.h"

#include <functional>

namespace catena::minimal {

class Closures {
 public:
  Closures(const Structure& structure, const Layout& layout);

  int num_rows() const { return int(rows_.size()); }
  const std::vector<int>& rows() const { return rows_; }  // in the order of the model

  /// J and K, from the rows over the bodies at the evaluated instant.
  void update(const Structure& structure, const solve::Problem& bodies, Workspace& data);
  /// Λ, with W by `solve_mass`, x = M⁻¹f. False: it is not finite.
  bool factor(const solve::Problem& bodies, const std::function<void(const VecX&, VecX&)>& solve_mass);
  /// λ of (2), and x = M⁻¹f, given in x, becomes that of (1). Entries of λ that are not of these rows are zero.
  void solve(const VecX& d, VecX& x, VecX& lambda);

  void apply_J(const VecX& x, VecX& y) const;               // y = J x on these rows, zero elsewhere
  void add_forces(const VecX& lambda, VecX& f) const;       // f += K λ
  double largest_term(const VecX& d, const VecX& x) const;  // of J x - d, with absolute values
  /// Largest acceleration along these rows that the forces on the bodies alone would give, with the diagonal of M_b.
  double free_acceleration(const solve::Problem& bodies, const VecX& f) const;
  const std::vector<int>& dropped() const { return dropped_; }
  /// Of the rows kept; 0, and one of those dropped, where more are than by the first factor: in a singular position.
  const solve::WeakestPivot& weakest() const { return weakest_; }

 private:
  void find_weakest(const std::vector<int>& order, int rank);
  const MatX& directions() const { return is_symmetric_ ? J_ : K_; }

  std::vector<int> rows_, constraint_of_;  // in the order of the model; the constraint of each
  bool is_symmetric_ = true;               // K = Jᵀ
  MatX J_, K_, W_;                         // transposed: a column per row
  MatX Lambda_;
  VecX scale_, weights_, scratch_f_, scratch_x_, direction_, rest_;
  solve::PivotedLdlt positive_;
  solve::PivotedLu general_;
  std::vector<int> dropped_;
  int usually_dropped_ = -1;  // rows, by the first factor
  solve::WeakestPivot weakest_;
};

}  // namespace catena::minimal
