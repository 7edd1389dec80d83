// What a run leaves to look at: a replay as one HTML file, a glTF model, a picture, a video.
#pragma once

#include "catena/output.h"
#include "command_line.h"
#include "run/record.h"

#include <optional>

namespace catena::app {

struct ReplayArguments {
  std::string html, gltf, png, mp4;                                  // files; empty: not wanted
  std::optional<std::string> rate, megabytes, at, size, fps, speed;  // as written
  bool any() const { return !html.empty() || !gltf.empty() || !png.empty() || !mp4.empty(); }
};
void add_replay_options(Subcommand& command, ReplayArguments& arguments);

/// Before the run: what cannot be written should not cost a long simulation. Throws InvalidInput.
void check_replay(const ReplayArguments& arguments);

Recording start_recording(const ReplayArguments& arguments, const Simulation& sim, const Scene& scene,
                          const Schedule& schedule);

/// What the page shows beside the motion.
struct ReplayTexts {
  std::string title, file;
  std::string summary;  // JSON of summary_json
  CheckReport check;    // of the start
  bool quiet = false;
};
/// Writes everything asked for; returns lines for the summary. Throws std::runtime_error.
std::vector<std::string> write_replay(const ReplayArguments& arguments, const Recording& recording,
                                      const Simulation& sim, const Scene& scene, const ReplayTexts& texts);

}  // namespace catena::app
