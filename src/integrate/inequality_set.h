// Which inequalities hold for a moment, as a complementarity problem on the factored equations.
//
// Legend
//   A, W      the rows that hold over the velocities, each along its own sign, and their response (HeldRows)
//   u⁻, u, u⁺ their rates before, without and with impulses r of their own;   u = A v + C_t
//
//   u⁺ = W r + u,      every row by its law (catena/inequality.h), normals with restitution:  u⁺ + e u⁻ in place of u⁺ where u⁻ < 0      (1)
//   What comes no faster than -u⁻ ≤ 2|u - u⁻| rests: the next flight would end within the step, and e counts as 0.                       (3)
//   work of the impulses = ½ rᵀ(u⁻ + u⁺)              with that of forces over ½(v + v⁺)·h it adds up to the change of energy             (2)
//
// A row of travel holds where it is at a bound, or beyond; its tangents and loads do with it; boxes always do.
#pragma once

#include "formulation/equations.h"
#include "solve/complementarity/solver.h"

namespace catena {

/// How far a row of travel is beyond its bound at most, after evaluate_inequalities(), and the inequality that has it; -1: none is. NaN
/// where one has no gap.
double deepest_penetration(const Equations& equations, int& inequality);

/// How a complementarity problem of a step ended.
struct [[nodiscard]] ContactOutcome {
  bool is_solved = true;      // to the tolerance, by the independent residual
  double residual = 0.0;      // that residual
  int worst_inequality = -1;  // position of the one that has it
};

class InequalitySet {
 public:
  struct Row {
    int inequality = 0, row = 0;  // position of the inequality, its row
    double sign = 1.0;            // -1: at its upper bound
    const RowLaw* law = nullptr;
    int of = -1;  // of tangents and loads: the normal, by its place in this set
  };

  /// Rows within `reach` of a bound at the evaluated instant, on the last factor. Boxes give at most limit·h.
  void collect(Equations& equations, double reach, double h);
  /// The same without friction of any kind: what holds positions.
  void collect_travel(Equations& equations, double reach);

  /// What held in a step that ended elsewhere, at the evaluated instant: normals that pushed still do not let through, what stuck sticks.
  void collect_again(Equations& equations, const InequalitySet& step);

  bool empty() const { return rows_.empty(); }
  const std::vector<Row>& rows() const { return rows_; }
  /// Distance of every row of travel from its bound, and 0 for the others.
  const VecX& gaps() const { return gaps_; }

  /// u at velocities v
  void rates(Equations& equations, const VecX& v, VecX& u) const;
  /// (1): v and the multipliers of the constraints take the impulses up.
  /// @param before  u⁻; empty: without restitution
  ContactOutcome solve(Equations& equations, const VecX& before, VecX& v, VecX& lambda);
  /// Positions: M δ = Jᵀλ + Aᵀr,  gap + A δ ≥ 0 ⟂ r ≥ 0 on top of δ. After collect_travel.
  ContactOutcome solve_gaps(Equations& equations, VecX& delta, VecX& lambda);

  const VecX& impulses() const { return impulses_; }
  /// Work of the impulses of the last solve(), along rows of travel and along the others.   J
  double work_of_travel() const { return work_of_travel_; }
  double work_of_friction() const { return work_of_friction_; }

 private:
  void collect_all(Equations& equations, double reach, double h, bool with_friction);
  void add_inequality(Equations& equations, int inequality, double reach, double h, bool with_friction);
  void add_travel(Equations& equations, int inequality, int row, double gap, double sign, bool with_friction);
  void clear(Equations& equations);
  void add(Equations& equations, int inequality, int row, double sign, double gap, int of, double limit);
  bool sticks(std::size_t row) const;
  ContactOutcome run(Equations& equations, const VecX& q);

  std::vector<Row> rows_;
  std::vector<double> gap_list_;
  std::vector<double> limits_;  // boxes: of the impulse; tangents and loads: of it over that of the normal
  VecX gaps_, impulses_, free_, after_;
  solve::complementarity::Rows problem_;
  solve::complementarity::Solver solver_;
  double work_of_travel_ = 0.0, work_of_friction_ = 0.0;
};

}  // namespace catena
