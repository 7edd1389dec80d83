// A ZIP archive of stored (not compressed) members, written from front to back.
//
// Written by hand rather than with a library for archives: without compression the format is three fixed records
// of 30, 46 and 22 bytes, numpy.savez uses nothing else, and every program that links Catena would inherit one more
// library for them. What is easy to get wrong, CRC-32, comes from zlib. Members have the date 1980-01-01, so that
// equal contents give equal files.
//
// Source: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3.7 (local header), 4.3.12 (central directory), 4.3.16 (end).
// Without the 64-bit extension: see the limits below.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace catena::io {

class ZipStore {
 public:
  static constexpr std::uint64_t kMaxBytes = 0xFFFFFFFE;  // of the archive: offsets have 32 bits
  static constexpr std::size_t kMaxMembers = 0xFFFE;      // their number has 16 bits
  static constexpr std::size_t kMaxName = 0xFFFF;         // bytes
  /// Bytes of the archive beside names (each twice) and contents.
  static constexpr std::uint64_t kPerMember = 30 + 46, kPerArchive = 22;

  explicit ZipStore(std::ostream& stream) : stream_(stream) {}

  /// @pre the limits above are kept. Names are UTF-8.
  void add(const std::string& name, std::string_view content);
  /// Writes the directory; nothing may be added afterwards.
  void finish();

 private:
  std::ostream& stream_;
  std::uint64_t position_ = 0;
  std::string directory_;
  std::size_t members_ = 0;
};

}  // namespace catena::io
