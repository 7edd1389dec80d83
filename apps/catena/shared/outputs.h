// The files a command is about to write: none of them may be one that it reads, and no two the same. Found before the work begins.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace catena::app {

class Outputs {
 public:
  /// A file that is read: the scene and what it includes, a checkpoint.
  void reads(const std::filesystem::path& file) { inputs_.push_back(file); }
  /// A file that will be written because of this option; an empty name is none.
  void writes(const std::string& option, const std::filesystem::path& file);
  /// Throws InvalidInput that names the options, or std::runtime_error for a path that cannot be written. Makes the folders on the way.
  void check() const;

 private:
  struct Output {
    std::string option;
    std::filesystem::path file;
  };
  std::vector<std::filesystem::path> inputs_;
  std::vector<Output> outputs_;
};

}  // namespace catena::app
