// Frames as few bytes: quantised, predicted, deflated. docs/replay.md states the format; web/src/replay/codec.ts reads it.
//
//   frames ──► integers on a grid ──► differences along time ──► bytes ──► deflate
//
// A chunk is a run of frames of one structure that is decoded without any other. Numbers that follow from the pose of a
// rigid body (ends of its tubes, arms, ropes fixed to it) are not stored.
//
// What comes back differs from what went in by at most (δ_x = grid of positions, δ_q = grid of quaternion components)
//
//   |x' - x| ≤ δ_x/2 per coordinate,     angle between q' and q ≤ 4 δ_q                                        (1)
#pragma once

#include "catena/output.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace catena::io {

/// What a chunk needs to know about the structure.
struct ReplayLayout {
  double position_grid = 1e-4;         // δ_x   m
  double rotation_grid = 1.0 / 16384;  // δ_q
  std::vector<bool> turns;             // per body: whether its orientation is stored
  std::vector<int> point_body;         // per point: body it is fixed to, -1: the world, -2: it is stored
  std::vector<float> point_local;      // per point x y z: where, in that body; 0 where it is stored

  std::size_t num_stored_points() const;
};

inline constexpr int kStoredPoint = -2;

/// The layout for a picture. The grid of positions is the smaller of 1/65536 of the model's size and 1/128 of its smallest
/// body, so that neither the whole nor a part that is looked at closely trembles.
ReplayLayout make_layout(const Picture& picture, const Model& model);

std::string encode_chunk(const ReplayLayout& layout, std::span<const PictureFrame> frames);
/// The frames without their times. Throws std::runtime_error on damaged bytes.
std::vector<PictureFrame> decode_chunk(const ReplayLayout& layout, std::string_view bytes,
                                       std::size_t frames);

/// Columns of floats, byte by byte of all rows (neighbours differ in their last bytes only), deflated.
std::string encode_columns(std::span<const std::vector<double>> columns);

/// zlib format, as DecompressionStream('deflate') reads it. inflate throws std::runtime_error, also where more than `most` bytes come out:
/// a thousand may come out of one.
std::string deflate_bytes(std::string_view bytes);
std::string inflate_bytes(std::string_view bytes, std::size_t most = SIZE_MAX);
std::string base64(std::string_view bytes);

}  // namespace catena::io
