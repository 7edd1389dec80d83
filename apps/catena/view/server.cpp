// HTTP and WebSocket by Boost.Beast: the only file of the project that includes Boost.
//
// One thread runs everything here. send() comes from the simulation's thread and only posts; a client that does not read keeps one
// frame and a bounded amount of text waiting, and the rest is left out.
#include "view/server.h"

#include "view/assets.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <chrono>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

namespace catena::app {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using Error = boost::system::error_code;
using Bytes = std::shared_ptr<const std::string>;

namespace {

constexpr std::uint32_t kHeaderLimit = 16U << 10;  // bytes
constexpr std::chrono::seconds kRequestTime{10};   // to send a whole request
constexpr std::size_t kManyTexts = 64;             // from here on droppable texts are dropped
constexpr int kManyPosts = 64;                     // frames that wait for the server's thread

class Connection;

}  // namespace

struct ViewServer::Impl : std::enable_shared_from_this<ViewServer::Impl> {
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::signal_set signals{io};
  asio::steady_timer retry{io};
  ServerLimits limits;
  ServerEvents events;
  std::optional<Guard> guard;
  std::map<ClientId, std::shared_ptr<Connection>> clients;  // those with an open WebSocket
  ClientId next_client = 1;
  int connections = 0;
  std::list<Connection*> silent;  // those that have not sent a whole request yet, the longest waiting first
  std::atomic<int> num_clients{0}, waiting_posts{0};
  bool stopping = false;

