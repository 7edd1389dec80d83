// Mechanisms for the benchmarks.
#include "bench/mechanisms.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

namespace catena::app {
namespace {

constexpr double kLength = 0.1;  // of a rod   m
constexpr double kMass = 1.0;    // of a rod   kg
constexpr unsigned kSeed = 1996;

const Shape kRodShape{Shape::Kind::rod, Vec3(kLength, kLength / 20, 0)};

class Random {
 public:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(engine_); }
  Vec3 direction() {
    Vec3 d;
    do d = Vec3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    while (d.norm() < 0.1 || d.norm() > 1);
    return d.normalized();
  }

 private:
  std::mt19937 engine_{kSeed};
};

/// A rod that hangs with its end at `point`, which moves with `velocity`.
Placement hang(const Vec3& point, const Vec3& velocity, const Quat& orientation, const Vec3& spin) {
  const Vec3 arm = orientation * Vec3(0.5 * kLength, 0, 0);
  return {.position = point + arm,
          .orientation = orientation,
          .velocity = velocity + spin.cross(arm),
          .angular_velocity = spin};
}

Vec3 tip_of(const Placement& p) {
  return p.position + p.orientation * Vec3(0.5 * kLength, 0, 0);
}

Vec3 tip_velocity_of(const Placement& p) {
  return p.velocity + p.angular_velocity.cross(p.orientation * Vec3(0.5 * kLength, 0, 0));
}

/// Rods on ball joints: rod i hangs at the tip of rod parent(i), or at the world's origin for parent -1.
template <class Parent>
Model ball_tree(int links, Parent parent) {
  Random random;
  Model model;
  std::vector<BodyId> ids;
  std::vector<Placement> placements;
  const auto body = rod(kMass, kLength);
  for (int i = 0; i < links; ++i) {
    const int p = parent(i, random);
    const Vec3 point = p < 0 ? Vec3(Vec3::Zero()) : tip_of(placements[std::size_t(p)]);
    const Vec3 velocity = p < 0 ? Vec3(Vec3::Zero()) : tip_velocity_of(placements[std::size_t(p)]);
    const Quat turn =
        rotation_between(Vec3::UnitX(), (random.direction() - 1.5 * Vec3::UnitZ()).normalized());
    placements.push_back(hang(point, velocity, turn, random.direction()));
    ids.push_back(model.add(fmt::format("link-{}", i), body, placements.back(), kRodShape));
    model.add(fmt::format("joint-{}", i),
              ball(model.join(ids.back(), p < 0 ? world : ids[std::size_t(p)], point)));
  }
  return model;
}

/// The same on hinges, about axes that are perpendicular to the rod above.
template <class Parent>
Model hinged_rods(int links, Parent parent) {
  struct Rod {
    BodyId id;
    Placement placement;
  };
  Random random;
  Model model;
  std::vector<Rod> rods;
  const auto body = rod(kMass, kLength);
  const Placement hook{.position = {0, 0, 0.5 * kLength},
                       .orientation = rotation_between(Vec3::UnitX(), -Vec3::UnitZ())};
  for (int i = 0; i < links; ++i) {
    const int p = parent(i);
    const Rod above = p < 0 ? Rod{world, hook} : rods[std::size_t(p)];
    const Vec3 point = tip_of(above.placement), velocity = tip_velocity_of(above.placement);
    const Vec3 along = above.placement.orientation * Vec3::UnitX();
    const Vec3 axis = along.cross(random.direction()).normalized();
    const Quat turn =
        (Quat(Eigen::AngleAxisd(random.uniform(-0.5, 0.5), axis)) * above.placement.orientation).normalized();
    const Vec3 spin = above.placement.angular_velocity + random.uniform(-1, 1) * axis;
    const Placement placement = hang(point, velocity, turn, spin);
    const BodyId id = model.add(fmt::format("link-{}", i), body, placement, kRodShape);
    model.add(fmt::format("joint-{}", i), hinge(model.join(id, above.id, point, axis)));
    rods.push_back({id, placement});
  }
  return model;
}

/// Rods on ball joints with springs and dampers, straight out from the world along x, at rest.
Model straight_chain(int links, double mass, double length, double stiffness) {
  Model model;
  const double radius = length / 20.0;
  const auto body = rod(mass, length, radius);
  const Law law{.stiffness = stiffness, .damping = stiffness / 100.0};
  BodyId previous = world;
  Vec3 at = Vec3::Zero();
  for (int i = 1; i <= links; ++i) {
    const BodyId id = model.add(fmt::format("link{}", i), body, {.position = at + Vec3(0.5 * length, 0, 0)},
                                {Shape::Kind::rod, Vec3(length, radius, 0)});
    const AttachmentPair joint = model.join(id, previous, at);
    model.add(fmt::format("link-joint{}", i), ball(joint));
    model.add(fmt::format("link-spring{}", i), elastic(ball_coordinates(joint), law));
    previous = id;
    at += length * Vec3::UnitX();
  }
  return model;
}

}  // namespace

