// Bodies: anything with coordinates q, velocities v and a point map.
//
// The engine asks a body for six things and knows nothing else about it: how many numbers describe it, its mass
// block, its velocity-quadratic force, where a point fixed in it is and how it moves (x, J, bias), how its
// frame turns, and how to move it by a velocity (retraction). Everything else (constraints, forces, solvers,
// integrators) is written against these, so that bodies of any kind mix in one model.
//
// Here: what every body answers, where it is, and what pictures show of it. catena/bodies.h has the kinds.
//
// A program: examples/cpp/lagrangian_body.cpp
#pragma once

#include "catena/math.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CATENA_API catena {

/// Where a body is and how it moves, in words every kind understands. Planar bodies use x, y and the angle
/// about z; particles use the position only. What a kind cannot represent is an error, never ignored.
struct Placement {
  Vec3 position = Vec3::Zero();          // of the centre of mass                                  m
  Quat orientation = Quat::Identity();   // body axes to world axes                                -
  Vec3 velocity = Vec3::Zero();          // of the centre of mass, world axes                      m/s
  Vec3 angular_velocity = Vec3::Zero();  // world axes                                             rad/s
};

/// What a picture shows for a body. It has no influence on the motion.
struct Shape {
  enum class Kind : std::uint8_t { point, rod, sphere, box, disc, ellipsoid };
  Kind kind = Kind::point;
  // rod: (length along body x, radius, -); sphere: (radius, -, -); box: full edges; disc about body z: (radius, thickness, -);
  // ellipsoid: semi-axes                                                                                m
  Vec3 size = Vec3::Zero();
};

class Curve;

/// A curve or a surface in the coordinates of a marker of the constraint it belongs to, or of the world.
struct Figure {
  enum class Kind : std::uint8_t {
    line,       // through `centre` along `axis`, endless
    curve,      // through `points`
    plane,      // through `centre`, normal `axis`, endless
    sphere,     // radius size.x
    cylinder,   // about the line through `centre` along `axis`, radius size.x, length size.y (0: endless)
    ellipsoid,  // semi-axes `size` along the axes of the marker
    drum,  // about z of the marker, radius size.x; the rope from the first marker winds on it to the left (size.y = 1) or right (-1)
  };
  Kind kind = Kind::curve;
  int marker = -1;  // position in attachments(); -1: the world
  Vec3 centre = Vec3::Zero(), axis = Vec3::UnitZ(), size = Vec3::Zero();  // m
  std::vector<Vec3> points{};                                             // m
  bool closed = false;  // the last point is joined to the first
};

/// The part of a curve that its range covers, as a line through points. @param marker whose coordinates it is given in
Figure figure_of(const Curve& curve, int marker = -1);

/// No body has more velocities than this: what one needs then fits on the stack.
inline constexpr int kMostVelocities = 30;
using VelocityMap = Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, kMostVelocities>;

/// Motion of a point fixed in a body:  ẋ = J·v,  ẍ = J·v̇ + bias.
struct PointMap {
  Vec3 x;         // position                         m
  Vec3 bias;      // J̇·v                              m/s²
  VelocityMap J;  // 3 × num_v
};

/// Motion of the frame fixed in a body:  ω = W·v,  ω̇ = W·v̇ + bias.
struct FrameMap {
  Mat3 R;         // body axes to world axes
  Vec3 bias;      // Ẇ·v                              rad/s²
  VelocityMap W;  // 3 × num_v
};

/// The kinds the hot loops know by name; every other kind goes through the virtual functions.
enum class BodyType : std::uint8_t { particle2, particle3, planar, rigid, other };

class Body {
 public:
  virtual ~Body() = default;

  virtual std::string_view kind() const = 0;
  virtual BodyType type() const { return BodyType::other; }
  virtual int num_q() const = 0;
  virtual int num_v() const = 0;
  virtual bool is_planar() const { return false; }       // lives in the plane z = 0
  virtual bool has_orientation() const { return true; }  // false: only points may be attached, no axes
  virtual double mass() const = 0;                       // total mass, for gravity and reports      kg

  /// Writes the mass block M(q), num_v × num_v, column-major and symmetric.
  virtual void mass_block(const double* q, double* M) const = 0;

  /// Adds the velocity-quadratic force (gyroscopic, Coriolis) to F: it stands on the side of the applied
  /// forces, M·v̇ = F + Jᵀλ.
  virtual void add_velocity_force(const double* q, const double* v, double* F) const = 0;

  /// Motion of the point whose body coordinates are `local`.
  virtual void point(const double* q, const double* v, const Vec3& local, PointMap& out) const = 0;

  /// Motion of the body frame. @pre has_orientation()
  virtual void frame(const double* q, const double* v, FrameMap& out) const = 0;

  /// q ← q ⊕ d, where d is a velocity times a time. Rotations stay rotations.
  virtual void retract(double* q, const double* d) const = 0;

  /// Rate of the chart u ↦ q ⊕ u when the body moves with velocity v: u̇ with d/dt (q ⊕ u) ≙ v. Multi-stage integrators
  /// add their stages in this chart. The default, u̇ = v, is right where ⊕ is addition.
  virtual void chart_rate(const double* u, const double* v, double* u_dot) const;

  /// Free flight of a variational integrator: moves q over the time h with the momentum P = M·v of mid-step held
  /// fixed in world axes. The default, q ⊕ h·M⁻¹·P, is second order when M does not depend on q.
  virtual void drift(double h, const double* P, double* q) const;
  /// Whether drift() is a proper free flight; the variational integrator refuses models with bodies that say no.
  virtual bool has_free_flight() const { return type() != BodyType::other; }

  // What follows has defaults that are right for bodies whose body coordinates begin at the centre of mass, that do not
  // change their shape and whose frame is that of their points.

  /// Body coordinates of the material point that is at the world point x now.
  virtual Vec3 local_point(const double* q, const Vec3& x) const;

  /// Weight of all parts in the uniform field g: adds the generalised force to F; its potential.
  virtual void add_gravity(const double* q, const Vec3& g, double* F) const;
  virtual double gravity_potential(const double* q, const Vec3& g) const;  // J

  /// Forces of the body on itself: what brings its shape back, and the damping of that.
  virtual bool has_shape_force() const { return false; }
  virtual void add_shape_force(const double* /*q*/, const double* /*v*/, double* /*F*/) const {}
  virtual double shape_potential(const double* /*q*/) const { return 0.0; }  // J
  virtual double shape_damping_power(const double* /*q*/, const double* /*v*/) const {
    return 0.0;
  }  // W, ≤ 0

  virtual Vec3 linear_momentum(const double* q, const double* v) const;  // kg·m/s
  virtual Vec3 angular_momentum(const double* q,
                                const double* v) const;  // about the world's origin   kg·m²/s

  /// Why no body can be in the state q ("its scale is not positive"); nothing when it can. A step that ends there is refused.
  virtual const char* state_problem(const double* /*q*/) const { return nullptr; }

  /// Straight lines of the material, in body coordinates, that show the body in a picture when its shape says too little.
  virtual std::vector<std::pair<Vec3, Vec3>> picture_lines() const { return {}; }

  /// What a picture shows of it in the world: the wire of a bead.
  virtual std::vector<Figure> figures() const { return {}; }

  /// Placement to coordinates; returns an empty string, or what this kind cannot represent.
  virtual std::string pack(const Placement& placement, double* q, double* v) const = 0;
  virtual Placement unpack(const double* q, const double* v) const = 0;

  /// What is wrong with the parameters, each with a remedy; empty when all is well.
  virtual std::vector<std::string> validate() const = 0;
};

}  // namespace catena
