// Model::validate: everything that would make a simulation fail or lie, collected in one pass, O(n).
#include "catena/interrupt.h"
#include "catena/model.h"
#include "model/checks.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <unordered_map>

namespace catena {
namespace {

/// Collects issues; messages of bodies, constraints and forces come as "what; remedy" (model/checks.h).
class Findings {
 public:
  void add(const std::string& where, const std::string& message) {
    const std::size_t cut = message.rfind("; ");
    if (cut == std::string::npos) {
      issues_.push_back({where, message, ""});
    } else {
      issues_.push_back({where, message.substr(0, cut), message.substr(cut + 2)});
    }
  }
  void add(const std::string& where, const std::vector<std::string>& messages) {
    for (const std::string& message : messages) add(where, message);
  }
  std::vector<Issue> take() { return std::move(issues_); }

 private:
  std::vector<Issue> issues_;
};

template <typename Entry>
void check_names(const char* what, std::span<const Entry> entries, Findings& findings) {
  std::unordered_map<std::string_view, int> seen;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string& name = entries[i].name;
    if (name.empty()) {
      findings.add(fmt::format("{} number {}", what, i),
                   "has no name; give every body, constraint and force one");
    } else if (++seen[name] == 2) {  // once per name, however often it is repeated
      findings.add(fmt::format("{} '{}'", what, name),
                   fmt::format("this name is used by more than one {}; rename all but one", what));
    }
  }
}

void check_point(const std::string& where, const Attachment& at, const BodyEntry* entry, bool planar,
                 Findings& findings) {
  Problems problems;
  check_finite("attachment point", at.point, kLargestLength, problems);
  const bool in_plane = entry ? entry->body->is_planar() : planar;
  if (!problems.empty()) {
    findings.add(where, problems);
    return;
  }
  if (in_plane && std::abs(at.point.z()) > 1e-9 * (1.0 + at.point.norm())) {
    findings.add(
        where, fmt::format("the attachment point {} is outside the plane z = 0 of its planar body; set its z "
                           "to 0",
                           to_text(at.point)));
  }
  if (entry && (entry->body->type() == BodyType::particle2 || entry->body->type() == BodyType::particle3)) {
    // round-off of world coordinates far from the origin is not an offset
    if (at.point.norm() > 1e-9 * (1.0 + entry->q.cwiseAbs().maxCoeff())) {
      findings.add(
          where, fmt::format("is attached {:g} m beside the particle '{}', which has no extent; attach it at "
                             "the particle's position or use a rigid body",
                             at.point.norm(), entry->name));
    }
  }
}

void check_axes(const std::string& where, const Attachment& at, Findings& findings) {
  if (!at.axes.allFinite()) {
    findings.add(where, "has an axis that is zero or not finite; give a direction such as (0, 0, 1)");
  } else if ((at.axes.transpose() * at.axes - Mat3::Identity()).cwiseAbs().maxCoeff() > 1e-9 ||
             at.axes.determinant() < 0.0) {
    findings.add(where,
                 "has marker axes that are not a right-handed orthonormal frame; make them with "
                 "frame_from_axis");
  }
}

/// Checks that constraints and forces share: what they are attached to, and where.
void check_attachments(const std::string& where, const Model& model, std::span<const Attachment> attachments,
                       bool planar, bool needs_orientation, bool may_repeat, Findings& findings) {
  bool any_body = false;
  for (std::size_t i = 0; i < attachments.size(); ++i) {
    const Attachment& at = attachments[i];
    check_axes(where, at, findings);
    if (at.body == world) {
      check_point(where, at, nullptr, planar, findings);
      continue;
    }
    any_body = true;
    const int position = model.index_of(at.body);
    if (position < 0) {
      findings.add(
          where, fmt::format("is attached to body number {}, which does not exist or was removed; attach it "
                             "to a body of this model",
                             at.body.value));
      continue;
    }
    const BodyEntry& entry = model.bodies()[std::size_t(position)];
    for (std::size_t j = 0; j < i && !may_repeat; ++j) {
      if (attachments[j].body == at.body) {
        findings.add(where,
                     fmt::format("joins body '{}' to itself; attach it to two different bodies", entry.name));
        break;
      }
    }
    if (!entry.body) continue;  // reported with the body
    check_point(where, at, &entry, planar, findings);
    if (needs_orientation && !entry.body->has_orientation()) {
      findings.add(where,
                   fmt::format("needs axes, but '{}' is a {} and has none; use a rigid body or a joint that "
                               "holds points only, such as ball or distance",
                               entry.name, entry.body->kind()));
    }
  }
  if (!any_body) findings.add(where, "is attached to the world only and has no effect; attach it to a body");
}

void check_body(const BodyEntry& entry, Findings& findings) {
  const std::string where = fmt::format("body '{}'", entry.name);
  if (!entry.body) {
    findings.add(where, "is an empty pointer; add a body such as rod(1.0, 0.5)");
    return;
  }
  const std::vector<std::string> problems = entry.body->validate();
  findings.add(where, problems);
  const auto sane = [](const VecX& x) { return x.allFinite() && x.cwiseAbs().maxCoeff() <= kLargestLength; };
  const bool is_placed = (entry.q.size() == 0 || sane(entry.q)) && (entry.v.size() == 0 || sane(entry.v));
  if (problems.empty() && is_placed)
    if (const std::string problem = coordinates_problem(*entry.body, entry.q.data(), entry.v.data());
        !problem.empty())
      findings.add(where, problem);
  if (entry.q.size() > 0 && !sane(entry.q)) {
    findings.add(where, fmt::format("start coordinates are not finite or above {:g}; give finite ones",
                                    kLargestLength));
  }
  if (entry.v.size() > 0 && !sane(entry.v)) {
    findings.add(where, fmt::format("start velocities are not finite or above {:g}; give finite ones",
                                    kLargestLength));
  }
}

}  // namespace

