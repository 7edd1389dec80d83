// How many rows of a structure can depend on others, and how far the error of rows is believed therefore.
//
// Where joints are open by δ (Problem::row_error) rows that imply each other look independent: a pivot that should be 0 has the size δ². A
// threshold that follows δ finds them, but it takes rows that are independent and weak (a light body between heavy ones, a lever of a
// millimetre) for dependent ones too. Opening can only hide dependencies: the rank of a closed mechanism is the same wherever it moves, but for
// singular positions, where it is less. The number of redundant rows found where the structure was closed is therefore the most that there
// can be, and where a threshold drops more it is lowered.
#pragma once

#include <limits>

namespace catena::solve {

class KnownRedundancy {
 public:
  /// A new structure.
  void forget() { *this = {}; }

  /// To be told of every factor, how many rows it dropped, -1: failed. The first one after forget() counts, so that all that follow are
  /// functions of their own numbers; it says nothing where it was made at an open position.
  void note(double row_error, int dropped) {
    if (is_noted_) return;
    is_noted_ = true;
    if (is_closed(row_error) && dropped >= 0) most_ = dropped;
  }
  static bool is_closed(double row_error) { return row_error <= kClosed; }
  /// The first factor need not tell: rows are independent by other means (independent_rows.h).
  void note_proof() {
    is_noted_ = true;
    most_ = 0;
  }

  bool is_full_rank() const { return most_ == 0; }
  bool is_known() const { return most_ != kUnknown; }
  /// Whether there were more than that.
  bool has_missed(int dropped) const { return is_known() && dropped < most_; }

  /// Calls `attempt(δ)`, which factors and returns how many rows it dropped, or -1 where it failed, with as much of the error as explains what
  /// is known: all of it, or as little as it takes to drop no more rows than can be redundant. Below `least` δ does nothing.
  template <typename Attempt>
  void factor(double row_error, double least, const Attempt& attempt) const {
    double error = is_full_rank() ? 0.0 : row_error, before = error;
    int dropped = attempt(error);
    const bool is_too_much = dropped > most_;
    while (dropped > most_ && error > least) {
      before = error;
      error *= kLess;
      dropped = attempt(error);
    }
    // to miss a redundant row would lock the mechanism: then a weak one has to go as well
    if (is_too_much && dropped >= 0 && dropped < most_) (void)attempt(before);
  }

 private:
  static constexpr int kUnknown = std::numeric_limits<int>::max();
  static constexpr double kClosed = 1e-8;  // δ up to which pivots of redundant rows look like rounding
  static constexpr double kLess = 0.1;     // of δ is believed next
  int most_ = kUnknown;
  bool is_noted_ = false;
};

}  // namespace catena::solve
