// FNV-1a: a hash of bits, the same everywhere. For fingerprints and checksums, not against forgery.
// Source: Fowler, Noll, Vo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace catena::math {

struct Fnv {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  void add(const void* data, std::size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) value = (value ^ p[i]) * 0x100000001b3ULL;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void add(const T& number) { add(&number, sizeof number); }
};

}  // namespace catena::math
