// A forest (random_forest.h), and on top of it what makes a forest a mechanism: couplings, loops, repeated constraints, forces, methods.
#include "support/random_mechanism.h"

#include "support/random_forest.h"

namespace catena::test {
namespace {

ForestOptions forest_options(std::uint64_t seed) {
  std::mt19937 random{unsigned(seed * 2654435761u + 17u)};
  constexpr double kExponents[] = {0.0, 1.0, 3.0, 6.0};
  ForestOptions options;
  options.bodies = 1 + int(random() % (random() % 8 == 0 ? 24 : 7));
  options.mass_exponent = kExponents[random() % 4];
  options.world_probability = random() % 3 == 0 ? 0.0 : 0.25;
  options.cluster_probability = random() % 8 == 0 ? 1.0 : 0.0;
  return options;
}

class RandomMechanism : public RandomForest {
 public:
  explicit RandomMechanism(std::uint64_t seed) : RandomForest(unsigned(seed), forest_options(seed)) {
    if (chance(0.2)) model.gravity.setZero();
    if (chance(0.1)) add_pantograph();
    if (chance(0.3))
      for (int k = integer(1, 3); k > 0; --k) close_loop("loop" + std::to_string(k));
    if (chance(0.3)) add_coupling();
    if (chance(0.15)) add_rotor();
    if (chance(0.15)) repeat_a_constraint();
    for (int k = chance(0.6) ? integer(1, 4) : 0; k > 0; --k) add_force("force" + std::to_string(k));
  }

  Options random_options() {
    Options options;
    options.formulation = Formulation::maximal;  // the oracles read coordinates of bodies
    options.integrator = Integrator(integer(0, int(Integrator::linearised_euler)));
    if (chance(0.4)) options.solver = Solver(integer(0, int(Solver::cg)));
    if (chance(0.3)) options.drift = Drift(integer(0, int(Drift::none)));
    if (chance(0.2)) options.stiff_form = StiffForm(integer(0, int(StiffForm::dense)));
    if (chance(0.2)) options.newton_matrix = NewtonMatrix::gauss_newton;
    options.max_internal_steps = 2000;
    return options;
  }
  double random_step() { return magnitude(-4.0, -1.7); }

 private:
  bool chance(double p) { return number(0, 1) < p; }
  double magnitude(double low, double high) { return std::pow(10.0, number(low, high)); }

  // ------------------------------------------------------------------------------------------ where things attach
  int any_body() { return integer(0, int(ids_.size()) - 1); }
  bool is_planar_body(int i) const { return i >= 0 && is_planar(kinds_[std::size_t(i)]); }
  bool turns_body(int i) const { return i < 0 || turns(kinds_[std::size_t(i)]); }
  BodyId id(int i) const { return i < 0 ? world : ids_[std::size_t(i)]; }

  /// A place on a body: anywhere near it where it has extent, else where it is. The world is -1.
  Vec3 place(int i) {
    Vec3 at = i < 0 ? vector(2.0) : positions_[std::size_t(i)];
    if (i >= 0 && turns_body(i)) at += vector(0.5);
    if (is_planar_body(i)) at.z() = 0.0;
    return at;
  }

  /// Two different bodies, the second perhaps the world; with `need_axes` both turn. False where the forest has none such.
  struct Two {
    int a = -1, b = -1;
    bool planar = false;
  };
  bool find_two(bool need_axes, Two& two) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      two.a = any_body();
      two.b = chance(0.3) ? -1 : any_body();
      if (two.a == two.b) continue;
      two.planar = is_planar_body(two.a) && (two.b < 0 || is_planar_body(two.b));
      const bool is_mixed = two.b >= 0 && is_planar_body(two.a) != is_planar_body(two.b);
      if (need_axes && (!turns_body(two.a) || !turns_body(two.b) || is_mixed)) continue;
      return true;
    }
    return false;
  }
  Vec3 direction(const Two& two) { return two.planar ? Vec3(Vec3::UnitZ()) : Vec3(vector(1.0).normalized()); }

  /// Both markers at one place, about one axis.
  AttachmentPair meet(const Two& two, const Vec3& axis) {
    Vec3 point = place(two.a);
    if (two.planar) point.z() = 0.0;
    return model.join(id(two.a), id(two.b), point, axis);
  }
  /// Markers at places of their own.
  AttachmentPair apart(const Two& two) {
    Vec3 there = place(two.b);
    if (two.planar) there.z() = 0.0;
    return model.join(id(two.a), id(two.b), place(two.a), direction(two), there);
  }

