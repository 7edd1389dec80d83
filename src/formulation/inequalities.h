// Rows of inequalities (catena/inequality.h) at an instant, and those of them that hold for a moment.
//
//   C, C_t and Ċ = J v + C_t of all rows, in the order of the model; J over the bodies by the chain rule (marker_map.h)
//
// Which rows hold changes from step to step: limits that are reached, contacts that touch, friction. They stand on the factored equations,
// whatever these are (HeldRows), and cost nothing where they do not hold.
#pragma once

#include "formulation/body_rows.h"

#include <memory>

namespace catena {

struct InequalityValues {
  VecX C, C_t, bias, rate;  // per row: what travels, its explicit rate, C̈ at v̇ = 0, Ċ
  std::vector<double> G;    // at InequalitySlot::G: marker after marker, rows × 6
  std::vector<double> K;    // the same of those that act elsewhere; empty where there are none
  explicit InequalityValues(const Layout& layout);
};

/// Fills all of it. The markers of inequalities are where the instant has them.
void evaluate_inequalities(const Layout& layout, const MarkerSet& set, const Instant& at,
                           InequalityValues& values);

/// Rows that hold for a moment on factored equations M x = f + Jᵀλ, J x = d.
///
///   A       rows over x,   K their directions (Aᵀ where nothing else is said),   M̂⁻¹ what a force moves, constraints held
class HeldRows {
 public:
  virtual ~HeldRows() = default;
  /// An empty set on the last factor.
  virtual void begin() = 0;
  virtual void begin_row() = 0;
  /// Numbers of the row over the velocities of a body, and of its direction where that is another; several on one body add up.
  virtual void add_part(int body, const double* numbers) = 0;
  virtual void add_direction(int body, const double* numbers) = 0;
  virtual void end_row() = 0;
  virtual int size() const = 0;
  /// y = A x
  virtual void rates(const VecX& x, VecX& y) const = 0;
  /// f += K μ
  virtual void add_forces(const VecX& mu, VecX& f) const = 0;
  /// W = A M̂⁻¹ K, until the set changes.
  virtual Eigen::Map<const MatX> response() = 0;
  /// x += M̂⁻¹ K μ, and the multipliers of the constraints alike.
  virtual void respond(const VecX& mu, VecX& x, VecX& lambda) = 0;
};

/// Adds a row of an inequality to those that hold, times `sign`: -1 at an upper bound.
void hold(const Layout& layout, const MarkerSet& set, const InequalityValues& values,
          const InequalitySlot& slot, int row, double sign, HeldRows& held);

}  // namespace catena
