// Edits, checkpoints, hashes, allocations: what makes a run continue as if nothing had happened.
#include "support/allocation_counter.h"
#include "support/mechanisms.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace catena {
namespace {

using test::make_chain;
using test::run;

Model machine() {
  Model model = make_chain({.links = 6, .length = 0.3, .hinges = true, .bend = 0.3});
  const BodyId last = *model.find_body("link5");
  model.add("spring", spring_damper({Attachment{last}, Attachment{}}, 10.0, 0.2, 1.0));
  const auto at = model.join(*model.find_body("link1"), *model.find_body("link0"), {0, 0, 0}, Vec3::UnitY());
  model.add("torsion", torsion_spring(at, 1.0, 0.05, 0.0));
  return model;
}

std::filesystem::path temporary(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("catena-test-" + std::to_string(::getpid()) + "-" + name);
}

TEST(State, TwoRunsAndARestoredRunHaveEqualHashes) {
  const auto file = temporary("checkpoint");
  Simulation one(machine()), two(machine());
  run(one, 0.5, 1e-3);
  run(two, 0.5, 1e-3);
  EXPECT_EQ(one.hash(), two.hash());
  one.save(file);
  Simulation restored(machine());
  restored.load(file);
  EXPECT_EQ(restored.hash(), one.hash());
  run(one, 1.0, 1e-3);
  run(restored, 1.0, 1e-3);
  EXPECT_EQ(restored.hash(), one.hash());
  EXPECT_EQ(restored.numerical_energy(), one.numerical_energy());
  std::filesystem::remove(file);
}

TEST(State, CurveParametersAreRestoredBitForBit) {
  const auto make = [] {
    Model model;
    const auto wire = cycloid(Vec3::Zero(), Vec3::UnitX(), Vec3::UnitZ(), 1.0);
    const BodyId bead = model.add("bead", std::make_shared<Particle3>(1.0), {.position = wire->at(1.0).c});
    model.add("wire", point_on_curve(Attachment{bead}, Attachment{}, wire));
    return model;
  };
  const auto file = temporary("curve");
  Simulation one(make());
  run(one, 0.3, 1e-3);
  one.save(file);
  Simulation two(make());
  two.load(file);
  run(one, 0.6, 1e-3);
  run(two, 0.6, 1e-3);
  EXPECT_EQ(one.hash(), two.hash());
  std::filesystem::remove(file);
}

TEST(Checkpoint, TruncatedDamagedAndForeignFilesAreRefused) {
  const auto file = temporary("bad");
  Simulation sim(machine());
  sim.save(file);
  std::ifstream in(file, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::uint64_t before = sim.hash();
  const auto refused = [&](const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), std::streamsize(bytes.size()));
    EXPECT_THROW(sim.load(file), InvalidInput) << bytes.size() << " bytes";
    EXPECT_EQ(sim.hash(), before);
  };
  for (std::size_t n = 0; n < good.size(); n += 37) refused(good.substr(0, n));
  for (std::size_t n = 0; n < good.size(); n += 53) {
    std::string bad = good;
    bad[n] = char(bad[n] ^ 0x10);
    refused(bad);
  }
  Simulation other(make_chain({.links = 6}));
  other.save(file);
  EXPECT_THROW(sim.load(file), InvalidInput);
  std::filesystem::remove(file);
  EXPECT_THROW(sim.load(file), InvalidInput);
}

TEST(Step, AllocatesNothingAfterWarmUp) {
  for (Integrator integrator :
       {Integrator::rattle, Integrator::rk4, Integrator::symplectic_euler, Integrator::first_order}) {
    Simulation sim(machine(), {.integrator = integrator});
    run(sim, 0.01, 1e-3);
    const testing::AllocationCounter counter;
    bool ok = true;
    for (int k = 0; k < 20; ++k) ok = sim.step(1e-3).ok() && ok;
    EXPECT_EQ(counter.count(), 0) << name(integrator);
    EXPECT_TRUE(ok);
  }
}

