// Fingerprints of what a model consists of, so that a checkpoint is continued with what it was saved from.
//
// What a body, a constraint or a force says of itself (kind, attachments, mass, laws) counts to the last bit. What it does not say is seen
// in what it does: rows, wrenches and mass blocks at a few fixed motions and times, rounded to nine digits, so that another compiler has
// the same fingerprints. Start values do not count: a checkpoint brings its own. O(model), once per checkpoint.
#pragma once

#include "catena/model.h"

#include <string>
#include <string_view>
#include <vector>

namespace catena {

/// A number that something says of itself.
struct Said {
  std::string_view name;  // "stiffness"; empty in a checkpoint, where the place in the list tells
  double value = 0.0;
};

struct Mark {
  enum class Kind : std::uint8_t { gravity, body, constraint, force, inequality };
  Kind kind = Kind::gravity;
  std::string name;
  std::uint64_t print = 0;
  std::vector<Said> said = {};  // counted in `print`; to tell what differs
  bool operator==(const Mark& other) const {
    return kind == other.kind && name == other.name && print == other.print;
  }
  /// "force 'spring'"
  std::string label() const;
};

/// Of the whole model, in its order.
std::vector<Mark> marks_of(const Model& model);

/// Adds the marks of what `after` lacks of `before`.
void add_missing_marks(const Model& before, const Model& after, std::vector<Mark>& marks);

}  // namespace catena
