#include "solve/ldu_core.h"

#include <algorithm>

namespace catena::solve {
namespace {

// Orders of one factor in which one more constraint goes last each time; the next one takes all of them last, and is the last.
constexpr int kOrdersOneByOne = 8;

}  // namespace

void LduCore::analyze(const Problem& problem, const std::vector<char>& bodies,
                      const std::vector<char>& constraints) {
  bodies_ = bodies;
  constraints_ = constraints;
  late_.assign(problem.graph->rows.size(), 0);
  is_settled_ = is_detour_ = false;
  find_order(problem, usual_);
}

void LduCore::find_order(const Problem& problem, LduPanels& panels) {
  ++num_orders_;
  panels.analyze(problem, {late_, &bodies_, &constraints_});
}

bool LduCore::take_last(const LduPanels& panels, int failed, FactorResult& result) {
  const int index = panels.index_of(failed);
  const bool is_constraint = panels.is_constraint(failed);
  result = {FactorStatus::singular, is_constraint ? index : -1, is_constraint ? -1 : index};
  if (!is_constraint || late_[std::size_t(index)] != 0) return false;
  late_[std::size_t(index)] = 1;
  return true;
}

void LduCore::settle() {
  if (!is_settled_) usual_late_ = late_;
  is_settled_ = true;
}

FactorResult LduCore::factor(const Problem& problem, const Eigen::VectorXd& D) {
  if (is_detour_) ++num_orders_;
  is_detour_ = false;
  if (is_settled_) late_ = usual_late_;
  FactorResult result;
  int failed = usual_.factor(problem, D);
  for (int round = 1; failed >= 0 && take_last(panels(), failed, result); ++round) {
    if (round > kOrdersOneByOne) std::fill(late_.begin(), late_.end(), char(1));
    is_detour_ = is_settled_;
    find_order(problem, panels());
    failed = panels().factor(problem, D);
  }
  settle();
  return failed < 0 ? FactorResult{} : result;
}

}  // namespace catena::solve
