// catena bench speed: what one step, and one evaluation of the accelerations, costs; beside other engines on the same trees.
//
// Every engine is timed in turns with the others (race.h), and must have computed the same: accelerations of all links at the start, and
// where its steps are v += dt·v̇, q ⊕= dt·v in the same coordinates, the state after a hundred of them.
#include "bench/bench.h"
#include "bench/mechanisms.h"
#include "bench/race.h"
#include "bench/tree_peers.h"
#include "bench/tree_problem.h"
#include "view/assets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena::app {
namespace {

constexpr int kComparedSteps = 100;
constexpr double kOwnSame = 1e-9;  // relative: accelerations of two formulations

Model humanoid() {
  const Asset* text = find_asset(example_scenes(), "humanoid-36");
  Scene scene = parse_scene(std::string(text->bytes), "humanoid-36");
  scene.model.gravity = Vec3(0, 0, -9.81);  // the scene has none
  return scene.model;
}

/// The long ones are beyond what MuJoCo's factor of the mass matrix resolves.
TreeProblem hinges(int links) {
  return moving(fmt::format("hinge-{}", links), fmt::format("{} hinge{}", links, links > 1 ? "s" : ""),
                bent_chain(links, "hinge"), links < 1000 ? 1e-8 : 1e-6);
}

/// Articulated bodies may lose digits from ball joint to ball joint: those of Pinocchio and of RBDL have 8 left of 10 links, 4 and none of
/// 30. So what they compute is judged at 10, and shown at 30.
TreeProblem balls(int links) {
  return moving(fmt::format("ball-{}", links), fmt::format("{} balls", links), bent_chain(links, "ball"),
                links <= 10 ? 1e-8 : INFINITY);
}

std::vector<TreeProblem> step_problems() {
  std::vector<TreeProblem> out;
  for (const int links : {1, 2, 7, 30, 200, 1000}) out.push_back(hinges(links));
  out.push_back(moving("humanoid", "humanoid, 36 dof", humanoid()));
  return out;
}

std::vector<TreeProblem> forward_problems() {
  std::vector<TreeProblem> out;
  for (const int links : {30, 200, 1000}) out.push_back(hinges(links));
  for (const int links : {10, 30}) out.push_back(balls(links));
  out.push_back(moving("humanoid", "humanoid, 36 dof", humanoid()));
  out.push_back(moving("tree", "tree of 30 hinges", hinge_tree(30)));
  return out;
}

/// Largest difference over the largest number.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size() || a.empty()) return INFINITY;
  double apart = 0, scale = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return INFINITY;
    apart = std::max(apart, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(a[i]));
  }
  return apart / scale;
}

/// Steps of Catena with all its guards.
Contestant stepping(const TreeProblem& problem, Formulation formulation) {
  const auto sim = std::make_shared<Simulation>(
      problem.model, Options{.formulation = formulation, .integrator = Integrator::symplectic_euler});
  const auto run = [sim, start = sim->state(), dt = problem.dt](long count) {
    sim->set_state(start);
    double begin = 0;
    for (long k = -1; k < count; ++k) {  // the first one after a change of the state looks at all of it
      if (k == 0) begin = processor_seconds();
      const StepReport step = sim->step(dt);
      if (!step.ok())
        throw InvalidInput({{"bench speed", "a step was refused: " + step.message, "take shorter ones"}});
    }
    return processor_seconds() - begin;
  };
  return {"Catena", formulation == Formulation::minimal ? "joint coordinates" : "body coordinates", run};
}

/// Accelerations by articulated bodies, from joint coordinates to joint accelerations.
Contestant accelerating(const TreeProblem& problem) {
  struct Room {
    explicit Room(const TreeProblem& p)
        : tree(p.model), data(tree), q(p.start.q), v(p.start.v), tau(VecX::Zero(tree.num_v())), a(tau) {}
    JointTree tree;
    TreeData data;
    VecX q, v, tau, a;
  };
  const auto room = std::make_shared<Room>(problem);
  const auto run = [room](long count) {
    const double begin = processor_seconds();
    for (long k = 0; k < count; ++k)
      static_cast<void>(forward_dynamics(room->tree, room->q, room->v, room->tau, room->data, room->a));
    return processor_seconds() - begin;
  };
  return {"Catena", "forward_dynamics", run};
}

/// Races on one tree after the other, and the rows of their table.
class TreeRaces {
 public:
  /// @param what "step" or "forward": what is timed, in the words of the peers
  TreeRaces(const BenchArguments& arguments, const TreePeerPrograms& programs, std::string what,
            BenchReport& report)
      : arguments_(arguments), programs_(programs), what_(std::move(what)), report_(report) {}

