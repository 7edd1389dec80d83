// Rows of all constraints over the velocities of the bodies: from markers by the chain rule, from joints known by name directly.
//
//   J_body = Σ_k G_k T_k  (and K_body = Σ_k K_k T_k where multipliers act elsewhere than along their rows),
//   b = γ + Σ_k G_k·(acceleration of marker k at v̇ = 0)     k: markers on that body, T: marker_map.h      (1)
//
// C, C_t and b are in model order; blocks of J go where the formulation that asked wants them (RowSink). O(constraints), no allocation.
#pragma once

#include "formulation/kinematics.h"
#include "solve/problem.h"

namespace catena {

struct RowValues {
  VecX C, C_t, bias;  // per row, model order
  std::vector<double>
      G;  // of constraints without a name, at ConstraintSlot::G: marker after marker, rows × 6
  std::vector<double> K;        // the same of constraints that act elsewhere; empty where there are none
  std::vector<double> scratch;  // C, C_t, γ and G of one constraint, where only C is wanted

  explicit RowValues(const Layout& layout);
  /// Along what the multipliers of a constraint without a name act: its K, or its G.
  const double* directions(const ConstraintSlot& slot) const {
    return (slot.acts_elsewhere ? K : G).data() + slot.G;
  }
};

/// The explicit form that a solver wants of a constraint: its place, and whether the body that carries marker a is expressed (+1) or
/// the one that carries b (-1).
struct ExplicitPlace {
  int pair = -1;  // none
  double sign = 0.0;
};

/// Where one constraint writes its rows. K is nullptr where it does not act elsewhere.
struct RowPlace {
  double *C, *C_t, *gamma, *G, *K;
};
/// Its own evaluate(), into zeros; rows that have only a velocity have no C.
void evaluate_rows(const Constraint& constraint, const Motion& motion, int rows, int holonomic_rows,
                   const RowPlace& out);

/// Where blocks of J go.
struct RowSink {
  const int* block =
      nullptr;  // per constraint marker: offset in J, rows × num_v, row-major; not read for the world
  double* J = nullptr;
  double* K = nullptr;                            // laid out as J, of constraints that act elsewhere
  const ExplicitPlace* explicit_place = nullptr;  // per constraint; nullptr: no explicit forms
  solve::Pair* pairs = nullptr;
};

/// The entries of J that never change; once per structure, before the first update_rows.
void write_constant_rows(const Layout& layout, const RowSink& sink);

/// Per marker of an owner whose rows begin at `row` of a node: the offset of its block of J.
void find_blocks(const solve::Graph& graph, int node, int row, const std::vector<MarkerSlot>& markers,
                 const AttachedSlot& owner, std::vector<int>& block);

/// Whether the bias of the rows is wanted, besides C, C_t and J.
enum class RowParts : std::uint8_t { all, without_bias };
void update_rows(const Layout& layout, const Kinematics& kinematics, const Instant& at, RowParts parts,
                 RowValues& rows, const RowSink& sink);

/// Only C.
void update_errors(const Layout& layout, const Kinematics& kinematics, const Instant& at, RowValues& rows,
                   VecX& C);

/// (1) for one marker: its block of J from G (rows × 6) and its share of b; bias may be nullptr.
void write_marker_block(const Layout& layout, const MarkerSlot& slot, const MarkerSet& set, int marker,
                        int rows, const double* G, double* block, double* bias);

/// A force and a torque about the marker it acts at, world axes.
struct Wrench {
  Vec3 force = Vec3::Zero();   // N
  Vec3 torque = Vec3::Zero();  // N·m
  const double* data() const { return force.data(); }
};
static_assert(sizeof(Wrench) == 6 * sizeof(double));

/// Σ λ_i G_i of one marker.
inline Wrench wrench_of_rows(int rows, const double* G, const double* lambda) {
  Wrench out;
  for (int i = 0; i < rows; ++i) {
    out.force += lambda[i] * Eigen::Map<const Vec3>(G + 6 * i);
    out.torque += lambda[i] * Eigen::Map<const Vec3>(G + 6 * i + 3);
  }
  return out;
}

}  // namespace catena
