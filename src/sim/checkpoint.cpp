// The bytes of a checkpoint, refused when anything about them is wrong.
//
//   magic (8 bytes) | version u32 | present, removed: count u32, then kind u8, name, fingerprint u64, what it says of itself each | known events: count u32, names |
//   formulation u8, solver u8, integrator u8, five flags u8, reasons | start energy | the state | where the solver was analysed: time, q, v, memory |
//   FNV-1a checksum of all before u64                                                                        (native byte order)
//
//   a text or an array: length u32, content.   The state: coordinates u8 | time, its rest, substep | steps u64 | q, v, memory, lengths
//   and numbers of the history, multipliers, ledger | features: count u32, then key u64 and numbers each
#include "sim/checkpoint.h"

#include "math/fnv.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>

namespace catena {
namespace {

constexpr std::uint32_t kVersion = 7;

[[noreturn]] void fail(const std::string& where, std::string what, std::string remedy) {
  throw InvalidInput({{where, std::move(what), std::move(remedy)}});
}

std::uint64_t checksum_of(const char* data, std::size_t size) {
  math::Fnv hash;
  hash.add(data, size);
  return hash.value;
}

struct Writer {
  std::string out{};

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put_text(const std::string& text) {
    put(std::uint32_t(text.size()));
    out += text;
  }
  void put_numbers(std::span<const double> numbers) {
    put(std::uint32_t(numbers.size()));
    out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
  }
  void put_numbers(const VecX& v) { put_numbers(std::span(v.data(), std::size_t(v.size()))); }
  void put_marks(const std::vector<Mark>& marks) {
    put(std::uint32_t(marks.size()));
    for (const Mark& mark : marks) {
      put(mark.kind);
      put_text(mark.name);
      put(mark.print);
      put(std::uint32_t(mark.said.size()));
      for (const Said& said : mark.said) put(said.value);
    }
  }
  void put_state(const State& s) {
    put(s.coordinates);
    for (const double x : {s.time, s.time_rest, s.substep}) put(x);
    put(s.steps);
    for (const VecX* part : {&s.q, &s.v, &s.memory, &s.history.lengths, &s.history.numbers, &s.multipliers})
      put_numbers(*part);
    put_numbers(std::span(s.ledger.values));
    put(std::uint32_t(s.features.size()));
    for (std::size_t i = 0; i < s.features.size(); ++i) {
      put(s.features.keys()[i]);
      put_numbers(s.features.numbers_at(i));
    }
  }
};

/// Reads in order; never past the end, and makes no room before it has seen what goes there.
struct Reader {
  const std::string& where;
  std::string_view bytes;
  std::size_t at = 0;

