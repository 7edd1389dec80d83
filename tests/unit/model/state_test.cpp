// States: numbers by key, history per body, identity, poses.
#include "support/allocation_counter.h"
#include "support/mechanisms.h"

#include <gtest/gtest.h>

#include <map>

namespace catena {
namespace {

using Reference = std::map<std::uint64_t, std::vector<double>>;

void expect_equal(const KeyedNumbers& keyed, const Reference& reference) {
  ASSERT_EQ(keyed.size(), reference.size());
  std::size_t i = 0, total = 0;
  for (const auto& [key, numbers] : reference) {
    EXPECT_EQ(keyed.keys()[i], key);
    EXPECT_TRUE(keyed.contains(key));
    EXPECT_TRUE(std::ranges::equal(keyed.numbers_at(i++), numbers));
    EXPECT_TRUE(std::ranges::equal(keyed.find(key), numbers));
    total += numbers.size();
  }
  EXPECT_EQ(keyed.numbers().size(), total);
}

TEST(KeyedNumbers, DoWhatAMapOfVectorsDoes) {
  const unsigned seed = 4;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  KeyedNumbers keyed;
  Reference reference;
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t key = (random() % 40) * 0x123456789abcdefULL;
    if (random() % 3 == 0) {
      keyed.erase(key);
      reference.erase(key);
    } else {
      const std::size_t count = random() % 4;
      const bool is_kept = reference.contains(key) && reference[key].size() == count;
      const std::span<double> put = keyed.put(key, count);
      if (!is_kept) reference[key].assign(count, 0.0);
      ASSERT_TRUE(std::ranges::equal(put, reference[key]));
      if (count > 0) put[0] = reference[key][0] = double(round);
    }
    expect_equal(keyed, reference);
    EXPECT_TRUE(keyed.find(1).empty());
    EXPECT_FALSE(keyed.contains(1));
  }
}

TEST(KeyedNumbers, AllocateNothingWhenSizesRepeat) {
  KeyedNumbers one, two;
  for (KeyedNumbers* keyed : {&one, &two})
    for (std::uint64_t k = 0; k < 50; ++k) (void)keyed->put(3 * k, 2);
  const testing::AllocationCounter counter;
  one.clear();
  for (std::uint64_t k = 0; k < 50; ++k) (void)one.put(1000 + 5 * k, 2);
  two = one;
  EXPECT_EQ(counter.count(), 0);
  EXPECT_EQ(two.keys().back(), 1245u);
}

TEST(History, OneBodyBeginsAnewWhileOthersKeepTheirs) {
  History history;
  history.lengths = VecX::Constant(4, 0.01);
  history.numbers = VecX::LinSpaced(8, 1.0, 8.0);
  EXPECT_EQ(history.common_step(), 0.01);
  history.forget(std::array{2});
  EXPECT_EQ(history.common_step(), 0.0);
  EXPECT_EQ(history.lengths[1], 0.01);
  EXPECT_EQ(history.lengths[2], 0.0);
  EXPECT_EQ(history.part(1, 4)[0], 5.0);
  history.forget();
  EXPECT_EQ(history.lengths, VecX::Zero(4));
  EXPECT_EQ(history.numbers.size(), 0);
}

TEST(State, IsIdenticalOnlyWithEveryBit) {
  Simulation sim(test::make_chain({.links = 3, .bend = 0.3}), {.integrator = Integrator::bdf2});
  test::run(sim, 0.1, 1e-2);
  const State state = sim.state();
  EXPECT_GT(state.history.common_step(), 0.0);
  EXPECT_TRUE(identical(state, state));
  const auto differs = [&](auto change) {
    State other = state;
    change(other);
    return !identical(state, other) && hash(state) != hash(other);
  };
  EXPECT_TRUE(differs([](State& s) { s.time = std::nextafter(s.time, 1.0); }));
  EXPECT_TRUE(differs([](State& s) { s.time_rest = 1e-20; }));
  EXPECT_TRUE(differs([](State& s) { s.multipliers = VecX::Zero(3); }));
  EXPECT_TRUE(differs([](State& s) { ++s.steps; }));
  EXPECT_TRUE(differs([](State& s) { s.substep = 1e-3; }));
  EXPECT_TRUE(differs([](State& s) { s.q[3] = -s.q[3]; }));
  EXPECT_TRUE(differs([](State& s) { s.v[0] = std::nextafter(s.v[0], 1.0); }));
  EXPECT_TRUE(differs([](State& s) { s.history.forget(std::array{1}); }));
  EXPECT_TRUE(differs([](State& s) { s.history.numbers[5] += 1.0; }));
  EXPECT_TRUE(differs([](State& s) { s.ledger[Account::drag] = 1.0; }));
  EXPECT_TRUE(differs([](State& s) { (void)s.features.put(7, 0); }));
  EXPECT_TRUE(differs([](State& s) { s.features.put(7, 1)[0] = 2.0; }));
}

TEST(State, HasPosesAndTwistsOfBodies) {
  Simulation sim(test::make_chain({.links = 4, .length = 0.3, .bend = 0.4, .payload = 2.0}));
  test::stir(sim, 3);
  const std::vector<Placement> all = placements(sim.model(), sim.state());
  ASSERT_EQ(all.size(), sim.model().bodies().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const BodyId id = sim.model().bodies()[i].id;
    const Placement one = placement(sim.model(), sim.state(), id), of_simulation = sim.placement(id);
    for (const Placement& other : {one, of_simulation}) {
      EXPECT_EQ(all[i].position, other.position);
      EXPECT_EQ(all[i].orientation.coeffs(), other.orientation.coeffs());
      EXPECT_EQ(all[i].velocity, other.velocity);
      EXPECT_EQ(all[i].angular_velocity, other.angular_velocity);
    }
  }
  EXPECT_THROW((void)placement(sim.model(), State{}, sim.model().bodies()[0].id), InvalidInput);
  EXPECT_THROW((void)placement(sim.model(), sim.state(), world), InvalidInput);
}

TEST(State, IsRefusedWithForeignSizesAndNumbersThatAreNotFinite) {
  Simulation sim(test::make_chain({.links = 2}));
  const State good = sim.state();
  const auto is_refused = [&](auto change) {
    State bad = good;
    change(bad);
    try {
      sim.set_state(bad);
    } catch (const InvalidInput&) {
      return identical(sim.state(), good);
    }
    return false;
  };
  EXPECT_TRUE(is_refused([](State& s) { s.history.lengths.resize(3); }));
  EXPECT_TRUE(is_refused([](State& s) { s.history.numbers = VecX::Zero(5); }));
  EXPECT_TRUE(is_refused([](State& s) { s.history.lengths[0] = std::nan(""); }));
  EXPECT_TRUE(is_refused([](State& s) { s.features.put(1, 1)[0] = std::nan(""); }));
  EXPECT_TRUE(is_refused([](State& s) { s.ledger[Account::drag] = std::nan(""); }));
  EXPECT_TRUE(is_refused([](State& s) { s.multipliers = VecX::Zero(2); }));
  EXPECT_TRUE(is_refused([](State& s) { s.coordinates = Coordinates(200); }));
  sim.set_state(good);
}

TEST(State, IsRefusedWithQuaternionsThatAreNoRotations) {
  Simulation sim(test::make_chain({.links = 2}));
  const State good = sim.state();
  State bad = good;
  bad.q.segment<4>(7 + 3) *= 0.5;
  try {
    sim.set_state(bad);
    FAIL() << "a quaternion of norm 0.5";
  } catch (const InvalidInput& problem) {
    const std::string text = problem.what();
    EXPECT_NE(text.find("body 'link1' (rigid) has a quaternion of norm 0.5"), std::string::npos) << text;
  }
  EXPECT_TRUE(identical(sim.state(), good));
  State rounded = good;
  rounded.q.segment<4>(7 + 3) *= 1.0 + 1e-12;
  sim.set_state(rounded);
  EXPECT_TRUE(identical(sim.state(), rounded)) << "rounding is no reason to change bits";
}

TEST(Model, IsRefusedWithStartCoordinatesThatAreNoRotation) {
  Model model;
  VecX q = VecX::Zero(7);
  model.add_at("box", std::make_shared<Rigid>(1.0, Vec3(1, 1, 1)), q, VecX::Zero(6));
  const std::vector<Issue> issues = model.validate();
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].where, "body 'box'");
  EXPECT_NE(issues[0].what.find("norm 0"), std::string::npos) << issues[0].what;
}

}  // namespace
}  // namespace catena
