// The geometric stiffness of any constraint, read off its γ.
//
// With u the velocities of all markers, γ(u) = uᵀK u + (terms linear and constant in u, where rows depend on time). K is then the
// sum of its symmetric part, which a quadratic form determines,
//   uᵀK w + wᵀK u = q(u + w) - q(u) - q(w),   q(u) = (γ(u) + γ(-u))/2 - γ(0)                                       (1)
// and of its skew part, which holonomic rows have in the angular diagonal blocks only, -½[τ]× with τ = λᵀG_ω: two rotations of one
// marker, taken one after the other, differ by a rotation about their cross product.                                 (2)
// Rows without an error C are no derivatives, (2) does not hold for them, and G is differentiated numerically; so are the
// directions K of a constraint that acts elsewhere.
#include "catena/constraint.h"
#include "math/rotation.h"

#include <vector>

namespace catena {
namespace {

/// Arrays that keep their memory from one constraint to the next: a step must not allocate.
struct Scratch {
  std::vector<Marker> markers;
  std::vector<double> values, G, K;
  std::vector<double> single, force,
      other;  // not of Eigen, which gives memory back where a vector becomes shorter
};

/// A constraint evaluated at markers that are moved about.
class Probe {
 public:
  Probe(const Constraint& constraint, const Motion& motion, std::span<const double> lambda, Scratch& scratch)
      : constraint_(constraint),
        motion_(motion),
        lambda_(lambda),
        markers_(scratch.markers),
        rows_(constraint.num_rows(motion.planar)),
        values_(scratch.values),
        G_(scratch.G),
        K_(scratch.K) {
    markers_.assign(motion.at.begin(), motion.at.end());
    values_.assign(std::size_t(rows_) * 3, 0.0);
    G_.assign(std::size_t(rows_) * markers_.size() * 6, 0.0);
    motion_.at = markers_;
    K_.assign(constraint.acts_elsewhere() ? G_.size() : 0, 0.0);
    holonomic_ = constraint.acts_elsewhere() ? 0 : constraint.num_holonomic_rows(motion.planar);
    for (Marker& marker : markers_) marker.v = marker.w = Vec3::Zero();
  }

  int num_freedoms() const { return 6 * int(markers_.size()); }
  bool has_other_rows() const { return holonomic_ < rows_; }
  bool has_holonomic_rows() const { return holonomic_ > 0; }

  /// λ·γ of the holonomic rows at the velocities scale·(e_i + e_j); j < 0: e_i alone.
  double gamma(double scale, int i, int j) {
    move(i, scale);
    if (j >= 0) move(j, scale);
    evaluate();
    move(i, -scale);
    if (j >= 0) move(j, -scale);
    double sum = 0.0;
    for (int r = 0; r < holonomic_; ++r) sum += lambda_[std::size_t(r)] * values_[std::size_t(2 * rows_ + r)];
    return sum;
  }
  double quadratic(int i, int j) {
    if (!constraint_.depends_on_time()) return gamma(1.0, i, j);
    return 0.5 * (gamma(1.0, i, j) + gamma(-1.0, i, j)) - at_rest();
  }

  /// λᵀK on all markers, of the holonomic rows or of the others.
  void forces(bool holonomic, std::vector<double>& out) {
    evaluate();
    out.assign(std::size_t(num_freedoms()), 0.0);
    const std::vector<double>& K = K_.empty() ? G_ : K_;
    const int first = holonomic ? 0 : holonomic_, last = holonomic ? holonomic_ : rows_;
    for (std::size_t k = 0; k < markers_.size(); ++k)
      for (int r = first; r < last; ++r)
        for (int i = 0; i < 6; ++i)
          out[6 * k + std::size_t(i)] +=
              lambda_[std::size_t(r)] * K[(k * std::size_t(rows_) + std::size_t(r)) * 6 + std::size_t(i)];
  }

