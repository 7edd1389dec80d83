// Lagrangian bodies: a few coordinates u, and a rule x(p, u) that says where each material point p is.
//
// The rule and the masses are all there is to write; the engine derives the rest,
//   M = Σ m JᵀJ,   velocity-quadratic force -Σ m Jᵀ(J̇u̇),   weight Σ m Jᵀg                                   (1)
// and the body takes constraints and forces like any other. A curve, a linkage, a deformation become one body
// without a single constraint inside it.
//
//   auto bead = bead_on_curve(0.1, circle({0, 0, 0}, {0, 1, 0}, 1.0));      // one coordinate
//   model.add_at("bead", bead, coordinates({0.3}), coordinates({0.0}));
#pragma once

#include "catena/body.h"
#include "catena/curve.h"

#include <functional>
#include <initializer_list>

namespace CATENA_API catena {

/// A part of the mass, at the material point p.
struct MassPoint {
  Vec3 at = Vec3::Zero();  // p
  double mass = 0.0;       // kg
};

/// x(p, u) with J = ∂x/∂u and bias = J̇·u̇. Material points are three numbers of any meaning.
class PointRule {
 public:
  virtual ~PointRule() = default;
  virtual std::string_view kind() const = 0;
  virtual int num_u() const = 0;
  virtual void point(const double* u, const double* u_dot, const Vec3& p, PointMap& out) const = 0;

  /// Axes that turn with the body, for joints that hold directions; without them only points can be attached.
  virtual bool has_frame() const { return false; }
  virtual void frame(const double* /*u*/, const double* /*u_dot*/, FrameMap& /*out*/) const {}

  virtual bool is_planar() const { return false; }  // every point stays in the plane z = 0
  /// The material point at x, for attachments given in the world. The default assumes x(p, u) = x(0, u) + p.
  virtual Vec3 material_point(const double* u, const Vec3& x) const;
  virtual std::vector<std::pair<Vec3, Vec3>> picture_lines() const { return {}; }
  virtual std::vector<Figure> figures() const { return {}; }  // in the world
  virtual std::vector<std::string> validate() const { return {}; }
};

/// A body that moves by a rule.   q = u, v = u̇
class Lagrangian final : public Body {
 public:
  Lagrangian(std::shared_ptr<const PointRule> rule, std::vector<MassPoint> masses);
  std::string_view kind() const override { return rule_ ? rule_->kind() : "lagrangian"; }
  int num_q() const override { return rule_ ? rule_->num_u() : 0; }
  int num_v() const override { return num_q(); }
  bool is_planar() const override { return rule_ && rule_->is_planar(); }
  bool has_orientation() const override { return rule_ && rule_->has_frame(); }
  double mass() const override { return mass_; }
  void mass_block(const double* q, double* M) const override;
  void add_velocity_force(const double* q, const double* v, double* F) const override;
  void point(const double* q, const double* v, const Vec3& local, PointMap& out) const override;
  void frame(const double* q, const double* v, FrameMap& out) const override;
  void retract(double* q, const double* d) const override;
  Vec3 local_point(const double* q, const Vec3& x) const override;
  void add_gravity(const double* q, const Vec3& g, double* F) const override;
  double gravity_potential(const double* q, const Vec3& g) const override;
  Vec3 linear_momentum(const double* q, const double* v) const override;
  Vec3 angular_momentum(const double* q, const double* v) const override;
  std::vector<std::pair<Vec3, Vec3>> picture_lines() const override { return rule_->picture_lines(); }
  std::vector<Figure> figures() const override { return rule_->figures(); }
  /// Only the default placement, which means u = 0 and u̇ = 0: give the coordinates to Model::add_at instead.
  std::string pack(const Placement& placement, double* q, double* v) const override;
  Placement unpack(const double* q, const double* v) const override;
  std::vector<std::string> validate() const override;

 private:
  std::shared_ptr<const PointRule> rule_;
  std::vector<MassPoint> masses_;
  double mass_ = 0.0;
};

/// A rule from a function, without writing a class.
using PointFunctionOfU =
    std::function<void(const double* u, const double* u_dot, const Vec3& p, PointMap& out)>;
std::shared_ptr<const Body> lagrangian(int num_u, PointFunctionOfU rule, std::vector<MassPoint> masses);

/// Slides along the curve without turning: x = c(u) + p, one coordinate.
std::shared_ptr<const Body> bead_on_curve(double mass, std::shared_ptr<const Curve> curve);

/// Plane linkage of four bars about a pivot, in the plane of the unit vectors `e` and `n`: two coordinates, the angles α, β of
/// its two bar directions against e. Every point of it is x = pivot + p_x·d(α) + p_y·d(β), d(α) = e·cos α + n·sin α, so that all
/// bars of one direction stay parallel, and a point at k·(p_x, p_y) draws what the point (p_x, p_y) draws, k times as large.
struct Pantograph {
  Vec3 pivot = Vec3::Zero();
  Vec3 e = Vec3::UnitX(), n = Vec3::UnitY();
  double long_bar =
      1.0;  // length of the two outer bars: the pen is the material point (long_bar, long_bar)     m
  double short_bar =
      0.5;  // length of the two inner bars: the tracer is the material point (short_bar, short_bar)   m
  double mass_per_length = 1.0;  // kg/m
};
std::shared_ptr<const Body> pantograph(const Pantograph& shape);

/// Start coordinates for Model::add_at.
inline VecX coordinates(std::initializer_list<double> values) {
  return Eigen::Map<const VecX>(values.begin(), Eigen::Index(values.size()));
}

}  // namespace catena
