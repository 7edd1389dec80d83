// Contact points by Newton's method on the normal, and their motion by differentiating what defines them.
//
// Two convex shapes. With the supports s_a(n) = x_a + R_a S_a(-R_aᵀn), s_b(n) = x_b + R_b S_b(R_bᵀn) the normal is where
//   P(s_a - s_b) = 0;   ∂(s_a - s_b)/∂n = -(H_a + H_b)   gives   δn = (H_a + H_b + φ)⁻¹ P(s_a - s_b)                   (1)
// (inverse within the tangent plane). In time r_a = R_a S_a(-R_aᵀn) moves by
//   ṙ_a = ω_a × r_a - H_a(ṅ - ω_a × n),     ṙ_b = ω_b × r_b + H_b(ṅ - ω_b × n),                                       (2)
// and the derivative of (1), with s_a - s_b = φ n:
//   (H_a + H_b + φ) ṅ = P(u_a - u_b) + H_a(ω_a × n) + H_b(ω_b × n)                                                     (3)
//
// The inside of a convex shape is one with S_b(-n) in place of S_b(n), and -H_b: all of this holds, with H_a - H_b negative in the tangent
// plane where a is rounder than the hollow. Where it is not, there is no single contact point.
//
// A plane: n is z of b, ṅ = ω_b × n; s_b is the foot of s_a on it,
//   r_b = s_a - φ n - x_b,   ṙ_b = ṡ_a - φ̇ n - φ ṅ - v_b,   φ̇ = n·(u_a - u_b)                                          (4)
// The same on a surface that knows its distance f, with F = ∇∇f in world axes:
//   n = ∇f(s_a(n));   δn = (1 + F H_a)⁻¹(∇f - n)                                                                       (5)
//   (1 + F H_a) ṅ = ω_b × n + F(u_a - v_b - ω_b × (s_a - x_b) + H_a(ω_a × n))                                            (6)
#include "model/joints/contact_geometry.h"

#include "model/checks.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <limits>

namespace catena {
namespace {

constexpr double kNoContact = std::numeric_limits<double>::quiet_NaN();  // makes the step refuse

struct Support {
  Vec3 r;  // from the marker, world axes
  Mat3 H;
};

Support support_along(const ConvexShape& shape, const Marker& marker, const Vec3& direction) {
  Vec3 point;
  Mat3 derivative;
  shape.support(marker.R.transpose() * direction, point, derivative);
  return {marker.R * point, marker.R * derivative * marker.R.transpose()};
}

// x ⟂ n with (A + φ) x = b in the tangent plane; A n = 0
Vec3 solve_in_tangent_plane(Mat3 A, double phi, const Vec3& n, const Vec3& b) {
  const Mat3 along = n * n.transpose();
  // any value along n makes the matrix invertible; that of the trace keeps it well conditioned
  A += phi * (Mat3::Identity() - along) + std::max(std::abs(A.trace()), 1e-300) * along;
  return A.inverse() * (b - n * n.dot(b));
}

Vec3 material_velocity(const Marker& marker, const Vec3& r) {
  return marker.v + marker.w.cross(r);
}

// (4): the foot of s_a on b, from what is known of a
void follow_on_b(const Marker& a, const Marker& b, Contact& contact) {
  contact.r_b = a.x + contact.r_a - contact.gap * contact.n - b.x;
  contact.slip = material_velocity(a, contact.r_a) - material_velocity(b, contact.r_b);
  contact.r_b_dot =
      a.v + contact.r_a_dot - contact.n.dot(contact.slip) * contact.n - contact.gap * contact.n_dot - b.v;
}

/// Only what lies around can be hollow.
void check_not_hollow(const ConvexShape& a, Problems& problems) {
  if (a.is_hollow()) problems.push_back("a is hollow; exchange a and b: what is inside comes first");
}

class ConvexOnConvex final : public ContactGeometry {
 public:
  ConvexOnConvex(ConvexShapePtr a, ConvexShapePtr b) : shape_a_(std::move(a)), shape_b_(std::move(b)) {}

