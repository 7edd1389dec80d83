// What the joints between two frames have in common, and their checks in the plane.
#pragma once

#include "catena/constraint.h"

#include <cmath>

namespace catena {

/// A constraint with the markers a = at[0] and b = at[1].
class PairConstraint : public Constraint {
 public:
  explicit PairConstraint(const AttachmentPair& at) : Constraint({at.a, at.b}) {}
};

/// A pair that also holds directions.
class FramePairConstraint : public PairConstraint {
 public:
  using PairConstraint::PairConstraint;
  bool needs_orientation() const override { return true; }
};

/// What a joint that needs three dimensions says to planar bodies.
inline void check_in_space(std::string_view what, bool planar, std::vector<std::string>& problems) {
  if (planar)
    problems.push_back(std::string(what) + " does not exist in the plane z = 0; use spatial bodies");
}

/// In the plane z = 0 a body's z axis is the world's: the z axis of every marker must be ± that one.
inline void check_axes_normal_to_plane(const Constraint& joint, std::vector<std::string>& problems) {
  for (const Attachment& at : joint.attachments()) {
    if (at.axes.allFinite() && !(std::abs(at.axes(2, 2)) > 1.0 - 1e-9)) {
      problems.push_back("in the plane z = 0 the axis must be z; give the axis (0, 0, 1)");
      return;
    }
  }
}

/// In the plane z = 0 no motion undoes a tilt of one marker against the other.
inline void check_equal_tilt(const Constraint& joint, std::vector<std::string>& problems) {
  const Mat3 &axes_a = joint.attachments()[0].axes, &axes_b = joint.attachments()[1].axes;
  if (axes_a.allFinite() && axes_b.allFinite() &&
      (axes_a.row(2) - axes_b.row(2)).cwiseAbs().maxCoeff() > 1e-9) {
    problems.push_back(
        "the two markers are tilted against each other, which no motion in the plane z = 0 can "
        "undo; give both the axis (0, 0, 1)");
  }
}

/// A planar slider slides in the plane.
inline void check_axes_in_plane(const Constraint& joint, std::vector<std::string>& problems) {
  for (const Attachment& at : joint.attachments()) {
    if (at.axes.allFinite() && !(std::abs(at.axes(2, 2)) < 1e-9)) {
      problems.push_back(
          "in the plane z = 0 the sliding axis must lie in the plane; give one such as (1, 0, 0)");
      return;
    }
  }
}

}  // namespace catena
