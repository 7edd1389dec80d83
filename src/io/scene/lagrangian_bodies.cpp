// Bodies by a rule x(p, u) in expressions of coordinates u and of the material point p = (px, py, pz).
//
// Legend: u coordinates, u̇ their rates, e_i unit vectors; derivatives are coefficients of Taylor series along lines (io/document/taylor.h):
//
//   x(p, u + ε u̇) = x + ε J u̇ + ε²/2 J̇ u̇ + …          value and bias                                                          (1)
//   x(p, u + ε e_i) = x + ε J e_i + …                   column i of J                                                           (2)
//   x(p + ε e_k, u) = x + ε P e_k + …                   how the point moves with p                                              (3)
//
// The material point at a place X of the world: Gauss-Newton steps  (PᵀP + μ) δ = Pᵀ(X - x), μ a trace of PᵀP, so that numbers of p that x
// does not depend on stay what they are.                                                                                       (4)
#include "catena/bodies.h"
#include "catena/joints.h"
#include "io/scene/context.h"
#include "math/small_matrix_kernel.h"

#include <fmt/format.h>

#include <algorithm>

namespace catena::io {

namespace {

using Series = Taylor<2>;

class ExpressionRule final : public PointRule {
 public:
  ExpressionRule(int num_u, std::array<Expression, 3> x) : num_u_(num_u), x_(std::move(x)) {}
  std::string_view kind() const override { return "lagrangian"; }
  int num_u() const override { return num_u_; }

  void point(const double* u, const double* u_dot, const Vec3& p, PointMap& out) const override {
    Variables at = variables_at(u, p);
    for (int i = 0; i < num_u_; ++i) at.all[std::size_t(3 + i)].c[1] = u_dot[i];
    out.x = part(at, 0);
    out.bias = 2.0 * part(at, 2);  // (1)
    for (int i = 0; i < num_u_; ++i) at.all[std::size_t(3 + i)].c[1] = 0.0;
    out.J.resize(3, num_u_);
    for (int i = 0; i < num_u_; ++i) out.J.col(i) = slope(at, 3 + i);  // (2)
  }

  // (4)
  Vec3 material_point(const double* u, const Vec3& X) const override {
    constexpr int kMostSteps = 50;
    constexpr double kTrace = 1e-12, kClose = 1e-15;
    Vec3 p = Vec3::Zero();
    for (int step = 0; step < kMostSteps; ++step) {
      Variables at = variables_at(u, p);
      const Vec3 off = X - part(at, 0);
      Mat3 P;
      for (int k = 0; k < 3; ++k) P.col(k) = slope(at, k);  // (3)
      Mat3 normal = P.transpose() * P;
      normal.diagonal().array() += kTrace * normal.trace() + std::numeric_limits<double>::min();
      Vec3 delta = P.transpose() * off;
      if (math::factor_ldlt(3, normal.data(), 0.0) >= 0) break;
      math::solve_ldlt(3, normal.data(), delta.data());
      if (!delta.allFinite()) break;
      p += delta;
      if (delta.norm() <= kClose * (1.0 + p.norm())) break;
    }
    return p;
  }

 private:
  struct Variables {
    std::array<Series, 3 + kMostVelocities> all;
  };
  Variables variables_at(const double* u, const Vec3& p) const {
    Variables at;
    for (int k = 0; k < 3; ++k) at.all[std::size_t(k)] = Series::constant(p[k]);
    for (int i = 0; i < num_u_; ++i) at.all[std::size_t(3 + i)] = Series::constant(u[i]);
    return at;
  }
  Vec3 part(const Variables& at, int k) const {
    Vec3 out;
    for (int i = 0; i < 3; ++i) out[i] = x_[std::size_t(i)].evaluate(std::span<const Series>(at.all)).c[k];
    return out;
  }
  Vec3 slope(Variables& at, int variable) const {
    at.all[std::size_t(variable)].c[1] = 1.0;
    const Vec3 out = part(at, 1);
    at.all[std::size_t(variable)].c[1] = 0.0;
    return out;
  }

