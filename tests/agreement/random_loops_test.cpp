// Random closed mechanisms at the level of the model: sparse = auxiliary = dense.
#include "catena/analysis.h"
#include "catena/catena.h"

#include <gtest/gtest.h>

#include <random>

namespace catena {
namespace {

class RandomMechanism {
 public:
  explicit RandomMechanism(unsigned seed) : random_(seed) {
    model.gravity = vector(9.81);
    const int bodies = integer(4, 12);
    for (int i = 0; i < bodies; ++i) add_body(i);
    for (int k = integer(1, 4); k > 0; --k) close_loop(k);
  }

  Model model;

 private:
  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  Vec3 vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }

  ConstraintPtr joint(BodyId a, BodyId b, const Vec3& point) {
    switch (integer(0, 4)) {
      case 0:
        return hinge(model.join(a, b, point, vector(1.0).normalized()));
      case 1:
        return universal(model.join(a, b, point, vector(1.0).normalized()));
      case 2:
        return slider(model.join(a, b, point, vector(1.0).normalized()));
      default:
        return ball(model.join(a, b, point));
    }
  }

  void add_body(int i) {
    Placement at;
    at.position = vector(1.0);
    at.orientation = Quat(Eigen::AngleAxisd(number(-3, 3), vector(1.0).normalized()));
    at.velocity = vector(1.0);
    at.angular_velocity = vector(2.0);
    const double mass = number(0.5, 3.0);
    ids_.push_back(model.add(
        "body" + std::to_string(i),
        std::make_shared<Rigid>(mass, Vec3(mass * Vec3(number(0.1, 0.2), number(0.1, 0.2), 0.15))), at));
    const BodyId parent = i == 0 || number(0, 1) < 0.15 ? world : ids_[std::size_t(integer(0, i - 1))];
    if (i > 0 && number(0, 1) < 0.05) return;  // now and then a tree of its own
    model.add("joint" + std::to_string(i), joint(ids_.back(), parent, vector(1.0)));
  }

  void close_loop(int k) {
    const BodyId a = ids_[std::size_t(integer(0, int(ids_.size()) - 1))];
    BodyId b = number(0, 1) < 0.3 ? world : ids_[std::size_t(integer(0, int(ids_.size()) - 1))];
    if (a == b) b = world;
    const std::string name = "loop" + std::to_string(k);
    const int kind = integer(0, 2);
    if (kind == 0) {
      model.add(name, ball(model.join(a, b, vector(1.0))));
    } else {
      const AttachmentPair first = model.join(a, b, vector(1.0)), second = model.join(a, b, vector(1.0));
      model.add(name, distance({first.a, second.b}, number(0.5, 1.5)));
    }
  }

  std::mt19937 random_;
  std::vector<BodyId> ids_;
};

double loop_difference(const VecX& a, const VecX& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / std::max(1.0, b.lpNorm<Eigen::Infinity>());
}

TEST(RandomLoops, SparseAuxiliaryAndDenseAgree) {
  int compared = 0, closed = 0;
  for (unsigned seed = 1; compared < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_LT(seed, 2000u) << "too many mechanisms were overconstrained";
    const RandomMechanism mechanism(seed);
    const Simulation sim(mechanism.model, Options{.solver = Solver::sparse});
    const SolverRun dense = run_solver(sim, Solver::dense_kkt);
    // the dense reference takes independent rows only; nearly dependent ones make the comparison meaningless
    if (!dense.applies || dense.multipliers.lpNorm<Eigen::Infinity>() > 1e5) continue;
    const SolverRun sparse = run_solver(sim, Solver::sparse), auxiliary = run_solver(sim, Solver::auxiliary);
    ASSERT_TRUE(sparse.applies) << sparse.why_not;
    ASSERT_TRUE(auxiliary.applies) << auxiliary.why_not;
    for (const SolverRun* run : {&sparse, &auxiliary}) {
      EXPECT_LT(loop_difference(run->accelerations, dense.accelerations), 1e-9);
      EXPECT_LT(loop_difference(run->constraint_force, dense.constraint_force), 1e-9);
    }
    ++compared;
    closed += check(sim, 0).loops > 0 ? 1 : 0;
  }
  EXPECT_GT(closed, 300);
}

}  // namespace
}  // namespace catena
