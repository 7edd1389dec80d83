// Forces along coordinates in an implicit stage: what the laws of springs, stops, contacts and motors answer, and which of them act.
//
// Each row has a law λ(c, ċ). Where it answers to c or ċ, λ is an unknown with the compliance 1/(k + b/τ), if the form of the stage has
// rows for it; where it does not (a stop that does not touch, a motor at its limit) it is known. A linearised step finds out only afterwards that a stop would pull, or would be
// passed; it is then solved again.
#pragma once

#include "formulation/stage_equations.h"
#include "formulation/system.h"

namespace catena {

class CoordinateLaws {
 public:
  CoordinateLaws(System& system, const StageForm& form);

  bool has_stops() const { return has_stops_; }
  /// What linearised steps found out about stops is forgotten.
  void begin_step();
  /// c, ċ and G of all forces along coordinates at the instant, and what their laws answer. The system is placed there.
  void evaluate(const Stage& stage, const Instant& at);
  /// Of a coordinate row at the last evaluate().
  const LawResponse& response(int row) const { return response_[std::size_t(row)]; }
  /// k + b/τ of a row: 0 where the law alone decides λ.
  double stiffness(const Stage& stage, int row) const {
    return response(row).stiffness + response(row).damping / stage.tau;
  }
  /// Whether λ of a row is an unknown of the matrix.
  bool is_unknown(const Stage& stage, int row) const { return has_rows_ && stiffness(stage, row) > 0.0; }

  /// Of a linearised step that would end with displacement u: stops that would pull let go, those that would be passed are caught.
  /// Returns whether there are any.
  /// @param row_of  where λ of each row is
  bool adjust_stops(const Stage& stage, const VecX& u, const VecX& lambda, std::span<const int> row_of);

  /// Whether the force of a row is switched on.
  bool is_on(int row) const { return is_on_[std::size_t(row)] != 0; }
  /// J x of one row at the last evaluate().
  double change_along(const ForceSlot& slot, int row, const VecX& x) const;

  /// Whether a stop was hit or left, or a spring switched, since the last call.
  bool take_changes();
  void accept_changes() { was_engaged_ = is_engaged_; }

 private:
  void answer(const Stage& stage, const ForceSlot& slot, int row, const Motion& motion, bool is_on);
  LawResponse predicted_answer(const Stage& stage, const ForceSlot& slot, int row) const;
  LawResponse linear_answer(const Stage& stage, const ForceSlot& slot, int row, const Motion& motion) const;
  bool adjust_stop(const Stage& stage, const ForceSlot& slot, int row, const VecX& u, double lambda);

  System& system_;
  const Layout& layout_;
  const bool has_rows_;
  bool has_stops_ = false;
  // per coordinate row
  std::vector<LawResponse> response_;
  std::vector<char> is_engaged_,
      was_engaged_;  // pushes or is switched on; the same at the last smooth instant
  std::vector<char> is_on_;
  std::vector<char> is_released_;       // would have pulled: does not act
  std::vector<signed char> caught_by_;  // would have passed its upper bound (1) or lower one (-1): acts
};

/// K = -Gᵀ(k + b/τ)G of one force at its markers.
void add_law_stiffness(const CoordinateLaws& laws, const Stage& stage, const ForceSlot& slot,
                       const CoordinateValues& values, MarkerStiffness& K);

}  // namespace catena
