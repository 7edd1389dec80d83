// Writes random trees for other engines, with what Catena says of them: MJCF, URDF where it has all the joints, and a JSON file of numbers.
//
//   write_trees FOLDER COUNT      tree-N.xml, tree-N.urdf, trees.json; N is the seed
//
// The joints of both formats are chains of elementary moves about axes of one frame, as Catena's are (slides first): hinge, slider, ball, universal
// (two hinges), cylindrical (slide and hinge), planar (two slides and a hinge), weld, and a free root. Screws and constant-velocity
// joints they do not have. Numbers are those of MJCF, with velocities v' = T v:
//
//   ball   q' = A q Aᵀ,  v' = A R(q)ᵀ v      A: axes of the joint's marker in its body                                            (1)
//   free   v' = (v ; Rᵀω)                    R: axes of the body                                                                  (2)
//   M' = T M Tᵀ,  b' = T b,  τ' = T τ,  v̇' = T v̇      T is orthogonal, and Ṫ v = 0                                                  (3)
#include "support/random_tree.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace catena::test {
namespace {

enum class Moves : std::uint8_t { weld, hinge, slider, ball, universal, cylindrical, planar, free };
constexpr const char* kMoveNames[] = {"weld",      "hinge",       "slider", "ball",
                                      "universal", "cylindrical", "planar", "free"};

ConstraintPtr make_joint(Moves moves, const AttachmentPair& at) {
  switch (moves) {
    case Moves::hinge:
      return hinge(at);
    case Moves::slider:
      return slider(at);
    case Moves::ball:
      return ball(at);
    case Moves::universal:
      return universal(at);
    case Moves::cylindrical:
      return cylindrical(at);
    case Moves::planar:
      return planar(at);
    default:
      return weld(at);
  }
}

/// A tree whose joints have their marker a on the link they carry; body by body, in the order of the model.
struct PeerTree {
  unsigned seed;
  bool is_plain;  // joints of URDF only
  Model model;
  std::vector<Moves> moves;
  std::vector<Mat3> axes;    // of the joint's marker in its body
  std::vector<Vec3> points;  // of the joint, in its body
};

/// The second link always moves; the root of trees for MJCF too, because Pinocchio's reader misplaces roots that do not.
Moves random_moves(RandomNumbers& random, int link, bool is_plain) {
  if (is_plain) return Moves(random.integer(link == 1 ? 1 : 0, 2));
  if (link == 0 && random.integer(0, 1) == 0) return Moves::free;
  return Moves(random.integer(link < 2 ? 1 : 0, 6));
}

void add_peer_body(RandomNumbers& random, int i, PeerTree& out) {
  // a free root is the heaviest, so that it is the root to Catena too
  const double mass = i == 0 ? 20.0 : std::pow(10.0, random.number(-1.0, 1.0));
  const Vec3 moments =
      mass * Vec3(random.number(0.03, 0.05), random.number(0.03, 0.05), random.number(0.03, 0.05));
  const BodyId id = out.model.add("b" + std::to_string(i), std::make_shared<Rigid>(mass, moments),
                                  {.position = random.vector(1.0), .orientation = random.rotation()});
  const auto& bodies = out.model.bodies();
  const BodyId below = i == 0 ? world : bodies[std::size_t(random.integer(0, i - 1))].id;
  const Moves moves = random_moves(random, i, out.is_plain);
  out.moves.push_back(moves);
  const AttachmentPair at = out.model.join(id, below, random.vector(1.0), random.vector(1.0).normalized());
  out.axes.push_back(at.a.axes);
  out.points.push_back(at.a.point);
  if (moves != Moves::free) out.model.add("j" + std::to_string(i), make_joint(moves, at));
}

PeerTree make_peer_tree(unsigned seed) {
  RandomNumbers random(seed);
  PeerTree out{.seed = seed, .is_plain = seed % 2 == 0, .model = {}, .moves = {}, .axes = {}, .points = {}};
  out.model.gravity = random.vector(9.81);
  const int links = random.integer(2, 25);
  for (int i = 0; i < links; ++i) add_peer_body(random, i, out);
  return out;
}

std::string numbers(const Vec3& a) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", a.x(), a.y(), a.z());
}
std::string numbers(const Quat& q) {
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w(), q.x(), q.y(), q.z());
}

Placement start_of(const PeerTree& tree, int body) {
  if (body < 0) return {};
  const BodyEntry& entry = tree.model.bodies()[std::size_t(body)];
  return entry.body->unpack(entry.q.data(), entry.v.data());
}

