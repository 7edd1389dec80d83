// Checkpoints as files; sim/checkpoint.h says what is in them.
#include "sim/checkpoint.h"

#include "catena/output.h"
#include "io/files.h"

namespace catena {
namespace {

constexpr std::uintmax_t kLargestCheckpoint = std::uintmax_t(4) << 30;  // bytes: some ten million bodies

}  // namespace

void Simulation::save(const std::filesystem::path& file) const {
  const std::string bytes = encode_checkpoint(make_checkpoint(*this));
  try {
    write_text(file, bytes);
  } catch (const std::runtime_error& error) {
    throw InvalidInput({{file.string(), error.what(), "save to a file in a folder with space"}});
  }
}

void Simulation::load(const std::filesystem::path& file) {
  std::string bytes;
  try {
    bytes = io::read_file(file, kLargestCheckpoint, kCheckpointMagic);
  } catch (const std::runtime_error& error) {
    throw InvalidInput({{file.string(), error.what(), "give the path of a checkpoint"}});
  }
  restore_checkpoint(*this, decode_checkpoint(bytes, file.string()), file.string());
}

}  // namespace catena
