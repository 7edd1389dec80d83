// Bushing: a compliance of six components in the axes of marker b.
//
//   d = R_bᵀρ,   ḋ = R_bᵀ(v_a - v_b - ω_b × ρ)           V = dᵀK d/2       F_a = -R_b(K d + D ḋ)              (1)
//   φ = log(R_bᵀR_a),   φ̇ = J⁻¹(φ)·ω,   ω = R_bᵀ(ω_a - ω_b)   V = φᵀK φ/2    τ_a = -R_b(J⁻ᵀ(φ) K φ + D ω)       (2)
//   J⁻ᵀ(φ) = 1 + [φ]×/2 + c·[φ]×²,   c = (1 - (|φ|/2)·cot(|φ|/2))/|φ|²                                         (3)
//
// ρ = x_a - x_b; K, D the diagonal stiffness and damping of each part; J the left Jacobian of SO(3). With (3) the torque is the
// exact gradient of V for any K and any rotation below π. F_b = -F_a acts at the point of a and τ_b = -τ_a, so that force and
// moment vanish in sum.
#include "catena/force.h"
#include "math/rotation.h"
#include "model/checks.h"

#include <cmath>

namespace catena {
namespace {

// c of (3)
double second_coefficient(double angle2) {
  if (angle2 < 1e-4) return 1.0 / 12.0 + angle2 / 720.0 + angle2 * angle2 / 30240.0;  // next term below 1e-18
  const double half = 0.5 * std::sqrt(angle2);
  return (1.0 - half * std::cos(half) / std::sin(half)) / angle2;
}

Vec3 inverse_transposed_jacobian_times(const Vec3& phi, const Vec3& a) {
  const Vec3 cross = phi.cross(a);
  return a + 0.5 * cross + second_coefficient(phi.squaredNorm()) * phi.cross(cross);  // (3)
}

class Bushing final : public Force {
 public:
  Bushing(const AttachmentPair& at, const Vec3& linear_stiffness, const Vec3& angular_stiffness,
          const Vec3& linear_damping, const Vec3& angular_damping)
      : Force({at.a, at.b}),
        linear_stiffness_(linear_stiffness),
        angular_stiffness_(angular_stiffness),
        linear_damping_(linear_damping),
        angular_damping_(angular_damping) {}
  std::string_view kind() const override { return "bushing"; }
  WorkSource source() const override { return WorkSource::damper; }
  bool depends_on_velocity() const override {
    return linear_damping_ != Vec3::Zero() || angular_damping_ != Vec3::Zero();
  }
  bool needs_orientation() const override {
    return angular_stiffness_ != Vec3::Zero() || angular_damping_ != Vec3::Zero();
  }
  double stiffness() const override {
    return std::max(linear_stiffness_.maxCoeff(), angular_stiffness_.maxCoeff());
  }
  void apply(const Motion& motion, Wrenches& wrenches) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    const Displacement now = measure(motion);
    const Vec3 force =
        -(b.R * (linear_stiffness_.cwiseProduct(now.d) + linear_damping_.cwiseProduct(now.rate)));
    const Vec3 elastic = inverse_transposed_jacobian_times(now.phi, angular_stiffness_.cwiseProduct(now.phi));
    const Vec3 torque = -(b.R * (elastic + angular_damping_.cwiseProduct(now.w)));
    wrenches.add(0, force, torque);
    wrenches.add(1, -force, -torque - (a.x - b.x).cross(force));
  }
  double potential(const Motion& motion) const override {
    const Displacement now = measure(motion);
    return 0.5 * (now.d.dot(linear_stiffness_.cwiseProduct(now.d)) +
                  now.phi.dot(angular_stiffness_.cwiseProduct(now.phi)));
  }
  double nonconservative_power(const Motion& motion) const override {
    const Displacement now = measure(motion);
    return -now.rate.dot(linear_damping_.cwiseProduct(now.rate)) -
           now.w.dot(angular_damping_.cwiseProduct(now.w));
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_constants("linear stiffness", linear_stiffness_, "N/m", problems);
    check_constants("angular stiffness", angular_stiffness_, "N·m/rad", problems);
    check_constants("linear damping", linear_damping_, "N·s/m", problems);
    check_constants("angular damping", angular_damping_, "N·m·s/rad", problems);
    return problems;
  }

 private:
  struct Displacement {
    Vec3 d, rate;  // (1)
    Vec3 phi, w;   // (2)
  };
  static Displacement measure(const Motion& motion) {
    const Marker &a = motion.at[0], &b = motion.at[1];
    const Vec3 rho = a.x - b.x;
    return {b.R.transpose() * rho, b.R.transpose() * (a.v - b.v - b.w.cross(rho)),
            log_rotation(Quat(Mat3(b.R.transpose() * a.R))), b.R.transpose() * (a.w - b.w)};
  }
  static void check_constants(const std::string& name, const Vec3& value, const char* unit,
                              Problems& problems) {
    for (int i = 0; i < 3; ++i)
      check_not_negative(name + " along " + "xyz"[i], value[i], kLargestStiffness, unit, problems);
  }

  Vec3 linear_stiffness_, angular_stiffness_, linear_damping_, angular_damping_;
};

}  // namespace

ForcePtr bushing(const AttachmentPair& at, const Vec3& linear_stiffness, const Vec3& angular_stiffness,
                 const Vec3& linear_damping, const Vec3& angular_damping) {
  return std::make_shared<Bushing>(at, linear_stiffness, angular_stiffness, linear_damping, angular_damping);
}

}  // namespace catena
