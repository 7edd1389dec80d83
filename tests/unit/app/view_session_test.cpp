// The viewer's session on its thread: what takes long ends when it is asked to.
#include "view/session.h"

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

TEST_F(LongRequest, DoesNotKeepTheSessionFromStopping) {
  const auto begin = std::chrono::steady_clock::now();
  session.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

}  // namespace
}  // namespace catena::app
