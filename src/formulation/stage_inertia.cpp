#include "formulation/stage_inertia.h"

#include "formulation/marker_map.h"
#include "formulation/mass.h"
#include "math/rotation.h"

#include <algorithm>

namespace catena {
namespace {

// Newton's method needs differences for its speed only, the residual is exact; these leave it quadratic to about 1e-9.
constexpr double kDifference = 1e-6;  // relative to the model's size

using BodyVec = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 2 * kMostVelocities, 1>;  // on the stack
using BodyMat = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostVelocities, kMostVelocities>;

bool is_on_other_body(const Layout& layout, const MarkerSlot& marker) {
  return marker.body >= 0 && layout.bodies[std::size_t(marker.body)].type == BodyType::other;
}

}  // namespace

void add_row_loads(const Layout& layout, const std::vector<MarkerSlot>& markers, const AttachedSlot& owner,
                   int rows, const double* G, const double* lambda, std::vector<MarkerLoad>& loads) {
  for (int m = owner.marker_begin; m < owner.marker_end; ++m, G += 6 * rows)
    if (const MarkerSlot& marker = markers[std::size_t(m)]; is_on_other_body(layout, marker))
      loads.push_back({&marker, wrench_of_rows(rows, G, lambda)});
}

void add_force_loads(const Layout& layout, const ForceSlot& slot, const Motion& motion,
                     WrenchScratch& scratch, std::vector<MarkerLoad>& loads) {
  apply_force(*slot.force, motion, scratch);
  for (int k = 0; k < slot.num_markers(); ++k) {
    const MarkerSlot& marker = layout.force_markers[std::size_t(slot.marker_begin + k)];
    const auto& wrench = scratch[std::size_t(k)];
    if (is_on_other_body(layout, marker)) loads.push_back({&marker, {wrench.head<3>(), wrench.tail<3>()}});
  }
}

void StageInertia::rigid_residual(const Stage& stage, std::size_t body, const double* v, double* r) {
  const BodySlot& slot = layout_.bodies[body];
  Mat3& I = inertia_[body];
  write_inertia<3>(system_.kinematics.bodies[body].R, slot.inertia, I.data());
  const Vec3 w(v[3], v[4], v[5]), L = I * w;
  if (stage.momentum == nullptr) {
    const double* a = a_.data() + slot.v;
    const Vec3 torque = I * Vec3(a[3], a[4], a[5]) + w.cross(L);
    for (int k = 0; k < 3; ++k) r[k] = slot.mass * a[k];
    for (int k = 0; k < 3; ++k) r[3 + k] = torque[k];
    return;
  }
  const double* old = stage.momentum->data() + slot.v;
  const double inverse = 1.0 / stage.tau;
  for (int k = 0; k < 3; ++k) r[k] = (slot.mass * v[k] - old[k]) * inverse;
  for (int k = 0; k < 3; ++k) r[3 + k] = (L[k] - old[3 + k]) * inverse;
  if (!stage.is_linearised) return;
  const Vec3 spin = stage.start_velocity->segment<3>(slot.v + 3), gyroscopic = spin.cross(I * spin);  // (3)
  for (int k = 0; k < 3; ++k) r[3 + k] -= gyroscopic[k];
}

void StageInertia::other_residual(const Stage& stage, const BodySlot& slot, const double* u,
                                  double* r) const {
  const int n = slot.num_v;
  BodyVec q = stage.q0->segment(slot.q, slot.body->num_q()), v(n), rate(n), force = BodyVec::Zero(n);
  if (!stage.is_linearised) slot.body->retract(q.data(), u);
  for (int k = 0; k < n; ++k) {
    v[k] = (u[k] - (*stage.velocity_base)[slot.v + k]) / stage.tau;
    rate[k] = stage.momentum != nullptr ? (v[k] - (*stage.momentum)[slot.v + k]) / stage.tau
                                        : (u[k] - (*stage.acceleration_base)[slot.v + k]) / stage.s;
  }
  BodyMat M(n, n);
  slot.body->mass_block(q.data(), M.data());
  if (stage.is_linearised) {  // (4)
    const BodyVec start = stage.start_velocity->segment(slot.v, n);
    BodyVec at = 0.5 * start, part = BodyVec::Zero(n);
    slot.body->add_velocity_force(q.data(), at.data(), force.data());
    at = 1.5 * start;
    slot.body->add_velocity_force(q.data(), at.data(), part.data());
    force -= part;
    v += start;
  }
  slot.body->add_velocity_force(q.data(), v.data(), force.data());
  Eigen::Map<VecX>(r, n) = M.lazyProduct(rate) - force;
}

void StageInertia::update_residual(const Stage& stage, const VecX& u, const VecX& v, VecX& r) {
  if (stage.momentum == nullptr) a_ = (u - *stage.acceleration_base) / stage.s;
  for (std::size_t i = 0; i < layout_.bodies.size(); ++i) {
    const BodySlot& slot = layout_.bodies[i];
    double* own = r.data() + slot.v;
    if (slot.type == BodyType::rigid)
      rigid_residual(stage, i, v.data() + slot.v, own);
    else if (slot.type == BodyType::other)
      other_residual(stage, slot, u.data() + slot.v, own);
    else
      for (int k = 0; k < slot.num_v; ++k)
        own[k] = stage.momentum != nullptr
                     ? (diagonal_mass(slot, k) * v[slot.v + k] - (*stage.momentum)[slot.v + k]) / stage.tau
                     : diagonal_mass(slot, k) * a_[slot.v + k];
  }
}

Mat3 StageInertia::rotational_derivative(const Stage& stage, std::size_t body, const VecX& u) const {
  const double s = stage.s, tau = stage.tau;
  const int angular = layout_.bodies[body].v + 3;
  const Mat3& I = inertia_[body];
  if (stage.is_linearised) {  // (3)
    const Vec3 spin = stage.start_velocity->segment<3>(angular);
    return I + tau * (times(skew(spin), I) - skew(I * spin));
  }
  const Vec3 w = system_.kinematics.bodies[body].w;
  const Mat3 chart = log_jacobian(u.segment<3>(angular)), turn = times(I, skew(w)) - skew(I * w);
  if (stage.momentum != nullptr) return times(I, chart) + tau * turn;  // (1)
  const Vec3 alpha = a_.segment<3>(angular);
  return (I + (s / tau) * (skew(w) * I - skew(I * w))) * chart +
         s * (I * skew(alpha) - skew(I * alpha) + skew(w) * turn);  // (2)
}

// The whole residual of a body of another kind at its own displacement u, with the wrenches at its markers held fixed.
void StageInertia::loaded_residual(const Stage& stage, int body, std::span<const MarkerLoad> loads,
                                   const double* u, double* r) const {
  const BodySlot& slot = layout_.bodies[std::size_t(body)];
  const int n = slot.num_v;
  other_residual(stage, slot, u, r);
  BodyVec q = stage.q0->segment(slot.q, slot.body->num_q()), force = BodyVec::Zero(n);
  slot.body->retract(q.data(), u);
  const BodyVec v = (Eigen::Map<const VecX>(u, n) - stage.velocity_base->segment(slot.v, n)) / stage.tau;
  slot.body->add_gravity(q.data(), layout_.gravity, force.data());
  if (slot.has_shape_force) slot.body->add_shape_force(q.data(), v.data(), force.data());
  for (const MarkerLoad& load : loads) {
    if (load.marker->body != body) continue;
    OtherMarker at;
    slot.body->point(q.data(), v.data(), load.marker->point, at.point);
    if (slot.body->has_orientation()) slot.body->frame(q.data(), v.data(), at.frame);
    add_other_row(slot, at, load.wrench.data(), force.data());
  }
  Eigen::Map<VecX>(r, n) -= force;
}

// Central differences along left increments of u.
void StageInertia::add_differences(const Stage& stage, int body, std::span<const MarkerLoad> loads,
                                   const VecX& u, VecX& D) const {
  const BodySlot& slot = layout_.bodies[std::size_t(body)];
  const int n = slot.num_v;
  const double step = kDifference * std::max(1.0, layout_.length_scale);
  const BodyVec own = u.segment(slot.v, n);
  BodyVec rate(n), moved(n), plus(n), minus(n);
  for (int j = 0; j < n; ++j) {
    const BodyVec unit = BodyVec::Unit(n, j);
    slot.body->chart_rate(own.data(), unit.data(), rate.data());
    moved = own + step * rate;
    loaded_residual(stage, body, loads, moved.data(), plus.data());
    moved = own - step * rate;
    loaded_residual(stage, body, loads, moved.data(), minus.data());
    D.segment(slot.M + j * n, n) += (stage.s / (2.0 * step)) * (plus - minus);
  }
}

void StageInertia::add_derivative(const Stage& stage, const VecX& u, std::span<const MarkerLoad> loads,
                                  VecX& D) const {
  for (std::size_t i = 0; i < layout_.bodies.size(); ++i) {
    const BodySlot& slot = layout_.bodies[i];
    if (slot.type == BodyType::other) {
      add_differences(stage, int(i), loads, u, D);
      continue;
    }
    double* block = D.data() + slot.M;
    for (int k = 0; k < first_angular(slot); ++k) block[k * (slot.num_v + 1)] += slot.mass;
    if (slot.type == BodyType::planar) block[8] += slot.planar_inertia;
    if (slot.type == BodyType::rigid)
      Eigen::Map<Eigen::Matrix<double, 6, 6>>(block).bottomRightCorner<3, 3>() +=
          rotational_derivative(stage, i, u);
  }
}

}  // namespace catena
