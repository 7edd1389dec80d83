#include "support/moved_objects.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace catena::test {
namespace {

const Mat3 kBodyMirror = Vec3(-1, 1, 1).asDiagonal();    // S
const Mat3 kMarkerMirror = Vec3(1, -1, 1).asDiagonal();  // D

Mat3 body_mirror(const Change& change) {
  return change.mirrors() ? kBodyMirror : Mat3(Mat3::Identity());
}
Mat3 marker_mirror(const Change& change) {
  return change.mirrors() ? kMarkerMirror : Mat3(Mat3::Identity());
}

bool is_any_of(std::string_view kind, std::initializer_list<std::string_view> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool touches_world(std::span<const Attachment> attachments) {
  return std::any_of(attachments.begin(), attachments.end(),
                     [](const Attachment& at) { return at.body == world; });
}

/// What knows the world by more than its markers: targets, forces in world axes, the air.
bool knows_the_world(std::string_view kind) {
  return is_any_of(kind, {"nail", "driven_nail", "centre_of_mass", "load", "user_force"});
}

/// What says the same of mirrored markers.
bool has_no_handedness(std::string_view kind) {
  return is_any_of(kind, {"ball", "hinge", "universal", "slider", "cylindrical", "planar", "weld", "distance",
                          "rope", "spring", "length_coordinate", "swing_coordinate", "slider_coordinate",
                          "central_force", "drag", "viscous_friction"});
}

Seen how_to_see(std::string_view kind, std::span<const Attachment> attachments, const Change& change) {
  const bool world_moves = !change.boost.isZero() && (touches_world(attachments) || kind == "drag");
  if (world_moves || knows_the_world(kind)) return Seen::from_old;
  return change.mirrors() && !has_no_handedness(kind) ? Seen::from_old : Seen::as_it_is;
}

// -------------------------------------------------------------------------------------------------- bodies
Placement moved_placement(const Placement& at, const Change& change, bool has_orientation) {
  Placement out;
  out.position = change.place(at.position, 0.0);
  out.velocity = change.velocity(at.velocity);
  if (!has_orientation) return out;
  out.orientation = Quat(Mat3(change.P * at.orientation.toRotationMatrix() * body_mirror(change)));
  out.angular_velocity = change.sign() * (change.P * at.angular_velocity);
  return out;
}

/// A body that is fixed to the world by its own coordinates: they stay, its points are elsewhere.
class Elsewhere final : public Body {
 public:
  Elsewhere(std::shared_ptr<const Body> inner, const Change& change)
      : inner_(std::move(inner)), to_(change) {}
  std::string_view kind() const override { return inner_->kind(); }
  int num_q() const override { return inner_->num_q(); }
  int num_v() const override { return inner_->num_v(); }
  bool is_planar() const override { return inner_->is_planar(); }
  bool has_orientation() const override { return inner_->has_orientation(); }
  double mass() const override { return inner_->mass(); }
  void mass_block(const double* q, double* M) const override { inner_->mass_block(q, M); }
  void add_velocity_force(const double* q, const double* v, double* F) const override {
    inner_->add_velocity_force(q, v, F);
  }
  void point(const double* q, const double* v, const Vec3& local, PointMap& out) const override {
    inner_->point(q, v, to_.body_point(local), out);
    out.x = to_.place(out.x, 0.0);
    out.J = to_.P * out.J;
    out.bias = to_.P * out.bias;
  }
  void frame(const double* q, const double* v, FrameMap& out) const override {
    inner_->frame(q, v, out);
    out.R = to_.P * out.R * body_mirror(to_);
    out.W = to_.sign() * to_.P * out.W;
    out.bias = to_.sign() * to_.P * out.bias;
  }
  void retract(double* q, const double* d) const override { inner_->retract(q, d); }
  void chart_rate(const double* u, const double* v, double* u_dot) const override {
    inner_->chart_rate(u, v, u_dot);
  }
  void drift(double h, const double* P, double* q) const override { inner_->drift(h, P, q); }
  bool has_free_flight() const override { return inner_->has_free_flight(); }
  void add_gravity(const double* q, const Vec3& g, double* F) const override {
    inner_->add_gravity(q, to_.P.transpose() * g, F);
  }
  double gravity_potential(const double* q, const Vec3& g) const override {
    return inner_->gravity_potential(q, to_.P.transpose() * g) - mass() * g.dot(to_.shift);
  }
  const char* state_problem(const double* q) const override { return inner_->state_problem(q); }
  std::string pack(const Placement& at, double* q, double* v) const override {
    return inner_->pack(at, q, v);
  }
  Placement unpack(const double* q, const double* v) const override {
    return moved_placement(inner_->unpack(q, v), to_, has_orientation());
  }
  std::vector<std::string> validate() const override { return inner_->validate(); }

 private:
  std::shared_ptr<const Body> inner_;
  Change to_;
};

/// x = c + A·m(X): A' = P A m(S·), the signs of the monomials under S.
VecX moved_shape(const VecX& q, const Change& change, const Vec3& centre) {
  constexpr std::array<double, 9> kSigns{-1, 1, 1, 1, 1, 1, 1, -1, -1};  // X Y Z X² Y² Z² YZ ZX XY
  const Eigen::Index basis = (q.size() - 3) / 3;
  VecX out = q;
  out.head<3>() = centre;
  for (Eigen::Index k = 0; k < basis; ++k) {
    Vec3 column(q[3 + k], q[3 + basis + k], q[3 + 2 * basis + k]);
    column = (change.mirrors() ? kSigns[std::size_t(k)] : 1.0) * (change.P * column);
    for (Eigen::Index i = 0; i < 3; ++i) out[3 + i * basis + k] = column[i];
  }
  return out;
}

}  // namespace

MovedBody move_body(const BodyEntry& entry, const Change& change) {
  MovedBody out{entry.body, entry.q, entry.v};
  const Body& body = *entry.body;
  if (is_any_of(body.kind(), {"affine", "quadratic"})) {
    out.q = moved_shape(entry.q, change, change.place(entry.q.head<3>(), 0.0));
    out.v = moved_shape(entry.v, change, change.velocity(entry.v.head<3>()));
  } else if (body.type() == BodyType::other && body.kind() != "scaled") {
    out.body = std::make_shared<Elsewhere>(entry.body, change);
  } else {
    const Placement at =
        moved_placement(body.unpack(entry.q.data(), entry.v.data()), change, body.has_orientation());
    if (const std::string problem = body.pack(at, out.q.data(), out.v.data()); !problem.empty())
      throw std::logic_error("moved: body '" + entry.name + "' " + problem);
    if (body.kind() == "scaled")
      out.q.tail(out.q.size() - 7) = entry.q.tail(out.q.size() - 7),
                                out.v.tail(out.v.size() - 6) = entry.v.tail(out.v.size() - 6);
    if (const auto* rigid = dynamic_cast<const Rigid*>(&body); rigid != nullptr && change.mirrors())
      out.body = std::make_shared<Rigid>(rigid->mass(), Mat3(kBodyMirror * rigid->inertia() * kBodyMirror));
  }
  return out;
}

Attachment Passage::move(const Attachment& at) const {
  Attachment out;
  if (at.body == world) {
    out.point = change.place(at.point, 0.0);
    out.axes = change.P * at.axes * marker_mirror(change);
    return out;
  }
  out.body = bodies.at(at.body.value);
  out.point = change.body_point(at.point);
  out.axes = body_mirror(change) * at.axes * marker_mirror(change);
  return out;
}

std::vector<Attachment> Passage::move(std::span<const Attachment> attachments) const {
  std::vector<Attachment> out;
  for (const Attachment& at : attachments) out.push_back(move(at));
  return out;
}

Motion Passage::bring_back(const Motion& motion, std::span<const Attachment> attachments,
                           std::vector<Marker>& markers) const {
  markers.assign(motion.at.begin(), motion.at.end());
  const Mat3 back = change.P.transpose();
  for (std::size_t k = 0; k < markers.size(); ++k) {
    Marker& m = markers[k];
    const Vec3 boost = attachments[k].body == world ? Vec3(Vec3::Zero()) : change.boost;
    m.x = back * (m.x - change.shift - motion.time * boost);
    m.v = back * (m.v - boost);
    m.R = back * m.R * marker_mirror(change);
    m.w = change.sign() * (back * m.w);
  }
  Motion out = motion;
  out.at = markers;
  return out;
}

namespace {

/// What constraints and forces of any kind have in common: an inner one, which sees its old world. BASE is Constraint, Force or CoordinateForce.
template <class BASE>
class Moved : public BASE {
 public:
  Moved(std::shared_ptr<const BASE> inner, std::shared_ptr<const Passage> passage, Seen seen)
      : BASE(passage->move(inner->attachments())),
        inner_(std::move(inner)),
        passage_(std::move(passage)),
        seen_(seen) {}