Model bent_chain(int links, const std::string& joint) {
  if (joint == "hinge") return hinged_rods(links, [](int i) { return i - 1; });
  return ball_tree(links, [](int i, Random&) { return i - 1; });
}

Model hinge_tree(int links) {
  return hinged_rods(links, [](int i) { return i == 0 ? -1 : (i - 1) / 2; });
}

Model payload_chain(const PayloadChain& chain) {
  Model model;
  const Vec3 spin(0, 0, chain.spin);
  const auto body = rod(chain.link_mass, kLength);
  BodyId previous = world;
  Vec3 at = Vec3::Zero(), axis = Vec3::UnitZ();
  for (int i = 0; i < chain.links; ++i) {
    const Placement placement = hang(at, spin.cross(at), Quat::Identity(), spin);
    const BodyId id = model.add(fmt::format("link-{}", i), body, placement, kRodShape);
    const AttachmentPair ends = model.join(id, previous, at, axis);
    model.add(fmt::format("joint-{}", i), chain.joint == "hinge" ? hinge(ends) : ball(ends));
    previous = id;
    at.x() += kLength;
    axis = Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitX()) * axis;
  }
  if (chain.payload > 0) {
    const BodyId id =
        model.add("payload", std::make_shared<Particle3>(chain.payload),
                  {.position = at, .velocity = spin.cross(at)}, {Shape::Kind::sphere, Vec3(0.3, 0, 0)});
    model.add("payload-joint", ball(model.join(id, previous, at)));
  }
  return model;
}

Model random_tree(int links) {
  return ball_tree(links, [](int i, Random& random) { return i == 0 ? -1 : random.below(i); });
}

Model binary_tree(int links) {
  return ball_tree(links, [](int i, Random&) { return i == 0 ? -1 : (i - 1) / 2; });
}

Model planar_tree(int constraints) {
  Random random;
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  const auto body = planar_rod(kMass, kLength);
  std::vector<BodyId> ids;
  std::vector<Placement> placements;
  for (int i = 0; i <= constraints; ++i) {
    const int p = i == 0 ? -1 : random.below(i);
    const Vec3 point = p < 0 ? Vec3(Vec3::Zero()) : tip_of(placements[std::size_t(p)]);
    const Vec3 velocity = p < 0 ? Vec3(Vec3::Zero()) : tip_velocity_of(placements[std::size_t(p)]);
    const Quat turn(Eigen::AngleAxisd(random.uniform(-3, 3), Vec3::UnitZ()));
    placements.push_back(hang(point, velocity, turn, Vec3(0, 0, random.uniform(-1, 1))));
    ids.push_back(model.add(fmt::format("link-{}", i), body, placements.back(), kRodShape));
    if (p >= 0)
      model.add(fmt::format("pin-{}", i), hinge(model.join(ids.back(), ids[std::size_t(p)], point)));
  }
  return model;
}

Model star(int arms) {
  Random random;
  Model model;
  const double radius = 1.0;
  const BodyId hub = model.add("hub", sphere(10.0, radius), {}, {Shape::Kind::sphere, Vec3(radius, 0, 0)});
  const auto body = rod(kMass, kLength);
  for (int i = 0; i < arms; ++i) {
    const Vec3 outwards = random.direction();
    const Vec3 point = radius * outwards;
    const Quat turn = rotation_between(Vec3::UnitX(), outwards);
    const BodyId arm = model.add(fmt::format("arm-{}", i), body,
                                 hang(point, Vec3::Zero(), turn, random.direction()), kRodShape);
    model.add(fmt::format("joint-{}", i), ball(model.join(arm, hub, point)));
  }
  return model;
}

