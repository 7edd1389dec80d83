#include "formulation/efforts.h"

#include "formulation/coordinates.h"

#include <cmath>

namespace catena {
namespace {

// Whether a force has a potential: asked where nothing is special.
bool has_potential(System& system, const State& start, const ForceSlot& slot) {
  const Instant at{start.q, start.v, start.time, start.memory};
  Motion motion = motion_of(slot, system.kinematics.forces, at);
  std::vector<Marker> moved(motion.at.begin(), motion.at.end());
  motion.at = moved;
  for (int trial = 0; trial < 3; ++trial) {
    const double potential = slot.force->potential(motion);
    if (std::isfinite(potential) && potential != 0.0) return true;
    const double by = (0.1 + 0.3 * trial) * system.layout.length_scale;
    for (std::size_t k = 0; k < moved.size(); ++k)
      moved[k].x += by * Vec3(0.37 + double(k), -0.61, motion.planar ? 0.0 : 0.53);
  }
  return false;
}

bool does_work(const Law& law) {
  return law.damping > 0.0 || law.has_bounds() || std::isfinite(law.limit);
}

}  // namespace

EffortList::EffortList(System& system, const State& start) {
  const Layout& layout = system.layout;
  if (layout.forces.size() > 0) system.place({start.q, start.v, start.time, start.memory});
  for (std::size_t i = 0; i < layout.forces.size(); ++i) add_force(system, start, int(i));
  driven = int(accounts.size());
  for (const int c : layout.driven) {
    const ConstraintSlot& slot = layout.constraints[std::size_t(c)];
    add(Account::driven, slot.acts_elsewhere ? 1 : slot.rows);
  }
  for (std::size_t b = 0; b < layout.bodies.size(); ++b)
    if (layout.bodies[b].has_shape_force) shapes.push_back({int(b), add(Account::dampers, 1)});
}

int EffortList::add(Account account, int count) {
  const int first = int(accounts.size());
  accounts.insert(accounts.end(), std::size_t(count), account);
  return first;
}

void EffortList::add_force(System& system, const State& start, int index) {
  const ForceSlot& slot = system.layout.forces[std::size_t(index)];
  const Account account = slot.force->account();
  if (slot.first_law >= 0 || (slot.along != nullptr && !has_potential(system, start, slot))) {
    for (int r = 0; r < slot.rows; ++r)
      if (slot.first_law < 0 || does_work(law_of(system.layout, slot, r)))
        rows.push_back({index, r, add(account, 1)});
    return;
  }
  if (has_potential(system, start, slot))
    powers.push_back({index, add(account, 1)});
  else
    markers.push_back({index, add(account, 6 * slot.num_markers())});
}

double without_potential(const Layout& layout, const ForceSlot& slot, int row, double c, double lambda) {
  if (slot.first_law < 0) return lambda;
  const Law& law = law_of(layout, slot, row);
  if (!law.has_bounds()) return lambda - (law.preload - law.stiffness * c);
  Law conservative = law;
  conservative.damping = 0.0;
  conservative.limit = std::numeric_limits<double>::infinity();
  return lambda - respond(conservative, c, 0.0).force;
}

double power_elsewhere(const System& system, const ConstraintSlot& slot, const double* lambda) {
  const double* K = system.rows.directions(slot);
  double power = 0.0;
  for (int m = slot.marker_begin; m < slot.marker_end; ++m, K += 6 * slot.rows) {
    const Marker& at = system.kinematics.constraints.markers[std::size_t(m)];
    const Wrench wrench = wrench_of_rows(slot.rows, K, lambda);
    power += wrench.force.dot(at.v) + wrench.torque.dot(at.w);
  }
  return power;
}

double driven_power(const System& system, const VecX& lambda) {
  double power = 0.0;
  visit_driven(
      system, [&](const ConstraintSlot& slot) { return lambda.data() + slot.row; },
      [&](double effort, double rate) { power += effort * rate; });
  return power;
}

void read_force_efforts(const EffortList& list, System& system, const Instant& at, VecX& effort, VecX& rate) {
  const Layout& layout = system.layout;
  const MarkerSet& set = system.kinematics.forces;
  for (const EffortList::Single& entry : list.markers) {
    const ForceSlot& slot = layout.forces[std::size_t(entry.index)];
    apply_force(*slot.force, motion_of(slot, set, at), system.wrenches);
    for (int k = 0; k < slot.num_markers(); ++k) {
      const Marker& marker = set.markers[std::size_t(slot.marker_begin + k)];
      effort.segment<6>(entry.at + 6 * k) = system.wrenches[std::size_t(k)];
      rate.segment<3>(entry.at + 6 * k) = marker.v;
      rate.segment<3>(entry.at + 6 * k + 3) = marker.w;
    }
  }
  for (const EffortList::Single& entry : list.powers) {
    const ForceSlot& slot = layout.forces[std::size_t(entry.index)];
    effort[entry.at] = slot.force->nonconservative_power(motion_of(slot, set, at));
    rate[entry.at] = 1.0;
  }
  for (const EffortList::Single& entry : list.shapes) {
    const BodySlot& slot = layout.bodies[std::size_t(entry.index)];
    effort[entry.at] = slot.body->shape_damping_power(at.q.data() + slot.q, at.v.data() + slot.v);
    rate[entry.at] = 1.0;
  }
}

}  // namespace catena
