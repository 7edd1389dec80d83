// Part of the campaign: random mechanisms by their seed, each held against all oracles.
#include "campaign/part.h"

#include <unistd.h>

int main(int argc, char** argv) {
  using namespace catena::test;
  const auto file =
      std::filesystem::temp_directory_path() / ("campaign-" + std::to_string(getpid()) + ".state");
  const int status = run_part(argc, argv, "mechanisms", [&](std::uint64_t seed) {
    // every other one is saved and restored, the rest are cloned
    return judge(random_mechanism(seed),
                 {.steps = 10, .checkpoint = seed % 2 == 0 ? file : std::filesystem::path{}});
  });
  std::filesystem::remove(file);
  return status;
}
