// Mechanisms for the benchmarks, built with the public interface: chains, trees, stars, beads and trusses.
//
// Random ones are made with a fixed seed and move consistently with their joints, so that all runs measure the same.
#pragma once

#include "catena/catena.h"

#include <string>

namespace catena::app {

/// Rods of 0.1 m and 1 kg from the world downwards, with random bends and random joint speeds.
/// @param joint "hinge" (one axis, which differs from joint to joint) or "ball"
Model bent_chain(int links, const std::string& joint);

/// A straight chain from the world's origin along x, released from there while it turns about the vertical as a whole.
struct PayloadChain {
  std::string joint = "ball";  // or "hinge": every other axis turned by 90°, the first one vertical
  int links = 50;              // rods of 0.1 m
  double link_mass = 1.0;      // of a rod              kg
  double payload = 1000.0;     // at its end, 0: none   kg
  double spin = 0.5;           // rad/s
};

/// What examples/payload-chain-*.yaml describe: both give the same motion to the last bit.
Model payload_chain(const PayloadChain& chain);

/// The i-th rod hangs by a ball joint at the tip of a random earlier one.
Model random_tree(int links);

/// Rods on hinges about axes that differ, two on every one: a branching tree with as many degrees of freedom as links.
Model hinge_tree(int links);

/// Complete binary tree of `links` rods on ball joints, rooted at the world: 127 links have 381 multipliers.
Model binary_tree(int links);

/// `constraints` + 1 planar rods, each pinned to a random earlier one: 54 pins have 108 multipliers.
Model planar_tree(int constraints);

/// A hub with `arms` rods on ball joints around its rim.
Model star(int arms);

/// A ladder hanging from the world: per level two rails and a rung on ball joints, one loop; slightly bent, moving rigidly.
Model ladder(int rungs);

/// The chain of examples/chain-stiff.yaml: 10 m and 10 kg of rods on ball joints with springs and dampers, straight out from the world
/// and at rest. @param stiffness of a joint in N·m/rad; < 0: that of the scene, 2000 N·m² of bending over the length of a rod
Model stiff_chain(int links, double stiffness = -1.0);

/// The same of rods of 0.1 m and 1 kg with springs of 1000 N·m/rad: what happens at its fixed end does not depend on its length.
Model alike_stiff_chain(int links);

/// bent_chain of ball joints with springs between the links, relaxed at the start. It hangs freely, so that it swings at any stiffness.
Model bent_stiff_chain(int links, double stiffness);

/// Particles in free flight whose common centre of mass is held: one constraint on all of them at once.
Model held_centre(int bodies);

/// A closed ring of planar links on pins, at rest.
Model ring(int links);

/// IFToMM A02: n planar four-bars in a row, cranks at 30° from upright so that no position is singular.
Model four_bars(int n);

/// planar_tree(48) with six further pins that close loops: 96 primary and 12 auxiliary multipliers.
Model planar_loops();

/// Six spatial bodies and five ball joints, connected as in figure 2 of Baraff 1996.
Model six_bodies();

/// A bead of 5 kg on the unit circle, started with 2 m/s along it; no gravity. `stiffness` > 0 replaces
/// the wire by a spring to the centre.
Model bead(double stiffness = 0.0);

/// A truss of particles and bars, swinging about its left end; springs instead of bars for `stiffness` > 0.
Model swinging_truss(double stiffness = 0.0);

}  // namespace catena::app
