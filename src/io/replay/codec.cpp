// Chunks of frames. The bytes before deflation, numbers as zigzag varints of 7 bits, lowest first:
//
//   per body that turns: which component of its quaternion follows from the others (0 to 3), or 4 for none   (1 byte each)
//   per channel: the order d of its differences, 0 to 3                                                      (1 byte each)
//   per channel: its values over the frames, the k-th as its difference of order min(k, d)
//
// Channels: x of all bodies, then y, z; the stored components 0 to 3 (x y z w) of all quaternions; x, y, z of stored points.
// Channels of one kind stand together, because deflate adapts its code to what is near.
#include "io/replay/codec.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace catena::io {
namespace {

constexpr int kHighestOrder = 3;
constexpr int kAllComponents = 4;       // no component of the quaternion is left out
constexpr double kLeastDropped = 0.45;  // the component left out is at least this large: (1) of the header
constexpr double kLargest = 0x1p50;     // grid units; eight times this is still exact in a double
using Channel = std::vector<std::int64_t>;

std::int64_t to_grid(double value, double grid) {
  return std::int64_t(std::llround(std::clamp(value / grid, -kLargest, kLargest)));
}

void put_varint(std::string& out, std::int64_t value) {
  auto bits = (std::uint64_t(value) << 1) ^ std::uint64_t(value >> 63);
  while (bits >= 0x80) {
    out += char(0x80 | (bits & 0x7F));
    bits >>= 7;
  }
  out += char(bits);
}

/// Reads what put_varint wrote, and knows when the bytes end too soon.
class ChunkReader {
 public:
  explicit ChunkReader(std::string_view bytes) : bytes_(bytes) {}
  std::uint8_t byte() {
    if (at_ == bytes_.size()) throw std::runtime_error("the recording is damaged: a chunk ends too soon");
    return std::uint8_t(bytes_[at_++]);
  }
  std::int64_t varint() {
    std::uint64_t bits = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      bits |= std::uint64_t(next & 0x7F) << shift;
      if (next < 0x80) return std::int64_t(bits >> 1) ^ -std::int64_t(bits & 1);
    }
    throw std::runtime_error("the recording is damaged: a number has more than 64 bits");
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// In place: values[k] becomes its difference of order min(k, order).
void difference(Channel& values, int order) {
  for (int d = 0; d < order; ++d)
    for (std::size_t k = values.size(); k-- > std::size_t(d) + 1;) values[k] -= values[k - 1];
}

void accumulate(Channel& values, int order) {
  const auto sum = [](std::int64_t a, std::int64_t b) {  // of damaged numbers it may be too large
    return std::int64_t(std::uint64_t(a) + std::uint64_t(b));
  };
  for (int d = order; d-- > 0;)
    for (std::size_t k = std::size_t(d) + 1; k < values.size(); ++k)
      values[k] = sum(values[k], values[k - 1]);
}

void require_on_grid(const Channel& values) {
  for (const std::int64_t value : values)
    if (value < -std::int64_t(kLargest) || value > std::int64_t(kLargest))
      throw std::runtime_error("the recording is damaged: a number is too large");
}

/// The order whose differences are smallest; the bits they need are about the logarithms of their sizes.
int best_order(const Channel& values) {
  int best = 0;
  double least = HUGE_VAL;
  Channel differences = values;
  for (int order = 0; order <= kHighestOrder && std::size_t(order) < values.size(); ++order) {
    if (order > 0)
      for (std::size_t k = values.size(); k-- > std::size_t(order);) differences[k] -= differences[k - 1];
    double cost = 0.0;
    for (std::int64_t d : differences) cost += std::log2(1.0 + double(std::abs(d)));
    if (cost < least) least = cost, best = order;
  }
  return best;
}

/// Components x y z w of one body's quaternion over the chunk, without the jumps between q and -q.
struct Turns {
  std::vector<std::array<double, 4>> q;
  int dropped = kAllComponents;
};

Turns continuous_turns(std::span<const PictureFrame> frames, std::size_t body) {
  Turns turns;
  turns.q.reserve(frames.size());
  std::array<double, 4> smallest{1, 1, 1, 1};
  for (const PictureFrame& frame : frames) {
    const float* pose = frame.poses.data() + 7 * body + 3;
    std::array<double, 4> q{pose[0], pose[1], pose[2], pose[3]};
    const double norm = std::sqrt(std::inner_product(q.begin(), q.end(), q.begin(), 0.0));
    const bool flip =
        !turns.q.empty() && std::inner_product(q.begin(), q.end(), turns.q.back().begin(), 0.0) < 0;
    for (double& c : q) c *= (flip ? -1.0 : 1.0) / norm;
    turns.q.push_back(q);
    for (std::size_t c = 0; c < 4; ++c)
      smallest[c] = std::min(smallest[c], q[c] * (turns.q.front()[c] < 0 ? -1 : 1));
  }
  const auto c = std::size_t(std::max_element(smallest.begin(), smallest.end()) - smallest.begin());
  if (smallest[c] < kLeastDropped) return turns;
  turns.dropped = int(c);
  if (turns.q.front()[c] < 0)  // what is left out is positive
    for (std::array<double, 4>& q : turns.q)
      for (double& value : q) value = -value;
  return turns;
}

/// Calls use(channel values) for every channel in the order of the file.
template <class Use>
void for_each_channel(const ReplayLayout& layout, std::span<const PictureFrame> frames,
                      std::span<const Turns> turns, const Use& use) {
  Channel values(frames.size());
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t body = 0; body < layout.turns.size(); ++body) {
      for (std::size_t k = 0; k < frames.size(); ++k)
        values[k] = to_grid(frames[k].poses[7 * body + c], layout.position_grid);
      use(values);
    }
  for (std::size_t c = 0; c < 4; ++c)
    for (const Turns& turn : turns) {
      if (turn.dropped == int(c)) continue;
      for (std::size_t k = 0; k < frames.size(); ++k) values[k] = to_grid(turn.q[k][c], layout.rotation_grid);
      use(values);
    }
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t point = 0; point < layout.point_body.size(); ++point) {
      if (layout.point_body[point] != kStoredPoint) continue;
      for (std::size_t k = 0; k < frames.size(); ++k)
        values[k] = to_grid(frames[k].points[3 * point + c], layout.position_grid);
      use(values);
    }
}

