// Replays of a run: options, the recording, and the files made from it.
#include "run/replay.h"

#include "command.h"
#include "run/film.h"
#include "view/assets.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace catena::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kFewestFrames = 300;  // of a run: short ones are recorded more often than 60 times a second
constexpr double kShortestVideo = 5;   // s: shorter runs are filmed slower
constexpr double kMegabyte = 1e6;

ReplayPage embedded_page(const std::string& option) {
  const auto text = [&](const char* path) {
    const Asset* asset = find_asset(page_assets(), path);
    if (asset == nullptr)
      reject("option " + option, "this command was built without the page of the viewer",
             "install Node.js 18 or later (Debian: apt-get install nodejs npm) and run 'make build' again");
    return std::string(asset->bytes);
  };
  return {text("/index.html"), text("/page.js"), text("/page.css")};
}

/// 1280x720
std::pair<int, int> picture_size(const std::string& text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string::npos)
    reject("option --size", fmt::format("'{}' is no size", text),
           "write width x height in pixels, as in 1280x720");
  const auto part = [](const std::string& number) { return int(whole_number("--size", number, 16, 7680)); };
  const std::pair<int, int> size{part(text.substr(0, cross)), part(text.substr(cross + 1))};
  return {size.first / 2 * 2, size.second / 2 * 2};  // video needs even numbers
}

FilmOptions film_options(const ReplayArguments& arguments, double duration, bool quiet) {
  FilmOptions options;
  options.quiet = quiet;
  if (arguments.size) std::tie(options.width, options.height) = picture_size(*arguments.size);
  if (arguments.fps) options.fps = positive_number("--fps", *arguments.fps, 240);
  if (arguments.at) options.at = evaluate_expression(*arguments.at);
  if (arguments.speed)
    options.speed = positive_number("--speed", *arguments.speed, 1e6);
  else if (duration > 0 && duration < 0.5 * kShortestVideo)
    options.speed = duration / kShortestVideo;
  return options;
}

/// The replay in a file that is there as long as it is needed: the one asked for, or one of our own.
class ReplayFile {
 public:
  ReplayFile(const std::string& wanted, const std::string& html) : is_ours_(wanted.empty()) {
    file_ = is_ours_ ? std::filesystem::temp_directory_path() / fmt::format("catena-replay-{}.html", getpid())
                     : std::filesystem::path(wanted);
    write_text(file_, html);
  }
  ~ReplayFile() {
    std::error_code ignored;
    if (is_ours_) std::filesystem::remove(file_, ignored);
  }
  ReplayFile(const ReplayFile&) = delete;
  ReplayFile& operator=(const ReplayFile&) = delete;
  const std::filesystem::path& path() const { return file_; }

 private:
  std::filesystem::path file_;
  bool is_ours_;
};

std::string size_text(double bytes) {
  return bytes < kMegabyte ? fmt::format("{:.0f} kB", bytes / 1e3)
                           : fmt::format("{:.1f} MB", bytes / kMegabyte);
}

Json probes_json(const std::vector<Probe>& probes) {
  Json list = Json::array();
  for (const Probe& probe : probes)
    list.push_back({{"name", probe.name}, {"unit", probe.unit}, {"components", probe.components}});
  return list;
}

/// The `about` object of a recording: what the page shows beside the motion.
std::string about_json(const Scene& scene, const Simulation& sim, const ReplayTexts& texts) {
  Json structure{{"title", texts.title},
                 {"description", scene.description},
                 {"file", std::filesystem::path(texts.file).filename().string()},
                 {"dof", texts.check.dof},
                 {"rows", texts.check.rows},
                 {"redundant_rows", texts.check.redundant_rows},
                 {"solver", name(sim.choice().solver)},
                 {"solver_reason", sim.choice().solver_reason},
                 {"integrator", name(sim.choice().integrator)},
                 {"integrator_reason", sim.choice().integrator_reason}};
  structure["parameters"] = scene.parameters;
  structure["probes"] = probes_json(scene.probes);
  structure["overlays"] = Json::object();
  for (const Probe& probe : scene.probes)
    if (!probe.analytic_text.empty()) structure["overlays"][probe.name] = probe.analytic_text;
  structure["events"] = Json::array();
  for (const Event& event : scene.events) structure["events"].push_back(event.name);
  structure["notes"] = texts.check.warnings;
  const Json summary = Json::parse(texts.summary);
  structure["dt"] = summary["dt"];
  return Json{{"structure", structure}, {"summary", summary}}.dump(-1, ' ', false,
                                                                   Json::error_handler_t::replace);
}

std::string recording_text(const Recording& recording) {
  return fmt::format("{} frames, {:.4g} per second{}", recording.frames(), recording.rate(),
                     recording.was_thinned() ? ", lowered to keep the file small (--replay-size)" : "");
}

}  // namespace

