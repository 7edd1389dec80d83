// Other engines on the chains of `catena bench payload`: the programs of bench/peers, run one after the other.
#pragma once

#include "bench/mechanisms.h"

#include <optional>
#include <string>
#include <vector>

namespace catena::app {

/// One way to run one engine.
struct PeerVariant {
  const char* program;  // of bench/peers
  std::vector<std::string> options;
  int max_links = 1000000;  // longer chains are not tried
  bool plotted = false;     // its curves are in the plots
};

/// What was measured, of Catena or of a peer.
struct ChainFigures {
  std::string engine, variant;
  std::string outcome;  // "to the end", "came apart at t = 0.2 s", ...
  bool complete = false;
  double separation = 0;        // largest distance between the two sides of a joint               m
  double rise = 0, loss = 0;    // largest energy above and below that of the start, over the scale
  double end = 0;               // change of energy at the end, over the scale
  double real_time_factor = 0;  // simulated over stepping time
  std::vector<double> time, separations, energies;  // some instants, energies over the scale
};

struct PeerRequest {
  PayloadChain chain;
  double dt = 0, duration = 0;  // s
  double energy_scale = 0;      // J
  double wall_limit = 0;        // s of stepping, after which a peer gives up
};

/// Where the programs of bench/peers are: `folder`, or where the build put them when it is empty.
std::string peers_folder(const std::string& folder);

class Peers {
 public:
  /// @param folder where the programs are; "none": nowhere; empty: where the build put them
  /// @param python the interpreter for MuJoCo
  Peers(const std::string& folder, const std::string& python);

  /// One line per engine that is not here, with what to do.
  const std::vector<std::string>& missing() const { return missing_; }
  /// "Bullet 3.24, ODE 0.16.2": those that ran.
  std::string versions() const;
  bool has(const PeerVariant& variant) const;
  /// Nothing when the engine is not here or the chain is too long for it.
  std::optional<ChainFigures> run(const PeerVariant& variant, const PeerRequest& request);

 private:
  std::vector<std::string> command_for(const std::string& program) const;

  std::string folder_, python_;
  std::vector<std::string> present_, missing_, versions_;
};

}  // namespace catena::app
