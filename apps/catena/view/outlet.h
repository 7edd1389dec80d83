// What a session says, and to whom. The server implements it; the simulation never waits for it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace catena::app {

using ClientId = std::uint64_t;
inline constexpr ClientId kEverybody = 0;

enum class Urgency : std::uint8_t {
  frame,       // binary; a newer one replaces one that waits
  droppable,   // text; left out when a client is slow
  must_arrive  // text; a client that cannot take it is disconnected
};

class Outlet {
 public:
  virtual ~Outlet() = default;
  /// Returns at once. May be called from any thread.
  virtual void send(ClientId to, std::shared_ptr<const std::string> bytes, Urgency urgency) = 0;
  /// How many clients there are: nobody needs frames when there is none.
  virtual int clients() const = 0;
};

}  // namespace catena::app
