// Reads a frame of a film strip from a simulation.
#include "io/picture/film_strip_frame.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace catena {
namespace {

// A picture of more things than these is slower to open and shows nothing more.
constexpr std::size_t kMaxBodies = 2000;
constexpr std::size_t kMaxJoints = 250;
constexpr std::size_t kMaxLinks = 2000;

bool is_on_world(const Attachment& attachment) {
  return attachment.body == world;
}

/// Whether a point of the body lies outside its shape, so that an arm has to be drawn to it. Rods reach their joints.
bool is_outside(const Shape& shape, const Vec3& local) {
  switch (shape.kind) {
    case Shape::Kind::rod:
      return false;
    case Shape::Kind::sphere:
      return local.norm() > 1.001 * shape.size.x();
    case Shape::Kind::box:
      return (local.cwiseAbs() - 0.5005 * shape.size).maxCoeff() > 0;
    case Shape::Kind::ellipsoid:
      return local.cwiseQuotient(shape.size).norm() > 1.001;
    case Shape::Kind::disc:
      return local.head<2>().norm() > 1.001 * shape.size.x();
    case Shape::Kind::point:
      break;
  }
  return local.norm() > 0;
}

/// Closed curve p·cos + q·sin in body coordinates, as links.
void capture_ellipse(const Placement& at, const Vec3& p, const Vec3& q, FilmFrame& frame) {
  constexpr int kPieces = 24;
  const auto point = [&](int k) -> Vec3 {
    const double angle = 2.0 * std::numbers::pi * k / kPieces;
    return at.position + at.orientation * (std::cos(angle) * p + std::sin(angle) * q);
  };
  for (int k = 0; k < kPieces; ++k) frame.links.push_back({point(k), point(k + 1), false});
}

/// What is drawn by lines: discs with a spoke, ellipsoids, and bodies that say themselves which lines show them.
void capture_wires(const Simulation& sim, const BodyEntry& entry, const Placement& at, FilmFrame& frame) {
  const Vec3& size = entry.shape.size;
  if (entry.shape.kind == Shape::Kind::disc) {
    const Vec3 x = size.x() * Vec3::UnitX(), y = size.x() * Vec3::UnitY();
    capture_ellipse(at, x, y, frame);
    frame.links.push_back({at.position, at.position + at.orientation * x, false});
  } else if (entry.shape.kind == Shape::Kind::ellipsoid) {
    const Vec3 x = size.x() * Vec3::UnitX(), y = size.y() * Vec3::UnitY(), z = size.z() * Vec3::UnitZ();
    capture_ellipse(at, x, y, frame);
    capture_ellipse(at, y, z, frame);
    capture_ellipse(at, z, x, frame);
  }
  if (entry.body->type() != BodyType::other) return;
  const auto place = [&](const Vec3& p) { return sim.marker({entry.id, p, Mat3::Identity()}).x; };
  for (const auto& [from, to] : entry.body->picture_lines())
    frame.links.push_back({place(from), place(to), false});
}

void capture_arms(const Simulation& sim, std::span<const Attachment> attachments, FilmFrame& frame) {
  for (const Attachment& at : attachments) {
    const int body = sim.model().index_of(at.body);
    if (body >= 0 && is_outside(sim.model().bodies()[std::size_t(body)].shape, at.point))
      frame.links.push_back({sim.placement(at.body).position, sim.marker(at).x, false});
  }
}

void capture_constraint(const Simulation& sim, const Constraint& constraint, FilmFrame& frame) {
  const auto at = constraint.attachments();
  // a bead's place on its wire is no bearing, and the origin of the wire is nowhere to be seen
  const auto is = [&](std::string_view word) {
    return constraint.kind().find(word) != std::string_view::npos;
  };
  if (at.empty() || is("curve") || is("surface") || is("rolling") || is("tangency") || is("knife") ||
      is("sliding"))
    return;
  if (is("rope")) {
    for (std::size_t k = 0; k + 1 < at.size(); ++k)
      frame.links.push_back({sim.marker(at[k]).x, sim.marker(at[k + 1]).x, false});
    return;
  }
  if (is("drum")) {
    frame.links.push_back({sim.marker(at[0]).x, sim.marker(at[1]).x, false});
    return;
  }
  if (is("gear") || is("differential") || is("rack") || is("centre") || is("remote")) return;
  capture_arms(sim, at, frame);
  const Vec3 first = sim.marker(at[0]).x;
  if (at.size() == 1) {
    frame.joints.push_back({first, true});
    return;
  }
  const Vec3 second = sim.marker(at[1]).x;
  const bool is_bar = constraint.kind().find("distance") != std::string_view::npos;
  if (is_bar) frame.links.push_back({first, second, false});
  if (is_on_world(at[0]) || is_on_world(at[1]))
    frame.joints.push_back({is_on_world(at[0]) ? first : second, true});
  else if (!is_bar)
    frame.joints.push_back({first, false});
}

}  // namespace

