// The targets under libFuzzer (preset `fuzz`, tests/campaign/fuzz.py runs it). Options of its own stand before those of libFuzzer:
//
//   fuzz_targets --target=scene --seeds=DIR              writes the seeds of the target there, and ends
//   fuzz_targets --target=scene --counts=FILE DIR ...    fuzzes; when it ends, counts of the answers are in FILE as JSON
#include "fuzz/mutate.h"
#include "fuzz/target.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace catena::fuzz {
namespace {

const Target* target = nullptr;
std::optional<Mutator> mutator;
std::string counts_file;
std::array<std::uint64_t, 3> answers{};  // by Answer

void write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : target->seeds())
    std::ofstream(folder / fmt::format("seed-{:02}", ++number), std::ios::binary) << seed;
}

void write_counts() {
  if (!counts_file.empty())
    std::ofstream(counts_file) << fmt::format(R"({{"ok": {}, "refused": {}, "interrupted": {}}})", answers[0],
                                              answers[1], answers[2]);
}

/// The value of an option "--name=", or nothing.
std::optional<std::string> option(int argc, char** argv, std::string_view name) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).starts_with(name)) return argv[i] + name.size();
  return std::nullopt;
}

void begin(int argc, char** argv) {
  target = &target_named(option(argc, argv, "--target=").value_or(""));
  if (const auto folder = option(argc, argv, "--seeds=")) {
    write_seeds(*folder);
    std::exit(0);
  }
  counts_file = option(argc, argv, "--counts=").value_or("");
  mutator.emplace(unsigned(std::atoi(option(argc, argv, "-seed=").value_or("1").c_str())), target->seeds(),
                  target->words());
  std::atexit(write_counts);
}

}  // namespace
}  // namespace catena::fuzz

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  catena::fuzz::begin(*argc, *argv);
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace catena::fuzz;
  try {
    ++answers[std::size_t(target->run({reinterpret_cast<const char*>(data), size}))];
  } catch (const BrokenPromise& broken) {
    fmt::print(stderr, "broken promise: {}\n", broken.what());
    write_counts();
    std::abort();
  }
  return 0;
}

/// Half of the mutations know the words of the format.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string text =
      catena::fuzz::mutator->changed(std::string(reinterpret_cast<const char*>(data), size), most);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}
}
