// Peer programs: where they are, what they are told, what they answer.
#include "bench/peers.h"

#include "shared/child_process.h"
#include "shared/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

// The folder into which bench/peers is built; the build says it.
#ifndef CATENA_PEERS_DIR
#define CATENA_PEERS_DIR ""
#endif

namespace catena::app {
namespace {

using PeerJson = nlohmann::json;
using namespace std::chrono_literals;

constexpr double kRod = 0.1;  // m, length of a rod: joints that are farther apart hold nothing
constexpr const char* kMujoco = "mujoco_chain.py";

struct Known {
  const char *program, *engine, *remedy;
};
constexpr Known kKnown[] = {
    {"bullet_chain", "Bullet, single precision", "tools/install_peers.sh, then build again"},
    {"bullet_chain_float64", "Bullet, double precision", "tools/install_peers.sh, then build again"},
    {"ode_chain", "ODE", "tools/install_peers.sh, then build again"},
    {kMujoco, "MuJoCo", "tools/install_peers.sh, and --python build/engines/bin/python"},
};

std::vector<double> numbers(const PeerJson& list) {
  std::vector<double> out;
  for (const PeerJson& value : list) out.push_back(value.is_number() ? value.get<double>() : NAN);
  return out;
}

double number(const PeerJson& answer, const char* key) {
  const PeerJson& value = answer.at(key);
  return value.is_number() ? value.get<double>() : NAN;
}

std::string outcome_of(const PeerJson& answer) {
  const std::string status = answer.at("status");
  if (status == "done")  // it may have gone on with its joints apart
    return number(answer, "separation") < kRod ? "to the end" : "to the end, torn";
  return fmt::format("{} at t = {:.3g} s", status == "too slow" ? "given up" : status,
                     number(answer, "time"));
}

ChainFigures figures_of(const PeerJson& answer, double scale) {
  ChainFigures f;
  f.engine = answer.at("engine");
  f.variant = answer.at("variant");
  f.outcome = outcome_of(answer);
  f.complete = answer.at("status") == "done";
  f.separation = number(answer, "separation");
  f.rise = number(answer, "energy_rise");
  f.loss = number(answer, "energy_loss");
  f.end = number(answer, "energy_end");
  f.real_time_factor = number(answer, "real_time_factor");
  if (answer.contains("series")) {
    f.time = numbers(answer["series"].at("time"));
    f.separations = numbers(answer["series"].at("separation"));
    f.energies = numbers(answer["series"].at("energy"));
    for (double& energy : f.energies) energy /= scale;
  }
  return f;
}

/// A peer that says nothing has crashed, or ran out of time or memory.
ChainFigures silent(const PeerVariant& variant, const ProgramOutput& output) {
  ChainFigures f;
  for (const Known& known : kKnown)
    if (std::string_view(known.program) == variant.program) f.engine = known.engine;
  f.variant = joined(variant.options, " ");
  f.outcome = output.in_time ? fmt::format("failed, exit status {}", output.status) : "too slow, no result";
  f.separation = f.rise = f.loss = f.end = f.real_time_factor = NAN;
  return f;
}

}  // namespace

std::string peers_folder(const std::string& folder) {
  return folder.empty() ? CATENA_PEERS_DIR : folder;
}

Peers::Peers(const std::string& folder, const std::string& python)
    : folder_(peers_folder(folder)), python_(find_program({python})) {
  if (folder_ == "none") return;
  for (const Known& known : kKnown) {
    const bool is_script = std::string_view(known.program) == kMujoco;
    bool here = !folder_.empty() && (is_script ? !python_.empty() : !command_for(known.program)[0].empty());
    if (here && is_script) {
      auto command = command_for(known.program);
      command.push_back("--check");
      here = run_program(command, 60s).status == 0;
    }
    if (here)
      present_.push_back(known.program);
    else
      missing_.push_back(fmt::format("{} is not here: {}", known.engine, known.remedy));
  }
}

std::string Peers::versions() const {
  return joined(versions_);
}

bool Peers::has(const PeerVariant& variant) const {
  return std::find(present_.begin(), present_.end(), variant.program) != present_.end();
}

std::vector<std::string> Peers::command_for(const std::string& program) const {
  const std::string path = folder_ + "/" + program;
  if (program == kMujoco) return {python_, path};
  return {find_program({path})};
}

std::optional<ChainFigures> Peers::run(const PeerVariant& variant, const PeerRequest& request) {
  if (!has(variant) || request.chain.links > variant.max_links) return std::nullopt;
  const PayloadChain& chain = request.chain;
  std::vector<std::string> command = command_for(variant.program);
  const auto add = [&](const char* name, const auto& value) {
    command.push_back(name);
    command.push_back(fmt::format("{}", value));
  };
  add("--joint", chain.joint);
  add("--links", chain.links);
  add("--link-mass", chain.link_mass);
  add("--payload", chain.payload);
  add("--spin", chain.spin);
  add("--dt", request.dt);
  add("--time", request.duration);
  add("--energy-scale", request.energy_scale);
  add("--wall-limit", request.wall_limit);
  if (variant.plotted) command.push_back("--series");
  command.insert(command.end(), variant.options.begin(), variant.options.end());

  // measuring and starting take time too
  const auto longest = std::chrono::milliseconds(120000 + int(5000 * request.wall_limit));
  const ProgramOutput output = run_program(command, longest);
  const PeerJson answer = PeerJson::parse(output.text, nullptr, false);
  if (!answer.is_object()) return silent(variant, output);
  const std::string version =
      fmt::format("{} {}", answer.at("engine").get<std::string>(), answer.at("version").get<std::string>());
  if (std::find(versions_.begin(), versions_.end(), version) == versions_.end()) versions_.push_back(version);
  return figures_of(answer, request.energy_scale);
}

}  // namespace catena::app
