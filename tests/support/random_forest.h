// Random forests over every kind of body and constraint, at the level of the model.
#pragma once

#include "support/mechanisms.h"

namespace catena::test {

struct ForestOptions {
  int bodies = 12;
  double mass_exponent = 1.0;  // masses from 10^-e to 10^e
  double world_probability = 0.25;
  double second_world_probability = 0.1;  // of a further one-row constraint to the world
  double cluster_probability = 0.3;       // of a constraint on three or more bodies at once
};

class RandomForest {
 public:
  RandomForest(unsigned seed, const ForestOptions& options) : random_(seed), options_(options) {
    model.gravity = vector(9.81);
    for (int i = 0; i < options.bodies; ++i) add_body(i);
    if (number(0, 1) < options.cluster_probability) add_cluster();
  }

  Model model;
  int num_guys = 0;  // further constraints to the world, merged with their bodies by the tree solver

 protected:
  enum class Kind { particle2, particle3, planar, rigid, scaled, affine, quadratic, bead };

  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  Vec3 vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }

  static bool is_planar(Kind k) { return k == Kind::particle2 || k == Kind::planar; }
  static bool turns(Kind k) { return k == Kind::planar || k == Kind::rigid || is_deformable(k); }
  static bool is_deformable(Kind k) { return k == Kind::scaled || k == Kind::affine || k == Kind::quadratic; }

  void add_body(int i) {
    const Kind kind = Kind(integer(0, 7));
    const double mass = std::pow(10.0, number(-options_.mass_exponent, options_.mass_exponent));
    Placement at;
    at.position = vector(2.0);
    at.velocity = vector(1.0);
    std::shared_ptr<const Body> body;
    switch (kind) {
      case Kind::particle2:
        body = std::make_shared<Particle2>(mass);
        break;
      case Kind::particle3:
        body = std::make_shared<Particle3>(mass);
        break;
      case Kind::planar:
        body = std::make_shared<PlanarRigid>(mass, mass * number(0.1, 0.5));
        at.orientation = Quat(Eigen::AngleAxisd(number(-3, 3), Vec3::UnitZ()));
        at.angular_velocity = {0, 0, number(-2, 2)};
        break;
      case Kind::rigid:
        body = std::make_shared<Rigid>(
            mass, Vec3(mass * Vec3(number(0.3, 0.5), number(0.3, 0.5), number(0.3, 0.5))));
        at.orientation = Quat(Eigen::AngleAxisd(number(-3, 3), vector(1.0).normalized()));
        at.angular_velocity = vector(2.0);
        break;
      case Kind::scaled:
        body = std::make_shared<ScaledRigid>(
            mass, Vec3(mass * Vec3(number(0.3, 0.5), number(0.3, 0.5), number(0.3, 0.5))),
            integer(0, 1) == 0 ? ScaleAxes::uniform() : ScaleAxes::along_xyz(), mass * 10.0);
        break;
      case Kind::affine:
      case Kind::quadratic:
        body = std::make_shared<Deformable>(
            kind == Kind::affine ? Deformable::Order::linear : Deformable::Order::quadratic, mass,
            Vec3(number(1.5, 2.5), number(1.5, 2.5), number(1.5, 2.5)), mass * 10.0);
        break;
      case Kind::bead:
        body = bead_on_curve(mass, line(at.position, vector(1.0)));
        break;
    }
    if (is_planar(kind)) at.position.z() = at.velocity.z() = 0.0;
    if (is_deformable(kind)) {
      at.orientation = Quat(Eigen::AngleAxisd(number(-3, 3), vector(1.0).normalized()));
      at.angular_velocity = vector(2.0);
    }
    const std::string name = "body" + std::to_string(i);
    const BodyId id = kind == Kind::bead
                          ? model.add_at(name, body, coordinates({0.0}), coordinates({number(-1, 1)}))
                          : model.add(name, body, at);
    kinds_.push_back(kind);
    ids_.push_back(id);
    positions_.push_back(at.position);
    const bool to_world = i == 0 || number(0, 1) < options_.world_probability;
    if (to_world && number(0, 1) < 0.3) return;  // a free body starts a new tree
    connect(i, to_world ? -1 : integer(0, i - 1));
    // a further constraint to the world, where the body has freedom left beside its joint
    const ConstraintEntry& joint = model.constraints().back();
    const bool has_room = joint.constraint->num_rows(joint.planar) < body->num_v();
    if (!to_world && has_room && number(0, 1) < options_.second_world_probability) {
      ++num_guys;
      const Vec3 far = positions_.back() + (is_planar(kind) ? Vec3(1.3, 0.7, 0) : Vec3(1.3, 0.7, 0.9));
      model.add("guy" + std::to_string(i),
                distance(model.join(id, world, positions_.back(), Vec3::UnitZ(), far),
                         (far - positions_.back()).norm()));
    }
  }

