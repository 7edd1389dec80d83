// Rows that hold for a moment, in body coordinates: extra rows on the factor of the solver (solve/extra_rows.h).
#pragma once

#include "formulation/body_equations.h"
#include "solve/extra_rows.h"

namespace catena::maximal {

class BodyHeldRows final : public HeldRows {
 public:
  /// `equations` outlives it, and has a solver when begin() is called.
  explicit BodyHeldRows(BodyEquations& equations) : equations_(equations) {}

  void begin() override { rows_.begin(equations_.solver(), equations_.problem()); }
  void begin_row() override { rows_.add_row(0.0); }
  void add_part(int body, const double* numbers) override { rows_.add_part(body, numbers); }
  void add_direction(int body, const double* numbers) override { rows_.add_direction(body, numbers); }
  void end_row() override {}
  int size() const override { return rows_.num_rows(); }
  void rates(const VecX& x, VecX& y) const override {
    y.resize(size());
    rows_.rates(x, y);
  }
  void add_forces(const VecX& mu, VecX& f) const override { rows_.add_forces(mu, f); }
  Eigen::Map<const MatX> response() override { return rows_.response(); }
  void respond(const VecX& mu, VecX& x, VecX& lambda) override { rows_.respond(mu, x, lambda); }

 private:
  BodyEquations& equations_;
  solve::ExtraRows rows_;
};

}  // namespace catena::maximal
