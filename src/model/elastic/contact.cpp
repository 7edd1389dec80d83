// Compliant contact of a point or a sphere with a surface: the gap as a coordinate with a stop.
//
//   C = f(p) - r,   p = R_bᵀ(x_a - x_b); G and γ are those of the point on the surface f = 0
#include "catena/force.h"
#include "catena/joints.h"
#include "model/checks.h"

namespace catena {
namespace {

class Gap final : public Constraint {
 public:
  Gap(const Attachment& a, double radius, const Attachment& b, const SurfacePtr& surface)
      : Constraint({a, b}),
        radius_(radius),
        is_distance_(surface && surface->is_distance()),
        on_surface_(point_on_surface(a, b, surface)) {}
  std::string_view kind() const override { return "gap"; }
  int num_rows(bool) const override { return 1; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    on_surface_->evaluate(motion, rows);
    rows.C(0) -= radius_;
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems = on_surface_->validate(planar);
    check_not_negative("radius", radius_, kLargestLength, "m", problems);
    if (radius_ > 0.0 && !is_distance_)
      problems.push_back(
          "a sphere needs a surface that measures distances; use a plane, a sphere or a cylinder, or radius "
          "0");
    return problems;
  }

 private:
  double radius_;
  bool is_distance_;
  ConstraintPtr on_surface_;
};

}  // namespace

ForcePtr compliant_contact(const Attachment& a, double radius, const Attachment& b, SurfacePtr surface,
                           double stiffness, double damping) {
  return std::make_shared<Elastic>(
      "contact", std::make_shared<Gap>(a, radius, b, surface),
      std::vector<Law>{{.stiffness = stiffness, .damping = damping, .lower = 0.0}});
}

}  // namespace catena
