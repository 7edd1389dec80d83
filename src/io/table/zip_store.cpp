// A ZIP archive of stored members: local headers with contents, directory, end record.
#include "io/table/zip_store.h"

#include <zlib.h>

#include <cassert>
#include <ostream>

namespace catena::io {
namespace {

constexpr std::uint16_t kVersionNeeded = 20;                     // 2.0
constexpr std::uint16_t kMadeBy = 3 << 8 | kVersionNeeded;       // Unix: the attributes below are meant
constexpr std::uint16_t kUtf8 = 1 << 11, kStored = 0;            // flag, method
constexpr std::uint16_t kTime = 0, kDate = 0 << 9 | 1 << 5 | 1;  // 00:00 on 1980-01-01
constexpr std::uint32_t kAttributes = 0100644u << 16;            // a regular file, rw-r--r--

void put16(std::string& out, std::uint16_t value) {
  out += char(value & 0xFF);
  out += char(value >> 8);
}

void put32(std::string& out, std::uint32_t value) {
  put16(out, std::uint16_t(value & 0xFFFF));
  put16(out, std::uint16_t(value >> 16));
}

/// From "version needed" to "length of the extra field": the same in local headers and in the directory.
void put_member(std::string& out, std::uint32_t crc, std::uint32_t size, std::size_t name_size) {
  put16(out, kVersionNeeded);
  put16(out, kUtf8);
  put16(out, kStored);
  put16(out, kTime);
  put16(out, kDate);
  put32(out, crc);
  put32(out, size);  // compressed
  put32(out, size);
  put16(out, std::uint16_t(name_size));
  put16(out, 0);  // extra field
}

}  // namespace

void ZipStore::add(const std::string& name, std::string_view content) {
  assert(name.size() <= kMaxName && members_ < kMaxMembers);
  assert(position_ + kPerMember + 2 * name.size() + content.size() <= kMaxBytes);
  const auto crc =
      std::uint32_t(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), z_size_t(content.size())));
  const auto size = std::uint32_t(content.size());
  std::string header;
  put32(header, 0x04034b50);
  put_member(header, crc, size, name.size());
  header += name;

  put32(directory_, 0x02014b50);
  put16(directory_, kMadeBy);
  put_member(directory_, crc, size, name.size());
  put16(directory_, 0);  // comment
  put16(directory_, 0);  // disk
  put16(directory_, 0);  // internal attributes: not known to be text
  put32(directory_, kAttributes);
  put32(directory_, std::uint32_t(position_));
  directory_ += name;

  stream_.write(header.data(), std::streamsize(header.size()));
  stream_.write(content.data(), std::streamsize(content.size()));
  position_ += header.size() + content.size();
  ++members_;
}

void ZipStore::finish() {
  std::string end;
  put32(end, 0x06054b50);
  put16(end, 0);  // this disk
  put16(end, 0);  // disk of the directory
  put16(end, std::uint16_t(members_));
  put16(end, std::uint16_t(members_));
  put32(end, std::uint32_t(directory_.size()));
  put32(end, std::uint32_t(position_));
  put16(end, 0);  // comment
  directory_ += end;
  stream_.write(directory_.data(), std::streamsize(directory_.size()));
}

}  // namespace catena::io