std::vector<Issue> Model::validate() const {
  Findings findings;
  Problems gravity_problems;
  check_finite("gravity", gravity, kLargestGravity, gravity_problems);
  findings.add("model", gravity_problems);
  if (bodies_.empty()) findings.add("model", "has no bodies; add at least one");

  check_names<BodyEntry>("body", bodies_, findings);
  check_names<ConstraintEntry>("constraint", constraints_, findings);
  check_names<ForceEntry>("force", forces_, findings);
  check_names<InequalityEntry>("inequality", inequalities_, findings);

  for (const BodyEntry& entry : bodies_) {
    allow_interruption();
    check_body(entry, findings);
  }
  for (const auto& [id, problem] : placement_problems_) {
    findings.add(fmt::format("body '{}'", bodies_[std::size_t(index_of(id))].name), problem);
  }
  for (const ConstraintEntry& entry : constraints_) {
    allow_interruption();
    const std::string where = fmt::format("constraint '{}'", entry.name);
    if (!entry.constraint) {
      findings.add(where, "is an empty pointer; add a constraint such as ball(...)");
      continue;
    }
    check_attachments(where, *this, entry.constraint->attachments(), entry.planar,
                      entry.constraint->needs_orientation(), entry.constraint->may_repeat_bodies(), findings);
    findings.add(where, entry.constraint->validate(entry.planar));
  }
  for (const ForceEntry& entry : forces_) {
    allow_interruption();
    const std::string where = fmt::format("force '{}'", entry.name);
    if (!entry.force) {
      findings.add(where, "is an empty pointer; add a force such as spring_damper(...)");
      continue;
    }
    check_attachments(where, *this, entry.force->attachments(), entry.planar,
                      entry.force->needs_orientation(), false, findings);
    findings.add(where, entry.force->validate());
  }
  for (const InequalityEntry& entry : inequalities_) {
    allow_interruption();
    const std::string where = fmt::format("inequality '{}'", entry.name);
    if (!entry.inequality) {
      findings.add(where, "is an empty pointer; add an inequality such as limits(...)");
      continue;
    }
    const std::vector<std::string> problems = entry.inequality->validate(entry.planar);
    findings.add(where, problems);
    if (!problems.empty()) continue;  // it may have no rows to ask
    const Constraint& rows = entry.inequality->rows();
    check_attachments(where, *this, rows.attachments(), entry.planar, rows.needs_orientation(),
                      rows.may_repeat_bodies(), findings);
  }
  return findings.take();
}

}  // namespace catena