/// Completes or normalises the quaternion of a pose whose stored components have been read.
void complete_quaternion(float* q, int dropped) {
  double sum = 0.0;
  for (int c = 0; c < 4; ++c) sum += c == dropped ? 0.0 : double(q[c]) * double(q[c]);
  if (dropped != kAllComponents)
    q[dropped] = float(std::sqrt(std::max(0.0, 1.0 - sum)));
  else if (sum > 0)
    for (int c = 0; c < 4; ++c) q[c] = float(q[c] / std::sqrt(sum));
}

void place_fixed_points(const ReplayLayout& layout, PictureFrame& frame) {
  for (std::size_t point = 0; point < layout.point_body.size(); ++point) {
    const int body = layout.point_body[point];
    if (body == kStoredPoint) continue;
    Vec3 x(layout.point_local[3 * point], layout.point_local[3 * point + 1],
           layout.point_local[3 * point + 2]);
    if (body >= 0) {
      const float* pose = frame.poses.data() + 7 * std::size_t(body);
      x = Vec3(pose[0], pose[1], pose[2]) + Quat(pose[6], pose[3], pose[4], pose[5]) * x;
    }
    for (std::size_t c = 0; c < 3; ++c) frame.points[3 * point + c] = float(x[Eigen::Index(c)]);
  }
}

}  // namespace

std::size_t ReplayLayout::num_stored_points() const {
  return std::size_t(std::count(point_body.begin(), point_body.end(), kStoredPoint));
}

