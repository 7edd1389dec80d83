// Bodies that move by a rule x(p, u): equations (1) of the header, as sums over the mass points.
#include "catena/bodies.h"
#include "catena/joints.h"
#include "model/checks.h"

#include <fmt/format.h>

namespace catena {
namespace {

const double kAtRest[kMostVelocities] = {};

class RuleFromFunction final : public PointRule {
 public:
  RuleFromFunction(int num_u, PointFunctionOfU rule) : num_u_(num_u), rule_(std::move(rule)) {}
  std::string_view kind() const override { return "lagrangian"; }
  int num_u() const override { return num_u_; }
  void point(const double* u, const double* u_dot, const Vec3& p, PointMap& out) const override {
    out.J.setZero(3, num_u_);
    rule_(u, u_dot, p, out);
  }
  std::vector<std::string> validate() const override {
    if (!rule_) return {"has no rule x(p, u); pass a function"};
    return {};
  }

 private:
  int num_u_;
  PointFunctionOfU rule_;
};

}  // namespace

Vec3 PointRule::material_point(const double* u, const Vec3& x) const {
  PointMap origin;
  point(u, kAtRest, Vec3::Zero(), origin);
  return x - origin.x;
}

Lagrangian::Lagrangian(std::shared_ptr<const PointRule> rule, std::vector<MassPoint> masses)
    : rule_(std::move(rule)), masses_(std::move(masses)) {
  for (const MassPoint& part : masses_) mass_ += part.mass;
}

void Lagrangian::mass_block(const double* q, double* M) const {
  const int n = num_v();
  Eigen::Map<MatX> block(M, n, n);
  block.setZero();
  PointMap at;
  for (const MassPoint& part : masses_) {
    rule_->point(q, kAtRest, part.at, at);
    // one triangle, so that the block is symmetric to the last bit
    for (int j = 0; j < n; ++j)
      for (int i = 0; i <= j; ++i) block(i, j) += part.mass * at.J.col(i).dot(at.J.col(j));
  }
  block.triangularView<Eigen::StrictlyLower>() = block.transpose();
}

void Lagrangian::add_velocity_force(const double* q, const double* v, double* F) const {
  PointMap at;
  for (const MassPoint& part : masses_) {
    rule_->point(q, v, part.at, at);
    for (int i = 0; i < num_v(); ++i) F[i] -= part.mass * at.J.col(i).dot(at.bias);
  }
}

void Lagrangian::point(const double* q, const double* v, const Vec3& local, PointMap& out) const {
  rule_->point(q, v, local, out);
}

void Lagrangian::frame(const double* q, const double* v, FrameMap& out) const {
  if (has_orientation()) return rule_->frame(q, v, out);
  out.R.setIdentity();
  out.bias.setZero();
  out.W.setZero(3, num_v());
}

void Lagrangian::retract(double* q, const double* d) const {
  for (int i = 0; i < num_q(); ++i) q[i] += d[i];
}

Vec3 Lagrangian::local_point(const double* q, const Vec3& x) const {
  return rule_->material_point(q, x);
}

void Lagrangian::add_gravity(const double* q, const Vec3& g, double* F) const {
  PointMap at;
  for (const MassPoint& part : masses_) {
    rule_->point(q, kAtRest, part.at, at);
    for (int i = 0; i < num_v(); ++i) F[i] += part.mass * at.J.col(i).dot(g);
  }
}

double Lagrangian::gravity_potential(const double* q, const Vec3& g) const {
  PointMap at;
  double potential = 0.0;
  for (const MassPoint& part : masses_) {
    rule_->point(q, kAtRest, part.at, at);
    potential -= part.mass * g.dot(at.x);
  }
  return potential;
}

Vec3 Lagrangian::linear_momentum(const double* q, const double* v) const {
  PointMap at;
  Vec3 sum = Vec3::Zero();
  for (const MassPoint& part : masses_) {
    rule_->point(q, v, part.at, at);
    sum += part.mass * (at.J * Eigen::Map<const VecX>(v, num_v()));
  }
  return sum;
}

Vec3 Lagrangian::angular_momentum(const double* q, const double* v) const {
  PointMap at;
  Vec3 sum = Vec3::Zero();
  for (const MassPoint& part : masses_) {
    rule_->point(q, v, part.at, at);
    sum += part.mass * at.x.cross(at.J * Eigen::Map<const VecX>(v, num_v()));
  }
  return sum;
}

std::string Lagrangian::pack(const Placement& placement, double* q, double* v) const {
  std::fill(q, q + num_q(), 0.0);
  std::fill(v, v + num_v(), 0.0);
  const bool is_default = placement.position == Vec3::Zero() && placement.velocity == Vec3::Zero() &&
                          placement.angular_velocity == Vec3::Zero() &&
                          placement.orientation.coeffs() == Quat::Identity().coeffs();
  if (is_default) return {};
  return fmt::format(
      "a {} is placed by its coordinates, not by position and orientation; give q and v to Model::add_at",
      kind());
}

Placement Lagrangian::unpack(const double* q, const double* v) const {
  Placement placement;
  PointMap at;
  placement.position.setZero();
  for (const MassPoint& part : masses_) {
    rule_->point(q, v, part.at, at);
    placement.position += part.mass / mass_ * at.x;
  }
  placement.velocity = linear_momentum(q, v) / mass_;
  if (has_orientation()) {
    FrameMap axes;
    rule_->frame(q, v, axes);
    placement.orientation = Quat(axes.R);
    placement.angular_velocity = axes.W * Eigen::Map<const VecX>(v, num_v());
  }
  return placement;
}

std::vector<std::string> Lagrangian::validate() const {
  if (!rule_) return {"has no rule x(p, u); pass one"};
  Problems problems = rule_->validate();
  if (num_q() < 1 || num_q() > kMostVelocities)
    problems.push_back(
        fmt::format("has {} coordinates; a Lagrangian body has 1 to {}", num_q(), kMostVelocities));
  if (masses_.empty()) problems.push_back("has no mass; give at least one mass point");
  for (const MassPoint& part : masses_) {
    check_mass(part.mass, problems);
    check_finite("mass point", part.at, kLargestLength, problems);
  }
  return problems;
}

std::shared_ptr<const Body> lagrangian(int num_u, PointFunctionOfU rule, std::vector<MassPoint> masses) {
  return std::make_shared<Lagrangian>(std::make_shared<RuleFromFunction>(num_u, std::move(rule)),
                                      std::move(masses));
}

}  // namespace catena
