// A problem as a linear complementarity problem, cones of friction as pyramids, for Lemke's method.
//
// Legend (problem in normal form)
//   d_k     n_f unit tangents of a cone in opposite pairs; its force is x_t = Σ β_k d_k
//   β, σ    ≥ 0: forces along normal and tangents, and how fast a cone slips
//
//   w_n = u_n,   w_k = d_k·u_t + σ,   w_σ = μ β_n - Σ β_k,      each ⊥ to its own variable                                           (1)
//   interval with two bounds: x = l + β,  w_β = u + σ,  w_σ = h - l - β;      dependent row: (1) with d = ±1 and its load for β_n          (2)
//
// N = Σ (n_f + 2) of cones and as said of other rows; equalities stay as free rows, as Jain prints them. With one tangent n_f = 2 and exact.
// Of n_f = 4, 8 directions of friction are off by up to π/n_f and sizes by 1 - cos(π/n_f): 29 %, 8 %.
// Dependent rows whose load is not one row with x ≥ 0 have no such form.
// Reference: Stewart and Trinkle 1996, Anitescu and Potra 1997; Jain 2014.
#pragma once

#include "solve/complementarity/lemke.h"
#include "solve/complementarity/natural_map.h"

namespace catena::solve::complementarity {

class Polyhedral {
 public:
  struct Options {
    int directions = 4;  // n_f, even
    int most_pivots = 1000;
    bool eliminates_equalities = false;  // before the first pivot, instead of keeping them as free rows
  };
  /// x of (1), whether or not it is near to the round cones; the residual is theirs.
  Outcome run(const NormalForm& p, const Options& options, Vector x);
  /// How the last run ended.
  Lemke::End end() const { return end_; }
  /// N of the last run.
  int size() const { return lemke_.size(); }
  int pivots() const { return lemke_.pivots(); }

 private:
  struct Variable {
    int row[2] = {-1, -1};  // x[row] += factor z
    double factor[2] = {};
    int slack = -1;  // σ that is added to w
    bool is_free = false;
  };

  int add(const Variable& variable);
  bool add_block(const NormalForm& p, const Block& b, int directions);
  void add_interval(const Block& b);
  void add_slipping(const Block& b, int directions);
  bool is_nonnegative(const NormalForm& p, int row) const;
  void fill(const NormalForm& p);

  struct Slack {  // w_σ = room + factor x[row] - Σ of its variables
    int variable = 0, row = -1;
    double room = 0.0, factor = 0.0;
  };
  Lemke lemke_, reduced_;
  Lemke::End end_ = Lemke::End::solved;
  std::vector<Variable> variables_;
  std::vector<Slack> slacks_;
  Numbers x0_, u0_, WT_, u_;
};

}  // namespace catena::solve::complementarity
