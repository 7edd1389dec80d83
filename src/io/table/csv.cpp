// Trajectories as CSV (RFC 4180): one heading line, then one line of numbers per recorded instant.
//
// Numbers have the fewest digits that read back as the same double, so that a file is both small and exact.
#include "catena/output.h"
#include "io/files.h"
#include "io/table/trajectory.h"

#include <fmt/format.h>

#include <cerrno>

namespace catena {
namespace {

std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string out = "\"";
  for (char c : name) {
    out += c;
    if (c == '"') out += c;
  }
  return out + "\"";
}

/// Column names of a body after its own name.
std::vector<const char*> body_columns(const Body& body) {
  if (body.is_planar()) {
    if (!body.has_orientation()) return {"x", "y"};
    return {"x", "y", "angle"};
  }
  if (!body.has_orientation()) return {"x", "y", "z"};
  return {"x", "y", "z", "qw", "qx", "qy", "qz"};
}

}  // namespace

CsvWriter::CsvWriter(const std::filesystem::path& file, const Simulation& sim, std::vector<Probe> probes,
                     TrajectoryOptions options)
    : out_(std::make_unique<io::OutputFile>(file)), probes_(std::move(probes)), options_(options) {
  line_ = "time,kinetic_energy,gravity_energy,spring_energy,total_energy,numerical_energy,constraint_error";
  const auto add = [&](const std::string& name) { line_ += "," + quoted(name); };
  for (const Probe& probe : probes_) {
    if (probe.size == 1) add(probe.name);
    for (std::size_t i = 0; probe.size > 1 && i < std::size_t(probe.size); ++i)
      add(probe.name + "." + (i < probe.components.size() ? probe.components[i] : std::to_string(i)));
  }
  if (options_.bodies)
    for (const BodyEntry& entry : sim.model().bodies())
      for (const char* column : body_columns(*entry.body)) add(entry.name + "." + column);
  line_ += "\n";
  out_->stream() << line_;
}

CsvWriter::~CsvWriter() {
  try {
    close();
  } catch (const std::exception&) {  // destructors do not throw; who wants to know calls close()
  }
}

void CsvWriter::record(const Simulation& sim) {
  if (!out_) throw std::runtime_error("rows cannot be added to a file that is closed; open another one");
  const Energy energy = sim.energy();
  line_ = fmt::format("{},{},{},{},{},{},{}", sim.time(), energy.kinetic, energy.gravity, energy.springs,
                      energy.total(), sim.numerical_energy(), sim.constraint_error());
  std::vector<double> values;
  for (const Probe& probe : probes_) {
    values.assign(std::size_t(probe.size), 0.0);
    probe.read(sim, values.data());
    for (double value : values) line_ += fmt::format(",{}", value);
  }
  if (options_.bodies) {
    for (const BodyEntry& entry : sim.model().bodies()) {
      const Placement at = sim.placement(entry.id);
      line_ += fmt::format(",{},{}", at.position.x(), at.position.y());
      const Quat& turn = at.orientation;
      if (entry.body->is_planar()) {
        if (entry.body->has_orientation()) line_ += fmt::format(",{}", io::planar_angle(turn));
        continue;
      }
      line_ += fmt::format(",{}", at.position.z());
      if (entry.body->has_orientation())
        line_ += fmt::format(",{},{},{},{}", turn.w(), turn.x(), turn.y(), turn.z());
    }
  }
  line_ += "\n";
  errno = 0;
  out_->stream() << line_;
  out_->keep_up();
  out_->require_good();
  ++rows_;
}

void CsvWriter::close() {
  if (const auto out = std::move(out_)) out->commit();
}

}  // namespace catena
