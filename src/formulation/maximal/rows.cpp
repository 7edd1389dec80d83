#include "formulation/maximal/rows.h"

#include "formulation/maximal/explicit_form.h"
#include "formulation/maximal/joint_rows.h"

#include <algorithm>

namespace catena::maximal {
namespace {

// Rows of one marker on a rigid body (1): J = ( n ; g + r × n ), and n·bias into b. The common case, kept free of branches.
void write_rigid_block(const MarkerMotion& lever, int rows, const double* G, double* block, double* bias) {
  const double rx = lever.r[0], ry = lever.r[1], rz = lever.r[2];
  for (int i = 0; i < rows; ++i, G += 6, block += 6) {
    block[0] = G[0];
    block[1] = G[1];
    block[2] = G[2];
    block[3] = G[3] + ry * G[2] - rz * G[1];
    block[4] = G[4] + rz * G[0] - rx * G[2];
    block[5] = G[5] + rx * G[1] - ry * G[0];
    bias[i] += G[0] * lever.bias[0] + G[1] * lever.bias[1] + G[2] * lever.bias[2];
  }
}

// The same for any kind of body, added to what other markers of the constraint left there.
void add_block(const BodySlot& body, const MarkerMotion& lever, const OtherMarker& other, int rows,
               const double* G, double* block, double* bias) {
  const int n = body.num_v;
  for (int i = 0; i < rows; ++i, G += 6, block += n) {
    const Vec3 linear(G[0], G[1], G[2]), angular(G[3], G[4], G[5]);
    const Vec3 moment = angular + lever.r.cross(linear);
    bias[i] += linear.dot(lever.bias);
    switch (body.type) {
      case BodyType::rigid:
        for (int k = 0; k < 3; ++k) block[k] += linear[k];
        for (int k = 0; k < 3; ++k) block[3 + k] += moment[k];
        break;
      case BodyType::planar:
        block[0] += linear[0];
        block[1] += linear[1];
        block[2] += moment[2];
        break;
      case BodyType::particle3:
        for (int k = 0; k < 3; ++k) block[k] += linear[k];
        break;
      case BodyType::particle2:
        block[0] += linear[0];
        block[1] += linear[1];
        break;
      case BodyType::other: {
        Eigen::Map<Eigen::RowVectorXd> row(block, n);
        row.noalias() += linear.transpose().lazyProduct(other.point.J);
        if (body.body->has_orientation()) {
          row.noalias() += angular.transpose().lazyProduct(other.frame.W);
          bias[i] += angular.dot(other.frame.bias);
        }
        break;
      }
    }
  }
}

bool carries_a(const Layout& layout, const ConstraintSlot& slot, int explicit_edge) {
  return layout.graph.edges[explicit_edge].body == layout.constraint_markers[slot.marker_begin].body;
}

void update_pair(const Layout& layout, const ConstraintSlot& slot, const Kinematics& kinematics,
                 const double* G, int explicit_edge, solve::Pair& pair) {
  const int a = slot.marker_begin, b = slot.marker_begin + 1;
  const Vec3& r_a = kinematics.constraint_levers[a].r;
  Vec3 r_b = kinematics.constraint_levers[b].r;
  // the rows of sliders act on b at the point where marker a is now
  if (slot.lower_pair.at_marker_a)
    r_b += kinematics.constraint_markers[a].x - kinematics.constraint_markers[b].x;
  if (carries_a(layout, slot, explicit_edge))
    write_explicit_form(slot.lower_pair, G, 1.0, r_a, r_b - r_a, pair);
  else
    write_explicit_form(slot.lower_pair, G, -1.0, r_b, r_a - r_b, pair);
}

// A joint known by name.
template <int ANG>
void update_joint(const Layout& layout, const ConstraintSlot& slot, const Kinematics& kinematics,
                  int explicit_edge, int pair, RowParts parts, RowArrays& rows, solve::Problem& problem) {
  const JointSides at(layout, slot, kinematics);
  const auto block = [&](const MarkerSlot& side) {
    return side.body >= 0 ? problem.J.data() + side.block : nullptr;
  };
  const bool is_explicit = explicit_edge >= 0;
  const double sign = is_explicit && carries_a(layout, slot, explicit_edge) ? 1.0 : -1.0;
  double* bias = parts == RowParts::all ? rows.bias.data() + slot.row : nullptr;
  write_joint<ANG>(at, rows.C.data() + slot.row, bias, block(at.a), block(at.b), sign,
                   is_explicit ? &problem.pairs[pair] : nullptr);
}

// Any other constraint: its own evaluate(), then the chain rule.
void update_constraint(const Layout& layout, const ConstraintSlot& slot, const Kinematics& kinematics,
                       double t, const VecX& memory, RowArrays& rows, solve::Problem& problem) {
  const int markers = slot.marker_end - slot.marker_begin;
  double *C = rows.C.data() + slot.row, *C_t = rows.C_t.data() + slot.row;
  double* bias = rows.bias.data() + slot.row;
  for (double* values : {C, C_t, bias}) std::fill(values, values + slot.rows, 0.0);
  std::fill(rows.G.begin(), rows.G.begin() + slot.rows * markers * 6, 0.0);
  Rows out(slot.rows, markers, C, C_t, bias, rows.G.data());
  slot.constraint->evaluate(constraint_motion(slot, kinematics, t, memory), out);
  std::fill(C + slot.holonomic_rows, C + slot.rows, 0.0);
  for (int k = 0; k < markers; ++k) {
    const int m = slot.marker_begin + k;
    const bool other = kinematics.constraint_others.size() > 1;
    write_marker_block(layout, layout.constraint_markers[m], kinematics.constraint_levers[m],
                       kinematics.constraint_others[other ? m : 0], slot.rows,
                       rows.G.data() + k * slot.rows * 6, problem.J, bias);
  }
}

}  // namespace

Motion constraint_motion(const ConstraintSlot& slot, const Kinematics& kinematics, double t,
                         const VecX& memory) {
  Motion motion;
  motion.at = {kinematics.constraint_markers.data() + slot.marker_begin,
               std::size_t(slot.marker_end - slot.marker_begin)};
  motion.time = t;
  motion.planar = slot.planar;
  motion.memory = {memory.data() + slot.memory, std::size_t(slot.memory_size)};
  return motion;
}

void write_marker_block(const Layout& layout, const MarkerSlot& marker, const MarkerMotion& lever,
                        const OtherMarker& other, int rows, const double* G, VecX& J, double* bias) {
  if (marker.body < 0) return;
  const BodySlot& body = layout.bodies[marker.body];
  double* block = J.data() + marker.block;
  if (body.type == BodyType::rigid && !marker.adds) {
    write_rigid_block(lever, rows, G, block, bias);
    return;
  }
  if (!marker.adds) std::fill(block, block + rows * body.num_v, 0.0);
  add_block(body, lever, other, rows, G, block, bias);
}

RowArrays::RowArrays(const Layout& layout)
    : C(VecX::Zero(layout.graph.num_rows())),
      C_t(C),
      bias(C),
      G(std::size_t(layout.most_rows) * std::size_t(layout.most_markers) * 6),
      rows(std::size_t(layout.most_rows) * 3) {}

void write_constant_rows(const Layout& layout, solve::Problem& problem) {
  for (std::size_t c = 0; c < layout.constraints.size(); ++c) {
    const ConstraintSlot& slot = layout.constraints[c];
    if (slot.joint == JointType::other) continue;
    const MarkerSlot& a = layout.constraint_markers[slot.marker_begin];
    const MarkerSlot& b = layout.constraint_markers[slot.marker_begin + 1];
    if (a.body >= 0) write_constant_joint_block(1.0, slot.rows, problem.J.data() + a.block);
    if (b.body >= 0) write_constant_joint_block(-1.0, slot.rows, problem.J.data() + b.block);
    if (layout.graph.pair[c] >= 0) Columns(problem.pairs[layout.graph.pair[c]].nu).setIdentity();
  }
}

void update_rows(const Layout& layout, const Kinematics& kinematics, double t, const VecX& memory,
                 const std::vector<int>& explicit_edge, RowParts parts, RowArrays& rows,
                 solve::Problem& problem) {
  for (std::size_t c = 0; c < layout.constraints.size(); ++c) {
    const ConstraintSlot& slot = layout.constraints[c];
    const int edge = explicit_edge[c], pair = layout.graph.pair[c];
    switch (slot.joint) {
      case JointType::ball:
        update_joint<0>(layout, slot, kinematics, edge, pair, parts, rows, problem);
        break;
      case JointType::universal:
        update_joint<1>(layout, slot, kinematics, edge, pair, parts, rows, problem);
        break;
      case JointType::hinge:
        update_joint<2>(layout, slot, kinematics, edge, pair, parts, rows, problem);
        break;
      case JointType::weld:
        update_joint<3>(layout, slot, kinematics, edge, pair, parts, rows, problem);
        break;
      case JointType::other:
        update_constraint(layout, slot, kinematics, t, memory, rows, problem);
        if (edge >= 0) update_pair(layout, slot, kinematics, rows.G.data(), edge, problem.pairs[pair]);
        break;
    }
  }
}

void evaluate_constraint(const ConstraintSlot& slot, const Kinematics& kinematics, double t,
                         const VecX& memory, RowArrays& rows) {
  const int markers = slot.marker_end - slot.marker_begin;
  std::fill(rows.G.begin(), rows.G.begin() + slot.rows * markers * 6, 0.0);
  std::fill(rows.rows.begin(), rows.rows.begin() + slot.rows * 3, 0.0);
  double* values = rows.rows.data();
  Rows out(slot.rows, markers, values, values + slot.rows, values + 2 * slot.rows, rows.G.data());
  slot.constraint->evaluate(constraint_motion(slot, kinematics, t, memory), out);
}

void update_errors(const Layout& layout, const Kinematics& kinematics, double t, const VecX& memory,
                   RowArrays& rows, VecX& C) {
  for (const ConstraintSlot& slot : layout.constraints) {
    double* own = C.data() + slot.row;
    switch (slot.joint) {
      case JointType::ball:
        write_joint_errors<0>(JointSides(layout, slot, kinematics), own);
        break;
      case JointType::universal:
        write_joint_errors<1>(JointSides(layout, slot, kinematics), own);
        break;
      case JointType::hinge:
        write_joint_errors<2>(JointSides(layout, slot, kinematics), own);
        break;
      case JointType::weld:
        write_joint_errors<3>(JointSides(layout, slot, kinematics), own);
        break;
      case JointType::other:
        evaluate_constraint(slot, kinematics, t, memory, rows);
        for (int i = 0; i < slot.rows; ++i) own[i] = i < slot.holonomic_rows ? rows.rows[i] : 0.0;
        break;
    }
  }
}

}  // namespace catena::maximal
