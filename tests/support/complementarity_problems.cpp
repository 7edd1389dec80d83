#include "support/complementarity_problems.h"

#include <cmath>

namespace catena::test {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using solve::complementarity::Kind;

int ContactScene::add_body(const Vector3d& middle, double mass, const Vector3d& inertia,
                           const Vector3d& velocity, const Vector3d& spin) {
  bodies_.push_back({middle, inertia, velocity, spin, mass});
  return int(bodies_.size()) - 1;
}

int ContactScene::add_box(const Vector3d& middle, const Vector3d& half, double mass, const Vector3d& velocity,
                          const Vector3d& spin) {
  const Vector3d square = half.cwiseProduct(half);
  const Vector3d inertia =
      mass / 3.0 * Vector3d(square[1] + square[2], square[0] + square[2], square[0] + square[1]);
  return add_body(middle, mass, inertia, velocity, spin);
}

void ContactScene::add_point_row(int a, int b, const Vector3d& point, const Vector3d& axis, double bias) {
  Row row{a, b, {}, {}, bias};
  row.on_a.setZero();
  row.on_b.setZero();
  if (a >= 0) row.on_a << axis, (point - bodies_[std::size_t(a)].middle).cross(axis);
  if (b >= 0) row.on_b << -axis, -(point - bodies_[std::size_t(b)].middle).cross(axis);
  row_list_.push_back(row);
}

void ContactScene::add_spin_row(int a, int b, const Vector3d& axis, double bias) {
  Row row{a, b, {}, {}, bias};
  row.on_a << Vector3d::Zero(), axis;
  row.on_b << Vector3d::Zero(), -axis;
  row_list_.push_back(row);
}

void ContactScene::add_contact(int a, int b, const Vector3d& point, const Vector3d& normal, double friction,
                               double bias) {
  const Vector3d n = normal.normalized();
  const Vector3d t1 = n.cross(std::abs(n[0]) < 0.6 ? Vector3d::UnitX() : Vector3d::UnitY()).normalized();
  last_normal_ = rows_.add_cone(friction);
  add_point_row(a, b, point, n, bias);
  add_point_row(a, b, point, t1, 0.0);
  add_point_row(a, b, point, n.cross(t1), 0.0);
}

void ContactScene::add_ball(int a, int b, const Vector3d& point) {
  for (int k = 0; k < 3; ++k) {
    rows_.add_equality();
    add_point_row(a, b, point, Vector3d::Unit(k), 0.0);
  }
}

void ContactScene::add_spin_equality(int a, int b, const Vector3d& axis) {
  rows_.add_equality();
  add_spin_row(a, b, axis, 0.0);
}

void ContactScene::add_spin_limit(int a, int b, const Vector3d& axis, double bias) {
  rows_.add_lower();
  add_spin_row(a, b, axis, bias);
}

void ContactScene::add_spin_friction(int a, int b, const Vector3d& axis, double most) {
  rows_.add_box(-most, most);
  add_spin_row(a, b, axis, 0.0);
}

void ContactScene::add_spin_at_contact(int a, int b, const Vector3d& axis, double friction) {
  rows_.add_dependent(friction, last_normal_);
  add_spin_row(a, b, axis, 0.0);
}

void ContactScene::fall(const Vector3d& change) {
  for (Body& body : bodies_) body.velocity += change;
}

ComplementarityProblem ContactScene::problem(std::string group, Known known) const {
  const Eigen::Index n = Eigen::Index(row_list_.size()), dims = 6 * Eigen::Index(bodies_.size());
  MatrixXd J = MatrixXd::Zero(n, dims);
  VectorXd inverse_mass(dims), v(dims), b(n);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Body& body = bodies_[k];
    inverse_mass.segment<3>(6 * Eigen::Index(k)).setConstant(1.0 / body.mass);
    inverse_mass.segment<3>(6 * Eigen::Index(k) + 3) = body.inertia.cwiseInverse();
    v.segment<6>(6 * Eigen::Index(k)) << body.velocity, body.spin;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    const Row& row = row_list_[std::size_t(i)];
    if (row.a >= 0) J.row(i).segment<6>(6 * row.a) += row.on_a.transpose();
    if (row.b >= 0) J.row(i).segment<6>(6 * row.b) += row.on_b.transpose();
    b[i] = row.bias;
  }
  const MatrixXd answers = inverse_mass.asDiagonal() * J.transpose();
  return {std::move(group), rows_, J * answers, J * v + b, known};
}

