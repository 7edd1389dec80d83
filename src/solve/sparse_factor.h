// Numbers of the block factor H = L D Lᵀ and solves with it.
//
// Legend
//   panel    columns of one or several nodes: on top the unit lower triangle L, below the rest of L; D apart
//   D        diagonal; positive for bodies, negative for constraints. Its inverse is stored, 0 for dropped rows
//   E        L D of a panel: what is left of the matrix when the columns to the left are gone
//
// A row of a constraint whose pivot, relative to the row's own diagonal entry of J M⁻¹ Jᵀ + S, is below `drop` is implied by
// the rows before it: its pivot counts as infinite, its multiplier is 0.
//
// Inside a constraint the row with the largest relative pivot goes first where the next one in line has little of its own left. The row that
// is dropped is then the one that the dependency has most of. Taken as they come, a dependency along n of which the last row has a part nᵢ
// leaves a pivot of nᵢ² before it: rounding and the multipliers grow by 1/nᵢ² and 1/nᵢ, once more with every constraint of a long bridge.
#pragma once

#include "solve/sparse_structure.h"

#include <algorithm>

namespace catena::solve {

class SparseFactor {
 public:
  void resize(const SparseStructure& structure);

  /// Values of H, to be filled before factor(): zero, then the blocks at SparseStructure::block (lower triangles only).
  std::vector<double>& values() { return values_; }
  const std::vector<double>& values() const { return values_; }

  /// @param scale  per entry in permuted order: what a pivot is compared with
  /// @param drop   relative size below which a constraint's pivot counts as zero
  /// @param forced per entry: 0, or what to do with that row whatever its pivot: < 0 drop it, > 0 keep it with this pivot
  /// @return -1, or the position of a body whose pivot is not positive
  int factor(const SparseStructure& s, const std::vector<double>& scale, double drop,
             const std::vector<double>& forced);

  /// z ← H⁻¹ z, in permuted order, for LANES right-hand sides beside each other (entry by entry): 1 or 4.
  template <int LANES = 1>
  void solve(const SparseStructure& s, double* z) const {
    forward<LANES>(s, z);
    backward<LANES>(s, z);
  }
  /// Its halves: z ← L⁻¹ z, and z ← L⁻ᵀ D⁻¹ z; in between the rows of a constraint are in the order of its pivots.
  template <int LANES = 1>
  void forward(const SparseStructure& s, double* z) const;
  template <int LANES = 1>
  void backward(const SparseStructure& s, double* z) const;
  /// One panel of forward() and of backward() (there without D), for right-hand sides with few entries.
  template <int LANES = 1>
  void forward_panel(const SparseStructure& s, int panel, double* z) const;
  template <int LANES = 1>
  void backward_panel(const SparseStructure& s, int panel, double* z) const;

  /// Entries (permuted) of the rows dropped by the last factor(), ascending.
  const std::vector<int>& dropped() const { return dropped_; }
  /// A row whose relative pivot, kept or dropped, lies where rounding may have made it.
  struct Doubt {
    int entry = 0;
    double pivot = 0.0;
  };
  /// In the order of elimination.
  const std::vector<Doubt>& doubtful() const { return doubtful_; }
  static constexpr double kLargestDoubt = 1e-5, kSmallestDoubt = 2e-15;
  bool is_dropped(int entry) const { return std::binary_search(dropped_.begin(), dropped_.end(), entry); }
  double smallest_kept_pivot() const { return smallest_kept_; }
  int smallest_kept_entry() const { return smallest_kept_entry_; }  // -1: none

  /// Of the entry that forward() leaves there.
  double inverse_pivot(int entry) const { return inverse_[entry]; }

 private:
  template <int W>
  bool eliminate(const SparseStructure& s, const Panel& panel, const std::vector<double>& scale, double drop);
  bool factor_body(const PanelNode& node, double* diagonal, int stride);
  bool factor_constraint(const SparseStructure& s, const Panel& panel, const PanelNode& node,
                         const std::vector<double>& scale, double drop);
  int largest_pivot(const PanelNode& node, const double* A, int stride, const std::vector<double>& scale,
                    int j) const;
  void take_rows_in_line();
  void swap_rows(const SparseStructure& s, const Panel& panel, const PanelNode& node, int j, int k);
  template <int LANES>
  void order_rows(const Panel& panel, double* z) const;
  template <int LANES>
  void restore_rows(const Panel& panel, double* z) const;
  void subtract_products(const SparseStructure& s, const Panel& panel);

  std::vector<double> values_, inverse_;
  std::vector<double> E_, product_;  // scratch: below × width, below × below
  std::vector<int> dropped_;
  std::vector<Doubt> doubtful_;
  std::vector<int> source_;   // per entry: the one whose row is eliminated there
  std::vector<int> swapped_;  // per entry: the one of its node that it changed places with, or itself
  std::vector<char> has_swapped_rows_;  // per panel
  bool is_reordered_ = false;           // some have
  const double* forced_ = nullptr;      // during factor()
  double smallest_kept_ = 0.0;
  int smallest_kept_entry_ = -1;
};

}  // namespace catena::solve
