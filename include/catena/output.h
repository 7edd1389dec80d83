// Results as files: trajectories as CSV, line plots and film strips as SVG.
//
//   CsvWriter csv("out/crane.csv", sim, scene.probes);
//   FilmStrip film;
//   for (int k = 0; k < 1000 && sim.step(1e-3).ok(); ++k) csv.record(sim);
//   film.snapshot(sim);
//   write_text("out/film-strip.svg", film.render({.title = "Crane"}));
//
// Nothing here changes a simulation. Pictures are plain SVG 1.1 text and scale with the page.
#pragma once

#include "catena/scene.h"

#include <fstream>

namespace catena {

/// Writes `text` to `file` and makes the folders on the way. Throws std::runtime_error that names the file.
void write_text(const std::filesystem::path& file, const std::string& text);

struct CsvOptions {
  bool bodies = true;  // placements of all bodies: position, and angle (planar) or quaternion (spatial)
};

/// One row per recorded instant: time, energies, constraint error, probes, then bodies. Numbers have the
/// fewest digits that give the same double back; names with a comma or a quote are quoted as in RFC 4180.
class CsvWriter {
 public:
  /// Opens the file and writes the heading. The structure of the model must not change afterwards.
  CsvWriter(const std::filesystem::path& file, const Simulation& sim, std::vector<Probe> probes = {},
            CsvOptions options = {});
  void record(const Simulation& sim);
  /// Throws std::runtime_error that names the file when anything could not be written (a full disk).
  void close();
  std::uint64_t rows() const { return rows_; }

 private:
  std::filesystem::path file_;
  std::ofstream stream_;
  std::vector<Probe> probes_;
  CsvOptions options_;
  std::string line_;  // reused
  std::uint64_t rows_ = 0;
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
