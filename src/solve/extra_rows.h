// Extra rows on a factored problem, set anew whenever they change: what holds for a moment only.
//
// Legend
//   primary  the problem of problem.h and its factor, whichever solver made it; M̂⁻¹ is the x-part of its inverse
//   A, K     extra rows and the directions of their multipliers (Kᵀ = A where nothing else is said), compliance S_e, right side d_e
//   B        stiffness on bodies that exists as long as the rows do; kept as rows V with directions U and compliance C, because
//            M x = f + U σ, V x + C σ = 0  is  (M + U C⁻¹ V) x = f. A spring of stiffness k is a row with U = Vᵀ, C = 1/k
//
//   M x = f + Jᵀλ + K μ,   J x + S λ = d,   A x + S_e μ = d_e          with M + B for M                                       (1)
//   free motion   x₀, λ₀ = (1) without extra rows                                                                             (2)
//   response      G = A (M̂ + B)⁻¹ K                                                                                           (3)
//   equalities    (G + S_e) μ = d_e - A x₀,   x = x₀ + (M̂ + B)⁻¹ K μ,   λ alike                                               (4)
//
// G comes by paths (response_matrix.h); B is condensed in it:  G = G_aa - G_au (C + G_vu)⁻¹ G_va.                               (5)
// By Haynsworth's formula the pivots of the whole have the signs of the primary's and of those of -(G + S_e) together.            (6)
// Cost: (3) as response_matrix.h; a respond() is one solve of the primary. No allocation once the largest set was there.
#pragma once

#include "solve/pivoted_ldlt.h"
#include "solve/pivoted_lu.h"
#include "solve/response_matrix.h"

namespace catena::solve {

class ExtraRows {
 public:
  using Matrix = Eigen::Map<const Eigen::MatrixXd>;

  /// Begins an empty set on a factored primary; solver and problem must outlive the set, and keep their numbers while it is used.
  void begin(EqualitySolver& solver, const Problem& problem);

  /// Begins a row of A and returns its index.
  int add_row(double right_side, double compliance = 0.0);
  /// Numbers of the last row on a body, as many as it has dimensions; several on one body add up.
  void add_part(int body, const double* numbers);
  /// The same of its direction. A row without any acts along itself.
  void add_direction(int body, const double* numbers);
  /// Begins a spring, whose row v adds k vᵀv to B; add_part() gives its numbers. k ≠ 0 may be negative.
  void add_spring(double stiffness);
  /// Ends the last row and adds a block of B: what x of `column_body` does to the equation of `row_body`; column-major. A symmetric
  /// block of one body is kept as springs along its eigenvectors.
  void add_stiffness(int row_body, int column_body, const double* block);

  int num_rows() const { return int(rows_.size()); }
  double right_side(int row) const { return right_side_[at(row)]; }
  void set_right_side(int row, double value) { right_side_[at(row)] = value; }

  /// (2) for right-hand sides of the primary.
  FactorResult solve_free(const Eigen::VectorXd& f, const Eigen::VectorXd& d, Eigen::VectorXd& x,
                          Eigen::VectorXd& lambda);
  /// y = A x
  void rates(const Eigen::VectorXd& x, Eigen::Ref<Eigen::VectorXd> y) const;
  /// f += K μ
  void add_forces(const Eigen::Ref<const Eigen::VectorXd>& mu, Eigen::VectorXd& f) const;
  /// x += (M̂ + B)⁻¹ K μ with the multipliers of the primary alike: they remain totals, in the order of the problem.
  void respond(const Eigen::Ref<const Eigen::VectorXd>& mu, Eigen::VectorXd& x, Eigen::VectorXd& lambda);
  /// (3), without compliance. Valid until the set changes.
  Matrix response();

  /// Factors G + S_e. Rows implied by others are dropped: pivots relative to what the row is worth below the threshold. Fails where G is
  /// not finite.
  FactorResult factor(double drop);
  FactorResult factor() { return factor(default_drop()); }
  const std::vector<int>& dropped_rows() const { return dropped_; }
  /// (4) on top of a free motion, after factor(). μ has num_rows() entries.
  void solve(Eigen::VectorXd& x, Eigen::VectorXd& lambda, Eigen::Ref<Eigen::VectorXd> mu);
  /// (6). Signs of eigenvalues where all is symmetric (blocks of stiffness between two bodies are not, whatever they add up to);
  /// otherwise those of an elimination along the diagonal.
  PivotSigns pivot_signs();

  double default_drop() const;

  // For comparisons: A and K with the rows of the stiffness among them, and the response to be computed again.
  const SparseRows& all_rows() const { return A_; }
  const SparseRows& all_directions() const { return K_; }
  void forget_response() { is_up_to_date_ = false; }

 private:
  std::size_t at(int row) const { return std::size_t(rows_[std::size_t(row)]); }
  int add(double right_side, double compliance);
  void update();
  void update_scales();
  bool is_positive() const;
  void add_springs_of(int body, const double* block);
  FactorResult factor_stiffness();
  void add_stiff_answer(Eigen::VectorXd& force);
  Eigen::Map<Eigen::MatrixXd> all() {
    return {all_.data(), Eigen::Index(A_.size()), Eigen::Index(A_.size())};
  }

  EqualitySolver* solver_ = nullptr;
  const Problem* problem_ = nullptr;
  SparseRows A_, K_;               // extra rows and those of the stiffness
  std::vector<int> rows_, stiff_;  // which are which
  std::vector<double> right_side_, compliance_;
  std::vector<double> row_scale_, column_scale_;
  std::vector<double> unit_, block_;  // scratch
  bool is_up_to_date_ = false, has_directions_ = false;
  FactorResult stiffness_result_;

  ResponseMatrix paths_;
  std::vector<double> all_;  // A M̂⁻¹ K of all rows
  std::vector<double> G_;    // (5)
  std::vector<double> copy_, scratch_, sigma_, scale_, column_worth_;
  PivotedLu stiff_factor_, general_;
  PivotedLdlt positive_;
  bool is_positive_ = false;
  std::vector<int> dropped_;
  Eigen::VectorXd f_, d_, x_, lambda_;  // of respond()
};

}  // namespace catena::solve
