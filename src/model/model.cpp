// The model: storage by name and id. Adding is O(1), removing O(n); ids are never reused, so that a handle to
// a removed thing is recognised for ever.
#include "catena/model.h"

#include "catena/joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace catena {
namespace {

std::string join_lines(const std::vector<Issue>& issues) {
  std::string text;
  for (const Issue& issue : issues) {
    if (!text.empty()) text += '\n';
    text += issue.text();
  }
  return text;
}

[[noreturn]] void fail(std::string where, std::string what, std::string remedy) {
  throw InvalidInput({{std::move(where), std::move(what), std::move(remedy)}});
}

template <typename Id>
int lookup(const std::vector<int>& index, Id id) {
  return id.value < index.size() ? index[id.value] : -1;
}

template <typename Entry>
auto find_by_name(const std::vector<Entry>& entries, std::string_view name)
    -> std::optional<decltype(Entry::id)> {
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.id;
  }
  return std::nullopt;
}

template <typename Entry, typename Id>
void add_entry(Entry entry, Id id, std::vector<Entry>& entries, std::vector<int>& index) {
  index.push_back(int(entries.size()));
  entry.id = id;
  entries.push_back(std::move(entry));
}

// Keeps the order of the others: results and reports do not jump when something is removed.
template <typename Entry>
void erase_entry(int position, std::vector<Entry>& entries, std::vector<int>& index) {
  index[entries[std::size_t(position)].id.value] = -1;
  entries.erase(entries.begin() + position);
  for (std::size_t i = std::size_t(position); i < entries.size(); ++i) index[entries[i].id.value] = int(i);
}

bool touches(std::span<const Attachment> attachments, BodyId body) {
  return std::any_of(attachments.begin(), attachments.end(),
                     [body](const Attachment& at) { return at.body == body; });
}

}  // namespace

std::string Issue::text() const {
  std::string text = where.empty() ? what : where + ": " + what;
  if (!remedy.empty()) text += " (" + remedy + ")";
  return text;
}

InvalidInput::InvalidInput(std::vector<Issue> issues)
    : std::runtime_error(join_lines(issues)), issues_(std::move(issues)) {}

BodyId Model::add(std::string name, std::shared_ptr<const Body> body, const Placement& placement,
                  const Shape& shape) {
  const BodyId id{std::uint32_t(body_index_.size())};
  BodyEntry entry{
      .id = id, .name = std::move(name), .body = std::move(body), .q = {}, .v = {}, .shape = shape};
  if (entry.body) {
    entry.q.setZero(entry.body->num_q());
    entry.v.setZero(entry.body->num_v());
    const std::string problem = entry.body->pack(placement, entry.q.data(), entry.v.data());
    if (!problem.empty()) {
      placement_problems_.emplace_back(id, problem);
      entry.body->pack(Placement{}, entry.q.data(),
                       entry.v.data());  // sane values until validate() reports it
    }
  }
  add_entry(std::move(entry), id, bodies_, body_index_);
  assert(index_of(id) == int(bodies_.size()) - 1);
  return id;
}

BodyId Model::add_at(std::string name, std::shared_ptr<const Body> body, const VecX& q, const VecX& v,
                     const Shape& shape) {
  const int num_q = body ? body->num_q() : 0, num_v = body ? body->num_v() : 0;
  const BodyId id = add(std::move(name), std::move(body), Placement{}, shape);
  if (q.size() == num_q && v.size() == num_v) {
    bodies_.back().q = q;
    bodies_.back().v = v;
  } else {
    placement_problems_.emplace_back(
        id, fmt::format("needs {} coordinates and {} velocities, got {} and {}; give as many as its kind has",
                        num_q, num_v, q.size(), v.size()));
  }
  return id;
}

ConstraintId Model::add(std::string name, ConstraintPtr constraint) {
  const ConstraintId id{std::uint32_t(constraint_index_.size())};
  const bool planar = constraint && all_planar(constraint->attachments());
  add_entry(ConstraintEntry{id, std::move(name), std::move(constraint), planar}, id, constraints_,
            constraint_index_);
  return id;
}

ForceId Model::add(std::string name, ForcePtr force) {
  const ForceId id{std::uint32_t(force_index_.size())};
  const bool planar = force && all_planar(force->attachments());
  add_entry(ForceEntry{id, std::move(name), std::move(force), planar}, id, forces_, force_index_);
  return id;
}

InequalityId Model::add(std::string name, InequalityPtr inequality) {
  const InequalityId id{std::uint32_t(inequality_index_.size())};
  const bool planar = inequality && all_planar(inequality->attachments());
  add_entry(InequalityEntry{id, std::move(name), std::move(inequality), planar}, id, inequalities_,
            inequality_index_);
  return id;
}

BodyId Model::add_armature(ConstraintId joint, double inertia) {
  const int position = index_of(joint);
  const std::string_view kind = position < 0 ? "" : constraints_[std::size_t(position)].constraint->kind();
  if (kind != "hinge" && kind != "slider")
    fail("add_armature", position < 0 ? "there is no such joint" : fmt::format("a {} has none", kind),
         "name a hinge or a slider; other joints take a Rotor and a rotor_gear");
  const ConstraintEntry entry = constraints_[std::size_t(position)];
  const AttachmentPair at{entry.constraint->attachments()[0], entry.constraint->attachments()[1]};
  const auto start = [this](BodyId id) {
    const int body = index_of(id);
    const BodyEntry* found = body < 0 ? nullptr : &bodies_[std::size_t(body)];
    return found == nullptr ? Placement{} : found->body->unpack(found->q.data(), found->v.data());
  };
  const Placement a = start(at.a.body), b = start(at.b.body);
  const Vec3 axis = b.orientation * at.b.axes.col(2), point = a.position + a.orientation * at.a.point;
  const auto velocity = [&point](const Placement& of) -> Vec3 {
    return of.velocity + of.angular_velocity.cross(point - of.position);
  };
  const bool slides = kind == "slider";
  const double rate =
      axis.dot(slides ? Vec3(velocity(a) - velocity(b)) : Vec3(a.angular_velocity - b.angular_velocity));
  const BodyId rotor = add(entry.name + ".rotor", std::make_shared<Rotor>(inertia, point, axis),
                           {.angular_velocity = rate * axis});
  add(entry.name + ".gear", slides ? linear_rotor_gear(rotor, at, 1.0) : rotor_gear(rotor, at, 1.0));
  return rotor;
}

