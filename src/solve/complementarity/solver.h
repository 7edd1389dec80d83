// Solves complementarity problems with a small dense response: the face of this folder.
//
//   Rows rows;                                     // problem.h
//   rows.add_lower();                              // a joint limit
//   Solver solver;
//   solver.analyze(rows);                          // whenever rows, bounds or friction change
//   Result result = solver.solve(W, q, r);         // r: the last multipliers, or 0; then the new ones
//   if (!result.ok()) ...                          // r is the best point met, and the result says what is wrong with it
//
// Rows that do not answer to each other's multipliers are islands, solved one after the other and apart: none knows of the others, so that
// its numbers do not depend on them. Whichever method found it, an answer is `solved` when residual.h accepts it and never otherwise.
// Nothing is allocated once an island and a problem as large were there.  Cost: O(n³) a factorisation, of islands.
#pragma once

#include "solve/complementarity/chain.h"
#include "solve/complementarity/residual.h"
#include "solve/grouping.h"
#include "solve/union_find.h"

#include <string>

namespace catena::solve::complementarity {

enum class Status : std::uint8_t {
  solved,
  flagged,  // r is the best point met; eta says how good it is
  jammed,  // the same, and multipliers grew for as long as they were allowed to: probably there is no solution
  infeasible,  // there is none, or none of reasonable size: certificate() is the proof
};
const char* name(Status status);

struct Result {
  Status status = Status::solved;
  double eta = 0.0;           // largest residual of an island, residual.h
  int worst_row = -1;         // first row of the block with this residual
  Route route = Route::none;  // furthest that an island had to go
  int factorisations = 0, sweeps = 0;
  int islands = 0;
  int unknowns = 0;         // of the linear complementarity problems of Method::lemke
  double least_size = 0.0;  // infeasible: scaled multipliers of a solution, if any, add up to more than this

  bool ok() const { return status == Status::solved; }
  /// In words, with the row.
  std::string message() const;
};

class Solver {
 public:
  struct Options {
    Method method = Method::chain;
    double tolerance = 1e-8;  // of eta
    int budget = 400;         // factorisations of each island; about 30 for real time
    /// > 0, even: Method::lemke answers the problem with pyramids of so many tangents, and is judged by that. 0: it goes on to the cone.
    int directions = 0;
    bool eliminates_equalities =
        false;  // Method::lemke: before the first pivot, instead of keeping them as free rows
  };

  Solver() = default;
  explicit Solver(const Options& options) : options_(options), judge_(options.directions) {}
  const Options& options() const { return options_; }

  /// The rows must outlive the solver's use of them.
  void analyze(const Rows& rows);
  /// @param W  n × n, without compliance
  /// @param r  n, the start; its bits do not matter to Method::interior_point
  Result solve(const Eigen::Ref<const Eigen::MatrixXd>& W, const Eigen::Ref<const Eigen::VectorXd>& q,
               Eigen::Ref<Eigen::VectorXd> r);
  /// Of an infeasible result: d ≥ 0 on one-sided rows with d·u < 0 for all multipliers.
  std::span<const double> certificate() const { return certificate_; }

 private:
  void find_islands(const Eigen::Ref<const Eigen::MatrixXd>& W);
  void solve_island(std::span<const int> blocks, const Eigen::Ref<const Eigen::MatrixXd>& W,
                    const Eigen::Ref<const Eigen::VectorXd>& q, Eigen::Ref<Eigen::VectorXd> r,
                    Result& result);
  void keep_certificate();

  Options options_;
  const Rows* rows_ = nullptr;
  std::vector<int> block_of_row_;
  UnionFind sets_;
  std::vector<int> island_of_;
  Grouping islands_;
  NormalForm normal_;
  Chain chain_;
  Judge judge_;
  Numbers x_;
  std::vector<double> certificate_;
};

}  // namespace catena::solve::complementarity
