// Time and hands of the viewer's simulation, and the bytes of its frames.
#include "view/document.h"
#include "view/player.h"
#include "view/protocol.h"

#include <gtest/gtest.h>

#include <cstring>

namespace catena::app {
namespace {

const char* const kPendulum = R"(
bodies: [{name: bob, kind: particle, mass: 2, radius: 0.1, position: [1, 0, 0]}]
constraints: [{name: rod, kind: distance, a: bob, b: world, point_b: [0, 0, 0]}]
forces: [{name: brake, kind: drag, a: bob, linear: 1}, {name: coil, kind: spring, a: bob, point_b: [0, 0, 1], stiffness: 50, rest_length: 0.1}]
options: {dt: 1e-3}
probes: [{name: height, quantity: position, body: bob, component: z, analytic: "-t^2"}]
)";

ViewPlayer player_of(const std::string& text) {
  return {read_scene(document_from_text(text), "scene"), std::size_t(8) << 20};
}

void play_for(ViewPlayer& player, double seconds) {
  player.play();
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  while (Clock::now() < end) {
    player.run(end, [] { return false; });
    player.record();
  }
}

TEST(ViewPlayer, PlaysAtTheSpeedOfTheClock) {
  ViewPlayer player = player_of(kPendulum);
  play_for(player, 0.2);
  // never ahead; behind where the machine is busy
  EXPECT_GT(player.sim().time(), 0.01);
  EXPECT_LT(player.sim().time(), 0.21);
  player.set_speed(0.1);
  const double before = player.sim().time();
  play_for(player, 0.2);
  EXPECT_GT(player.sim().time(), before);
  EXPECT_LT(player.sim().time() - before, 0.03);
}

TEST(ViewPlayer, GoesBackAndBranches) {
  ViewPlayer player = player_of(kPendulum);
  for (int i = 0; i < 100; ++i) player.step(10);
  const std::uint64_t end = player.sim().hash();
  player.seek(0.5);
  EXPECT_FALSE(player.is_live());
  EXPECT_NEAR(player.sim().time(), 0.5, 0.011);
  EXPECT_NEAR(player.recorded_to(), 1.0, 1e-9);
  player.seek(10.0);
  EXPECT_TRUE(player.is_live());
  EXPECT_EQ(player.sim().hash(), end);
  player.seek(0.5);
  player.branch();
  EXPECT_TRUE(player.is_live());
  EXPECT_NEAR(player.recorded_to(), 0.5, 0.011);
  // the same way again, bit for bit
  for (int i = 0; i < 50; ++i) player.step(10);
  EXPECT_EQ(player.sim().hash(), end);
  player.reset();
  EXPECT_EQ(player.sim().time(), 0.0);
}

TEST(ViewPlayer, ThePastBecomesCoarserNotShorter) {
  Past past(std::size_t(20) << 10);
  State state;
  state.q.setZero(10);
  for (int i = 0; i < 10'000; ++i) {
    state.time = 0.01 * i;
    past.record(state);
  }
  EXPECT_EQ(past.from(), 0.0);
  EXPECT_GT(past.to(), 90.0);
  EXPECT_LT(past.size(), 200U);
  EXPECT_NEAR(past.at(past.nearest(50.0)).time, 50.0, 5.0);
}

// Memory of a viewer that runs for hours, by what it keeps.
TEST(ViewPlayer, ThePastOfAnHourTakesWhatThatOfMinutesDoes) {
  constexpr double kFramesPerSecond = 60.0;
  Past past(std::size_t(256) << 20);
  State state;
  state.q.setZero(70);
  state.v.setZero(60);
  std::size_t after_ten_minutes = 0;
  for (int frame = 0; frame <= 3600 * 60; ++frame) {
    state.time = frame / kFramesPerSecond;
    past.record(state);
    ASSERT_LE(past.size(), Past::kMostRecent + Past::kMostOld);
    if (frame == 600 * 60) after_ten_minutes = past.bytes();
  }
  EXPECT_LE(past.bytes(), 2 * after_ten_minutes);
  EXPECT_LE(past.bytes(), std::size_t(20) << 20);
  EXPECT_EQ(past.from(), 0.0);
  EXPECT_EQ(past.to(), 3600.0);
  for (std::size_t k = 1; k < Past::kMostRecent; ++k)  // the last minute, frame by frame
    ASSERT_NEAR(past.at(past.size() - k).time - past.at(past.size() - k - 1).time, 1.0 / kFramesPerSecond,
                1e-9);
  for (std::size_t k = 1; k < past.size(); ++k)  // and nothing is missing before
    ASSERT_LT(past.at(k).time - past.at(k - 1).time, 1.0);
}

TEST(ViewPlayer, ThePastKeepsItsBudgetOfBytes) {
  constexpr std::size_t kBudget = std::size_t(4) << 20;
  Past past(kBudget);
  State state;
  state.q.setZero(5000);
  for (int frame = 0; frame < 5000; ++frame) {
    state.time = frame;
    past.record(state);
    ASSERT_LE(past.bytes(), kBudget + 2 * 40'500);  // what has just come in is dropped after it was counted
  }
  past.forget_after(10);
  EXPECT_EQ(past.size(), 11U);
  EXPECT_EQ(past.to(), past.at(10).time);
  past.clear();
  EXPECT_EQ(past.bytes(), 0U);
}

TEST(ViewPlayer, RowsThatNobodyTakesAreBounded) {
  const ViewPlayer player = player_of(kPendulum);
  Samples samples;
  samples.begin(player.scene());
  for (std::size_t k = 0; k < 3 * Samples::kMostKept; ++k) samples.add(player.scene(), player.sim());
  EXPECT_LE(samples.take_new().size(), Samples::kMostKept);
}

// A page that joins after an hour draws the whole hour.
TEST(ViewPlayer, RowsOfAnHourHaveNoHole) {
  const Scene scene = read_scene(document_from_text("title: Empty"), "scene");
  Simulation sim = make_simulation(scene);
  State state = sim.state();
  Samples samples;
  samples.begin(scene);
  for (std::size_t k = 0; k < 12 * Samples::kMostKept; ++k) {
    state.time = double(k);
    sim.set_state(state);
    samples.add(scene, sim);
    ASSERT_LE(samples.kept().size(), Samples::kMostKept);
  }
  const auto& rows = samples.kept();
  EXPECT_EQ(rows.front().front(), 0.0);
  const double all = rows.back().front();
  for (std::size_t k = 1; k < rows.size(); ++k)
    ASSERT_LT(rows[k].front() - rows[k - 1].front(), 8.0 * all / double(Samples::kMostKept))
        << rows[k].front();
}

TEST(ViewPlayer, TheHandPullsAndIsFelt) {
  ViewPlayer player = player_of(kPendulum);
  player.play();
  player.grab(0, Vec3::Zero(), {0, 1, 0});
  for (int i = 0; i < 300; ++i) player.step(1);
  EXPECT_GT(player.sim().placement(player.sim().model().bodies()[0].id).position.y(), 0.05);
  EXPECT_GT(player.hand_force().norm(), 0.1);
  player.release();
  EXPECT_EQ(player.hand_force().norm(), 0.0);
  EXPECT_EQ(player.sim().model().forces().size(), 2U);
  EXPECT_THROW(player.grab(7, Vec3::Zero(), Vec3::Zero()), InvalidInput);
}

TEST(ViewPlayer, ParticlesAndPlanarBodiesAreGrabbedByTheirSkin) {
  ViewPlayer player = player_of(R"(
gravity: [0, 0, 0]
bodies:
  - {name: dot, kind: particle-2d, mass: 1, radius: 0.2, position: [0, 0]}
  - {name: plate, kind: planar, mass: 1, shape: {kind: box, size: [1, 1]}, position: [3, 0]}
)");
  player.play();
  for (const int body : {0, 1}) {
    const Vec3 skin(0.1, 0.1, 0.15);
    const Vec3 centre = player.sim().placement(player.sim().model().bodies()[std::size_t(body)].id).position;
    player.grab(body, skin, centre + skin);  // where it is: nothing is pulled
    EXPECT_LT(player.hand_force().norm(), 1e-9);
    player.drag(centre + skin + Vec3(1, 0, 0));
    EXPECT_GT(player.hand_force().x(), 0.1);
    player.release();
  }
}

TEST(ViewPlayer, AHandPosesWhileTimeStandsAndPullsWhileItRuns) {
  ViewPlayer player = player_of(kPendulum);
  player.step(100);
  const double time = player.sim().time(), numerical = player.sim().numerical_energy();
  const auto at = [&] { return player.sim().placement(player.sim().model().bodies()[0].id).position; };
  player.grab(0, Vec3::Zero(), {0, 0, -1});
  player.drag({0, 0.6, -0.8});
  EXPECT_LT((at() - Vec3(0, 0.6, -0.8)).norm(), 1e-9);
  EXPECT_FALSE(player.is_playing());
  EXPECT_EQ(player.hand_force().norm(), 0.0);
  player.play();  // the spring takes over
  player.drag({0, 1, 0});
  EXPECT_GT(player.hand_force().norm(), 0.1);
  EXPECT_LT((at() - Vec3(0, 0.6, -0.8)).norm(), 1e-9);
  player.pause();
  player.drag({0, -0.6, -0.8});
  EXPECT_LT((at() - Vec3(0, -0.6, -0.8)).norm(), 1e-9);
  player.release();
  EXPECT_FALSE(player.is_playing());
  EXPECT_EQ(player.sim().time(), time);
  EXPECT_NEAR(player.sim().numerical_energy(), numerical, 1e-9);
  player.step(10);
  EXPECT_FALSE(player.take_refusal());
}

TEST(ViewPlayer, KinematicDraggingIsExactAndStopsWhereTheMechanismDoes) {
  ViewPlayer player = player_of(kPendulum);
  player.set_kinematic(true);
  player.grab(0, Vec3::Zero(), {0, 0, -1});
  const auto at = [&] { return player.sim().placement(player.sim().model().bodies()[0].id).position; };
  EXPECT_LT((at() - Vec3(0, 0, -1)).norm(), 1e-9);
  player.drag({0, 0.6, -0.8});
  EXPECT_LT((at() - Vec3(0, 0.6, -0.8)).norm(), 1e-9);
  player.drag({0, 6, -8});  // out of reach: the rod holds, and turns to where it points at the hand
  EXPECT_LT((at() - Vec3(0, 0.6, -0.8)).norm(), 1e-9);
  player.drag({0, -0.3, -0.4});
  EXPECT_LT((at() - Vec3(0, -0.6, -0.8)).norm(), 1e-6);
  player.release();
  player.set_kinematic(false);
  player.step(10);
  EXPECT_FALSE(player.take_refusal());
}

TEST(ViewPlayer, AnUnreachableTargetMakesTheTipSlideAlongItsReach) {
  ViewPlayer player = player_of(R"(
gravity: [0, 0]
bodies:
  - {name: upper, kind: planar, mass: 1, from: [0, 0], to: [1, 0]}
  - {name: fore, kind: planar, mass: 1, from: [1, 0], to: [1.5, 0.5]}
joints:
  - {name: shoulder, kind: hinge, a: upper, point: [0, 0]}
  - {name: elbow, kind: hinge, a: fore, b: upper, point: [1, 0]}
)");
  const double half = 0.5 * std::sqrt(0.5), reach = 1.0 + 2.0 * half;
  player.set_kinematic(true);
  const auto tip = [&] { return player.sim().marker({player.sim().model().bodies()[1].id, {half, 0, 0}}).x; };
  ASSERT_LT((tip() - Vec3(1.5, 0.5, 0)).norm(), 1e-9);
  player.grab(1, {half, 0, 0}, tip());
  // a target beyond reach that goes round: the tip follows on its circle, where it is nearest
  for (double angle = 0.2; angle < 2.0; angle += 0.1) {
    const Vec3 towards(std::cos(angle), std::sin(angle), 0);
    player.drag(3.0 * towards);
    EXPECT_LT((tip() - reach * towards).norm(), 2e-3) << angle;
    EXPECT_LT(player.sim().constraint_error(), 1e-9);
  }
  player.drag({0.5, 0.5, 0});  // and back within reach
  EXPECT_LT((tip() - Vec3(0.5, 0.5, 0)).norm(), 1e-9);
}

TEST(ViewPlayer, ABlowIsFeltByTheHandAndBooked) {
  ViewPlayer player = player_of(R"(
gravity: [0, 0, 0]
bodies: [{name: rod, kind: rigid, mass: 1, from: [0, 0, 0], to: [1, 0, 0]}]
joints: [{name: pivot, kind: hinge, a: rod, point: [0, 0, 0], axis: [0, 0, 1]}]
)");
  EXPECT_FALSE(player.last_blow());
  player.record();
  player.strike(0, {0.5, 0, 0}, {5, 2, 0});  // at the tip; the pivot takes what is along the rod
  ASSERT_TRUE(player.last_blow());
  const ViewPlayer::Blow& blow = *player.last_blow();
  EXPECT_LT((blow.point - Vec3(1, 0, 0)).norm(), 1e-12);
  EXPECT_LT((blow.change - Vec3(0, 6, 0)).norm(), 1e-9);  // p L²/I
  EXPECT_NEAR(blow.mass, 29.0 / 12.0, 1e-9);
  EXPECT_NEAR(blow.work, 6.0, 1e-9);  // ½ I ω²
  EXPECT_NEAR(player.sim().numerical_energy(), 0.0, 1e-9);
  EXPECT_NE(status_message(player, false).find("\"newton_seconds\":5.38"), std::string::npos);
  player.step(1);
  EXPECT_GT(player.sim().marker({player.sim().model().bodies()[0].id, {0.5, 0, 0}}).x.y(), 1e-3);
  player.seek(0.0);  // the recorded past knows of it
  EXPECT_NEAR(player.sim().state().v[5], 6.0, 1e-9);
  player.strike_towards(0, {0.5, 0, 0}, {1, -1, 0});  // undoes 5 m/s of it: 1/3 kg, 1 m in 0.2 s
  EXPECT_NEAR(player.last_blow()->impulse.y(), -5.0 / 3.0, 1e-9);
  player.set_kinematic(true);
  EXPECT_THROW(player.strike(0, {0.5, 0, 0}, {0, 1, 0}), InvalidInput);
  EXPECT_THROW(player.strike(1, {0.5, 0, 0}, {0, 1, 0}), InvalidInput);
}

TEST(ViewPlayer, ForcesAreSwitchedAndTheLedgerStaysBalanced) {
  ViewPlayer player = player_of(kPendulum);
  player.step(100);
  player.switch_force("coil", false);
  EXPECT_EQ(player.sim().energy().springs, 0.0);
  EXPECT_NEAR(player.sim().numerical_energy(), 0.0, 1e-6);
  player.step(100);
  player.switch_force("coil", true);
  EXPECT_GT(player.sim().energy().springs, 0.0);
  EXPECT_NEAR(player.sim().numerical_energy(), 0.0, 1e-4);
  EXPECT_THROW(player.switch_force("nobody", true), InvalidInput);
}

TEST(ViewPlayer, TargetsPullBodies) {
  ViewPlayer player = player_of(
      "gravity: [0, 0, 0]\nbodies: [{name: hand, kind: rigid, mass: 1, shape: {kind: box, size: [0.2, 0.1, "
      "0.05]}}]\n");
  Placement pose;
  pose.position = {0.5, 0, 0};
  pose.orientation = Quat(Eigen::AngleAxisd(1.0, Vec3::UnitZ()));
  player.set_target("hand", pose);
  player.step(1000);
  const Placement now = player.sim().placement(player.sim().model().bodies()[0].id);
  EXPECT_LT((now.position - pose.position).norm(), 0.01);
  EXPECT_LT(now.orientation.angularDistance(pose.orientation), 0.05);
  EXPECT_THROW(player.set_target("nobody", pose), InvalidInput);
  player.set_target("hand", std::nullopt);
  EXPECT_EQ(player.sim().model().forces().size(), 0U);
}

TEST(ViewPlayer, RefusedStepsNameWhatFailed) {
  // the winch takes in more rope than there is
  ViewPlayer player = player_of(R"(
bodies: [{name: bob, kind: particle-2d, mass: 1, position: [0.625, sqrt(1-0.625^2)]}]
constraints:
  - {name: bar, kind: distance, a: bob, point_b: [0, 0]}
  - {name: winch, kind: distance, a: bob, point_b: [3, 0], length: "2.5-t"}
initial: {project: true}
)");
  player.step(1000);
  const auto refusal = player.take_refusal();
  ASSERT_TRUE(refusal);
  EXPECT_TRUE(refusal->joint == "bar" || refusal->joint == "winch") << refusal->message;
  EXPECT_EQ(refusal->body, "bob");
  EXPECT_EQ(refusal->time, player.sim().time());
  EXPECT_GT(refusal->step, 100U);
  EXPECT_FALSE(player.is_playing());
  // the past before it can be visited
  player.seek(0.0);
  EXPECT_EQ(player.sim().time(), 0.0);
}

TEST(ViewFrames, BytesAreThoseOfTheDocument) {
  const ViewPlayer player = player_of(kPendulum);
  PictureFrame frame;
  capture(player.sim(), player.picture(), frame, true);
  std::string bytes;
  encode_frame(frame, 7, kFramePlaying, bytes);
  const auto u32 = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  EXPECT_EQ(u32(0), 0x314E5443U);
  EXPECT_EQ(u32(4), 7U);
  EXPECT_EQ(u32(16), 1U);                              // bodies
  EXPECT_EQ(u32(20), player.picture().points.size());  // points
  EXPECT_EQ(u32(24), 1U);                              // arrows
  EXPECT_EQ(u32(28), std::uint32_t(kFramePlaying));
  EXPECT_EQ(bytes.size(), 32U + 28U + 12U * player.picture().points.size() + 28U);
  float x = 0;
  std::memcpy(&x, bytes.data() + 32, 4);
  EXPECT_EQ(x, 1.0F);
}

TEST(ViewMessages, StructureStatusAndSamplesAreJson) {
  const Document document = document_from_text(kPendulum);
  const ViewPlayer player = player_of(kPendulum);
  const Json structure = Json::parse(structure_message(player, {"file.yaml", document}));
  EXPECT_EQ(structure["dof"], 2);
  EXPECT_EQ(structure["picture"]["bodies"].size(), 1U);
  EXPECT_EQ(structure["overlays"]["height"][0], "-t^2");
  EXPECT_EQ(structure["entries"]["bob"]["section"], "bodies");
  EXPECT_EQ(Json::parse(status_message(player, false))["time"], 0.0);
  Samples samples;
  samples.begin(player.scene());
  samples.add(player.scene(), player.sim());
  const auto rows = samples.take_new();
  const Json message = Json::parse(samples_message(1, samples.columns(), rows));
  EXPECT_EQ(message["columns"].size(), message["rows"][0].size());
  EXPECT_EQ(message["columns"].back(), "height~");
}

}  // namespace
}  // namespace catena::app
