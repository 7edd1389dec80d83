#include "integrate/work_meter.h"

#include <cassert>
#include <cmath>

namespace catena {

double WorkMeter::largest_input(const StageEquations& stage) const {
  Powers powers;
  const std::vector<Account>& accounts = stage.effort_accounts();
  for (std::size_t i = 0; i < accounts.size(); ++i)
    powers[accounts[i]] += end[Eigen::Index(i)] * end_rate[Eigen::Index(i)];
  double sum = 0.0;
  for (const AccountTraits& traits : kAccounts)
    if (traits.may_give) sum += std::abs(powers[traits.account]);
  return sum;
}

void WorkMeter::book(const StageEquations& stage, Work& work) {
  for (const AccountTraits& traits : kAccounts)
    if (traits.potential == nullptr) work.add(traits.account, 0.0);  // known, where there is none too
  const std::vector<Account>& accounts = stage.effort_accounts();
  assert(std::size_t(impulse.size()) == accounts.size() && start_rate.size() == impulse.size() &&
         end_rate.size() == impulse.size());
  for (std::size_t k = 0; k < accounts.size(); ++k) {
    const auto i = Eigen::Index(k);
    work.sum[accounts[k]] += 0.5 * impulse[i] * (start_rate[i] + end_rate[i]);  // (1)
  }
  std::swap(impulse, impulse_before);
  std::swap(start_rate, end_rate);
}

}  // namespace catena
