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
//
// A program: examples/cpp/scene_to_files.cpp
#pragma once

#include "catena/analysis.h"
#include "catena/scene.h"

namespace catena::io {
class OutputFile;
}

namespace CATENA_API catena {

// Files are written as NAME.partial and take their name when they are complete and on the disk: a crash, a kill or a full disk leaves what
// was there before. Links are followed; what is no regular file (a device, a pipe, a folder) is refused.

/// Writes `text` to `file` and makes the folders on the way. Throws std::runtime_error that names the file.
void write_text(const std::filesystem::path& file, const std::string& text);
/// Throws as write_text would for a path that cannot be written; writes nothing. Makes the folders on the way.
void require_writable(const std::filesystem::path& file);
/// Gives `made`, a whole file in the same folder that another program has written, the name `file`.
void adopt_file(const std::filesystem::path& made, const std::filesystem::path& file);

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
  /// Opens FILE.partial, in which rows can be followed and are readable to the last whole line after a kill, and writes the heading.
  CsvWriter(const std::filesystem::path& file, const Simulation& sim, std::vector<Probe> probes = {},
            TrajectoryOptions options = {});
  /// Closes what is still open and says nothing about failures: call close() to hear of them.
  ~CsvWriter() override;
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;
  void record(const Simulation& sim) override;
  void close() override;
  std::uint64_t rows() const override { return rows_; }

 private:
  std::unique_ptr<io::OutputFile> out_;  // nullptr: closed
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
/// close(); a program that is killed leaves what was there before, where CSV leaves the rows so far beside it. A file holds up
/// to 4 GiB and 65,534 arrays; the row or the model that would exceed it is refused. Equal runs give equal bytes.
class NpzWriter final : public TrajectoryWriter {
 public:
  /// Opens FILE.partial, so that a path that cannot be written is found before the run.
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
  std::unique_ptr<io::OutputFile> out_;  // nullptr: closed
  std::vector<Probe> probes_;
  TrajectoryOptions options_;
  std::vector<Array> arrays_;
  std::size_t row_size_ = 0, rows_per_chunk_ = 1;  // numbers, rows
  std::uint64_t overhead_ = 0;                     // bytes of the file that are not numbers, at most
  std::vector<std::vector<double>> chunks_;        // whole rows
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

// -------------------------------------------------------------------------------------------------- pictures
// Pictures: what is drawn of a model, and where it is at an instant.
//
//   const Picture picture = make_picture(sim);       // once per structure
//   PictureFrame frame;
//   while (sim.step(dt).ok()) capture(sim, picture, frame);      // poses and points; no allocation after the first call
//
// Rigid shapes are drawn from the poses of their bodies. Everything that bends, stretches or runs between bodies (ropes, springs,
// bars, wires of deformable bodies, arms to joints outside a shape) is a track: a line through moving points of the frame.
// Bodies, constraints and forces whose names begin with a '.' belong to the program that runs the simulation and are not drawn; they
// must come after all others. The JSON form and the bytes of a frame are those of docs/viewer.md; viewer, replay and glTF share them.

/// A body and what it looks like.
struct PictureBody {
  std::string name, kind;
  double mass = 0.0;  // kg
  int velocities = 0;
  Shape shape = {};
  bool planar = false;
  bool wires = false;      // it is shown by tracks of its own, because its shape says too little
  int chain = -1;          // number of the serial chain of rods it belongs to; its tube is a track
  bool generated = false;  // by a generator or a repetition: it cannot be removed by its name
};

/// One side of a joint or force; body -1 is the world.
struct PictureEnd {
  int body = -1;
  Vec3 point = Vec3::Zero();     // body coordinates, m
  Mat3 axes = Mat3::Identity();  // marker axes to body axes
};

struct PictureJoint {
  std::string name, kind,
      glyph;  // glyph: hinge, ball, slider, weld, point, bar, rope, gear, curve, surface, rolling, other
  int rows = 0;
  PictureEnd a = {}, b = {};
  bool grounded = false;     // one side is the world
  bool driven = false;       // follows a function of time
  int redundant_rows = 0;    // rows that others imply
  bool in_conflict = false;  // ... and contradict
  std::string note = {};     // what is redundant or in conflict, and what to do
};

struct PictureForce {
  std::string name, kind, glyph;  // glyph: spring, motor, load, drag, other
  std::vector<PictureEnd> ends = {};
  bool on = true;
  std::vector<std::string> commands = {};  // names of the numbers it follows
  std::vector<double> values = {};         // of them, when the picture was made
};

/// A line through moving points.
struct PictureTrack {
  std::string of;    // "body", "joint", "force" or "chain" with its position: "joint 3"
  std::string name;  // of what it shows
  std::string kind;  // rope, bar, spring, wire, curve, tube, arm
  bool closed = false;
  double radius = 0.0;      // m; 0: as thin as the picture likes
  std::vector<int> points;  // positions in the points of a frame
};

/// A surface or a curve that does not move against a body (or the world, -1), in its coordinates.
struct PictureFigure {
  Figure figure;
  int body = -1;
  std::string name;              // of the constraint or body it belongs to
  Mat3 axes = Mat3::Identity();  // of an ellipsoid, in that body
};

/// Where a moving point comes from.
struct PicturePoint {
  Attachment at;
  bool on_drum = false;  // the point where the rope from `at` touches the drum
  Attachment drum{};
  double radius = 0.0, winding = 0.0;
};

struct Picture {
  Vec3 up = Vec3::UnitZ(), gravity = Vec3::Zero();
  Vec3 centre = Vec3::Zero();  // of what is drawn at the start   m
  double size = 1.0;           // its extent                      m
  std::vector<PictureBody> bodies;
  std::vector<PictureJoint> joints;  // constraints, in model order
  std::vector<PictureForce> forces;
  std::vector<PictureTrack> tracks;
  std::vector<PictureFigure> fixed;
  std::vector<PicturePoint> points;  // sources of the points of a frame
};

Picture make_picture(const Simulation& sim);
/// Marks the joints that a check found redundant or in conflict.
void mark_dependencies(const CheckReport& report, const Model& model, Picture& picture);
/// As one JSON object.
std::string picture_json(const Picture& picture);

/// The force of a constraint on its first body, at its marker, world axes.
struct Arrow {
  float origin[3], force[3];  // m, N
  std::uint32_t joint;
};

/// An instant in numbers that a graphics card takes.
struct PictureFrame {
  double time = 0.0;
  std::vector<float> poses;   // per body x y z, qx qy qz qw
  std::vector<float> points;  // x y z
  std::vector<Arrow> arrows;
};
void capture(const Simulation& sim, const Picture& picture, PictureFrame& frame, bool with_arrows = false);

enum FrameFlags : std::uint32_t { kFrameFromPast = 1, kFramePlaying = 2 };
/// The frame as bytes (docs/viewer.md); `out` keeps its memory.
void encode_frame(const PictureFrame& frame, std::uint32_t revision, std::uint32_t flags, std::string& out);

// ------------------------------------------------------------------------------------------------ recordings
// Recordings: a run as a small file that is watched in a browser, or leaves as an animated glTF model (docs/replay.md).
//
//   Recording recording(sim, scene.probes);
//   while (sim.time() < 10 && sim.step(dt).ok()) recording.record_if_due(sim);
//   write_text("crane.glb", make_gltf(recording, {.title = "Crane"}));
//
// A recording follows changes of the structure (a joint that breaks). It changes nothing in a simulation.

struct RecordingOptions {
  double rate = 60.0;  // frames per second of simulated time, at most
  std::size_t max_bytes =
      34'000'000;  // when it would become larger, every second frame is dropped and the rate halved
};

/// Frames (poses and moving points) and samples (energies, constraint error, probes) of a run, compressed as they come:
/// about 2 bytes per moving body and frame. Frames are rounded to a grid; position_error() and angle_error() bound what
/// that changes. Samples are kept as they are.
class Recording {
 public:
  explicit Recording(const Simulation& sim, std::vector<Probe> probes = {}, RecordingOptions options = {});
  ~Recording();
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;

