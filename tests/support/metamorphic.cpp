#include "support/metamorphic.h"

#include "support/moved_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <random>

namespace catena::test {
namespace {

constexpr double kNudge = 1e-10;  // of the third run
constexpr double kAmplified =
    1e3;  // differences of the third run that the second may have: iterations leave up to 1e-8
constexpr double kFloor = 1e-9;  // of the model's size
constexpr double kChaos = 1e-6;  // difference of the third run at which nothing more is judged
constexpr double kOtherDecisions =
    1e-4;  // of the model's size: what is allowed once iterations ended differently

bool is_in_plane(const Model& model) {
  return std::any_of(model.bodies().begin(), model.bodies().end(),
                     [](const BodyEntry& b) { return b.body->is_planar(); });
}

/// The change of a relation, within the plane z = 0 where the model lives there.
Change random_change(Relation relation, bool in_plane, unsigned seed) {
  std::mt19937 random(seed * 7919u + unsigned(relation));
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto vector = [&] {
    const double x = number(random), y = number(random), z = number(random);
    return Vec3(x, y, in_plane ? 0.0 : z);
  };
  const auto rotation = [&] {
    const Vec3 axis = in_plane ? Vec3(Vec3::UnitZ()) : Vec3(vector().normalized());
    return Eigen::AngleAxisd(3.0 * number(random), axis).toRotationMatrix();
  };
  Change change;
  if (relation == Relation::rotate) change.P = rotation();
  if (relation == Relation::mirror) change.P = rotation() * Vec3(-1, 1, 1).asDiagonal();
  if (relation == Relation::translate) change.shift = 10.0 * vector();
  if (relation == Relation::galilei) change.boost = 3.0 * vector();
  return change;
}

/// A simulation of the scene's model alone, without its events, at its start.
Simulation begin(const Scene& scene, const Model& model, const Options& options) {
  Simulation sim(model, options);
  if (scene.project_start) {
    if (const StepReport report = sim.project(); !report.ok())
      throw std::runtime_error("start: " + report.message);
  }
  return sim;
}

/// Where a few points of every body are and how fast.
struct Snapshot {
  std::vector<Vec3> x, v;
  double size = 1e-3, speed = 1e-3;  // m, m/s
};

Snapshot look(const Simulation& sim, const Order& order, const Change& change, double reach) {
  Snapshot out;
  for (const int place : order.bodies) {
    const BodyEntry& entry = sim.model().bodies()[std::size_t(place)];
    if (entry.body->mass() == 0.0) continue;  // a rotor is nowhere: its joint says how it turns
    const bool is_point = !entry.body->has_orientation() && entry.body->type() != BodyType::other;
    for (int k = 0; k < (is_point ? 1 : 4); ++k) {
      const Vec3 local = k == 0 ? Vec3(Vec3::Zero()) : Vec3(reach * Vec3::Unit(k - 1));
      const Marker marker = sim.marker({entry.id, change.body_point(local), Mat3::Identity()});
      out.x.push_back(marker.x);
      out.v.push_back(marker.v);
    }
  }
  for (std::size_t i = 0; i < out.x.size(); ++i) {
    out.size = std::max(out.size, (out.x[i] - out.x[0]).norm());
    out.speed = std::max({out.speed, out.v[i].norm(), out.size});
  }
  return out;
}

/// Of two snapshots, the first brought to the world of the second; relative to the first's size and speed.
double difference(const Snapshot& a, const Snapshot& b, const Change& change, double t) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    const double d = std::max((b.x[i] - change.place(a.x[i], t)).norm() / a.size,
                              (b.v[i] - change.velocity(a.v[i])).norm() / a.speed);
    worst = d <= worst ? worst : d;  // NaN counts
  }
  return worst;
}

/// The scene with velocities that differ a little, as near as they can on its constraints.
Simulation nudged(const Simulation& sim) {
  Simulation out = sim.clone();
  if (!traits(sim.choice().integrator).has_inertia)
    return out;  // velocities mean nothing, and starts may be open
  State state = sim.state();
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const double speed = std::max(1.0, state.v.lpNorm<Eigen::Infinity>());
  for (double& v : state.v) v += kNudge * speed * number(random);
  out.set_state(state);
  return out.project().ok() ? std::move(out) : sim.clone();
}

/// Rounding tips decisions of implicit steps (one iteration more, a substep halved or damped): then two answers differ by what
/// its tolerances leave of the forces on light bodies.
bool took_other_decisions(const Simulation& sim, const StepReport& a, const StepReport& b) {
  return is_implicit(sim.choice().integrator) &&
         (a.iterations != b.iterations || a.halvings != b.halvings || a.damped_substeps != b.damped_substeps);
}

class Runs {
 public:
  Runs(const Scene& scene, Relation relation, unsigned seed)
      : scene_(scene),
        change_(random_change(relation, is_in_plane(scene.model), seed)),
        order_(relation == Relation::permute ? shuffled(scene.model, seed) : same_order(scene.model)),
        straight_(same_order(scene.model)),
        first_(begin(scene, scene.model, scene.options)),
        third_(nudged(first_)) {}

