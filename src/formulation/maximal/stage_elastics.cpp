// Forces along coordinates in an implicit stage: springs, stops, contacts, motors.
//
// Each row has a law λ(c, ċ). Where it answers to c or ċ, λ is an unknown with the compliance 1/(k + b/τ); where it does not (a stop that
// does not touch, a motor at its limit) it is known, and the row takes no part in the matrix.
#include "formulation/maximal/stage.h"
#include "math/rotation.h"

#include <algorithm>
#include <cmath>

namespace catena::maximal {

Motion MaximalStage::motion_of(const ElasticSlot& slot) const {
  Motion motion;
  motion.at = {kinematics_.force_markers.data() + slot.marker_begin,
               std::size_t(slot.marker_end - slot.marker_begin)};
  motion.time = stage_.time;
  motion.planar = slot.planar;
  motion.memory = {stage_.memory->data() + slot.memory, std::size_t(slot.memory_size)};
  motion.step = stage_.tau;
  return motion;
}

Motion MaximalStage::coordinate_motion_of(const ElasticSlot& slot) const {
  Motion motion = motion_of(slot);
  motion.memory = slot.force->coordinate_memory(motion.memory);
  return motion;
}

// A stop in a linearised step acts where the velocity at its start would bring the coordinate.
LawResponse MaximalStage::predicted_answer(const ElasticSlot& slot, int row, double c, double rate) const {
  const Law& law = slot.force->law(row);
  double predicted = c + stage_.tau * rows_.C_t[slot.row + row];
  const solve::Graph& g = layout_.graph;
  for (int e = g.edge_begin[std::size_t(slot.node)]; e < g.edge_begin[std::size_t(slot.node) + 1]; ++e) {
    const solve::Edge& edge = g.edges[std::size_t(e)];
    const int dim = g.dims[std::size_t(edge.body)],
              own = slot.row + row - g.row_offset[std::size_t(slot.node)];
    predicted +=
        stage_.tau * Eigen::Map<const VecX>(problem_.J.data() + edge.offset + own * dim, dim)
                         .dot(stage_.predicted_velocity->segment(g.body_offset[std::size_t(edge.body)], dim));
  }
  const int caught = caught_by_[std::size_t(slot.row + row)];
  if (caught == 0 && predicted <= law.upper && predicted >= law.lower) return {};
  const double excess = c - (caught > 0 || predicted > law.upper ? law.upper : law.lower);
  return {law.preload - law.stiffness * excess - law.damping * rate, law.stiffness, law.damping, 0.0};
}

void MaximalStage::evaluate_coordinates(const ElasticSlot& slot, const Motion& motion, double* G) {
  const int markers = slot.marker_end - slot.marker_begin;
  const bool others = kinematics_.force_others.size() > 1;
  double *C = rows_.C.data() + slot.row, *C_t = rows_.C_t.data() + slot.row,
         *bias = rows_.bias.data() + slot.row;
  for (double* values : {C, C_t, bias}) std::fill(values, values + slot.rows, 0.0);
  std::fill(G, G + slot.rows * markers * 6, 0.0);
  Rows out(slot.rows, markers, C, C_t, bias, G, false);
  Motion own = motion;
  own.memory = slot.force->coordinate_memory(motion.memory);
  slot.coordinates->evaluate(own, out);
  for (int k = 0; k < markers; ++k) {
    const auto m = std::size_t(slot.marker_begin + k);
    write_marker_block(layout_.layout, layout_.layout.force_markers[m], kinematics_.force_levers[m],
                       kinematics_.force_others[others ? m : 0], slot.rows, G + k * slot.rows * 6, problem_.J,
                       bias);
  }
}

// Coordinates, their blocks of J and what their laws answer; sets λ where the law alone decides.
void MaximalStage::update_elastics(VecX& lambda) {
  for (std::size_t i = 0; i < layout_.elastics.size(); ++i) {
    const ElasticSlot& slot = layout_.elastics[i];
    double* G = elastic_G_.data() + elastic_G_begin_[i];
    const Motion motion = motion_of(slot);
    evaluate_coordinates(slot, motion, G);
    const bool is_on = slot.force->is_on(motion.memory);
    for (int r = 0; r < slot.rows; ++r) {
      const auto row = std::size_t(slot.row + r);
      const double c = rows_.C[slot.row + r];
      double rate = rows_.C_t[slot.row + r];
      for (std::size_t k = 0; k < motion.at.size(); ++k) {
        const double* g = G + (int(k) * slot.rows + r) * 6;
        const Marker& at = motion.at[k];
        rate += g[0] * at.v[0] + g[1] * at.v[1] + g[2] * at.v[2] + g[3] * at.w[0] + g[4] * at.w[1] +
                g[5] * at.w[2];
      }
      const Law& law =
          slot.first_law >= 0 ? layout_.laws[std::size_t(slot.first_law + r)] : slot.force->law(r);
      const bool has_bounds = law.has_bounds();
      LawResponse& now = response_[row];
      now = !is_on                                               ? LawResponse{}
            : has_bounds && stage_.predicted_velocity != nullptr ? predicted_answer(slot, r, c, rate)
            : slot.first_law >= 0                                ? respond(law, c, rate, stage_.tau)
                                  : slot.force->answer(r, motion, c, rate, stage_.tau);
      if (is_released_[row] != 0) now = {};
      is_engaged_[row] = is_on && (!has_bounds || now.stiffness + now.damping > 0.0) ? 1 : 0;
      const bool is_stiff = now.stiffness + now.damping / stage_.tau > 0.0;
      is_off_[row] = is_stiff && layout_.elastic_rows ? 0 : 1;
      if (!is_stiff || !layout_.elastic_rows) lambda[slot.row + r] = now.force;
    }
  }
}

// c at the end of a linearised step by u, for rows that the matrix may not contain.
double MaximalStage::displaced_coordinate(const ElasticSlot& slot, const double* G, int row,
                                          const VecX& u) const {
  double c = rows_.C[slot.row + row] + stage_.tau * rows_.C_t[slot.row + row];
  for (int m = slot.marker_begin; m < slot.marker_end; ++m) {
    const MarkerSlot& marker = layout_.layout.force_markers[std::size_t(m)];
    if (marker.body < 0) continue;
    const BodySlot& body = layout_.layout.bodies[std::size_t(marker.body)];
    const double* g = G + ((m - slot.marker_begin) * slot.rows + row) * 6;
    const Eigen::Map<const Vec3> linear(g), angular(g + 3);
    if (body.type == BodyType::rigid) {
      const Vec3 turn = u.segment<3>(body.v + 3);
      c += linear.dot(u.segment<3>(body.v) + turn.cross(kinematics_.force_levers[std::size_t(m)].r)) +
           angular.dot(turn);
    } else if (body.type == BodyType::particle3) {
      c += linear.dot(u.segment<3>(body.v));
    } else {
      return rows_.C[slot.row + row];  // stops of other bodies act by prediction only
    }
  }
  return c;
}

bool MaximalStage::adjust_stops(const VecX& u, const VecX& lambda) {
  bool any = false;
  if (!layout_.has_stops) return false;
  for (std::size_t i = 0; i < layout_.elastics.size(); ++i) {
    const ElasticSlot& slot = layout_.elastics[i];
    if (slot.first_law < 0) continue;
    for (int r = 0; r < slot.rows; ++r) {
      const Law& law = layout_.laws[std::size_t(slot.first_law + r)];
      const auto row = std::size_t(slot.row + r);
      if (!law.has_bounds() || is_released_[row] != 0 || caught_by_[row] != 0) continue;
      if (is_off_[row] != 0) {
        const double c = displaced_coordinate(slot, elastic_G_.data() + elastic_G_begin_[i], r, u);
        caught_by_[row] = c > law.upper ? 1 : c < law.lower ? -1 : 0;
        any = any || caught_by_[row] != 0;
        continue;
      }
      // of two bounds, the nearer one is the one that acts
      const double c = rows_.C[slot.row + r], side = law.upper - c < c - law.lower ? 1.0 : -1.0;
      if (lambda[slot.row + r] * side <= 0.0) continue;
      is_released_[row] = 1;
      any = true;
    }
  }
  return any;
}

void MaximalStage::add_elastic_stiffness() {
  const Layout& layout = layout_.layout;
  if (!layout_.elastic_geometry && layout_.elastic_rows) return;
  for (std::size_t i = 0; i < layout_.elastics.size(); ++i) {
    const ElasticSlot& slot = layout_.elastics[i];
    const int markers = slot.marker_end - slot.marker_begin;
    const double *G = elastic_G_.data() + elastic_G_begin_[i], *lambda = lambda_.data() + slot.row;
    const bool acts = std::any_of(lambda, lambda + slot.rows, [](double force) { return force != 0.0; });
    if (!acts && layout_.elastic_rows) continue;
    marker_K_.head(36 * markers * markers).setZero();
    MarkerStiffness K(markers, marker_K_.data());
    if (layout_.elastic_geometry && acts) {
      for (int k = 0; k < markers; ++k) {
        Vec3 force = Vec3::Zero();
        for (int r = 0; r < slot.rows; ++r)
          force += lambda[r] * Eigen::Map<const Vec3>(G + (k * slot.rows + r) * 6);
        const auto m = std::size_t(slot.marker_begin + k);
        add_lever_stiffness(layout.force_markers[m], kinematics_.force_levers[m], force);
      }
      if (slot.coordinates->has_geometric_stiffness())
        slot.coordinates->add_geometric_stiffness(coordinate_motion_of(slot),
                                                  {lambda, std::size_t(slot.rows)}, K);
    }
    if (!layout_.elastic_rows) add_law_stiffness(slot, G, K);
    add_marker_stiffness(layout.force_markers, slot.marker_begin, slot.marker_end, kinematics_.force_levers,
                         kinematics_.force_others, layout_.elastic_places[i], -stage_.s);
  }
}

// K = -Gᵀ(k + b/τ)G
void MaximalStage::add_law_stiffness(const ElasticSlot& slot, const double* G, MarkerStiffness& K) const {
  const int markers = slot.marker_end - slot.marker_begin;
  for (int r = 0; r < slot.rows; ++r) {
    const LawResponse& answer = response_[std::size_t(slot.row + r)];
    const double stiffness = answer.stiffness + answer.damping / stage_.tau;
    for (int k = 0; k < markers; ++k)
      for (int l = 0; l < markers; ++l) {
        const Eigen::Map<const Eigen::Matrix<double, 6, 1>> g_k(G + (k * slot.rows + r) * 6);
        const Eigen::Map<const Eigen::Matrix<double, 6, 1>> g_l(G + (l * slot.rows + r) * 6);
        K.block(k, l).noalias() -= stiffness * g_k * g_l.transpose();
      }
  }
}

void MaximalStage::start_lambda(const State& at, const VecX& constraint_lambda, VecX& lambda) {
  lambda.setZero(num_lambda());
  for (std::size_t r = 0; r < layout_.row_of_model.size(); ++r)
    lambda[layout_.row_of_model[r]] = constraint_lambda[Eigen::Index(r)];
  if (layout_.elastics.empty()) return;
  stage_.memory = &at.memory;
  stage_.time = at.time;
  update_bodies(layout_.layout, at.q, at.v, kinematics_);
  update_force_markers(layout_.layout, at.q, at.v, kinematics_);
  update_elastics(lambda);
  for (const ElasticSlot& slot : layout_.elastics)
    for (int r = slot.row; r < slot.row + slot.rows; ++r) lambda[r] = response_[std::size_t(r)].force;
  was_engaged_ = is_engaged_;
}

bool MaximalStage::constraint_lambda(const VecX& lambda, VecX& out) const {
  if (layout_.elastics.empty()) return false;
  out.resize(Eigen::Index(layout_.row_of_model.size()));
  for (std::size_t r = 0; r < layout_.row_of_model.size(); ++r)
    out[Eigen::Index(r)] = lambda[layout_.row_of_model[r]];
  return true;
}

bool MaximalStage::take_stop_changes() {
  const bool changed = is_engaged_ != was_engaged_;
  was_engaged_ = is_engaged_;
  return changed;
}

Powers MaximalStage::powers() const {
  Powers powers = compute_powers(layout_.layout, q_, v_, kinematics_, stage_.time, *stage_.memory);
  for (const ElasticSlot& slot : layout_.elastics) add_power(*slot.force, motion_of(slot), powers);
  return powers;
}

double MaximalStage::inverse_mass(const ElasticSlot& slot, int row) const {
  const solve::Graph& g = layout_.graph;
  const auto node = std::size_t(slot.node);
  double sum = 0.0;
  for (int e = g.edge_begin[node]; e < g.edge_begin[node + 1]; ++e) {
    const solve::Edge& edge = g.edges[std::size_t(e)];
    const BodySlot& body = layout_.layout.bodies[std::size_t(edge.body)];
    const double* J = problem_.J.data() + edge.offset + (row - g.row_offset[node]) * body.num_v;
    for (int k = 0; k < body.num_v; ++k) {
      const bool turns =
          (body.type == BodyType::rigid && k >= 3) || (body.type == BodyType::planar && k == 2);
      const double mass = !turns                          ? body.mass
                          : body.type == BodyType::planar ? body.planar_inertia
                                                          : inertia_[std::size_t(edge.body)](k - 3, k - 3);
      sum += J[k] * J[k] / mass;
    }
  }
  return sum;
}

double MaximalStage::fastest_spring(int* which) const {
  double fastest = 0.0;
  if (which != nullptr) *which = -1;
  for (std::size_t i = 0; i < layout_.elastics.size(); ++i) {
    const ElasticSlot& slot = layout_.elastics[i];
    for (int r = 0; r < slot.rows; ++r) {
      const Law& law = slot.force->law(r);  // stops count although they do not act now
      const double w = inverse_mass(slot, slot.row + r);
      const double rate = std::max(std::sqrt(law.stiffness * w), law.damping * w);
      if (rate <= fastest) continue;
      fastest = rate;
      if (which != nullptr) *which = int(i);
    }
  }
  return fastest;
}

}  // namespace catena::maximal
