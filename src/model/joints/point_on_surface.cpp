// Point on a surface f(p) = 0 that may move with body b.   p = R_bᵀρ, ρ = x_a - x_b, n = R_b·∇f
//
//   C = f(p),   G_a = (n | 0),  G_b = (-n | n × ρ),   ṗ = R_bᵀ(ρ̇ - ω_b × ρ)                                        (1)
//   γ = ṗᵀ(∇∇f)ṗ + n·(ω_b × (ω_b × ρ) - 2ω_b × ρ̇)                                                                  (2)
#include "catena/joints.h"
#include "model/checks.h"

namespace catena {
namespace {

class PointOnSurface final : public Constraint {
 public:
  PointOnSurface(const Attachment& a, const Attachment& b, SurfacePtr surface)
      : Constraint({a, b}), surface_(std::move(surface)) {}
  std::string_view kind() const override { return "point_on_surface"; }
  int num_rows(bool) const override { return 1; }
  std::string_view domain() const override {
    return "its point must stay away from the centre or axis of the surface";
  }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    const Vec3 rho = a.x - b.x, rho_dot = a.v - b.v;
    const SurfaceValue value = surface_->at(b.R.transpose() * rho);
    const Vec3 n = b.R * value.gradient, p_dot = b.R.transpose() * (rho_dot - b.w.cross(rho));
    rows.C(0) = value.f;
    rows.set_G(0, 0, n, Vec3::Zero());
    rows.set_G(0, 1, -n, n.cross(rho));  // (1)
    rows.gamma(0) = p_dot.dot(value.hessian * p_dot) +
                    n.dot(b.w.cross(b.w.cross(rho)) - 2.0 * b.w.cross(rho_dot));  // (2)
  }
  std::vector<Figure> figures() const override {
    std::vector<Figure> all = surface_ ? surface_->figures() : std::vector<Figure>{};
    for (Figure& figure : all) figure.marker = 1;
    return all;
  }
  std::vector<std::string> validate(bool) const override {
    if (!surface_) return {"there is no surface; pass one, for example sphere_surface(...)"};
    return surface_->validate();
  }

 private:
  SurfacePtr surface_;
};

}  // namespace

ConstraintPtr point_on_surface(const Attachment& a, const Attachment& b, SurfacePtr surface) {
  return std::make_shared<PointOnSurface>(a, b, std::move(surface));
}

}  // namespace catena
