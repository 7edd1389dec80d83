// A model seen from elsewhere: turned, shifted, mirrored or in uniform motion, with its parts in another order and under other names.
//
//   x' = P x + s + u·t       P orthogonal, det P = ±1                                                            (1)
//
// Bodies are placed anew; where P mirrors, so are their own axes (X' = S X, S = diag(-1, 1, 1)) and those of markers (D = diag(1, -1, 1)), so that
// all stay right-handed. Constraints and forces stay what they are where they say the same in the new world; where they know the
// old one (a nail's target, the handedness of a screw, a world that now moves) they are evaluated with the motion brought back by (1).
#pragma once

#include "catena/catena.h"

namespace catena::test {

struct Change {
  Mat3 P = Mat3::Identity();
  Vec3 shift = Vec3::Zero();  // s, m
  Vec3 boost = Vec3::Zero();  // u, m/s
  bool mirrors() const { return P.determinant() < 0.0; }
  double sign() const { return mirrors() ? -1.0 : 1.0; }  // of angular velocities and torques
  Vec3 place(const Vec3& x, double t) const { return P * x + shift + t * boost; }
  Vec3 velocity(const Vec3& v) const { return P * v + boost; }
  Vec3 body_point(const Vec3& X) const { return mirrors() ? Vec3(-X.x(), X.y(), X.z()) : X; }  // S X
};

/// For each body, constraint and force of a model its place in the new one.
struct Order {
  std::vector<int> bodies, constraints, forces;
};
Order same_order(const Model& model);
Order shuffled(const Model& model, unsigned seed);

/// The same things in the new world, in the new order; names begin with `prefix`.
Model moved(const Model& model, const Change& change, const Order& order, const std::string& prefix = {});

/// The same objects under names that begin with `prefix`: every bit of the motion must stay.
Model renamed(const Model& model, const std::string& prefix);

}  // namespace catena::test
