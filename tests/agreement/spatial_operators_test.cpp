// The operator identities of Jain's paper, built densely from their definitions on random trees with every joint.
//
// Legend (numbers of equations are those of the paper; * is the transpose)
//   H, M     block diagonal: directions of joints (rows), inertias of links, both about the centres of mass
//   E_φ      block (p, k) for every link k with parent p: φ(p, k) takes a wrench from the centre of k to that of p;  φ = (1 - E_φ)⁻¹
//   P, D, G  of articulated bodies: P(k) = M(k) + Σ ψ P ψ*,  D = H P H*,  G = P H* D⁻¹
//   ψ(p, k)  φ(p, k)(1 - G(k) H(k));  E_ψ, ψ = (1 - E_ψ)⁻¹ likewise;  K = E_φ G
//   Υ, Ω     compliance kernel and extended compliance, both 6n × 6n (the paper prints 6nc)
//
// Only directions of joints and places of centres of mass are taken from the engine; its mass matrix, Jacobians and compliance are on the
// other side of the equations.
//
// Source: Jain, Crean, Kuo, von Bremen, Myint, Minimal Coordinate Formulation of Contact Dynamics in Operational Space (2012).
#include "support/dense_solve.h"
#include "support/random_tree.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

using test::RandomNumbers;
using test::TreeCase;

using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// φ(p, k) of a wrench (force ; torque) that is moved by r, from the centre of p to that of k.
Matrix6 wrench_shift(const Vec3& r) {
  Matrix6 out = Matrix6::Identity();
  out.bottomLeftCorner<3, 3>() << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  return out;
}

struct Operators {
  TreeCase& c;
  int n, N;
  std::vector<Vec3> centres;
  MatX H, M, E_phi, phi, D, G, E_psi, psi, K, kernel;  // kernel: Υ

  explicit Operators(TreeCase& tree_case) : c(tree_case), n(c.tree.num_links()), N(c.tree.num_v()) {
    forward_kinematics(c.tree, c.q, c.v, c.data);
    H = MatX::Zero(N, 6 * n);
    M = E_phi = MatX::Zero(6 * n, 6 * n);
    for (int k = 0; k < n; ++k) add_link(k);
    phi = dense_inverse(MatX::Identity(6 * n, 6 * n) - E_phi);
    articulate();
    psi = dense_inverse(MatX::Identity(6 * n, 6 * n) - E_psi);
    K = E_phi * G;
    find_kernel();
  }

  static MatX dense_inverse(const MatX& A) {
    return test::dense_solve(A, MatX::Identity(A.rows(), A.rows()));
  }
  Eigen::Block<const MatX> block(const MatX& A, int i, int j) const { return A.block(6 * i, 6 * j, 6, 6); }
  bool carries(int below, int above) const {
    while (above > below) above = c.tree.parent(above);
    return above == below;
  }
  int meeting(int i, int j) const {
    while (i >= 0 && !carries(i, j)) i = c.tree.parent(i);
    return i;
  }
  MatX one() const { return MatX::Identity(N, N); }

 private:
  void add_link(int k) {
    const Placement at = placement(c.tree, c.data, k);
    centres.push_back(at.position);
    const Mat3 R = at.orientation.toRotationMatrix();
    const auto& body = static_cast<const Rigid&>(*c.model.bodies()[std::size_t(c.tree.body(k))].body);
    M.block<3, 3>(6 * k, 6 * k) = body.mass() * Mat3::Identity();
    M.block<3, 3>(6 * k + 3, 6 * k + 3) = R * body.inertia() * R.transpose();
    MotionJacobian J;
    body_jacobian(c.tree, c.data, k, J);
    const int v = c.tree.v(k), dof = c.tree.num_v(k);
    H.block(v, 6 * k, dof, 6) = J.middleCols(v, dof).transpose();
    if (const int p = c.tree.parent(k); p >= 0)
      E_phi.block<6, 6>(6 * p, 6 * k) = wrench_shift(centres.back() - centres[std::size_t(p)]);
  }
  /// Children first: P, D, G and ψ(p, k).
  void articulate() {
    MatX P = M;
    D = MatX::Zero(N, N);
    G = MatX::Zero(6 * n, N);
    E_psi = MatX::Zero(6 * n, 6 * n);
    for (int k = n; k-- > 0;) {
      const int v = c.tree.v(k), dof = c.tree.num_v(k), p = c.tree.parent(k);
      const MatX own_H = H.block(v, 6 * k, dof, 6), own_P = block(P, k, k);
      MatX kept = MatX::Identity(6, 6);
      if (dof > 0) {
        const MatX own_D = own_H * own_P * own_H.transpose();
        D.block(v, v, dof, dof) = own_D;
        G.block(6 * k, v, 6, dof) = own_P * own_H.transpose() * dense_inverse(own_D);
        kept -= G.block(6 * k, v, 6, dof) * own_H;
      }
      if (p < 0) continue;
      const MatX own_psi = block(E_phi, p, k) * kept;
      E_psi.block(6 * p, 6 * k, 6, 6) = own_psi;
      P.block(6 * p, 6 * p, 6, 6) += own_psi * own_P * own_psi.transpose();
    }
  }
  /// (51), parents first.
  void find_kernel() {
    const MatX own = joint_compliance();
    kernel = MatX::Zero(6 * n, 6 * n);
    for (int k = 0; k < n; ++k) {
      kernel.block(6 * k, 6 * k, 6, 6) = block(own, k, k);
      if (const int p = c.tree.parent(k); p >= 0)
        kernel.block(6 * k, 6 * k, 6, 6) +=
            block(E_psi, p, k).transpose() * block(kernel, p, p) * block(E_psi, p, k);
    }
  }

