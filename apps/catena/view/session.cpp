// The viewer's session: the loop and what it sends. requests.cpp has what pages ask for.
#include "view/session.h"

#include <fmt/format.h>

namespace catena::app {
namespace {

constexpr auto kFrameTime = std::chrono::microseconds(16'667);
constexpr auto kStatusTime = std::chrono::milliseconds(100);
constexpr auto kIdleTime = std::chrono::milliseconds(250);
constexpr std::size_t kMostRequests = 512;
constexpr std::size_t kMostRequestBytes = std::size_t(16) << 20;

}  // namespace

ViewSession::ViewSession(Settings settings, Outlet& outlet)
    : outlet_(outlet),
      file_(std::move(settings.file)),
      document_(std::move(settings.document)),
      player_(read_scene(document_, file_.empty() ? "scene" : file_), settings.past_bytes),
      wants_play_(!settings.paused) {
  samples_.begin(player_.scene());
  samples_.add(player_.scene(), player_.sim());
  sent_revision_ = player_.revision();
}

ViewSession::~ViewSession() {
  stop();
}

void ViewSession::start() {
  thread_ = std::thread([this] { run(); });
}

void ViewSession::stop() {
  stopping_ = true;
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool ViewSession::push(Request request) {
  const bool pauses = is_of_type(request.text, "pause");
  {
    const std::lock_guard lock(mutex_);
    const bool is_message = !request.text.empty();
    if (is_message &&
        (requests_.size() >= kMostRequests || request_bytes_ + request.text.size() > kMostRequestBytes))
      return false;
    // under the lock: what is being done now, and not what comes after it
    if (pauses) interrupting_ = true;
    if (request.has_left && request.client == served_client_) abandoned_ = true;
    request_bytes_ += request.text.size();
    requests_.push_back(std::move(request));
    has_requests_ = true;
  }
  wake_.notify_one();
  return true;
}

void ViewSession::join(ClientId client) {
  push({client, {}, false});
}

void ViewSession::leave(ClientId client) {
  push({client, {}, true});
}

void ViewSession::serve(ClientId client) {
  const std::lock_guard lock(mutex_);
  served_client_ = client;
  abandoned_ = false;
}

bool ViewSession::post(ClientId client, std::string text) {
  if (text.empty()) text = " ";  // an empty one means something else here, and is no JSON either
  return push({client, std::move(text), false});
}

// Nothing that a page or a scene does may end this loop.
void ViewSession::run() {
  const InterruptScope scope([this] { return stopping_ || interrupting_ || abandoned_; });
  while (!stopping_) {
    try {
      turn();
    } catch (const Interrupted&) {  // what interrupted it waits among the requests
    }
    wait();
  }
}

void ViewSession::turn() {
  try {
    tick();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& problem) {
    player_.pause();
    has_changed_ = true;
    try {
      send(kEverybody, problem_message("internal", problem.what()));
    } catch (const std::exception&) {  // no memory even for that: on with it
    }
  }
}

void ViewSession::tick() {
  handle_waiting();
  if (player_.run(next_frame_, [this] { return has_requests_ || stopping_; })) dirty_ = true;
  if (const auto refusal = player_.take_refusal()) {
    send(kEverybody, refusal_message(*refusal));
    dirty_ = has_changed_ = true;
  }
  // of events that come thick and fast the last one is news enough
  if (const auto events = player_.take_events(); !events.empty())
    send(kEverybody, problem_message("event", events.back()), Urgency::droppable);
  const auto now = Clock::now();
  if (now < next_frame_ && !has_changed_) return;
  send_changes();
  if (now >= next_frame_) next_frame_ = std::max(next_frame_ + kFrameTime, now + kFrameTime / 4);
}

void ViewSession::wait() {
  std::unique_lock lock(mutex_);
  if (!requests_.empty() || stopping_) return;
  const auto now = Clock::now();
  const bool is_moving = player_.is_playing() || dirty_;
  if (player_.is_playing() && player_.is_live() && !player_.is_ahead(now)) return;  // late: on with it
  wake_.wait_until(lock,
                   is_moving ? std::max(next_frame_, now + std::chrono::microseconds(200)) : now + kIdleTime,
                   [this] { return !requests_.empty() || stopping_; });
}

void ViewSession::send(ClientId to, std::string text, Urgency urgency) {
  if (to == kEverybody && outlet_.clients() == 0) return;
  outlet_.send(to, std::make_shared<const std::string>(std::move(text)), urgency);
}

void ViewSession::send_structure(ClientId to) {
  send(to, structure_message(player_, {file_, document_, history_.can_undo(), history_.can_redo()}));
}

void ViewSession::send_frame(ClientId to) {
  if (outlet_.clients() == 0) return;
  const auto begin = Clock::now();
  capture(player_.sim(), player_.picture(), frame_, arrows_);
  auto bytes = std::make_shared<std::string>();
  const std::uint32_t flags = (player_.is_live() ? 0U : std::uint32_t(kFrameFromPast)) |
                              (player_.is_playing() ? std::uint32_t(kFramePlaying) : 0U);
  encode_frame(frame_, player_.revision(), flags, *bytes);
  outlet_.send(to, std::move(bytes), Urgency::frame);
  const double taken = std::chrono::duration<double>(Clock::now() - begin).count();
  player_.timing.stream = player_.timing.stream == 0.0 ? taken : 0.9 * player_.timing.stream + 0.1 * taken;
}

// The structure first when it changed, then what moved, then how it is.
void ViewSession::send_changes() {
  if (player_.revision() != sent_revision_) {
    samples_.begin(player_.scene());
    samples_.add(player_.scene(), player_.sim());
    send_structure(kEverybody);
    sent_revision_ = player_.revision();  // last: what is interrupted here is sent again
    dirty_ = has_changed_ = true;
  } else if (dirty_ && player_.is_live()) {
    samples_.add(player_.scene(), player_.sim());
  }
  if (dirty_) {
    player_.record();
    send_frame(kEverybody);
    dirty_ = false;
  }
  const auto now = Clock::now();
  if (!has_changed_ && (now < next_status_ || !player_.is_playing())) return;
  next_status_ = now + kStatusTime;
  has_changed_ = false;
  if (const auto rows = samples_.take_new(); !rows.empty())
    send(kEverybody, samples_message(player_.revision(), samples_.columns(), rows), Urgency::droppable);
  send(kEverybody, status_message(player_, arrows_), Urgency::droppable);
}

}  // namespace catena::app
