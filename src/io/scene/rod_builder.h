// What generators build with: equal rods (or particles) and joints, numbered under one prefix.
#pragma once

#include "catena/force.h"
#include "catena/joints.h"
#include "io/scene/context.h"

namespace catena::io {

class RodBuilder {
 public:
  /// Keys that every generator of rods has.
  static std::vector<Key> keys(std::string_view kind, std::string_view default_name);

  /// Reads the common keys. Totals, where the record has them, are divided by `total`.
  RodBuilder(SceneContext& context, const Fields& fields, std::string_view default_name, int total = 1);

  double length() const { return length_; }
  bool planar() const { return planar_; }
  const Vec3& start() const { return start_; }
  const Vec3& direction() const { return direction_; }
  const Vec3& axis() const { return axis_; }

  /// A rod from `from` along the unit vector `along`, named prefix + number. Later calls may give other
  /// lengths.
  std::optional<BodyRef> add_rod(const Vec3& from, const Vec3& along);
  std::optional<BodyRef> add_rod(const Vec3& from, const Vec3& along, double length);
  /// A body of another kind, named prefix-suffix.
  std::optional<BodyRef> add_body(std::string_view suffix, std::shared_ptr<const Body> body,
                                  const Vec3& position, const Shape& shape);
  /// A joint of the chosen kind at a world point, named prefix-joint + number; ball where a particle takes
  /// part.
  void add_joint(const BodyRef& a, const BodyRef& b, const Vec3& point);
  void add_joint(const BodyRef& a, const BodyRef& b, const Vec3& point, const Vec3& axis);
  void add_constraint(ConstraintPtr constraint);

 private:
  std::shared_ptr<const Body> make_rod(double length) const;
  void add_spring(const AttachmentPair& at);

  SceneContext& context_;
  const Node& node_;
  std::string prefix_, joint_;
  bool planar_ = false;
  double length_ = 1.0, mass_ = 1.0, radius_ = 0.05;
  Vec3 start_, direction_, axis_;
  Vec3 turn_;                        // angular velocity of the whole about start_
  Law spring_;                       // of the joints
  std::shared_ptr<const Body> rod_;  // shared by all rods of the usual length
  int num_rods_ = 0, num_joints_ = 0;
};

}  // namespace catena::io
