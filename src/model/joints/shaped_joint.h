// A joint made from its description: rows, geometric stiffness, explicit form and planar version.
#pragma once

#include "model/joints/joint_base.h"
#include "model/joints/joint_shape.h"

namespace catena {

/// The rows of a description, from row 0. @param in_plane_axis   of a planar clamp: the axis on which the angle is measured
void write_shape_rows(const JointShape& shape, const Motion& motion, int in_plane_axis, Rows& rows);
/// Adds their geometric stiffness.
void add_shape_stiffness(const JointShape& shape, const Motion& motion, int in_plane_axis,
                         std::span<const double> lambda, MarkerStiffness& K);

class ShapedJoint : public PairConstraint {
 public:
  ShapedJoint(const JointShape& shape, const AttachmentPair& at);

  const JointShape& shape() const { return shape_; }
  std::string_view kind() const override { return shape_.kind; }
  JointType type() const override { return shape_.type; }
  int num_rows(bool planar) const override { return shape_.num_rows(planar); }
  bool needs_orientation() const override { return shape_.holds_axes(); }
  LowerPair lower_pair(bool planar) const override { return shape_.lower_pair(planar); }
  bool has_geometric_stiffness() const override { return shape_.holds_axes(); }
  void evaluate(const Motion& motion, Rows& rows) const override {
    write_shape_rows(shape_, motion, in_plane_axis_, rows);
  }
  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    add_shape_stiffness(shape_, motion, in_plane_axis_, lambda, K);
  }
  /// What the plane z = 0 asks of the markers.
  std::vector<std::string> validate(bool planar) const override;

 private:
  const JointShape& shape_;
  int in_plane_axis_ = 2;
};

}  // namespace catena
