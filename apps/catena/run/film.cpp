// Pictures and videos: the replay is opened, told which instant to show, and photographed.
#include "run/film.h"

#include "command.h"
#include "run/browser.h"
#include "shared/interrupt.h"
#include "shared/progress.h"

#include <fmt/format.h>

#include <cmath>
#include <thread>

namespace catena::app {
namespace {

struct Range {
  double begin = 0.0, end = 0.0;  // s
};

std::string file_url(const std::filesystem::path& file) {
  std::string url = "file://";
  for (const char c : std::filesystem::absolute(file).string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-_.~").find(c) != std::string_view::npos;
    url += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return url;
}

/// Opens a replay and waits until it is there; what it covers.
Range open_replay(Browser& browser, const std::filesystem::path& replay) {
  browser.open(file_url(replay) + "?quality=high#picture&still");
  constexpr int kTries = 600;
  for (int k = 0; k < kTries; ++k) {
    const nlohmann::json range = browser.evaluate(
        "(() => { const c = window.catena; if (!c || !c.source || !c.source.recording || !c.frame()) return "
        "null;"
        "const t = c.source.recording.times; return [t[0], t[t.length - 1]]; })()");
    if (range.is_array()) return {range[0].get<double>(), range[1].get<double>()};
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  throw std::runtime_error("the browser could not show the replay; open it in a browser to see why (--html)");
}

/// Shows an instant. The second animation frame comes after the picture of the first has been made.
void show(Browser& browser, double time) {
  browser.evaluate(fmt::format(
      "(async () => {{ await catena.source.show({:.17g});"
      "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); }})()",
      time));
}

}  // namespace

void require_browser(const std::string& option) {
  if (Browser::find().empty())
    reject("option " + option, "pictures are taken by Chromium, which is not installed",
           "install it (Debian: apt-get install chromium), or name a browser of its kind in CATENA_BROWSER");
}

void require_video_encoder(const std::string& option) {
  if (find_program({"ffmpeg"}).empty())
    reject("option " + option, "videos are encoded by ffmpeg, which is not installed",
           "install it (Debian: apt-get install ffmpeg), or write --html, which plays in every browser");
}

void write_png(const std::filesystem::path& replay, const std::filesystem::path& out,
               const FilmOptions& options) {
  Browser browser(Browser::find(), options.width, options.height);
  const Range range = open_replay(browser, replay);
  show(browser, options.at.value_or(range.begin + (range.end - range.begin) / 3));
  write_text(out, browser.screenshot("png"));
}

int write_mp4(const std::filesystem::path& replay, const std::filesystem::path& out,
              const FilmOptions& options) {
  const std::filesystem::path made = out.string() + ".encoding";
  Browser browser(Browser::find(), options.width, options.height);
  const Range range = open_replay(browser, replay);
  ChildProcess encoder({find_program({"ffmpeg"}),
                        "-y",
                        "-loglevel",
                        "error",
                        "-f",
                        "image2pipe",
                        "-c:v",
                        "mjpeg",
                        "-framerate",
                        fmt::format("{:g}", options.fps),
                        "-i",
                        "-",
                        "-c:v",
                        "libx264",
                        "-pix_fmt",
                        "yuv420p",
                        "-crf",
                        "20",
                        "-preset",
                        "medium",
                        "-movflags",
                        "+faststart",
                        "-f",
                        "mp4",
                        made.string()},
                       ChildProcess::Talk::through_stdin);
  const double step = options.speed / options.fps;
  const int count = int(std::floor((range.end - range.begin) / step + 1e-9)) + 1;
  Progress progress(0, count, options.quiet, "video", "pictures");
  const Interruptible interruptible;
  int done = 0;
  for (; done < count && !was_interrupted(); ++done) {
    show(browser, range.begin + done * step);
    if (!encoder.write(browser.screenshot("jpeg"))) break;
    progress.update(done + 1);
  }
  progress.finish();
  if (encoder.finish(std::chrono::minutes(10)) != 0) {
    std::error_code ignored;
    std::filesystem::remove(made, ignored);
    throw std::runtime_error(fmt::format(
        "cannot write '{}': ffmpeg failed; it needs the encoder libx264 (ffmpeg -encoders), and a "
        "folder that can be written",
        out.string()));
  }
  adopt_file(made, out);
  return done;
}

}  // namespace catena::app
