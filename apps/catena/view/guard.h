// Who may talk to the viewer's server: the page it serves itself, and nobody who merely can reach the port.
//
// A page of another site can make a browser send requests to 127.0.0.1. It cannot read the token, cannot make the browser lie about
// its origin, and with a name of its own that leads to 127.0.0.1 (DNS rebinding) its Host header gives it away.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace catena::app {

/// 128 random bits as 32 hexadecimal digits.
std::string make_token();

/// Whether two texts are equal, in a time that depends on the length of `given` only.
bool is_same_secret(std::string_view given, std::string_view secret);

/// The value of a key in the query of a request target ("/?token=ab" → "ab"); empty when it is not there or there twice.
std::string_view query_value(std::string_view target, std::string_view key);
/// The path of a request target, without the query.
std::string_view path_of(std::string_view target);

/// What the server is called: the names it answers to, each with its port.
class Guard {
 public:
  /// @param address as given with --address, where the server listens
  Guard(const std::string& address, unsigned port, std::string token);

  const std::string& token() const { return token_; }
  /// "http://127.0.0.1:4321/?token=..."
  std::string url() const;

  /// The Host header must be one of the names, to the letter.
  bool accepts_host(std::string_view host) const;
  /// The Origin header of a WebSocket must be that of the page, or be absent (programs have none; they know the token).
  bool accepts_origin(std::string_view origin) const;
  bool accepts_token(std::string_view target) const {
    return is_same_secret(query_value(target, "token"), token_);
  }

 private:
  std::string token_;
  std::vector<std::string> hosts_;
};

}  // namespace catena::app