  void accept();
  /// Above the limit of sockets those go that hold one and say nothing, the oldest first: whoever speaks gets through.
  void make_room();
  void close_all();
};

namespace {

/// One socket: a request or two, then perhaps a WebSocket.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, std::shared_ptr<ViewServer::Impl> server)
      : server_(std::move(server)), socket_(std::move(socket)), deadline_(server_->io) {
    ++server_->connections;
  }
  ~Connection() {
    be_heard();
    count_out();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() { read_request(); }

  void send(const Bytes& bytes, Urgency urgency) {
    if (closing_) return;
    if (urgency == Urgency::frame) {
      frame_ = bytes;  // replaces one that still waits
    } else {
      if (urgency == Urgency::droppable && texts_.size() >= kManyTexts) return;
      if (waiting_ + bytes->size() > server_->limits.waiting_text) return close_now();
      waiting_ += bytes->size();
      texts_.push_back(bytes);
    }
    write_next();
  }

  void close_now() {
    be_heard();
    count_out();
    closing_ = true;
    Error ignored;
    deadline_.cancel();
    tcp::socket& socket = stream_ ? stream_->next_layer() : socket_;
    socket.shutdown(tcp::socket::shutdown_both, ignored);
    socket.close(ignored);
  }

 private:
  // ------------------------------------------------------------------------------------------------------- HTTP
  void read_request() {
    be_heard();
    place_ = server_->silent.insert(server_->silent.end(), this);
    parser_.emplace();
    parser_->header_limit(kHeaderLimit);
    parser_->body_limit(0);
    deadline_.expires_after(kRequestTime);
    deadline_.async_wait([self = shared_from_this()](Error error) {
      if (!error) self->close_now();
    });
    http::async_read(socket_, buffer_, *parser_, [self = shared_from_this()](Error error, std::size_t) {
      self->deadline_.cancel();
      self->be_heard();
      if (error == http::error::end_of_stream) return self->close_now();
      if (error) return self->refuse_unreadable(error);
      self->answer();
    });
  }

  void refuse_unreadable(Error error) {
    const bool is_ours = error.category() == make_error_code(http::error::bad_method).category();
    if (!is_ours || closing_) return close_now();
    reply(http::status::bad_request, "text/plain; charset=utf-8", "the request cannot be read\n", false);
  }

  void answer() {
    const auto& request = parser_->get();
    const auto header = [&request](http::field field) {
      const auto value = request[field];
      return std::string_view(value.data(), value.size());
    };
    const std::string_view target(request.target().data(), request.target().size());
    const auto refuse = [this](http::status status, std::string_view why) {
      reply(status, "text/plain; charset=utf-8", std::string(why) + "\n", false);
    };
    if (request.count(http::field::host) != 1 || !server_->guard->accepts_host(header(http::field::host)))
      return refuse(http::status::forbidden, "this server answers to its own address only");
    if (request.count(http::field::origin) > 1 ||
        !server_->guard->accepts_origin(header(http::field::origin)))
      return refuse(http::status::forbidden, "pages of other sites may not use this server");
    const std::string_view path = path_of(target);
    if (path == "/ws") {
      if (!server_->guard->accepts_token(target))
        return refuse(http::status::forbidden,
                      "the token is missing or wrong: use the address that catena view printed");
      if (!websocket::is_upgrade(request))
        return refuse(http::status::upgrade_required, "this is a WebSocket");
      if (int(server_->clients.size()) >= server_->limits.clients)
        return refuse(http::status::service_unavailable, "too many pages are open: close one");
      return accept_websocket();
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return refuse(http::status::method_not_allowed, "only GET and HEAD");
    const Asset* asset = find_asset(page_assets(), path);
    const bool is_page = path == "/" || path == "/index.html";
    if (is_page && !server_->guard->accepts_token(target))
      return refuse(http::status::forbidden,
                    "the token is missing or wrong: use the address that catena view printed");
    if (is_page && asset == nullptr)
      return refuse(
          http::status::service_unavailable,
          "this catena was built without its page: install node 18 or later and run 'make build' again");
    if (asset == nullptr) return refuse(http::status::not_found, "there is nothing here");
    reply(http::status::ok, asset->type, std::string(asset->bytes), request.keep_alive());
  }

  void reply(http::status status, std::string_view type, std::string body, bool keep_alive) {
    const bool head = parser_->get().method() == http::verb::head;
    auto response = std::make_shared<http::response<http::string_body>>(status, 11);
    response->set(http::field::server, "catena");
    response->set(http::field::content_type, boost::string_view(type.data(), type.size()));
    response->set(http::field::cache_control, "no-store");
    response->set("Content-Security-Policy",
                  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
                  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    response->set("X-Content-Type-Options", "nosniff");
    response->set("Referrer-Policy", "no-referrer");
    response->set("X-Frame-Options", "DENY");
    response->set("Cross-Origin-Opener-Policy", "same-origin");
    response->set("Cross-Origin-Resource-Policy", "same-origin");
    response->keep_alive(keep_alive);
    response->content_length(body.size());
    if (!head) response->body() = std::move(body);
    deadline_.expires_after(kRequestTime);
    deadline_.async_wait([self = shared_from_this()](Error error) {
      if (!error) self->close_now();
    });
    http::async_write(socket_, *response,
                      [self = shared_from_this(), response, keep_alive](Error error, std::size_t) {
                        self->deadline_.cancel();
                        if (error || !keep_alive) return self->close_now();
                        self->read_request();
                      });
  }

  // -------------------------------------------------------------------------------------------------- WebSocket
  void accept_websocket() {
    stream_.emplace(std::move(socket_));
    websocket::stream_base::timeout timeout;
    timeout.handshake_timeout = std::chrono::seconds(10);
    timeout.idle_timeout = std::chrono::seconds(60);
    timeout.keep_alive_pings = true;
    stream_->set_option(timeout);
    stream_->auto_fragment(false);  // a frame is one message, and one write
    stream_->read_message_max(server_->limits.message);
    stream_->async_accept(parser_->get(), [self = shared_from_this()](Error error) {
      if (error || self->server_->stopping) return self->close_now();
      // refused here as well: several may have shaken hands at once
      if (int(self->server_->clients.size()) >= self->server_->limits.clients) return self->close_now();
      Error ignored;
      self->stream_->next_layer().set_option(tcp::no_delay(true), ignored);
      self->id_ = self->server_->next_client++;
      self->server_->clients[self->id_] = self;
      self->server_->num_clients = int(self->server_->clients.size());
      self->buffer_.clear();
      self->server_->events.joined(self->id_);
      self->read_message();
    });
  }

  void read_message() {
    stream_->async_read(buffer_, [self = shared_from_this()](Error error, std::size_t) {
      if (error) return self->leave();
      const auto data = self->buffer_.cdata();
      std::string text(static_cast<const char*>(data.data()), data.size());
      const bool is_text = self->stream_->got_text();
      self->buffer_.consume(self->buffer_.size());
      const bool taken = is_text && self->server_->events.message(self->id_, std::move(text));
      if (!taken)
        self->send(
            std::make_shared<const std::string>(
                is_text
                    ? R"({"type":"problem","what":"message","message":"too many messages wait; this one was left out"})"
                    : R"({"type":"problem","what":"message","message":"messages are JSON texts, not binary"})"),
            Urgency::droppable);
      self->read_message();
    });
  }

  void write_next() {
    if (writing_ || closing_ || id_ == 0) return;
    const bool is_text = !texts_.empty();
    if (is_text) {
      current_ = std::move(texts_.front());
      texts_.pop_front();
      waiting_ -= current_->size();
    } else if (frame_) {
      current_ = std::move(frame_);
      frame_ = nullptr;
    } else {
      return;
    }
    writing_ = true;
    stream_->text(is_text);
    stream_->async_write(asio::buffer(*current_), [self = shared_from_this()](Error error, std::size_t) {
      self->writing_ = false;
      self->current_ = nullptr;
      if (error) return self->leave();
      self->write_next();
    });
  }

  /// Its socket is free, whoever still holds the rest.
  void count_out() {
    if (std::exchange(is_counted_, false)) --server_->connections;
  }

  /// No longer one of the silent ones.
  void be_heard() {
    if (place_) server_->silent.erase(*place_);
    place_.reset();
  }

  void leave() {
    close_now();
    if (id_ == 0 || server_->clients.erase(id_) == 0) return;
    server_->num_clients = int(server_->clients.size());
    server_->events.left(id_);
  }

  std::shared_ptr<ViewServer::Impl> server_;
  tcp::socket socket_;
  asio::steady_timer deadline_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  std::optional<websocket::stream<tcp::socket, false>> stream_;  // without compression: loopback is fast
  std::optional<std::list<Connection*>::iterator> place_;        // in ViewServer::Impl::silent
  ClientId id_ = 0;
  std::deque<Bytes> texts_;  // wait to be written
  std::size_t waiting_ = 0;  // bytes of them
  Bytes frame_, current_;
  bool is_counted_ = true, writing_ = false, closing_ = false;
};

}  // namespace

void ViewServer::Impl::accept() {
  acceptor.async_accept([self = shared_from_this()](Error error, tcp::socket socket) {
    if (self->stopping || error == asio::error::operation_aborted) return;
    if (error) {  // out of file descriptors, most likely: wait for some to be freed
      self->retry.expires_after(std::chrono::milliseconds(100));
      self->retry.async_wait([self](Error stopped) {
        if (!stopped) self->accept();
      });
      return;
    }
    self->make_room();
    // above the limit the socket is closed by its destructor
    if (self->connections < self->limits.connections)
      std::make_shared<Connection>(std::move(socket), self)->start();
    self->accept();
  });
}

void ViewServer::Impl::make_room() {
  while (connections >= limits.connections && !silent.empty()) silent.front()->close_now();
}

void ViewServer::Impl::close_all() {
  stopping = true;
  Error ignored;
  acceptor.close(ignored);
  signals.cancel(ignored);
  retry.cancel();
  for (const auto& [id, client] : clients) client->close_now();
  clients.clear();
  num_clients = 0;
  io.stop();
}

ViewServer::ViewServer(const std::string& address, unsigned port, ServerLimits limits)
    : impl_(std::make_shared<Impl>()) {
  Error error;
  const auto where = asio::ip::make_address(address, error);
  if (error)
    throw std::runtime_error(
        fmt::format("option --address: '{}' is not an address; give numbers such as 127.0.0.1", address));
  const tcp::endpoint endpoint(where, static_cast<unsigned short>(port));
  impl_->limits = limits;
  impl_->acceptor.open(endpoint.protocol(), error);
  if (!error) impl_->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) impl_->acceptor.bind(endpoint, error);
  if (!error) impl_->acceptor.listen(128, error);
  if (error)
    throw std::runtime_error(
        fmt::format("cannot listen at {} port {}: {}; choose another --port, or 0 for a free one", address,
                    port, error.message()));
  impl_->guard.emplace(address, impl_->acceptor.local_endpoint().port(), make_token());
}

ViewServer::~ViewServer() = default;

const Guard& ViewServer::guard() const {
  return *impl_->guard;
}

void ViewServer::run(ServerEvents events) {
  impl_->events = std::move(events);
  impl_->signals.add(SIGINT);
  impl_->signals.add(SIGTERM);
  impl_->signals.async_wait([self = impl_](Error error, int) {
    if (!error) self->close_all();
  });
  impl_->accept();
  while (!impl_->stopping) {
    try {
      impl_->io.run();
    } catch (const std::exception& problem) {  // of one connection: the others go on
      fmt::print(stderr, "catena: warning: a connection was lost: {}\n", problem.what());
    }
    if (!impl_->stopping) impl_->io.restart();
  }
}

void ViewServer::stop() {
  asio::post(impl_->io, [self = impl_] { self->close_all(); });
}

void ViewServer::send(ClientId to, std::shared_ptr<const std::string> bytes, Urgency urgency) {
  if (urgency != Urgency::must_arrive && impl_->waiting_posts > kManyPosts) return;
  ++impl_->waiting_posts;
  asio::post(impl_->io, [self = impl_, to, bytes = std::move(bytes), urgency] {
    --self->waiting_posts;
    if (to == kEverybody) {
      for (const auto& [id, client] : self->clients) client->send(bytes, urgency);
    } else if (const auto it = self->clients.find(to); it != self->clients.end()) {
      it->second->send(bytes, urgency);
    }
  });
}

int ViewServer::clients() const {
  return impl_->num_clients;
}

}  // namespace catena::app
