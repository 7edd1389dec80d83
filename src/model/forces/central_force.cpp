// Central force: attraction or repulsion along the line between two points, as of magnets or charges.
//
//   V = k·s^(1-p)/(1 - p),   p = 1: V = k·ln s,     s² = |ρ|² + ε²                                           (1)
//   F_a = -∂V/∂ρ = -k·ρ/s^(p+1) = -F_b                                                                      (2)
//
// ρ = x_a - x_b, k strength, p exponent, ε softening length. Far outside of ε the force is k/|ρ|^p; at ρ = 0 it vanishes.
#include "catena/force.h"
#include "model/checks.h"

#include <cmath>

namespace catena {
namespace {

constexpr double kLargestStrength = 1e30;
constexpr double kLargestExponent = 32.0;

class CentralForce final : public Force {
 public:
  CentralForce(const AttachmentPair& at, double strength, double exponent, double softening)
      : Force({at.a, at.b}), strength_(strength), exponent_(exponent), softening_(softening) {}
  std::string_view kind() const override { return "central_force"; }
  double stiffness() const override {  // at ρ = 0; without softening there is no largest one
    return softening_ > 0.0 ? std::abs(strength_) * std::pow(softening_, -exponent_ - 1.0) : 0.0;
  }
  void apply(const Motion& motion, Wrenches& wrenches) const override {
    const Vec3 rho = motion.at[0].x - motion.at[1].x;
    const double s = softened(rho);
    if (s == 0.0) return;  // no direction is better than another
    const Vec3 force = (-strength_ * std::pow(s, -exponent_ - 1.0)) * rho;  // (2)
    wrenches.add(0, force);
    wrenches.add(1, -force);
  }
  double potential(const Motion& motion) const override {
    const double s = softened(motion.at[0].x - motion.at[1].x);
    if (exponent_ == 1.0) return strength_ * std::log(s);
    return strength_ * std::pow(s, 1.0 - exponent_) / (1.0 - exponent_);  // (1)
  }
  std::vector<std::string> validate() const override {
    Problems problems;
    check_finite("strength", strength_, kLargestStrength, problems);
    check_finite("exponent", exponent_, kLargestExponent, problems);
    check_not_negative("softening", softening_, kLargestLength, "m", problems);
    return problems;
  }

 private:
  double softened(const Vec3& rho) const { return std::sqrt(rho.squaredNorm() + softening_ * softening_); }

  double strength_, exponent_, softening_;
};

}  // namespace

ForcePtr central_force(const AttachmentPair& at, double strength, double exponent, double softening) {
  return std::make_shared<CentralForce>(at, strength, exponent, softening);
}

}  // namespace catena
