// Dantzig's method in Baraff's form: rows one after the other, those before kept right while the next is driven. Cost: O(c³) a step of a drive
// with c rows held, n steps or more.
//
// Legend (problem in normal form; a cone counts as its normal and a dependent row for each tangent: friction as a square pyramid)
//   C       rows held, u = 0
//   N       rows at a bound; those at a bound that depends on a load move with it
//   d       the row that is driven: its x moves until u_d = 0 or a bound is met
//
//   W̄_j = W_j + Σ (± weight) W_i   over rows i of N that follow load j                                                             (1)
//   W̄_CC Δx_C = -W̄_Cd Δx_d,     Δu = W̄_:C Δx_C + W̄_:d Δx_d                                                                          (2)
//
// Steps end where a row of C meets a bound (to N), where u of a row of N changes sign (to C), or with the drive. Sure to end where W is
// positive definite and nothing depends on loads; with friction it may cycle or find no step, and then it says so (Baraff 1994, section 6).
// Dependent rows have one row as their load.
#pragma once

#include "solve/complementarity/natural_map.h"
#include "solve/pivoted_lu.h"

namespace catena::solve::complementarity {

class Dantzig {
 public:
  enum class End : std::uint8_t { solved, stuck, most_steps };
  /// x with friction as a pyramid, from nothing; the residual is that of round cones.
  Outcome run(const NormalForm& p, int most_steps, Vector x);
  End end() const { return end_; }

 private:
  enum class State : std::uint8_t { waiting, held, lower, upper };
  struct Row {
    double lower = 0.0, upper = 0.0, weight = 0.0;
    int load = -1;
    State state = State::waiting;
  };
  struct Event {  // what ends a step
    double after = kInfinity;
    int row = -1;
    State state = State::held;
  };

  void set_rows(const NormalForm& p);
  double bound(int row, bool is_upper) const;
  double bound_rate(int row, bool is_upper) const;
  bool settle(int row);
  bool drive(const NormalForm& p, int row, int most_steps);
  void find_rates_of_change(const NormalForm& p, int driven, double direction);
  void add_response(const NormalForm& p, int column, double factor, Vector out);
  Event next_event(int driven) const;
  void see(double distance, double speed, int row, State state, Event& event) const;

  std::vector<Row> rows_;
  std::vector<int> held_;
  Numbers x_, u_, dx_, du_;
  Numbers A_, b_, ones_, column_;
  PivotedLu lu_;
  int steps_ = 0;
  End end_ = End::solved;
};

}  // namespace catena::solve::complementarity
