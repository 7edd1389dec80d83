// A tree of rigid bodies in motion, for Catena and for other engines: what `catena bench speed` times.
#pragma once

#include "catena/algorithms.h"
#include "catena/catena.h"

#include <string>

namespace catena::app {

/// Rigid bodies on hinges and universal joints (marker b on the parent) and balls, fixed to the world or free; nothing acts but gravity.
struct TreeProblem {
  std::string key, name;        // "hinge-7", "chain of 7 hinges"
  Model model;                  // in motion
  State start;                  // of it, in joint coordinates
  std::vector<Placement> zero;  // of its bodies where all joint coordinates are zero
  double same = 1e-8;           // relative: what another engine's accelerations may differ by
  double dt = 1e-4;             // s
};

/// Every joint turned by up to one radian and moving with up to 1 rad/s, a free body also displaced by up to 1 m: random with a fixed seed,
/// because sines of zero are cheaper than those of other angles.
TreeProblem moving(std::string key, std::string name, Model model, double same = 1e-8);

/// The tree as one line of JSON, as bench/peers/tree.h reads it.
std::string described(const TreeProblem& problem);

/// Of every link in the order of JointTree, at the start, in world axes: accelerations of the centre of mass and angular ones.
/// By articulated bodies, and from the multipliers of body coordinates.
std::vector<double> joint_accelerations(const TreeProblem& problem);
std::vector<double> body_accelerations(const TreeProblem& problem);
/// Position and velocity of the centre of mass and angular velocity of every link after so many steps in joint coordinates.
std::vector<double> state_after(const TreeProblem& problem, int steps);

}  // namespace catena::app
