#include "sim/fingerprint.h"

#include "catena/interrupt.h"
#include "math/fnv.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace catena {
namespace {

// Not a round number: 2⁻¹⁰ and its like then lie nowhere near the middle between two roundings.
constexpr double kPrintedDigits = 1.234567891e9;

struct ProbedAt {
  double scale, time;  // of positions (m) and velocities (m/s, rad/s); s
};
// near and far, slow and fast: limits of motors, bounds of stops and ends of tables show at one of them
constexpr std::array kProbes{
    ProbedAt{0.01, 0.0}, ProbedAt{1.0, 0.0},  ProbedAt{100.0, 0.0}, ProbedAt{1.0, 0.13}, ProbedAt{0.01, 0.71},
    ProbedAt{1.0, 2.9},  ProbedAt{100.0, 13}, ProbedAt{1.0, 61},    ProbedAt{0.01, 211}, ProbedAt{1.0, 997}};

class Print {
 public:
  void text(std::string_view text) {
    hash_.add(text.size());
    hash_.add(text.data(), text.size());
  }
  void whole(std::int64_t number) { hash_.add(number); }
  /// To the last bit.
  void exact(double number) { hash_.add(std::isnan(number) ? 0x7ff8000000000000ULL : bits(number + 0.0)); }
  void exact(const Mat3& m) {
    for (int i = 0; i < 9; ++i) exact(m.data()[i]);
  }
  /// To the last bit, and to be told by its name where it differs.
  void say(std::string_view name, double number) {
    exact(number);
    said.push_back({name, number});
  }
  void say(const std::array<std::string_view, 3>& names, const Vec3& v) {
    for (std::size_t i = 0; i < 3; ++i) say(names[i], v[Eigen::Index(i)]);
  }
  std::vector<Said> said;
  /// Rounded, against the largest of them.
  void sampled(std::span<const double> numbers) {
    double largest = 0.0;
    for (const double x : numbers)
      if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
    int exponent = 0;
    const double mantissa = std::frexp(largest, &exponent);
    whole(exponent);
    whole(std::llround(mantissa * kPrintedDigits));
    for (const double x : numbers)
      whole(!std::isfinite(x) ? -1 : largest > 0.0 ? std::llround(x / largest * kPrintedDigits) : 0);
  }
  void sampled(double number) { sampled(std::span(&number, 1)); }
  std::uint64_t value() const { return hash_.value; }