  // ------------------------------------------------------------------------------------------ loops and couplings
  void close_loop(const std::string& name) {
    Two two;
    if (!chance(0.5) && find_two(true, two)) {
      const Vec3 axis = direction(two);
      const int kind = integer(0, two.planar ? 1 : 7);
      const AttachmentPair at = meet(two, axis);
      constexpr ConstraintPtr (*kJoints[])(const AttachmentPair&) = {
          ball, hinge, universal, cylindrical, catena::planar, slider, constant_velocity, weld};
      model.add(name, kJoints[kind](at));
    } else if (find_two(false, two)) {
      const Vec3 here = place(two.a);
      Vec3 there = place(two.b);
      if (two.planar) there.z() = 0.0;
      if ((there - here).norm() < 1e-3) return;
      model.add(name, distance(model.join(id(two.a), id(two.b), here, direction(two), there),
                               (there - here).norm()));
    }
  }

  void add_coupling() {
    Two two;
    if (!find_two(true, two)) return;
    const Vec3 axis = direction(two);
    const AttachmentPair at = meet(two, axis);
    const Attachment carrier = model.mark(world, place(-1), axis);
    const bool has_carrier = two.b >= 0 && !two.planar;
    switch (integer(0, 8)) {
      case 0:
        if (has_carrier) model.add("coupling", rack_and_pinion(at.a, at.b, carrier, number(0.1, 0.5)));
        break;
      case 1:
        if (has_carrier) model.add("coupling", gear_on_carrier(at.a, at.b, carrier, number(-3, 3)));
        break;
      case 2:
        if (has_carrier) model.add("coupling", differential(at.a, at.b, carrier));
        break;
      case 3:
        if (has_carrier) model.add("coupling", remote_drive(at, carrier, ramp(0.0, number(-1, 1))));
        break;
      case 4:
        model.add("coupling", sliding_point(at, two.planar ? Vec3(Vec3::UnitY()) : Vec3(Vec3::UnitZ()),
                                            Vec3::UnitX(), number(0.0, 0.5)));
        break;
      case 5:
        model.add("coupling", hinge_coordinate(at));
        break;
      case 6:
        model.add("coupling", driven_nail(at.a, {.x = ramp(place(-1).x(), number(-1, 1))}));
        break;
      case 7:
        if (!two.planar)
          model.add("coupling",
                    rolling_on_surface(at.a, sphere_shape(0.2), at.b, sphere_surface({0, 0, 1}, 2.0, true)));
        break;
      default:
        if (!two.planar)
          model.add("coupling", tangency(at.a, sphere_shape(0.3), at.b, ellipsoid_shape({0.2, 0.3, 0.25})));
    }
  }

  void add_pantograph() {
    Pantograph shape;
    shape.pivot = vector(1.0);
    shape.mass_per_length = magnitude(-options_.mass_exponent, options_.mass_exponent);
    const BodyId id =
        model.add_at("pantograph", pantograph(shape), coordinates({number(0.1, 1.0), number(1.5, 2.5)}),
                     coordinates({number(-1, 1), number(-1, 1)}));
    if (chance(0.5)) {
      Attachment pen{id, Vec3(shape.long_bar, shape.long_bar, 0)};
      model.add("tether", spring_damper({pen, model.mark(world, vector(2.0))}, magnitude(0, 3), 0.1, 0.5));
    }
  }

  void add_rotor() {
    Two two;
    if (!find_two(true, two) || two.planar) return;
    const BodyId rotor = model.add("rotor", std::make_shared<Rotor>(magnitude(-6, 0)));
    const AttachmentPair at = meet(two, direction(two));
    model.add("gearbox", chance(0.5) ? rotor_gear(rotor, at, number(1, 50))
                                     : linear_rotor_gear(rotor, at, number(1, 50)));
  }

  /// The same rows once more: redundant, and consistent with themselves.
  void repeat_a_constraint() {
    if (model.constraints().empty()) return;
    model.add("again",
              model.constraints()[std::size_t(integer(0, int(model.constraints().size()) - 1))].constraint);
  }

  // ------------------------------------------------------------------------------------------ forces
  void add_force(const std::string& name) {
    Two two;
    if (chance(0.4)) {
      if (find_two(false, two)) model.add(name, force_at_points(two));
    } else if (find_two(true, two)) {
      const AttachmentPair at = meet(two, direction(two));
      model.add(name, chance(0.5) ? motor_force(at) : elastic_force(at, two.planar));
    }
  }