  void need(std::size_t n) const {
    if (bytes.size() - at < n) fail(where, "is truncated", "write the checkpoint again");
  }
  template <class T>
  T get() {
    T value;
    need(sizeof value);
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }
  bool get_flag() { return get<std::uint8_t>() != 0; }
  double get_number() {
    const auto x = get<double>();
    if (!std::isfinite(x)) fail(where, "holds a number that is not finite", "write the checkpoint again");
    return x;
  }
  /// One of the first `count` values of an enumeration.
  template <class E>
  E get_choice(std::size_t count) {
    const auto value = get<std::uint8_t>();
    if (value >= count) fail(where, "names a method that does not exist", "write the checkpoint again");
    return E(value);
  }
  std::string get_text() {
    const auto size = get<std::uint32_t>();
    need(size);
    at += size;
    return std::string(bytes.substr(at - size, size));
  }
  void get_numbers(std::span<double> numbers) {
    for (double& x : numbers) x = get_number();
  }
  VecX get_vector() {
    const auto size = get<std::uint32_t>();
    need(std::size_t(size) * sizeof(double));
    VecX numbers(size);
    get_numbers(std::span(numbers.data(), size));
    return numbers;
  }
  std::vector<Mark> get_marks() {
    std::vector<Mark> marks;
    for (auto left = get<std::uint32_t>(); left > 0; --left) {
      const auto kind = get_choice<Mark::Kind>(std::size_t(Mark::Kind::inequality) + 1);
      std::string name = get_text();
      marks.push_back({kind, std::move(name), get<std::uint64_t>()});
      const auto count = get<std::uint32_t>();
      need(std::size_t(count) * sizeof(double));
      for (std::uint32_t k = 0; k < count; ++k) marks.back().said.push_back({{}, get<double>()});
    }
    return marks;
  }
  State get_state() {
    State s;
    s.coordinates = get_choice<Coordinates>(2);
    s.time = get_number();
    s.time_rest = get_number();
    s.substep = get_number();
    s.steps = get<std::uint64_t>();
    for (VecX* part : {&s.q, &s.v, &s.memory, &s.history.lengths, &s.history.numbers, &s.multipliers})
      *part = get_vector();
    if (get<std::uint32_t>() != s.ledger.values.size())
      fail(where, "has other accounts of energy than this build", "write the checkpoint again");
    get_numbers(s.ledger.values);
    for (auto left = get<std::uint32_t>(); left > 0; --left) {
      const auto key = get<std::uint64_t>();
      const auto count = get<std::uint32_t>();
      need(std::size_t(count) * sizeof(double));
      get_numbers(s.features.put(key, count));
    }
    return s;
  }
};

/// Magic, version and checksum; what lies between them.
Reader open_checkpoint(const std::string& bytes, const std::string& where) {
  std::uint64_t checksum = 0;
  if (!bytes.starts_with(kCheckpointMagic.substr(0, bytes.size())))
    fail(where, "is not a Catena checkpoint", "check the path");
  if (bytes.size() < kCheckpointMagic.size() + sizeof kVersion + sizeof checksum)
    fail(where, "is truncated", "write the checkpoint again");
  Reader in{where, std::string_view(bytes).substr(0, bytes.size() - sizeof checksum),
            kCheckpointMagic.size()};
  const auto version = in.get<std::uint32_t>();
  if (version != kVersion)
    fail(where, fmt::format("has version {}, this build reads version {}", version, kVersion),
         "write it again");
  std::memcpy(&checksum, bytes.data() + in.bytes.size(), sizeof checksum);
  if (checksum != checksum_of(bytes.data(), in.bytes.size()))
    fail(where, "is truncated or damaged (its checksum does not fit)", "write the checkpoint again");
  return in;
}

}  // namespace

std::string encode_checkpoint(const Checkpoint& c) {
  Writer to{std::string(kCheckpointMagic)};
  to.put(kVersion);
  to.put_marks(c.present);
  to.put_marks(c.removed);
  to.put(std::uint32_t(c.known_events.size()));
  for (const std::string& name : c.known_events) to.put_text(name);
  to.put(c.choice.formulation);
  to.put(c.choice.solver);
  to.put(c.choice.integrator);
  for (const bool flag : {c.choice.integrator_is_provisional, c.formulation_is_automatic,
                          c.solver_is_automatic, c.integrator_is_automatic, c.start_is_checked})
    to.put(std::uint8_t(flag));
  to.put_text(c.choice.formulation_reason);
  to.put_text(c.choice.solver_reason);
  to.put_text(c.choice.integrator_reason);
  to.put(c.start_energy);
  to.put_state(c.state);
  to.put(c.analysed_at.time);
  for (const VecX* part : {&c.analysed_at.q, &c.analysed_at.v, &c.analysed_at.memory}) to.put_numbers(*part);
  to.put(checksum_of(to.out.data(), to.out.size()));
  return std::move(to.out);
}

Checkpoint decode_checkpoint(const std::string& bytes, const std::string& where) {
  Reader in = open_checkpoint(bytes, where);
  Checkpoint c;
  c.present = in.get_marks();
  c.removed = in.get_marks();
  for (auto left = in.get<std::uint32_t>(); left > 0; --left) c.known_events.push_back(in.get_text());
  c.choice.formulation = in.get_choice<Formulation>(std::size_t(Formulation::middle) + 1);
  c.choice.solver = in.get_choice<Solver>(std::size_t(Solver::cg) + 1);
  c.choice.integrator = in.get_choice<Integrator>(kIntegrators.size());
  c.choice.integrator_is_provisional = in.get_flag();
  c.formulation_is_automatic = in.get_flag();
  c.solver_is_automatic = in.get_flag();
  c.integrator_is_automatic = in.get_flag();
  c.start_is_checked = in.get_flag();
  c.choice.formulation_reason = in.get_text();
  c.choice.solver_reason = in.get_text();
  c.choice.integrator_reason = in.get_text();
  c.start_energy = in.get_number();
  c.state = in.get_state();
  c.analysed_at.time = in.get_number();
  for (VecX* part : {&c.analysed_at.q, &c.analysed_at.v, &c.analysed_at.memory}) *part = in.get_vector();
  if (in.at != in.bytes.size()) fail(where, "has an unexpected length", "write the checkpoint again");
  return c;
}

}  // namespace catena
