// Efforts and rates (efforts.h) of an implicit stage: where it ended, where a step starts, and of a linearised step.
#pragma once

#include "formulation/coordinate_laws.h"
#include "formulation/efforts.h"

namespace catena {

class StageEfforts {
 public:
  /// All but `start` outlive it.
  StageEfforts(System& system, const CoordinateLaws& laws, const StageRows& rows, const State& start)
      : StageEfforts(system, laws, rows, std::make_shared<const EffortList>(system, start)) {}
  StageEfforts(System& system, const CoordinateLaws& laws, const StageRows& rows,
               std::shared_ptr<const EffortList> list)
      : system_(system),
        layout_(system.layout),
        laws_(laws),
        rows_(rows),
        shared_list_(std::move(list)),
        list_(*shared_list_) {}
  const std::shared_ptr<const EffortList>& list() const { return shared_list_; }

  bool is_empty() const { return list_.is_empty(); }
  const std::vector<Account>& accounts() const { return list_.accounts; }
  /// At an instant where the system and the laws are. @param lambda  of the stage
  void read(const VecX& lambda, const Instant& at, VecX& effort, VecX& rate);
  /// Of a linearised step that ends with u, λ, from laws and rows at its start: efforts at its end; the mean of the rates at both ends.
  /// Brings the system to its end.
  void read_linear(const Stage& stage, const VecX& u, const VecX& lambda, VecX& effort, VecX& rate);
  /// Adds impulses μ along rows, in model order, to those of the efforts of driven constraints.
  void add_row_impulses(const VecX& mu, VecX& impulse) const;

 private:
  void resize(VecX& effort, VecX& rate) const;
  void read_rows(const VecX& lambda, VecX& effort, VecX& rate) const;
  void read_linear_rows(const Stage& stage, const VecX& u, const VecX& lambda, VecX& effort,
                        VecX& rate) const;
  void read_driven(const VecX& lambda, VecX& effort, VecX& rate) const;

  System& system_;
  const Layout& layout_;
  const CoordinateLaws& laws_;
  const StageRows& rows_;
  const std::shared_ptr<const EffortList> shared_list_;  // with clones
  const EffortList& list_;
  VecX start_rate_, q_, v_;  // scratch of linearised steps
};

}  // namespace catena