void Model::remove(BodyId id) {
  const int position = index_of(id);
  if (position < 0) fail("remove", "there is no such body", "it may have been removed before");
  std::string attached;
  const auto note = [&attached](const char* what, const std::string& name) {
    attached += fmt::format("{}{} '{}'", attached.empty() ? "" : ", ", what, name);
  };
  for (const ConstraintEntry& entry : constraints_) {
    if (entry.constraint && touches(entry.constraint->attachments(), id)) note("constraint", entry.name);
  }
  for (const ForceEntry& entry : forces_) {
    if (entry.force && touches(entry.force->attachments(), id)) note("force", entry.name);
  }
  for (const InequalityEntry& entry : inequalities_) {
    if (entry.inequality && touches(entry.inequality->attachments(), id)) note("inequality", entry.name);
  }
  if (!attached.empty()) {
    fail(fmt::format("body '{}'", bodies_[std::size_t(position)].name),
         "cannot be removed while something is attached to it: " + attached, "remove these first");
  }
  erase_entry(position, bodies_, body_index_);
  std::erase_if(placement_problems_, [id](const auto& problem) { return problem.first == id; });
}

void Model::remove(ConstraintId id) {
  const int position = index_of(id);
  if (position < 0) fail("remove", "there is no such constraint", "it may have been removed before");
  erase_entry(position, constraints_, constraint_index_);
}

void Model::remove(ForceId id) {
  const int position = index_of(id);
  if (position < 0) fail("remove", "there is no such force", "it may have been removed before");
  erase_entry(position, forces_, force_index_);
}

void Model::remove(InequalityId id) {
  const int position = index_of(id);
  if (position < 0) fail("remove", "there is no such inequality", "it may have been removed before");
  erase_entry(position, inequalities_, inequality_index_);
}

Attachment Model::mark(BodyId body, const Vec3& point, const Vec3& z_axis) const {
  return mark_axes(body, point, frame_from_axis(z_axis));
}

Attachment Model::mark_axes(BodyId body, const Vec3& point, const Mat3& axes) const {
  const int position = index_of(body);
  // an unknown body is reported by validate(), together with the name of what is attached to it
  if (position < 0 || !bodies_[std::size_t(position)].body)
    return {.body = body, .point = point, .axes = axes};
  const BodyEntry& entry = bodies_[std::size_t(position)];
  FrameMap frame;
  entry.body->frame(entry.q.data(), entry.v.data(), frame);
  return {.body = body,
          .point = entry.body->local_point(entry.q.data(), point),
          .axes = frame.R.transpose() * axes};
}

AttachmentPair Model::join(BodyId a, BodyId b, const Vec3& point, const Vec3& z_axis) const {
  return join(a, b, point, z_axis, point);
}

AttachmentPair Model::join(BodyId a, BodyId b, const Vec3& point_a, const Vec3& z_axis,
                           const Vec3& point_b) const {
  return {mark(a, point_a, z_axis), mark(b, point_b, z_axis)};
}

int Model::index_of(BodyId id) const {
  return lookup(body_index_, id);
}
int Model::index_of(ConstraintId id) const {
  return lookup(constraint_index_, id);
}
int Model::index_of(ForceId id) const {
  return lookup(force_index_, id);
}
int Model::index_of(InequalityId id) const {
  return lookup(inequality_index_, id);
}

std::optional<BodyId> Model::find_body(std::string_view name) const {
  return find_by_name(bodies_, name);
}
std::optional<ConstraintId> Model::find_constraint(std::string_view name) const {
  return find_by_name(constraints_, name);
}
std::optional<ForceId> Model::find_force(std::string_view name) const {
  return find_by_name(forces_, name);
}
std::optional<InequalityId> Model::find_inequality(std::string_view name) const {
  return find_by_name(inequalities_, name);
}

void Model::set_start(int body_index, const VecX& q, const VecX& v) {
  if (body_index < 0 || body_index >= int(bodies_.size())) {
    fail("set_start", fmt::format("there is no body number {}", body_index), "use index_of");
  }
  BodyEntry& entry = bodies_[std::size_t(body_index)];
  if (q.size() != entry.q.size() || v.size() != entry.v.size()) {
    fail(fmt::format("body '{}'", entry.name),
         fmt::format("needs {} coordinates and {} velocities, got {} and {}", entry.q.size(), entry.v.size(),
                     q.size(), v.size()),
         "give as many as its kind has");
  }
  entry.q = q;
  entry.v = v;
  std::erase_if(placement_problems_, [&entry](const auto& problem) { return problem.first == entry.id; });
}

bool Model::all_planar(std::span<const Attachment> attachments) const {
  bool any = false;
  for (const Attachment& at : attachments) {
    if (at.body == world) continue;
    const int position = index_of(at.body);
    if (position < 0 || !bodies_[std::size_t(position)].body) return false;
    if (!bodies_[std::size_t(position)].body->is_planar()) return false;
    any = true;
  }
  return any;
}

}  // namespace catena
