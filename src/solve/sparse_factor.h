// Numbers of the block factor H = L D Lᵀ and solves with it.
//
// Legend
//   panel    columns of one or several nodes: on top the unit lower triangle L, below the rest of L; D apart
//   D        diagonal; positive for bodies, negative for constraints. Its inverse is stored, 0 for dropped rows
//   E        L D of a panel: what is left of the matrix when the columns to the left are gone
//
// A row of a constraint whose pivot, relative to the row's own diagonal entry of J M⁻¹ Jᵀ + S, is below `drop` is implied by
// the rows before it: its pivot counts as infinite, its multiplier is 0.
#pragma once

#include "solve/sparse_structure.h"

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
  /// Its halves: z ← L⁻¹ z, and z ← L⁻ᵀ D⁻¹ z.
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
  /// Entries whose relative pivot, kept or dropped, lies where rounding may have made it.
  const std::vector<int>& doubtful() const { return doubtful_; }
  static constexpr double kLargestDoubt = 1e-9, kSmallestDoubt = 2e-15;
  bool is_dropped(int entry) const { return inverse_[std::size_t(entry)] == 0.0; }
  double smallest_kept_pivot() const { return smallest_kept_; }

  double inverse_pivot(int entry) const { return inverse_[entry]; }

 private:
  template <int W>
  bool eliminate(const SparseStructure& s, const Panel& panel, const std::vector<double>& scale, double drop);
  bool factor_node(const PanelNode& node, double* diagonal, int stride, const std::vector<double>& scale,
                   double drop);
  void subtract_products(const SparseStructure& s, const Panel& panel);

  std::vector<double> values_, inverse_;
  std::vector<double> E_, product_;  // scratch: below × width, below × below
  std::vector<int> dropped_, doubtful_;
  const double* forced_ = nullptr;  // during factor()
  double smallest_kept_ = 0.0;
};

}  // namespace catena::solve
