// The viewer's session: a thread that simulates at its own pace, does what pages ask for, and tells them what happens.
//
// It never waits for a page: requests come through a bounded queue, frames and texts leave through an Outlet that returns at once.
#pragma once

#include "view/outlet.h"
#include "view/protocol.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace catena::app {

class ViewSession {
 public:
  struct Settings {
    std::string file;  // shown as where the scene comes from
    Document document;
    bool paused = false;  // wait for the first `play`
    std::size_t past_bytes = std::size_t(256) << 20;
  };
  /// Reads the scene. Throws InvalidInput.
  ViewSession(Settings settings, Outlet& outlet);
  ~ViewSession();
  ViewSession(const ViewSession&) = delete;
  ViewSession& operator=(const ViewSession&) = delete;

  void start();
  void stop();
  /// One turn of its loop, for a program without that thread: requests are done, time goes on, what is due is sent. Throws Interrupted.
  void turn();
  /// As it is between two turns.
  const Simulation& simulation() const { return player_.sim(); }

  // From any thread; return at once.
  void join(ClientId client);
  void leave(ClientId client);
  /// A message of a client; false when too many wait. `pause` interrupts what takes long, at once.
  bool post(ClientId client, std::string text);

 private:
  struct Request {
    ClientId client = kEverybody;
    std::string text;  // empty: the client has just joined
    bool has_left = false;
  };

  void run();
  void tick();
  void wait();
  bool push(Request request);
  void serve(ClientId client);
  void handle_waiting();
  void handle(const Request& request);
  std::string perform_or_explain(ClientId client, const Json& message, std::string& what);
  void perform(ClientId client, const Json& message);
  bool perform_time(const std::string& type, const Json& message);
  bool perform_hand(ClientId client, const std::string& type, const Json& message);
  bool perform_structure(ClientId client, const std::string& type, const Json& message);
  void edit(const Json& message);
  void open(Document document, std::string file);
  void go_back(bool undo);
  void set_targets(const Json& poses);

  void send(ClientId to, std::string text, Urgency urgency = Urgency::must_arrive);
  void send_structure(ClientId to);
  void send_frame(ClientId to);
  void send_changes();

  Outlet& outlet_;
  std::string file_;
  Document document_;
  History history_;
  ViewPlayer player_;
  Samples samples_;
  PictureFrame frame_;
  bool arrows_ = false, wants_play_ = false;
  bool dirty_ = true;        // something moved since the last frame
  bool has_changed_ = true;  // a status is due at once
  std::uint32_t sent_revision_ = 0;
  ClientId hand_owner_ = kEverybody;
  Clock::time_point next_frame_ = Clock::now(), next_status_ = next_frame_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Request> requests_;
  std::size_t request_bytes_ = 0;
  std::atomic<bool> has_requests_{false}, stopping_{false};
  ClientId served_client_ =
      kEverybody;  // whose request is being done; the mutex guards it and changes of these two
  std::atomic<bool> interrupting_{false};  // by a pause: until requests are taken again
  std::atomic<bool> abandoned_{false};     // who asked for what is being done has left
  std::thread thread_;
};

}  // namespace catena::app