  std::string_view kind() const override { return inner_->kind(); }
  bool needs_orientation() const override { return inner_->needs_orientation(); }
  int memory_size() const override { return inner_->memory_size(); }
  void start_memory(const Motion& motion, std::span<double> memory) const override {
    std::vector<Marker> kept;
    inner_->start_memory(old_motion(motion, kept), memory);
  }
  void advance_memory(const Motion& motion, std::span<double> memory) const override {
    std::vector<Marker> kept;
    inner_->advance_memory(old_motion(motion, kept), memory);
  }

 protected:
  Motion old_motion(const Motion& motion, std::vector<Marker>& kept) const {
    return seen_ == Seen::as_it_is ? motion : passage_->bring_back(motion, this->attachments(), kept);
  }

  const std::shared_ptr<const BASE> inner_;
  const std::shared_ptr<const Passage> passage_;
  const Seen seen_;
};

// -------------------------------------------------------------------------------------------------- constraints
class MovedConstraint final : public Moved<Constraint> {
 public:
  using Moved::Moved;

  JointType type() const override { return seen_ == Seen::as_it_is ? inner_->type() : JointType::other; }
  int num_rows(bool planar) const override { return inner_->num_rows(planar); }
  int num_holonomic_rows(bool planar) const override { return inner_->num_holonomic_rows(planar); }
  bool depends_on_time() const override { return inner_->depends_on_time() || world_moves(); }
  bool acts_elsewhere() const override { return inner_->acts_elsewhere(); }
  bool may_repeat_bodies() const override { return inner_->may_repeat_bodies(); }
  std::string_view domain() const override { return inner_->domain(); }
  LowerPair lower_pair(bool planar) const override {
    return seen_ == Seen::as_it_is ? inner_->lower_pair(planar) : LowerPair{};
  }
  bool has_geometric_stiffness() const override { return inner_->has_geometric_stiffness(); }

