// Elastic forces: joint coordinates with springs, dampers, limits and preloads, and constraints made compliant.
//
//   model.add("knee", hinge(at));
//   model.add("knee stop", elastic(hinge_coordinate(at), {.stiffness = 1e4, .damping = 10, .lower = 0.0, .upper = 2.4}));
//   model.add("pad", elastic(point_on_surface(tip, table, plane_surface(...)), {.stiffness = 1e5, .lower = 0.0}));   // contact
//
// An elastic force acts on coordinates c(q) (the rows of any holonomic constraint, which is then not enforced) by a law each:
//
//   F = Gᵀλ,   λ = f₀ - k·e(c) - b·ċ                                                                              (1)
//   e(c) = c, or how far c is outside of [lower, upper] where there are bounds: nothing acts inside, and nothing pulls back     (2)
//
// Explicit integrators apply (1) as it is. Implicit ones take λ as an unknown of its own with the compliance 1/k, so that any stiffness is
// as good as any other and an infinite one is the constraint itself.
#pragma once

#include "catena/force.h"
#include "catena/surfaces.h"

namespace CATENA_API catena {

/// Law of one coordinate. Units are those of the coordinate: N/m or N·m/rad, and so on.
struct Law {
  double stiffness = 0.0;  // k
  double damping = 0.0;    // b
  double preload = 0.0;    // f₀: acts on the coordinate where c = 0
  double lower =
      -std::numeric_limits<double>::infinity();  // bounds of free travel; given one, the law is one-sided
  double upper = std::numeric_limits<double>::infinity();
  double limit = std::numeric_limits<double>::infinity();  // largest |λ|

  bool has_bounds() const {
    return lower > -std::numeric_limits<double>::infinity() ||
           upper < std::numeric_limits<double>::infinity();
  }
};

/// What a law answers to a coordinate: λ and its derivatives, -∂λ/∂c and -∂λ/∂ċ. Both vanish where the law rests or is at its limit.
struct LawResponse {
  double force = 0.0;
  double stiffness = 0.0, damping = 0.0;
  double potential = 0.0;  // J
};
/// (1), (2). With a step, given by implicit integrators, only what happens outside of the bounds within it is damped: a coordinate that
/// enters by e moved there at e/step, not at its rate, and the force begins without a jump.
LawResponse respond(const Law& law, double c, double rate, double step = 0.0);

/// A force along coordinates c(q), the rows of a constraint that is not enforced: F = Gᵀλ, where λ depends on c, ċ, time and numbers of
/// the state. Implicit integrators take λ as unknowns; user-defined forces that derive from this are as stiff as they like.
class CoordinateForce : public Force {
 public:
  using Force::Force;
  /// Its markers are those of the force, in the same order.
  virtual const Constraint& coordinates() const = 0;
  /// The numbers of the coordinates in those of the force.
  virtual std::span<const double> coordinate_memory(std::span<const double> memory) const = 0;
  /// λ of a row and its derivatives. The motion has the time and this force's own numbers. @param step as for respond()
  virtual LawResponse answer(int row, const Motion& motion, double c, double rate, double step) const = 0;
  /// Stiffness, damping and bounds of a row, for estimates.
  virtual const Law& law(int row) const = 0;
  /// Whether it acts at all, from its numbers in the state.
  virtual bool is_on(std::span<const double>) const { return true; }
};

/// Coordinates with laws. The command "on" (1 at the start) switches them off (0) and on while a simulation runs.
class Elastic final : public CoordinateForce {
 public:
  Elastic(std::string_view kind, ConstraintPtr coordinates, std::vector<Law> laws);

  std::string_view kind() const override { return kind_; }
  const Constraint& coordinates() const override { return *coordinates_; }
  const Law& law(int row) const override { return laws_[laws_.size() == 1 ? 0 : std::size_t(row)]; }
  LawResponse answer(int row, const Motion& motion, double c, double rate, double step) const override;
  bool is_on(std::span<const double> memory) const override { return memory.empty() || memory[0] != 0.0; }
  std::span<const double> coordinate_memory(std::span<const double> memory) const override {
    return memory.empty() ? memory : memory.subspan(1);
  }

  void apply(const Motion& motion, Wrenches& wrenches) const override;
  double potential(const Motion& motion) const override;
  double nonconservative_power(const Motion& motion) const override;
  WorkSource source() const override { return WorkSource::damper; }
  bool depends_on_velocity() const override;
  bool needs_orientation() const override { return coordinates_ && coordinates_->needs_orientation(); }
  double stiffness() const override;
  int memory_size() const override { return 1 + (coordinates_ ? coordinates_->memory_size() : 0); }
  void start_memory(const Motion& motion, std::span<double> memory) const override;
  void advance_memory(const Motion& motion, std::span<double> memory) const override;
  std::span<const std::string_view> command_names() const override;
  std::vector<std::string> validate() const override;

 private:
  std::string_view kind_;
  ConstraintPtr coordinates_;
  std::vector<Law> laws_;  // one for all rows, or one per row
};

/// The same law on all rows of a constraint, or one law each.
ForcePtr elastic(ConstraintPtr coordinates, const Law& law);
ForcePtr elastic_each(ConstraintPtr coordinates, std::vector<Law> laws);

// Coordinates of joints, of marker a against marker b. Each may also be given to Model::add as a constraint that holds it at its rest.

/// Angle about z of b, counted over whole turns, less `rest`.   1 row
ConstraintPtr hinge_coordinate(const AttachmentPair& at, double rest = 0.0);
/// Travel along z of b, less `rest`.   1 row
ConstraintPtr slider_coordinate(const AttachmentPair& at, double rest = 0.0);
/// Rotation vector of a against b, in the axes of b; meant for rotations below π.   3 rows
ConstraintPtr ball_coordinates(const AttachmentPair& at);
/// Angles of a universal joint: about z of b, and about x of a.   2 rows
ConstraintPtr universal_coordinates(const AttachmentPair& at);
/// Travel along x and y of b, and the angle about z of b.   3 rows
ConstraintPtr planar_coordinates(const AttachmentPair& at);
/// Displacement of a from b in the axes of b, and rotation vector.   6 rows
ConstraintPtr frame_coordinates(const AttachmentPair& at);
/// Distance of the two points, less `rest`.   1 row
ConstraintPtr length_coordinate(const AttachmentPair& at, double rest);
/// Angle between the z axes: how far a ball joint is bent, for cones.   1 row
ConstraintPtr swing_coordinate(const AttachmentPair& at);

/// A sphere of radius r (0: a point) at marker a against the positive side of a surface fixed in b: pushes, never pulls.
ForcePtr compliant_contact(const Attachment& a, double radius, const Attachment& b, SurfacePtr surface,
                           double stiffness, double damping);

}  // namespace catena
