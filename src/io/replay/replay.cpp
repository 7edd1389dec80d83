// Recordings: frames collected into chunks, chunks encoded when full, thinned when they become too many.
#include "catena/output.h"
#include "catena/version.h"
#include "io/replay/codec.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace catena {

/// Frames encoded together.
struct ReplayChunk {
  std::size_t section = 0, first = 0, frames = 0;
  std::string bytes;
};

/// What tells structures apart: numbers of things, and the newest of them.
struct ReplaySignature {
  std::size_t bodies, constraints, forces;
  BodyId body;
  ConstraintId constraint;
  bool operator==(const ReplaySignature&) const = default;
};

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFramesPerChunk = 64;
constexpr std::size_t kNumbersPerChunk = std::size_t(1) << 22;  // of poses and points: 16 MiB
constexpr std::uint32_t kFormat = 1;

ReplaySignature signature_of(const Model& model) {
  ReplaySignature out{model.bodies().size(), model.constraints().size(), model.forces().size(), {}, {}};
  if (out.bodies > 0) out.body = model.bodies().back().id;
  if (out.constraints > 0) out.constraint = model.constraints().back().id;
  return out;
}

std::vector<std::string> column_names(const std::vector<Probe>& probes) {
  std::vector<std::string> names{"energy.kinetic", "energy.gravity",   "energy.springs",
                                 "energy.total",   "energy.numerical", "constraint_error"};
  for (const Probe& probe : probes) {
    std::vector<std::string> own;
    own.reserve(std::size_t(probe.size));
    for (int c = 0; c < probe.size; ++c)
      own.push_back(probe.components.empty() ? probe.name
                                             : probe.name + "." + probe.components[std::size_t(c)]);
    names.insert(names.end(), own.begin(), own.end());
    // what it should be, beside what it is
    for (std::size_t c = 0; c < std::min(own.size(), probe.analytic.size()); ++c)
      names.push_back(own[c] + "~");
  }
  return names;
}

void put_number(std::string& out, std::uint32_t value) {
  for (int byte = 0; byte < 4; ++byte) out += char(value >> (8 * byte) & 0xFF);
}

/// Base64 is cut at multiples of three bytes, so that a page can decode a part without the rest.
void pad_to_three(std::string& out) {
  out.append((3 - out.size() % 3) % 3, '\0');
}

}  // namespace

struct Recording::Impl {
  std::vector<Probe> probes;
  RecordingOptions options;
  ReplaySignature signature{};
  std::vector<Picture> pictures;
  std::vector<io::ReplayLayout> layouts;  // per picture
  std::vector<ReplayChunk> chunks;        // full ones
  std::vector<PictureFrame> open;         // frames of the chunk that is being filled
  std::size_t open_section = 0;
  std::vector<double> times;                 // per frame
  std::vector<std::vector<double>> columns;  // per quantity a number per frame
  std::array<float, 3> low{}, high{};        // box around all bodies and points of the run   m
  double next = 0.0;                         // when a frame is due   s
  bool thinned = false, box_is_empty = true;
  std::size_t encoded = 0;  // bytes of all chunks
  // the chunk that frame() decoded last
  mutable std::size_t cached = SIZE_MAX;
  mutable std::vector<PictureFrame> cache;

  std::size_t frames() const { return times.size(); }

  void look_at(const Simulation& sim) {
    const ReplaySignature now = signature_of(sim.model());
    if (!pictures.empty() && now == signature) return;
    close_chunk();
    signature = now;
    pictures.push_back(make_picture(sim));
    layouts.push_back(io::make_layout(pictures.back(), sim.model()));
    open_section = pictures.size() - 1;
  }

  void take(const Simulation& sim) {
    look_at(sim);
    PictureFrame frame;
    capture(sim, pictures.back(), frame);
    const std::size_t numbers = frame.poses.size() + frame.points.size();
    extend_box(frame.poses, 7);
    extend_box(frame.points, 3);
    times.push_back(sim.time());
    open.push_back(std::move(frame));
    add_samples(sim);
    if (open.size() >= kFramesPerChunk || open.size() * numbers >= kNumbersPerChunk) close_chunk();
    while (encoded > options.max_bytes && frames() > 2) thin();
  }

