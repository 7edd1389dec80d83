// The joints that the hot loops know by name against the same joints evaluated through the public interface.
#include "catena/catena.h"

#include <gtest/gtest.h>

#include <random>

namespace catena {
namespace {

/// A joint that hides its name: every part of the engine must take the general way.
class Disguised final : public Constraint {
 public:
  explicit Disguised(ConstraintPtr joint)
      : Constraint({joint->attachments().begin(), joint->attachments().end()}), joint_(std::move(joint)) {}
  std::string_view kind() const override { return "disguised"; }
  int num_rows(bool planar) const override { return joint_->num_rows(planar); }
  bool needs_orientation() const override { return joint_->needs_orientation(); }
  void evaluate(const Motion& motion, Rows& rows) const override { joint_->evaluate(motion, rows); }

 private:
  ConstraintPtr joint_;
};

using Make = ConstraintPtr (*)(const AttachmentPair&);
struct Case {
  const char* name;
  Make make;
};

Vec3 random_vector(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  return {uniform(random), uniform(random), uniform(random)};
}

// A tree of five tilted bodies with random velocities; the joints do not quite hold, so that errors count too.
Model make_model(Make make, bool disguised, unsigned seed) {
  std::mt19937 random(seed);
  Model model;
  std::vector<BodyId> bodies;
  std::vector<Mat3> turns;
  for (int i = 0; i < 5; ++i) {
    Placement at;
    at.position = random_vector(random);
    at.orientation = Quat(Eigen::AngleAxisd(2.0, random_vector(random).normalized()));
    at.velocity = random_vector(random);
    at.angular_velocity = 2.0 * random_vector(random);
    bodies.push_back(
        model.add(std::string(1, char('a' + i)), std::make_shared<Rigid>(1.0 + i, Vec3(0.3, 0.4, 0.5)), at));
    const int parent = i == 0 ? -1 : (i - 1) / 2;
    const Mat3 R_parent = parent < 0 ? Mat3(Mat3::Identity()) : turns[std::size_t(parent)];
    turns.push_back(at.orientation.toRotationMatrix());
    const Mat3 frame = frame_from_axis(random_vector(random));  // of the joint, in world axes
    const Mat3 tilt = Eigen::AngleAxisd(0.1, random_vector(random).normalized()).toRotationMatrix();
    AttachmentPair pair;
    pair.a = {bodies.back(), 0.5 * random_vector(random), turns.back().transpose() * frame};
    pair.b = {parent < 0 ? world : bodies[std::size_t(parent)], 0.5 * random_vector(random),
              R_parent.transpose() * tilt * frame};
    if (i % 2 == 1) std::swap(pair.a, pair.b);
    ConstraintPtr joint = make(pair);
    if (disguised) joint = std::make_shared<Disguised>(joint);
    model.add("joint-" + std::to_string(i), joint);
  }
  return model;
}

class JointPaths : public ::testing::TestWithParam<Case> {};

TEST_P(JointPaths, SayTheSame) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Simulation known(make_model(GetParam().make, false, seed), Options{.solver = Solver::tree});
    const Simulation general(make_model(GetParam().make, true, seed), Options{.solver = Solver::dense});
    const VecX a = known.accelerations(), b = general.accelerations();
    ASSERT_GT(b.size(), 0);
    EXPECT_LT((a - b).norm(), 1e-11 * b.norm());
    EXPECT_NEAR(known.constraint_error(), general.constraint_error(), 1e-14);
    const VecX f = known.constraint_generalised_force(), g = general.constraint_generalised_force();
    EXPECT_LT((f - g).norm(), 1e-11 * g.norm());
    const ConstraintId joint = known.model().find_constraint("joint-3").value();
    const ConstraintForce mine = known.constraint_force(joint), theirs = general.constraint_force(joint);
    EXPECT_LT((mine.force - theirs.force).norm(), 1e-10 * (1.0 + theirs.force.norm()));
    EXPECT_LT((mine.torque - theirs.torque).norm(), 1e-10 * (1.0 + theirs.torque.norm()));
  }
}

INSTANTIATE_TEST_SUITE_P(All, JointPaths,
                         ::testing::Values(Case{"ball", ball}, Case{"universal", universal},
                                           Case{"hinge", hinge}, Case{"weld", weld}),
                         [](const ::testing::TestParamInfo<Case>& test) { return test.param.name; });

}  // namespace
}  // namespace catena
