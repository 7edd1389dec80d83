// Pictures from models: glyphs, tracks, figures. O(size of the model).
#include "catena/output.h"
#include "io/picture/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace catena {
namespace {

/// Whether a point of the body lies outside its shape, so that an arm has to be drawn to it.
bool lies_outside(const Shape& shape, const Vec3& local) {
  switch (shape.kind) {
    case Shape::Kind::rod: {
      const double beyond = std::max(std::abs(local.x()) - 0.5 * shape.size.x(), 0.0);
      return std::hypot(beyond, local.y(), local.z()) > 2.0 * shape.size.y() + 1e-9;
    }
    case Shape::Kind::sphere:
      return local.norm() > 1.001 * shape.size.x();
    case Shape::Kind::box:
      return (local.cwiseAbs() - 0.5005 * shape.size).maxCoeff() > 1e-9;
    case Shape::Kind::ellipsoid:
      return local.cwiseQuotient(shape.size).norm() > 1.001;
    case Shape::Kind::disc:
      return local.head<2>().norm() > 1.001 * shape.size.x() ||
             std::abs(local.z()) > 0.5 * shape.size.y() + 0.05 * shape.size.x();
    case Shape::Kind::point:
      break;
  }
  return local.norm() > 1e-9;
}

std::string_view joint_glyph(std::string_view kind) {
  const auto has = [kind](std::string_view word) { return kind.find(word) != std::string_view::npos; };
  for (const auto& [word, glyph] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"rotor_gear", "gear"},   {"hinge", "hinge"},
           {"universal", "ball"},    {"constant_velocity", "ball"},
           {"ball", "ball"},         {"cylindrical", "slider"},
           {"slider", "slider"},     {"screw", "slider"},
           {"weld", "weld"},         {"nail", "point"},
           {"distance", "bar"},      {"rope", "rope"},
           {"drum", "rope"},         {"curve", "curve"},
           {"surface", "surface"},   {"tangency", "surface"},
           {"rolling", "rolling"},   {"knife", "rolling"},
           {"gear", "gear"},         {"differential", "gear"},
           {"rack", "gear"},         {"planar", "surface"},
           {"remote_drive", "gear"}, {"sliding_point", "surface"}})
    if (has(word)) return glyph;
  return "other";
}

std::string_view force_glyph(std::string_view kind) {
  if (kind.find("motor") != std::string_view::npos) return "motor";
  if (kind == "spring" || kind == "mouse_spring" || kind == "bushing") return "spring";
  if (kind == "load" || kind == "drag") return kind;
  return "other";
}

class PictureBuilder {
 public:
  explicit PictureBuilder(const Simulation& sim) : sim_(sim), model_(sim.model()) {}

  Picture build() {
    add_bodies();
    for (std::size_t i = 0; i < model_.constraints().size(); ++i)
      if (!is_hidden(model_.constraints()[i].name)) add_joint(int(i));
    for (const ForceEntry& entry : model_.forces())
      if (!is_hidden(entry.name)) add_force(entry);
    for (std::size_t i = 0; i < model_.inequalities().size(); ++i)
      if (!is_hidden(model_.inequalities()[i].name)) add_inequality(int(i));
    add_chains();
    set_view();
    return std::move(picture_);
  }

 private:
  // points at the centre of a body are shared: nets have many lines through one particle
  int add_point(const Attachment& at) {
    const bool is_centre = at.body != world && at.point.isZero(0.0);
    if (is_centre)
      if (const auto it = centres_.find(at.body.value); it != centres_.end()) return it->second;
    picture_.points.push_back({at});
    const int index = int(picture_.points.size()) - 1;
    if (is_centre) centres_[at.body.value] = index;
    return index;
  }
  PictureEnd end_of(const Attachment& at) const { return {model_.index_of(at.body), at.point, at.axes}; }
  void add_track(std::string of, const std::string& name, std::string kind, std::vector<int> points,
                 bool closed = false, double radius = 0.0) {
    picture_.tracks.push_back({std::move(of), name, std::move(kind), closed, radius, std::move(points)});
  }

  void add_bodies();
  void add_joint(int index);
  void add_force(const ForceEntry& entry);
  void add_inequality(int index);
  void add_figures(const std::vector<Figure>& figures, std::span<const Attachment> at, const std::string& of,
                   const std::string& name);
  void add_arm(const Attachment& at, const std::string& of, const std::string& name);
  void add_chains();
  void set_view();

  const Simulation& sim_;
  const Model& model_;
  Picture picture_;
  std::unordered_map<std::uint32_t, int> centres_;  // id of a body to the point at its centre
};

