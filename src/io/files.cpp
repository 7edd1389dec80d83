// Files that are written: folders on the way, and errors that name the file.
#include "io/files.h"

#include "catena/output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace catena::io {

std::runtime_error cannot_write(const std::filesystem::path& file) {
  const std::string why = errno != 0 ? std::strerror(errno) : "the disk may be full";
  return std::runtime_error(fmt::format(
      "cannot write '{}': {}; choose another path, or check space and permissions", file.string(), why));
}

void make_folder_of(const std::filesystem::path& file) {
  if (!file.has_parent_path()) return;
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error)
    throw std::runtime_error(fmt::format("cannot make the folder '{}': {}; choose another path",
                                         file.parent_path().string(), error.message()));
}

}  // namespace catena::io

namespace catena {

void write_text(const std::filesystem::path& file, const std::string& text) {
  io::make_folder_of(file);
  errno = 0;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream) throw io::cannot_write(file);
}

}  // namespace catena
