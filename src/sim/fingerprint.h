// Fingerprints of what a model consists of, so that a checkpoint is continued with what it was saved from.
//
// What a body, a constraint or a force says of itself (kind, attachments, mass, laws) counts to the last bit. What it does not say is seen
// in what it does: rows, wrenches and mass blocks at a few fixed motions and times, rounded to nine digits, so that another compiler has
// the same fingerprints. Start values do not count: a checkpoint brings its own. O(model), once per checkpoint.
#pragma once

#include "catena/model.h"

#include <string>
#include <vector>

namespace catena {

struct Mark {
  enum class Kind : std::uint8_t { gravity, body, constraint, force };
  Kind kind = Kind::gravity;
  std::string name;
  std::uint64_t print = 0;
  bool operator==(const Mark&) const = default;
  /// "force 'spring'"
  std::string label() const;
};

/// Of the whole model, in its order.
std::vector<Mark> marks_of(const Model& model);

/// Adds the marks of what `after` lacks of `before`.
void add_missing_marks(const Model& before, const Model& after, std::vector<Mark>& marks);

}  // namespace catena