ReplayLayout make_layout(const Picture& picture, const Model& model) {
  ReplayLayout layout;
  double smallest = picture.size;
  for (const PictureBody& body : picture.bodies) {
    const double size = body.shape.size.maxCoeff();
    if (body.shape.kind != Shape::Kind::point && size > 0) smallest = std::min(smallest, size);
  }
  // powers of two: the grid is exact, and a body of slightly another size has the same
  const double wanted =
      std::max({std::min(picture.size / 65536, smallest / 128), picture.size * 0x1p-24, 1e-12});
  layout.position_grid = std::exp2(std::floor(std::log2(wanted)));

  std::vector<bool> rigid;
  for (std::size_t i = 0; i < picture.bodies.size(); ++i) {
    const Body& body = *model.bodies()[i].body;
    rigid.push_back(body.type() != BodyType::other);
    layout.turns.push_back(body.has_orientation());
  }
  for (const PicturePoint& point : picture.points) {
    const int body = model.index_of(point.at.body);
    const bool is_fixed =
        !point.on_drum && (body < 0 || (std::size_t(body) < rigid.size() && rigid[std::size_t(body)]));
    layout.point_body.push_back(is_fixed ? std::max(body, -1) : kStoredPoint);
    for (int c = 0; c < 3; ++c) layout.point_local.push_back(is_fixed ? float(point.at.point[c]) : 0.0F);
  }
  return layout;
}

std::string encode_chunk(const ReplayLayout& layout, std::span<const PictureFrame> frames) {
  std::vector<Turns> turns;
  std::string modes, orders, numbers;
  for (std::size_t body = 0; body < layout.turns.size(); ++body)
    if (layout.turns[body]) {
      turns.push_back(continuous_turns(frames, body));
      modes += char(turns.back().dropped);
    }
  for_each_channel(layout, frames, turns, [&](Channel& values) {
    const int order = best_order(values);
    orders += char(order);
    difference(values, order);
    for (std::int64_t value : values) put_varint(numbers, value);
  });
  return deflate_bytes(modes + orders + numbers);
}

std::vector<PictureFrame> decode_chunk(const ReplayLayout& layout, std::string_view bytes,
                                       std::size_t frames) {
  constexpr std::size_t kLongestNumber = 10;  // bytes of a varint
  const std::size_t most_channels = 7 * layout.turns.size() + 3 * layout.point_body.size();
  const std::string raw =
      inflate_bytes(bytes, layout.turns.size() + most_channels * (1 + kLongestNumber * frames));
  ChunkReader reader(raw);
  std::vector<int> dropped;
  std::size_t channels = 3 * layout.turns.size() + 3 * layout.num_stored_points();
  for (bool turns : layout.turns) {
    dropped.push_back(turns ? reader.byte() : -1);
    if (dropped.back() > kAllComponents)
      throw std::runtime_error("the recording is damaged: no such component");
    if (turns) channels += dropped.back() == kAllComponents ? 4 : 3;
  }
  std::vector<int> orders(channels);
  for (int& order : orders) {
    order = reader.byte();
    if (order > kHighestOrder) throw std::runtime_error("the recording is damaged: no such difference");
  }

  PictureFrame empty;
  empty.poses.assign(7 * layout.turns.size(), 0.0F);
  empty.points.assign(3 * layout.point_body.size(), 0.0F);
  std::vector<PictureFrame> out(frames, empty);
  Channel values(frames);
  std::size_t channel = 0;
  const auto read = [&](double grid, const auto& store) {
    for (std::int64_t& value : values) value = reader.varint();
    accumulate(values, orders[channel++]);
    require_on_grid(values);
    for (std::size_t k = 0; k < frames; ++k) store(out[k]) = float(double(values[k]) * grid);
  };
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t body = 0; body < dropped.size(); ++body)
      read(layout.position_grid, [&](PictureFrame& frame) -> float& { return frame.poses[7 * body + c]; });
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t body = 0; body < dropped.size(); ++body)
      if (dropped[body] >= 0 && dropped[body] != int(c))
        read(layout.rotation_grid,
             [&](PictureFrame& frame) -> float& { return frame.poses[7 * body + 3 + c]; });
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t point = 0; point < layout.point_body.size(); ++point)
      if (layout.point_body[point] == kStoredPoint)
        read(layout.position_grid,
             [&](PictureFrame& frame) -> float& { return frame.points[3 * point + c]; });

  for (PictureFrame& frame : out) {
    for (std::size_t body = 0; body < dropped.size(); ++body) {
      if (dropped[body] < 0)
        frame.poses[7 * body + 6] = 1.0F;
      else
        complete_quaternion(frame.poses.data() + 7 * body + 3, dropped[body]);
    }
    place_fixed_points(layout, frame);
  }
  return out;
}

}  // namespace catena::io
