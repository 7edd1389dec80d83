// What the peer programs share: the chain, the arguments that describe it, and the figures taken from a run.
//
// Every peer builds the chain that `catena bench payload` builds: rods along x from the origin, turning as a whole about
// the vertical, a point mass at the end. Every peer is measured in the same way: after each step, from the positions and
// velocities that the engine reports, outside the time that counts. That time is the processor's, so that other programs on
// the machine do not matter.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <vector>

namespace peers {

using Vec = std::array<double, 3>;

struct Arguments {
  std::string joint = "ball";  // or "hinge": axes z, y, z, ...
  int links = 50;
  double link_mass = 1.0;     // kg
  double length = 0.1;        // of a rod                                                    m
  double payload = 1000.0;    // kg; 0: none
  double dt = 1.0 / 60.0;     // s
  double time = 10.0;         // s
  double spin = 0.5;          // of the whole about the vertical at the start                rad/s
  std::string solver;         // what the engine calls its ways to solve; empty: the engine's default
  int iterations = 0;         // 0: the engine's default
  double erp = -1.0;          // share of a joint error corrected per step; < 0: the engine's default
  double energy_scale = 0.0;  // rise and loss are fractions of it; 0: the energy exchanged in this run     J
  double wall_limit = 1e9;    // give up after so many seconds of stepping
  bool series = false;        // print some 200 instants of the run too

  int bodies() const { return links + (payload > 0 ? 1 : 0); }
  bool is_payload(int body) const { return body == links; }
  double mass(int body) const { return is_payload(body) ? payload : link_mass; }
  /// Moments of inertia about the body's x, y, z. Those of the payload do nothing: it is held at its centre.
  Vec inertia(int body) const;
  /// Of the centre at the start.
  Vec position(int body) const;
  Vec velocity(int body) const;
  /// From the centre of a body to the joint towards the anchor; the joint towards the payload is opposite.
  double to_joint(int body) const { return is_payload(body) ? 0.0 : -0.5 * length; }
  /// Whether the joint between body - 1 (or the world) and body turns about one axis, and which.
  bool is_hinge(int body) const { return joint == "hinge" && !is_payload(body); }
  Vec hinge_axis(int body) const { return body % 2 == 0 ? Vec{0, 0, 1} : Vec{0, 1, 0}; }
};

/// Exits with a message when the words make no sense.
Arguments read_arguments(int argc, char** argv);

struct BodyState {
  Vec x{}, v{}, w{};          // centre, its velocity, angular velocity, in the world
  std::array<double, 9> R{};  // body axes to world axes, row by row
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual void step(double dt) = 0;
  virtual BodyState body(int i) const = 0;
};

/// Figures of one run.
class Recorder {
 public:
  Recorder(const Arguments& arguments, std::string engine, std::string version, std::string variant);

  /// Takes all steps, or as many as are possible.
  void run(Engine& engine);
  /// For an engine that ends the program: the run came apart in the current step.
  void end_as_apart();
  /// One line of JSON.
  void print() const;

 private:
  bool measure(const Engine& engine);

  Arguments arguments_;
  std::string engine_, version_, variant_;
  std::string status_ = "done";
  double time_ = 0, seconds_ = 0;
  double separation_ = 0, rise_ = 0, loss_ = 0, end_ = 0;  // m, J
  double start_energy_ = 0, start_potential_ = 0, exchanged_ = 0;
  Vec last_{};  // centre of the last body
  bool started_ = false;
  nlohmann::ordered_json times_, separations_, energies_;
};

}  // namespace peers
