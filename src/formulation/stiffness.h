// How forces at markers change when their bodies move, in a block matrix over the velocities of the bodies.
//
//   ∂(Tᵀw)_k/∂(motion of body l) = T_kᵀ K_kl T_l + [f_k]×[r_k]×  for l = k,   K_kl = ∂w_k/∂(motion of marker l)        (1)
//
// w = (f ; τ) at marker k, T: marker_map.h, r: lever of the marker. The last term says that a force on a lever turns with the body; bodies
// of other kinds have it in the derivative of their own T.
#pragma once

#include "formulation/body_rows.h"

namespace catena {

/// Which blocks of a matrix couple the markers of each constraint, or of each force: those of their bodies, or of a link between them.
class MarkerBlocks {
 public:
  MarkerBlocks() = default;
  template <class Slot>
  MarkerBlocks(const solve::Graph& graph, const std::vector<MarkerSlot>& markers,
               const std::vector<Slot>& owners) {
    for (const Slot& owner : owners) add(graph, markers, owner);
  }

  /// Whether an owner has any: with very many markers the blocks of all pairs would be most of the matrix. Newton's method does without.
  bool has_blocks(std::size_t owner) const { return begin_[owner + 1] > begin_[owner]; }
  /// The block of markers k and l of an owner, num_v of k's body × num_v of l's, column-major; nullptr where there is none.
  double* find(std::size_t owner, int num_markers, int k, int l, solve::BlockMatrix& H) const {
    const Place& place = places_[std::size_t(begin_[owner] + k * num_markers + l)];
    double* const parts[] = {nullptr, H.M.data(), H.links.data(), H.lower.data()};
    return place.part == Part::none ? nullptr : parts[int(place.part)] + place.offset;
  }

 private:
  enum class Part : std::uint8_t { none, body, upper, lower };
  struct Place {
    Part part = Part::none;
    int offset = 0;
  };
  void add(const solve::Graph& graph, const std::vector<MarkerSlot>& markers, const AttachedSlot& owner);
  static Place place_of(const solve::Graph& graph, int a, int b);

  std::vector<Place> places_;  // per owner, per pair of its markers
  std::vector<int> begin_{0};  // first of each owner, and one behind the last
};

/// Where stiffness of constraints, or of forces, goes: H += factor·(1).
struct StiffnessSink {
  const Layout& layout;
  const std::vector<MarkerSlot>& markers;
  const MarkerSet& set;  // where they are
  const MarkerBlocks& blocks;
  double factor;
  solve::BlockMatrix& H;

  /// The first term of (1) for all pairs of markers of an owner that have blocks; K: 36 numbers per pair, column-major.
  void add_pairs(std::size_t index, const AttachedSlot& owner, const double* K) const;
  /// The second term of (1), for a force at a marker.
  void add_lever(int marker, const Vec3& force) const;
  /// The same for the forces of rows with multipliers λ at all markers of an owner; G: marker after marker, rows × 6.
  void add_row_levers(const AttachedSlot& owner, int rows, const double* G, const double* lambda) const;
  /// Both terms for a joint known by name.
  void add_joint(std::size_t index, const ConstraintSlot& slot, const Kinematics& kinematics,
                 const double* lambda) const;
};

}  // namespace catena