Model six_bodies() {
  // constraint: bodies it connects, numbered from 1 as in the figure
  constexpr int kJoins[5][2] = {{1, 2}, {2, 3}, {2, 4}, {1, 5}, {5, 6}};
  Random random;
  Model model;
  std::vector<BodyId> ids;
  std::vector<Vec3> centres;
  for (int i = 0; i < 6; ++i) {
    centres.push_back(Vec3(i, random.uniform(-1, 1), random.uniform(-1, 1)));
    ids.push_back(model.add(fmt::format("body-{}", i + 1), box(1.0 + i, Vec3(0.3, 0.2, 0.1)),
                            {.position = centres.back()}, {Shape::Kind::box, Vec3(0.3, 0.2, 0.1)}));
  }
  for (int c = 0; c < 5; ++c) {
    const auto a = std::size_t(kJoins[c][0] - 1), b = std::size_t(kJoins[c][1] - 1);
    model.add(fmt::format("constraint-{}", c + 7),
              ball(model.join(ids[a], ids[b], 0.5 * (centres[a] + centres[b]))));
  }
  return model;
}

Model bead(double stiffness) {
  Model model;
  model.gravity = Vec3::Zero();
  const BodyId id = model.add("bead", std::make_shared<Particle2>(5.0),
                              {.position = Vec3(1, 0, 0), .velocity = Vec3(0, 2, 0)});
  if (stiffness > 0)
    model.add("wire", spring_damper(model.join(id, world, Vec3(1, 0, 0), Vec3::UnitZ(), Vec3::Zero()),
                                    stiffness, 0.0, 1.0));
  else
    model.add("wire", point_on_curve(model.mark(id, Vec3(1, 0, 0)), Attachment{},
                                     circle(Vec3::Zero(), Vec3::UnitZ(), 1.0)));
  return model;
}

Model swinging_truss(double stiffness) {
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  struct Node {
    BodyId id;
    Vec3 x;
  };
  // lower chord at y = 0 from x = 0 to 4, upper chord half a bay further and one bay higher
  std::vector<Node> nodes;
  const auto add_node = [&](const Vec3& x) {
    nodes.push_back(
        {model.add(fmt::format("node-{}", nodes.size()), std::make_shared<Particle2>(1.0), {.position = x}),
         x});
  };
  for (int i = 1; i <= 4; ++i) add_node(Vec3(i, 0, 0));
  for (int i = 0; i < 4; ++i) add_node(Vec3(i + 0.5, 1, 0));
  const Node support{world, Vec3::Zero()};
  const auto lower = [&](int i) { return i == 0 ? support : nodes[std::size_t(i) - 1]; };
  const auto upper = [&](int i) { return nodes[std::size_t(i) + 4]; };
  int count = 0;
  const auto add_bar = [&](const Node& a, const Node& b) {
    const double length = (a.x - b.x).norm();
    const AttachmentPair at = model.join(a.id, b.id, a.x, Vec3::UnitZ(), b.x);
    const std::string name = fmt::format("bar-{}", count++);
    if (stiffness > 0)
      model.add(name, spring_damper(at, stiffness, 0.0, length));
    else
      model.add(name, distance(at, length));
  };
  for (int i = 0; i < 4; ++i) {
    add_bar(lower(i + 1), lower(i));
    add_bar(upper(i), lower(i));
    add_bar(lower(i + 1), upper(i));
    if (i > 0) add_bar(upper(i), upper(i - 1));
  }
  return model;
}

Model ladder(int rungs) {
  Random random;
  Model model;
  const auto body = rod(kMass, kLength);
  BodyId above[2] = {world, world};
  Vec3 foot[2] = {Vec3(0, 0, 0), Vec3(kLength, 0, 0)};
  const auto add_rod = [&](const std::string& name, const Vec3& from, const Vec3& to) {
    Placement at;
    at.position = 0.5 * (from + to);
    at.orientation = rotation_between(Vec3::UnitX(), to - from);
    return model.add(name, body, at, kRodShape);
  };
  for (int i = 0; i < rungs; ++i) {
    // both rails in the same direction, which wanders: the rungs keep their length
    const Vec3 step = kLength * (Vec3(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), -1).normalized());
    BodyId rail[2];
    for (int side = 0; side < 2; ++side) {
      rail[side] = add_rod(fmt::format("rail-{}-{}", side, i), foot[side], foot[side] + step);
      model.add(fmt::format("joint-{}-{}", side, i), ball(model.join(rail[side], above[side], foot[side])));
      foot[side] += step;
      above[side] = rail[side];
    }
    const BodyId rung = add_rod(fmt::format("rung-{}", i), foot[0], foot[1]);
    for (int side = 0; side < 2; ++side)
      model.add(fmt::format("rung-joint-{}-{}", side, i), ball(model.join(rung, rail[side], foot[side])));
  }
  return model;
}

