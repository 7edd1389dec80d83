// The viewer's session and what takes long in it: it ends when it is asked to, and what is said of it then is true.
#include "view/session.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>

namespace catena::app {
namespace {

using namespace std::chrono_literals;

/// Keeps what the session says, and waits for some of it.
class Ears : public Outlet {
 public:
  void send(ClientId, std::shared_ptr<const std::string> bytes, Urgency urgency) override {
    if (urgency == Urgency::frame) return;
    const std::lock_guard lock(mutex_);
    said_.push_back(*bytes);
    heard_.notify_all();
  }
  int clients() const override { return 1; }

  bool hears(const std::string& part, std::chrono::seconds patience) {
    std::unique_lock lock(mutex_);
    return heard_.wait_for(lock, patience, [&] {
      return std::any_of(said_.begin(), said_.end(),
                         [&](const std::string& text) { return text.find(part) != std::string::npos; });
    });
  }

 private:
  std::mutex mutex_;
  std::condition_variable heard_;
  std::vector<std::string> said_;
};

// Reading it takes minutes under the sanitizers.
const char* const kHuge =
    R"({"type":"load","id":7,"text":"generate: [{kind: net, rows: 1000, columns: 1000}]"})";

class LongRequest : public ::testing::Test {
 protected:
  LongRequest() {
    session.start();
    session.join(1);
    EXPECT_TRUE(ears.hears("\"structure\"", 20s));
    EXPECT_TRUE(session.post(1, kHuge));
    std::this_thread::sleep_for(200ms);
  }
  Ears ears;
  ViewSession session{{"", document_from_text("title: Before\n"), true}, ears};
};

TEST_F(LongRequest, IsInterruptedByAPause) {
  EXPECT_TRUE(session.post(1, R"({"type":"pause","id":8})"));
  EXPECT_TRUE(ears.hears(R"("id":7,"ok":false,"message":"interrupted)", 10s));
  EXPECT_TRUE(ears.hears(R"("id":8,"ok":true)", 10s));
  session.stop();
  EXPECT_EQ(session.simulation().model().bodies().size(), 1U);  // the hidden one of an empty scene
}

TEST_F(LongRequest, EndsWithWhoAskedForIt) {
  session.leave(1);
  EXPECT_TRUE(session.post(2, R"({"type":"step","id":9})"));
  EXPECT_TRUE(ears.hears(R"("id":9,"ok":true)", 10s));
}

// Both were waiting when the session began: they are taken together.
TEST(Session, DoesWhatOthersAskedForWhenOneLeaves) {
  Ears ears;
  ViewSession session{{"", document_from_text("title: Before\n"), true}, ears};
  EXPECT_TRUE(session.post(1, kHuge));
  EXPECT_TRUE(session.post(2, R"({"type":"step","count":3,"id":9})"));
  session.start();
  std::this_thread::sleep_for(200ms);
  session.leave(1);
  EXPECT_TRUE(ears.hears(R"("id":7,"ok":false,"message":"interrupted)", 10s));
  EXPECT_TRUE(ears.hears(R"("id":9,"ok":)", 10s));
  EXPECT_TRUE(ears.hears(R"("id":9,"ok":true)", 0s));
}

TEST_F(LongRequest, DoesNotKeepTheSessionFromStopping) {
  const auto begin = std::chrono::steady_clock::now();
  session.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

/// Does something again and again, interrupted at its first question, its second, ... until it comes through; `look` after each.
template <class Work, class Look>
int interrupt_everywhere(Work&& work, Look&& look) {
  for (int most = 0;; ++most) {
    int asked = 0;
    const InterruptScope scope([&] { return asked++ == most; });
    try {
      work();
      return most;
    } catch (const Interrupted&) {
      const InterruptScope whole(nullptr);
      look();
    }
  }
}

ViewPlayer make_player(const char* text) {
  return {read_scene(document_from_text(text), "scene"), std::size_t(8) << 20};
}

const char* const kArm = R"(
bodies:
  - {name: upper, kind: planar, mass: 1, from: [0, 0], to: [1, 0]}
  - {name: fore, kind: planar, mass: 1, from: [1, 0], to: [1.5, 0.5]}
joints:
  - {name: shoulder, kind: hinge, a: upper, point: [0, 0]}
  - {name: elbow, kind: hinge, a: fore, b: upper, point: [1, 0]}
)";

TEST(Interrupted, MovesByHandLeaveWorkThatIsBooked) {
  ViewPlayer player = make_player(kArm);
  player.step(10);
  const double numerical = player.sim().numerical_energy();
  const auto lift = [&] {
    player.grab(1, Vec3::Zero(), {1, 0.8, 0});
    player.drag({0.9, 1.0, 0});
  };
  lift();
  const VecX lifted = player.sim().state().q;
  const int times = interrupt_everywhere(
      [&] {
        player.drag({0.5, -1.0, 0});
      },
      [&] {
        EXPECT_FALSE(player.hand());
        EXPECT_NEAR(player.sim().numerical_energy(), numerical, 1e-9);
        EXPECT_LT((player.sim().state().q - lifted).norm(), 1e-9);
        lift();
      });
  EXPECT_GT(times, 3);
}

TEST(Interrupted, PlayingWithAHandOnItBeginsOrDoesNot) {
  ViewPlayer player = make_player(kArm);
  const double numerical = player.sim().numerical_energy();
  const auto lift = [&] { player.grab(1, Vec3::Zero(), {1, 0.8, 0}); };
  lift();
  const int times = interrupt_everywhere([&] { player.play(); },
                                         [&] {
                                           EXPECT_FALSE(player.is_playing());
                                           EXPECT_NEAR(player.sim().numerical_energy(), numerical, 1e-9);
                                           lift();
                                         });
  EXPECT_GT(times, 1);
  EXPECT_TRUE(player.is_playing());
}

TEST(Interrupted, AResetAfterABrokenJointIsAllOrNothing) {
  ViewPlayer player = make_player(R"(
bodies: [{name: bob, kind: particle, mass: 2, position: [1, 0, 0]}]
constraints: [{name: rod, kind: distance, a: bob, point_b: [0, 0, 0], breaks_at: {force: 1}}]
forces: [{name: brake, kind: drag, a: bob, linear: 1}]
)");
  player.switch_force("brake", false);
  player.step(300);
  ASSERT_EQ(player.sim().model().constraints().size(), 0U);
  const std::uint64_t broken = player.sim().hash();
  const double from = player.recorded_from(), to = player.recorded_to();
  const int times = interrupt_everywhere([&] { player.reset(); },
                                         [&] {
                                           EXPECT_EQ(player.sim().hash(), broken);
                                           EXPECT_EQ(player.recorded_from(), from);
                                           EXPECT_EQ(player.recorded_to(), to);
                                           EXPECT_FALSE(*player.switches()[0]);
                                         });
  EXPECT_GT(times, 1);
  EXPECT_EQ(player.sim().model().constraints().size(), 1U);
  EXPECT_EQ(player.sim().time(), 0.0);
}

TEST(Interrupted, EditsInThePastLeaveItThere) {
  Ears ears;
  ViewSession session{{"", document_from_text(kArm), true}, ears};
  const auto ask = [&](const char* text) {
    EXPECT_TRUE(session.post(1, text));
    session.turn();
  };
  ask(R"({"type":"step","count":5})");
  const double end = session.simulation().time();
  int most = 0;
  for (bool is_done = false; !is_done; ++most) {
    ask(R"({"type":"seek","time":0})");
    ASSERT_EQ(session.simulation().time(), 0.0);
    EXPECT_TRUE(session.post(1, R"({"type":"edit","op":"delete","names":["elbow"]})"));
    try {
      int asked = 0;
      const InterruptScope scope([&] { return asked++ == most; });
      session.turn();
    } catch (const Interrupted&) {  // while it was sent
    }
    is_done = session.simulation().model().constraints().size() == 1;
    if (is_done) break;
    ask(R"({"type":"seek","time":1})");
    ASSERT_EQ(session.simulation().time(), end) << "what came after is forgotten";
  }
  EXPECT_GT(most, 3);
}

TEST(Interrupted, StepsSayHowFarTheyCame) {
  for (int most = 0; most < 60; most += 7) {
    Ears ears;
    ViewSession session{{"", document_from_text(kArm), true}, ears};
    EXPECT_TRUE(session.post(1, R"({"type":"step","count":100,"id":3})"));
    {
      int asked = 0;
      const InterruptScope scope([&] { return asked++ == most; });
      session.turn();
    }
    const double time = session.simulation().time();
    const std::string said =
        time == 0.0 ? std::string("interrupted; everything is as it was before")
                    : fmt::format("interrupted at t = {:.6g} s; the steps before were taken", time);
    EXPECT_TRUE(ears.hears(said, 0s)) << said;
  }
}

}  // namespace
}  // namespace catena::app
