// Recordings: a run as a small file that is watched in a browser, or leaves as an animated glTF model (docs/replay.md).
//
//   Recording recording(sim, scene.probes);
//   while (sim.time() < 10 && sim.step(dt).ok()) recording.record_if_due(sim);
//   write_text("crane.glb", make_gltf(recording, {.title = "Crane"}));
//
// A recording follows changes of the structure (a joint that breaks). It changes nothing in a simulation.
#pragma once

#include "catena/picture.h"
#include "catena/scene.h"

namespace CATENA_API catena {

struct RecordingOptions {
  double rate = 60.0;  // frames per second of simulated time, at most
  std::size_t max_bytes =
      34'000'000;  // when it would become larger, every second frame is dropped and the rate halved
};

/// Frames (poses and moving points) and samples (energies, constraint error, probes) of a run, compressed as they come:
/// about 2 bytes per moving body and frame. Frames are rounded to a grid; position_error() and angle_error() bound what
/// that changes. Samples are kept as they are.
class Recording {
 public:
  explicit Recording(const Simulation& sim, std::vector<Probe> probes = {}, RecordingOptions options = {});
  ~Recording();
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;

  /// Takes a frame when 1/rate has passed since the last one. Call it after every step; otherwise it costs one comparison.
  void record_if_due(const Simulation& sim);
  /// Takes a frame now, unless the last one is of the same time: how a run ended.
  void record(const Simulation& sim);

  std::size_t frames() const;
  double rate() const;            // after halving
  bool was_thinned() const;       // whether it was halved
  double position_error() const;  // largest error of a coordinate of a body: half the grid     m
  double angle_error() const;     // largest error of an orientation                            rad
  std::size_t bytes() const;      // so far, compressed

  /// What is drawn, one per structure that the run had; section_of says which one a frame belongs to.
  const std::vector<Picture>& pictures() const;
  std::size_t section_of(std::size_t frame) const;
  /// The frame as it will be seen, times included. Neighbours are cheap, jumps decode a chunk.
  const PictureFrame& frame(std::size_t k) const;

  /// The recording as one file. `about` is a JSON object for the page: title, parameters, summary (docs/replay.md).
  std::string file(const std::string& about) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The viewer's page, as it is built and embedded in the command.
struct ReplayPage {
  std::string html;    // with one <script type="module" src="..."> and one <link rel="stylesheet">
  std::string script;  // what they point to
  std::string style;
};
/// One self-contained HTML file: the page with everything inlined, and the recording as base64. `title` is text, not HTML.
std::string make_replay(const ReplayPage& page, const std::string& title, std::string_view recording);

struct GltfOptions {
  std::string title = {};
  std::size_t max_tracks = 4000;  // pieces of ropes, springs and bars; lines beyond it are left out
};
/// Animated glTF 2.0 (binary, .glb): one node per body with its name, shape and motion; ropes, springs, bars and wires as
/// pieces that stretch. y points up. Shows the last structure when the structure changed during the run.
std::string make_gltf(const Recording& recording, const GltfOptions& options = {});

}  // namespace catena