  Followed compare(int steps) {
    Followed out;
    Simulation second = begin(scene_, moved(scene_.model, change_, order_), options_of_second());
    double grown = 0.0, floor = 0.0;
    while (out.steps < steps && out.problem.empty()) {
      const StepReport a = first_.step(scene_.dt), b = second.step(scene_.dt);
      if (a.ok() != b.ok())
        out.problem = fmt::format("refused in one world only: {}{}", a.message, b.message);
      if (!a.ok() || !b.ok() || !third_.step(scene_.dt).ok()) break;
      if (took_other_decisions(first_, a, b)) floor = kOtherDecisions;
      const Snapshot at = look(first_, straight_, {}, kReach);
      grown = std::max(grown, difference(at, look(third_, straight_, {}, kReach), {}, 0.0));
      if (grown > kChaos) break;
      const double wrong = difference(at, look(second, order_, change_, kReach), change_, second.time());
      const double allowed = std::max(floor, floor_of(first_)) + kAmplified * grown;
      ++out.steps;
      out.worst = std::max(out.worst, wrong / allowed);
      if (!(wrong <= allowed))
        out.problem = fmt::format("step {}: differs by {:.3g}, allowed {:.3g}", out.steps, wrong, allowed);
    }
    return out;
  }

 private:
  static constexpr double kReach = 0.3;  // of the points that are looked at, m

  /// With the integrator that is settled for the first: where rows are redundant, the estimates that decide it depend on which of the
  /// possible multipliers a solver finds. A moving world does work that nobody books.
  Options options_of_second() const {
    Options options = scene_.options;
    Simulation probe = first_.clone();
    if (probe.step(scene_.dt).ok()) options.integrator = probe.choice().integrator;
    if (!change_.boost.isZero())
      options.warn_growth = options.refuse_growth = std::numeric_limits<double>::infinity();
    return options;
  }
  /// What iterations leave of positions, and so of velocities by that over the step; what adaptive steps leave.
  double floor_of(const Simulation& sim) const {
    const Options& options = sim.options();
    const IntegratorTraits& method = traits(sim.choice().integrator);
    if (method.is_adaptive) return std::max(kFloor, 1e3 * options.tolerance);
    const double left = method.is_implicit ? options.newton_tolerance : options.position_tolerance;
    return kFloor + 30.0 * left / std::min(scene_.dt, 1.0);
  }

  const Scene& scene_;
  Change change_;
  Order order_, straight_;
  Simulation first_, third_;
};

Followed follow_names(const Scene& scene, int steps) {
  Followed out;
  Simulation first = begin(scene, scene.model, scene.options);
  Simulation second = begin(scene, renamed(scene.model, "another "), scene.options);
  while (out.steps < steps && out.problem.empty()) {
    const StepReport a = first.step(scene.dt), b = second.step(scene.dt);
    if (a.ok() != b.ok() || first.hash() != second.hash())
      out.problem = fmt::format("step {}: other names, other bits", out.steps + 1);
    if (!a.ok()) break;
    ++out.steps;
  }
  return out;
}

}  // namespace

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(CATENA_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Scene load_example(const std::string& name) {
  std::map<std::string, std::string> set;
  // turned in space, the rounding of a thousand planks hides a few of the 1,004 dependencies, and the solver refuses
  if (name == "rope-bridge") set["planks"] = "100";
  // as it ships its toes begin exactly on the floor: whether they touch, rounding decides
  if (name == "humanoid-pull") set["ground"] = "0.0012";
  return load_scene(std::string(CATENA_SOURCE_DIR "/examples/") + name + ".yaml", set);
}

const char* name(Relation relation) {
  constexpr std::array kNames{"rotate", "translate", "mirror", "permute", "rename", "galilei"};
  return kNames[std::size_t(relation)];
}

std::string why_not(Relation relation, const Scene& scene) {
  if (relation != Relation::galilei) return {};
  if (!traits(scene.options.integrator).has_inertia)
    return "first-order kinematics has a preferred state of rest: f = m v";
  const auto touches_world = [](const ForceEntry& entry) {
    return std::ranges::any_of(entry.force->attachments(),
                               [](const Attachment& at) { return at.body == world; });
  };
  if (is_implicit(scene.options.integrator) && std::ranges::any_of(scene.model.forces(), touches_world))
    return "springs on a moving world do work that nobody books, and implicit steps damp energy that nothing "
           "explains";
  for (const BodyEntry& entry : scene.model.bodies())
    if (dynamic_cast<const Lagrangian*>(entry.body.get()) != nullptr)
      return "the points of body '" + entry.name +
             "' follow from its coordinates alone, not from time: no wire that moves";
  return {};
}

Followed follow(const Scene& scene, Relation relation, int steps, unsigned seed) {
  if (relation == Relation::rename) return follow_names(scene, steps);
  return Runs(scene, relation, seed).compare(steps);
}

}  // namespace catena::test
