// One system, several descriptions, one motion: multipliers, Lagrangian coordinates, and hybrids that change between them.
#include "catena/catena.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

Options accurate() {
  return {.integrator = Integrator::dormand_prince, .tolerance = 1e-12};
}

TEST(Bead, OnACircleByAConstraintAndByItsCoordinateMovesTheSame) {
  const auto hoop = circle(Vec3::Zero(), {0, 1, 0}, 1.0);
  const double u = 0.3, rate = 2.0;
  const CurvePoint start = hoop->at(u);
  Model implicit, parametric;
  const BodyId held = implicit.add("bead", std::make_shared<Particle3>(0.5),
                                   {.position = start.c, .velocity = rate * start.d1});
  implicit.add("wire",
               point_on_curve(implicit.mark(held, start.c), implicit.mark(world, Vec3::Zero()), hoop));
  const BodyId free =
      parametric.add_at("bead", bead_on_curve(0.5, hoop), coordinates({u}), coordinates({rate}));
  Simulation a(implicit, accurate()), b(parametric, accurate());
  for (int k = 0; k < 50; ++k) {
    ASSERT_TRUE(a.step(0.1).ok());
    ASSERT_TRUE(b.step(0.1).ok());
    ASSERT_LT((a.placement(held).position - b.placement(free).position).norm(), 1e-10) << a.time();
    ASSERT_LT((a.placement(held).velocity - b.placement(free).velocity).norm(), 1e-9) << a.time();
  }
}

// A pantograph as one Lagrangian body, and as four bars with hinges.
TEST(Pantograph, AsOneBodyAndAsFourBarsAcceleratesTheSame) {
  const double L = 1.0, s = 0.4, alpha = 0.3, beta = 1.2;
  Model one, many;
  one.gravity = many.gravity = {0, -9.81, 0};
  Pantograph shape;
  shape.long_bar = L;
  shape.short_bar = s;
  const BodyId linkage =
      one.add_at("linkage", pantograph(shape), coordinates({alpha, beta}), coordinates({0, 0}));
  const auto at = [&](double x, double y) -> Vec3 {
    return {x * std::cos(alpha) + y * std::cos(beta), x * std::sin(alpha) + y * std::sin(beta), 0.0};
  };
  const auto bar = [&](const char* name, const Vec3& from, const Vec3& to, double angle) {
    const double length = (to - from).norm();
    return many.add(
        name, planar_rod(length, length),
        {.position = 0.5 * (from + to), .orientation = Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ()))});
  };
  const BodyId first = bar("first", at(0, 0), at(L, 0), alpha),
               second = bar("second", at(L, 0), at(L, L), beta);
  const BodyId third = bar("third", at(s, 0), at(s, s), beta),
               fourth = bar("fourth", at(s, s), at(L, s), alpha);
  const auto pin = [&](const char* name, BodyId a, BodyId b, const Vec3& x) {
    many.add(name, hinge(many.join(a, b, x)));
  };
  pin("pivot", first, world, at(0, 0));
  pin("elbow", second, first, at(L, 0));
  pin("inner", third, first, at(s, 0));
  pin("tracer", fourth, third, at(s, s));
  pin("outer", fourth, second, at(L, s));
  // a weight at the pen, as a particle joined to each
  const auto load = [&](Model& model, BodyId body) {
    const BodyId weight = model.add("weight", std::make_shared<Particle2>(3.0), {.position = at(L, L)});
    model.add("hook", ball(model.join(weight, body, at(L, L))));
    return weight;
  };
  const BodyId weight_one = load(one, linkage), weight_many = load(many, second);
  Simulation a(one, accurate()), b(many, accurate());
  for (int k = 0; k < 20; ++k) {
    ASSERT_LT((a.placement(weight_one).position - b.placement(weight_many).position).norm(), 1e-9)
        << a.time();
    ASSERT_NEAR(a.energy().total() - a.start_energy(), b.energy().total() - b.start_energy(), 1e-8);
    ASSERT_TRUE(a.step(0.02).ok());
    const StepReport report = b.step(0.02);
    ASSERT_TRUE(report.ok()) << report.message;
  }
}

// Constraints attached to a Lagrangian body while it runs, and removed again: it then moves as if nothing had been.
TEST(Hybrid, AConstraintOnALagrangianBodyComesAndGoes) {
  Model model;
  model.gravity = {0, 0, -9.81};
  const auto wire = cycloid(Vec3::Zero(), {1, 0, 0}, {0, 0, 1}, 1.0);
  const BodyId bead = model.add_at("bead", bead_on_curve(1.0, wire), coordinates({-1.0}), coordinates({0.0}));
  const BodyId bob =
      model.add("bob", std::make_shared<Particle3>(0.5), {.position = wire->at(-1.0).c + Vec3(0, 0, -0.5)});
  Simulation sim(model, accurate());
  ConstraintId rod;
  sim.edit([&](Model& m) {
    const Vec3 top = wire->at(-1.0).c;
    rod = m.add("rod", distance(m.join(bob, bead, top + Vec3(0, 0, -0.5), Vec3::UnitZ(), top), 0.5));
  });
  const double energy = sim.energy().total();
  for (int k = 0; k < 20; ++k) ASSERT_TRUE(sim.step(0.05).ok());
  EXPECT_NEAR(sim.energy().total(), energy, 1e-9 * std::abs(energy));
  EXPECT_NEAR((sim.placement(bob).position - sim.placement(bead).position).norm(), 0.5, 1e-11);
  sim.edit([&](Model& m) { m.remove(rod); });
  const Placement let_go = sim.placement(bob);
  ASSERT_TRUE(sim.step(0.2).ok());
  const Vec3 free_fall = let_go.position + 0.2 * let_go.velocity + Vec3(0, 0, -0.5 * 9.81 * 0.04);
  EXPECT_LT((sim.placement(bob).position - free_fall).norm(), 1e-12);
}

// A hinge that follows a function, as a constraint of its own and as a weld to a moving frame.
TEST(DrivenJoints, TheTwoWaysToDriveAHingeAgree) {
  const TimeFunction angle = [](double t) { return Jet{0.5 * t * t, t, 1.0}; };
  const auto build = [&](bool by_frame) {
    Model model;
    const BodyId arm = model.add("arm", rod(1.0, 1.0), {.position = {0.5, 0, 0}});
    const AttachmentPair at = model.join(arm, world, Vec3::Zero(), Vec3::UnitY());
    model.add("drive",
              by_frame ? driven(weld(at), {.travel = {}, .angles = {.z = angle}}) : driven_hinge(at, angle));
    return Simulation(model, accurate());
  };
  Simulation a = build(false), b = build(true);
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(a.step(0.1).ok());
    ASSERT_TRUE(b.step(0.1).ok());
  }
  EXPECT_LT((a.state().q - b.state().q).norm(), 1e-9);
  EXPECT_NEAR(a.ledger()[Account::driven], b.ledger()[Account::driven], 1e-8);
}

}  // namespace
}  // namespace catena
