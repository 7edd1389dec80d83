// NPZ files: read back by an independent reader of ZIP and NPY, number for number; header byte for byte.
#include "catena/joints.h"
#include "catena/output.h"
#include "support/files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <sstream>

namespace catena {
namespace {

std::filesystem::path npz_file(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("catena-npz-" + std::to_string(::getpid())) / name;
}

std::uint64_t little_endian(const std::string& bytes, std::size_t at, int size) {
  std::uint64_t value = 0;
  for (int i = 0; i < size; ++i)
    value |= std::uint64_t(static_cast<unsigned char>(bytes.at(at + std::size_t(i)))) << (8 * i);
  return value;
}

/// CRC-32 bit by bit, straight from its polynomial.
std::uint32_t slow_crc(const std::string& bytes) {
  std::uint32_t crc = ~0u;
  for (char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

/// Members of an archive of stored files, found through the directory at its end as readers do.
std::map<std::string, std::string> read_zip(const std::string& bytes) {
  std::map<std::string, std::string> members;
  const std::size_t end = bytes.size() - 22;
  EXPECT_EQ(little_endian(bytes, end, 4), 0x06054b50u);
  const auto count = little_endian(bytes, end + 10, 2);
  std::size_t entry = little_endian(bytes, end + 16, 4);
  EXPECT_EQ(entry + little_endian(bytes, end + 12, 4), end)
      << "the directory ends where the end record begins";
  for (std::uint64_t k = 0; k < count; ++k) {
    EXPECT_EQ(little_endian(bytes, entry, 4), 0x02014b50u);
    EXPECT_EQ(little_endian(bytes, entry + 10, 2), 0u) << "stored";
    const auto crc = little_endian(bytes, entry + 16, 4), size = little_endian(bytes, entry + 24, 4);
    const auto name_size = little_endian(bytes, entry + 28, 2), local = little_endian(bytes, entry + 42, 4);
    const std::string name = bytes.substr(entry + 46, name_size);
    EXPECT_EQ(little_endian(bytes, local, 4), 0x04034b50u);
    EXPECT_EQ(bytes.substr(local + 30, name_size), name);
    EXPECT_EQ(bytes.substr(local + 4, 26), bytes.substr(entry + 6, 26)) << "both headers say the same";
    const std::string content = bytes.substr(local + 30 + name_size, size);
    EXPECT_EQ(content.size(), size);
    EXPECT_EQ(slow_crc(content), crc) << name;
    EXPECT_TRUE(members.emplace(name, content).second) << name;
    entry += 46 + name_size;
  }
  EXPECT_EQ(entry, end);
  return members;
}

struct Array {
  std::string shape;
  std::vector<double> values;
};

Array read_npy(const std::string& bytes) {
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t begin = 10 + little_endian(bytes, 8, 2);
  EXPECT_EQ(begin % 64, 0u);
  EXPECT_EQ(bytes[begin - 1], '\n');
  const std::string header = bytes.substr(10, begin - 10);
  EXPECT_EQ(header.rfind("{'descr': '<f8', 'fortran_order': False, 'shape': (", 0), 0u) << header;
  Array array;
  array.shape = header.substr(header.find('('), header.find(')') - header.find('(') + 1);
  for (std::size_t at = begin; at < bytes.size(); at += 8)
    array.values.push_back(std::bit_cast<double>(little_endian(bytes, at, 8)));
  return array;
}

/// A spatial rod on a hinge, a planar plate that turns freely, and a particle.
Simulation zoo() {
  Model model;
  const BodyId arm = model.add("arm/θ", rod(1.0, 2.0), {.position = Vec3(1, 0, 0)});
  model.add("pivot", hinge(model.join(arm, world, Vec3::Zero(), Vec3::UnitY())));
  model.add("plate", std::make_shared<PlanarRigid>(1.0, 0.1), {.angular_velocity = Vec3(0, 0, 3)});
  model.add("bead", std::make_shared<Particle3>(1.0), {.position = Vec3(0, 2, 0)});
  return Simulation(std::move(model));
}

Probe tip() {
  return {.name = "tip",
          .quantity = "position",
          .unit = "m",
          .size = 3,
          .components = {"x", "y", "z"},
          .read = [](const Simulation& s, double* out) {
            const Vec3 x = s.placement(s.model().bodies()[0].id).position;
            std::copy(x.data(), x.data() + 3, out);
          }};
}

Probe clock_probe() {
  return {.name = "clock",
          .quantity = "time",
          .unit = "s",
          .size = 1,
          .components = {},
          .read = [](const Simulation& s, double* out) { *out = s.time(); }};
}

TEST(NpzWriter, NumbersReadBackAsTheSameDoubles) {
  Simulation sim = zoo();
  const auto file = npz_file("folder/that/is/made/zoo.npz");
  NpzWriter npz(file, sim, {tip(), clock_probe()});
  std::map<std::string, std::vector<double>> expected;
  const int rows = 50;
  for (int k = 0; k < rows; ++k) {
    npz.record(sim);
    const auto put = [&](const std::string& name, std::initializer_list<double> values) {
      expected[name].insert(expected[name].end(), values);
    };
    const Energy energy = sim.energy();
    put("time", {sim.time()});
    put("energy/kinetic", {energy.kinetic});
    put("energy/gravity", {energy.gravity});
    put("energy/springs", {energy.springs});
    put("energy/total", {energy.total()});
    put("energy/numerical", {sim.numerical_energy()});
    put("constraint_error", {sim.constraint_error()});
    put("probes/clock", {sim.time()});
    for (const BodyEntry& entry : sim.model().bodies()) {
      const Placement at = sim.placement(entry.id);
      const Vec3& x = at.position;
      const Quat& q = at.orientation;
      put("bodies/" + entry.name + "/position", {x[0], x[1], x[2]});
      if (entry.name == "arm/θ") put("probes/tip", {x[0], x[1], x[2]});
      if (entry.name == "arm/θ") put("bodies/arm/θ/quaternion", {q.w(), q.x(), q.y(), q.z()});
    }
    put("bodies/plate/angle", {std::remainder(3.0 * sim.time(), 2.0 * M_PI)});
    ASSERT_TRUE(sim.step(0.05).ok());
  }
  npz.close();
  EXPECT_EQ(npz.rows(), std::uint64_t(rows));

  const auto members = read_zip(test::read_all(file));
  EXPECT_EQ(members.size(), expected.size());
  for (const auto& [name, values] : expected) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(members.contains(name + ".npy"));
    const Array array = read_npy(members.at(name + ".npy"));
    const bool flat = !name.starts_with("probes/") && values.size() == std::size_t(rows);
    EXPECT_EQ(array.shape, flat ? fmt::format("({},)", rows)
                                : fmt::format("({}, {})", rows, values.size() / std::size_t(rows)));
    ASSERT_EQ(array.values.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (name == "bodies/plate/angle")
        EXPECT_NEAR(array.values[i], values[i], 1e-9) << i;  // the exact angle, integrated
      else
        EXPECT_EQ(array.values[i], values[i]) << i;
    }
  }
}

TEST(NpzWriter, HeaderIsByteForByteWhatNumPyWrites) {
  // numpy.save of an array of shape (2, 3): magic, version, 118 bytes of header
  Simulation sim = zoo();
  const auto file = npz_file("header.npz");
  NpzWriter npz(file, sim, {tip()}, {.bodies = false});
  npz.record(sim);
  npz.record(sim);
  npz.close();
  const auto members = read_zip(test::read_all(file));
  std::string header = std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                       "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
  header.resize(127, ' ');
  header += '\n';
  EXPECT_EQ(members.at("probes/tip.npy").substr(0, 128), header);
  EXPECT_EQ(members.at("probes/tip.npy").size(), 128u + 6 * 8);
  EXPECT_EQ(members.size(), 8u) << "no bodies";
}

TEST(NpzWriter, ManyChunksKeepTheirOrder) {
  // 11 numbers per row: a chunk of 2^17 numbers holds 11,915 rows
  Simulation sim = zoo();
  const auto file = npz_file("long.npz");
  double value = 0.0;
  Probe counter{.name = "counter", .quantity = "", .unit = "", .size = 4, .components = {}, .read = {}};
  counter.read = [&value](const Simulation&, double* out) {
    for (int i = 0; i < 4; ++i) out[i] = value++;
  };
  NpzWriter npz(file, sim, {counter}, {.bodies = false});
  const std::size_t rows = 30000;
  for (std::size_t k = 0; k < rows; ++k) npz.record(sim);
  npz.close();
  const Array array = read_npy(read_zip(test::read_all(file)).at("probes/counter.npy"));
  ASSERT_EQ(array.values.size(), 4 * rows);
  for (std::size_t i = 0; i < array.values.size(); ++i) ASSERT_EQ(array.values[i], double(i));
}

TEST(NpzWriter, EqualRunsGiveEqualFilesAndTheDestructorCloses) {
  std::string first;
  for (const char* name : {"a.npz", "b.NPZ"}) {
    Simulation sim = zoo();
    {
      const auto writer = open_trajectory(npz_file(name), sim, {tip()});
      writer->record(sim);
      EXPECT_TRUE(sim.step(0.01).ok());
      writer->record(sim);
    }
    const std::string bytes = test::read_all(npz_file(name));
    EXPECT_FALSE(bytes.empty());
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first);
  }
}

TEST(NpzWriter, NoRowsAreEmptyArrays) {
  const Simulation sim = zoo();
  NpzWriter(npz_file("empty.npz"), sim).close();
  const auto members = read_zip(test::read_all(npz_file("empty.npz")));
  EXPECT_EQ(read_npy(members.at("time.npy")).shape, "(0,)");
  EXPECT_EQ(read_npy(members.at("bodies/bead/position.npy")).shape, "(0, 3)");
}

TEST(NpzWriter, ErrorsNameTheFile) {
  const Simulation sim = zoo();
  const auto blocker = npz_file("file");
  write_text(blocker, "x");
  const auto message = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "no error";
  };
  const auto below = blocker / "below-a-file.npz";
  EXPECT_NE(message([&] { NpzWriter(below, sim); }).find(blocker.string()), std::string::npos);
  const auto twice = npz_file("twice.npz");
  const std::string text = message([&] { NpzWriter(twice, sim, {tip(), tip()}); });
  EXPECT_NE(text.find(twice.string()), std::string::npos) << text;
  EXPECT_NE(text.find("probes/tip"), std::string::npos) << text;

  EXPECT_NE(message([&] { NpzWriter("/dev/full", sim); }).find("'/dev/full'"), std::string::npos);
}

TEST(Trajectory, TheNameOfTheFileChoosesTheFormat) {
  const Simulation sim = zoo();
  open_trajectory(npz_file("rows.csv"), sim)->close();
  open_trajectory(npz_file("rows.npz"), sim)->close();
  open_trajectory(npz_file("rows"), sim)->close();
  EXPECT_EQ(test::read_all(npz_file("rows.csv")).rfind("time,", 0), 0u);
  EXPECT_EQ(test::read_all(npz_file("rows.npz")).rfind("PK", 0), 0u);
  EXPECT_EQ(test::read_all(npz_file("rows")).rfind("time,", 0), 0u);
}

}  // namespace
}  // namespace catena
