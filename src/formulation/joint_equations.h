// The equations of motion in joint coordinates as the conductor sees them: `minimal/` implements them on trees of bodies.
//
// Rows are those of the model, in its order. The rows of joints that carry a body in the tree hold by themselves: J, C, C_t and b of them are
// zero, and so are their multipliers in a solution, until somebody reads them (complete_multipliers).
#pragma once

#include "formulation/body_equations.h"

namespace catena {

/// Where the coordinates of a joint are in a state.
struct JointPlace {
  int q = -1, num_q = 0;
  int v = -1, num_v = 0;
  bool exists() const { return q >= 0; }
};

class JointEquations : public Equations {
 public:
  /// Of a constraint, by its position in the model; of those that are no joints of the tree there is none.
  virtual JointPlace place_of(int constraint) const = 0;
  /// The same on another system of the same layout, without analysing anything again.
  virtual std::unique_ptr<JointEquations> clone(System& system, BodyEquations& bodies) const = 0;

  /// Coordinates of bodies from those of joints, and back: exact where the joints hold, else the nearest. Turns are counted from the q of
  /// joints on entry; empty: those nearest to zero. Nothing that is evaluated changes.
  virtual void to_bodies(const VecX& q, const VecX& v, VecX& body_q, VecX& body_v) = 0;
  virtual void to_joints(const VecX& body_q, const VecX& body_v, VecX& q, VecX& v) = 0;

  /// The body whose coordinates place it nowhere, as a quaternion that is no rotation; -1: all are somewhere.
  virtual int body_that_is_nowhere(const VecX& q, const VecX& v) const = 0;

  /// The equations in body coordinates, brought to the evaluated instant where they are not there yet.
  virtual BodyEquations& bodies() = 0;
  /// Somebody else has taken them elsewhere.
  virtual void bodies_have_moved() = 0;
  /// v̇ of the bodies at accelerations of the joints.
  virtual void body_accelerations(const VecX& a, VecX& out) = 0;
  /// Multipliers of the tree's joints, from the balance of forces at every body; those of the others are given.
  virtual void complete_multipliers(const VecX& a, VecX& lambda) = 0;
};

/// @param formulation  minimal or middle. Throws InvalidInput where joint coordinates are not for this model, with the reason.
/// `system` and `bodies` outlive the result.
std::unique_ptr<JointEquations> make_joint_equations(const Model& model, System& system,
                                                     BodyEquations& bodies, Formulation formulation,
                                                     double residual_tolerance);

}  // namespace catena
