// Witkin's loop in a page: particles, two constraints, block-sparse J in full storage, nothing but Eigen.
#include <Eigen/Dense>

#include <cstdio>

using Eigen::MatrixXd, Eigen::VectorXd, Eigen::Vector2d;

// [snippet:program]
struct System {  // a bead on a circle of radius 1, a second particle on a rod of length 1 below it
  VectorXd q{{1, 0, 1, -1}}, v = VectorXd::Zero(4);
  const double mass = 1.0, k_s = 100.0, k_d = 20.0;  // critical damping: k_d = 2 √k_s

  VectorXd forces() const { return mass * VectorXd{{0, -9.81, 0, -9.81}}; }  // 1. clear forces and apply them

  // 2. evaluate the constraints: C, J and J̇v
  void constraints(VectorXd& C, MatrixXd& J, VectorXd& Jdot_v) const {
    const Vector2d a = q.head(2), b = q.tail(2), va = v.head(2), d = b - a, vd = v.tail(2) - va;
    const double r = a.norm(), l = d.norm();
    C = VectorXd{{r - 1, l - 1}};
    J = MatrixXd::Zero(2, 4);
    J.row(0).head(2) = a.transpose() / r;
    J.row(1) << -d.transpose() / l, d.transpose() / l;
    const auto turn = [](const Vector2d& x, const Vector2d& w, double n) {
      const double along = x.dot(w) / n;
      return (w.squaredNorm() - along * along) / n;
    };
    Jdot_v = VectorXd{{turn(a, va, r), turn(d, vd, l)}};
  }

  VectorXd accelerations() const {
    const VectorXd Q = forces();
    VectorXd C, Jdot_v;
    MatrixXd J;
    constraints(C, J, Jdot_v);
    // 3. solve (J W Jᵀ) λ = -J̇v - J W Q - k_s C - k_d J v
    const MatrixXd A = J * J.transpose() / mass;
    const VectorXd lambda = A.llt().solve(-Jdot_v - J * Q / mass - k_s * C - k_d * (J * v));
    return (Q + J.transpose() * lambda) / mass;  // 4. add the constraint forces, divide by the masses
  }

  void step(double h) {  // symplectic Euler
    v += h * accelerations();
    q += h * v;
  }
};
// [snippet:end]

int main() {
  System s;
  double error = 0.0;
  for (int k = 0; k < 10000; ++k) {
    s.step(1e-3);
    error =
        std::max({error, std::abs(s.q.head(2).norm() - 1), std::abs((s.q.tail(2) - s.q.head(2)).norm() - 1)});
  }
  std::printf("ten seconds: the constraints held to %.1e m\n", error);
  return error < 1e-2 ? 0 : 1;
}