  Vec3 start_normal(const Marker& a, const Marker& b) const override {
    const Vec3 rho = (is_hollow() ? -1.0 : 1.0) * (a.x - b.x);
    return find_normal(a, b, rho.norm() > 0.0 ? Vec3(rho.normalized()) : Vec3(Vec3::UnitZ()));
  }

  Contact find(const Marker& a, const Marker& b, const Vec3& normal_before) const override {
    Contact contact;
    const Vec3 n = find_normal(a, b, normal_before);
    const Support on_a = support_along(*shape_a_, a, -n), on_b = support_along(*shape_b_, b, n);
    contact.n = n;
    contact.r_a = on_a.r;
    contact.r_b = on_b.r;
    contact.gap = n.dot(a.x + on_a.r - b.x - on_b.r);
    contact.slip = material_velocity(a, on_a.r) - material_velocity(b, on_b.r);
    const Vec3 turned_a = a.w.cross(n), turned_b = b.w.cross(n);
    contact.n_dot = solve_in_tangent_plane(on_a.H + on_b.H, contact.gap, n,
                                           contact.slip + on_a.H * turned_a + on_b.H * turned_b);  // (3)
    contact.r_a_dot = a.w.cross(on_a.r) - on_a.H * (contact.n_dot - turned_a);                     // (2)
    contact.r_b_dot = b.w.cross(on_b.r) + on_b.H * (contact.n_dot - turned_b);
    if (is_hollow() && !is_rounder(on_a.H + on_b.H, n)) contact.gap = kNoContact;
    return contact;
  }

  std::vector<std::string> validate() const override {
    if (!shape_a_ || !shape_b_)
      return {"a shape is missing; pass one such as ellipsoid_shape({0.1, 0.2, 0.3})"};
    Problems problems = shape_a_->validate();
    for (const std::string& problem : shape_b_->validate()) problems.push_back(problem);
    check_not_hollow(*shape_a_, problems);
    return problems;
  }

 private:
  bool is_hollow() const { return shape_b_->is_hollow(); }
  /// Whether A, with A n = 0, is negative in the tangent plane.
  static bool is_rounder(const Mat3& A, const Vec3& n) {
    return A.trace() < 0.0 && (A + n * n.transpose()).determinant() > 0.0;
  }
  // (1); from the step before it takes two or three iterations
  Vec3 find_normal(const Marker& a, const Marker& b, Vec3 n) const {
    for (int iteration = 0; iteration < 100; ++iteration) {
      const Support on_a = support_along(*shape_a_, a, -n), on_b = support_along(*shape_b_, b, n);
      const Vec3 between = a.x + on_a.r - b.x - on_b.r;
      // far apart φ > 0 only helps; deep inside one another the matrix must stay positive. In a hollow it is the other way round
      const double gap = n.dot(between), phi = is_hollow() ? std::min(gap, 0.0) : std::max(gap, 0.0);
      const Vec3 step = solve_in_tangent_plane(on_a.H + on_b.H, phi, n, between);
      n = (n + step).normalized();
      if (!(step.norm() > 1e-15)) break;
    }
    return n;
  }

  ConvexShapePtr shape_a_, shape_b_;
};

class ConvexOnPlane final : public ContactGeometry {
 public:
  explicit ConvexOnPlane(ConvexShapePtr shape) : shape_(std::move(shape)) {}
  Vec3 start_normal(const Marker&, const Marker& b) const override { return b.R.col(2); }
  Contact find(const Marker& a, const Marker& b, const Vec3&) const override {
    Contact contact;
    contact.n = b.R.col(2);
    contact.n_dot = b.w.cross(contact.n);
    const Support on_a = support_along(*shape_, a, -contact.n);
    contact.r_a = on_a.r;
    contact.r_a_dot = a.w.cross(on_a.r) - on_a.H * (contact.n_dot - a.w.cross(contact.n));  // (2)
    contact.gap = contact.n.dot(a.x + on_a.r - b.x);
    follow_on_b(a, b, contact);
    return contact;
  }
  std::vector<Figure> figures() const override { return {{.kind = Figure::Kind::plane}}; }
  std::vector<std::string> validate() const override {
    if (!shape_) return {"the shape is missing; pass one such as sphere_shape(0.1)"};
    Problems problems = shape_->validate();
    check_not_hollow(*shape_, problems);
    return problems;
  }

