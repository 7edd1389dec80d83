#include "formulation/momentum.h"

#include "formulation/mass.h"
#include "math/rotation.h"

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

Vec3 angular_momentum(const BodySlot& slot, const VecX& q, const Vec3& w) {
  const Mat3 R = load_quat(q.data() + slot.q + 3).toRotationMatrix();
  return R * (slot.inertia * (R.transpose() * w)).eval();
}

}  // namespace

void momentum(const Layout& layout, const VecX& q, const VecX& v, VecX& pi) {
  pi = v;
  for (const BodySlot& slot : layout.bodies) {
    double* own = pi.data() + slot.v;
    if (slot.type == BodyType::rigid) {
      Eigen::Map<Vec3>{own} *= slot.mass;
      Eigen::Map<Vec3>{own + 3} = angular_momentum(slot, q, v.segment<3>(slot.v + 3));
    } else if (slot.type != BodyType::other) {  // constant masses
      for (int i = 0; i < slot.num_v; ++i) own[i] *= diagonal_mass(slot, i);
    }
  }
}

void momentum_rate(const Layout& layout, const VecX& q, const VecX& v, const VecX& a, VecX& rate) {
  momentum(layout, q, a, rate);
  for (const BodySlot& slot : layout.bodies)
    if (slot.type == BodyType::rigid) {
      const Vec3 w = v.segment<3>(slot.v + 3);
      rate.segment<3>(slot.v + 3) += w.cross(angular_momentum(slot, q, w));  // (2)
    }
}

void displace_bodies(const Layout& layout, const VecX& q, const VecX& u, VecX& out) {
  out = q;
  for (const BodySlot& slot : layout.bodies) {
    double* own = out.data() + slot.q;
    const double* d = u.data() + slot.v;
    if (slot.type == BodyType::rigid) {
      for (int i = 0; i < 3; ++i) own[i] += d[i];
      store_quat(exp_rotation(Vec3(d[3], d[4], d[5])) * load_quat(own + 3), own + 3);
    } else {
      slot.body->retract(own, d);
    }
  }
}

void advance_chart(const Layout& layout, const VecX& du, VecX& u) {
  double rate[kMostVelocities];
  for (const BodySlot& slot : layout.bodies) {
    if (slot.type == BodyType::rigid) {
      const Eigen::Map<const Vec3> turn(du.data() + slot.v + 3);
      Eigen::Map<Vec3> linear(u.data() + slot.v), phi(u.data() + slot.v + 3);
      linear += Eigen::Map<const Vec3>(du.data() + slot.v);
      phi += rotation_chart_rate(phi, turn);
      continue;
    }
    slot.body->chart_rate(u.data() + slot.v, du.data() + slot.v, rate);
    for (int k = 0; k < slot.num_v; ++k) u[slot.v + k] += rate[k];
  }
}

double largest_turn(const Layout& layout, const VecX& u, int* body) {
  double largest = 0.0;
  for (std::size_t i = 0; i < layout.bodies.size(); ++i) {
    if (layout.bodies[i].type != BodyType::rigid) continue;
    const double turn = u.segment<3>(layout.bodies[i].v + 3).squaredNorm();
    if (turn > largest && body != nullptr) *body = int(i);
    largest = std::max(largest, turn);
  }
  return std::sqrt(largest);
}

}  // namespace catena
