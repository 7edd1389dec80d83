// Deep chains: accelerations of 64 to 10,000 links against a reference in extended precision.
//
// The reference shares no code with the engine: kinematics, rows and a block-tridiagonal factorisation of J M⁻¹ Jᵀ, all in long
// double (64-bit mantissa), for chains of rods hinged about y or joined by balls.
#include "support/mechanisms.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

using Real = long double;
using V3 = Eigen::Matrix<Real, 3, 1>;
using M3 = Eigen::Matrix<Real, 3, 3>;
using M6 = Eigen::Matrix<Real, 6, 6>;
using V6 = Eigen::Matrix<Real, 6, 1>;
using MX = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using VX = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

M3 skew(const V3& a) {
  M3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

struct Link {
  M3 R;
  V3 v, w, r_start, r_end;  // velocity of the centre, angular velocity, levers to the two ends
  M6 inverse_mass;
  V6 force;
};

Link make_link(const double* q, const double* v, double length, double mass) {
  Link link;
  Eigen::Quaternion<Real> rotation(q[3], q[4], q[5], q[6]);
  rotation.normalize();
  link.R = rotation.toRotationMatrix();
  link.v = V3(v[0], v[1], v[2]);
  link.w = V3(v[3], v[4], v[5]);
  link.r_end = link.R * V3(Real(length) / 2, 0, 0);
  link.r_start = -link.r_end;
  const Real transverse = Real(mass) * length * length / 12, radius = Real(length) / 20;
  const V3 moments(Real(mass) * radius * radius / 2, transverse, transverse);
  link.inverse_mass.setZero();
  link.inverse_mass.topLeftCorner(3, 3) = M3::Identity() / Real(mass);
  link.inverse_mass.bottomRightCorner(3, 3) =
      link.R * moments.cwiseInverse().asDiagonal() * link.R.transpose();
  const V3 local = link.R.transpose() * link.w;
  link.force << V3(0, 0, -Real(mass) * 9.81L), link.R * moments.cwiseProduct(local).cross(local);
  return link;
}

struct JointBlocks {
  MX J_a, J_b;
  VX bias;
};

// Joint between the start of a and the end of b; b may be absent (the world).
JointBlocks make_rows(const Link& a, const Link* b, bool hinge) {
  const int m = hinge ? 5 : 3;
  JointBlocks rows{MX::Zero(m, 6), MX::Zero(m, 6), VX::Zero(m)};
  rows.J_a.topRows(3) << M3::Identity(), -skew(a.r_start);
  rows.bias.head(3) = a.w.cross(a.w.cross(a.r_start));
  const V3 w_b = b ? b->w : V3(V3::Zero());
  if (b) {
    rows.J_b.topRows(3) << -M3::Identity(), skew(b->r_end);
    rows.bias.head(3) -= b->w.cross(b->w.cross(b->r_end));
  }
  if (hinge) {  // x and z of a stay normal to y of b
    const V3 e = b ? V3(b->R.col(1)) : V3(V3::UnitY());
    for (int k = 0; k < 2; ++k) {
      const V3 s = a.R.col(k == 0 ? 0 : 2), g = s.cross(e);
      rows.J_a.row(3 + k).tail(3) = g.transpose();
      rows.J_b.row(3 + k).tail(3) = -g.transpose();
      rows.bias[3 + k] = (a.w.cross(s).cross(e) + s.cross(w_b.cross(e))).dot(a.w - w_b);
    }
  }
  return rows;
}

VX reference_accelerations(const State& state, int n, bool hinge, double length, double mass) {
  std::vector<Link> links;
  std::vector<JointBlocks> rows;
  for (int i = 0; i < n; ++i) links.push_back(make_link(&state.q[7 * i], &state.v[6 * i], length, mass));
  for (int i = 0; i < n; ++i) rows.push_back(make_rows(links[i], i > 0 ? &links[i - 1] : nullptr, hinge));
  // A = J M⁻¹ Jᵀ is block tridiagonal: eliminate from the first joint to the last
  std::vector<MX> D(n), E(n);  // E[i] couples joint i with joint i+1 (through link i)
  std::vector<VX> rhs(n);
  for (int i = 0; i < n; ++i) {
    const MX Ma = links[i].inverse_mass * rows[i].J_a.transpose();
    D[i] = rows[i].J_a * Ma;
    rhs[i] = -rows[i].bias - rows[i].J_a * (links[i].inverse_mass * links[i].force);
    if (i > 0) {
      D[i] += rows[i].J_b * links[i - 1].inverse_mass * rows[i].J_b.transpose();
      rhs[i] -= rows[i].J_b * (links[i - 1].inverse_mass * links[i - 1].force);
      E[i - 1] = rows[i].J_b * links[i - 1].inverse_mass * rows[i - 1].J_a.transpose();
    }
  }
  std::vector<Eigen::LDLT<MX>> pivots(n);
  for (int i = 0; i < n; ++i) {
    if (i > 0) {
      D[i] -= E[i - 1] * pivots[i - 1].solve(E[i - 1].transpose());
      rhs[i] -= E[i - 1] * pivots[i - 1].solve(rhs[i - 1]);
    }
    pivots[i].compute(D[i]);
  }
  std::vector<VX> lambda(n);
  for (int i = n - 1; i >= 0; --i) {
    if (i + 1 < n) rhs[i] -= E[i].transpose() * lambda[i + 1];
    lambda[i] = pivots[i].solve(rhs[i]);
  }
  VX a(6 * n);
  for (int i = 0; i < n; ++i) {
    V6 f = links[i].force + rows[i].J_a.transpose() * lambda[i];
    if (i + 1 < n) f += rows[i + 1].J_b.transpose() * lambda[i + 1];
    a.segment(6 * i, 6) = links[i].inverse_mass * f;
  }
  return a;
}

class Depth : public ::testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(Depth, AccelerationsOfABentMovingChainMatchExtendedPrecision) {
  const auto [n, hinge] = GetParam();
  const unsigned seed = 7;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Simulation sim(test::make_chain({.links = n, .hinges = hinge, .angle = 0.3, .bend = 0.5, .seed = seed}));
  test::stir(sim, seed);
  const VX exact = reference_accelerations(sim.state(), n, hinge, 0.1, 1.0);
  const Real error = (sim.accelerations().cast<Real>() - exact).lpNorm<Eigen::Infinity>();
  EXPECT_LT(double(error / exact.lpNorm<Eigen::Infinity>()), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Chains, Depth,
                         ::testing::Combine(::testing::Values(64, 512, 10000), ::testing::Bool()));

}  // namespace
}  // namespace catena
