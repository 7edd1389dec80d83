// Rows of a complementarity problem: what may push and not pull, what slips, what holds up to a limit. No mechanics.
//
// Legend
//   r, u     multipliers (forces, impulses) and rates of the rows (accelerations, velocities), n each
//   W        response of the rows to the multipliers, n × n, symmetric or not (forces may act along other directions than rows)
//   S        compliance of each row, ≥ 0
//   q        rates without multipliers
//
//   u = (W + S) r + q                                                                                                           (1)
//
// and every block of rows has a set for r and a condition for u:
//
//   interval   l ≤ r ≤ h      u ≥ 0 at r = l, u ≤ 0 at r = h, u = 0 between.                                                     (2)
//              An equality has no bounds, a one-sided row has l = 0, dry friction and a motor's limit have both.
//   cone       |r_t| ≤ μ r_n  Coulomb: u_n ≥ 0, r_n u_n = 0; r_t = -μ r_n u_t/|u_t| where u_t ≠ 0. Normal first, one or two          (3)
//              tangents. Elliptic: (r_1/μ₁)² + (r_2/μ₂)² ≤ r_n², and of these r_t the one that opposes u_t most.
//   dependent  |r| ≤ μ|r_L|   as (2) with bounds that other rows' multipliers give: friction of spin and rolling by a normal           (4)
//              force, of a joint by up to three rows of its load. It does not act back on L.
//
// The shift  ũ = u + μ|u_t| e_n  makes (3) a complementarity of cones:  K ∋ r ⊥ ũ ∈ K*  (De Saxcé and Feng 1998).                      (5)
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace catena::solve::complementarity {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Kind : std::uint8_t { interval, cone, dependent };

struct Block {
  Kind kind = Kind::interval;
  int row = 0;                                   // its first
  int size = 1;                                  // cone: 2 or 3
  double lower = -kInfinity, upper = kInfinity;  // interval
  std::array<double, 2> friction{};              // cone: μ along each tangent
  int load_row = 0, load_size = 0;               // dependent: L, rows next to each other
  std::array<double, 3> load_weight{};           // |r| ≤ |weight ∘ r_L|

  bool is_fixed() const { return kind == Kind::interval && lower == upper; }
};

/// The list of blocks. Each add_ returns the first row it made; clear() keeps the storage.
class Rows {
 public:
  void clear();
  int add_equality() { return add_box(-kInfinity, kInfinity); }
  int add_lower() { return add_box(0.0, kInfinity); }
  int add_box(double lower, double upper);
  /// A contact with two tangents, or with one as in the plane.
  int add_cone(double friction, int tangents = 2);
  int add_elliptic_cone(double friction_1, double friction_2);
  /// (4); rows of the load are there already, at most three.
  int add_dependent(double friction, int load_row, int load_size = 1);
  void set_compliance(int row, double value);

  int size() const { return int(compliance_.size()); }
  std::span<const Block> blocks() const { return blocks_; }
  double compliance(int row) const { return compliance_[std::size_t(row)]; }

 private:
  int add(Block block);

  std::vector<Block> blocks_;
  std::vector<double> compliance_;
};

}  // namespace catena::solve::complementarity
