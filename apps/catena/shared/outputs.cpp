#include "shared/outputs.h"

#include "command.h"

#include <fmt/format.h>

namespace catena::app {
namespace {

/// Through links, whether the files are there or not.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error) && !error) return true;
  const auto place = [](const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(file, ignored), ignored);
  };
  return place(a) == place(b);
}

}  // namespace

void Outputs::writes(const std::string& option, const std::filesystem::path& file) {
  if (!file.empty()) outputs_.push_back({option, file});
}

void Outputs::check() const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const auto& [option, file] = outputs_[i];
    for (const std::filesystem::path& input : inputs_)
      if (is_same_file(file, input))
        reject("option " + option, fmt::format("'{}' is a file that is read", file.string()),
               "write to another one");
    for (std::size_t k = 0; k < i; ++k)
      if (is_same_file(file, outputs_[k].file))
        reject(fmt::format("options {} and {}", outputs_[k].option, option),
               fmt::format("both write '{}'", file.string()), "give each a file of its own");
  }
  for (const Output& output : outputs_) require_writable(output.file);
}

}  // namespace catena::app
