// Touching, sliding and rolling, on the contact geometry of contact_geometry.h.
//
//   gap    C = φ,   G_a = (n | r_a × n),  G_b = -(n | r_b × n),   γ = n·(ω_a × ṙ_a - ω_b × ṙ_b) + ṅ·(u_a - u_b)        (1)
//   slip   t·(u_a - u_b) = 0,   the same with the tangent t in place of n and no C; nonholonomic                       (2)
//
// The second tangent is n × t; the first is a fixed direction m made normal to n. m is the tangent of the last step (memory), so that
// it never gets near n.   t = p/|p|,  p = m - n(n·m),  ṫ = (ṗ - t(t·ṗ))/|p|                                             (3)
#include "math/rotation.h"
#include "model/checks.h"
#include "model/joints/contact_geometry.h"
#include "model/joints/joint_base.h"
#include "model/joints/rows.h"

namespace catena {
namespace {

// (1), (2) along the direction d with rate d_dot
void write_contact_row(Rows& rows, int row, const Motion& motion, const Contact& c, const Vec3& d,
                       const Vec3& d_dot) {
  const Marker &a = motion.at[0], &b = motion.at[1];
  rows.set_G(row, 0, d, c.r_a.cross(d));
  rows.set_G(row, 1, -d, -c.r_b.cross(d));
  rows.gamma(row) = d.dot(a.w.cross(c.r_a_dot) - b.w.cross(c.r_b_dot)) + d_dot.dot(c.slip);
}

class Touching final : public Constraint {
 public:
  Touching(std::string_view kind, const Attachment& a, const Attachment& b,
           std::shared_ptr<const ContactGeometry> geometry, bool rolls, bool needs_orientation = true)
      : Constraint({a, b}),
        kind_(kind),
        geometry_(std::move(geometry)),
        rolls_(rolls),
        needs_orientation_(needs_orientation) {}
  std::string_view kind() const override { return kind_; }
  int num_rows(bool planar) const override { return !rolls_ ? 1 : planar ? 2 : 3; }
  int num_holonomic_rows(bool) const override { return 1; }
  bool needs_orientation() const override { return needs_orientation_; }
  std::string_view domain() const override {
    return "there must be one contact point: no disc flat on its side, no centre on an axis, nothing flatter "
           "than "
           "the hollow it lies in";
  }
  int memory_size() const override { return 6; }  // n, t
  void start_memory(const Motion& motion, std::span<double> memory) const override {
    const Vec3 n = geometry_->start_normal(motion.at[0], motion.at[1]);
    Eigen::Map<Vec3>(memory.data()) = n;
    Eigen::Map<Vec3>(memory.data() + 3) = any_perpendicular(n);
  }
  void advance_memory(const Motion& motion, std::span<double> memory) const override {
    const Eigen::Map<Vec3> n(memory.data()), t(memory.data() + 3);
    const Vec3 after = geometry_->find(motion.at[0], motion.at[1], n).n;
    Eigen::Map<Vec3>(memory.data()) = after;
    Eigen::Map<Vec3>(memory.data() + 3) = (t - after * after.dot(t)).normalized();
  }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Eigen::Map<const Vec3> before(motion.memory.data()), m(motion.memory.data() + 3);
    const Contact contact = geometry_->find(motion.at[0], motion.at[1], before);
    rows.C(0) = contact.gap;
    write_contact_row(rows, 0, motion, contact, contact.n, contact.n_dot);  // (1)
    if (!rolls_) return;
    const Vec3 &n = contact.n, &n_dot = contact.n_dot;
    if (motion.planar)
      return write_contact_row(rows, 1, motion, contact, perpendicular_in_plane(n),
                               perpendicular_in_plane(n_dot));
    const Vec3 p = m - n * n.dot(m), p_dot = -n_dot * n.dot(m) - n * n_dot.dot(m);  // (3)
    const double length = p.norm();
    const Vec3 t = p / length, t_dot = (p_dot - t * t.dot(p_dot)) / length;
    write_contact_row(rows, 1, motion, contact, t, t_dot);
    write_contact_row(rows, 2, motion, contact, n.cross(t), n_dot.cross(t) + n.cross(t_dot));
  }
  std::vector<Figure> figures() const override {
    std::vector<Figure> all = geometry_->figures();
    for (Figure& figure : all) figure.marker = 1;
    return all;
  }
  std::vector<std::string> validate(bool) const override { return geometry_->validate(); }

 private:
  std::string_view kind_;
  std::shared_ptr<const ContactGeometry> geometry_;
  bool rolls_, needs_orientation_;
};

/// y_a·(ρ̇ - ω_b × ρ) = 0,  ρ = x_a - x_b:   γ = (ω_a × y_a)·(ρ̇ - ω_b × ρ) - y_a·(ω_b × ρ̇)
class KnifeEdge final : public Constraint {
 public:
  KnifeEdge(const Attachment& a, const Attachment& b) : Constraint({a, b}) {}
  std::string_view kind() const override { return "knife_edge"; }
  int num_rows(bool) const override { return 1; }
  int num_holonomic_rows(bool) const override { return 0; }
  bool needs_orientation() const override { return true; }
  void evaluate(const Motion& motion, Rows& rows) const override {
    const Marker &a = motion.at[0], &b = motion.at[1];
    const Vec3 y = a.R.col(1), rho = a.x - b.x, rho_dot = a.v - b.v;
    rows.set_G(0, 0, y, Vec3::Zero());
    rows.set_G(0, 1, -y, y.cross(rho));
    rows.gamma(0) = a.w.cross(y).dot(rho_dot - b.w.cross(rho)) - y.dot(b.w.cross(rho_dot));
  }
  std::vector<std::string> validate(bool planar) const override {
    Problems problems;
    if (planar && std::abs(attachments()[0].axes(2, 1)) > 1e-9)
      problems.push_back(
          "in the plane z = 0 the blade's y axis must lie in the plane; give a marker with z normal to it");
    return problems;
  }
};

}  // namespace

ConstraintPtr touching(const Attachment& a, const Attachment& b,
                       std::shared_ptr<const ContactGeometry> geometry, bool has_slip,
                       bool needs_orientation) {
  return std::make_shared<Touching>("touching", a, b, std::move(geometry), has_slip, needs_orientation);
}

ConstraintPtr tangency(const Attachment& a, ConvexShapePtr shape_a, const Attachment& b,
                       ConvexShapePtr shape_b) {
  return std::make_shared<Touching>("tangency", a, b, convex_contact(std::move(shape_a), std::move(shape_b)),
                                    false);
}
ConstraintPtr rolling(const Attachment& a, ConvexShapePtr shape_a, const Attachment& b,
                      ConvexShapePtr shape_b) {
  return std::make_shared<Touching>("rolling", a, b, convex_contact(std::move(shape_a), std::move(shape_b)),
                                    true);
}
ConstraintPtr tangency_on_surface(const Attachment& a, ConvexShapePtr shape, const Attachment& b,
                                  SurfacePtr surface) {
  return std::make_shared<Touching>("tangency", a, b, surface_contact(std::move(shape), std::move(surface)),
                                    false);
}
ConstraintPtr rolling_on_surface(const Attachment& a, ConvexShapePtr shape, const Attachment& b,
                                 SurfacePtr surface) {
  return std::make_shared<Touching>("rolling", a, b, surface_contact(std::move(shape), std::move(surface)),
                                    true);
}
ConstraintPtr knife_edge(const Attachment& a, const Attachment& b) {
  return std::make_shared<KnifeEdge>(a, b);
}

}  // namespace catena