TEST(Step, RefusesBadStepsAndLeavesTheStateUntouched) {
  Simulation sim(machine());
  const std::uint64_t before = sim.hash();
  for (double dt : {0.0, -1.0, std::nan(""), 1e300, std::numeric_limits<double>::infinity()}) {
    const StepReport report = sim.step(dt);
    EXPECT_FALSE(report.ok()) << dt;
    EXPECT_FALSE(report.message.empty());
    EXPECT_EQ(sim.hash(), before);
  }
  EXPECT_TRUE(sim.step(1e-3).ok());
}

TEST(Step, RefusesAStartThatViolatesItsConstraintsUntilProjected) {
  Model model;
  const BodyId bob = model.add("bob", std::make_shared<Particle3>(1.0), {.position = {1.01, 0, 0}});
  model.add("rod", distance({Attachment{bob}, Attachment{}}, 1.0));
  Simulation sim(model);
  const StepReport refused = sim.step(1e-3);
  EXPECT_FALSE(refused.ok());
  EXPECT_NE(refused.message.find("'rod'"), std::string::npos) << refused.message;
  ASSERT_TRUE(sim.project().ok());
  EXPECT_TRUE(sim.step(1e-3).ok());
}

TEST(Solver, LoopsAreRefusedByTheTreeWithANameAndARemedy) {
  Model model;
  model.gravity = {0, -9.81, 0};
  BodyId p[3];
  const Vec3 at[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  for (int i = 0; i < 3; ++i)
    p[i] = model.add("p" + std::to_string(i), std::make_shared<Particle2>(1.0), {.position = at[i]});
  for (int i = 0; i < 3; ++i)
    model.add("bar" + std::to_string(i),
              distance({Attachment{p[i]}, Attachment{p[(i + 1) % 3]}}, (at[i] - at[(i + 1) % 3]).norm()));
  try {
    Simulation sim(model, {.solver = Solver::tree});
    FAIL() << "a loop must be refused";
  } catch (const InvalidInput& e) {
    EXPECT_NE(std::string(e.what()).find("'bar2'"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("sparse"), std::string::npos) << e.what();
  }
  Simulation sim(model);
  EXPECT_EQ(sim.choice().solver, Solver::sparse);
  EXPECT_TRUE(compare(sim, 1).agree);
}

/// Everything about a body that an edit elsewhere must not touch.
VecX numbers_of(const Simulation& sim, BodyId id) {
  const Placement at = sim.placement(id);
  VecX out(13);
  out << at.position, at.orientation.coeffs(), at.velocity, at.angular_velocity;
  return out;
}

/// One random change of structure.
class RandomEditor {
 public:
  explicit RandomEditor(unsigned seed) : random_(seed) {}

  void change(Model& model) {
    const std::string name = "n" + std::to_string(serial_++);
    switch (chance(6)) {
      case 0: {  // hang a new rod on a body
        const BodyEntry on = any_body(model);
        const Vec3 point(on.q[0], on.q[1], on.q[2]);
        const BodyId rod = test::add_rod(model, name, point, point + Vec3(0.1, 0.2, -0.2));
        model.add(name, ball(model.join(rod, on.id, point)));
        break;
      }
      case 1: {  // a free particle on a spring
        const BodyEntry on = any_body(model);
        const BodyId p = model.add(name, std::make_shared<Particle3>(0.5), {.position = {1, 1, 1}});
        model.add(name, spring_damper({Attachment{p}, Attachment{on.id}}, 5.0, 0.1, 1.0));
        break;
      }
      case 2:
        if (model.constraints().size() > 4) model.remove(any(model.constraints()).id);
        break;
      case 3:
        if (!model.forces().empty()) model.remove(any(model.forces()).id);
        break;
      case 4:
        if (model.bodies().size() >= 6) remove_with_attachments(model, any_body(model).id);
        break;
      case 5:
        model.add(name, drag(Attachment{any_body(model).id}, 0.1));
        break;
    }
  }

 private:
  int chance(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  template <class Entry>
  const Entry& any(std::span<const Entry> entries) {
    return entries[std::size_t(chance(int(entries.size())))];
  }
  BodyEntry any_body(const Model& model) { return any(model.bodies()); }

  static void remove_with_attachments(Model& model, BodyId id) {
    const auto attached = [id](const auto& object) {
      return std::ranges::any_of(object.attachments(), [id](const Attachment& a) { return a.body == id; });
    };
    std::vector<ConstraintId> constraints;
    std::vector<ForceId> forces;
    for (const ConstraintEntry& c : model.constraints())
      if (attached(*c.constraint)) constraints.push_back(c.id);
    for (const ForceEntry& f : model.forces())
      if (attached(*f.force)) forces.push_back(f.id);
    for (ConstraintId c : constraints) model.remove(c);
    for (ForceId f : forces) model.remove(f);
    model.remove(id);
  }

  std::mt19937 random_;
  int serial_ = 0;
};

// A thousand random edits of a running simulation. What an edit does not touch keeps its bits, and the result moves on like a
// model that was built that way.
TEST(Edit, AThousandRandomEditsDuringOneRun) {
  const unsigned seed = 11;
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomEditor editor(seed);
  Simulation sim(make_chain({.links = 8, .length = 0.3, .bend = 0.4}));
  for (int edit = 0; edit < 1000; ++edit) {
    std::vector<std::pair<BodyId, VecX>> before;
    for (const BodyEntry& b : sim.model().bodies()) before.emplace_back(b.id, numbers_of(sim, b.id));
    Model fresh;
    sim.edit([&](Model& model) {
      editor.change(model);
      fresh = model;
    });
    for (const auto& [id, numbers] : before) {
      if (sim.model().index_of(id) < 0) continue;
      ASSERT_EQ(numbers, numbers_of(sim, id));
    }

    StepReport report = sim.project();
    ASSERT_TRUE(report.ok()) << "edit " << edit << ": " << report.message;
    report = sim.step(1e-3);
    ASSERT_TRUE(report.ok()) << "edit " << edit << ": " << report.message;

    if (edit % 25 == 0) {  // the same model, built afresh where the edit left it
      Simulation rebuilt(fresh, sim.options());
      ASSERT_TRUE(rebuilt.project().ok());
      ASSERT_TRUE(rebuilt.step(1e-3).ok());
      EXPECT_LT((sim.state().q - rebuilt.state().q).lpNorm<Eigen::Infinity>(), 1e-12);
      EXPECT_LT((sim.state().v - rebuilt.state().v).lpNorm<Eigen::Infinity>(), 1e-10);
    }
  }
}

TEST(Impulse, PassesThroughAllConstraintsAndIsBooked) {
  Simulation sim(make_chain({.links = 3, .length = 1.0, .hinges = true}));
  const BodyId last = *sim.model().find_body("link2");
  ASSERT_TRUE(sim.apply_impulse(last, {3, 0, 0}, {0, 0, 1}).ok());
  EXPECT_LT(sim.constraint_error(), 1e-14);
  EXPECT_LT(std::abs(sim.constraint_power()), 1e-12);
  EXPECT_GT(sim.ledger()[Account::impulses], 0.0);
  EXPECT_NEAR(sim.numerical_energy(), 0.0, 1e-12);
}

TEST(FirstOrder, DragsAnAssemblyWithoutInertiaAndPullsItTogether) {
  Model model = make_chain({.links = 3, .length = 1.0});
  model.gravity.setZero();
  const BodyId last = *model.find_body("link2");
  model.add("hand", mouse_spring(model.mark(last, {3, 0, 0}), {1.5, 1.0, 1.0}, 50.0, 0.0));
  Simulation sim(model, {.integrator = Integrator::first_order});
  for (int k = 0; k < 4000; ++k) ASSERT_TRUE(sim.step(1e-2).ok());
  const Placement at = sim.placement(last);
  EXPECT_LT((at.position + at.orientation * Vec3(0.5, 0, 0) - Vec3(1.5, 1.0, 1.0)).norm(), 1e-6);
  EXPECT_LT(sim.constraint_error(), 1e-6);
}

}  // namespace
}  // namespace catena
