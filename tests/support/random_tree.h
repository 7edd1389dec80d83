// Random trees of spatial bodies with every joint that carries one, and random coordinates on them.
#pragma once

#include "catena/algorithms.h"
#include "catena/catena.h"

#include <random>

namespace catena::test {

class RandomNumbers {
 public:
  explicit RandomNumbers(unsigned seed) : engine_(seed) {}
  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  Vec3 vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Quat rotation() { return Quat(Eigen::AngleAxisd(number(-3, 3), vector(1.0).normalized())); }
  VecX numbers(int count, double size) {
    return VecX::NullaryExpr(count, [&] { return number(-size, size); });
  }

 private:
  std::mt19937 engine_;
};

struct TreeOptions {
  int links = 12;
  double mass_exponent = 1.0;  // masses from 10^-e to 10^e
  bool chain = false;          // from the world to the last link, as deep as there are links
};

inline ConstraintPtr random_joint(RandomNumbers& random, const AttachmentPair& at) {
  switch (random.integer(0, 8)) {
    case 0:
      return weld(at);
    case 1:
      return slider(at);
    case 2:
      return ball(at);
    case 3:
      return universal(at);
    case 4:
      return cylindrical(at);
    case 5:
      return planar(at);
    case 6:
      return screw(at, 0.3);
    case 7:
      return constant_velocity(at);
    default:
      return hinge(at);
  }
}

/// Spatial bodies; joints point either way, so that a link carries marker a or marker b.
inline Model random_tree(RandomNumbers& random, const TreeOptions& options) {
  Model model;
  model.gravity = random.vector(9.81);
  std::vector<BodyId> bodies;
  for (int i = 0; i < options.links; ++i) {
    const double mass = std::pow(10.0, random.number(-options.mass_exponent, options.mass_exponent));
    const Vec3 moments =
        mass * Vec3(random.number(0.3, 0.5), random.number(0.3, 0.5), random.number(0.3, 0.5));
    const Quat turned = random.rotation();
    const Mat3 R = turned.toRotationMatrix();
    const BodyId id = model.add("b" + std::to_string(i),
                                std::make_shared<Rigid>(mass, Mat3(R * moments.asDiagonal() * R.transpose())),
                                {.position = random.vector(1.0), .orientation = random.rotation()});
    const bool is_free = i == 0 ? random.integer(0, 1) == 0 : random.integer(0, 15) == 0;
    const BodyId other = i == 0                      ? world
                         : options.chain             ? bodies.back()
                         : random.integer(0, 7) == 0 ? world
                                                     : bodies[std::size_t(random.integer(0, i - 1))];
    bodies.push_back(id);
    if (is_free && !options.chain) continue;
    const bool turned_round = random.integer(0, 1) == 0;
    const AttachmentPair at = model.join(turned_round ? other : id, turned_round ? id : other,
                                         random.vector(1.0), random.vector(1.0).normalized());
    model.add("j" + std::to_string(i), random_joint(random, at));
  }
  return model;
}

/// A model, its tree, and random coordinates and velocities.
struct TreeCase {
  Model model;
  JointTree tree;
  TreeData data;
  VecX q, v, a, tau;

  TreeCase(RandomNumbers& random, const TreeOptions& options)
      : model(random_tree(random, options)), tree(model), data(tree) {
    tree.start(q, v);
    tree.retract(random.numbers(tree.num_v(), 1.0), q);
    v = random.numbers(tree.num_v(), 1.0);
    tau = random.numbers(tree.num_v(), 10.0);
  }
};

/// Anywhere on its links, several on one too.
inline std::vector<LinkPoint> random_points(RandomNumbers& random, const TreeCase& c, int count) {
  std::vector<LinkPoint> points;
  for (int i = 0; i < count; ++i)
    points.push_back({random.integer(0, c.tree.num_links() - 1), random.vector(0.5)});
  return points;
}

}  // namespace catena::test
