// Results as files: trajectories as CSV or NPZ, line plots and film strips as SVG.
//
//   CsvWriter csv("out/crane.csv", sim, scene.probes);
//   FilmStrip film;
//   for (int k = 0; k < 1000 && sim.step(1e-3).ok(); ++k) csv.record(sim);
//   csv.close();
//   film.snapshot(sim);
//   write_text("out/film-strip.svg", film.render({.title = "Crane"}));
//
// Nothing here changes a simulation. Pictures are plain SVG 1.1 text and scale with the page.
#pragma once

#include "catena/scene.h"

#include <fstream>

namespace CATENA_API catena {

/// Writes `text` to `file` and makes the folders on the way. Throws std::runtime_error that names the file.
void write_text(const std::filesystem::path& file, const std::string& text);

struct TrajectoryOptions {
  bool bodies = true;  // placements of all bodies: position, and angle (planar) or quaternion (spatial)
};

/// A file with one row per recorded instant. The structure of the model must not change while it is open.
class TrajectoryWriter {
 public:
  virtual ~TrajectoryWriter() = default;
  /// Throws std::runtime_error that names the file when the row cannot be written.
  virtual void record(const Simulation& sim) = 0;
  /// Throws std::runtime_error that names the file when anything could not be written (a full disk).
  virtual void close() = 0;
  virtual std::uint64_t rows() const = 0;
};

/// Opens a file of the kind that its name ends with: `.npz` (in any case) is NPZ, everything else CSV.
std::unique_ptr<TrajectoryWriter> open_trajectory(const std::filesystem::path& file, const Simulation& sim,
                                                  std::vector<Probe> probes = {},
                                                  TrajectoryOptions options = {});

/// Text: time, energies, constraint error, probes, then bodies. Numbers have the fewest digits that give the
/// same double back; names with a comma or a quote are quoted as in RFC 4180.
class CsvWriter final : public TrajectoryWriter {
 public:
  /// Opens the file and writes the heading.
  CsvWriter(const std::filesystem::path& file, const Simulation& sim, std::vector<Probe> probes = {},
            TrajectoryOptions options = {});
  void record(const Simulation& sim) override;
  void close() override;
  std::uint64_t rows() const override { return rows_; }

 private:
  std::filesystem::path file_;
  std::ofstream stream_;
  std::vector<Probe> probes_;
  TrajectoryOptions options_;
  std::string line_;  // reused
  std::uint64_t rows_ = 0;
};

/// Arrays for NumPy (numpy.load), float64, one row per recorded instant:
///
///   time, constraint_error                                               (n)
///   energy/kinetic, gravity, springs, total, numerical                   (n) each
///   probes/NAME                                                          (n, k)
///   bodies/NAME/position                                                 (n, 3)
///   bodies/NAME/quaternion  (w, x, y, z), or bodies/NAME/angle           (n, 4), (n)
///
/// An array lies in one piece in the file, so that rows are kept in memory, 8 bytes per number, and written by
/// close(); a program that is killed leaves an empty file, where CSV would leave the rows so far. A file holds up
/// to 4 GiB and 65,534 arrays; the row or the model that would exceed it is refused. Equal runs give equal bytes.
class NpzWriter final : public TrajectoryWriter {
 public:
  /// Opens the file, so that a path that cannot be written is found before the run.
  NpzWriter(const std::filesystem::path& file, const Simulation& sim, std::vector<Probe> probes = {},
            TrajectoryOptions options = {});
  /// Closes what is still open and says nothing about failures: call close() to hear of them.
  ~NpzWriter() override;
  NpzWriter(const NpzWriter&) = delete;
  NpzWriter& operator=(const NpzWriter&) = delete;
  void record(const Simulation& sim) override;
  void close() override;
  std::uint64_t rows() const override { return rows_; }

 private:
  struct Array {
    std::string name;
    std::size_t columns;
    bool flat;  // shape (n) instead of (n, columns)
  };
  void add_array(std::string name, std::size_t columns, bool flat = false);
  std::string array_bytes(const Array& array, std::size_t first_column) const;

  std::filesystem::path file_;
  std::ofstream stream_;
  std::vector<Probe> probes_;
  TrajectoryOptions options_;
  std::vector<Array> arrays_;
  std::size_t row_size_ = 0, rows_per_chunk_ = 1;  // numbers, rows
  std::uint64_t overhead_ = 0;                     // bytes of the file that are not numbers, at most
  std::vector<std::vector<double>> chunks_;        // whole rows
  std::uint64_t rows_ = 0;
  bool is_open_ = true;
};

/// One curve of a plot. Points that are not finite interrupt the line.
struct Series {
  enum class Style : std::uint8_t { line, dashed, markers, line_and_markers };
  std::string name;
  std::vector<double> x, y;  // of equal length
  Style style = Style::line;
};

struct Plot {
  std::string title, subtitle;
  std::string x_label, y_label;       // with the unit: "time (s)"
  bool log_x = false, log_y = false;  // values ≤ 0 are drawn at the lower end of a logarithmic axis
  bool equal_aspect = false;          // one metre along x is as long as one along y (paths)
  std::vector<Series> series = {};
};
std::string render_plot(const Plot& plot);

struct FilmStripOptions {
  std::string title = {};
  std::optional<Vec3> view = {};  // looks along this direction; else across the motion, gravity downwards
  int columns = 0;                // panels side by side; 0 chooses
};

/// Snapshots of a mechanism side by side, each with the one before as a shadow and with traced paths.
class FilmStrip {
 public:
  FilmStrip();
  ~FilmStrip();
  FilmStrip(FilmStrip&&) noexcept;
  FilmStrip& operator=(FilmStrip&&) noexcept;

  /// Adds a panel with the mechanism as it is now. About eight make a good strip.
  void snapshot(const Simulation& sim);
  /// Continues the paths of the bodies; the strip shows those of the bodies that travel farthest. Call it
  /// more often than snapshot. Models of more than 200 bodies have only every n-th body traced, and the last.
  void trace(const Simulation& sim);
  int size() const;
  std::string render(const FilmStripOptions& options = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena
