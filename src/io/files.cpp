#include "io/files.h"

#include "catena/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace catena::io {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // one after the other

std::runtime_error cannot_write_because(const fs::path& file, std::string_view why) {
  return std::runtime_error(fmt::format(
      "cannot write '{}': {}; choose another path, or check space and permissions", file.string(), why));
}

/// Where a chain of links leads, whether something is there or not.
fs::path follow_links(const fs::path& file) {
  fs::path at = file;
  std::error_code error;
  for (int k = 0; k < kMostLinks; ++k) {
    if (!fs::is_symlink(fs::symlink_status(at, error))) return at;
    const fs::path next = fs::read_symlink(at, error);
    if (error) throw cannot_write_because(file, error.message());
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  throw cannot_write_because(file, "its links lead in a circle");
}

/// Brings the names of a folder to the disk. A file system that cannot do that is not asked twice.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)::fsync(descriptor);
  (void)::close(descriptor);
}

}  // namespace

std::runtime_error cannot_write(const fs::path& file) {
  return cannot_write_because(file, errno != 0 ? std::strerror(errno) : "the disk may be full");
}

void make_folder_of(const fs::path& file) {
  if (!file.has_parent_path()) return;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error)
    throw std::runtime_error(fmt::format("cannot make the folder '{}': {}; choose another path",
                                         file.parent_path().string(), error.message()));
}

OutputFile::OutputFile(const fs::path& file) : file_(file), target_(follow_links(file)) {
  make_folder_of(target_);
  std::error_code ignored;
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw cannot_write_because(file_, fs::is_directory(status) ? "it is a folder" : "it is no regular file");
  errno = 0;
  if (fs::exists(status) && ::access(target_.c_str(), W_OK) != 0) throw cannot_write(file_);
  partial_ = target_;
  partial_ += ".partial";
  lock();
  is_open_ = true;
  struct stat old {};
  if (::stat(target_.c_str(), &old) == 0) (void)::fchmod(descriptor_, old.st_mode & 07777);
  errno = 0;
  stream_.open(partial_, std::ios::binary | std::ios::in | std::ios::out);
  if (!stream_) give_up();
}

// A name may be moved away between opening and locking: then what is locked is somebody's finished file, and another is opened.
void OutputFile::lock() {
  while (true) {
    errno = 0;
    descriptor_ = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
    if (descriptor_ < 0) throw cannot_write(partial_);
    struct stat ours {
    }, named{};
    const bool is_file = ::fstat(descriptor_, &ours) == 0 && S_ISREG(ours.st_mode);
    const bool is_locked = is_file && ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
    if (!is_locked) {
      (void)::close(descriptor_);
      throw cannot_write_because(file_, is_file ? "another program, or another output, is writing it"
                                                : partial_.string() + " is no regular file");
    }
    if (::stat(partial_.c_str(), &named) == 0 && named.st_ino == ours.st_ino && named.st_dev == ours.st_dev) {
      errno = 0;
      if (::ftruncate(descriptor_, 0) == 0) return;
      (void)::close(descriptor_);
      throw cannot_write(file_);
    }
    (void)::close(descriptor_);
  }
}

OutputFile::~OutputFile() {
  discard();
}

void OutputFile::discard() {
  if (!is_open_) return;
  is_open_ = false;
  stream_.close();
  (void)::unlink(partial_.c_str());
  (void)::close(descriptor_);
}

void OutputFile::give_up() {
  const std::runtime_error error = cannot_write(file_);
  discard();
  throw error;
}

void OutputFile::keep_up() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_flush_) return;
  stream_.flush();
  next_flush_ = now + std::chrono::milliseconds(200);
}

void OutputFile::require_good() {
  if (!is_open_ || !stream_) give_up();
}

void OutputFile::commit() {
  errno = 0;
  require_good();
  stream_.close();
  if (!stream_ || ::fsync(descriptor_) != 0 || std::rename(partial_.c_str(), target_.c_str()) != 0) give_up();
  is_open_ = false;
  (void)::close(descriptor_);
  sync_folder(target_.parent_path());
}

std::string read_file(const fs::path& file, std::uintmax_t limit, std::string_view magic) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe does not wait
  if (descriptor < 0) throw std::runtime_error(fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat status {};
  const bool is_file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  (void)::close(descriptor);
  if (!is_file) throw std::runtime_error("is no regular file");
  if (std::uintmax_t(status.st_size) > limit)
    throw std::runtime_error(
        fmt::format("has {} bytes, more than the {} that are read", status.st_size, limit));
  std::ifstream stream(file, std::ios::binary);
  std::string bytes(magic.size(), '\0');
  stream.read(bytes.data(), std::streamsize(bytes.size()));
  bytes.resize(std::size_t(stream.gcount()));
  if (bytes != magic.substr(0, bytes.size())) return bytes;  // something else: no need to see the rest
  std::string part(std::size_t(1) << 16, '\0');
  while (stream && bytes.size() <= limit) {
    stream.read(part.data(), std::streamsize(part.size()));
    bytes.append(part, 0, std::size_t(stream.gcount()));
  }
  return bytes;
}

}  // namespace catena::io

namespace catena {

void write_text(const std::filesystem::path& file, const std::string& text) {
  io::OutputFile out(file);
  errno = 0;
  out.stream().write(text.data(), std::streamsize(text.size()));
  out.commit();
}

void adopt_file(const std::filesystem::path& made, const std::filesystem::path& file) {
  require_writable(file);
  const std::filesystem::path target = io::follow_links(file);
  errno = 0;
  const int descriptor = ::open(made.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_on_disk = descriptor >= 0 && ::fsync(descriptor) == 0;
  if (descriptor >= 0) (void)::close(descriptor);
  if (!is_on_disk || std::rename(made.c_str(), target.c_str()) != 0) {
    const std::runtime_error error = io::cannot_write(file);
    (void)::unlink(made.c_str());
    throw error;
  }
  io::sync_folder(target.parent_path());
}

void require_writable(const std::filesystem::path& file) {
  const io::OutputFile trial(file);
}

}  // namespace catena