 private:
  ConvexShapePtr shape_;
};

class ConvexOnSurface final : public ContactGeometry {
 public:
  ConvexOnSurface(ConvexShapePtr shape, SurfacePtr surface)
      : shape_(std::move(shape)), surface_(std::move(surface)) {}
  Vec3 start_normal(const Marker& a, const Marker& b) const override {
    return find_normal(a, b, b.R * surface_->at(b.R.transpose() * (a.x - b.x)).gradient);
  }
  Contact find(const Marker& a, const Marker& b, const Vec3& normal_before) const override {
    Contact contact;
    const Vec3 n = find_normal(a, b, normal_before);
    const Support on_a = support_along(*shape_, a, -n);
    const Vec3 rho = a.x + on_a.r - b.x;
    const SurfaceValue value = surface_->at(b.R.transpose() * rho);
    const Mat3 F = b.R * value.hessian * b.R.transpose(), bend = Mat3::Identity() + F * on_a.H;
    contact.n = n;
    contact.n_dot =
        bend.inverse() * (b.w.cross(n) + F * (material_velocity(a, on_a.r) - material_velocity(b, rho) +
                                              on_a.H * a.w.cross(n)));  // (6)
    contact.r_a = on_a.r;
    contact.r_a_dot = a.w.cross(on_a.r) - on_a.H * (contact.n_dot - a.w.cross(n));  // (2)
    // where it is flatter than the hollow it lies in, it touches elsewhere too
    contact.gap = bend.determinant() > 0.0 && bend.trace() > 1.0 ? value.f : kNoContact;
    follow_on_b(a, b, contact);
    return contact;
  }
  std::vector<Figure> figures() const override {
    return surface_ ? surface_->figures() : std::vector<Figure>{};
  }
  std::vector<std::string> validate() const override {
    if (!surface_) return {"the surface is missing; pass one such as plane_surface({0, 0, 0}, {0, 0, 1})"};
    if (!shape_) return {"the shape is missing; pass one such as sphere_shape(0.1)"};
    Problems problems = surface_->validate();
    for (const std::string& problem : shape_->validate()) problems.push_back(problem);
    check_not_hollow(*shape_, problems);
    if (!surface_->is_distance())
      problems.push_back(
          fmt::format("bodies touch surfaces that know their distance, and this {} does not; use a plane, "
                      "sphere or cylinder, or give b a shape: an ellipsoid, or the cavity of one",
                      surface_->kind()));
    return problems;
  }

 private:
  // (5); spheres take one iteration
  Vec3 find_normal(const Marker& a, const Marker& b, Vec3 n) const {
    for (int iteration = 0; iteration < 100; ++iteration) {
      const Support on_a = support_along(*shape_, a, -n);
      const SurfaceValue value = surface_->at(b.R.transpose() * (a.x + on_a.r - b.x));
      const Mat3 F = b.R * value.hessian * b.R.transpose();
      const Vec3 step = (Mat3::Identity() + F * on_a.H).inverse() * (b.R * value.gradient - n);
      n = (n + step).normalized();
      if (!(step.norm() > 1e-15)) break;
    }
    return n;
  }

  ConvexShapePtr shape_;
  SurfacePtr surface_;
};

}  // namespace

std::shared_ptr<const ContactGeometry> convex_contact(ConvexShapePtr shape_a, ConvexShapePtr shape_b) {
  if (!shape_b) return std::make_shared<ConvexOnPlane>(std::move(shape_a));
  return std::make_shared<ConvexOnConvex>(std::move(shape_a), std::move(shape_b));
}

std::shared_ptr<const ContactGeometry> surface_contact(ConvexShapePtr shape, SurfacePtr surface) {
  return std::make_shared<ConvexOnSurface>(std::move(shape), std::move(surface));
}

}  // namespace catena