void PictureBuilder::add_bodies() {
  for (std::size_t i = 0; i < model_.bodies().size(); ++i) {
    const BodyEntry& entry = model_.bodies()[i];
    if (is_hidden(entry.name)) continue;
    PictureBody body{.name = entry.name,
                     .kind = std::string(entry.body->kind()),
                     .mass = entry.body->mass(),
                     .velocities = entry.body->num_v(),
                     .shape = entry.shape,
                     .planar = entry.body->is_planar()};
    const std::string of = fmt::format("body {}", i);
    if (entry.body->type() == BodyType::other) {
      const auto lines = entry.body->picture_lines();
      body.wires = !lines.empty();
      for (const std::vector<Vec3>& way : join_lines(lines)) {
        std::vector<int> points;
        const bool closed = way.size() > 2 && way.front() == way.back();
        for (std::size_t k = 0; k < way.size() - (closed ? 1 : 0); ++k)
          points.push_back(add_point({entry.id, way[k], Mat3::Identity()}));
        add_track(of, entry.name, "wire", std::move(points), closed);
      }
    }
    add_figures(entry.body->figures(), {}, of, entry.name);
    picture_.bodies.push_back(std::move(body));
  }
}

void PictureBuilder::add_arm(const Attachment& at, const std::string& of, const std::string& name) {
  const int body = model_.index_of(at.body);
  if (body < 0 || picture_.bodies[std::size_t(body)].wires) return;
  const BodyEntry& entry = model_.bodies()[std::size_t(body)];
  if (!entry.body->has_orientation() || entry.body->kind() == "rotor" || !lies_outside(entry.shape, at.point))
    return;
  add_track(of, name, "arm", {add_point({at.body, Vec3::Zero(), Mat3::Identity()}), add_point(at)});
}

// What is fixed in a body is drawn with it; a curve on a moving body as a track, since pages draw those anyway.
void PictureBuilder::add_figures(const std::vector<Figure>& figures, std::span<const Attachment> at,
                                 const std::string& of, const std::string& name) {
  for (const Figure& figure : figures) {
    const Attachment marker = figure.marker >= 0 && std::size_t(figure.marker) < at.size()
                                  ? at[std::size_t(figure.marker)]
                                  : Attachment{};
    const int body = model_.index_of(marker.body);
    if (figure.kind == Figure::Kind::drum) {
      const int from = add_point(at[0]), touch = int(picture_.points.size());
      picture_.points.push_back({at[0], true, marker, figure.size.x(), figure.size.y()});
      add_track(of, name, "rope", {from, touch});
    }
    if (figure.kind == Figure::Kind::curve && body >= 0) {
      std::vector<int> points;
      for (const Vec3& p : figure.points)
        points.push_back(add_point({marker.body, marker.point + marker.axes * p, Mat3::Identity()}));
      add_track(of, name, "curve", std::move(points), figure.closed);
      continue;
    }
    PictureFigure placed{figure, body, name, marker.axes};
    placed.figure.centre = marker.point + marker.axes * figure.centre;
    placed.figure.axis = marker.axes * figure.axis;
    for (Vec3& p : placed.figure.points) p = marker.point + marker.axes * p;
    picture_.fixed.push_back(std::move(placed));
  }
}

void PictureBuilder::add_joint(int index) {
  const ConstraintEntry& entry = model_.constraints()[std::size_t(index)];
  const Constraint& constraint = *entry.constraint;
  const auto at = constraint.attachments();
  const std::string of = fmt::format("joint {}", index);
  PictureJoint joint{.name = entry.name,
                     .kind = std::string(constraint.kind()),
                     .glyph = std::string(joint_glyph(constraint.kind())),
                     .rows = constraint.num_rows(entry.planar),
                     .driven = constraint.depends_on_time()};
  if (!at.empty()) joint.a = end_of(at.front());
  if (at.size() > 1)
    joint.b = end_of(at.back());
  else if (!at.empty())
    joint.b.point = sim_.marker(at.front()).x;  // a nail: the place it is at
  joint.grounded = joint.a.body < 0 || joint.b.body < 0;
  const std::string& glyph = joint.glyph;
  if (glyph == "rope" && constraint.kind() != "drum") {
    std::vector<int> points;
    for (const Attachment& marker : at) points.push_back(add_point(marker));
    add_track(of, entry.name, "rope", std::move(points));
  } else if (glyph == "bar" && at.size() == 2) {
    const int first = add_point(at[0]);
    add_track(of, entry.name, "bar", {first, add_point(at[1])});
  }
  if (glyph != "gear" && glyph != "surface" && glyph != "rolling" && glyph != "rope" &&
      constraint.kind() != "centre_of_mass") {
    // the marker of b on a curve or a slider only says where the axis is
    add_arm(at.empty() ? Attachment{} : at[0], of, entry.name);
    if (at.size() == 2 && glyph != "curve" && glyph != "slider") add_arm(at[1], of, entry.name);
  }
  add_figures(constraint.figures(), at, of, entry.name);
  picture_.joints.push_back(std::move(joint));
}

// Ropes, and the surfaces that something touches.
void PictureBuilder::add_inequality(int index) {
  const InequalityEntry& entry = model_.inequalities()[std::size_t(index)];
  const Constraint& rows = entry.inequality->rows();
  const std::string of = fmt::format("inequality {}", index);
  if (rows.kind() == "rope") {
    std::vector<int> points;
    for (const Attachment& marker : rows.attachments()) points.push_back(add_point(marker));
    add_track(of, entry.name, "rope", std::move(points));
  }
  add_figures(rows.figures(), rows.attachments(), of, entry.name);
}

