// Bytes of a recording: deflate, base64, columns of numbers.
#include "io/replay/codec.h"

#include <zlib.h>

#include <bit>
#include <stdexcept>

namespace catena::io {
namespace {

constexpr std::size_t kPiece = std::size_t(1) << 18;  // of output at a time
constexpr int kLevel = 6;

Bytef* input_of(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write to its input
}

/// Runs one of zlib's machines over all of the input, whatever its size. avail_in has 32 bits only.
template <class Turn>
int pump(z_stream& stream, std::string_view bytes, std::string& out, const Turn& turn) {
  constexpr std::size_t kMostAtOnce = std::size_t(1) << 30;
  int status = Z_OK;
  std::size_t given = 0;
  std::string piece(kPiece, '\0');
  while (status == Z_OK) {
    if (stream.avail_in == 0 && given < bytes.size()) {
      const std::size_t next = std::min(kMostAtOnce, bytes.size() - given);
      stream.next_in = input_of(bytes.substr(given));
      stream.avail_in = uInt(next);
      given += next;
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = uInt(piece.size());
    status = turn(given == bytes.size());
    out.append(piece.data(), piece.size() - stream.avail_out);
  }
  return status;
}

}  // namespace

std::string deflate_bytes(std::string_view bytes) {
  z_stream stream{};
  // Z_FILTERED: small numbers with little to repeat, so that more is left to the Huffman code
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, 15, 9, Z_FILTERED) != Z_OK)
    throw std::runtime_error("no memory is left to compress the recording");
  std::string out;
  const int status =
      pump(stream, bytes, out, [&](bool last) { return deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH); });
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("no memory is left to compress the recording");
  return out;
}

std::string inflate_bytes(std::string_view bytes, std::size_t most) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::runtime_error("no memory is left to read the recording");
  std::string out;
  const int status = pump(stream, bytes, out, [&](bool) {
    return out.size() > most ? Z_BUF_ERROR : inflate(&stream, Z_NO_FLUSH);
  });
  inflateEnd(&stream);
  if (status != Z_STREAM_END || out.size() > most)
    throw std::runtime_error("the recording is damaged: a chunk cannot be decompressed");
  return out;
}

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (k + j < bytes.size() ? std::uint8_t(bytes[k + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      out += j <= bytes.size() - k ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

std::string encode_columns(std::span<const std::vector<double>> columns) {
  std::string out;
  for (const std::vector<double>& column : columns)
    for (int byte = 0; byte < 8; ++byte)
      for (double value : column) out += char(std::bit_cast<std::uint64_t>(value) >> (8 * byte) & 0xFF);
  return deflate_bytes(out);
}

}  // namespace catena::io
