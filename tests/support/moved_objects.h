// Bodies, constraints and forces seen from elsewhere (moved_model.h, equation (1)).
#pragma once

#include "support/moved_model.h"

#include <functional>
#include <map>

namespace catena::test {

/// How an object of the old world is used in the new one.
enum class Seen : std::uint8_t {
  as_it_is,  // with markers at their new places
  from_old,  // with the motion of its markers brought back to the old world
};

/// What all objects of one model have in common.
struct Passage {
  Change change;
  std::map<std::uint32_t, BodyId> bodies;  // new handles by old ones
  Attachment move(const Attachment& at) const;
  std::vector<Attachment> move(std::span<const Attachment> attachments) const;
  /// The motion in the old world; `markers` is where it is kept. Markers of the world do not move with the boost.
  Motion bring_back(const Motion& motion, std::span<const Attachment> attachments,
                    std::vector<Marker>& markers) const;
};

/// A body in its new world with its start values; `body` is another object only where it has to be.
struct MovedBody {
  std::shared_ptr<const Body> body;
  VecX q, v;
};
MovedBody move_body(const BodyEntry& entry, const Change& change);

ConstraintPtr move_constraint(const ConstraintPtr& constraint, const std::shared_ptr<const Passage>& passage);
ForcePtr move_force(const ForceEntry& entry, const std::shared_ptr<const Passage>& passage);

}  // namespace catena::test
