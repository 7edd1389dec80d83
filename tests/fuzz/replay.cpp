// Chunks of recordings. Five bytes before the chunk say which layout it belongs to and whether it is yet to be deflated, so that mutations
// reach the numbers behind deflate.
#include "fuzz/target.h"
#include "io/replay/codec.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace catena::fuzz {
namespace {

constexpr std::size_t kHead = 5;

struct Head {
  io::ReplayLayout layout;
  std::size_t frames = 0;
  bool is_raw = false;
};

Head read_head(std::string_view bytes) {
  const auto at = [&](std::size_t k) { return std::size_t(std::uint8_t(bytes[k])); };
  Head head;
  head.layout.turns.resize(at(0) % 8);
  for (std::size_t i = 0; i < head.layout.turns.size(); ++i) head.layout.turns[i] = (at(1) >> i & 1) != 0;
  for (std::size_t i = 0; i < at(2) % 8; ++i) {
    const bool is_fixed = i % 3 == 0;
    head.layout.point_body.push_back(is_fixed ? int(i % (head.layout.turns.size() + 1)) - 1
                                              : io::kStoredPoint);
    head.layout.point_local.insert(head.layout.point_local.end(), 3, is_fixed ? 0.5F : 0.0F);
  }
  head.frames = at(3) % 65;
  head.is_raw = at(4) % 2 == 1;
  return head;
}

bool is_finite(const PictureFrame& frame) {
  const auto finite = [](float x) { return std::isfinite(x); };
  return std::ranges::all_of(frame.poses, finite) && std::ranges::all_of(frame.points, finite);
}

}  // namespace

Answer try_replay(std::string_view bytes) {
  if (bytes.size() < kHead) return Answer::refused;
  const Head head = read_head(bytes);
  const std::string_view chunk = bytes.substr(kHead);
  std::vector<PictureFrame> frames;
  try {
    frames = io::decode_chunk(head.layout, head.is_raw ? io::deflate_bytes(chunk) : std::string(chunk),
                              head.frames);
  } catch (const std::runtime_error& error) {
    promise(std::string_view(error.what()).starts_with("the recording is damaged"), error.what());
    return Answer::refused;
  }
  promise(frames.size() == head.frames, "another number of frames");
  for (const PictureFrame& frame : frames) {
    promise(frame.poses.size() == 7 * head.layout.turns.size() &&
                frame.points.size() == 3 * head.layout.point_body.size(),
            "a frame of another size");
    promise(is_finite(frame), "a frame that is not finite");
  }
  return Answer::ok;
}

std::vector<std::string> replay_seeds() {
  std::vector<std::string> seeds;
  std::mt19937 random(7);
  std::uniform_real_distribution<float> any(-1.0F, 1.0F);
  for (const char* text : {"\x01\x01\x00\x04", "\x03\x05\x02\x20", "\x02\x00\x05\x40", "\x07\x7f\x07\x11"}) {
    std::string head(text, 4);
    const Head shape = read_head(head + '\0');
    std::vector<PictureFrame> frames(shape.frames);
    for (PictureFrame& frame : frames) {
      for (std::size_t i = 0; i < 7 * shape.layout.turns.size(); ++i) frame.poses.push_back(any(random));
      for (std::size_t i = 0; i < 3 * shape.layout.point_body.size(); ++i)
        frame.points.push_back(any(random));
    }
    const std::string chunk = io::encode_chunk(shape.layout, frames);
    seeds.push_back(head + '\0' + chunk);
    seeds.push_back(head + '\1' + io::inflate_bytes(chunk));
  }
  return seeds;
}

}  // namespace catena::fuzz
