// The viewer's server: HTTP for the embedded page, a WebSocket for everything else.
#pragma once

#include "view/guard.h"
#include "view/outlet.h"

#include <functional>
#include <string>

namespace catena::app {

struct ServerLimits {
  int clients = 64;                                  // WebSockets at once
  int connections = 160;                             // sockets at once, of any sort
  std::size_t message = std::size_t(4) << 20;        // bytes from a client
  std::size_t waiting_text = std::size_t(32) << 20;  // bytes that wait for a slow client
};

/// What the server tells the session; called from the server's thread, must not block.
struct ServerEvents {
  std::function<void(ClientId)> joined;
  std::function<void(ClientId)> left;
  /// Returns false when the message cannot be taken: too many wait.
  std::function<bool(ClientId, std::string)> message;
};

class ViewServer final : public Outlet {
 public:
  /// Binds and listens. @param port 0 takes a free one. Throws std::runtime_error that says what to do.
  ViewServer(const std::string& address, unsigned port, ServerLimits limits = {});
  ~ViewServer() override;
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  const Guard& guard() const;
  /// Serves until stop() or SIGINT or SIGTERM.
  void run(ServerEvents events);
  void stop();

  void send(ClientId to, std::shared_ptr<const std::string> bytes, Urgency urgency) override;
  int clients() const override;

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace catena::app
