// Methods in the order in which they are tried on an island, until one has the answer.
//
//   W    Newton's method from the last multipliers, 5 factorisations                         at rest and in steady motion
//   N    20 sweeps of NNCG, then Newton's method, 8                                           loose contacts
//   I1   interior point from e, 0.9 of the way to the boundary, Newton's method at the end    stacks, chains, redundant contacts
//        is there a proof that nothing solves it?                                             (certificate.h)
//   I2   interior point from 0.1 e, 0.95 of the way                                           these two fail on other problems
//   I3   interior point from e, 0.8 of the way
//   A    ADMM, 600 iterations, Newton's method                                               much friction
//   P    1500 sweeps, back and forth, from the best point; Newton's method on natural maps
//   C    Newton's method from 0, 40
//   L    Lemke's method with pyramids, Newton's method                                        sliding stacks
//   X    proximal steps                                                                       jams
//
// The best point of all is kept. Where the budget of factorisations ends, 50 sweeps of NNCG from the best point are the last try; a stage that
// has begun a polish of four may end it.
#pragma once

#include "solve/complementarity/admm.h"
#include "solve/complementarity/certificate.h"
#include "solve/complementarity/dantzig.h"
#include "solve/complementarity/polyhedral.h"
#include "solve/complementarity/proximal.h"
#include "solve/complementarity/sweeps.h"

namespace catena::solve::complementarity {

/// The last two find friction as a pyramid, which Newton's method then makes round.
enum class Method : std::uint8_t { chain, newton, gauss_seidel, nncg, interior_point, admm, lemke, dantzig };
inline constexpr Method kMethods[] = {Method::chain, Method::newton,         Method::gauss_seidel,
                                      Method::nncg,  Method::interior_point, Method::admm,
                                      Method::lemke, Method::dantzig};
const char* name(Method method);

/// Where an answer came from: stages of the chain in their order.
enum class Route : std::uint8_t {
  none,
  start,
  warm,
  newton,
  interior_1,
  interior_2,
  interior_3,
  admm,
  sweeps,
  cold,
  pivots,
  proximal,
};
const char* name(Route route);

struct ChainResult {
  double eta = kInfinity;  // natural residual of the best point
  int factorisations = 0, sweeps = 0;
  Route route = Route::none;
  bool is_infeasible = false, is_jammed = false;
  int unknowns = 0;  // of Lemke's method
};

class Chain {
 public:
  struct Options {
    double tolerance = 1e-9;
    int budget = 400;
    int directions = 0;  // as in solver.h
    bool eliminates_equalities = false;
  };
  /// From x to the best point met.
  ChainResult run(const NormalForm& p, const Options& options, Vector x);
  /// One method alone.
  ChainResult run_method(const NormalForm& p, Method method, const Options& options, Vector x);

  Certificate& certificate() { return certificate_; }

 private:
  bool take(Route route, const Outcome& outcome);
  bool try_starts();
  bool try_near();
  bool try_newton(Route route, int most);
  bool find_proof();
  bool try_interior(Route route, double start, double step);
  bool try_iterations();
  bool try_other_starts();
  bool try_last();
  Outcome run_sweeps(const NormalForm& p, bool is_accelerated, const Options& options, Vector x);
  Outcome run_pivots(const NormalForm& p, Method method, const Options& options, Vector x);
  int budget_left() const { return options_.budget - result_.factorisations; }

  const NormalForm* p_ = nullptr;
  Options options_;
  ChainResult result_;
  Newton newton_;
  Sweeps sweeps_;
  InteriorPoint interior_;
  Admm admm_;
  Proximal proximal_;
  Certificate certificate_;
  Polyhedral polyhedral_;
  Dantzig dantzig_;
  Numbers best_, x_, u_;
};

}  // namespace catena::solve::complementarity