  // A constraint that the kinds of the two bodies can carry, with rows that act fully on the newer one. Particles are held at
  // their own position only; planar bodies at points of their plane.
  void connect(int child, int parent) {
    const Kind a = kinds_[child];
    const Kind b = parent < 0 ? Kind::rigid : kinds_[parent];
    const BodyId ia = ids_[child], ib = parent < 0 ? world : ids_[parent];
    const std::string name = "constraint" + std::to_string(child);
    const bool planar = is_planar(a) && (parent < 0 || is_planar(b));
    const bool mixed = parent >= 0 && is_planar(a) != is_planar(b);
    Vec3 point = turns(a) ? Vec3(positions_[child] + vector(0.5)) : positions_[child];
    if (is_planar(a) || (turns(a) && is_planar(b))) point.z() = 0.0;
    const Vec3 axis = planar ? Vec3(Vec3::UnitZ()) : Vec3(vector(1.0).normalized());
    const auto add_distance = [&, own = point] {
      Vec3 other = own + vector(0.5) + Vec3(0.6, 0.6, 0);
      if (is_planar(a) || is_planar(b)) other.z() = 0.0;
      if (!turns(b)) other = positions_[parent];
      model.add(name, distance(model.join(ia, ib, own, axis, other), (other - own).norm()));
    };
    // a common point: anywhere on two bodies with extent, at the particle otherwise
    const bool can_meet = turns(b) ? (turns(a) || !is_planar(b) || planar) : turns(a);
    if ((mixed && is_planar(a)) || !can_meet || a == Kind::bead) return add_distance();
    if (!turns(b)) point = positions_[parent];
    const bool both_turn = turns(a) && turns(b) && !mixed;
    const bool in_space = both_turn && !planar;
    switch (integer(0, in_space ? 19 : both_turn ? 8 : 3)) {
      case 0:
        return add_distance();
      case 1:
        model.add(name, ball(model.join(ia, ib, point)));
        break;
      case 2: {
        if (!turns(b) || mixed) return add_distance();
        const Vec3 side = axis.cross(Vec3(0.3, 0.8, 0.52)).normalized();
        const Attachment at_b = model.mark(ib, point - 0.7 * side, axis);
        // in the coordinates of marker b: a circle about its origin through the point
        model.add(name,
                  point_on_curve(model.mark(ia, point), at_b, circle(Vec3::Zero(), Vec3::UnitZ(), 0.7)));
        break;
      }
      case 3:
        if (parent >= 0) return add_distance();
        model.add(name, nail(model.mark(ia, point), point));
        break;
      case 4:
        model.add(name, hinge(model.join(ia, ib, point, axis)));
        break;
      case 5:
        model.add(name, weld(model.join(ia, ib, point, axis)));
        break;
      case 6:
        model.add(name, slider(model.join(ia, ib, point, planar ? Vec3(0.6, 0.8, 0) : axis)));
        break;
      case 7:
        if (planar)
          model.add(name, driven_hinge(model.join(ia, ib, point, axis), ramp(0.0, 0.7)));
        else
          model.add(name, universal(model.join(ia, ib, point, axis)));
        break;
      case 8:
        model.add(name, gear(model.join(ia, ib, point, axis), number(0.5, 3)));
        break;
      default:
        model.add(name, spatial_constraint(integer(9, 19), model.join(ia, ib, point, axis)));
    }
  }

  ConstraintPtr spatial_constraint(int kind, const AttachmentPair& at) {
    const TimeFunction drive = ramp(0.0, 0.7);
    switch (kind) {
      case 9:
        return cylindrical(at);
      case 10:
        return catena::planar(at);
      case 11:
        return screw(at, number(0.1, 0.5));
      case 12:
        return constant_velocity(at);
      case 13:
        return point_on_surface(at.a, at.b, ellipsoid_surface({0.5, 0, 0}, {0.5, 0.7, 0.9}));
      case 14:
        return rolling(at.a, sphere_shape(0.2), at.b);
      case 15:
        return tangency(at.a, ellipsoid_shape({0.2, 0.3, 0.4}), at.b);
      case 16:
        return knife_edge(at.a, at.b);
      case 17: {
        Attachment drum = at.b;
        drum.point += Vec3(0.6, 0.5, 0.4);
        return rope_on_drum(at.a, drum, 0.05, Winding::left);
      }
      case 18:
        return driven(hinge(at), {.travel = {.z = drive}, .angles = {}});
      default:
        return driven(weld(at), {.travel = {.x = drive}, .angles = {.y = drive}});
    }
  }

  // One constraint on an old body and three new particles, which nothing else holds.
  void add_cluster() {
    std::vector<Attachment> at{model.mark(ids_[0], positions_[0])};
    std::vector<double> masses{1.0};
    std::vector<Vec3> points{positions_[0]};
    for (int k = 0; k < 3; ++k) {
      points.push_back(vector(2.0));
      const BodyId id = model.add("cluster" + std::to_string(k), std::make_shared<Particle3>(number(0.5, 2)),
                                  {.position = points.back(), .velocity = vector(1.0)});
      at.push_back(model.mark(id, points.back()));
      masses.push_back(number(0.5, 2));
    }
    if (integer(0, 1) == 0)
      model.add("centre", centre_of_mass(at, masses, Vec3::Zero()));
    else
      model.add("rope", rope(at, 5.0));
  }

  std::mt19937 random_;
  ForestOptions options_;
  std::vector<Kind> kinds_;
  std::vector<BodyId> ids_;
  std::vector<Vec3> positions_;
};

}  // namespace catena::test
