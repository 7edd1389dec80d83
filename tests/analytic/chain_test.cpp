// Chains against recurrences, Laguerre polynomials and the catenary.
#include "support/mechanisms.h"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

namespace catena {
namespace {

using test::kGravity;
using test::make_chain;
using test::run;

/// Falling accelerations (about -y, as in the formulas) of n uniform rods of 1 m and 1 kg released from horizontal.
VecX release_accelerations(int n) {
  Simulation sim = test::simulate_bodies(make_chain({.links = n, .length = 1.0, .hinges = true}));
  VecX a(n);
  for (int i = 0; i < n; ++i) a[i] = -sim.accelerations()[6 * i + 4];
  return a;
}

TEST(Chain, ReleaseAccelerationsOfOneTwoAndThreeRods) {
  EXPECT_NEAR(release_accelerations(1)[0], -14.715, 1e-10);
  const VecX two = release_accelerations(2);
  EXPECT_NEAR(two[0], -12.612857142857, 1e-10);
  EXPECT_NEAR(two[1], 4.204285714286, 1e-10);
  const VecX three = release_accelerations(3);
  EXPECT_NEAR(three[0], -12.451153846154, 1e-10);
  EXPECT_NEAR(three[1], 3.395769230769, 1e-10);
  EXPECT_NEAR(three[2], -1.131923076923, 1e-10);
}

TEST(Chain, ReleaseAccelerationsOfAHundredRodsFollowTheRecurrence) {
  const int n = 100;
  const VecX a = release_accelerations(n);
  EXPECT_NEAR(5 * a[0] + a[1], -6 * kGravity, 1e-10);
  for (int i = 1; i + 1 < n; ++i) EXPECT_NEAR(a[i - 1] + 4 * a[i] + a[i + 1], 0.0, 1e-10);
  EXPECT_NEAR(a[n - 2] + 3 * a[n - 1], 0.0, 1e-10);
}

/// n point masses on massless rods of 1 m, hanging along -y in the plane, each displaced sideways by x[i].
Model hanging_masses(const VecX& masses, const VecX& x) {
  Model model;
  model.gravity = {0, -kGravity, 0};
  BodyId above = world;
  Vec3 anchor = Vec3::Zero();
  for (int i = 0; i < masses.size(); ++i) {
    const double step = x[i] - anchor.x();
    const Vec3 at(x[i], anchor.y() - std::sqrt(1 - step * step), 0);
    const BodyId bob =
        model.add("bob" + std::to_string(i), std::make_shared<Particle2>(masses[i]), {.position = at});
    model.add("rod" + std::to_string(i), distance(model.join(bob, above, at, Vec3::UnitZ(), anchor), 1.0));
    above = bob;
    anchor = at;
  }
  return model;
}

/// Minus the sideways accelerations per unit of the small displacement d·shape. They are odd in d, so that one Richardson step
/// leaves an error of fourth order.
VecX stiffness_times(const VecX& masses, const VecX& shape, double d) {
  const auto restoring = [&](double size) {
    Simulation sim = test::simulate(hanging_masses(masses, size * shape));
    VecX a(masses.size());
    for (Eigen::Index i = 0; i < masses.size(); ++i) a[i] = -sim.accelerations()[2 * i] / size;
    return a;
  };
  return (4.0 * restoring(0.5 * d) - restoring(d)) / 3.0;
}

VecX sorted_eigenvalues(const MatX& K) {
  VecX values = Eigen::EigenSolver<MatX>(K).eigenvalues().real();
  std::sort(values.begin(), values.end());
  return values;
}

/// Squares of the small-oscillation frequencies of equal masses.
VecX squared_frequencies(int n) {
  MatX K(n, n);
  for (int j = 0; j < n; ++j) K.col(j) = stiffness_times(VecX::Ones(n), VecX::Unit(n, j), 1e-3);
  return sorted_eigenvalues(K);
}

TEST(Chain, SmallOscillationsOfThreeMassesAreZerosOfTheLaguerrePolynomial) {
  const VecX w2 = squared_frequencies(3) / kGravity;
  EXPECT_NEAR(w2[0], 0.415774556783479, 1e-10);
  EXPECT_NEAR(w2[1], 2.29428036027904, 1e-10);
  EXPECT_NEAR(w2[2], 6.28994508293748, 1e-10 * 6.3);
}

TEST(Chain, LowestFrequencyOfAHundredMasses) {
  EXPECT_NEAR(squared_frequencies(100)[0] / kGravity, 0.0143861469954197, 1e-10);
}

TEST(Chain, MillionFoldMassBelowALightOneKeepsItsFrequenciesAndSupportForce) {
  // in the basis (swing as one line, bend) the slow frequency is not a difference of large numbers; the bend is stiff, and
  // linear only for tiny displacements
  const VecX masses = Vec2(1.0, 1e6);
  MatX basis(2, 2), K(2, 2);
  basis << 1, 1, 2, 0;
  K.col(0) = stiffness_times(masses, basis.col(0), 1e-3);
  K.col(1) = stiffness_times(masses, basis.col(1), 3e-6);
  const VecX w2 = sorted_eigenvalues(basis.inverse() * K);
  EXPECT_NEAR(w2[0] / 4.905001226249388, 1.0, 1e-9);
  EXPECT_NEAR(w2[1] / 19620014.714998774, 1.0, 1e-9);
  Simulation sim = test::simulate(hanging_masses(Vec2(1.0, 1e6), VecX::Zero(2)));
  EXPECT_NEAR(-sim.multipliers()[0] / ((1 + 1e6) * kGravity), 1.0, 1e-9);
}

/// Sag of a chain of n rods (points with the rods' mass at their ends' neighbours lumped) of total length 1.5 and mass 1
/// between supports 1 m apart, at rest.
double settled_sag(int n) {
  Model model;
  model.gravity = {0, -kGravity, 0};
  const double l = 1.5 / n, mass = 1.0 / n;
  // start on an arc of equal chords between the supports: half-angle found by bisection
  double low = 1e-6, high = 3.1;
  for (int k = 0; k < 200; ++k) {
    const double half = 0.5 * (low + high);
    (n * l * std::sin(half) / (n * std::sin(half / n)) > 1.0 ? low : high) = half;
  }
  const double half = low, radius = l / (2 * std::sin(half / n));
  const auto vertex = [&](int i) {
    const double a = -half + 2 * half * i / n;
    return Vec3(0.5 + radius * std::sin(a), -radius * (std::cos(a) - std::cos(half)), 0);
  };
  BodyId previous = world;
  for (int i = 1; i < n; ++i) {
    const BodyId p =
        model.add("p" + std::to_string(i), std::make_shared<Particle2>(mass), {.position = vertex(i)});
    model.add("l" + std::to_string(i),
              distance(model.join(p, previous, vertex(i), Vec3::UnitZ(), vertex(i - 1)), l));
    model.add("drag" + std::to_string(i), drag(Attachment{p}, 8.0 * mass));
    previous = p;
  }
  model.add("last", distance(model.join(previous, world, vertex(n - 1), Vec3::UnitZ(), vertex(n)), l));
  Simulation sim = test::simulate(model, {.integrator = Integrator::rk4});
  EXPECT_EQ(sim.choice().solver, Solver::tree);
  EXPECT_TRUE(sim.project().ok());
  run(sim, 8.0, 2e-3);
  return -sim.placement(*sim.model().find_body("p" + std::to_string(n / 2))).position.y();
}

TEST(Chain, HangsInACatenaryToSecondOrderInTheNumberOfLinks) {
  const double exact = 0.50263326164831517;
  const double coarse = settled_sag(10) - exact, fine = settled_sag(20) - exact;
  EXPECT_LT(std::abs(fine), 3e-3);
  EXPECT_NEAR(coarse / fine, 4.0, 0.4);
}

}  // namespace
}  // namespace catena
