#include "formulation/force_balance.h"

#include "formulation/mass.h"

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr double kVisible = 1e-3;  // of the model's size

/// r -= Kᵀλ of one edge. Returns the largest entry of Kᵀλ, torques divided by a lever. DIM > 0: a spatial body, known to the compiler.
/// @param first_torque  the entries from here on are torques
template <int DIM>
inline double subtract_forces(int rows, int dim_at_run_time, int first_torque_at_run_time, const double* K,
                              const double* lambda, double inverse_lever, double* r) {
  const int dim = DIM > 0 ? DIM : dim_at_run_time, first_torque = DIM > 0 ? 3 : first_torque_at_run_time;
  double force[DIM > 0 ? DIM : kMostVelocities] = {};
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < dim; ++k) force[k] += lambda[i] * K[i * dim + k];
  double linear = 0.0, angular = 0.0;
  for (int k = 0; k < dim; ++k) {
    r[k] -= force[k];
    double& largest = k >= first_torque ? angular : linear;
    largest = std::max(largest, std::abs(force[k]));
  }
  return std::max(linear, inverse_lever * angular);
}

std::vector<double> inverse_levers(const Layout& layout) {
  std::vector<double> lever(layout.bodies.size(), 0.0);
  for (const auto* markers : {&layout.constraint_markers, &layout.force_markers})
    for (const MarkerSlot& marker : *markers)
      if (marker.body >= 0)
        lever[std::size_t(marker.body)] = std::max(lever[std::size_t(marker.body)], marker.point.norm());
  for (double& length : lever)
    length = 1.0 / (length < 1e-6 * layout.length_scale ? layout.length_scale : length);
  return lever;
}

}  // namespace

ForceBalance::ForceBalance(const Layout& layout)
    : r(VecX::Zero(layout.num_v)),
      layout_(layout),
      inverse_lever_(inverse_levers(layout)),
      weight_(VecX::Zero(Eigen::Index(layout.bodies.size()))) {}

void ForceBalance::subtract_applied(const VecX& F, double s) {
  for (std::size_t i = 0; i < layout_.bodies.size(); ++i) {
    const BodySlot& slot = layout_.bodies[i];
    const int linear = first_angular(slot);
    double* own = r.data() + slot.v;
    double weight = 0.0;
    for (int k = 0; k < slot.num_v; ++k) {
      const double unit = k < linear ? 1.0 : inverse_lever_[i];
      weight = std::max(weight, unit * (std::abs(own[k]) + std::abs(F[slot.v + k])));
      own[k] -= F[slot.v + k];
    }
    // a force counts where it would move the body by a visible part of the model's size; at rest nothing else sets a scale
    const double visible = kVisible * slot.mass * layout_.length_scale / s;
    weight_[Eigen::Index(i)] = std::max({weight, 1e-3 * slot.mass * layout_.gravity.norm(), visible});
  }
}

void ForceBalance::subtract_rows(const solve::Problem& problem, const VecX& lambda) {
  const solve::Graph& g = *problem.graph;
  const bool has_directions = g.num_own_directions > 0;
  for (const solve::Edge& edge : g.edges) {
    const int rows = g.rows[std::size_t(edge.constraint)], dim = g.dims[std::size_t(edge.body)];
    const double* l = lambda.data() + g.row_offset[std::size_t(edge.constraint)];
    double* own = r.data() + g.body_offset[std::size_t(edge.body)];
    const double inverse_lever = inverse_lever_[std::size_t(edge.body)];
    const double* K = has_directions ? problem.force_block(edge) : problem.J.data() + edge.offset;
    const int first_torque = first_angular(layout_.bodies[std::size_t(edge.body)]);
    const double largest = dim == 6 && first_torque == 3
                               ? subtract_forces<6>(rows, dim, 3, K, l, inverse_lever, own)
                               : subtract_forces<0>(rows, dim, first_torque, K, l, inverse_lever, own);
    weight_[edge.body] = std::max(weight_[edge.body], largest);
  }
}

void ForceBalance::measure(StageError& error) const {
  for (std::size_t i = 0; i < layout_.bodies.size(); ++i) {
    const BodySlot& slot = layout_.bodies[i];
    const double* own = r.data() + slot.v;
    const int linear = first_angular(slot);
    double largest = 0.0;
    for (int k = 0; k < slot.num_v; ++k) {
      const double size = std::abs(own[k]) * (k < linear ? 1.0 : inverse_lever_[i]);
      if (is_worse(size, largest)) largest = size;
    }
    const double size = largest / weight_[Eigen::Index(i)];
    if (is_worse(size, error.forces)) {
      error.forces = size;
      error.worst_body = int(i);
    }
  }
}

}  // namespace catena
