// Files that are written, whatever is in them: beside their name first, and under it when they are complete.
//
// A file grows as NAME.partial in the same folder, is brought to the disk and then takes its name in one move, so that a crash, a kill or a
// full disk costs neither the file that was there nor leaves half of one. What a kill leaves is NAME.partial: the next run that writes
// NAME begins it anew, and rows of a CSV file can be read from it to the last whole line. Two writers of one name cannot meet: the second
// is refused while the first has its lock. Links are followed. What is no regular file (a device, a pipe, a folder) is refused.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace catena::io {

/// Throws std::runtime_error that names the folder.
void make_folder_of(const std::filesystem::path& file);

/// The error for a file that could not be written; takes the reason from errno, so set it to 0 before writing.
std::runtime_error cannot_write(const std::filesystem::path& file);

class OutputFile {
 public:
  /// Makes folders on the way. Throws std::runtime_error that names the file.
  explicit OutputFile(const std::filesystem::path& file);
  /// Without commit(): nothing has happened.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// Between lines of a file that grows slowly: brings them to NAME.partial, at most five times a second. A kill takes what came later.
  void keep_up();
  /// Throws std::runtime_error when something could not be written (a full disk). What is there then is removed: the disk is full.
  void require_good();
  /// To the disk, and under its name. Throws std::runtime_error.
  void commit();

 private:
  void lock();
  void discard();
  [[noreturn]] void give_up();

  std::filesystem::path file_;              // as it was named
  std::filesystem::path target_, partial_;  // where links lead; beside it
  int descriptor_ = -1;
  std::chrono::steady_clock::time_point next_flush_;
  bool is_open_ = false;
  std::ofstream stream_;
};

/// The whole of a regular file of at most `limit` bytes that begins with `magic`. Throws std::runtime_error with what is wrong.
std::string read_file(const std::filesystem::path& file, std::uintmax_t limit, std::string_view magic);

}  // namespace catena::io
