// Springs with dampers, as elastic coordinates: along a line, about an axis, towards a target in the world, between two frames.
//
//   spring_damper    c = |ρ| - l₀           torsion_spring   c = θ - θ₀, turns counted
//   mouse_spring     c = x - target         bushing          c = (R_bᵀρ ; log(R_bᵀR_a))
//
// λ = -k c - b ċ and F = Gᵀλ (catena/force.h): the force is the exact gradient of k c²/2, and damping acts on the rate of the coordinate.
#include "catena/force.h"
#include "catena/joints.h"

namespace catena {
namespace {

ForcePtr spring(std::string_view kind, ConstraintPtr coordinates, double stiffness, double damping) {
  return std::make_shared<Elastic>(kind, std::move(coordinates),
                                   std::vector<Law>{{.stiffness = stiffness, .damping = damping}});
}

}  // namespace

ForcePtr spring_damper(const AttachmentPair& at, double stiffness, double damping, double rest_length) {
  return spring("spring", length_coordinate(at, rest_length), stiffness, damping);
}
ForcePtr torsion_spring(const AttachmentPair& at, double stiffness, double damping, double rest_angle) {
  return spring("torsion_spring", hinge_coordinate(at, rest_angle), stiffness, damping);
}
ForcePtr mouse_spring(const Attachment& a, const Vec3& target, double stiffness, double damping) {
  return spring("mouse_spring", nail(a, target), stiffness, damping);
}

ForcePtr bushing(const AttachmentPair& at, const Vec3& linear_stiffness, const Vec3& angular_stiffness,
                 const Vec3& linear_damping, const Vec3& angular_damping) {
  std::vector<Law> laws;
  laws.reserve(6);
  for (int i = 0; i < 3; ++i)
    laws.push_back({.stiffness = linear_stiffness[i], .damping = linear_damping[i]});
  for (int i = 0; i < 3; ++i)
    laws.push_back({.stiffness = angular_stiffness[i], .damping = angular_damping[i]});
  return std::make_shared<Elastic>("bushing", frame_coordinates(at), std::move(laws));
}

}  // namespace catena