  /// Takes a frame when 1/rate has passed since the last one. Call it after every step; otherwise it costs one comparison.
  void record_if_due(const Simulation& sim);
  /// Takes a frame now, unless the last one is of the same time: how a run ended.
  void record(const Simulation& sim);

  std::size_t frames() const;
  double rate() const;            // after halving
  bool was_thinned() const;       // whether it was halved
  double position_error() const;  // largest error of a coordinate of a body: half the grid     m
  double angle_error() const;     // largest error of an orientation                            rad
  std::size_t bytes() const;      // so far, compressed

  /// What is drawn, one per structure that the run had; section_of says which one a frame belongs to.
  const std::vector<Picture>& pictures() const;
  std::size_t section_of(std::size_t frame) const;
  /// The frame as it will be seen, times included. Neighbours are cheap, jumps decode a chunk.
  const PictureFrame& frame(std::size_t k) const;

  /// The recording as one file. `about` is a JSON object for the page: title, parameters, summary (docs/replay.md).
  std::string file(const std::string& about) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The viewer's page, as it is built and embedded in the command.
struct ReplayPage {
  std::string html;    // with one <script type="module" src="..."> and one <link rel="stylesheet">
  std::string script;  // what they point to
  std::string style;
};
/// One self-contained HTML file: the page with everything inlined, and the recording as base64. `title` is text, not HTML.
std::string make_replay(const ReplayPage& page, const std::string& title, std::string_view recording);

struct GltfOptions {
  std::string title = {};
  std::size_t max_tracks = 4000;  // pieces of ropes, springs and bars; lines beyond it are left out
};
/// Animated glTF 2.0 (binary, .glb): one node per body with its name, shape and motion; ropes, springs, bars and wires as
/// pieces that stretch. y points up. Shows the last structure when the structure changed during the run.
std::string make_gltf(const Recording& recording, const GltfOptions& options = {});

}  // namespace catena