  /// The contestants on a tree, Catena in joint coordinates first.
  std::vector<Contestant> run(const TreeProblem& problem) {
    std::vector<Contestant> all;
    if (what_ == "step")
      all = {stepping(problem, Formulation::minimal), stepping(problem, Formulation::maximal)};
    else
      all = {accelerating(problem)};
    const std::size_t own = all.size();
    const auto peers = start_peers(problem);
    for (const auto& peer : peers)
      all.push_back({peer->engine(), peer->variant(what_),
                     [peer, what = what_](long count) { return peer->seconds(what, count); }});
    race(all, arguments_.repeats);

    const std::vector<double> accelerations = joint_accelerations(problem);
    const std::vector<double> after = what_ == "step" ? state_after(problem, kComparedSteps) : accelerations;
    require_same(problem, "Catena in body coordinates",
                 difference(accelerations, body_accelerations(problem)), kOwnSame);
    for (std::size_t i = 0; i < own; ++i) add_row(problem, all[0], all[i], {});
    for (std::size_t i = 0; i < peers.size(); ++i)
      add_row(problem, all[0], all[own + i], compare(problem, *peers[i], accelerations, after));
    return all;
  }

  void finish() {
    report_.table(what_,
                  {"tree", "engine", "variant", "ns", "median", "Catena over it", "accelerations apart",
                   "states apart"},
                  rows_);
    for (const std::string& note : notes_) report_.note(note);
  }

 private:
  struct Apart {
    double accelerations = NAN, states = NAN;  // NAN: not compared
  };

  std::vector<std::shared_ptr<TreePeer>> start_peers(const TreeProblem& problem) {
    const std::string tree = described(problem);
    std::vector<std::shared_ptr<TreePeer>> peers;
    for (const std::string& program : programs_.here) {
      try {
        peers.push_back(std::make_shared<TreePeer>(program, tree));
        note(peers.back()->engine() + " " + peers.back()->version());
      } catch (const PeerDeclined& reason) {
        note(fmt::format("{}: not run by {}", problem.name, reason.what()));
      }
    }
    return peers;
  }

  Apart compare(const TreeProblem& problem, TreePeer& peer, const std::vector<double>& accelerations,
                const std::vector<double>& after) {
    Apart apart{.accelerations = difference(accelerations, peer.numbers("accelerations"))};
    require_same(problem, peer.engine(), apart.accelerations, problem.same);
    if (what_ != "step" || !peer.has_same_steps()) return apart;
    apart.states = difference(after, peer.numbers(fmt::format("state {}", kComparedSteps)));
    require_same(problem, fmt::format("{} after {} steps", peer.engine(), kComparedSteps), apart.states,
                 problem.same);
    return apart;
  }

  void require_same(const TreeProblem& problem, const std::string& who, double apart, double allowed) {
    if (!(apart <= allowed))
      report_.check(false, fmt::format("{}: {} computes the same, {:.1e} apart, at most {:.0e}", problem.name,
                                       who, apart, allowed));
  }

  void note(const std::string& text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
  }

  void add_row(const TreeProblem& problem, const Contestant& ours, const Contestant& c, const Apart& apart) {
    const auto small = [](double value) { return std::isnan(value) ? cell("") : cell(value, "{:.0e}"); };
    rows_.push_back({cell(problem.name), cell(c.engine), cell(c.variant), cell(1e9 * c.shortest(), "{:.0f}"),
                     cell(1e9 * c.median(), "{:.0f}"), cell(ours.shortest() / c.shortest(), "{:.2f}"),
                     small(apart.accelerations), small(apart.states)});
  }

  const BenchArguments& arguments_;
  const TreePeerPrograms& programs_;
  std::string what_;
  BenchReport& report_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::string> notes_;
};

/// Catena's time over that of an engine, the fastest of its variants; 0 where it did not run.
double ratio_to(const std::string& engine, const std::vector<Contestant>& all) {
  double ratio = 0;
  for (const Contestant& c : all)
    if (c.engine == engine) ratio = std::max(ratio, all[0].shortest() / c.shortest());
  return ratio;
}

struct TreeResult {
  std::string key, name;
  std::vector<Contestant> all;
  double ns() const { return 1e9 * all[0].shortest(); }
};

