#include "sim/redundancy.h"

#include "catena/interrupt.h"
#include "solve/sparse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace catena {
namespace {

constexpr double kNamedShare = 0.95;      // of a dependency's weight that its parts must carry
constexpr double kSmallComponent = 0.05;  // of a part's largest force or torque: not worth a word
constexpr double kConflict = 1e-8;  // relative to the model's size (rates: to its largest speed, at least 1)

// "force along x and z, torque about y"
std::string directions_of(const Vec3& force, const Vec3& torque, double length) {
  const double largest = std::max(force.norm(), torque.norm() / length);
  const auto axes = [&](const Vec3& v, double scale) {
    std::string out;
    for (int i = 0; i < 3; ++i)
      if (std::abs(v[i]) * scale > kSmallComponent * largest)
        out += fmt::format("{}{}", out.empty() ? "" : " and ", "xyz"[i]);
    return out;
  };
  const std::string along = axes(force, 1.0), about = axes(torque, 1.0 / length);
  std::string out = along.empty() ? "" : "force along " + along;
  if (!about.empty()) out += (out.empty() ? "torque about " : ", torque about ") + about;
  return out;
}

VecX null_vector(solve::EqualitySolver& solver, const solve::Problem& problem, int row) {
  VecX unit = VecX::Zero(problem.graph->num_rows()), force = VecX::Zero(problem.graph->num_x());
  unit[row] = 1.0;
  solve::add_Jt_times(problem, unit, force);
  VecX x, z;
  const VecX zero = VecX::Zero(unit.size());
  (void)solver.solve(problem, force, zero, x, z);  // (1)
  z += unit;
  // one refinement: what is left of Jᵀz is taken up by the same solve
  force.setZero();
  solve::add_Jt_times(problem, z, force);
  VecX correction;
  (void)solver.solve(problem, force, zero, x, correction);
  return z + correction;
}

bool same_bodies(const Constraint& a, const Constraint& b) {
  const auto bodies = [](const Constraint& c) {
    std::vector<std::uint32_t> out;
    for (const Attachment& at : c.attachments()) out.push_back(at.body.value);
    std::sort(out.begin(), out.end());
    return out;
  };
  return bodies(a) == bodies(b);
}

std::string remedy_for(const Model& model, const Dependency& d) {
  if (!d.is_consistent)
    return "the constraints contradict each other: correct the geometry or remove one of them";
  bool parallel = d.parts.size() > 1;
  for (const DependencyPart& part : d.parts)
    parallel = parallel &&
               same_bodies(*model.constraints()[std::size_t(model.index_of(part.id))].constraint,
                           *model.constraints()[std::size_t(model.index_of(d.parts.front().id))].constraint);
  if (parallel)
    return "they join the same bodies: keep one, or let the others hold less (a ball or a distance instead "
           "of a hinge)";
  const DependencyPart* stiffest = nullptr;
  for (const DependencyPart& part : d.parts)
    if (part.kind == "hinge" || part.kind == "slider" || part.kind == "weld" || part.kind == "universal") {
      stiffest = &part;
      break;
    }
  if (stiffest != nullptr)
    return fmt::format(
        "harmless for the motion; for unique forces replace one joint of the loop, for example '{}' ({}), by "
        "a {}",
        stiffest->name, stiffest->kind, stiffest->kind == "universal" ? "ball" : "ball or universal joint");
  return "harmless for the motion; for unique forces remove one of these constraints";
}

std::string summary_of(const Model& model, const Dependency& d) {
  std::string out = fmt::format("{} repeats what ", constraint_label(model, model.index_of(d.implied)));
  bool first = true;
  int listed = 0;
  for (const DependencyPart& part : d.parts) {
    if (part.id == d.implied) continue;
    if (listed++ == 6) {
      out += fmt::format(" and {} more", int(d.parts.size()) - 7);
      break;
    }
    out += fmt::format("{}'{}'", first ? "" : ", ", part.name);
    first = false;
  }
  if (first) out += "its own other rows";
  for (const DependencyPart& part : d.parts)
    if (part.id == d.implied && !part.directions.empty())
      out += fmt::format(" already hold ({})", part.directions);
  if (!d.is_consistent)
    out += d.conflict_rate != 0.0 && std::abs(d.conflict) < 1e-12
               ? fmt::format("; they contradict each other by {:.3g} per second", d.conflict_rate)
               : fmt::format("; they contradict each other by {:.3g}", d.conflict);
  return out;
}

Dependency describe(Simulation::Impl& sim, VecX z, int row, const VecX& weights) {
  const Layout& layout = sim.system->layout;
  Dependency out;
  const int implied = constraint_of_row(layout, row);
  out.implied = sim.model.constraints()[std::size_t(implied)].id;
  out.row = row - layout.constraints[std::size_t(implied)].row;
  const VecX share = z.cwiseAbs2().cwiseProduct(weights);
  z /= z.lpNorm<Eigen::Infinity>();
  const double total = share.sum();
  std::vector<double> of(layout.constraints.size());
  for (std::size_t c = 0; c < of.size(); ++c)
    of[c] = share.segment(layout.constraints[c].row, layout.constraints[c].rows).sum() / total;
  std::vector<int> order(of.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return of[std::size_t(a)] > of[std::size_t(b)]; });
  for (const int c : order) {
    // all that take a real part, and as many as it takes to name 95 %
    if (out.named_share >= kNamedShare && of[std::size_t(c)] < 1e-3) break;
    const ConstraintEntry& entry = sim.model.constraints()[std::size_t(c)];
    DependencyPart part;
    part.id = entry.id;
    part.name = entry.name;
    part.kind = entry.constraint->kind();
    part.share = of[std::size_t(c)];
    const ConstraintForce force = sim.force_of(c, z);
    part.force = force.force;
    part.torque = force.torque;
    part.directions = directions_of(part.force, part.torque, sim.equations->length_scale());
    out.named_share += part.share;
    out.parts.push_back(std::move(part));
  }
  out.conflict = z.dot(sim.evaluated_bodies().C());
  out.conflict_rate = z.dot(sim.evaluated_bodies().C_t());
  const double speed = sim.state.v.size() > 0 ? sim.state.v.lpNorm<Eigen::Infinity>() : 0.0;
  out.is_consistent =
      std::abs(out.conflict) <= kConflict * sim.equations->length_scale() * double(z.size()) &&
      std::abs(out.conflict_rate) <= kConflict * std::max(1.0, speed) * double(z.size());
  out.null_vector = std::move(z);
  out.summary = summary_of(sim.model, out);
  out.remedy = remedy_for(sim.model, out);
  return out;
}

}  // namespace

Redundancy find_redundancy(Simulation::Impl& sim, int max_dependencies) {
  Redundancy out;
  const solve::Problem& problem = sim.evaluated_bodies().problem();
  solve::SparseSolver solver;
  if (solver.analyze(problem).refused() || !solver.factor(problem).ok()) return out;
  out.rows = solver.dropped_rows();
  std::sort(out.rows.begin(), out.rows.end());
  VecX weights;
  solve::row_weights(problem, weights);
  for (const int row : out.rows) {
    if (int(out.dependencies.size()) == max_dependencies) break;
    allow_interruption();
    out.dependencies.push_back(describe(sim, null_vector(solver, problem, row), row, weights));
  }
  return out;
}

}  // namespace catena