FilmFrame capture_frame(const Simulation& sim) {
  FilmFrame frame;
  frame.time = sim.time();
  const Model& model = sim.model();
  const std::size_t num_bodies = model.bodies().size();
  frame.stride = int((num_bodies + kMaxBodies - 1) / kMaxBodies);
  if (frame.stride < 1) frame.stride = 1;
  for (std::size_t i = 0; i < num_bodies; ++i) {
    if (i % std::size_t(frame.stride) != 0 && i + 1 != num_bodies) continue;
    const BodyEntry& entry = model.bodies()[i];
    const Placement at = sim.placement(entry.id);
    frame.bodies.push_back({entry.shape, at.position, at.orientation.toRotationMatrix()});
    capture_wires(sim, entry, at, frame);
  }
  if (model.constraints().size() <= kMaxLinks)
    for (const ConstraintEntry& entry : model.constraints())
      capture_constraint(sim, *entry.constraint, frame);
  for (const InequalityEntry& entry : model.inequalities())
    if (entry.inequality->rows().kind() == "rope") capture_constraint(sim, entry.inequality->rows(), frame);
  // of many joints only the bearings are worth a mark
  if (frame.joints.size() > kMaxJoints)
    std::erase_if(frame.joints, [](const DrawnJoint& joint) { return !joint.grounded; });
  for (const ForceEntry& entry : model.forces()) {
    const auto at = entry.force->attachments();
    if (frame.links.size() < 2 * kMaxLinks && at.size() == 2 && entry.force->kind().find("spring") == 0)
      frame.links.push_back({sim.marker(at[0]).x, sim.marker(at[1]).x, true});
  }
  return frame;
}

void append_moving_points(const FilmFrame& frame, std::vector<Vec3>& points) {
  for (const DrawnBody& body : frame.bodies) {
    if (body.shape.kind == Shape::Kind::rod || body.shape.kind == Shape::Kind::sphere) {
      // the ends of a rod, or of the spoke of a sphere
      const Vec3 arm =
          (body.shape.kind == Shape::Kind::rod ? 0.5 : 1.0) * body.shape.size.x() * body.R.col(0);
      points.push_back(body.x - arm);
      points.push_back(body.x + arm);
    } else if (body.shape.kind == Shape::Kind::box) {
      for (int corner = 0; corner < 8; ++corner) {
        const Vec3 sign(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, corner & 4 ? 0.5 : -0.5);
        points.push_back(body.x + body.R * body.shape.size.cwiseProduct(sign));
      }
    } else {
      points.push_back(body.x);
    }
  }
  for (const DrawnLink& link : frame.links) {
    points.push_back(link.a);
    points.push_back(link.b);
  }
  for (const DrawnJoint& joint : frame.joints) points.push_back(joint.x);
}

void append_extent(const FilmFrame& frame, std::vector<Vec3>& points) {
  append_moving_points(frame, points);
  for (const DrawnBody& body : frame.bodies)
    if (body.shape.kind == Shape::Kind::sphere)
      for (int i = 0; i < 3; ++i)
        for (double sign : {-1.0, 1.0}) points.push_back(body.x + sign * body.shape.size.x() * Vec3::Unit(i));
}

}  // namespace catena
