// What an implicit stage differentiates numerically: forces without a law, and bodies of other kinds.
//
// Newton's method needs these derivatives for its speed only, the residual is exact; central differences of 1e-6 leave it quadratic to
// about 1e-9.
#include "formulation/maximal/stage.h"
#include "math/rotation.h"

#include <algorithm>
#include <cmath>

namespace catena::maximal {
namespace {

constexpr double kStep = 1e-6;  // relative to the model's size, to one radian, or to the speed

using Wrench = Eigen::Matrix<double, 6, 1>;

void displace(Marker& marker, int direction, double by) {
  if (direction < 3)
    marker.x[direction] += by;
  else if (direction < 6)
    marker.R = exp_rotation(by * Vec3::Unit(direction - 3)).toRotationMatrix() * marker.R;
  else if (direction < 9)
    marker.v[direction - 6] += by;
  else
    marker.w[direction - 9] += by;
}

}  // namespace

// Pose and velocity derivatives P, V of the wrenches at the markers; with the velocity of a marker, (v + ω × r), also changing with
// the pose at a given velocity of the body:  -s(P + V·∂v/∂pose) - (s/τ)V.
void MaximalStage::add_force_stiffness() {
  const Layout& layout = layout_.layout;
  for (std::size_t f = 0; f < layout.forces.size(); ++f) {
    const ForceSlot& slot = layout.forces[f];
    const int markers = slot.marker_end - slot.marker_begin;
    Motion motion = force_motion(slot, kinematics_, stage_.time, *stage_.memory);
    std::copy(motion.at.begin(), motion.at.end(), moved_.begin());
    const std::span<const Marker> original = motion.at;
    motion.at = {moved_.data(), std::size_t(markers)};
    marker_K_.head(36 * markers * markers).setZero();
    marker_V_.head(36 * markers * markers).setZero();
    const auto apply = [&] {
      for (int k = 0; k < markers; ++k) force_arrays_.wrenches[std::size_t(k)].setZero();
      Wrenches wrenches({force_arrays_.wrenches.data(), std::size_t(markers)});
      slot.force->apply(motion, wrenches);
    };
    for (int l = 0; l < markers; ++l) {
      if (layout.force_markers[std::size_t(slot.marker_begin + l)].body < 0) continue;
      Marker& moved = moved_[std::size_t(l)];
      for (int d = 0; d < 12; ++d) {
        if (d >= 6 && !slot.force->depends_on_velocity()) break;
        const double size = d < 3   ? layout.length_scale
                            : d < 6 ? 1.0
                            : d < 9 ? 1.0 + moved.v.norm()
                                    : 1.0 + moved.w.norm();
        const double step = kStep * size;
        double* K = (d < 6 ? marker_K_ : marker_V_).data();
        for (const double sign : {1.0, -1.0}) {
          displace(moved, d, sign * step);
          apply();
          moved = original[std::size_t(l)];
          for (int k = 0; k < markers; ++k) {
            double* column = K + 36 * (k * markers + l) + 6 * (d % 6);
            for (int i = 0; i < 6; ++i)
              column[i] += sign * force_arrays_.wrenches[std::size_t(k)][i] / (2.0 * step);
          }
        }
      }
      // v of the marker changes when its lever turns, δv = -[ω]×[r]×δθ, and ω of the body through the chart: δω = J_l⁻¹(θ)δθ/τ
      const MarkerSlot& marker = layout.force_markers[std::size_t(slot.marker_begin + l)];
      const BodySlot& body = layout.bodies[std::size_t(marker.body)];
      const Mat3 lever = skew(kinematics_.force_levers[std::size_t(slot.marker_begin + l)].r);
      const Mat3 turn = skew(moved.w) * lever;
      const Mat3 chart =
          body.type == BodyType::rigid ? log_jacobian(u_.segment<3>(body.v + 3)) : Mat3(Mat3::Identity());
      const Mat3 bend = lever - lever * chart;
      for (int k = 0; k < markers; ++k) {
        Eigen::Map<Eigen::Matrix<double, 6, 6>> P(marker_K_.data() + 36 * (k * markers + l)),
            V(marker_V_.data() + 36 * (k * markers + l));
        P.rightCols<3>() -= V.leftCols<3>() * turn;
        P.leftCols<3>() += V.leftCols<3>() / stage_.tau;
        P.rightCols<3>() += (V.leftCols<3>() * bend + V.rightCols<3>() * chart) / stage_.tau;
      }
    }
    apply();
    for (int k = 0; k < markers; ++k) {
      const auto m = std::size_t(slot.marker_begin + k);
      add_lever_stiffness(layout.force_markers[m], kinematics_.force_levers[m],
                          force_arrays_.wrenches[std::size_t(k)].head<3>());
    }
    add_marker_stiffness(layout.force_markers, slot.marker_begin, slot.marker_end, kinematics_.force_levers,
                         kinematics_.force_others, layout_.force_places[f], -stage_.s);
  }
}

// Inertia of a body of another kind with the forces that belong to it alone; applied forces come from update_forces.
void MaximalStage::other_residual(const BodySlot& slot, const double* u, VecX& out) const {
  const int n = slot.num_v;
  VecX q = stage_.q0->segment(slot.q, slot.body->num_q()), v(n), rate(n), force = VecX::Zero(n);
  slot.body->retract(q.data(), u);
  for (int k = 0; k < n; ++k) {
    v[k] = (u[k] - (*stage_.velocity_base)[slot.v + k]) / stage_.tau;
    rate[k] = is_momentum_form() ? (v[k] - (*stage_.momentum)[slot.v + k]) / stage_.tau
                                 : (u[k] - (*stage_.acceleration_base)[slot.v + k]) / stage_.s;
  }
  MatX M(n, n);
  slot.body->mass_block(q.data(), M.data());
  slot.body->add_velocity_force(q.data(), v.data(), force.data());
  out = M * rate - force;
}

void MaximalStage::collect_loads() {
  const Layout& layout = layout_.layout;
  loads_.clear();
  const auto add = [&](const MarkerSlot& marker, const Vec3& force, const Vec3& torque) {
    if (marker.body >= 0 && layout.bodies[std::size_t(marker.body)].type == BodyType::other)
      loads_.push_back({&marker, force, torque});
  };
  const auto add_rows = [&](const MarkerSlot& marker, const double* G, int rows, const double* lambda) {
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    for (int r = 0; r < rows; ++r) {
      force += lambda[r] * Eigen::Map<const Vec3>(G + 6 * r);
      torque += lambda[r] * Eigen::Map<const Vec3>(G + 6 * r + 3);
    }
    add(marker, force, torque);
  };
  for (const ConstraintSlot& slot : layout.constraints) {
    evaluate_constraint(slot, kinematics_, stage_.time, *stage_.memory, rows_);
    for (int m = slot.marker_begin; m < slot.marker_end; ++m)
      add_rows(layout.constraint_markers[std::size_t(m)],
               rows_.G.data() + (m - slot.marker_begin) * slot.rows * 6, slot.rows,
               lambda_.data() + slot.row);
  }
  for (std::size_t i = 0; i < layout_.elastics.size(); ++i) {
    const ElasticSlot& slot = layout_.elastics[i];
    for (int m = slot.marker_begin; m < slot.marker_end; ++m)
      add_rows(layout.force_markers[std::size_t(m)],
               elastic_G_.data() + elastic_G_begin_[i] + (m - slot.marker_begin) * slot.rows * 6, slot.rows,
               lambda_.data() + slot.row);
  }
  for (const ForceSlot& slot : layout.forces) {
    const int markers = slot.marker_end - slot.marker_begin;
    for (int k = 0; k < markers; ++k) force_arrays_.wrenches[std::size_t(k)].setZero();
    Wrenches wrenches({force_arrays_.wrenches.data(), std::size_t(markers)});
    slot.force->apply(force_motion(slot, kinematics_, stage_.time, *stage_.memory), wrenches);
    for (int k = 0; k < markers; ++k)
      add(layout.force_markers[std::size_t(slot.marker_begin + k)],
          force_arrays_.wrenches[std::size_t(k)].head<3>(), force_arrays_.wrenches[std::size_t(k)].tail<3>());
  }
}

// The whole residual of the body, with the wrenches at its markers held fixed, differentiated along left increments of u.
void MaximalStage::add_other_bodies() {
  if (!layout_.has_other_bodies) return;
  collect_loads();
  const Layout& layout = layout_.layout;
  for (std::size_t b = 0; b < layout.bodies.size(); ++b) {
    const BodySlot& slot = layout.bodies[b];
    if (slot.type != BodyType::other) continue;
    const int n = slot.num_v;
    const auto residual = [&](const VecX& u, VecX& out) {
      other_residual(slot, u.data(), out);
      VecX q = stage_.q0->segment(slot.q, slot.body->num_q()), force = VecX::Zero(n);
      slot.body->retract(q.data(), u.data());
      const VecX v = (u - stage_.velocity_base->segment(slot.v, n)) / stage_.tau;
      slot.body->add_gravity(q.data(), layout.gravity, force.data());
      if (slot.has_shape_force) slot.body->add_shape_force(q.data(), v.data(), force.data());
      for (const MarkerLoad& load : loads_) {
        if (load.marker->body != int(b)) continue;
        PointMap point;
        slot.body->point(q.data(), v.data(), load.marker->point, point);
        force += point.J.transpose() * load.force;
        if (!slot.body->has_orientation()) continue;
        FrameMap frame;
        slot.body->frame(q.data(), v.data(), frame);
        force += frame.W.transpose() * load.torque;
      }
      out -= force;
    };
    Eigen::Map<MatX> block(problem_.M.data() + layout_.graph.mass_offset[b], n, n);
    const VecX u = u_.segment(slot.v, n);
    VecX rate(n), plus, minus;
    for (int j = 0; j < n; ++j) {
      const VecX unit = VecX::Unit(n, j);
      slot.body->chart_rate(u.data(), unit.data(), rate.data());
      const double step = kStep * std::max(1.0, layout.length_scale);
      residual(u + step * rate, plus);
      residual(u - step * rate, minus);
      block.col(j) += (stage_.s / (2.0 * step)) * (plus - minus);
    }
  }
}

}  // namespace catena::maximal