  /// Moves a marker by a small displacement or rotation.
  void displace(int freedom, double by) {
    Marker& marker = markers_[std::size_t(freedom / 6)];
    const int i = freedom % 6;
    if (i < 3)
      marker.x[i] += by;
    else
      marker.R = exp_rotation(by * Vec3::Unit(i - 3)).toRotationMatrix() * marker.R;
  }
  void restore(int marker, const Motion& motion) {
    markers_[std::size_t(marker)].x = motion.at[std::size_t(marker)].x;
    markers_[std::size_t(marker)].R = motion.at[std::size_t(marker)].R;
  }

 private:
  void move(int freedom, double by) {
    Marker& marker = markers_[std::size_t(freedom / 6)];
    const int i = freedom % 6;
    (i < 3 ? marker.v[i] : marker.w[i - 3]) += by;
  }
  double at_rest() {
    evaluate();
    double sum = 0.0;
    for (int r = 0; r < holonomic_; ++r) sum += lambda_[std::size_t(r)] * values_[std::size_t(2 * rows_ + r)];
    return sum;
  }
  void evaluate() {
    std::fill(values_.begin(), values_.end(), 0.0);
    std::fill(G_.begin(), G_.end(), 0.0);
    std::fill(K_.begin(), K_.end(), 0.0);
    Rows rows(rows_, int(markers_.size()), values_.data(), values_.data() + rows_, values_.data() + 2 * rows_,
              G_.data(), true, K_.empty() ? nullptr : K_.data());
    constraint_.evaluate(motion_, rows);
  }

  const Constraint& constraint_;
  Motion motion_;
  std::span<const double> lambda_;
  std::vector<Marker>& markers_;
  int rows_, holonomic_ = 0;
  std::vector<double>&values_, &G_, &K_;
};

void add_entry(MarkerStiffness& K, int i, int j, double value) {
  K.block(i / 6, j / 6)(i % 6, j % 6) += value;
}

/// (1), (2)
void add_holonomic_stiffness(Probe& probe, Scratch& scratch, MarkerStiffness& K) {
  const int n = probe.num_freedoms();
  scratch.single.resize(std::size_t(n));
  double* single = scratch.single.data();
  for (int i = 0; i < n; ++i) {
    single[i] = probe.quadratic(i, -1);
    add_entry(K, i, i, single[i]);
    for (int j = 0; j < i; ++j) {
      const double both = 0.5 * (probe.quadratic(i, j) - single[i] - single[j]);  // (1)
      add_entry(K, i, j, both);
      add_entry(K, j, i, both);
    }
  }
  probe.forces(true, scratch.force);
  for (int k = 0; k < K.num_markers(); ++k)
    K.block(k, k).bottomRightCorner<3, 3>() -=
        0.5 * skew(Eigen::Map<const Vec3>(scratch.force.data() + 6 * k + 3));  // (2)
}

/// Differences of the forces of the other rows.
void add_differences(Probe& probe, const Motion& motion, Scratch& scratch, MarkerStiffness& K) {
  constexpr double kStep = 1e-6;
  std::vector<double>&ahead = scratch.force, &behind = scratch.other;
  for (int j = 0; j < probe.num_freedoms(); ++j) {
    probe.displace(j, kStep);
    probe.forces(false, ahead);
    probe.restore(j / 6, motion);
    probe.displace(j, -kStep);
    probe.forces(false, behind);
    probe.restore(j / 6, motion);
    for (int i = 0; i < probe.num_freedoms(); ++i)
      add_entry(K, i, j, (ahead[std::size_t(i)] - behind[std::size_t(i)]) / (2.0 * kStep));
  }
}

}  // namespace

void Constraint::add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                                         MarkerStiffness& K) const {
  static thread_local Scratch scratch;  // simulations in several threads may share a constraint
  Probe probe(*this, motion, lambda, scratch);
  if (probe.has_holonomic_rows()) add_holonomic_stiffness(probe, scratch, K);
  if (probe.has_other_rows()) add_differences(probe, motion, scratch, K);
}

}  // namespace catena
