// Other programs: fork, exec, a pair of sockets.
//
// Sockets rather than pipes, because writing to a program that has ended must be an answer and not a signal (MSG_NOSIGNAL).
#include "shared/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace catena::app {
namespace {

bool is_program(const std::string& path) {
  struct stat about {};
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && access(path.c_str(), X_OK) == 0;
}

/// Between fork and exec: only what is safe there.
[[noreturn]] void become(const std::vector<char*>& argv, ChildProcess::Talk talk, int socket) {
  setpgid(0, 0);  // Ctrl-C is for us; we end our children ourselves
  const int nothing = open("/dev/null", O_RDWR);
  const bool both = talk == ChildProcess::Talk::through_stdin_and_stdout;
  dup2(both || talk == ChildProcess::Talk::through_stdin ? socket : nothing, STDIN_FILENO);
  dup2(both || talk == ChildProcess::Talk::from_stdout ? socket : nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  if (talk == ChildProcess::Talk::through_3_and_4) {
    const int copy = fcntl(socket, F_DUPFD, 10);  // out of the way of 3 and 4
    dup2(copy, 3);
    dup2(copy, 4);
    if (copy > 4) close(copy);
  }
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

std::string find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  for (const std::string& name : names) {
    if (name.find('/') != std::string::npos) {
      if (is_program(name)) return name;
      continue;
    }
    std::string_view folders = path != nullptr ? path : "";
    while (!folders.empty()) {
      const std::size_t end = std::min(folders.find(':'), folders.size());
      const std::string candidate = std::string(folders.substr(0, end)) + "/" + name;
      if (end > 0 && is_program(candidate)) return candidate;
      folders.remove_prefix(std::min(end + 1, folders.size()));
    }
  }
  return {};
}

ProgramOutput run_program(const std::vector<std::string>& command, std::chrono::milliseconds longest) {
  using namespace std::chrono_literals;
  ChildProcess child(command, ChildProcess::Talk::from_stdout);
  const auto end = std::chrono::steady_clock::now() + longest;
  const auto left = [&] {
    return std::max(
        0ms, std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()));
  };
  ProgramOutput output;
  while (child.read(output.text, left())) {
  }
  output.in_time = left() > 0ms;
  output.status = child.finish(output.in_time ? 2000ms : 0ms);
  return output;
}

ChildProcess::ChildProcess(const std::vector<std::string>& command, Talk talk) {
  std::vector<char*> argv;
  for (const std::string& word : command)
    argv.push_back(const_cast<char*>(word.c_str()));  // execv does not write
  argv.push_back(nullptr);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error(std::string("cannot make a socket: ") + std::strerror(errno));
  pid_ = fork();
  if (pid_ == 0) become(argv, talk, ends[1]);
  close(ends[1]);
  socket_ = ends[0];
  if (pid_ < 0) {
    close(socket_);
    throw std::runtime_error("cannot start '" + command.front() + "': " + std::strerror(errno));
  }
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) finish(std::chrono::milliseconds(2000));
}

bool ChildProcess::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(std::size_t(sent));
  }
  return true;
}

bool ChildProcess::read(std::string& out, std::chrono::milliseconds longest) {
  pollfd ready{socket_, POLLIN, 0};
  int count = 0;
  do {
    count = poll(&ready, 1, int(longest.count()));
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  char bytes[65536];
  const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
  if (got <= 0) return false;
  out.append(bytes, std::size_t(got));
  return true;
}

int ChildProcess::finish(std::chrono::milliseconds longest) {
  if (pid_ <= 0) return -1;
  shutdown(socket_, SHUT_WR);
  const auto end = std::chrono::steady_clock::now() + longest;
  int status = 0;
  pid_t done = 0;
  while ((done = waitpid(pid_, &status, WNOHANG)) == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const bool ended = done == pid_;
  if (!ended) {
    kill(-pid_, SIGKILL);  // the group: browsers have children of their own
    waitpid(pid_, &status, 0);
  }
  close(socket_);
  pid_ = -1;
  return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace catena::app