 public:
  MatX joint_compliance() const { return H.transpose() * inverse_D() * H; }  // H* D⁻¹ H
  MatX inverse_D() const { return N == 0 ? D : dense_inverse(D); }
};

void expect_equal(const MatX& a, const MatX& b, const char* equation) {
  EXPECT_LE((a - b).norm(), 1e-10 * (1.0 + b.norm())) << equation;
}

class SpatialOperators : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override {
    RandomNumbers random(GetParam());
    tree.emplace(random, test::TreeOptions{.links = random.integer(1, 12), .chain = GetParam() % 4 == 0});
    for (int k = 0; k < tree->tree.num_links(); ++k) links.push_back({k, Vec3::Zero()});
  }
  std::optional<TreeCase> tree;
  std::vector<LinkPoint> links;
};

TEST_P(SpatialOperators, FactorTheMassMatrixAndItsInverse) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const Operators o(*tree);
  if (o.N == 0) return;  // welded to the world
  MatX mass;
  mass_matrix(tree->tree, tree->q, tree->data, mass);
  const MatX left = o.one() + o.H * o.phi * o.K, inverse = o.one() - o.H * o.psi * o.K;
  expect_equal(o.H * o.phi * o.M * o.phi.transpose() * o.H.transpose(), mass, "(42) Newton-Euler");
  expect_equal(left * o.D * left.transpose(), mass, "(42) innovations");
  expect_equal(left * inverse, o.one(), "(42) inverse of the factor");
  const MatX inverse_mass = inverse.transpose() * o.inverse_D() * inverse;
  expect_equal(inverse_mass, test::dense_solve(mass, o.one()), "(42) inverse of the mass matrix");
  expect_equal(inverse * o.H * o.phi, o.H * o.psi, "(47)");
}

TEST_P(SpatialOperators, AreJacobianAndCompliance) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const Operators o(*tree);
  RandomNumbers random(GetParam() + 1000);
  // nodes anywhere on links: B has a row of blocks for each
  std::vector<LinkPoint> nodes;
  for (int i = 0; i < 5; ++i) nodes.push_back({random.integer(0, o.n - 1), random.vector(0.5)});
  MatX B = MatX::Zero(30, 6 * o.n), J(30, o.N);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Vec3 arm = placement(tree->tree, tree->data, nodes[i].link).orientation * nodes[i].at;
    B.block<6, 6>(6 * Eigen::Index(i), 6 * nodes[i].link) = wrench_shift(arm).transpose();
    MotionJacobian own;
    point_jacobian(tree->tree, tree->data, nodes[i].link, o.centres[std::size_t(nodes[i].link)] + arm, own);
    J.middleRows<6>(6 * Eigen::Index(i)) = own;
  }
  expect_equal(B * o.phi.transpose() * o.H.transpose(), J, "(45)");
  const MatX Omega = o.psi.transpose() * o.joint_compliance() * o.psi;
  MatX Lambda;
  ASSERT_EQ(operational_compliance(tree->tree, tree->q, nodes, tree->data, Lambda), JointTree::kNone);
  expect_equal(B * Omega * B.transpose(), Lambda, "(48)");
  ASSERT_EQ(operational_compliance(tree->tree, tree->q, links, tree->data, Lambda), JointTree::kNone);
  expect_equal(Omega, Lambda, "(48), all links");
}

