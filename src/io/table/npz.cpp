// Trajectories as NPZ: a ZIP archive (zip_store.h) of arrays in NumPy's NPY format 1.0.
//
// An NPY file is the magic "\x93NUMPY", the version 1.0, the length of the rest of the header (16 bits, little
// endian), a Python dictionary as text that is padded with spaces and ended by a line feed to a multiple of 64
// bytes, and then the numbers, here little-endian float64 in C order.
// Source: NumPy, numpy.lib.format, "Format Version 1.0".
//
// Rows arrive whole, arrays leave whole: rows are collected in chunks of about 1 MiB, which are never moved, and an
// array is gathered from them when the file is closed.
#include "catena/output.h"
#include "io/files.h"
#include "io/table/trajectory.h"
#include "io/table/zip_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace catena {
namespace {

constexpr std::size_t kChunk = std::size_t(1) << 17;  // numbers
constexpr std::size_t kHeaderAlignment = 64;          // as NumPy writes it
constexpr std::uint64_t kMaxHeader =
    2 * kHeaderAlignment;  // the longest shape, two 20-digit numbers, needs 121

std::string npy_header(std::uint64_t rows, std::size_t columns, bool flat) {
  std::string text = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},{}), }}", rows,
                                 flat ? "" : fmt::format(" {}", columns));
  const std::size_t before = 10;  // magic, version, length
  const std::size_t end = before + text.size() + 1;
  text.append((kHeaderAlignment - end % kHeaderAlignment) % kHeaderAlignment, ' ');
  text += '\n';
  std::string out = "\x93NUMPY";
  out += {'\x01', '\x00', char(text.size() & 0xFF), char(text.size() >> 8)};
  return out + text;
}

void put_double(std::string& out, double value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  if constexpr (std::endian::native == std::endian::big) std::reverse(bytes, bytes + sizeof value);
  out.append(bytes, sizeof value);
}

}  // namespace

NpzWriter::NpzWriter(const std::filesystem::path& file, const Simulation& sim, std::vector<Probe> probes,
                     TrajectoryOptions options)
    : file_(file), probes_(std::move(probes)), options_(options) {
  add_array("time", 1, true);
  for (const char* part : {"kinetic", "gravity", "springs", "total", "numerical"})
    add_array(fmt::format("energy/{}", part), 1, true);
  add_array("constraint_error", 1, true);
  for (const Probe& probe : probes_) add_array("probes/" + probe.name, std::size_t(probe.size));
  if (options_.bodies)
    for (const BodyEntry& entry : sim.model().bodies()) {
      add_array("bodies/" + entry.name + "/position", 3);
      if (!entry.body->has_orientation()) continue;
      if (entry.body->is_planar())
        add_array("bodies/" + entry.name + "/angle", 1, true);
      else
        add_array("bodies/" + entry.name + "/quaternion", 4);
    }
  if (arrays_.size() > io::ZipStore::kMaxMembers)
    throw std::runtime_error(
        fmt::format("'{}': {} arrays, an NPZ file has at most {}; leave the bodies out, or write CSV",
                    file_.string(), arrays_.size(), io::ZipStore::kMaxMembers));
  overhead_ += io::ZipStore::kPerArchive;
  rows_per_chunk_ = std::max<std::size_t>(1, kChunk / row_size_);
  out_ = std::make_unique<io::OutputFile>(file_);
}

NpzWriter::~NpzWriter() {
  try {
    close();
  } catch (const std::exception&) {  // destructors do not throw; who wants to know calls close()
  }
}

void NpzWriter::add_array(std::string name, std::size_t columns, bool flat) {
  const std::string member = name + ".npy";
  if (member.size() > io::ZipStore::kMaxName)
    throw std::runtime_error(fmt::format("'{}': the name '{}...' is too long for an array; shorten it",
                                         file_.string(), name.substr(0, 40)));
  const auto same = [&](const Array& other) { return other.name == member; };
  if (name.starts_with("probes/") && std::any_of(arrays_.begin(), arrays_.end(), same))
    throw std::runtime_error(
        fmt::format("'{}': two arrays are called '{}'; rename one of the probes", file_.string(), name));
  overhead_ += io::ZipStore::kPerMember + 2 * member.size() + kMaxHeader;
  row_size_ += columns;
  arrays_.push_back({member, columns, flat});
}

void NpzWriter::record(const Simulation& sim) {
  const std::uint64_t bytes = (rows_ + 1) * row_size_ * sizeof(double) + overhead_;
  if (bytes > io::ZipStore::kMaxBytes)
    throw std::runtime_error(
        fmt::format("'{}': row {} of {} numbers does not fit into the 4 GiB of an NPZ file; record fewer "
                    "rows or bodies, or "
                    "write CSV",
                    file_.string(), rows_ + 1, row_size_));
  if (rows_ % rows_per_chunk_ == 0) {
    chunks_.emplace_back();
    chunks_.back().reserve(rows_per_chunk_ * row_size_);
  }
  std::vector<double>& row = chunks_.back();
  const std::size_t begin = row.size();
  const Energy energy = sim.energy();
  row.insert(row.end(), {sim.time(), energy.kinetic, energy.gravity, energy.springs, energy.total(),
                         sim.numerical_energy(), sim.constraint_error()});
  for (const Probe& probe : probes_) {
    row.resize(row.size() + std::size_t(probe.size), 0.0);
    probe.read(sim, row.data() + row.size() - std::size_t(probe.size));
  }
  if (options_.bodies)
    for (const BodyEntry& entry : sim.model().bodies()) {
      const Placement at = sim.placement(entry.id);
      row.insert(row.end(), at.position.data(), at.position.data() + 3);
      if (!entry.body->has_orientation()) continue;
      const Quat& turn = at.orientation;
      if (entry.body->is_planar())
        row.push_back(io::planar_angle(turn));
      else
        row.insert(row.end(), {turn.w(), turn.x(), turn.y(), turn.z()});
    }
  if (row.size() - begin != row_size_) {
    row.resize(begin);
    throw std::runtime_error(fmt::format(
        "'{}': the structure of the model has changed since the file was opened; open another one",
        file_.string()));
  }
  ++rows_;
}

std::string NpzWriter::array_bytes(const Array& array, std::size_t first_column) const {
  std::string out = npy_header(rows_, array.columns, array.flat);
  out.reserve(out.size() + rows_ * array.columns * sizeof(double));
  for (const std::vector<double>& chunk : chunks_)
    for (std::size_t at = first_column; at < chunk.size(); at += row_size_)
      for (std::size_t c = 0; c < array.columns; ++c) put_double(out, chunk[at + c]);
  return out;
}

void NpzWriter::close() {
  const auto out = std::move(out_);
  if (!out) return;
  errno = 0;
  io::ZipStore archive(out->stream());
  std::size_t column = 0;
  for (const Array& array : arrays_) {
    archive.add(array.name, array_bytes(array, column));
    column += array.columns;
  }
  archive.finish();
  chunks_.clear();
  out->commit();
}

}  // namespace catena