  int num_u_;
  std::array<Expression, 3> x_;
};

const Record& coordinate_record() {
  static const Record record{"",
                             "a coordinate of a body",
                             {{"name", Value::name, "", "its name in x", kRequired},
                              {"at", Value::number, "", "value at the start; default 0"},
                              {"rate", Value::number, "1/s", "rate at the start; default 0"}}};
  return record;
}
const Variant& coordinate_variants() {
  static const Variant variant{"coordinate", "", {coordinate_record()}};
  return variant;
}
const Record& mass_record() {
  static const Record record{"",
                             "a part of the mass of a body",
                             {{"point", Value::vector, "", "material point p; default 0"}, kMass}};
  return record;
}
const Variant& mass_variants() {
  static const Variant variant{"mass", "", {mass_record()}};
  return variant;
}

/// The entries of a list, each as a record; none after an error.
std::vector<Fields> read_records(const Fields& fields, std::string_view key, const Record& record) {
  std::vector<Fields> out;
  const Node* list = fields.find(key);
  if (list == nullptr) return out;
  if (!list->is_list() || list->children.empty()) {
    fields.report(key, "a list is expected, got " + list->describe(), "begin every entry with '- '");
    return out;
  }
  for (const Node* entry : list->children) out.emplace_back(*entry, record, fields.reading());
  return out;
}

struct StartCoordinates {
  std::vector<std::string> names{"px", "py", "pz"};
  std::vector<double> q, v;
};

StartCoordinates read_coordinates(const Fields& fields) {
  StartCoordinates out;
  for (const Fields& entry : read_records(fields, "coordinates", coordinate_record())) {
    const auto name = entry.text("name");
    if (!name) continue;
    if (!is_name(*name) || (is_reserved_name(*name) && *name != "u"))
      entry.report("name", fmt::format("'{}' cannot be the name of a coordinate", *name),
                   "use letters, digits and '_', beginning with a letter, and no name of a function");
    if (std::ranges::find(out.names, *name) != out.names.end())
      entry.report("name", fmt::format("'{}' is taken", *name),
                   "name every coordinate differently; px, py and pz are the material point");
    out.names.push_back(*name);
    out.q.push_back(entry.number("at", 0.0));
    out.v.push_back(entry.number("rate", 0.0));
  }
  if (out.q.size() > std::size_t(kMostVelocities))
    fields.report("coordinates", fmt::format("there are {}", out.q.size()),
                  fmt::format("a body has at most {}", kMostVelocities));
  return out;
}

}  // namespace

Record lagrangian_body_record() {
  return {"lagrangian",
          "body by a rule: where the material point (px, py, pz) is when its coordinates have these values",
          {{"name", Value::name, "", "name; others refer to it", kRequired},
           {"kind", Value::choice, "", "kind of body", kRequired, {"lagrangian"}},
           {"coordinates", Value::variant_list, "", "its coordinates, at most 30", kRequired,
            coordinate_variants},
           {"x", Value::point_functions, "m",
            "place in the world, an expression of the coordinates and of px, py, pz per axis", kRequired},
           {"masses", Value::variant_list, "", "its mass, as points", kRequired, mass_variants}}};
}

bool read_lagrangian_body(SceneContext& context, const Fields& fields, const std::string& name) {
  const StartCoordinates start = read_coordinates(fields);
  std::vector<MassPoint> masses;
  for (const Fields& entry : read_records(fields, "masses", mass_record()))
    masses.push_back({entry.vector("point", Vec3::Zero()), entry.number("mass", 0.0)});
  if (!fields.ok()) return false;
  const auto x = fields.point_functions("x", start.names);
  if (!x) return false;
  const auto n = Eigen::Index(start.q.size());
  const auto rule = std::make_shared<ExpressionRule>(int(n), *x);
  for (const MassPoint& part : masses) {
    PointMap map;
    rule->point(start.q.data(), start.v.data(), part.at, map);
    if (map.x.allFinite() && map.J.allFinite() && map.bias.allFinite()) continue;
    fields.report("x", "has no finite value or derivative at the start",
                  "choose another start, or expressions that are smooth there");
    return false;
  }
  const VecX q = Eigen::Map<const VecX>(start.q.data(), n), v = Eigen::Map<const VecX>(start.v.data(), n);
  return context.add_body(fields.node(), name, std::make_shared<Lagrangian>(rule, std::move(masses)), q, v)
      .has_value();
}

}  // namespace catena::io
