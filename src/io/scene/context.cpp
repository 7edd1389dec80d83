// Names of a scene, and the places of what the model finds wrong.
#include "io/scene/context.h"

#include "catena/interrupt.h"
#include "io/document/suggest.h"

#include <fmt/format.h>

namespace catena::io {

bool BodyPair::planar() const {
  if (a.is_world()) return !b.is_world() && b.body->is_planar();
  return a.body->is_planar() && (b.is_world() || b.body->is_planar());
}

SceneContext::Named* SceneContext::add_name(Names& names, std::string_view what, const Node& node,
                                            std::string name) {
  if (what == "body" && (name == "world" || name == "free")) {
    diagnostics.add(node, fmt::format("'{}' is not a name for a body", name),
                    "the word is taken; choose another name");
    return nullptr;
  }
  allow_interruption();  // generators add millions
  const auto [it, is_new] = names.try_emplace(std::move(name));
  if (!is_new) {
    diagnostics.add(node, fmt::format("the name '{}' is used by more than one {}", shorten(it->first), what),
                    fmt::format("rename one; the other is at {}", it->second.node->where()));
    return nullptr;
  }
  it->second.node = &node;
  return &it->second;
}

std::optional<BodyRef> SceneContext::add_body(const Node& node, std::string name,
                                              std::shared_ptr<const Body> body, const Placement& placement,
                                              const Shape& shape) {
  Named* named = add_name(bodies_, "body", node, name);
  if (named == nullptr) return std::nullopt;
  const BodyId id = scene.model.add(std::move(name), body, placement, shape);
  named->body = {id, std::move(body), placement, {}};
  return named->body;
}

std::optional<BodyRef> SceneContext::add_body(const Node& node, std::string name,
                                              std::shared_ptr<const Body> body, const VecX& q, const VecX& v,
                                              const Shape& shape) {
  Named* named = add_name(bodies_, "body", node, name);
  if (named == nullptr) return std::nullopt;
  const BodyId id = scene.model.add_at(std::move(name), body, q, v, shape);
  const Placement placement = body->unpack(q.data(), v.data());
  named->body = {id, std::move(body), placement, q};
  return named->body;
}

void SceneContext::add_frame(const Node& node, std::string name, const BodyRef& carrier,
                             const Placement& placement) {
  Named* named = add_name(bodies_, "body", node, std::move(name));
  if (named == nullptr) return;
  named->body = carrier;
  named->body.placement = placement;
  named->body.on = carrier.is_frame() ? carrier.on : carrier.placement;
}

void SceneContext::add_unusable_body(const Node& node, std::string name) {
  if (Named* named = add_name(bodies_, "body", node, std::move(name))) named->usable = false;
}

std::optional<ConstraintId> SceneContext::add_constraint(const Node& node, std::string name,
                                                         ConstraintPtr constraint) {
  Named* named = add_name(constraints_, "constraint", node, name);
  if (named == nullptr) return std::nullopt;
  named->constraint = scene.model.add(std::move(name), std::move(constraint));
  return named->constraint;
}

void SceneContext::add_unusable_constraint(const Node& node, std::string name) {
  if (Named* named = add_name(constraints_, "constraint", node, std::move(name))) named->usable = false;
}

void SceneContext::add_force(const Node& node, std::string name, ForcePtr force) {
  if (add_name(forces_, "force", node, name) != nullptr) scene.model.add(std::move(name), std::move(force));
}

void SceneContext::add_inequality(const Node& node, std::string name, InequalityPtr inequality) {
  if (add_name(inequalities_, "inequality", node, name) != nullptr)
    scene.model.add(std::move(name), std::move(inequality));
}

const SceneContext::Named* SceneContext::find_name(const Names& names, std::string_view what,
                                                   const Fields& fields, std::string_view key,
                                                   const std::string& name) {
  if (const auto it = names.find(name); it != names.end()) return it->second.usable ? &it->second : nullptr;
  constexpr std::size_t kMostCompared = 2000;
  std::set<std::string_view> known;
  for (const auto& [other, named] : names) {
    if (known.size() >= kMostCompared) break;
    known.insert(other);
  }
  if (what == "body") known.insert("world");
  fields.report(key, fmt::format("there is no {} '{}'", what, shorten(name)),
                suggest(name, std::vector<std::string_view>(known.begin(), known.end()), "known names"));
  return nullptr;
}

std::optional<BodyRef> SceneContext::find_body(const Fields& fields, std::string_view key) {
  if (!fields.has(key)) return BodyRef{};
  const auto name = fields.text(key);
  auto body = name ? find_body_named(fields, key, *name) : std::nullopt;
  const std::string placed = fmt::format("placed_{}", key);
  if (body && fields.record().find(placed) != nullptr && fields.has(placed)) {
    if (body->is_world() || body->is_frame() || body->q.size() > 0)
      fields.report(placed, "only bodies with a position and an orientation can be placed elsewhere",
                    "give points and axes for the start, without it");
    else if (const auto at = fields.fields(placed)) {
      body->placement.position = at->vector("position", body->placement.position);
      body->placement.orientation = at->quaternion("orientation").value_or(body->placement.orientation);
    }
  }
  return body;
}

const Record& placed_record() {
  static const Record record{
      "",
      "where a body is",
      {{"position", Value::vector, "m", "centre of mass, world axes; default as at the start"},
       {"orientation", Value::quaternion, "",
        "unit quaternion [w, x, y, z], body axes to world axes; default as at the start"}}};
  return record;
}

std::vector<Key> placed_keys() {
  return {{"placed_a", Value::record, "", "where a is while points and axes are given; default its start",
           kOptional, placed_record},
          {"placed_b", Value::record, "", "where b is while points and axes are given; default its start",
           kOptional, placed_record}};
}

std::optional<BodyRef> SceneContext::find_body_named(const Fields& fields, std::string_view key,
                                                     const std::string& name) {
  if (name == "world") return BodyRef{};
  const Named* named = find_name(bodies_, "body", fields, key, name);
  if (named == nullptr) return std::nullopt;
  return named->body;
}

std::optional<ConstraintId> SceneContext::find_constraint(const Fields& fields, std::string_view key) {
  const auto name = fields.text(key);
  if (!name) return std::nullopt;
  const Named* named = find_name(constraints_, "joint or constraint", fields, key, *name);
  if (named == nullptr) return std::nullopt;
  return named->constraint;
}

std::string SceneContext::name_or_number(const Fields& fields, std::string_view prefix) {
  if (const auto name = fields.text("name"); name && !name->empty()) return *name;
  return fmt::format("{}-{}", prefix, ++numbers_[std::string(prefix)]);
}

void SceneContext::report_model_issues(const std::string& file) {
  const std::pair<std::string_view, const Names*> groups[] = {{"body '", &bodies_},
                                                              {"constraint '", &constraints_},
                                                              {"force '", &forces_},
                                                              {"inequality '", &inequalities_}};
  for (const Issue& issue : scene.model.validate()) {
    std::string where = file + " " + issue.where;
    for (const auto& [prefix, names] : groups) {
      if (!issue.where.starts_with(prefix) || !issue.where.ends_with('\'')) continue;
      const auto it = names->find(issue.where.substr(prefix.size(), issue.where.size() - prefix.size() - 1));
      if (it != names->end()) where = it->second.node->where() + " (" + issue.where + ")";
    }
    diagnostics.add(where, issue.what, issue.remedy);
  }
}

Quat point_x_along(const Vec3& direction) {
  const double yaw = std::atan2(direction.y(), direction.x());
  const double pitch = std::atan2(direction.z(), std::hypot(direction.x(), direction.y()));
  return Quat(Eigen::AngleAxisd(yaw, Vec3::UnitZ())) * Quat(Eigen::AngleAxisd(-pitch, Vec3::UnitY()));
}

Attachment mark_with_axes(const BodyRef& body, const Vec3& point, const Mat3& axes) {
  if (body.q.size() > 0) {
    const Mat3 R = body.placement.orientation.toRotationMatrix();
    return {body.id, body.body->local_point(body.q.data(), point), R.transpose() * axes};
  }
  const Placement& at = body.is_frame() ? *body.on : body.placement;
  const Mat3 world_to_body = at.orientation.toRotationMatrix().transpose();
  return {body.id, world_to_body * (point - at.position), world_to_body * axes};
}

}  // namespace catena::io
