// Who may talk to the viewer's server.
#include "view/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace catena::app {

std::string make_token() {
  std::random_device source;  // the kernel's on every system we build for
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", source() & 0xFFFFFFFFU);
  return token;
}

bool is_same_secret(std::string_view given, std::string_view secret) {
  if (secret.empty()) return false;
  unsigned difference = given.size() == secret.size() ? 0U : 1U;
  for (std::size_t i = 0; i < given.size(); ++i)
    difference |= unsigned(static_cast<unsigned char>(given[i]) ^
                           static_cast<unsigned char>(secret[i % secret.size()]));
  return difference == 0U;
}

std::string_view path_of(std::string_view target) {
  return target.substr(0, std::min(target.find('?'), target.size()));
}

std::string_view query_value(std::string_view target, std::string_view key) {
  const std::size_t question = target.find('?');
  std::string_view found;
  int times = 0;
  std::string_view rest =
      question == std::string_view::npos ? std::string_view{} : target.substr(question + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    if (pair.size() > key.size() && pair.starts_with(key) && pair[key.size()] == '=') {
      found = pair.substr(key.size() + 1);
      ++times;
    }
    rest = end < rest.size() ? rest.substr(end + 1) : std::string_view{};
  }
  return times == 1 ? found : std::string_view{};
}

Guard::Guard(const std::string& address, unsigned port, std::string token) : token_(std::move(token)) {
  const bool is_v6 = address.find(':') != std::string::npos;
  hosts_.push_back(fmt::format("{}{}{}:{}", is_v6 ? "[" : "", address, is_v6 ? "]" : "", port));
  if (address == "127.0.0.1") hosts_.push_back(fmt::format("localhost:{}", port));
}

std::string Guard::url() const {
  return fmt::format("http://{}/?token={}", hosts_.front(), token_);
}

bool Guard::accepts_host(std::string_view host) const {
  return std::find(hosts_.begin(), hosts_.end(), host) != hosts_.end();
}

bool Guard::accepts_origin(std::string_view origin) const {
  if (origin.empty()) return true;
  constexpr std::string_view kScheme = "http://";
  return origin.starts_with(kScheme) && accepts_host(origin.substr(kScheme.size()));
}

}  // namespace catena::app
