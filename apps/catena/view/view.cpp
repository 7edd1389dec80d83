// catena view: a page in the browser in which one watches, drags, builds and measures mechanisms (docs/viewer.md).
#include "command.h"
#include "view/assets.h"
#include "view/server.h"
#include "view/session.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

extern char** environ;

namespace catena::app {
namespace {

struct ViewArguments {
  std::string file, address = "127.0.0.1", port = "0", targets;
  std::vector<std::string> set;
  bool no_open = false, paused = false;
};

/// Shows the address in the user's browser, where there is a screen; otherwise the printed line has to do.
void open_browser(const std::string& url) {
#ifdef __APPLE__
  const char* program = "open";
#else
  const char* program = "xdg-open";
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
#endif
  std::string name = program, argument = url;
  char* arguments[] = {name.data(), argument.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, program, nullptr, nullptr, arguments, environ) != 0) return;
  std::thread([child] { waitpid(child, nullptr, 0); }).detach();
}

/// One JSON object per line on standard input: poses of bodies, as from a glove or a tracker.
class TargetReader {
 public:
  explicit TargetReader(ViewSession& session) : thread_([this, &session] { read(session); }) {}
  ~TargetReader() {
    stopping_ = true;
    thread_.join();
  }
  TargetReader(const TargetReader&) = delete;
  TargetReader& operator=(const TargetReader&) = delete;

 private:
  static constexpr std::size_t kLongestLine = std::size_t(1) << 20;

  void read(ViewSession& session) {
    std::string text;
    char buffer[4096];
    while (!stopping_) {
      pollfd input{STDIN_FILENO, POLLIN, 0};
      if (poll(&input, 1, 100) <= 0) continue;
      const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
      if (count <= 0) return;
      text.append(buffer, std::size_t(count));
      for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
        take(session, text.substr(0, end));
        text.erase(0, end + 1);
      }
      if (text.size() > kLongestLine) text.clear();
    }
  }

  static void take(ViewSession& session, const std::string& line) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) return;
    auto message = parse_message(line);
    if (!message) {
      fmt::print(stderr, "catena: warning: a line of targets is not a JSON object; it is left out\n");
      return;
    }
    if (!message->contains("poses")) message = Json{{"poses", std::move(*message)}};
    (*message)["type"] = "targets";
    session.post(kEverybody, message->dump());
  }

  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

Document load_document(const ViewArguments& arguments) {
  const auto set = parse_set(arguments.set);
  if (arguments.file.empty()) return document_from_text("title: New\ngravity: [0, 0, -9.81]\n");
  (void)load_scene(arguments.file, set);  // its messages name lines of the file
  return document_from_file(arguments.file, std::move(set));
}

int view(const ViewArguments& arguments) {
  if (!arguments.targets.empty() && arguments.targets != "-")
    reject("option --targets", fmt::format("'{}' cannot be read", arguments.targets),
           "write --targets - for standard input");
  const long long port = whole_number("--port", arguments.port, 0, 65535);
  if (arguments.address == "0.0.0.0" || arguments.address == "::")
    reject("option --address", "the server must know the name it is called by, and this is none",
           "give the address under which the others reach this machine");
  Document document = load_document(arguments);
  ViewServer server(arguments.address, unsigned(port));
  if (arguments.address != "127.0.0.1" && arguments.address != "::1")
    fmt::print(stderr,
               "catena: warning: everybody who can reach {} and sees the address below can use this page; "
               "there is no "
               "encryption\n",
               arguments.address);
  ViewSession session({arguments.file, std::move(document), arguments.paused}, server);
  fmt::print("{}\n", server.guard().url());
  std::fflush(stdout);
  if (page_assets().empty())
    fmt::print(stderr,
               "catena: warning: this command was built without its page: install node 18 or later and run "
               "'make build'\n");
  else if (!arguments.no_open)
    open_browser(server.guard().url());
  session.start();
  {
    std::optional<TargetReader> reader;
    if (!arguments.targets.empty()) reader.emplace(session);
    server.run(
        {.joined = [&session](ClientId id) { session.join(id); },
         .left = [&session](ClientId id) { session.leave(id); },
         .message = [&session](ClientId id, std::string text) { return session.post(id, std::move(text)); }});
  }
  session.stop();
  return kDone;
}

}  // namespace

void add_view(CommandLine& line) {
  auto arguments = std::make_shared<ViewArguments>();
  Subcommand command = line.subcommand("view", "watch, drag and build a scene in the browser");
  command.option("model", arguments->file, "MODEL",
                 "scene file, YAML or JSON; none: the page offers examples and an empty board");
  add_set_option(command, arguments->set);
  command.option("--port", arguments->port, "N", "where to listen; 0, the default, takes a free one");
  command.option("--address", arguments->address, "A",
                 "address to listen at (default: 127.0.0.1, this machine only)");
  command.option("--targets", arguments->targets, "-",
                 "'-': read poses that pull bodies from standard input, one JSON object per line");
  command.flag("--no-open", arguments->no_open,
               "do not open a browser; the address is the first line printed");
  command.flag("--paused", arguments->paused, "do not play until asked to");
  command.footer(
      "Examples:\n"
      "  catena view examples/crane.yaml\n"
      "  catena view examples/four-bar.yaml --paused --port 8080\n"
      "  glove | catena view hand.yaml --targets -\n"
      "Ctrl-C ends it. Exit status: 0 done, 2 bad input.");
  command.runs([arguments] { return view(*arguments); });
}

}  // namespace catena::app
