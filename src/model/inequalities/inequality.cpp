// Inequalities: constraints with a law for their multipliers.
#include "catena/inequality.h"

#include "model/checks.h"
#include "model/joints/contact_geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr double kEverywhere = std::numeric_limits<double>::infinity();

std::string in_row(int row, const char* what, double value, const char* remedy) {
  return fmt::format("row {} has {} {:g}; {}", row, what, value, remedy);
}

void check_travel(int row, const RowLaw& law, bool is_holonomic, Problems& problems) {
  if (!is_holonomic)
    problems.push_back(
        fmt::format("row {} has a velocity only and no travel to bound; give it a box or a tangent", row));
  if (std::isnan(law.lower) || std::isnan(law.upper) || law.lower > law.upper)
    problems.push_back(
        fmt::format("row {} has bounds {:g} to {:g}; the lower one comes first", row, law.lower, law.upper));
  if (law.lower == -kEverywhere && law.upper == kEverywhere)
    problems.push_back(fmt::format("row {} has no bound; give one, or leave the inequality out", row));
  if (!(law.restitution >= 0.0 && law.restitution <= 1.0))
    problems.push_back(in_row(row, "restitution", law.restitution, "give 0 to 1"));
}

void check_friction(int row, const RowLaw& law, const RowLaw* normal, Problems& problems) {
  if (normal == nullptr || normal->kind != RowLaw::Kind::travel)
    problems.push_back(
        fmt::format("row {} slides on row {}, which is no row of travel; name one", row, law.of));
  if (!(law.friction >= 0.0 && std::isfinite(law.friction)))
    problems.push_back(in_row(row, "friction", law.friction, "give 0 or more"));
}

std::vector<RowLaw> each(std::size_t rows, const RowLaw& law) {
  return std::vector<RowLaw>(rows, law);
}

// As many as there are in space; in the plane there are fewer rows, never more.
std::size_t count_rows(const ConstraintPtr& constraint) {
  return constraint ? std::size_t(std::max(constraint->num_rows(false), constraint->num_rows(true))) : 0;
}

std::vector<RowLaw> contact_laws(std::size_t rows, const ContactMaterial& material) {
  std::vector<RowLaw> laws =
      each(rows, {.kind = RowLaw::Kind::tangent, .of = 0, .friction = material.friction});
  if (!laws.empty()) laws[0] = {.kind = RowLaw::Kind::travel, .restitution = material.restitution};
  return laws;
}

}  // namespace

std::vector<std::string> Inequality::validate(bool planar) const {
  if (!rows_) return {"has no rows; pass a constraint such as hinge_coordinate(...)"};
  Problems problems = rows_->validate(planar);
  const int rows = rows_->num_rows(planar), holonomic = rows_->num_holonomic_rows(planar);
  if (int(laws_.size()) < rows) {
    problems.push_back(fmt::format("has {} laws for {} rows; give one for each", laws_.size(), rows));
    return problems;
  }
  for (int row = 0; row < rows; ++row) {
    const RowLaw& law = laws_[std::size_t(row)];
    const bool has_normal = law.of >= 0 && law.of < rows;
    switch (law.kind) {
      case RowLaw::Kind::travel:
        check_travel(row, law, row < holonomic, problems);
        break;
      case RowLaw::Kind::box:
        if (!(law.limit >= 0.0)) problems.push_back(in_row(row, "limit", law.limit, "give 0 or more"));
        break;
      case RowLaw::Kind::tangent:
      case RowLaw::Kind::load:
        check_friction(row, law, has_normal ? &laws_[std::size_t(law.of)] : nullptr, problems);
        break;
    }
  }
  return problems;
}

InequalityPtr limits(ConstraintPtr coordinates, double lower, double upper, double restitution) {
  auto laws = each(count_rows(coordinates), {.lower = lower, .upper = upper, .restitution = restitution});
  return std::make_shared<Inequality>("limits", std::move(coordinates), std::move(laws));
}

InequalityPtr limits_each(ConstraintPtr coordinates, std::vector<double> lower, std::vector<double> upper,
                          double restitution) {
  std::vector<RowLaw> laws;
  for (std::size_t i = 0; i < std::min(lower.size(), upper.size()); ++i)
    laws.push_back({.lower = lower[i], .upper = upper[i], .restitution = restitution});
  return std::make_shared<Inequality>("limits", std::move(coordinates), std::move(laws));
}

InequalityPtr slack(ConstraintPtr rope) {
  auto laws = each(count_rows(rope), {.lower = -kEverywhere, .upper = 0.0});
  return std::make_shared<Inequality>("slack", std::move(rope), std::move(laws));
}

InequalityPtr one_sided(ConstraintPtr constraint, double restitution) {
  auto laws = each(count_rows(constraint), {.restitution = restitution});
  return std::make_shared<Inequality>("one_sided", std::move(constraint), std::move(laws));
}

InequalityPtr dry_friction(ConstraintPtr coordinates, double limit) {
  auto laws = each(count_rows(coordinates), {.kind = RowLaw::Kind::box, .limit = limit});
  return std::make_shared<Inequality>("dry_friction", std::move(coordinates), std::move(laws));
}

InequalityPtr contact_rows(ConstraintPtr rows, ContactMaterial material) {
  auto laws = contact_laws(count_rows(rows), material);
  return std::make_shared<Inequality>("contact", std::move(rows), std::move(laws));
}

InequalityPtr contact(const Attachment& a, ConvexShapePtr shape_a, const Attachment& b,
                      ConvexShapePtr shape_b, ContactMaterial material) {
  const bool is_round = shape_a && shape_a->is_round() && (!shape_b || shape_b->is_round());
  return contact_rows(touching(a, b, convex_contact(std::move(shape_a), std::move(shape_b)),
                               material.friction > 0.0, !is_round),
                      material);
}

InequalityPtr contact_on_surface(const Attachment& a, ConvexShapePtr shape, const Attachment& b,
                                 SurfacePtr surface, ContactMaterial material) {
  const bool is_round = shape && shape->is_round();
  return contact_rows(touching(a, b, surface_contact(std::move(shape), std::move(surface)),
                               material.friction > 0.0, !is_round),
                      material);
}

}  // namespace catena