  void evaluate(const Motion& motion, Rows& rows) const override {
    std::vector<Marker> kept;
    inner_->evaluate(old_motion(motion, kept), rows);
    if (seen_ == Seen::as_it_is) return;
    for (int m = 0; m < rows.num_markers(); ++m) {
      turn(rows.G(m));
      if (rows.wants_K() && acts_elsewhere()) turn(rows.K(m));
      if (attachments()[std::size_t(m)].body == world) continue;
      for (int r = 0; r < rows.num_rows(); ++r)
        rows.C_t(r) -= rows.G(m).row(r).head<3>().dot(passage_->change.boost);
    }
  }

  void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                               MarkerStiffness& K) const override {
    if (seen_ == Seen::as_it_is) return inner_->add_geometric_stiffness(motion, lambda, K);
    std::vector<Marker> kept;
    std::vector<double> numbers(std::size_t(36 * K.num_markers() * K.num_markers()), 0.0);
    MarkerStiffness old(K.num_markers(), numbers.data());
    inner_->add_geometric_stiffness(old_motion(motion, kept), lambda, old);
    Eigen::Matrix<double, 6, 6> T = Eigen::Matrix<double, 6, 6>::Zero();
    T.topLeftCorner<3, 3>() = passage_->change.P;
    T.bottomRightCorner<3, 3>() = passage_->change.sign() * passage_->change.P;
    for (int k = 0; k < K.num_markers(); ++k)
      for (int l = 0; l < K.num_markers(); ++l) K.block(k, l) += T * old.block(k, l) * T.transpose();
  }

