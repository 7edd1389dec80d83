// Inequalities: what pushes and never pulls, holds up to a bound only, or slides with friction.
//
// An inequality is a constraint whose multipliers have a law. Any constraint will do, built in or a user's own (catena/constraint.h): it says
// what its rows are, C and Ċ = G·(velocities of its markers) + C_t; held, its multipliers λ would be whatever that takes. The law of a row says
// how far they may go instead:
//
//   travel    lower ≤ C ≤ upper      λ ≥ 0 where C is at its lower bound, λ ≤ 0 at the upper, λ = 0 between      limits, ropes, contacts   (1)
//   box       |λ| ≤ limit            Ċ = 0 as long as that suffices, else λ = -limit·sign Ċ                       dry friction, brakes      (2)
//   tangent   |λ_t| ≤ μ λ_n          over the tangents of one normal row n together: 0 slip, or λ_t against it    friction of contacts      (3)
//   load      |λ| ≤ μ |λ_n|          as a box whose limit is what another row carries                             torsional friction        (4)
//
// At an impact the rate of a row of travel goes from Ċ⁻ to at least -e·Ċ⁻, e its restitution.
//
//   model.add("stop", limits(hinge_coordinate(at), -0.5, 1.2));
//   model.add("floor", contact(ball_marker, sphere_shape(0.1), floor_marker, nullptr, {.friction = 0.5, .restitution = 0.8}));
//
// A program: examples/cpp/contact.cpp
#pragma once

#include "catena/joints.h"

namespace CATENA_API catena {

/// Law of the multiplier of one row.
struct RowLaw {
  enum class Kind : std::uint8_t { travel, box, tangent, load };
  Kind kind = Kind::travel;
  double lower = 0.0;  // travel: bounds of C; of a contact C is the gap
  double upper = std::numeric_limits<double>::infinity();
  double restitution = 0.0;  // travel: e, 0 to 1
  double limit = 0.0;        // box                                                  N, N·m
  int of = -1;               // tangent, load: the row, of travel, that carries it
  double friction =
      0.0;  // tangent: μ, that of a normal row's first tangent counts; load: μ in units of its row, as m
};

/// What two surfaces that touch are made of.
struct ContactMaterial {
  double friction = 0.0;     // μ
  double restitution = 0.0;  // e
};

class Inequality {
 public:
  /// @param laws  one per row; of rows in the plane, the first ones
  Inequality(std::string_view kind, ConstraintPtr rows, std::vector<RowLaw> laws)
      : kind_(kind), rows_(std::move(rows)), laws_(std::move(laws)) {}

  std::string_view kind() const { return kind_; }
  /// What its rows are; nothing holds them but this.
  const Constraint& rows() const { return *rows_; }
  const ConstraintPtr& shared_rows() const { return rows_; }
  std::span<const RowLaw> laws() const { return laws_; }
  const RowLaw& law(int row) const { return laws_[std::size_t(row)]; }
  std::span<const Attachment> attachments() const {
    return rows_ ? rows_->attachments() : std::span<const Attachment>{};
  }
  int num_rows(bool planar) const { return rows_->num_rows(planar); }
  int memory_size() const { return rows_->memory_size(); }
  void start_memory(const Motion& motion, std::span<double> own) const { rows_->start_memory(motion, own); }
  void advance_memory(const Motion& motion, std::span<double> own) const {
    rows_->advance_memory(motion, own);
  }
  std::vector<std::string> validate(bool planar) const;

 private:
  std::string_view kind_;
  ConstraintPtr rows_;
  std::vector<RowLaw> laws_;
};
using InequalityPtr = std::shared_ptr<const Inequality>;

/// Coordinates of a joint (catena/force.h: hinge_coordinate, slider_coordinate, ball_coordinates, ...) stay within bounds.
InequalityPtr limits(ConstraintPtr coordinates, double lower, double upper, double restitution = 0.0);
/// The same with bounds for every row.
InequalityPtr limits_each(ConstraintPtr coordinates, std::vector<double> lower, std::vector<double> upper,
                          double restitution = 0.0);
/// A rope (rope, winch_rope, rope_on_drum) or a distance that may go slack: its length is at most what the constraint says.
InequalityPtr slack(ConstraintPtr rope);
/// A constraint that pushes only: C ≥ 0. Tangency that lifts off, a point above a surface, a user's own.
InequalityPtr one_sided(ConstraintPtr constraint, double restitution = 0.0);
/// Coulomb's dry friction along coordinates of a joint, or a brake: at most this force or torque, along each row.
InequalityPtr dry_friction(ConstraintPtr coordinates, double limit);

/// A convex body at marker a against the plane z = 0 of marker b, or, where it has one, a shape there. Shapes as for rolling (catena/joints.h).
InequalityPtr contact(const Attachment& a, ConvexShapePtr shape_a, const Attachment& b,
                      ConvexShapePtr shape_b, ContactMaterial material);
/// A convex body at marker a on the positive side of a surface in b. @pre surface->is_distance()
InequalityPtr contact_on_surface(const Attachment& a, ConvexShapePtr shape, const Attachment& b,
                                 SurfacePtr surface, ContactMaterial material);
/// Rows of a user's own: the first is a gap, the next two (in the plane one) are slips along two tangents at right angles.
InequalityPtr contact_rows(ConstraintPtr rows, ContactMaterial material);

}  // namespace catena