  void extend_box(const std::vector<float>& numbers, std::size_t stride) {
    for (std::size_t k = 0; k < numbers.size(); k += stride)
      for (std::size_t c = 0; c < 3; ++c) {
        const float x = numbers[k + c];
        low[c] = box_is_empty ? x : std::min(low[c], x);
        high[c] = box_is_empty ? x : std::max(high[c], x);
        if (c == 2) box_is_empty = false;
      }
  }

  void add_samples(const Simulation& sim) {
    const Energy energy = sim.energy();
    std::vector<double> row{energy.kinetic, energy.gravity,         energy.springs,
                            energy.total(), sim.numerical_energy(), sim.constraint_error()};
    for (const Probe& probe : probes) {
      row.resize(row.size() + std::size_t(probe.size), 0.0);
      probe.read(sim, row.data() + row.size() - std::size_t(probe.size));
      for (std::size_t c = 0; c < std::min(std::size_t(probe.size), probe.analytic.size()); ++c)
        row.push_back(probe.analytic[c](sim.time()));
    }
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].push_back(row[c]);
  }

  void close_chunk() {
    if (open.empty()) return;
    const std::size_t first = chunks.empty() ? 0 : chunks.back().first + chunks.back().frames;
    chunks.push_back({open_section, first, open.size(), io::encode_chunk(layouts[open_section], open)});
    encoded += chunks.back().bytes.size();
    open.clear();
  }

  /// Drops every second frame. Decoded frames lie on the grid, so that nothing is lost by encoding them again.
  void thin() {
    close_chunk();
    std::vector<ReplayChunk> before = std::exchange(chunks, {});
    const auto halve = [](auto& list) {
      std::size_t kept = 0;
      for (std::size_t k = 0; k < list.size(); k += 2) list[kept++] = std::move(list[k]);
      list.resize(kept);
    };
    encoded = 0;
    cached = SIZE_MAX;
    for (ReplayChunk& chunk : before) {
      std::vector<PictureFrame> frames = io::decode_chunk(layouts[chunk.section], chunk.bytes, chunk.frames);
      chunk.bytes = {};
      if (chunk.section != open_section) close_chunk();
      open_section = chunk.section;
      for (std::size_t k = 0; k < frames.size(); ++k)
        if ((chunk.first + k) % 2 == 0) open.push_back(std::move(frames[k]));
      if (open.size() >= kFramesPerChunk) close_chunk();
    }
    close_chunk();
    open_section = pictures.size() - 1;
    halve(times);
    for (std::vector<double>& column : columns) halve(column);
    options.rate *= 0.5;
    thinned = true;
  }

  std::size_t open_first() const { return frames() - open.size(); }

  const std::vector<PictureFrame>& decoded(std::size_t chunk) const {
    if (cached != chunk) {
      cache = io::decode_chunk(layouts[chunks[chunk].section], chunks[chunk].bytes, chunks[chunk].frames);
      for (std::size_t k = 0; k < cache.size(); ++k) cache[k].time = times[chunks[chunk].first + k];
      cached = chunk;
    }
    return cache;
  }

  std::size_t chunk_of(std::size_t frame) const {
    const auto after =
        std::upper_bound(chunks.begin(), chunks.end(), frame,
                         [](std::size_t f, const ReplayChunk& chunk) { return f < chunk.first; });
    return std::size_t(after - chunks.begin()) - 1;
  }

  Json section_json(std::size_t section) const {
    const io::ReplayLayout& layout = layouts[section];
    Json json;
    json["picture"] = Json::parse(picture_json(pictures[section]));
    json["position_grid"] = layout.position_grid;
    json["rotation_grid"] = layout.rotation_grid;
    json["turns"] = Json::array();
    for (bool turns : layout.turns) json["turns"].push_back(turns ? 1 : 0);
    json["point_body"] = layout.point_body;
    json["point_local"] = layout.point_local;
    return json;
  }
};