/// Moves of MJCF, outermost first; the axes are those of the marker.
struct MjcfMove {
  const char* type;
  int axis;
};
std::vector<MjcfMove> mjcf_moves(Moves moves) {
  switch (moves) {
    case Moves::hinge:
      return {{"hinge", 2}};
    case Moves::slider:
      return {{"slide", 2}};
    case Moves::ball:
      return {{"ball", 2}};
    case Moves::universal:
      return {{"hinge", 2}, {"hinge", 0}};
    case Moves::cylindrical:
      return {{"slide", 2}, {"hinge", 2}};
    case Moves::planar:
      return {{"slide", 0}, {"slide", 1}, {"hinge", 2}};
    default:
      return {};
  }
}

std::string mjcf_body(const PeerTree& tree, const JointTree& joints, int link) {
  const int body = joints.body(link), parent = joints.parent(link);
  const auto at = std::size_t(body);
  const Placement own = start_of(tree, body), below = start_of(tree, parent < 0 ? -1 : joints.body(parent));
  const auto& rigid = static_cast<const Rigid&>(*tree.model.bodies()[at].body);
  const Quat back = below.orientation.conjugate();
  std::string out = fmt::format(
      "<body name=\"b{}\" pos=\"{}\" quat=\"{}\">\n<inertial pos=\"0 0 0\" mass=\"{:.17g}\" "
      "diaginertia=\"{}\"/>\n",
      body, numbers(Vec3(back * (own.position - below.position))), numbers(Quat(back * own.orientation)),
      rigid.mass(), numbers(Vec3(rigid.inertia().diagonal())));
  if (tree.moves[at] == Moves::free) out += fmt::format("<joint name=\"j{}\" type=\"free\"/>\n", body);
  int count = 0;
  for (const MjcfMove& move : mjcf_moves(tree.moves[at]))
    out += fmt::format("<joint name=\"j{}_{}\" type=\"{}\" pos=\"{}\" axis=\"{}\"/>\n", body, count++,
                       move.type, numbers(tree.points[at]), numbers(Vec3(tree.axes[at].col(move.axis))));
  for (int child = link + 1; child < joints.num_links(); ++child)
    if (joints.parent(child) == link) out += mjcf_body(tree, joints, child);
  return out + "</body>\n";
}

std::string mjcf_of(const PeerTree& tree, const JointTree& joints) {
  std::string out = fmt::format(
      "<mujoco model=\"tree-{}\">\n<compiler angle=\"radian\"/>\n<option gravity=\"{}\"/>\n<worldbody>\n",
      tree.seed, numbers(tree.model.gravity));
  for (int link = 0; link < joints.num_links(); ++link)
    if (joints.parent(link) == JointTree::kNone) out += mjcf_body(tree, joints, link);
  return out + "</worldbody>\n</mujoco>\n";
}

/// Fixed axes x, y, z: R = Rz Ry Rx.
Vec3 roll_pitch_yaw(const Mat3& R) {
  return {std::atan2(R(2, 1), R(2, 2)), std::atan2(-R(2, 0), std::hypot(R(2, 1), R(2, 2))),
          std::atan2(R(1, 0), R(0, 0))};
}

/// Links of URDF have their origin in the joint; their axes are those of the body here.
std::string urdf_of(const PeerTree& tree, const JointTree& joints) {
  std::string out = fmt::format("<robot name=\"tree-{}\">\n<link name=\"world\"/>\n", tree.seed);
  for (int link = 0; link < joints.num_links(); ++link) {
    const int body = joints.body(link),
              parent = joints.parent(link) < 0 ? -1 : joints.body(joints.parent(link));
    const auto at = std::size_t(body);
    const Placement own = start_of(tree, body), below = start_of(tree, parent);
    const Vec3 origin = own.position + own.orientation * tree.points[at],
               below_origin =
                   parent < 0 ? Vec3(Vec3::Zero())
                              : Vec3(below.position + below.orientation * tree.points[std::size_t(parent)]);
    const Quat back = below.orientation.conjugate();
    const auto& rigid = static_cast<const Rigid&>(*tree.model.bodies()[at].body);
    const Vec3 I = rigid.inertia().diagonal();
    const char* type = tree.moves[at] == Moves::hinge    ? "revolute"
                       : tree.moves[at] == Moves::slider ? "prismatic"
                                                         : "fixed";
    out += fmt::format(
        "<link name=\"b{0}\"><inertial><origin xyz=\"{1}\" rpy=\"0 0 0\"/><mass value=\"{2:.17g}\"/>"
        "<inertia ixx=\"{3:.17g}\" iyy=\"{4:.17g}\" izz=\"{5:.17g}\" ixy=\"0\" ixz=\"0\" "
        "iyz=\"0\"/></inertial></link>\n",
        body, numbers(Vec3(-tree.points[at])), rigid.mass(), I.x(), I.y(), I.z());
    out += fmt::format(
        "<joint name=\"j{0}\" type=\"{1}\"><parent link=\"{2}\"/><child link=\"b{0}\"/><origin xyz=\"{3}\" "
        "rpy=\"{4}\"/>"
        "<axis xyz=\"{5}\"/><limit effort=\"1e9\" velocity=\"1e9\" lower=\"-1e9\" upper=\"1e9\"/></joint>\n",
        body, type, parent < 0 ? "world" : fmt::format("b{}", parent),
        numbers(Vec3(back * (origin - below_origin))),
        numbers(roll_pitch_yaw((back * own.orientation).toRotationMatrix())),
        numbers(Vec3(tree.axes[at].col(2))));
  }
  return out + "</robot>\n";
}

