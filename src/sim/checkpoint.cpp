// Checkpoints: the state in a small binary file, written atomically, refused when anything about it is wrong.
//
//   magic (8 bytes) | version u32 | coordinates u32 | sizes u32 of q, v, memory, lengths and numbers of the history, and of the ledger |
//   number of features u32 | fingerprint of the model u64 | time, substep, start energy | steps u64 | the arrays in the order of their sizes |
//   features: key u64, count u32, numbers | FNV-1a checksum of all before u64                               (native byte order)
#include "sim/impl.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

namespace catena {
namespace {

constexpr char kMagic[8] = {'C', 'A', 'T', 'E', 'N', 'A', 'C', 'P'};
constexpr std::uint32_t kVersion = 4;

std::uint64_t fnv(const char* data, std::size_t size, std::uint64_t hash = 0xcbf29ce484222325ULL) {
  for (std::size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<unsigned char>(data[i])) * 0x100000001b3ULL;
  return hash;
}

template <class T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& out, std::span<const double> numbers) {
  out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

/// The arrays of a state in the order of the file.
template <class S>
auto arrays_of(S& s) {
  const auto all = [](auto& v) { return std::span(v.data(), std::size_t(v.size())); };
  return std::array{all(s.q),
                    all(s.v),
                    all(s.memory),
                    all(s.history.lengths),
                    all(s.history.numbers),
                    all(s.ledger.values)};
}

[[noreturn]] void fail(const std::filesystem::path& file, std::string what, std::string remedy) {
  throw InvalidInput({{file.string(), std::move(what), std::move(remedy)}});
}

/// Reads in order; never past the end.
struct Reader {
  const std::filesystem::path& file;
  const std::string& bytes;
  std::size_t at = 0;

  template <class T>
  T get() {
    T value;
    need(sizeof value);
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }
  void get(std::span<double> numbers) {
    need(numbers.size_bytes());
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data() + at, numbers.size_bytes());
    at += numbers.size_bytes();
  }
  /// Before room is made for them.
  void need_numbers(std::size_t count) const { need(count * sizeof(double)); }
  void need(std::size_t n) const {
    if (bytes.size() - at < n) fail(file, "is truncated", "write the checkpoint again");
  }
};

}  // namespace

std::uint64_t fingerprint(const Model& model) {
  std::string text;
  for (const BodyEntry& e : model.bodies())
    text += fmt::format("b {} {} {} {:a}\n", e.name, e.body->kind(), e.body->num_v(), e.body->mass());
  for (const ConstraintEntry& e : model.constraints())
    text += fmt::format("c {} {} {}\n", e.name, e.constraint->kind(), e.constraint->num_rows(e.planar));
  for (const ForceEntry& e : model.forces()) text += fmt::format("f {} {}\n", e.name, e.force->kind());
  return fnv(text.data(), text.size());
}

void write_checkpoint(const std::filesystem::path& file, const Model& model, const State& s,
                      double start_energy) {
  std::string out(kMagic, sizeof kMagic);
  put(out, kVersion);
  put(out, std::uint32_t(s.coordinates));
  const auto arrays = arrays_of(s);
  for (const auto& array : arrays) put(out, std::uint32_t(array.size()));
  put(out, std::uint32_t(s.features.size()));
  put(out, fingerprint(model));
  for (double x : {s.time, s.substep, start_energy}) put(out, x);
  put(out, s.steps);
  for (const auto& array : arrays) put(out, array);
  for (std::size_t i = 0; i < s.features.size(); ++i) {
    put(out, s.features.keys()[i]);
    put(out, std::uint32_t(s.features.numbers_at(i).size()));
    put(out, s.features.numbers_at(i));
  }
  put(out, fnv(out.data(), out.size()));

  // a crash while writing must not cost the previous checkpoint
  const std::filesystem::path temporary = file.string() + fmt::format(".{}.tmp", ::getpid());
  {
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    stream.write(out.data(), std::streamsize(out.size()));
    stream.flush();
    if (!stream) {
      std::error_code ignored;
      std::filesystem::remove(temporary, ignored);
      fail(file, "cannot be written", "check that the folder exists and has space");
    }
  }
  std::error_code error;
  std::filesystem::rename(temporary, file, error);
  if (error) fail(file, "cannot be written: " + error.message(), "check the folder");
}

void read_checkpoint(const std::filesystem::path& file, const Model& model, State& state,
                     double& start_energy) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail(file, "cannot be opened", "check the path");
  const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  Reader in{file, bytes};
  in.need(sizeof kMagic);
  if (std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    fail(file, "is not a Catena checkpoint", "check the path");
  in.at = sizeof kMagic;
  const auto version = in.get<std::uint32_t>();
  if (version != kVersion)
    fail(file, fmt::format("has version {}, this build reads version {}", version, kVersion),
         "write it again");
  if (bytes.size() < in.at + sizeof(std::uint64_t)) fail(file, "is truncated", "write the checkpoint again");
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, bytes.data() + bytes.size() - sizeof checksum, sizeof checksum);
  if (checksum != fnv(bytes.data(), bytes.size() - sizeof checksum))
    fail(file, "is truncated or damaged (its checksum does not fit)", "write the checkpoint again");
  State s;
  s.coordinates = Coordinates(in.get<std::uint32_t>());
  std::array<std::uint32_t, 6> sizes{};
  for (std::uint32_t& n : sizes) n = in.get<std::uint32_t>();
  const auto num_features = in.get<std::uint32_t>();
  if (in.get<std::uint64_t>() != fingerprint(model) || s.coordinates != state.coordinates ||
      sizes[0] != state.q.size() || sizes[1] != state.v.size() || sizes[2] != state.memory.size() ||
      sizes[3] != state.history.lengths.size() || sizes[5] != kAccounts.size())
    fail(file, "belongs to another model", "load it with the scene and parameters it was saved from");
  s.time = in.get<double>();
  s.substep = in.get<double>();
  start_energy = in.get<double>();
  s.steps = in.get<std::uint64_t>();
  in.need_numbers(sizes[4]);
  s.q.resize(sizes[0]);
  s.v.resize(sizes[1]);
  s.memory.resize(sizes[2]);
  s.history.lengths.resize(sizes[3]);
  s.history.numbers.resize(sizes[4]);
  for (const std::span<double> array : arrays_of(s)) in.get(array);
  for (std::uint32_t i = 0; i < num_features; ++i) {
    const auto key = in.get<std::uint64_t>();
    const auto count = in.get<std::uint32_t>();
    in.need_numbers(count);
    in.get(s.features.put(key, count));
  }
  if (in.at + sizeof checksum != bytes.size())
    fail(file, "has an unexpected length", "write the checkpoint again");
  state = std::move(s);
}

}  // namespace catena