 private:
  static std::uint64_t bits(double number) { return std::bit_cast<std::uint64_t>(number); }
  math::Fnv hash_;
};

/// Markers in some general motion; in the plane z = 0 where asked for.
std::vector<Marker> probed_markers(std::size_t count, const ProbedAt& probe, bool planar) {
  std::vector<Marker> markers(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double a = 0.7 + 1.9 * double(k), s = probe.scale;
    Marker& m = markers[k];
    m.x = s * Vec3(std::sin(a), std::cos(1.3 * a), std::sin(2.1 * a));
    m.v = s * Vec3(std::cos(0.9 * a), std::sin(1.7 * a), std::cos(2.3 * a));
    m.w = s * Vec3(std::sin(1.1 * a), std::cos(0.6 * a), std::sin(1.5 * a));
    Vec3 axis = Vec3(std::cos(a), std::sin(a), 0.8).normalized();
    if (planar) {
      m.x.z() = m.v.z() = m.w.x() = m.w.y() = 0.0;
      axis = Vec3::UnitZ();
    }
    m.R = Eigen::AngleAxisd(0.4 + 0.3 * double(k), axis).toRotationMatrix();
  }
  return markers;
}

constexpr std::array<std::array<std::string_view, 3>, 3> kPointNames{
    std::array<std::string_view, 3>{"x of its point on a", "y of its point on a", "z of its point on a"},
    {"x of its point on b", "y of its point on b", "z of its point on b"},
    {"x of a further point", "y of a further point", "z of a further point"}};

void print_attachments(const Model& model, std::span<const Attachment> attachments, Print& print) {
  for (std::size_t k = 0; k < attachments.size(); ++k) {
    const Attachment& at = attachments[k];
    const int body = model.index_of(at.body);
    print.text(body < 0 ? std::string_view("world") : model.bodies()[std::size_t(body)].name);
    print.say(kPointNames[std::min<std::size_t>(k, 2)], at.point);
    print.exact(at.axes);
  }
}

/// Rows of a constraint at a motion.
void print_rows(const Constraint& constraint, const Motion& motion, Print& print) {
  const int rows = constraint.num_rows(motion.planar), markers = int(motion.at.size());
  const std::size_t size = std::size_t(rows) * std::size_t(markers) * 6;
  std::vector<double> C(std::size_t(rows), 0.0), C_t = C, gamma = C, G(size, 0.0),
                                                 K(constraint.acts_elsewhere() ? size : 0, 0.0);
  Rows out(rows, markers, C.data(), C_t.data(), gamma.data(), G.data(), true, K.empty() ? nullptr : K.data());
  constraint.evaluate(motion, out);
  for (const double error : C) print.sampled(error);
  for (const double rate : C_t) print.sampled(rate);
  for (const auto& numbers : {gamma, G, K}) print.sampled(numbers);
}

/// Calls print_at(motion, memory) for every probe, with the numbers that a constraint or force has in the state when it starts there.
template <class PrintAt>
void print_probes(const auto& object, bool planar, Print& print, PrintAt&& print_at) {
  for (const ProbedAt& probe : kProbes) {
    const std::vector<Marker> markers = probed_markers(object.attachments().size(), probe, planar);
    Motion motion{.at = markers, .time = probe.time, .planar = planar};
    std::vector<double> memory(std::size_t(object.memory_size()), 0.0);
    object.start_memory(motion, memory);
    print.sampled(memory);
    motion.memory = memory;
    print_at(motion, memory);
  }
}

void print_behaviour(const Constraint& constraint, bool planar, Print& print) {
  print_probes(constraint, planar, print,
               [&](const Motion& motion, std::span<double>) { print_rows(constraint, motion, print); });
}

void print_wrenches(const Force& force, const Motion& motion, Print& print) {
  std::vector<Eigen::Matrix<double, 6, 1>> wrenches(motion.at.size(), Eigen::Matrix<double, 6, 1>::Zero());
  Wrenches out(wrenches);
  force.apply(motion, out);
  for (const auto& wrench : wrenches) {
    print.sampled(std::span(wrench.data(), 3));
    print.sampled(std::span(wrench.data() + 3, 3));
  }
  print.sampled(force.potential(motion));
  print.sampled(force.nonconservative_power(motion));
}

void print_behaviour(const Force& force, bool planar, Print& print) {
  const auto* along = dynamic_cast<const CoordinateForce*>(&force);
  print_probes(force, planar, print, [&](const Motion& motion, std::span<double> memory) {
    print_wrenches(force, motion, print);
    if (along != nullptr) {
      Motion of_rows = motion;
      of_rows.memory = along->coordinate_memory(memory);
      print_rows(along->coordinates(), of_rows, print);
    }
    if (force.command_names().empty()) return;
    for (std::size_t i = 0; i < force.command_names().size(); ++i) memory[i] = 0.6 + 0.2 * double(i);
    print_wrenches(force, motion, print);
  });
}

void print_laws(const Force& force, bool planar, Print& print) {
  const auto* along = dynamic_cast<const CoordinateForce*>(&force);
  if (along == nullptr) return;
  for (int r = 0; r < along->coordinates().num_rows(planar); ++r) {
    const Law& law = along->law(r);
    print.say("stiffness", law.stiffness);
    print.say("damping", law.damping);
    print.say("preload", law.preload);
    print.say("lower", law.lower);
    print.say("upper", law.upper);
    print.say("limit", law.limit);
  }
}

void print_behaviour(const Body& body, Print& print) {
  const auto nq = std::size_t(body.num_q()), nv = std::size_t(body.num_v());
  std::vector<double> q(nq), v(nv), F(nv), M(nv * nv);
  for (const double turned : {0.0, 0.4}) {
    const Placement at{.position = turned * Vec3(1, 2, 0),
                       .orientation = Quat(Eigen::AngleAxisd(turned, Vec3::UnitZ())),
                       .velocity = turned * Vec3(3, 1, 0),
                       .angular_velocity = turned * Vec3::UnitZ()};
    Placement only_place = at;
    if (!body.has_orientation()) {
      only_place.orientation = Quat::Identity();
      only_place.angular_velocity.setZero();
    }
    if (!body.pack(only_place, q.data(), v.data()).empty()) {  // coordinates of its own
      for (std::size_t i = 0; i < nq; ++i) q[i] = 0.3 + 0.1 * double(i) + turned;
      for (std::size_t i = 0; i < nv; ++i) v[i] = 0.2 + 0.1 * double(i);
    }
    if (body.state_problem(q.data()) != nullptr) continue;
    for (double& rate : v) rate += 0.5;
    std::ranges::fill(M, 0.0);
    body.mass_block(q.data(), M.data());
    print.sampled(M);
    const Vec3 g(0.3, -0.2, 9.0);
    const auto add_and_print = [&](auto&& add) {
      std::ranges::fill(F, 0.0);
      add(F.data());
      print.sampled(F);
    };
    add_and_print([&](double* f) { body.add_velocity_force(q.data(), v.data(), f); });
    add_and_print([&](double* f) { body.add_gravity(q.data(), g, f); });
    if (body.has_shape_force())
      add_and_print([&](double* f) { body.add_shape_force(q.data(), v.data(), f); });
    PointMap point;
    body.point(q.data(), v.data(), Vec3(0.1, 0.2, body.is_planar() ? 0.0 : 0.3), point);
    print.sampled(std::span(point.x.data(), 3));
    print.sampled(std::span(point.J.data(), std::size_t(point.J.size())));
  }
}

/// A thing that cannot be asked at some motion is known by what it says of itself alone.
template <class Ask>
void ask(Print& print, Ask&& question) {
  try {
    question();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception&) {
    print.text("cannot be asked");
  }
}

Mark mark_of(const Model&, const BodyEntry& entry) {
  Print print;
  const Body& body = *entry.body;
  print.text(body.kind());
  print.whole(body.num_q());
  print.whole(body.num_v());
  print.say("mass", body.mass());
  ask(print, [&] { print_behaviour(body, print); });
  return {Mark::Kind::body, entry.name, print.value(), std::move(print.said)};
}

Mark mark_of(const Model& model, const ConstraintEntry& entry) {
  Print print;
  print.text(entry.constraint->kind());
  print.whole(entry.constraint->num_rows(entry.planar));
  print_attachments(model, entry.constraint->attachments(), print);
  ask(print, [&] { print_behaviour(*entry.constraint, entry.planar, print); });
  return {Mark::Kind::constraint, entry.name, print.value(), std::move(print.said)};
}

Mark mark_of(const Model& model, const ForceEntry& entry) {
  Print print;
  print.text(entry.force->kind());
  print_attachments(model, entry.force->attachments(), print);
  print_laws(*entry.force, entry.planar, print);
  print.sampled(entry.force->stiffness());
  ask(print, [&] { print_behaviour(*entry.force, entry.planar, print); });
  return {Mark::Kind::force, entry.name, print.value(), std::move(print.said)};
}

Mark mark_of(const Model& model, const InequalityEntry& entry) {
  Print print;
  const Inequality& inequality = *entry.inequality;
  const int rows = inequality.num_rows(entry.planar);
  print.text(inequality.kind());
  print.whole(rows);
  print_attachments(model, inequality.attachments(), print);
  for (int r = 0; r < rows; ++r) {
    const RowLaw& law = inequality.law(r);
    print.whole(std::int64_t(law.kind));
    print.whole(law.of);
    print.say("lower", law.lower);
    print.say("upper", law.upper);
    print.say("restitution", law.restitution);
    print.say("limit", law.limit);
    print.say("friction", law.friction);
  }
  ask(print, [&] { print_behaviour(inequality.rows(), entry.planar, print); });
  return {Mark::Kind::inequality, entry.name, print.value(), std::move(print.said)};
}

}  // namespace

std::string Mark::label() const {
  constexpr std::array kKinds{"gravity", "body", "constraint", "force", "inequality"};
  if (kind == Kind::gravity) return kKinds[0];
  return fmt::format("{} '{}'", kKinds[std::size_t(kind)], name);
}

std::vector<Mark> marks_of(const Model& model) {
  std::vector<Mark> marks;
  Print gravity;
  gravity.say({"x", "y", "z"}, model.gravity);
  marks.push_back({Mark::Kind::gravity, "", gravity.value(), std::move(gravity.said)});
  const auto add = [&](const auto& entries) {
    for (const auto& entry : entries) {
      allow_interruption();
      marks.push_back(mark_of(model, entry));
    }
  };
  add(model.bodies());
  add(model.constraints());
  add(model.forces());
  add(model.inequalities());
  return marks;
}

void add_missing_marks(const Model& before, const Model& after, std::vector<Mark>& marks) {
  const auto add = [&](const auto& entries) {
    for (const auto& entry : entries)
      if (after.index_of(entry.id) < 0) marks.push_back(mark_of(before, entry));
  };
  add(before.bodies());
  add(before.constraints());
  add(before.forces());
  add(before.inequalities());
}

}  // namespace catena
