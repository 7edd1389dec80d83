// Lemke's method for linear complementarity problems, with lexicographic pivots: it cannot cycle. Cost: N² a pivot, N to 3N pivots as a rule.
//
// Legend
//   w = M z + q,   w ≥ 0, z ≥ 0, w z = 0;   free rows: w = 0, z of any sign                                                       (1)
//   z₀      artificial variable: w = M z + 1 z₀ + q is easy, and z₀ is driven out
//
// Free variables enter the basis first, against free rows, and stay; what is then in the other rows is the Schur complement of the free
// ones, so that these can as well be left behind. Then z₀ enters where q is least, and after it always the complement of
// what left. Of rows that tie, the one leaves whose row of the basis inverse is lexicographically least; z₀ leaves where it can.
// A ray, where nothing leaves, means that there is no solution for copositive M; elsewhere it means nothing.
// Reference: Cottle, Pang and Stone, The Linear Complementarity Problem, 4.4 and 4.9.
#pragma once

#include "solve/complementarity/storage.h"

namespace catena::solve::complementarity {

class Lemke {
 public:
  enum class End : std::uint8_t { solved, ray, most_pivots };

  /// Room for M and q of N rows, all zero and none of them free.
  void reset(int N);
  double& M(int i, int j) { return M_.matrix(N_, N_)(i, j); }
  double& q(int i) { return q_.vector(N_)[i]; }
  void set_free(int i) { is_free_[std::size_t(i)] = 1; }
  int size() const { return N_; }

  End solve(int most_pivots);
  /// The same with a smaller tableau: free rows are eliminated first, and their z found last.
  End solve_without_free(int most_pivots, Lemke& reduced);
  double z(int i) const { return answer_[std::size_t(i)]; }
  int pivots() const { return pivots_; }

 private:
  Matrix tableau() { return T_.matrix(N_, 2 * N_ + 2); }
  int column_of_artificial() const { return 2 * N_; }
  int column_of_rhs() const { return 2 * N_ + 1; }
  int complement(int variable) const { return variable < N_ ? variable + N_ : variable - N_; }
  void fill();
  void bring_in_free();
  void pivot(int row, int column);
  int first_row();
  int leaving_row(int column);
  bool is_lexicographically_less(int a, double scale_a, int b, double scale_b);
  End run(int most_pivots);
  void read_answer();
  void reduce(Lemke& reduced);

  int N_ = 0, pivots_ = 0;
  Numbers M_, q_, T_, column_;  // tableau: w, z, z₀, right side
  std::vector<char> is_free_;
  std::vector<int> basis_;  // variable of each row
  std::vector<int> kept_;   // rows that are not free
  std::vector<double> answer_;
};

}  // namespace catena::solve::complementarity
