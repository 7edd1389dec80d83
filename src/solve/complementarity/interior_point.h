// Interior-point method for cones with friction, direct: the sliding shift is an unknown like the others and its derivative part of the matrix.
// Robust against mass ratios, redundancy and size; 5 to 20 factorisations of n³ 2/3 as a rule.
//
// Legend (normal form, scaled once more so that every cone is L of lorentz.h: d = μ for normals, 1 for other rows)
//   x, z      multipliers d x/Q and shifted rates ũ/(d Q), Q = max |q/d|;   W, q likewise
//   s, z      of the bounds of scalar rows: distances and what they carry; u = z_l - z_u
//   μ         mean of the products x·z, s z: driven to 0
//   R, λ      scaling of x, z
//   t         (0, z_t/|z_t|),   E = 1 - e tᵀ
//
//   z = W x + q + e|z_t|,   x ∘ z = σμ e;         bounds:  s = x - l, s z = σμ                                                    (1)
//   (W + E R²) Δx = -ρ - E g,   Δz = -g - R² Δx,   g = R (λ \ (λ ∘ λ - σμ e + corrector)),   ρ = W x + q + e|z_t| - z                  (2)
//   bounds:  Δs = Δx + (x - l - s),  Δz = (σμ - s z - corrector)/s - (z/s) Δs;  upper ones and dependent ones alike                    (3)
//
// Predictor and corrector of Mehrotra share a factor. Near a solution x₀ - |x_t| of sliding contacts cancels; Newton's method (newton.h) takes
// over from there. Holding |z_t| from the last iteration (E = 1) converges slowly or not at all where contacts slide.
#pragma once

#include "solve/complementarity/lorentz.h"
#include "solve/complementarity/newton.h"

namespace catena::solve::complementarity {

class InteriorPoint {
 public:
  struct Options {
    double start = 1.0;  // x = z = start e
    double step = 0.9;   // of the way to the boundary
    double tolerance = 1e-9;
    int most = 45;        // iterations
    int budget = 100000;  // factorisations, those of Newton's method among them
  };
  /// The best point met, in x; where it starts does not depend on x.
  Outcome run(const NormalForm& p, const Options& options, Newton& newton, Vector x);

 private:
  struct Bound {  // of a scalar row, or none
    double s = 1.0, z = 0.0, ds = 0.0, dz = 0.0, corrector = 0.0;
    bool is_there = false;
    double defect = 0.0;  // of s: (x - l) - s
    double push(double target) const { return (target - s * z - corrector) / s - z / s * defect; }
  };
  struct Scalar {
    int block = 0, row = 0;
    Bound lower, upper;
    double load[3] = {};  // derivative of the bound of a dependent row
  };

  void set_scale(const NormalForm& p);
  void set_start(double start);
  void set_scalar_start(const Block& b, double start, Scalar& scalar);
  void update_defects();
  double find_mu() const;
  double find_mu_after(double alpha) const;
  void assemble(bool holds_shift);
  void find_direction(double target, bool holds_shift, bool corrects);
  void read_scalar_direction(double target);
  double longest_step() const;
  void set_correctors();
  void advance(double alpha);
  double step_length(const Options& options, double mu, bool holds_shift);
  bool try_crossover(const NormalForm& p, const Options& options, Newton& newton, double mu, Outcome& outcome,
                     Vector x);
  void read_point(const NormalForm& p, Vector x);

  Vector3d at(const Numbers& numbers, const Block& b) const;
  void put(Numbers& numbers, const Block& b, const Vector3d& value);

  int n_ = 0;
  double Q_ = 1.0, last_try_ = kInfinity;
  std::vector<Block> blocks_;  // bounds and weights in the scale of this method
  std::vector<Scalar> scalars_;
  std::vector<LorentzScaling> scaling_;  // of cones, in their order
  std::vector<Vector3d> corrector_;
  Numbers d_, W_, q_, x_, z_, dx_, dz_, rho_, rhs_, point_, u_;
  DenseLu lu_;
};

}  // namespace catena::solve::complementarity
