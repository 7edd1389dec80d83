#include "formulation/body_rows.h"

#include "formulation/joint_rows.h"
#include "formulation/marker_map.h"

#include <algorithm>

namespace catena {
namespace {

void update_pair(const ConstraintSlot& slot, const MarkerSet& set, const double* G, double sign,
                 solve::Pair& pair) {
  const auto a = std::size_t(slot.marker_begin), b = a + 1;
  const Vec3& r_a = set.levers[a].r;
  Vec3 r_b = set.levers[b].r;
  // the rows of sliders act on b at the point where marker a is now
  if (slot.lower_pair.at_marker_a) r_b += set.markers[a].x - set.markers[b].x;
  if (sign > 0.0)
    write_explicit_form(slot.lower_pair, G, 1.0, r_a, r_b - r_a, pair);
  else
    write_explicit_form(slot.lower_pair, G, -1.0, r_b, r_a - r_b, pair);
}

// A joint known by name.
template <JointType TYPE>
void update_joint(const Layout& layout, std::size_t c, const Kinematics& kinematics, RowParts parts,
                  RowValues& rows, const RowSink& sink) {
  const ConstraintSlot& slot = layout.constraints[c];
  const JointSides at(layout, slot, kinematics);
  const auto block = [&](const MarkerSlot& side, int marker) {
    return side.body >= 0 ? sink.J + sink.block[marker] : nullptr;
  };
  const ExplicitPlace form = sink.explicit_place != nullptr ? sink.explicit_place[c] : ExplicitPlace{};
  double* bias = parts == RowParts::all ? rows.bias.data() + slot.row : nullptr;
  write_joint<TYPE>(at, rows.C.data() + slot.row, bias, block(at.a, slot.marker_begin),
                    block(at.b, slot.marker_begin + 1), form.sign,
                    form.pair >= 0 ? sink.pairs + form.pair : nullptr);
}

// Any other constraint: its own evaluate(), then the chain rule.
void update_constraint(const Layout& layout, const ConstraintSlot& slot, const MarkerSet& set,
                       const Instant& at, RowValues& rows, const RowSink& sink) {
  double *C = rows.C.data() + slot.row, *C_t = rows.C_t.data() + slot.row,
         *bias = rows.bias.data() + slot.row, *G = rows.G.data() + slot.G;
  double* K = slot.acts_elsewhere ? rows.K.data() + slot.G : nullptr;
  evaluate_rows(*slot.constraint, motion_of(slot, set, at), slot.rows, slot.holonomic_rows,
                {C, C_t, bias, G, K});
  for (int m = slot.marker_begin; m < slot.marker_end; ++m) {
    const MarkerSlot& marker = layout.constraint_markers[std::size_t(m)];
    const int own = (m - slot.marker_begin) * slot.rows * 6;
    write_marker_block(layout, marker, set, m, slot.rows, G + own, sink.J + sink.block[m], bias);
    if (K != nullptr)
      write_marker_block(layout, marker, set, m, slot.rows, K + own, sink.K + sink.block[m], nullptr);
  }
}

// Into the scratch of `rows`: C, C_t, γ, then G.
double* evaluate_alone(const ConstraintSlot& slot, const MarkerSet& set, const Instant& at, RowValues& rows) {
  double* values = rows.scratch.data();
  std::fill(values, values + slot.rows * (3 + slot.num_markers() * 6), 0.0);
  Rows out(slot.rows, slot.num_markers(), values, values + slot.rows, values + 2 * slot.rows,
           values + 3 * slot.rows);
  slot.constraint->evaluate(motion_of(slot, set, at), out);
  return values;
}

}  // namespace

void evaluate_rows(const Constraint& constraint, const Motion& motion, int rows, int holonomic_rows,
                   const RowPlace& out) {
  const int markers = int(motion.at.size()), size = rows * markers * 6;
  for (double* values : {out.C, out.C_t, out.gamma}) std::fill(values, values + rows, 0.0);
  std::fill(out.G, out.G + size, 0.0);
  if (out.K != nullptr) std::fill(out.K, out.K + size, 0.0);
  Rows place(rows, markers, out.C, out.C_t, out.gamma, out.G, true, out.K);
  constraint.evaluate(motion, place);
  std::fill(out.C + holonomic_rows, out.C + rows, 0.0);
}

RowValues::RowValues(const Layout& layout)
    : C(VecX::Zero(layout.num_rows)),
      C_t(C),
      bias(C),
      G(std::size_t(layout.G_size)),
      K(layout.has_own_directions ? G.size() : 0),
      scratch(std::size_t(layout.most_rows) * std::size_t(3 + layout.most_markers * 6)) {}

void find_blocks(const solve::Graph& graph, int node, int row, const std::vector<MarkerSlot>& markers,
                 const AttachedSlot& owner, std::vector<int>& block) {
  for (int m = owner.marker_begin; m < owner.marker_end; ++m)
    for (int e = graph.edge_begin[std::size_t(node)]; e < graph.edge_begin[std::size_t(node) + 1]; ++e)
      if (const solve::Edge& edge = graph.edges[std::size_t(e)]; edge.body == markers[std::size_t(m)].body)
        block[std::size_t(m)] = edge.offset + row * graph.dims[std::size_t(edge.body)];
}

void write_marker_block(const Layout& layout, const MarkerSlot& slot, const MarkerSet& set, int marker,
                        int rows, const double* G, double* block, double* bias) {
  if (slot.body < 0) return;
  const BodySlot& body = layout.bodies[std::size_t(slot.body)];
  const MarkerMotion& lever = set.levers[std::size_t(marker)];
  const OtherMarker& other = set.other(marker);
  if (bias != nullptr)
    for (int i = 0; i < rows; ++i) {
      bias[i] += Eigen::Map<const Vec3>(G + 6 * i).dot(lever.bias);
      if (body.type == BodyType::other && body.body->has_orientation())
        bias[i] += Eigen::Map<const Vec3>(G + 6 * i + 3).dot(other.frame.bias);
    }
  if (body.type == BodyType::rigid && !slot.adds) {
    for (int i = 0; i < rows; ++i) put_rigid_row<false>(lever.r, G + 6 * i, block + 6 * i);
    return;
  }
  if (!slot.adds) std::fill(block, block + rows * body.num_v, 0.0);
  for (int i = 0; i < rows; ++i) add_row(body, lever, other, G + 6 * i, block + i * body.num_v);
}

void write_constant_rows(const Layout& layout, const RowSink& sink) {
  for (const ConstraintSlot& slot : layout.constraints) {
    if (slot.joint == JointType::other) continue;
    for (const int side : {0, 1}) {
      const int m = slot.marker_begin + side;
      if (layout.constraint_markers[std::size_t(m)].body >= 0)
        write_constant_joint_block(side == 0 ? 1.0 : -1.0, slot.rows, sink.J + sink.block[m]);
    }
  }
}

void update_rows(const Layout& layout, const Kinematics& kinematics, const Instant& at, RowParts parts,
                 RowValues& rows, const RowSink& sink) {
  for (std::size_t c = 0; c < layout.constraints.size(); ++c) {
    const ConstraintSlot& slot = layout.constraints[c];
    if (slot.joint != JointType::other) {
      with_joint(slot.joint,
                 [&]<JointType TYPE>() { update_joint<TYPE>(layout, c, kinematics, parts, rows, sink); });
      continue;
    }
    update_constraint(layout, slot, kinematics.constraints, at, rows, sink);
    if (sink.explicit_place != nullptr && sink.explicit_place[c].pair >= 0)
      update_pair(slot, kinematics.constraints, rows.G.data() + slot.G, sink.explicit_place[c].sign,
                  sink.pairs[sink.explicit_place[c].pair]);
  }
}

void update_errors(const Layout& layout, const Kinematics& kinematics, const Instant& at, RowValues& rows,
                   VecX& C) {
  for (const ConstraintSlot& slot : layout.constraints) {
    double* own = C.data() + slot.row;
    if (slot.joint != JointType::other) {
      with_joint(slot.joint, [&]<JointType TYPE>() {
        write_joint_errors<TYPE>(JointSides(layout, slot, kinematics), own);
      });
      continue;
    }
    const double* alone = evaluate_alone(slot, kinematics.constraints, at, rows);
    for (int i = 0; i < slot.rows; ++i) own[i] = i < slot.holonomic_rows ? alone[i] : 0.0;
  }
}

}  // namespace catena
