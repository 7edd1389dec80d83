// Edits of a structure: what is added and joined. edit_change.cpp has what is removed and set.
#include "view/edit.h"

#include "view/json.h"

#include <fmt/format.h>

#include <cmath>

namespace catena::app {
namespace {

Json list_of(const Vec3& v) {
  return Json::array({v.x(), v.y(), v.z()});
}

Json list_of(const Quat& q) {
  return Json::array({q.w(), q.x(), q.y(), q.z()});
}

/// Turns body x into a direction.
Quat x_along(const Vec3& direction) {
  const double yaw = std::atan2(direction.y(), direction.x());
  const double pitch = std::atan2(direction.z(), std::hypot(direction.x(), direction.y()));
  return Quat(Eigen::AngleAxisd(yaw, Vec3::UnitZ())) * Quat(Eigen::AngleAxisd(-pitch, Vec3::UnitY()));
}

/// z along `axis` and x as near to `along` as possible.
Quat lying(const Vec3& axis, const Vec3& along) {
  const Vec3 z = axis.normalized(), y = z.cross(along);
  if (!(y.norm() > 1e-9)) return rotation_between(Vec3::UnitZ(), z);
  Mat3 axes;
  axes << y.normalized().cross(z), y.normalized(), z;
  return Quat(axes);
}

double size_at(const Json& edit, std::size_t index, double fallback) {
  const auto it = edit.find("size");
  if (it == edit.end()) return fallback;
  if (it->is_number() && index == 0) return it->get<double>();
  if (!it->is_array() || it->size() <= index || !(*it)[index].is_number()) return fallback;
  return (*it)[index].get<double>();
}

bool closes_points(const std::string& kind) {
  return kind == "hinge" || kind == "ball" || kind == "weld" || kind == "slider";
}

}  // namespace

Editor::Editor(Json scene, const Scene& start, const Simulation& sim)
    : scene_(std::move(scene)), start_(start), sim_(sim) {
  give_names(scene_);
}

void Editor::apply(const Json& edit) {
  const std::string op = text_at(edit, "op");
  if (op == "add-body") return add_body(edit);
  if (op == "connect") return connect(edit);
  if (op == "delete") {
    if (const auto names = edit.find("names"); names != edit.end() && names->is_array()) {
      for (const Json& name : *names)
        if (name.is_string()) remove(name.get<std::string>());
      return;
    }
    return remove(text_at(edit, "name"));
  }
  if (op == "set") {
    if (!edit.contains("value")) refuse("set", "the value is missing", "give name, key and value");
    return set(text_at(edit, "name", ""), text_at(edit, "key"), edit["value"]);
  }
  refuse("edit", fmt::format("there is no operation '{}'", op), "use add-body, connect, delete or set");
}

bool Editor::is_taken(const std::string& name) const {
  const Model& model = start_.model;
  return name == "world" || added_.contains(name) || find_entry(scene_, name) != nullptr ||
         model.find_body(name) || model.find_constraint(name) || model.find_force(name);
}

std::string Editor::new_name(const Json& edit, const std::string& kind) const {
  if (const std::string given = text_at(edit, "name", ""); !given.empty()) {
    if (is_taken(given)) refuse("edit", fmt::format("the name '{}' is taken", given), "choose another");
    if (given.starts_with('.')) refuse("edit", "names may not begin with a '.'", "choose another");
    return given;
  }
  for (int number = 1;; ++number)
    if (std::string name = fmt::format("{}{}", kind, number); !is_taken(name)) return name;
}

void Editor::add_body(const Json& edit) {
  const std::string kind = text_at(edit, "kind");
  const std::string name = new_name(edit, kind);
  const bool planar = edit.value("planar", false);
  Part part;
  part.planar = planar;
  part.now.position = vector_at(edit, "position", Vec3::Zero());
  Json entry{{"name", name}, {"kind", planar ? "planar" : "rigid"}, {"mass", number_at(edit, "mass", 1.0)}};
  if (const auto axis = edit.find("axis"); axis != edit.end() && !planar)
    part.now.orientation =
        edit.contains("along")
            ? lying(vector_at(edit, "axis", Vec3::UnitZ()), vector_at(edit, "along", Vec3::UnitX()))
            : rotation_between(Vec3::UnitZ(), vector_at(edit, "axis", Vec3::UnitZ()));
  if (kind == "particle") {
    part.particle = true;
    entry["kind"] = planar ? "particle-2d" : "particle";
    entry["radius"] = size_at(edit, 0, 0.05);
  } else if (kind == "ball") {
    entry["shape"] = {{"kind", planar ? "disc" : "sphere"}, {"radius", size_at(edit, 0, 0.1)}};
  } else if (kind == "rod") {
    const Vec3 from = vector_at(edit, "from", part.now.position - Vec3(0.5, 0, 0));
    const Vec3 to = vector_at(edit, "to", part.now.position + Vec3(0.5, 0, 0));
    const double length = (to - from).norm();
    if (!(length > 1e-9)) refuse("add-body", "a rod needs two ends that differ", "draw it longer");
    part.now.position = 0.5 * (from + to);
    part.now.orientation = x_along(to - from);
    entry["shape"] = {{"kind", "rod"}, {"length", length}, {"radius", size_at(edit, 0, length / 30.0)}};
  } else if (kind == "box") {
    entry["shape"] = {{"kind", "box"}, {"size", {size_at(edit, 0, 0.3), size_at(edit, 1, 0.2)}}};
    if (!planar) entry["shape"]["size"].push_back(size_at(edit, 2, 0.2));
  } else if (kind == "disc") {
    entry["shape"] = {{"kind", "disc"}, {"radius", size_at(edit, 0, 0.2)}};
    if (!planar) entry["shape"]["thickness"] = size_at(edit, 1, 0.05);
  } else {
    refuse("add-body", fmt::format("there is no kind '{}'", kind), "use particle, ball, rod, box or disc");
  }
  if (planar) part.now.position.z() = 0.0;
  entry["position"] =
      planar ? Json::array({part.now.position.x(), part.now.position.y()}) : list_of(part.now.position);
  if (!part.particle && planar) {
    const Vec3 x = part.now.orientation * Vec3::UnitX();
    entry["angle"] = std::atan2(x.y(), x.x());
    part.now.orientation = Quat(Eigen::AngleAxisd(entry["angle"].get<double>(), Vec3::UnitZ()));
  } else if (!part.particle) {
    entry["orientation"] = list_of(part.now.orientation);
  }
  if (!scene_["bodies"].is_array()) scene_["bodies"] = Json::array();
  scene_["bodies"].push_back(std::move(entry));
  added_[name] = part;
}

Editor::Part Editor::part_of(const std::string& name) const {
  if (name == "world" || name.empty()) {
    Part part;
    part.is_world = true;
    return part;
  }
  if (const auto it = added_.find(name); it != added_.end()) return it->second;
  const auto id = sim_.model().find_body(name);
  if (!id || name.starts_with('.'))
    refuse("edit", fmt::format("there is no body '{}'", name), "it may have been deleted");
  const Body& body = *sim_.model().bodies()[std::size_t(sim_.model().index_of(*id))].body;
  Part part;
  part.now = sim_.placement(*id);
  part.planar = body.is_planar();
  part.particle = !body.has_orientation();
  part.bends = body.type() == BodyType::other;
  return part;
}

Editor::Side Editor::side_of(const Json& edit, const char* key) const {
  const auto it = edit.find(key);
  if (it == edit.end() || !it->is_object()) return {"world", part_of("world"), Vec3::Zero()};
  Side side;
  side.name = text_at(*it, "body", "world");
  side.part = part_of(side.name);
  side.local = vector_at(*it, "point", Vec3::Zero());
  if (side.part.particle) side.local.setZero();
  return side;
}

// The placement with which the side's own point is at `point`.
void Editor::write_placed(Json& entry, const char* key, const Side& side, const Vec3& point) const {
  if (side.part.is_world || side.part.bends) return;
  Json placed{{"position", list_of(Vec3(point - side.part.now.orientation * side.local))}};
  if (!side.part.particle) placed["orientation"] = list_of(side.part.now.orientation);
  // nothing need be said where it starts there anyway
  Placement start = side.part.now;
  if (const auto id = start_.model.find_body(side.name); id && !added_.contains(side.name)) {
    const BodyEntry& body = start_.model.bodies()[std::size_t(start_.model.index_of(*id))];
    start = body.body->unpack(body.q.data(), body.v.data());
  }
  const bool is_start = (start.position - (point - side.part.now.orientation * side.local)).norm() < 1e-12 &&
                        start.orientation.coeffs() == side.part.now.orientation.coeffs();
  if (!is_start) entry[key] = std::move(placed);
}

bool Editor::is_hinged(const Side& a, const Side& b) const {
  for (const char* section : {"joints", "constraints"}) {
    const auto list = scene_.find(section);
    if (list == scene_.end() || !list->is_array()) continue;
    for (const Json& entry : *list) {
      if (!entry.is_object() || !entry.contains("kind") || entry["kind"] != "hinge") continue;
      const std::string first = text_at(entry, "a", "world"), second = text_at(entry, "b", "world");
      if ((first == a.name && second == b.name) || (first == b.name && second == a.name)) return true;
    }
  }
  return false;
}

// The whole part that hangs together with a body, unless it hangs on the world or on the other side.
void Editor::close_gap(const Side& a, const Side& b) {
  const Vec3 gap = b.at() - a.at();
  if (gap.norm() < 1e-12) return;
  const auto free_part = [this](const Side& side, const Side& other) {
    std::set<std::string> part{side.name};
    bool grows = true, held = side.part.is_world;
    while (grows && !held) {
      grows = false;
      for (const ConstraintEntry& entry : sim_.model().constraints()) {
        if (entry.name.starts_with('.')) continue;
        std::set<std::string> names;
        bool touches = false, grounded = entry.constraint->attachments().size() == 1;
        for (const Attachment& at : entry.constraint->attachments()) {
          const int index = sim_.model().index_of(at.body);
          const std::string name = index < 0 ? "" : sim_.model().bodies()[std::size_t(index)].name;
          grounded = grounded || index < 0;
          touches = touches || part.contains(name);
          names.insert(name);
        }
        if (!touches) continue;
        held = held || grounded || names.contains(other.name);
        for (const std::string& name : names) grows = part.insert(name).second || grows;
      }
    }
    return held ? std::set<std::string>{} : part;
  };
  const auto move = [this](const std::set<std::string>& part, const Vec3& by) {
    for (const std::string& name : part) {
      const auto it = added_.find(name);
      if (it == added_.end()) {
        shifts_[name] = shifts_.contains(name) ? Vec3(shifts_[name] + by) : by;
        continue;
      }
      Vec3& position = it->second.now.position;
      position += by;
      Json& written = (*find_entry(scene_, name))["position"];
      for (std::size_t i = 0; i < written.size(); ++i) written[i] = position[Eigen::Index(i)];
    }
  };
  if (const auto part = free_part(a, b); !part.empty()) return move(part, gap);
  if (const auto part = free_part(b, a); !part.empty()) return move(part, -gap);
}

// Two points that stay apart.
void Editor::join_apart(Json& entry, const Side& a, const Side& b, bool is_spring) const {
  const double length = (a.at() - b.at()).norm();
  entry["point_a"] = list_of(a.at());
  entry["point_b"] = list_of(b.at());
  write_placed(entry, "placed_a", a, a.at());
  write_placed(entry, "placed_b", b, b.at());
  if (is_spring) entry["stiffness"] = 100.0;
  entry[is_spring ? "rest_length" : "length"] = is_spring ? length : std::max(length, 1e-6);
}

// One point, with both bodies placed as if they met there.
void Editor::join_at_point(Json& entry, const Side& a, const Side& b) const {
  const Vec3 point = b.part.is_world ? b.at() : a.at();
  entry["point"] = list_of(point);
  write_placed(entry, "placed_a", a, point);
  write_placed(entry, "placed_b", b, point);
}

void Editor::connect(const Json& edit) {
  std::string kind = text_at(edit, "kind");
  Side a = side_of(edit, "a"), b = side_of(edit, "b");
  if (a.part.is_world) std::swap(a, b);  // forces and nails want a body first
  if (a.part.is_world) refuse("connect", "both sides are the world", "connect a body");
  if (a.name == b.name)
    refuse("connect", "both sides are the same body", "connect two bodies, or one to the world");
  const std::string name = new_name(edit, kind);
  const bool planar = a.part.planar && (b.part.planar || b.part.is_world);
  const bool has_particle = a.part.particle || b.part.particle;
  if (has_particle && (kind == "hinge" || kind == "weld")) kind = "ball";
  if (kind == "ball" && planar && !has_particle) kind = "hinge";

  static const std::map<std::string, std::string> words{
      {"rod", "distance"}, {"motor", "velocity-motor"}, {"curve", "point-on-curve"}};
  const auto word = words.find(kind);
  Json entry{{"name", name}, {"kind", word != words.end() ? word->second : kind}, {"a", a.name}};
  if (kind != "nail" && !b.part.is_world) entry["b"] = b.name;
  if (kind == "rod" || kind == "spring") {
    join_apart(entry, a, b, kind == "spring");
  } else if (closes_points(kind)) {
    close_gap(a, b);
    if (const auto moved = added_.find(a.name); moved != added_.end()) a.part = moved->second;
    if (const auto moved = added_.find(b.name); moved != added_.end()) b.part = moved->second;
    join_at_point(entry, a, b);
  } else if (kind == "motor") {
    join_at_point(entry, a, b);
    entry["speed"] = 2.0;
    entry["gain"] = 10.0;
  } else if (kind == "nail" || kind == "curve") {
    if (kind == "nail" && edit.contains("b")) {
      entry["target"] = list_of(b.at());
      close_gap(a, b);
      if (const auto moved = added_.find(a.name); moved != added_.end()) a.part = moved->second;
    }
    entry["point"] = list_of(a.at());
    write_placed(entry, "placed_a", a, a.at());
  } else {
    refuse("connect", fmt::format("there is no kind '{}'", kind),
           "use rod, hinge, slider, ball, weld, spring, motor, nail or curve");
  }
  if (kind == "slider" || (!planar && (kind == "hinge" || kind == "motor")))
    entry["axis"] = list_of(vector_at(edit, "axis", kind == "slider" ? Vec3::UnitX() : Vec3::UnitY()));
  for (const auto& [key, value] : edit.items()) {
    static const std::set<std::string> own{"op", "kind", "name", "a", "b", "axis", "id", "type"};
    if (!own.contains(key)) entry[key] = value;
  }
  if (kind == "motor" && !is_hinged(a, b)) {
    Json hinge = edit;
    for (const char* key : {"speed", "gain", "limit", "torque"}) hinge.erase(key);
    hinge["kind"] = "hinge";
    hinge["name"] = name + "-hinge";
    connect(hinge);
  }
  Json& list = scene_[kind == "spring" || kind == "motor" ? "forces" : "joints"];
  if (!list.is_array()) list = Json::array();
  list.push_back(std::move(entry));
}

}  // namespace catena::app
