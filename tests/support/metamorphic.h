// Runs of one scene that must be the same motion: turned, shifted, mirrored, in uniform motion, with parts in another order or renamed.
//
// Two runs differ by rounding, by what iterations leave, and by what the motion makes of both. The last is measured: a third run begins
// with velocities that differ by 1e-10, and its distance from the first says how fast differences grow.
#pragma once

#include "catena/scene.h"

#include <array>
#include <cstdint>

namespace catena::test {

enum class Relation : std::uint8_t { rotate, translate, mirror, permute, rename, galilei };
inline constexpr std::array kRelations{Relation::rotate,  Relation::translate, Relation::mirror,
                                       Relation::permute, Relation::rename,    Relation::galilei};
const char* name(Relation relation);

/// Why the relation says nothing about a scene; empty when it does.
std::string why_not(Relation relation, const Scene& scene);

/// All examples, and one of them at the size at which its relations can be judged.
std::vector<std::string> example_names();
Scene load_example(const std::string& name);

struct Followed {
  int steps = 0;  // compared; fewer than asked for when a step was refused in both, or the motion is chaotic
  double worst = 0.0;   // difference over what is allowed
  std::string problem;  // empty when the runs are the same motion
};

/// @param seed   of the rotation, the shift, the order
Followed follow(const Scene& scene, Relation relation, int steps, unsigned seed);

}  // namespace catena::test
