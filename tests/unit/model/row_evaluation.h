// One evaluation of a constraint at given markers, in plain vectors.
#pragma once

#include "catena/constraint.h"

namespace catena::testing {

/// K is G where the constraint has none of its own.
struct Evaluation {
  VecX C, C_t, gamma;
  std::vector<MatX> G, K;
};

inline Evaluation evaluate(const Constraint& constraint, const Motion& motion) {
  const int rows = constraint.num_rows(motion.planar), markers = int(motion.at.size());
  VecX C = VecX::Zero(rows), C_t = VecX::Zero(rows), gamma = VecX::Zero(rows),
       G = VecX::Zero(rows * 6 * markers), K = G;
  const bool own = constraint.acts_elsewhere();
  Rows out(rows, markers, C.data(), C_t.data(), gamma.data(), G.data(), true, own ? K.data() : nullptr);
  constraint.evaluate(motion, out);
  Evaluation e{C, C_t, gamma, {}, {}};
  for (int k = 0; k < markers; ++k) e.G.push_back(out.G(k));
  for (int k = 0; k < markers; ++k) e.K.push_back(own ? out.K(k) : out.G(k));
  return e;
}

inline Marker marker_at(const Vec3& x, const Mat3& R) {
  return {x, Vec3::Zero(), R, Vec3::Zero()};
}

}  // namespace catena::testing
