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
#pragma once

#include "catena/analysis.h"

namespace CATENA_API catena {

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

}  // namespace catena
