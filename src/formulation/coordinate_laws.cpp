#include "formulation/coordinate_laws.h"

#include "formulation/marker_map.h"

#include <algorithm>

namespace catena {

CoordinateLaws::CoordinateLaws(System& system, const StageForm& form)
    : system_(system),
      layout_(system.layout),
      has_rows_(form.has_coordinate_rows()),
      response_(std::size_t(layout_.num_coordinates)),
      is_engaged_(response_.size()),
      was_engaged_(is_engaged_),
      is_on_(is_engaged_),
      is_released_(is_engaged_),
      caught_by_(response_.size()) {
  for (const Law& law : layout_.laws) has_stops_ = has_stops_ || law.has_bounds();
}

void CoordinateLaws::begin_step() {
  std::fill(is_released_.begin(), is_released_.end(), 0);
  std::fill(caught_by_.begin(), caught_by_.end(), 0);
}

bool CoordinateLaws::take_changes() {
  const bool changed = is_engaged_ != was_engaged_;
  accept_changes();
  return changed;
}

double CoordinateLaws::change_along(const ForceSlot& slot, int row, const VecX& x) const {
  const MarkerSet& set = system_.kinematics.forces;
  double change = 0.0;
  for (int m = slot.marker_begin; m < slot.marker_end; ++m) {
    const MarkerSlot& marker = layout_.force_markers[std::size_t(m)];
    if (marker.body < 0) continue;
    const BodySlot& body = layout_.bodies[std::size_t(marker.body)];
    const double* g = system_.coordinates.G.data() + slot.G + ((m - slot.marker_begin) * slot.rows + row) * 6;
    if (body.type == BodyType::rigid) {  // without the detour over J: n·(v + ω × r) + τ·ω
      const double *v = x.data() + body.v, *w = v + 3, *r = set.levers[std::size_t(m)].r.data();
      change += g[0] * (v[0] + w[1] * r[2] - w[2] * r[1]) + g[1] * (v[1] + w[2] * r[0] - w[0] * r[2]) +
                g[2] * (v[2] + w[0] * r[1] - w[1] * r[0]) + g[3] * w[0] + g[4] * w[1] + g[5] * w[2];
      continue;
    }
    double J[kMostVelocities] = {};
    add_row(body, set.levers[std::size_t(m)], set.other(m), g, J);
    for (int k = 0; k < body.num_v; ++k) change += J[k] * x[body.v + k];
  }
  return change;
}

// A stop in a linearised step acts where the velocity at its start would bring the coordinate.
LawResponse CoordinateLaws::predicted_answer(const Stage& stage, const ForceSlot& slot, int row) const {
  const Law& law = law_of(layout_, slot, row);
  const CoordinateValues& at = system_.coordinates;
  const int own = slot.row + row, caught = caught_by_[std::size_t(own)];
  const double predicted =
      at.c[own] + stage.tau * (at.c_t[own] + change_along(slot, row, *stage.start_velocity));
  if (caught == 0 && predicted <= law.upper && predicted >= law.lower) return {};
  const double excess = at.c[own] - (caught > 0 || predicted > law.upper ? law.upper : law.lower);
  return {law.preload - law.stiffness * excess - law.damping * at.rate[own], law.stiffness, law.damping, 0.0};
}

// A law that is not linear in ċ (a torque curve, a limit) is taken as linear about the velocity at the start of the step: what it says at
// u = 0, where ċ is c_t alone.
LawResponse CoordinateLaws::linear_answer(const Stage& stage, const ForceSlot& slot, int row,
                                          const Motion& motion) const {
  const Law& law = law_of(layout_, slot, row);
  const double c = system_.coordinates.c[slot.row + row], rate = system_.coordinates.rate[slot.row + row];
  if (slot.first_law >= 0 && law.limit == std::numeric_limits<double>::infinity())
    return respond(law, c, rate, stage.tau);
  const double start = rate + change_along(slot, row, *stage.start_velocity);
  LawResponse now = slot.along->answer(row, motion, c, start, stage.tau);
  now.force += now.damping * (start - rate);
  return now;
}

void CoordinateLaws::answer(const Stage& stage, const ForceSlot& slot, int row, const Motion& motion,
                            bool is_on) {
  const auto own = std::size_t(slot.row + row);
  const double c = system_.coordinates.c[Eigen::Index(own)],
               rate = system_.coordinates.rate[Eigen::Index(own)];
  const Law& law = law_of(layout_, slot, row);
  const bool has_bounds = law.has_bounds();
  LawResponse& now = response_[own];
  is_on_[own] = is_on ? 1 : 0;
  if (!is_on || is_released_[own] != 0)
    now = {};
  else if (has_bounds && stage.is_linearised)
    now = predicted_answer(stage, slot, row);
  else if (stage.is_linearised)
    now = linear_answer(stage, slot, row, motion);
  else if (slot.first_law >= 0)
    now = respond(law, c, rate, stage.tau);
  else
    now = slot.along->answer(row, motion, c, rate, stage.tau);
  is_engaged_[own] = is_on && (!has_bounds || now.stiffness + now.damping > 0.0) ? 1 : 0;
}

void CoordinateLaws::evaluate(const Stage& stage, const Instant& at) {
  const MarkerSet& set = system_.kinematics.forces;
  for (const ForceSlot& slot : layout_.forces) {
    if (slot.along == nullptr) continue;
    evaluate_coordinates(slot, set, at, system_.coordinates);
    const Motion motion = motion_of(slot, set, at);
    const bool is_on = slot.along->is_on(motion.memory);
    for (int r = 0; r < slot.rows; ++r) answer(stage, slot, r, motion, is_on);
  }
}

bool CoordinateLaws::adjust_stops(const Stage& stage, const VecX& u, const VecX& lambda,
                                  std::span<const int> row_of) {
  bool any = false;
  if (!has_stops_) return any;
  for (const ForceSlot& slot : layout_.forces)
    for (int r = 0; slot.first_law >= 0 && r < slot.rows; ++r)
      if (law_of(layout_, slot, r).has_bounds())
        any = adjust_stop(stage, slot, r, u, lambda[row_of[std::size_t(slot.row + r)]]) || any;
  return any;
}

bool CoordinateLaws::adjust_stop(const Stage& stage, const ForceSlot& slot, int row, const VecX& u,
                                 double lambda) {
  const Law& law = law_of(layout_, slot, row);
  const auto own = std::size_t(slot.row + row);
  if (is_released_[own] != 0 || caught_by_[own] != 0) return false;
  const double c = system_.coordinates.c[Eigen::Index(own)];
  if (!is_unknown(stage, int(own))) {
    const double end =
        c + stage.tau * system_.coordinates.c_t[Eigen::Index(own)] + change_along(slot, row, u);
    caught_by_[own] = end > law.upper ? 1 : end < law.lower ? -1 : 0;
    return caught_by_[own] != 0;
  }
  // of two bounds, the nearer one is the one that acts
  const double side = law.upper - c < c - law.lower ? 1.0 : -1.0;
  is_released_[own] = lambda * side > 0.0 ? 1 : 0;
  return is_released_[own] != 0;
}

void add_law_stiffness(const CoordinateLaws& laws, const Stage& stage, const ForceSlot& slot,
                       const CoordinateValues& values, MarkerStiffness& K) {
  using Row = Eigen::Map<const Eigen::Matrix<double, 6, 1>>;
  const int markers = slot.num_markers();
  const double* G = values.G.data() + slot.G;
  for (int r = 0; r < slot.rows; ++r)
    for (int k = 0; k < markers; ++k)
      for (int l = 0; l < markers; ++l)
        K.block(k, l).noalias() -= laws.stiffness(stage, slot.row + r) * Row(G + (k * slot.rows + r) * 6) *
                                   Row(G + (l * slot.rows + r) * 6).transpose();
}

}  // namespace catena
