// The conversation with peers, on our side.
#include "bench/tree_peers.h"

#include "bench/peers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace catena::app {
namespace {

using AnswerJson = nlohmann::json;
constexpr std::chrono::milliseconds kTreePatience(120000);

struct KnownTreePeer {
  const char *program, *engine;
};
constexpr KnownTreePeer kKnownTreePeers[] = {
    {"mujoco_tree", "MuJoCo"},
    {"pinocchio_tree", "Pinocchio, compiled with gcc"},
    {"pinocchio_tree_clang", "Pinocchio, compiled with clang"},
    {"rbdl_tree", "RBDL"},
    {"bullet_tree", "Bullet, double precision"},
};

}  // namespace

TreePeer::TreePeer(const std::string& program, const std::string& tree)
    : process_(std::make_unique<ChildProcess>(std::vector<std::string>{program},
                                              ChildProcess::Talk::through_stdin_and_stdout)),
      program_(program) {
  process_->write(tree + "\n");
  const AnswerJson about = ask("about");
  engine_ = about.at("engine");
  version_ = about.at("version");
  step_ = about.at("step");
  forward_ = about.at("forward");
  same_steps_ = about.at("same_steps");
}

nlohmann::json TreePeer::ask(const std::string& request) {
  process_->write(request + "\n");
  while (heard_.find('\n') == std::string::npos)
    if (!process_->read(heard_, kTreePatience))
      throw std::runtime_error(fmt::format("{} does not answer to '{}'", program_, request));
  const std::size_t end = heard_.find('\n');
  const AnswerJson answer = AnswerJson::parse(heard_.substr(0, end));
  heard_.erase(0, end + 1);
  if (answer.is_object() && answer.contains("error"))
    throw PeerDeclined(
        fmt::format("{}: {}", answer.at("engine").get<std::string>(), answer.at("error").get<std::string>()));
  return answer;
}

std::vector<double> TreePeer::numbers(const std::string& request) {
  std::vector<double> out;
  for (const AnswerJson& value : ask(request)) out.push_back(value.is_number() ? value.get<double>() : NAN);
  return out;
}

double TreePeer::seconds(const std::string& what, long count) {
  return ask(fmt::format("{} {}", what, count)).at("seconds");
}

TreePeerPrograms find_tree_peers(const std::string& folder) {
  TreePeerPrograms out;
  if (folder == "none") return out;
  for (const KnownTreePeer& known : kKnownTreePeers) {
    const std::string path = find_program({peers_folder(folder) + "/" + known.program});
    if (path.empty())
      out.missing.push_back(
          fmt::format("{} is not here: tools/install_peers.sh, then build again", known.engine));
    else
      out.here.push_back(path);
  }
  return out;
}

}  // namespace catena::app