void add_replay_options(Subcommand& command, ReplayArguments& arguments) {
  const auto option = [&](const char* flag, auto& value, const char* type, const char* help) {
    command.option(flag, value, type, help).under("Replay and pictures");
  };
  option("--html", arguments.html, "FILE",
         "write a replay: one HTML file that opens in every browser, without a network");
  option("--gltf", arguments.gltf, "FILE.glb", "write the motion as animated glTF, for Blender and others");
  option("--png", arguments.png, "FILE", "write a picture (needs Chromium)");
  option("--mp4", arguments.mp4, "FILE", "write a video (needs Chromium and ffmpeg)");
  option("--at", arguments.at, "SECONDS", "instant of the picture (default: a third into the run)");
  option("--size", arguments.size, "WxH", "of picture and video in pixels (default: 1280x720)");
  option("--fps", arguments.fps, "N", "pictures per second of the video (default: 30)");
  option("--speed", arguments.speed, "X",
         "seconds of the run per second of the video (default: 1, slower for short runs)");
  option("--replay-rate", arguments.rate, "N",
         "recorded frames per second (default: 60, more for short runs)");
  option("--replay-size", arguments.megabytes, "MB",
         "largest replay; the rate is lowered to keep it (default: 48)");
}

void check_replay(const ReplayArguments& arguments) {
  for (const auto& [option, file] : {std::pair<std::string, const std::string&>{"--html", arguments.html},
                                     {"--png", arguments.png},
                                     {"--mp4", arguments.mp4}})
    if (!file.empty()) embedded_page(option);
  for (const auto& [option, file] :
       {std::pair<std::string, const std::string&>{"--png", arguments.png}, {"--mp4", arguments.mp4}})
    if (!file.empty()) require_browser(option);
  if (!arguments.mp4.empty()) require_video_encoder("--mp4");
  film_options(arguments, 1.0, true);
  const std::string suffix = std::filesystem::path(arguments.gltf).extension().string();
  if (!arguments.gltf.empty() && suffix != ".glb")
    reject(
        "option --gltf",
        fmt::format(
            "'{}' does not end in .glb, and programs go by that: what is written is the binary form of glTF",
            arguments.gltf),
        fmt::format("give {}", std::filesystem::path(arguments.gltf).replace_extension(".glb").string()));
}

Recording start_recording(const ReplayArguments& arguments, const Simulation& sim, const Scene& scene,
                          const Schedule& schedule) {
  RecordingOptions options;
  const double duration = double(schedule.steps) * schedule.dt;
  options.rate = arguments.rate ? positive_number("--replay-rate", *arguments.rate, 1e6)
                                : std::max(options.rate, kFewestFrames / duration);
  const double megabytes =
      arguments.megabytes ? positive_number("--replay-size", *arguments.megabytes, 2000) : 48.0;
  // base64 makes four bytes of three, and the page needs its part
  options.max_bytes = std::size_t(std::max(0.1, 0.75 * (megabytes - 1.5)) * kMegabyte);
  return Recording(sim, scene.probes, options);
}

std::vector<std::string> write_replay(const ReplayArguments& arguments, const Recording& recording,
                                      const Simulation& sim, const Scene& scene, const ReplayTexts& texts) {
  std::vector<std::string> files;
  if (!arguments.gltf.empty()) {
    const std::string gltf = make_gltf(recording, {.title = texts.title});
    write_text(arguments.gltf, gltf);
    files.push_back(fmt::format("{} ({}, {} frames)", arguments.gltf, size_text(double(gltf.size())),
                                recording.frames()));
  }
  if (arguments.html.empty() && arguments.png.empty() && arguments.mp4.empty()) return files;

  const std::string html =
      make_replay(embedded_page("--html"), texts.title, recording.file(about_json(scene, sim, texts)));
  const ReplayFile replay(arguments.html, html);
  if (!arguments.html.empty())
    files.push_back(fmt::format("{} ({}; {})", arguments.html, size_text(double(html.size())),
                                recording_text(recording)));
  const double duration = recording.frame(recording.frames() - 1).time - recording.frame(0).time;
  const FilmOptions film = film_options(arguments, duration, texts.quiet);
  if (!arguments.png.empty()) {
    write_png(replay.path(), arguments.png, film);
    files.push_back(fmt::format("{} ({} × {})", arguments.png, film.width, film.height));
  }
  if (!arguments.mp4.empty()) {
    const int pictures = write_mp4(replay.path(), arguments.mp4, film);
    files.push_back(
        fmt::format("{} ({} × {}, {} pictures)", arguments.mp4, film.width, film.height, pictures));
  }
  return files;
}

}  // namespace catena::app
