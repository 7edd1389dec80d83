// The common centre of mass of a set of bodies, held at a place: one constraint on many bodies at once.
//
//   C = Σ w_k x_k - c(t),   w_k = m_k/Σm,   G_k = (w_k·1 | 0),   γ = -c̈                                          (1)
#include "catena/joints.h"
#include "model/checks.h"

#include <fmt/format.h>

#include <numeric>

namespace catena {
namespace {

class CentreOfMass final : public Constraint {
 public:
  CentreOfMass(std::vector<Attachment> centres, std::vector<double> masses, PointFunction target,
               bool is_driven)
      : Constraint(std::move(centres)),
        weights_(std::move(masses)),
        target_(std::move(target)),
        is_driven_(is_driven),
        total_(std::accumulate(weights_.begin(), weights_.end(), 0.0)) {
    for (double& weight : weights_) weight /= total_;
  }
  std::string_view kind() const override { return "centre_of_mass"; }
  bool has_geometric_stiffness() const override { return false; }
  int num_rows(bool planar) const override { return planar ? 2 : 3; }
  bool depends_on_time() const override { return is_driven_; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Jet target[3] = {target_.x(motion.time), target_.y(motion.time), target_.z(motion.time)};
    for (int i = 0; i < rows.num_rows(); ++i) {
      rows.C(i) = -target[i].value;
      rows.C_t(i) = -target[i].rate;
      rows.gamma(i) = -target[i].acceleration;
      for (int k = 0; k < int(motion.at.size()); ++k) {
        rows.C(i) += weights_[k] * motion.at[k].x[i];  // (1)
        rows.G(k)(i, i) = weights_[k];
      }
    }
  }
  std::vector<std::string> validate(bool) const override {
    Problems problems;
    if (weights_.size() != attachments().size())
      problems.push_back(fmt::format("has {} masses for {} bodies; give one per body", weights_.size(),
                                     attachments().size()));
    if (attachments().empty()) problems.push_back("has no bodies; give at least one");
    for (const double weight : weights_)
      if (!(weight > 0.0) || !std::isfinite(weight)) {
        problems.push_back("all masses must be positive and finite; leave bodies without mass out");
        break;
      }
    check_function("target", target_, problems);
    return problems;
  }

 private:
  std::vector<double> weights_;  // fractions of the whole
  PointFunction target_;
  bool is_driven_;
  double total_;
};

}  // namespace

ConstraintPtr centre_of_mass(std::vector<Attachment> centres, std::vector<double> masses,
                             const Vec3& target) {
  return std::make_shared<CentreOfMass>(
      std::move(centres), std::move(masses),
      PointFunction{constant(target.x()), constant(target.y()), constant(target.z())}, false);
}
ConstraintPtr driven_centre_of_mass(std::vector<Attachment> centres, std::vector<double> masses,
                                    PointFunction target) {
  return std::make_shared<CentreOfMass>(std::move(centres), std::move(masses), std::move(target), true);
}

}  // namespace catena
