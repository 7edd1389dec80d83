// Rows of rods: a joint between the ends of exactly two rods is a link; what has two free or branching ends is a chain.
#include "io/picture/parts.h"

#include <array>
#include <cmath>

namespace catena {
namespace {

constexpr std::size_t kFewestLinks = 8;  // fewer rods are a mechanism, not a rope
constexpr double kAtEnd = 0.02;          // of the length: a joint nearer than this to an end is at it

/// Which end of a rod a point is at: 0 (-x), 1 (+x), or -1 for neither.
int end_at(const BodyEntry& entry, const Vec3& point) {
  if (entry.shape.kind != Shape::Kind::rod || !entry.body->has_orientation()) return -1;
  const double length = entry.shape.size.x(), slack = kAtEnd * length;
  if (std::hypot(point.y(), point.z()) > slack) return -1;
  if (std::abs(std::abs(point.x()) - 0.5 * length) > slack) return -1;
  return point.x() > 0 ? 1 : 0;
}

bool joins_points(const Constraint& constraint) {
  const std::string_view kind = constraint.kind();
  return kind == "ball" || kind == "hinge" || kind == "universal" || kind == "constant_velocity";
}

struct End {
  int other_body = -1, other_end = -1;
  int count = 0;  // joints at this end
};

}  // namespace

std::vector<RodChain> find_chains(const Model& model) {
  const auto bodies = model.bodies();
  std::vector<std::array<End, 2>> ends(bodies.size());
  for (const ConstraintEntry& entry : model.constraints()) {
    const auto at = entry.constraint->attachments();
    if (at.size() != 2 || !joins_points(*entry.constraint)) continue;
    const int a = model.index_of(at[0].body), b = model.index_of(at[1].body);
    const int end_a = a < 0 ? -1 : end_at(bodies[std::size_t(a)], at[0].point);
    const int end_b = b < 0 ? -1 : end_at(bodies[std::size_t(b)], at[1].point);
    const bool both = end_a >= 0 && end_b >= 0;
    if (end_a >= 0) {
      End& end = ends[std::size_t(a)][std::size_t(end_a)];
      ++end.count;
      if (both) end.other_body = b, end.other_end = end_b;
    }
    if (end_b >= 0) {
      End& end = ends[std::size_t(b)][std::size_t(end_b)];
      ++end.count;
      if (both) end.other_body = a, end.other_end = end_a;
    }
  }
  const auto next = [&](int body, int end) -> const End* {
    const End& here = ends[std::size_t(body)][std::size_t(end)];
    if (here.count != 1 || here.other_body < 0) return nullptr;
    const End& there = ends[std::size_t(here.other_body)][std::size_t(here.other_end)];
    return there.count == 1 && there.other_body == body ? &here : nullptr;
  };

  std::vector<RodChain> chains;
  std::vector<char> seen(bodies.size(), 0);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (seen[i] || bodies[i].shape.kind != Shape::Kind::rod) continue;
    // back to the beginning, or once around
    int body = int(i), entry = 0;
    for (const End* step = next(body, entry); step != nullptr; step = next(body, entry)) {
      body = step->other_body;
      entry = 1 - step->other_end;
      if (body == int(i)) break;
    }
    RodChain chain;
    const int first = body;
    while (true) {
      seen[std::size_t(body)] = 1;
      chain.links.push_back({body, entry == 0 ? 1.0 : -1.0});
      const End* step = next(body, 1 - entry);
      if (step == nullptr) break;
      body = step->other_body;
      entry = step->other_end;
      if (body == first) {
        chain.closed = true;
        break;
      }
      if (seen[std::size_t(body)]) break;
    }
    if (chain.links.size() >= kFewestLinks) chains.push_back(std::move(chain));
  }
  return chains;
}

std::vector<std::vector<Vec3>> join_lines(const std::vector<std::pair<Vec3, Vec3>>& lines) {
  std::vector<std::vector<Vec3>> ways;
  for (const auto& [from, to] : lines) {
    if (!ways.empty() && ways.back().back() == from)
      ways.back().push_back(to);
    else
      ways.push_back({from, to});
  }
  return ways;
}

}  // namespace catena
