#include "solve/complementarity/chain.h"

namespace catena::solve::complementarity {
namespace {

// What a solution must at least be worth, in units of rates over responses, for a problem to count as infeasible.
constexpr double kUnreasonable = 1e8;

}  // namespace

const char* name(Route route) {
  constexpr const char* kNames[] = {"none",       "start", "warm",   "newton", "interior-1", "interior-2",
                                    "interior-3", "admm",  "sweeps", "cold",   "pivots",     "proximal"};
  return kNames[std::size_t(route)];
}

const char* name(Method method) {
  constexpr const char* kMethodNames[] = {"chain",          "newton", "gauss-seidel", "nncg",
                                          "interior-point", "admm",   "lemke",        "dantzig"};
  return kMethodNames[std::size_t(method)];
}

// Books what a stage has done with x_; true when that is the answer.
bool Chain::take(Route route, const Outcome& outcome) {
  const int n = p_->size();
  result_.factorisations += outcome.factorisations;
  result_.sweeps += outcome.sweeps;
  if (outcome.eta < result_.eta) {
    result_.eta = outcome.eta;
    result_.route = route;
    best_.vector(n) = x_.vector(n);
  }
  return result_.eta <= allowance(best_.vector(n), options_.tolerance);
}

// The start as it is, and 0 or the bounds next to it.
bool Chain::try_starts() {
  const int n = p_->size();
  Vector x = x_.vector(n), u = u_.vector(n);
  find_rates(*p_, x, u);
  if (take(Route::start, {.eta = natural_residual(*p_, x, u)})) return true;
  if (x.isZero(0.0)) return false;
  x.setZero();
  for (const Block& b : p_->blocks()) project_block(b, x.data(), x.data() + b.row);
  find_rates(*p_, x, u);
  const bool is_done = take(Route::start, {.eta = natural_residual(*p_, x, u)});
  if (is_done) return true;
  x = best_.vector(n);
  return false;
}

bool Chain::try_interior(Route route, double start, double step) {
  if (budget_left() <= 0) return false;
  const InteriorPoint::Options options{
      .start = start, .step = step, .tolerance = options_.tolerance, .budget = budget_left()};
  return take(route, interior_.run(*p_, options, newton_, x_.vector(p_->size())));
}

bool Chain::try_iterations() {
  const int n = p_->size();
  const double tolerance = options_.tolerance;
  Vector x = x_.vector(n);
  x = best_.vector(n);
  if (take(Route::admm, admm_.run(*p_, {.tolerance = tolerance, .budget = budget_left()}, newton_, x)))
    return true;
  x = best_.vector(n);
  const Sweeps::Options back_and_forth{
      .most = 1500, .tolerance = tolerance, .is_accelerated = false, .is_symmetric = true};
  if (take(Route::sweeps, sweeps_.run(*p_, back_and_forth, x))) return true;
  const Newton::Options natural{.most = 10, .tolerance = tolerance, .uses_natural_map = true};
  return take(Route::sweeps, newton_.run(*p_, natural, x));
}

// From other starts: 0, and what Lemke's method finds with pyramids.
bool Chain::try_other_starts() {
  Vector x = x_.zeros(p_->size());
  if (try_newton(Route::cold, 40)) return true;
  x.setZero();
  return take(Route::pivots, run_pivots(*p_, Method::lemke, options_, x));
}

bool Chain::try_last() {
  if (budget_left() > 0 && try_iterations()) return true;
  if (budget_left() > 0 && try_other_starts()) return true;
  Vector x = x_.vector(p_->size());
  if (budget_left() > 0) {
    const Proximal::Options options{.tolerance = options_.tolerance, .budget = budget_left()};
    if (take(Route::proximal, proximal_.run(*p_, options, newton_, interior_, x))) return true;
    result_.is_jammed = proximal_.is_jammed();
    return false;
  }
  x = best_.vector(p_->size());
  return take(Route::sweeps, sweeps_.run(*p_, {.most = 50, .tolerance = options_.tolerance}, x));
}

bool Chain::try_newton(Route route, int most) {
  const Newton::Options options{.most = std::min(most, budget_left()), .tolerance = options_.tolerance};
  return take(route, newton_.run(*p_, options, x_.vector(p_->size())));
}

// W and N
bool Chain::try_near() {
  Vector x = x_.vector(p_->size());
  const bool is_warm = !x.isZero(0.0);
  if (try_starts() || (is_warm && try_newton(Route::warm, 5))) return true;
  x = best_.vector(p_->size());
  if (take(Route::newton, sweeps_.run(*p_, {.most = 20, .tolerance = options_.tolerance}, x))) return true;
  return try_newton(Route::newton, 8);
}

bool Chain::find_proof() {
  if (budget_left() <= 0) return false;
  result_.is_infeasible = certificate_.find(*p_, kUnreasonable, budget_left(), newton_);
  result_.factorisations += certificate_.factorisations();
  return result_.is_infeasible;
}

ChainResult Chain::run(const NormalForm& p, const Options& options, Vector x) {
  p_ = &p;
  options_ = options;
  result_ = {};
  best_.vector(p.size()) = x;
  x_.vector(p.size()) = x;
  (void)(try_near() || try_interior(Route::interior_1, 1.0, 0.9) || find_proof() ||
         try_interior(Route::interior_2, 0.1, 0.95) || try_interior(Route::interior_3, 1.0, 0.8) ||
         try_last());
  x = best_.vector(p.size());
  return result_;
}

Outcome Chain::run_sweeps(const NormalForm& p, bool is_accelerated, const Options& options, Vector x) {
  constexpr int kMost = 2000;
  return sweeps_.run(p, {.most = kMost, .tolerance = options.tolerance, .is_accelerated = is_accelerated}, x);
}

// A pyramid's answer, and from there to the cone unless it was asked for.
Outcome Chain::run_pivots(const NormalForm& p, Method method, const Options& options, Vector x) {
  constexpr int kMostPivots = 2000;
  const Polyhedral::Options pyramid{.directions = options.directions > 0 ? options.directions : 4,
                                    .most_pivots = kMostPivots,
                                    .eliminates_equalities = options.eliminates_equalities};
  const Outcome outcome =
      method == Method::dantzig ? dantzig_.run(p, kMostPivots, x) : polyhedral_.run(p, pyramid, x);
  if (options.directions > 0 || outcome.eta <= allowance(x, options.tolerance)) return outcome;
  const int most = std::min(10, options.budget);
  const Outcome polished = newton_.run(p, {.most = most, .tolerance = options.tolerance}, x);
  return {polished.eta, polished.factorisations, outcome.sweeps};
}

ChainResult Chain::run_method(const NormalForm& p, Method method, const Options& options, Vector x) {
  constexpr int kMostNewtons = 60, kMostIterations = 2000;
  const double tolerance = options.tolerance;
  const int budget = options.budget;
  const auto alone = [](const Outcome& outcome, Route route) -> ChainResult {
    return {outcome.eta, outcome.factorisations, outcome.sweeps, route};
  };
  switch (method) {
    case Method::newton:
      return alone(newton_.run(p, {.most = std::min(kMostNewtons, budget), .tolerance = tolerance}, x),
                   Route::newton);
    case Method::gauss_seidel:
      return alone(run_sweeps(p, false, options, x), Route::sweeps);
    case Method::nncg:
      return alone(run_sweeps(p, true, options, x), Route::sweeps);
    case Method::interior_point:
      return alone(interior_.run(p, {.tolerance = tolerance, .budget = budget}, newton_, x),
                   Route::interior_1);
    case Method::admm:
      return alone(
          admm_.run(p, {.most = kMostIterations, .tolerance = tolerance, .budget = budget}, newton_, x),
          Route::admm);
    case Method::lemke:
    case Method::dantzig: {
      ChainResult result = alone(run_pivots(p, method, options, x), Route::pivots);
      if (method == Method::lemke) result.unknowns = polyhedral_.size();
      return result;
    }
    case Method::chain:
      break;
  }
  return run(p, options, x);
}

}  // namespace catena::solve::complementarity
