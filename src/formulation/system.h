// The evaluated system: what a model is at an instant, whatever the formulation. Kinematics of bodies and markers, rows of constraints
// and coordinates, forces.
//
//   place(at)              where everything is                                   kinematics.h
//   update_rows(...)       C, C_t, b in model order, J over the bodies           body_rows.h
//   evaluate_coordinates   c, ċ of springs, stops and motors                     coordinates.h
//   evaluate_inequalities  C, Ċ of limits, ropes, contacts, friction             inequalities.h
//   add_..._forces         F over the bodies                                     forces.h
//
// A formulation is a thin assembler on top of it (maximal/, implicit/): it says where blocks lie in its matrix and solves. All of them
// share one System; each brings it to the instant it works at before it reads. Questions about other positions or velocities are
// answered from `trial`, so that they move nothing.
#pragma once

#include "formulation/coordinates.h"
#include "formulation/forces.h"
#include "formulation/inequalities.h"

#include <memory>

namespace catena {

struct System {
  explicit System(const Model& model) : System(std::make_shared<const Layout>(model)) {}
  explicit System(std::shared_ptr<const Layout> shared);
  System(const System&) = delete;  // formulations hold references to it
  System& operator=(const System&) = delete;

  const std::shared_ptr<const Layout> shared_layout;  // with clones of a simulation
  const Layout& layout;
  Kinematics kinematics;
  Kinematics trial;
  RowValues rows;
  CoordinateValues coordinates;
  InequalityValues inequalities;
  WrenchScratch wrenches;
  const VecX still;  // zero velocities

  /// Brings bodies and all markers that are read to the instant.
  void place(const Instant& at);
  /// C at another position; of joints known by name from the bodies, of the others through their markers.
  void evaluate_errors(const VecX& q, double time, const VecX& memory, VecX& C);
  /// Applied forces at an instant, without the velocity-quadratic ones.
  void evaluate_forces(const Instant& at, VecX& F);

  /// Numbers of constraints and forces that belong to the state, at its start and after a step to `at`.
  void start_memory(const Instant& at, VecX& memory);
  void advance_memory(const Instant& at, VecX& memory);
};

/// Largest estimated frequency of links swinging under the pull of their joints with multipliers λ, and the body that has it.   rad/s
/// A pull T on a lever turns a body back: ω² = Σ T·lever/I (MarkerSlot::lever_ratio).
/// @param block, J  rows over the bodies (RowSink)      @param frequency  scratch, one number per body
double tension_frequency(const System& system, const int* block, const double* J, const VecX& lambda,
                         VecX& frequency, int* body);

/// Fastest rate at which a spring, damper, stop or motor along coordinates acts on the masses it joins: √(k w) or b w, with w = J M⁻¹Jᵀ and the
/// diagonal of M. Stops count although they do not act now. Brings the system to the instant.   rad/s
/// @param force  index of the force that has it, -1 when there are none
double fastest_coordinate(System& system, const Instant& at, int* force);

}  // namespace catena