 private:
  bool world_moves() const { return seen_ == Seen::from_old && !passage_->change.boost.isZero(); }
  void turn(Rows::Block G) const {
    const Mat3 back = passage_->change.P.transpose();
    G.leftCols<3>() = (G.leftCols<3>() * back).eval();
    G.rightCols<3>() = (passage_->change.sign() * G.rightCols<3>() * back).eval();
  }
};

// -------------------------------------------------------------------------------------------------- forces
template <class BASE>
class MovedForce : public Moved<BASE> {
 public:
  using Moved<BASE>::Moved;

  void apply(const Motion& motion, Wrenches& wrenches) const override {
    std::vector<Marker> kept;
    std::vector<Eigen::Matrix<double, 6, 1>> numbers(motion.at.size(), Eigen::Matrix<double, 6, 1>::Zero());
    Wrenches old{numbers};
    inner_->apply(old_motion(motion, kept), old);
    const Change& to = passage_->change;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const Vec3 force = numbers[k].template head<3>(), torque = numbers[k].template tail<3>();
      if (seen_ == Seen::as_it_is)
        wrenches.add(int(k), force, torque);
      else
        wrenches.add(int(k), to.P * force, to.sign() * (to.P * torque));
    }
  }
  double potential(const Motion& motion) const override {
    std::vector<Marker> kept;
    return inner_->potential(old_motion(motion, kept));
  }
  double nonconservative_power(const Motion& motion) const override {
    std::vector<Marker> kept;
    return inner_->nonconservative_power(old_motion(motion, kept));
  }
  Account account() const override { return inner_->account(); }
  bool depends_on_velocity() const override { return inner_->depends_on_velocity(); }
  double stiffness() const override { return inner_->stiffness(); }
  std::span<const std::string_view> command_names() const override { return inner_->command_names(); }

 protected:
  using Moved<BASE>::inner_, Moved<BASE>::passage_, Moved<BASE>::seen_, Moved<BASE>::old_motion;
};

class MovedCoordinateForce final : public MovedForce<CoordinateForce> {
 public:
  MovedCoordinateForce(std::shared_ptr<const CoordinateForce> inner,
                       const std::shared_ptr<const Passage>& passage, Seen seen)
      : MovedForce(inner, passage, seen),
        coordinates_(
            std::make_shared<MovedConstraint>(ConstraintPtr(inner, &inner->coordinates()), passage, seen)) {}
  const Constraint& coordinates() const override { return *coordinates_; }
  std::span<const double> coordinate_memory(std::span<const double> memory) const override {
    return inner_->coordinate_memory(memory);
  }
  LawResponse answer(int row, const Motion& motion, double c, double rate, double step) const override {
    return inner_->answer(row, motion, c, rate, step);
  }
  const Law& law(int row) const override { return inner_->law(row); }
  bool is_on(std::span<const double> memory) const override { return inner_->is_on(memory); }

 private:
  ConstraintPtr coordinates_;
};

}  // namespace

ConstraintPtr move_constraint(const ConstraintPtr& constraint,
                              const std::shared_ptr<const Passage>& passage) {
  const Seen seen = how_to_see(constraint->kind(), constraint->attachments(), passage->change);
  return std::make_shared<MovedConstraint>(constraint, passage, seen);
}

ForcePtr move_force(const ForceEntry& entry, const std::shared_ptr<const Passage>& passage) {
  const ForcePtr& force = entry.force;
  if (const auto elastic = std::dynamic_pointer_cast<const Elastic>(force)) {
    std::vector<Law> laws;
    for (int row = 0; row < elastic->coordinates().num_rows(entry.planar); ++row)
      laws.push_back(elastic->law(row));
    return std::make_shared<Elastic>(
        elastic->kind(), move_constraint(ConstraintPtr(elastic, &elastic->coordinates()), passage),
        std::move(laws));
  }
  if (const auto along = std::dynamic_pointer_cast<const CoordinateForce>(force)) {
    const Seen seen = how_to_see(along->coordinates().kind(), along->attachments(), passage->change);
    return std::make_shared<MovedCoordinateForce>(along, passage, seen);
  }
  const Seen seen = how_to_see(force->kind(), force->attachments(), passage->change);
  return std::make_shared<MovedForce<Force>>(force, passage, seen);
}

}  // namespace catena::test
