// Other engines on the trees of `catena bench speed`: programs of bench/peers that stay alive and answer (bench/peers/tree.h).
#pragma once

#include "shared/child_process.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace catena::app {

/// What a peer cannot do, in its own words.
struct PeerDeclined : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class TreePeer {
 public:
  /// Starts a program and gives it a tree. Throws PeerDeclined, and std::runtime_error when it does not answer.
  TreePeer(const std::string& program, const std::string& tree);

  const std::string& engine() const { return engine_; }
  const std::string& version() const { return version_; }
  /// What it times for "step" or "forward".
  const std::string& variant(const std::string& what) const { return what == "step" ? step_ : forward_; }
  bool has_same_steps() const { return same_steps_; }
  /// Of `accelerations` or `state N`.
  std::vector<double> numbers(const std::string& request);
  /// Processor seconds of `count` times "step" or "forward".
  double seconds(const std::string& what, long count);

 private:
  nlohmann::json ask(const std::string& request);  // throws as the constructor

  std::unique_ptr<ChildProcess> process_;
  std::string program_, engine_, version_, step_, forward_, heard_;
  bool same_steps_ = false;
};

/// Paths of the peers that were built, and one line per engine that is not here, with what to do.
struct TreePeerPrograms {
  std::vector<std::string> here, missing;
};
/// @param folder "none": no peers; empty: where the build put them
TreePeerPrograms find_tree_peers(const std::string& folder);

}  // namespace catena::app