  ForcePtr force_at_points(const Two& two) {
    const AttachmentPair at = apart(two);
    const bool turning = turns_body(two.a);
    switch (integer(0, 5)) {
      case 0:
        return spring_damper(at, magnitude(-1, 6), chance(0.5) ? magnitude(-2, 3) : 0.0, number(0.0, 2.0));
      case 1:
        return central_force(at, number(-5, 5), integer(-1, 3), number(0.1, 1.0));
      case 2:
        return drag(at.a, magnitude(-2, 3), chance(0.5) ? magnitude(-2, 3) : 0.0,
                    turning ? magnitude(-2, 2) : 0.0);
      case 3:
        return mouse_spring(at.a, is_planar_body(two.a) ? Vec3(0.3, 0.7, 0) : vector(1.0), magnitude(-1, 5),
                            magnitude(-2, 2));
      case 4:
        return load(at.a, {.x = ramp(number(-5, 5), 1.0)}, {.z = constant(turning ? number(-2, 2) : 0.0)});
      default:
        return user_force({at.a},
                          [](const Motion& motion, Wrenches& out) {
                            out.add(0, Vec3(-motion.at[0].x.y(), motion.at[0].x.x(), 0.0));
                          },
                          {.depends_on_velocity = false});
    }
  }

  ForcePtr motor_force(const AttachmentPair& at) {
    const Drive drive{.limit = chance(0.5) ? magnitude(-1, 3) : std::numeric_limits<double>::infinity(),
                      .ratio = number(1, 20)};
    const std::vector<Vec2> curve{{-10, 5}, {0, 3}, {10, 0}, {20, -4}};
    const TimeFunction target = ramp(number(-1, 1), number(-1, 1));
    switch (integer(0, 7)) {
      case 0:
        return motor(at, constant(number(-5, 5)), drive);
      case 1:
        return motor_curve(at, curve, constant(1.0), drive);
      case 2:
        return pd_motor(at, target, magnitude(0, 5), magnitude(-1, 3), drive);
      case 3:
        return velocity_motor(at, Command{number(-2, 2)}, magnitude(-1, 4), drive);
      case 4:
        return linear_motor(at, Command{number(-5, 5)}, drive);
      case 5:
        return linear_motor_curve(at, curve, constant(1.0), drive);
      case 6:
        return linear_pd_motor(at, target, magnitude(0, 5), magnitude(-1, 3), drive);
      default:
        return linear_velocity_motor(at, target, magnitude(-1, 4), drive);
    }
  }

  ForcePtr elastic_force(const AttachmentPair& at, bool planar) {
    const double k = magnitude(0, 6), b = chance(0.5) ? magnitude(-2, 3) : 0.0;
    const Law stop{.stiffness = k, .damping = b, .lower = number(-1.0, 0.0), .upper = number(0.0, 1.0)};
    switch (integer(0, planar ? 3 : 8)) {
      case 0:
        return torsion_spring(at, k, b, number(-1, 1));
      case 1:
        return elastic(hinge_coordinate(at), stop);
      case 2:
        return viscous_friction(at, magnitude(-2, 3), 0.0);
      case 3:
        return elastic(length_coordinate({at.a, Attachment{at.b.body, at.b.point + Vec3(0.4, 0.3, 0)}}, 0.5),
                       stop);
      case 4:
        return bushing(at, k * Vec3(1, 2, 3), 0.1 * k * Vec3(3, 1, 2), Vec3(b, b, b), Vec3(b, b, b));
      case 5:
        return elastic(swing_coordinate(at), {.stiffness = k, .damping = b, .upper = 0.5});
      case 6:
        return elastic(chance(0.5) ? ball_coordinates(at) : frame_coordinates(at),
                       {.stiffness = k, .damping = b});
      case 7:
        return elastic(chance(0.5) ? universal_coordinates(at) : planar_coordinates(at),
                       {.stiffness = k, .damping = b});
      default:
        return compliant_contact(at.a, number(0.0, 0.3), at.b, plane_surface(Vec3::Zero(), Vec3::UnitZ()), k,
                                 b);
    }
  }
};

}  // namespace

Mechanism random_mechanism(std::uint64_t seed) {
  RandomMechanism mechanism(seed);
  Mechanism made;
  made.options = mechanism.random_options();
  made.dt = mechanism.random_step();
  made.model = std::move(mechanism.model);
  return made;
}

}  // namespace catena::test
