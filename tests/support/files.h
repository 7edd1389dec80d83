// Files that a test wrote, read back.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace catena::test {

/// All bytes of a file; nothing when it cannot be read.
inline std::string read_all(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream out;
  out << stream.rdbuf();
  return out.str();
}

}  // namespace catena::test
