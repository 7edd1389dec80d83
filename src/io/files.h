// Files that are written: folders on the way, and errors that name the file.
#pragma once

#include <filesystem>
#include <stdexcept>

namespace catena::io {

/// Throws std::runtime_error that names the folder.
void make_folder_of(const std::filesystem::path& file);

/// The error for a file that could not be written; takes the reason from errno, so set it to 0 before writing.
std::runtime_error cannot_write(const std::filesystem::path& file);

}  // namespace catena::io
