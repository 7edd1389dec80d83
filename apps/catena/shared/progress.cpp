// Progress on standard error, so that standard output stays clean for results.
#include "shared/progress.h"

#include "shared/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace catena::app {
namespace {

using namespace std::chrono_literals;

std::string bar(double fraction, int cells) {
  static const char* const kEighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double filled = fraction * cells;
  std::string out;
  for (int i = 0; i < cells; ++i)
    out += i + 1 <= filled ? "█" : kEighths[std::clamp(int(8 * (filled - i)), 0, 7)];
  return out;
}

}  // namespace

Progress::Progress(double begin, double end, bool quiet, std::string label, std::string things)
    : begin_(begin),
      end_(end),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      label_(std::move(label)),
      things_(std::move(things)) {
  if (!label_.empty()) label_ += "  ";
  next_ = start_ + (terminal_ ? 200ms : 5000ms);  // short runs show nothing
}

Progress::~Progress() {
  finish();
}

void Progress::update(double time) {
  if (quiet_) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + (terminal_ ? 100ms : 5000ms);
  draw(time, std::chrono::duration<double>(now - start_).count());
}

void Progress::draw(double time, double wall) {
  const double fraction = end_ > begin_ ? std::clamp((time - begin_) / (end_ - begin_), 0.0, 1.0) : 1.0;
  const std::string left = fraction > 0 ? seconds_text(wall * (1 - fraction) / fraction) : "?";
  const std::string done = things_.empty() ? fmt::format("t = {:.3f} of {:g} s  {:.3g} × real time", time,
                                                         end_, (time - begin_) / wall)
                                           : fmt::format("{:g} of {:g} {}", time, end_, things_);
  const std::string figures = fmt::format("{}{:3.0f} %  {}  {} left", label_, 100 * fraction, done, left);
  if (terminal_)
    fmt::print(stderr, "\r\033[K▕{}▏ {}", bar(fraction, 30), figures);
  else
    fmt::print(stderr, "{}\n", figures);
  std::fflush(stderr);
  drawn_ = terminal_;
}

void Progress::say(const std::string& line) {
  finish();
  fmt::print(stderr, "{}\n", line);
}

void Progress::finish() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
  std::fflush(stderr);
}

}  // namespace catena::app
