// The matrix of Newton's method: inertia, geometric stiffness of constraints, springs.
#include "formulation/maximal/joint_rows.h"
#include "formulation/maximal/stage.h"
#include "math/rotation.h"

#include <algorithm>
#include <cmath>

namespace catena::maximal {
namespace {

using Block6 = Eigen::Map<Eigen::Matrix<double, 6, 6>>;
/// Velocity of a marker over the velocities of its body.
using MarkerMap = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, kMostVelocities>;

/// [p]×[q]× = q pᵀ - (p·q) 1
Mat3 double_cross(const Vec3& p, const Vec3& q) {
  Mat3 m = q * p.transpose();
  m.diagonal().array() -= p.dot(q);
  return m;
}

void make_marker_map(const BodySlot& body, const MarkerMotion& lever, const OtherMarker& other,
                     MarkerMap& T) {
  T.setZero(6, body.num_v);
  switch (body.type) {
    case BodyType::rigid:
      T.setIdentity(6, 6);
      T.topRightCorner<3, 3>() = -skew(lever.r);
      break;
    case BodyType::planar:
      T(0, 0) = T(1, 1) = T(5, 2) = 1.0;
      T(0, 2) = -lever.r.y();
      T(1, 2) = lever.r.x();
      break;
    case BodyType::particle3:
      T.topLeftCorner<3, 3>().setIdentity();
      break;
    case BodyType::particle2:
      T(0, 0) = T(1, 1) = 1.0;
      break;
    case BodyType::other:
      T.topRows<3>() = other.point.J;
      if (body.body->has_orientation()) T.bottomRows<3>() = other.frame.W;
      break;
  }
}

/// out += factor · T_kᵀ K T_l of rigid bodies, T = ( 1  -[r]× ; 0  1 ), by columns c of K T_l:  T_kᵀc = ( f ; τ + r × f ).
void add_rigid_stiffness(double factor, const double* K, const Vec3& r_k, const Vec3& r_l, double* out) {
  const auto add_column = [&](int j, const double* column) {
    double* to = out + 6 * j;
    to[0] += column[0];
    to[1] += column[1];
    to[2] += column[2];
    to[3] += column[3] + r_k[1] * column[2] - r_k[2] * column[1];
    to[4] += column[4] + r_k[2] * column[0] - r_k[0] * column[2];
    to[5] += column[5] + r_k[0] * column[1] - r_k[1] * column[0];
  };
  double scaled[36], turned[6];
  for (int i = 0; i < 36; ++i) scaled[i] = factor * K[i];
  for (int j = 0; j < 3; ++j) add_column(j, scaled + 6 * j);
  for (int j = 0; j < 3; ++j) {  // K(linear)·(e_j × r_l)
    const int n = (j + 1) % 3, p = (j + 2) % 3;
    for (int i = 0; i < 6; ++i)
      turned[i] = scaled[6 * (3 + j) + i] + r_l[n] * scaled[6 * p + i] - r_l[p] * scaled[6 * n + i];
    add_column(3 + j, turned);
  }
}

}  // namespace

double* MaximalStage::place(const BlockPlace& at) {
  switch (at.kind) {
    case BlockPlace::Kind::body:
      return problem_.M.data() + at.offset;
    case BlockPlace::Kind::upper:
      return problem_.links.data() + at.offset;
    case BlockPlace::Kind::lower:
      return problem_.lower.data() + at.offset;
    case BlockPlace::Kind::none:
      break;
  }
  return nullptr;
}

// (1), (2) of stage.h without K
void MaximalStage::add_inertia() {
  const double s = stage_.s, tau = stage_.tau;
  for (std::size_t i = 0; i < layout_.layout.bodies.size(); ++i) {
    const BodySlot& slot = layout_.layout.bodies[i];
    double* block = problem_.M.data() + layout_.graph.mass_offset[i];
    if (slot.type == BodyType::other) continue;  // add_other_bodies
    if (slot.type != BodyType::rigid) {
      for (int k = 0; k < slot.num_v; ++k)
        block[k * (slot.num_v + 1)] +=
            slot.type == BodyType::planar && k == 2 ? slot.planar_inertia : slot.mass;
      continue;
    }
    for (int k = 0; k < 3; ++k) block[7 * k] += slot.mass;
    const double* u = u_.data() + slot.v;
    const Mat3& I = inertia_[i];
    Block6 D(block);
    if (stage_.predicted_velocity != nullptr) {  // (4)
      const Vec3 spin = stage_.predicted_velocity->segment<3>(slot.v + 3);
      D.bottomRightCorner<3, 3>() += I + tau * (times(skew(spin), I) - skew(I * spin));
      continue;
    }
    const Vec3 w = kinematics_.bodies[i].w;
    const Mat3 chart = log_jacobian(Vec3(u[3], u[4], u[5])), turn = times(I, skew(w)) - skew(I * w);
    if (is_momentum_form()) {
      D.bottomRightCorner<3, 3>() += times(I, chart) + tau * turn;
    } else {
      const double* a = a_.data() + slot.v;
      const Vec3 alpha(a[3], a[4], a[5]);
      D.bottomRightCorner<3, 3>() += (I + (s / tau) * (skew(w) * I - skew(I * w))) * chart +
                                     s * (I * skew(alpha) - skew(I * alpha) + skew(w) * turn);
    }
  }
}

// Joints known by name, at the bodies: the point as in (3) of stage.h, the dot rows s·e by
//   K_aa = λ[e]×[s]×,  K_ab = -λ[s]×[e]×,  K_ba = -λ[e]×[s]×,  K_bb = λ[s]×[e]×
void MaximalStage::add_joint_stiffness(std::size_t constraint) {
  const ConstraintSlot& slot = layout_.layout.constraints[constraint];
  const JointSides at(layout_.layout, slot, kinematics_);
  const BlockPlace* places = layout_.places.data() + layout_.constraint_places[constraint];
  const double* lambda = lambda_.data() + slot.row;
  const Vec3 force = stage_.s * Vec3(lambda[0], lambda[1], lambda[2]);
  Mat3 aa = -double_cross(force, at.A.R * at.a.point), bb = double_cross(force, at.B.R * at.b.point);
  const int dots = slot.rows - 3;
  Mat3 ab = Mat3::Zero();
  for (int i = 0; i < dots; ++i) {
    const DotAxes axes = kDotAxes[dots][i];
    const Vec3 s = at.A.R * at.a.axes.col(axes.a), e = at.B.R * at.b.axes.col(axes.b);
    const Mat3 es = (stage_.s * lambda[3 + i]) * double_cross(e, s);  // [s]×[e]× is its transpose
    aa -= es;
    bb -= es.transpose();
    ab += es.transpose();
  }
  if (double* block = place(places[0])) Block6(block).bottomRightCorner<3, 3>() += aa;
  if (double* block = place(places[3])) Block6(block).bottomRightCorner<3, 3>() += bb;
  if (dots == 0) return;
  if (double* block = place(places[1])) Block6(block).bottomRightCorner<3, 3>() += ab;
  if (double* block = place(places[2])) Block6(block).bottomRightCorner<3, 3>() += ab.transpose();
}

// factor · T_kᵀ K_kl T_l for all pairs of markers, K in marker_K_
void MaximalStage::add_marker_stiffness(const std::vector<MarkerSlot>& markers, int begin, int end,
                                        const std::vector<MarkerMotion>& levers,
                                        const std::vector<OtherMarker>& others, int first_place,
                                        double factor) {
  const int count = end - begin;
  const auto map_of = [&](int k, MarkerMap& T) {
    const auto m = std::size_t(begin + k);
    make_marker_map(layout_.layout.bodies[std::size_t(markers[m].body)], levers[m],
                    others[others.size() > 1 ? m : 0], T);
  };
  const auto is_rigid = [&](int k) {
    const int body = markers[std::size_t(begin + k)].body;
    return layout_.layout.bodies[std::size_t(body)].type == BodyType::rigid;
  };
  MarkerMap left, right;
  for (int k = 0; k < count; ++k) {
    if (markers[std::size_t(begin + k)].body < 0) continue;
    if (!is_rigid(k)) map_of(k, left);
    for (int l = 0; l < count; ++l) {
      double* block = place(layout_.places[std::size_t(first_place + k * count + l)]);
      if (block == nullptr) continue;
      if (is_rigid(k) && is_rigid(l)) {
        add_rigid_stiffness(factor, marker_K_.data() + 36 * (k * count + l), levers[std::size_t(begin + k)].r,
                            levers[std::size_t(begin + l)].r, block);
        continue;
      }
      if (is_rigid(k)) map_of(k, left);
      map_of(l, right);
      const Block6 K(marker_K_.data() + 36 * (k * count + l));
      Eigen::Map<Eigen::MatrixXd> out(block, left.cols(), right.cols());
      const MarkerMap half = factor * K.lazyProduct(right);
      out.noalias() += left.transpose().lazyProduct(half);
    }
  }
}

// A force on a lever turns with it: (3) of stage.h.
void MaximalStage::add_lever_stiffness(const MarkerSlot& marker, const MarkerMotion& lever,
                                       const Vec3& force) {
  if (marker.body < 0) return;
  const BodySlot& body = layout_.layout.bodies[std::size_t(marker.body)];
  double* block = problem_.M.data() + layout_.graph.mass_offset[std::size_t(marker.body)];
  if (body.type == BodyType::rigid)
    Block6(block).bottomRightCorner<3, 3>() -= stage_.s * double_cross(force, lever.r);
  else if (body.type == BodyType::planar)
    block[8] += stage_.s * force.head<2>().dot(lever.r.head<2>());
}

void MaximalStage::add_constraint_stiffness() {
  const Layout& layout = layout_.layout;
  if (!layout_.constraint_geometry) return;
  for (std::size_t c = 0; c < layout.constraints.size(); ++c) {
    const ConstraintSlot& slot = layout.constraints[c];
    if (slot.joint != JointType::other) {
      add_joint_stiffness(c);
      continue;
    }
    const int markers = slot.marker_end - slot.marker_begin;
    evaluate_constraint(slot, kinematics_, stage_.time, *stage_.memory, rows_);
    for (int k = 0; k < markers; ++k) {
      Vec3 force = Vec3::Zero();
      for (int r = 0; r < slot.rows; ++r)
        force += lambda_[slot.row + r] * Eigen::Map<const Vec3>(rows_.G.data() + (k * slot.rows + r) * 6);
      const auto m = std::size_t(slot.marker_begin + k);
      add_lever_stiffness(layout.constraint_markers[m], kinematics_.constraint_levers[m], force);
    }
    const std::size_t next = c + 1 < layout.constraints.size() ? std::size_t(layout_.constraint_places[c + 1])
                             : !layout_.elastic_places.empty() ? std::size_t(layout_.elastic_places[0])
                             : !layout_.force_places.empty()   ? std::size_t(layout_.force_places[0])
                                                               : layout_.places.size();
    const bool has_places = next > std::size_t(layout_.constraint_places[c]);
    if (!slot.constraint->has_geometric_stiffness() || !has_places) continue;
    marker_K_.head(36 * markers * markers).setZero();
    MarkerStiffness K(markers, marker_K_.data());
    slot.constraint->add_geometric_stiffness(
        constraint_motion(slot, kinematics_, stage_.time, *stage_.memory),
        {lambda_.data() + slot.row, std::size_t(slot.rows)}, K);
    add_marker_stiffness(layout.constraint_markers, slot.marker_begin, slot.marker_end,
                         kinematics_.constraint_levers, kinematics_.constraint_others,
                         layout_.constraint_places[c], -stage_.s);
  }
}

// Rows that take no part: a zero row of J with a compliance of 1 leaves their multiplier as it is.
void MaximalStage::switch_rows_off() {
  const solve::Graph& g = layout_.graph;
  for (std::size_t node = 0; node < g.rows.size(); ++node)
    for (int r = 0; r < g.rows[node]; ++r) {
      const int row = g.row_offset[node] + r;
      if (is_off_[std::size_t(row)] == 0) continue;
      for (int e = g.edge_begin[node]; e < g.edge_begin[node + 1]; ++e) {
        const solve::Edge& edge = g.edges[std::size_t(e)];
        const int dim = g.dims[std::size_t(edge.body)];
        std::fill_n(problem_.J.data() + edge.offset + r * dim, dim, 0.0);
      }
      r2_[row] = 0.0;
      is_blanked_ = is_blanked_ || layout_.model_row[std::size_t(row)] >= 0;
    }
}

SolveResult MaximalStage::factor() {
  problem_.M.setZero();
  problem_.links.setZero();
  problem_.lower.setZero();
  add_inertia();
  add_constraint_stiffness();
  add_elastic_stiffness();
  add_force_stiffness();
  add_other_bodies();
  switch_rows_off();
  const solve::FactorResult result = solver_->factor(problem_);
  SolveResult out;
  if (!result.ok()) out = {SolveResult::Status::singular, result.constraint, result.body, 0.0};
  return out;
}

}  // namespace catena::maximal