/// Coordinates of MJCF, and T of (1) and (2).
void to_mjcf(const PeerTree& tree, const JointTree& joints, const VecX& q, VecX& q_out, MatX& T) {
  q_out = q;
  T.setIdentity(joints.num_v(), joints.num_v());
  for (int link = 0; link < joints.num_links(); ++link) {
    const auto at = std::size_t(joints.body(link));
    const int first = joints.q(link), v = joints.v(link);
    if (tree.moves[at] == Moves::ball) {
      const Quat A(tree.axes[at]), turn(q[first], q[first + 1], q[first + 2], q[first + 3]),
          seen = A * turn * A.conjugate();
      q_out.segment<4>(first) << seen.w(), seen.x(), seen.y(), seen.z();
      T.block<3, 3>(v, v) = tree.axes[at] * turn.toRotationMatrix().transpose();
    } else if (tree.moves[at] == Moves::free) {
      const Quat turn(q[first + 3], q[first + 4], q[first + 5], q[first + 6]);
      T.block<3, 3>(v + 3, v + 3) = turn.toRotationMatrix().transpose();
    }
  }
}

nlohmann::json list(const VecX& a) {
  return std::vector<double>(a.data(), a.data() + a.size());
}

nlohmann::json numbers_of(const PeerTree& tree, const JointTree& joints) {
  RandomNumbers random(tree.seed + 10000);
  TreeData data(joints);
  VecX q, v, a, bias, q_mjcf;
  joints.start(q, v);
  joints.retract(random.numbers(joints.num_v(), 1.0), q);
  v = random.numbers(joints.num_v(), 1.0);
  const VecX tau = random.numbers(joints.num_v(), 10.0);
  MatX M, T;
  mass_matrix(joints, q, data, M);
  bias_forces(joints, q, v, data, bias);
  if (forward_dynamics(joints, q, v, tau, data, a) != JointTree::kNone)
    throw std::runtime_error("no accelerations");
  to_mjcf(tree, joints, q, q_mjcf, T);
  nlohmann::json kinds = nlohmann::json::array(), rows = nlohmann::json::array();
  for (int link = 0; link < joints.num_links(); ++link)
    kinds.push_back({{"kind", kMoveNames[int(tree.moves[std::size_t(joints.body(link))])]},
                     {"name", fmt::format("j{}", joints.body(link))}});
  const MatX seen = T * M * T.transpose();
  for (Eigen::Index i = 0; i < seen.rows(); ++i) rows.push_back(list(seen.row(i)));
  return {{"seed", tree.seed},    {"joints", kinds},        {"gravity", list(tree.model.gravity)},
          {"q", list(q_mjcf)},    {"v", list(T * v)},       {"tau", list(T * tau)},
          {"mass", rows},         {"bias", list(T * bias)}, {"accelerations", list(T * a)},
          {"urdf", tree.is_plain}};
}

void write(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.flush();
  if (!out) throw std::runtime_error("cannot write " + file);
}

void write_trees(const std::string& folder, int count) {
  nlohmann::json all = nlohmann::json::array();
  for (unsigned seed = 1; seed <= unsigned(count); ++seed) {
    const PeerTree tree = make_peer_tree(seed);
    const JointTree joints(tree.model);
    const std::string name = fmt::format("{}/tree-{}", folder, seed);
    write(name + ".xml", mjcf_of(tree, joints));
    if (tree.is_plain) write(name + ".urdf", urdf_of(tree, joints));
    all.push_back(numbers_of(tree, joints));
  }
  write(folder + "/trees.json", all.dump());
}

}  // namespace
}  // namespace catena::test

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("usage: write_trees FOLDER COUNT");
    catena::test::write_trees(argv[1], std::stoi(argv[2]));
    return 0;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "write_trees: {}\n", problem.what());
    return 2;
  }
}