void judge_ratio(const TreeResult& tree, const std::string& engine, double goal, BenchReport& report) {
  const double ratio = ratio_to(engine, tree.all);
  if (ratio > 0)
    report.check(ratio <= goal,
                 fmt::format("{}: {:.2f} of the time of {}, at most {:g}", tree.name, ratio, engine, goal));
  else
    report.note(fmt::format("{}: not judged, {} did not run", tree.name, engine));
}

std::vector<TreeResult> race_on(const std::vector<TreeProblem>& problems, const char* what,
                                const BenchArguments& arguments, const TreePeerPrograms& programs,
                                BenchReport& report) {
  TreeRaces races(arguments, programs, what, report);
  std::vector<TreeResult> results;
  for (const TreeProblem& problem : problems)
    if (arguments.tree.empty() || arguments.tree == problem.key)
      results.push_back({problem.key, problem.name, races.run(problem)});
  if (!results.empty()) races.finish();
  return results;
}

void race_steps(const BenchArguments& arguments, const TreePeerPrograms& programs, BenchReport& report) {
  report.section("step",
                 fmt::format("One step, symplectic Euler, all checks on; processor time in ns, shortest and "
                             "median of {} rounds, engines in turns",
                             arguments.repeats));
  for (const TreeResult& tree : race_on(step_problems(), "step", arguments, programs, report))
    if (tree.key == "hinge-7" || tree.key == "hinge-30" || tree.key == "humanoid")
      judge_ratio(tree, "MuJoCo", 0.6, report);
}

void race_accelerations(const BenchArguments& arguments, const TreePeerPrograms& programs,
                        BenchReport& report) {
  report.section("forward",
                 "Joint accelerations from joint coordinates, sines and cosines included; the same way");
  for (const TreeResult& tree : race_on(forward_problems(), "forward", arguments, programs, report)) {
    if (tree.key == "tree")
      report.check(tree.ns() <= 3000, fmt::format("{}: {:.0f} ns, at most 3000", tree.name, tree.ns()));
    else if (tree.key == "hinge-1000")
      report.check(tree.ns() <= 100e3,
                   fmt::format("{}: {:.1f} ns per link, at most 100", tree.name, tree.ns() / 1000));
    else
      judge_ratio(tree, "Pinocchio", 0.5, report);
  }
}

void evaluate_bodies(const BenchArguments& arguments, BenchReport& report) {
  constexpr int kBodies = 1000;
  report.section(
      "speed",
      fmt::format("State to accelerations and multipliers, {} links; ns per link, shortest of {} runs",
                  kBodies, std::max(200, arguments.repeats)));
  const auto per_link = [](double seconds) { return cell(1e9 * seconds / kBodies, "{:.1f}"); };
  std::vector<std::vector<Cell>> rows;
  struct BodyCase {
    const char* joint;
    double target;        // ns per link
    double measured = 0;  // ns per link
  };
  BodyCase cases[] = {{"hinge", 200}, {"ball", 250}};
  for (BodyCase& c : cases) {
    Simulation sim(bent_chain(kBodies, c.joint),
                   Options{.formulation = Formulation::maximal, .solver = Solver::tree});
    const int repeats = std::max(200, arguments.repeats);
    const double checked = time_evaluation(sim, repeats);
    const SolverRun run = run_solver(sim, Solver::tree, repeats);
    const double together = run.evaluate_seconds + run.factor_and_solve_seconds;
    c.measured = 1e9 * together / kBodies;
    rows.push_back({cell(c.joint), per_link(run.evaluate_seconds), per_link(run.factor_and_solve_seconds),
                    per_link(together), cell(c.target, "{:.0f}"), per_link(run.factor_seconds),
                    per_link(run.solve_seconds), per_link(checked)});
  }
  report.table("chains",
               {"joint", "evaluate", "factor and solve", "together", "target", "factor alone", "solve alone",
                "with residual check and energies"},
               rows);
  for (const BodyCase& c : cases)
    report.check(c.measured <= c.target,
                 fmt::format("{} chain: {:.1f} ns per link, at most {:.0f}", c.joint, c.measured, c.target));
}

}  // namespace

void bench_speed(const BenchArguments& arguments, BenchReport& report) {
  const TreePeerPrograms programs = find_tree_peers(arguments.peers);
  race_steps(arguments, programs, report);
  race_accelerations(arguments, programs, report);
  if (arguments.tree.empty()) evaluate_bodies(arguments, report);
  if (programs.missing.empty()) return;
  report.section("peers", "Peers, programs in bench/peers");
  for (const std::string& line : programs.missing) report.note(line);
}

}  // namespace catena::app
