// The viewer's server under bad manners.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

namespace {

/// `catena view` without a browser, as long as the object lives.
class Viewer {
 public:
  Viewer() {
    int ends[2];
    if (pipe(ends) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      execl(CATENA_COMMAND, CATENA_COMMAND, "view", "--no-open", "--paused", nullptr);
      _exit(127);
    }
    close(ends[1]);
    for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) url_ += c;
    close(ends[0]);
  }
  ~Viewer() {
    kill(child_, SIGTERM);
    int status = 0;
    waitpid(child_, &status, 0);
  }
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  int port() const { return std::atoi(url_.c_str() + url_.find(':', 7) + 1); }

  int connect_to_it() const {
    const int socket_number = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(std::uint16_t(port()));
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval patience{5, 0};
    setsockopt(socket_number, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(socket_number, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) return -1;
    return socket_number;
  }

  /// First line of the answer to a request.
  std::string ask() const {
    const int socket_number = connect_to_it();
    const std::string request =
        fmt::format("GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", port());
    if (send(socket_number, request.data(), request.size(), MSG_NOSIGNAL) < 0) return {};
    char answer[64] = {};
    const ssize_t count = recv(socket_number, answer, sizeof answer - 1, 0);
    close(socket_number);
    return count > 0 ? std::string(answer, std::size_t(count)).substr(0, 12) : std::string();
  }

 private:
  pid_t child_ = -1;
  std::string url_;
};

TEST(Viewer, SocketsThatSayNothingDoNotLockOthersOut) {
  const Viewer viewer;
  ASSERT_EQ(viewer.ask(), "HTTP/1.1 404");
  std::vector<int> silent;
  for (int k = 0; k < 200; ++k) {
    silent.push_back(viewer.connect_to_it());
    if (k % 2 == 0) (void)send(silent.back(), "GET / HT", 8, MSG_NOSIGNAL);
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < 5; ++k) EXPECT_EQ(viewer.ask(), "HTTP/1.1 404");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  for (const int socket_number : silent) close(socket_number);
}

}  // namespace
