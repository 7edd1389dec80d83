// Pictures and videos of a replay, taken by a browser without a window.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace catena::app {

struct FilmOptions {
  int width = 1280, height = 720;  // px
  double fps = 30.0;               // pictures per second of the video
  double speed = 1.0;              // seconds of the run per second of the video
  std::optional<double> at;        // instant of a picture, s; else a third into the run, where it moves
  bool quiet = false;
};

/// Throws InvalidInput that says what to install when a program is missing.
void require_browser(const std::string& option);
void require_video_encoder(const std::string& option);

/// From a replay (one HTML file) to a file. Throw std::runtime_error.
void write_png(const std::filesystem::path& replay, const std::filesystem::path& out,
               const FilmOptions& options);
/// Returns the number of pictures; fewer than the run has when it is interrupted.
int write_mp4(const std::filesystem::path& replay, const std::filesystem::path& out,
              const FilmOptions& options);

}  // namespace catena::app
