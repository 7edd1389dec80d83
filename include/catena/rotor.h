// Rotors: the inertia of a motor behind its gear.
//
//   const BodyId spool = model.add("spool", std::make_shared<Rotor>(2e-5));
//   model.add("gearbox", rotor_gear(spool, at, 50.0));       // the joint now feels 50²·2e-5 kg·m² more
//
// A rotor turns about an axis that is fixed in the world; it has a moment of inertia and no mass, so that gravity and the motion
// of the machine it sits on do not reach it. That is the usual model of geared motors: exact about the joint's own axis, without
// the gyroscopic torques of a rotor that is carried around.
#pragma once

#include "catena/body.h"
#include "catena/constraint.h"
#include "catena/export.h"

namespace CATENA_API catena {

/// An inertia about one axis.   q = (angle), v = (rate), M = (J)
class Rotor final : public Body {
 public:
  /// @param inertia about the axis, kg·m²
  /// @param position, axis where it is shown; they have no influence on the motion
  explicit Rotor(double inertia, const Vec3& position = Vec3::Zero(), const Vec3& axis = Vec3::UnitZ());
  std::string_view kind() const override { return "rotor"; }
  int num_q() const override { return 1; }
  int num_v() const override { return 1; }
  bool is_planar() const override;
  double mass() const override { return 0.0; }
  double inertia() const { return inertia_; }
  void mass_block(const double* q, double* M) const override;
  void add_velocity_force(const double* q, const double* v, double* F) const override;
  void point(const double* q, const double* v, const Vec3& local, PointMap& out) const override;
  void frame(const double* q, const double* v, FrameMap& out) const override;
  void retract(double* q, const double* d) const override;
  bool has_free_flight() const override { return true; }
  std::string pack(const Placement& placement, double* q, double* v) const override;
  Placement unpack(const double* q, const double* v) const override;
  std::vector<std::string> validate() const override;

 private:
  double inertia_;  // kg·m²
  Vec3 position_;   // m
  Mat3 axes_;       // of the frame at angle 0, z is the axis
};

/// ω_rotor = ratio · z_b·(ω_a - ω_b): the rotor turns `ratio` times as fast as a against b. A velocity row without C.
ConstraintPtr rotor_gear(BodyId rotor, const AttachmentPair& at, double ratio);
/// ω_rotor = ratio · (rate of travel of a along z of b), ratio in rad/m: a spindle or a rack.
ConstraintPtr linear_rotor_gear(BodyId rotor, const AttachmentPair& at, double ratio);

}  // namespace catena