namespace {

double uniform_number(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

Vector3d uniform_vector(std::mt19937& random, double size) {
  return {uniform_number(random, -size, size), uniform_number(random, -size, size),
          uniform_number(random, -size, size)};
}

// points × points contacts over the face between two boxes of half sides 0.5, at height z.
void add_face(ContactScene& scene, int upper, int lower, double z, double friction, int points) {
  for (int i = 0; i < points; ++i)
    for (int j = 0; j < points; ++j) {
      const Vector3d point(-0.5 + i / double(points - 1), -0.5 + j / double(points - 1), z);
      scene.add_contact(upper, lower, point, Vector3d::UnitZ(), friction);
    }
}

constexpr double kGravityStep = 9.81 * 0.005;

}  // namespace

ComplementarityProblem stack_problem(std::mt19937& random, int boxes, double mass_ratio, bool slides,
                                     bool falls) {
  ContactScene scene;
  const double friction = uniform_number(random, 0.3, 0.8);
  const double slope = falls ? 0.0 : uniform_number(random, 0.0, 0.8 * std::atan(friction));
  for (int k = 0; k < boxes; ++k) {
    const double mass = std::pow(mass_ratio, k / double(boxes - 1));
    const Vector3d velocity = slides  ? uniform_vector(random, 0.3)
                              : falls ? Vector3d(0, 0, -uniform_number(random, 0.5, 2.0))
                                      : Vector3d::Zero();
    const Vector3d spin = slides ? uniform_vector(random, 0.3) : Vector3d::Zero();
    scene.add_box({0, 0, 0.5 + k}, {0.5, 0.5, 0.5}, mass, velocity, spin);
    add_face(scene, k, k - 1, k, friction, 2);
  }
  scene.fall(kGravityStep * Vector3d(std::sin(slope), 0.0, -std::cos(slope)));
  return scene.problem(slides ? "stack slides" : falls ? "stack lands" : "stack rests");
}

ComplementarityProblem dense_face_problem(std::mt19937& random, int boxes) {
  ContactScene scene;
  for (int k = 0; k < boxes; ++k) {
    scene.add_box({0, 0, 0.5 + k}, {0.5, 0.5, 0.5}, uniform_number(random, 0.5, 2.0),
                  uniform_vector(random, 0.2), uniform_vector(random, 0.2));
    add_face(scene, k, k - 1, k, 0.5, 3);
  }
  scene.fall({0, 0, -kGravityStep});
  return scene.problem("nine points a face");
}

ComplementarityProblem arch_problem(std::mt19937& random, int stones) {
  ContactScene scene;
  const double friction = uniform_number(random, 0.5, 1.0), inner = 2.0, outer = 2.6;
  const auto joint = [&](int k) { return M_PI * k / stones; };
  for (int k = 0; k < stones; ++k) {
    const double angle = 0.5 * (joint(k) + joint(k + 1)), middle = 0.5 * (inner + outer);
    scene.add_box({middle * std::cos(angle), 0, middle * std::sin(angle)}, {0.3, 0.3, 0.3}, 1.0);
  }
  for (int k = 0; k <= stones; ++k) {
    const double angle = joint(k);
    const Vector3d along(-std::sin(angle), 0, std::cos(angle));  // from stone k - 1 to stone k
    const Vector3d radial(std::cos(angle), 0, std::sin(angle));
    for (const double radius : {inner, outer})
      for (const double y : {-0.3, 0.3}) {
        const Vector3d point = radius * radial + y * Vector3d::UnitY();
        if (k < stones)
          scene.add_contact(k, k - 1, point, along, friction);
        else
          scene.add_contact(k - 1, -1, point, -along, friction);
      }
  }
  scene.fall({0, 0, -kGravityStep});
  return scene.problem("arch");
}

ComplementarityProblem chain_problem(std::mt19937& random, int links) {
  ContactScene scene;
  for (int k = 0; k < links; ++k) {
    const double mass = k == links - 1 ? 100.0 : 1.0;
    scene.add_box({0.5 + k, 0, 0}, {0.5, 0.05, 0.05}, mass, uniform_vector(random, 0.3),
                  uniform_vector(random, 0.3));
    scene.add_ball(k, k - 1, {double(k), 0, 0});
    if (k % 2 == 1) scene.add_spin_limit(k, k - 1, Vector3d::UnitY(), uniform_number(random, 0.0, 0.2));
    if (k % 3 == 2) scene.add_spin_friction(k, k - 1, Vector3d::UnitZ(), uniform_number(random, 0.01, 0.3));
    if (k % 5 == 4) scene.add_contact(k, -1, {k + 1.0, 0, -0.05}, Vector3d::UnitZ(), 0.5);
  }
  scene.fall({0, 0, -kGravityStep});
  return scene.problem("chain with limits");
}

ComplementarityProblem robot_problem(std::mt19937& random, int joints) {
  ContactScene scene;
  for (int k = 0; k < joints; ++k) {
    const Vector3d axis = Vector3d::Unit(k % 3), u = Vector3d::Unit((k + 1) % 3),
                   v = Vector3d::Unit((k + 2) % 3);
    scene.add_box({0, 0.1 * (k % 2), 0.5 + k}, {0.1, 0.1, 0.5}, std::pow(0.5, k), uniform_vector(random, 0.2),
                  uniform_vector(random, 1.0));
    scene.add_ball(k, k - 1, {0, 0, double(k)});
    scene.add_spin_equality(k, k - 1, u);
    scene.add_spin_equality(k, k - 1, v);
    if (uniform_number(random, 0, 1) < 0.4) scene.add_spin_limit(k, k - 1, axis);
    scene.add_spin_friction(k, k - 1, axis, uniform_number(random, 0.001, 0.1));
  }
  const int hand = joints - 1;
  for (const double x : {-0.1, 0.1}) scene.add_contact(hand, -1, {x, 0, joints + 0.5}, {0, 0, -1}, 0.7);
  scene.add_spin_at_contact(hand, -1, Vector3d::UnitZ(), 0.05);
  scene.fall({0, 0, -kGravityStep});
  return scene.problem("robot");
}

ComplementarityProblem heap_problem(std::mt19937& random, int spheres) {
  ContactScene scene;
  std::vector<Vector3d> middles;
  for (int k = 0; k < spheres; ++k) {  // columns of three, a little askew
    const int column = k / 3, level = k % 3;
    Vector3d middle(column % 4, column / 4, 0.5);
    if (level > 0)
      middle = middles.back() +
               Vector3d(uniform_number(random, -0.3, 0.3), uniform_number(random, -0.3, 0.3), 0.95);
    middles.push_back(middle);
    scene.add_body(middle, uniform_number(random, 0.5, 2.0), Vector3d::Constant(0.1),
                   uniform_vector(random, 0.2), uniform_vector(random, 0.2));
  }
  for (int k = 0; k < spheres; ++k) {
    const Vector3d& at = middles[std::size_t(k)];
    if (k % 3 == 0) scene.add_contact(k, -1, at - 0.5 * Vector3d::UnitZ(), Vector3d::UnitZ(), 0.4);
    for (int other = 0; other < k; ++other) {
      const Vector3d apart = at - middles[std::size_t(other)];
      if (apart.norm() < 1.05)
        scene.add_contact(k, other, middles[std::size_t(other)] + 0.5 * apart, apart, 0.4);
    }
  }
  scene.fall({0, 0, -kGravityStep});
  return scene.problem("heap of spheres");
}

ComplementarityProblem loose_problem(std::mt19937& random, int contacts, double most_friction) {
  ContactScene scene;
  const int bodies = 2 + contacts / 2;
  for (int k = 0; k < bodies; ++k)
    scene.add_body(uniform_vector(random, 1.0), std::pow(10.0, uniform_number(random, -1.0, 1.0)),
                   Vector3d(uniform_number(random, 0.1, 1.0), uniform_number(random, 0.1, 1.0),
                            uniform_number(random, 0.1, 1.0)),
                   uniform_vector(random, 1.0), uniform_vector(random, 1.0));
  for (int k = 0; k < contacts; ++k) {
    const int a = int(random() % unsigned(bodies)), b = int(random() % unsigned(bodies + 1)) - 1;
    if (a == b) continue;
    scene.add_contact(a, b, uniform_vector(random, 1.0), uniform_vector(random, 1.0),
                      uniform_number(random, 0.0, most_friction), 1e-3);
  }
  return scene.problem("loose, friction to " + std::to_string(most_friction).substr(0, 4));
}

ComplementarityProblem grip_problem(std::mt19937& random) {
  ContactScene scene;
  const int held = scene.add_box({0, 0, 0}, {0.004, 0.004, 0.02}, 0.045);
  for (const double side : {-1.0, 1.0}) {
    const int pad = scene.add_box({side * 0.014, 0, 0}, {0.01, 0.01, 0.02}, 0.5,
                                  {-side * uniform_number(random, 0.05, 0.5), 0, 0});
    scene.add_spin_equality(pad, -1, Vector3d::UnitX());
    scene.add_spin_equality(pad, -1, Vector3d::UnitY());
    scene.add_spin_equality(pad, -1, Vector3d::UnitZ());
    for (const double y : {-0.004, 0.004})
      for (const double z : {-0.01, 0.01})
        scene.add_contact(held, pad, {side * 0.004, y, z}, {-side, 0, 0}, 0.7);
  }
  scene.fall({0, 0, -kGravityStep});
  return scene.problem("grip");
}

ComplementarityProblem pinch_problem(std::mt19937& random) {
  ContactScene scene;
  const int body = scene.add_box({0, 0, 0}, {0.5, 0.5, 0.5}, 1.0, uniform_vector(random, 0.3));
  const double friction = uniform_number(random, 0.1, 0.8), speed = uniform_number(random, 0.1, 1.0);
  for (const double side : {-1.0, 1.0})
    for (const double y : {-0.5, 0.5})
      for (const double z : {-0.5, 0.5})
        scene.add_contact(body, -1, {0.5 * side, y, z}, {-side, 0, 0}, friction, -speed);
  return scene.problem("pinch", Known::unsolvable);
}

ComplementarityProblem scene_problem(std::uint64_t seed) {
  std::mt19937 random{unsigned(seed)};
  const double ratio = std::pow(10.0, 3.0 * (int(random() % 3u) - 1));
  const int contacts = 4 + int(random() % 16u);
  switch (seed % 14) {
    case 0:
      return stack_problem(random, 10, ratio, false, false);
    case 1:
      return stack_problem(random, 10, ratio, true, false);
    case 2:
      return stack_problem(random, 10, ratio, false, true);
    case 3:
      return dense_face_problem(random, 5);
    case 4:
      return arch_problem(random, 7 + int(random() % 9u));
    case 5:
      return chain_problem(random, 30);
    case 6:
      return robot_problem(random, 3 + int(random() % 6u));
    case 7:
      return heap_problem(random, 36);
    case 8:
      return loose_problem(random, contacts, 0.3);
    case 9:
      return loose_problem(random, contacts, 1.0);
    case 10:
      return loose_problem(random, contacts, 3.0);
    case 11:
      return loose_problem(random, contacts, 10.0);
    case 12:
      return grip_problem(random);
    default:
      return pinch_problem(random);
  }
}

}  // namespace catena::test