Recording::Recording(const Simulation& sim, std::vector<Probe> probes, RecordingOptions options)
    : impl_(std::make_unique<Impl>()) {
  if (!(options.rate > 0) || !std::isfinite(options.rate))
    throw InvalidInput({{"recording", fmt::format("a rate of {} frames per second", options.rate),
                         "give a number above 0"}});
  impl_->probes = std::move(probes);
  impl_->options = options;
  impl_->columns.resize(column_names(impl_->probes).size());
  impl_->next = sim.time();
  record_if_due(sim);
}
Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;

void Recording::record_if_due(const Simulation& sim) {
  // half a thousandth of the period: steps that should meet the instant miss it by rounding
  const double period = 1.0 / impl_->options.rate;
  if (sim.time() < impl_->next - 5e-4 * period) return;
  record(sim);
  const double rate = impl_->options.rate;
  if (rate * period < 0.75)  // halved: go on from the last frame that was kept
    impl_->next = impl_->times.back() + 1.0 / rate;
  else
    impl_->next += (std::floor((sim.time() - impl_->next) * rate + 5e-4) + 1.0) / rate;
}

void Recording::record(const Simulation& sim) {
  if (impl_->frames() > 0 && !(sim.time() > impl_->times.back())) return;
  impl_->take(sim);
}

std::size_t Recording::frames() const {
  return impl_->frames();
}
double Recording::rate() const {
  return impl_->options.rate;
}
bool Recording::was_thinned() const {
  return impl_->thinned;
}
double Recording::position_error() const {
  double largest = 0.0;
  for (const io::ReplayLayout& layout : impl_->layouts)
    largest = std::max(largest, 0.5 * layout.position_grid);
  return largest;
}
double Recording::angle_error() const {
  return 4.0 * impl_->layouts.front().rotation_grid;
}
std::size_t Recording::bytes() const {
  return impl_->encoded;
}
const std::vector<Picture>& Recording::pictures() const {
  return impl_->pictures;
}

std::size_t Recording::section_of(std::size_t frame) const {
  return frame >= impl_->open_first() ? impl_->open_section : impl_->chunks[impl_->chunk_of(frame)].section;
}

const PictureFrame& Recording::frame(std::size_t k) const {
  if (k >= frames()) throw std::out_of_range(fmt::format("frame {} of a recording of {}", k, frames()));
  impl_->close_chunk();  // what is seen is what comes back
  const std::size_t chunk = impl_->chunk_of(k);
  return impl_->decoded(chunk)[k - impl_->chunks[chunk].first];
}

std::string Recording::file(const std::string& about) const {
  impl_->close_chunk();
  std::string body;
  const auto add = [&body](std::string_view bytes) {
    Json place = {{"at", body.size()}, {"bytes", bytes.size()}};
    body += bytes;
    pad_to_three(body);
    return place;
  };
  Json header;
  header["generator"] = fmt::format("catena {}", kVersion);
  header["frames"] = frames();
  header["rate"] = rate();
  header["thinned"] = was_thinned();
  header["position_error"] = position_error();
  header["angle_error"] = angle_error();
  header["low"] = impl_->low;
  header["high"] = impl_->high;
  header["about"] = Json::parse(about);
  std::vector<std::vector<double>> columns{impl_->times};
  columns.insert(columns.end(), impl_->columns.begin(), impl_->columns.end());
  header["samples"] = add(io::encode_columns(columns));
  header["samples"]["columns"] = column_names(impl_->probes);
  header["sections"] = Json::array();
  for (std::size_t k = 0; k < impl_->pictures.size(); ++k)
    header["sections"].push_back(impl_->section_json(k));
  header["chunks"] = Json::array();
  for (const ReplayChunk& chunk : impl_->chunks) {
    Json place = add(chunk.bytes);
    place["section"] = chunk.section;
    place["frames"] = chunk.frames;
    header["chunks"].push_back(std::move(place));
  }
  const std::string packed = io::deflate_bytes(header.dump(-1, ' ', false, Json::error_handler_t::replace));
  std::string out = "CTNR";
  put_number(out, kFormat);
  put_number(out, std::uint32_t(packed.size()));
  out += packed;
  pad_to_three(out);
  return out + body;
}

}  // namespace catena