Model stiff_chain(int links, double stiffness) {
  constexpr double kWhole = 10.0, kWeight = 10.0, kBending = 2000.0;  // m, kg, N·m²
  if (stiffness < 0.0) stiffness = kBending * links / kWhole;
  return straight_chain(links, kWeight / links, kWhole / links, stiffness);
}

Model alike_stiff_chain(int links) {
  return straight_chain(links, kMass, kLength, 1000.0);
}

Model bent_stiff_chain(int links, double stiffness) {
  Model model = bent_chain(links, "ball");
  for (int i = 1; i < links; ++i) {
    const std::span<const Attachment> at = model.constraints()[std::size_t(i)].constraint->attachments();
    model.add(fmt::format("spring-{}", i),
              elastic(ball_coordinates({at[0], at[1]}), Law{.stiffness = stiffness}));
  }
  return model;
}

Model held_centre(int bodies) {
  Model model;
  std::vector<Attachment> centres;
  std::vector<double> masses;
  for (int k = 0; k < bodies; ++k) {
    const Vec3 x(std::cos(k), std::sin(k), 0.01 * k);
    const double mass = 1.0 + 0.5 * std::sin(3.0 * k);
    const BodyId id =
        model.add(fmt::format("particle{}", k), std::make_shared<Particle3>(mass), {.position = x});
    centres.push_back(model.mark(id, x));
    masses.push_back(mass);
  }
  model.add("centre", centre_of_mass(std::move(centres), std::move(masses), Vec3::Zero()));
  return model;
}

Model ring(int links) {
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  const auto body = planar_rod(kMass, kLength);
  const double radius = 0.5 * kLength / std::sin(std::numbers::pi / links);
  const auto corner = [&](int i) {
    const double angle = 2.0 * std::numbers::pi * i / links;
    return Vec3(radius * std::cos(angle), radius * std::sin(angle), 0);
  };
  std::vector<BodyId> ids;
  for (int i = 0; i < links; ++i) {
    const Vec3 from = corner(i), to = corner(i + 1);
    Placement at;
    at.position = 0.5 * (from + to);
    at.orientation = Quat(Eigen::AngleAxisd(std::atan2((to - from).y(), (to - from).x()), Vec3::UnitZ()));
    ids.push_back(model.add(fmt::format("link-{}", i), body, at, kRodShape));
    if (i > 0)
      model.add(fmt::format("pin-{}", i), hinge(model.join(ids.back(), ids[std::size_t(i - 1)], from)));
  }
  model.add("pin-0", hinge(model.join(ids.front(), ids.back(), corner(0))));
  return model;
}

Model four_bars(int n) {
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  const auto body = planar_rod(1.0, 1.0);
  const Vec3 up(std::sin(std::numbers::pi / 6), std::cos(std::numbers::pi / 6), 0);
  std::vector<BodyId> cranks;
  const auto add_bar = [&](const std::string& name, const Vec3& from, const Vec3& along) {
    Placement at;
    at.position = from + 0.5 * along;
    at.orientation = Quat(Eigen::AngleAxisd(std::atan2(along.y(), along.x()), Vec3::UnitZ()));
    return model.add(name, body, at, {Shape::Kind::rod, Vec3(1.0, 0.03, 0)});
  };
  for (int i = 0; i <= n; ++i) {
    cranks.push_back(add_bar(fmt::format("crank-{}", i), Vec3(i, 0, 0), up));
    model.add(fmt::format("pivot-{}", i), hinge(model.join(cranks.back(), world, Vec3(i, 0, 0))));
    if (i == 0) continue;
    const BodyId coupler = add_bar(fmt::format("coupler-{}", i), up + Vec3(i - 1, 0, 0), Vec3::UnitX());
    model.add(fmt::format("left-{}", i),
              hinge(model.join(coupler, cranks[std::size_t(i - 1)], up + Vec3(i - 1, 0, 0))));
    model.add(fmt::format("right-{}", i), hinge(model.join(coupler, cranks.back(), up + Vec3(i, 0, 0))));
  }
  return model;
}

Model planar_loops() {
  Model model = planar_tree(48);
  // pins between bodies far apart in the tree; where they are does not matter, every place is consistent at rest
  for (int k = 0; k < 6; ++k) {
    const BodyId a = model.bodies()[std::size_t(8 * k + 1)].id, b = model.bodies()[std::size_t(8 * k + 8)].id;
    const Vec3 point(0.1 * k, 0.05 * k * k, 0);
    model.add(fmt::format("closing-pin-{}", k), hinge(model.join(a, b, point)));
  }
  return model;
}

}  // namespace catena::app