void PictureBuilder::add_force(const ForceEntry& entry) {
  const auto at = entry.force->attachments();
  PictureForce force{.name = entry.name,
                     .kind = std::string(entry.force->kind()),
                     .glyph = std::string(force_glyph(entry.force->kind()))};
  for (const Attachment& marker : at) force.ends.push_back(end_of(marker));
  for (const std::string_view name : entry.force->command_names()) force.commands.emplace_back(name);
  if (force.commands.size() == 1 && force.commands[0] == "on")
    force.commands.clear();  // a switch, no command
  if (!force.commands.empty()) {
    const auto values = sim_.command(entry.id);
    force.values.assign(values.begin(), values.end());
  }
  const std::string of = fmt::format("force {}", picture_.forces.size());
  const bool between = at.size() == 2 && (force.kind == "spring" || force.kind == "central_force");
  if (force.kind == "spring" || force.kind == "load")
    for (const Attachment& marker : at) add_arm(marker, of, entry.name);
  if (between && force.kind == "spring") {
    const int first = add_point(at[0]);
    add_track(of, entry.name, "spring", {first, add_point(at[1])});
  }
  picture_.forces.push_back(std::move(force));
}

// One tube per row of rods.
void PictureBuilder::add_chains() {
  const std::vector<RodChain> chains = find_chains(model_);
  for (std::size_t k = 0; k < chains.size(); ++k) {
    std::vector<int> points;
    for (const RodChain::Link& link : chains[k].links) {
      const BodyEntry& entry = model_.bodies()[std::size_t(link.body)];
      picture_.bodies[std::size_t(link.body)].chain = int(k);
      const double half = 0.5 * link.sign * entry.shape.size.x();
      if (points.empty()) points.push_back(add_point({entry.id, {-half, 0, 0}, Mat3::Identity()}));
      points.push_back(add_point({entry.id, {half, 0, 0}, Mat3::Identity()}));
    }
    const BodyEntry& first = model_.bodies()[std::size_t(chains[k].links.front().body)];
    add_track(fmt::format("chain {}", k), first.name, "tube", std::move(points), chains[k].closed,
              first.shape.size.y());
  }
}

void PictureBuilder::set_view() {
  picture_.gravity = model_.gravity;
  const bool planar =
      !picture_.bodies.empty() && std::all_of(picture_.bodies.begin(), picture_.bodies.end(),
                                              [](const PictureBody& body) { return body.planar; });
  if (model_.gravity.norm() > 0.0)
    picture_.up = -model_.gravity.normalized();
  else
    picture_.up = planar ? Vec3::UnitY() : Vec3::UnitZ();

  Vec3 low = Vec3::Constant(HUGE_VAL), high = -low;
  const auto include = [&](const Vec3& p, double radius) {
    if (!p.allFinite()) return;
    low = low.cwiseMin(p - Vec3::Constant(radius));
    high = high.cwiseMax(p + Vec3::Constant(radius));
  };
  for (const BodyEntry& entry : model_.bodies()) {
    const Placement at = sim_.placement(entry.id);
    const Vec3& size = entry.shape.size;
    if (entry.shape.kind == Shape::Kind::rod) {
      for (const double sign : {-0.5, 0.5})
        include(at.position + at.orientation * Vec3(sign * size.x(), 0, 0), size.y());
    } else {
      include(at.position, entry.shape.kind == Shape::Kind::box ? 0.5 * size.norm() : size.maxCoeff());
    }
  }
  for (const PicturePoint& point : picture_.points) include(sim_.marker(point.at).x, 0.0);
  for (const PictureFigure& fixed : picture_.fixed) {
    if (fixed.body >= 0) continue;
    for (const Vec3& p : fixed.figure.points) include(p, 0.0);
    if (fixed.figure.kind == Figure::Kind::sphere) include(fixed.figure.centre, fixed.figure.size.x());
    if (fixed.figure.kind == Figure::Kind::ellipsoid)
      include(fixed.figure.centre, fixed.figure.size.maxCoeff());
  }
  if (!(low.x() <= high.x())) return;
  picture_.centre = 0.5 * (low + high);
  picture_.size = std::max((high - low).norm(), 1e-6);
}

}  // namespace

Picture make_picture(const Simulation& sim) {
  return PictureBuilder(sim).build();
}

void mark_dependencies(const CheckReport& report, const Model& model, Picture& picture) {
  for (const Dependency& dependency : report.dependencies) {
    const std::string note =
        dependency.summary + (dependency.remedy.empty() ? "" : " (" + dependency.remedy + ")");
    const auto mark = [&](ConstraintId id, int rows) {
      const int index = model.index_of(id);
      if (index < 0 || std::size_t(index) >= picture.joints.size()) return;
      PictureJoint& joint = picture.joints[std::size_t(index)];
      joint.redundant_rows += rows;
      joint.in_conflict = joint.in_conflict || !dependency.is_consistent;
      if (joint.note.empty() && (rows > 0 || !dependency.is_consistent)) joint.note = note;
    };
    mark(dependency.implied, 1);
    if (dependency.is_consistent) continue;
    for (const DependencyPart& part : dependency.parts) mark(part.id, 0);
  }
}

}  // namespace catena
