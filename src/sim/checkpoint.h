// Checkpoints: everything a simulation needs to continue bit for bit, as bytes. Files are the affair of io (io/checkpoint.cpp).
#pragma once

#include "catena/simulation.h"
#include "sim/fingerprint.h"

namespace catena {

struct Checkpoint {
  std::vector<Mark> present, removed;     // what the model consists of, and what edits took out of it
  std::vector<std::string> known_events;  // exceeded, and told already
  Choice choice;
  bool formulation_is_automatic = false;  // nobody asked for the choice
  bool solver_is_automatic = false, integrator_is_automatic = false;
  bool start_is_checked = false;
  double start_energy = 0.0;  // J
  State state;
  State analysed_at;  // q, v, time and memory where the solver saw representative numbers
};

std::string encode_checkpoint(const Checkpoint& checkpoint);
/// Throws InvalidInput for bytes that are no checkpoint, are damaged, or hold impossible numbers. @param where names them in messages
Checkpoint decode_checkpoint(const std::string& bytes, const std::string& where);
/// How a file of checkpoints begins: enough to refuse others before they are read.
inline constexpr std::string_view kCheckpointMagic = "CATENACP";

/// Of a simulation as it is.
Checkpoint make_checkpoint(const Simulation& sim);
/// Continues it. Throws InvalidInput, and changes nothing, where it belongs to another model; names what differs.
void restore_checkpoint(Simulation& sim, Checkpoint checkpoint, const std::string& where);

}  // namespace catena