TEST_P(SpatialOperators, DecomposeTheCompliance) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  const Operators o(*tree);
  MatX Omega;
  ASSERT_EQ(operational_compliance(tree->tree, tree->q, links, tree->data, Omega), JointTree::kNone);
  const MatX strict = o.psi - MatX::Identity(6 * o.n, 6 * o.n);  // ψ̃
  MatX rest = MatX::Zero(6 * o.n, 6 * o.n);                      // R
  for (int i = 0; i < o.n; ++i)
    for (int j = 0; j < o.n; ++j) {
      if (o.carries(i, j) || o.carries(j, i)) continue;
      if (const int k = o.meeting(i, j); k >= 0)
        rest.block(6 * i, 6 * j, 6, 6) =
            o.block(o.psi, k, i).transpose() * o.block(o.kernel, k, k) * o.block(o.psi, k, j);
    }
  expect_equal(o.kernel + strict.transpose() * o.kernel + o.kernel * strict + rest, Omega, "(49)");
  const MatX passed = o.E_psi.transpose() * o.kernel * o.E_psi;
  MatX diagonal = MatX::Zero(6 * o.n, 6 * o.n);
  for (int k = 0; k < o.n; ++k) diagonal.block(6 * k, 6 * k, 6, 6) = o.block(passed, k, k);
  expect_equal(o.kernel - diagonal, o.joint_compliance(), "(50)");
}

/// The four cases of (53); each must have been met.
TEST(SpatialOperators, GiveEveryBlockOfTheCompliance) {
  int own = 0, above = 0, below = 0, aside = 0, apart = 0;
  for (unsigned seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomNumbers random(seed);
    TreeCase c(random, {.links = random.integer(1, 12)});
    const Operators o(c);
    std::vector<LinkPoint> links;
    for (int k = 0; k < o.n; ++k) links.push_back({k, Vec3::Zero()});
    MatX Omega;
    ASSERT_EQ(operational_compliance(c.tree, c.q, links, c.data, Omega), JointTree::kNone);
    for (int i = 0; i < o.n; ++i)
      for (int j = 0; j < o.n; ++j) {
        const MatX block = o.block(Omega, i, j);
        if (i == j) {
          ++own;
          expect_equal(o.block(o.kernel, i, i), block, "(53) i = j");
        } else if (o.carries(i, j)) {  // i ⪰ k ≻ j
          ++above;
          const int k = c.tree.parent(j);
          expect_equal(o.block(Omega, i, k) * o.block(o.E_psi, k, j), block, "(53) j on i");
        } else if (o.carries(j, i)) {
          ++below;
          expect_equal(o.block(Omega, j, i).transpose(), block, "(53) i on j");
        } else if (const int k = o.meeting(i, j); k >= 0) {
          ++aside;
          expect_equal(o.block(Omega, i, k) * o.block(o.psi, k, j), block, "(53) beside each other");
        } else {
          ++apart;
          EXPECT_EQ(block.norm(), 0.0) << "different trees";
        }
      }
  }
  for (const int count : {own, above, below, aside, apart}) EXPECT_GT(count, 50);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SpatialOperators, ::testing::Range(0u, 25u));

int rows_of(const Model& model, const std::vector<int>& constraints) {
  int rows = 0;
  for (const int c : constraints) rows += model.constraints()[std::size_t(c)].constraint->num_rows(false);
  return rows;
}

/// The example of the paper's conclusions: a manipulator of 6 links with 6 degrees of freedom has 30 rows fewer than in body coordinates, whatever
/// else acts on it.
TEST(SpatialOperators, SpareAManipulatorOfSixLinksThirtyRows) {
  Model model;
  BodyId last = world;
  for (int i = 0; i < 6; ++i) {
    const BodyId link = model.add("link" + std::to_string(i), rod(1.0, 1.0), {.position = {i + 0.5, 0, 0}});
    model.add("joint" + std::to_string(i),
              hinge(model.join(link, last, {double(i), 0, 0}, i % 2 == 0 ? Vec3::UnitZ() : Vec3::UnitY())));
    last = link;
  }
  for (const bool holds : {false, true}) {
    if (holds) model.add("hand", distance(model.join(last, world, {6, 0, 0}, Vec3::UnitZ(), {6, 1, 0}), 1.0));
    const JointTree tree(model);
    const int in_bodies = check(Simulation(model)).rows, in_joints = rows_of(model, tree.cuts());
    EXPECT_EQ(in_bodies - in_joints, 30) << (holds ? "with a hand that is held" : "by itself");
    EXPECT_EQ(in_joints, holds ? 1 : 0);
    EXPECT_EQ(Simulation(model).state().v.size(), 36);
    EXPECT_EQ(tree.num_v(), 6);
  }
}

}  // namespace
}  // namespace catena
