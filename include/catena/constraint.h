// Constraints: small modular objects that say what must hold between points and frames of bodies.
//
// A constraint never sees a body's coordinates. It is attached to bodies by markers (a point with axes) and states,
// in terms of the markers' motion,
//
//   C(x, R, t)                               the error of each row; 0 when the constraint holds           (1)
//   Ċ = Σ_k G_k·(v_k ; ω_k) + C_t            with G_k = ∂Ċ/∂(velocity of marker k), rows × 6             (2)
//   C̈ = Σ_k G_k·(v̇_k ; ω̇_k) + γ             γ: everything that does not contain an acceleration          (3)
//
// The engine turns G into J by the chain rule for whatever bodies the markers sit on. That is why a constraint
// written once works for particles, planar, spatial and user-defined bodies, and in every solver.
//
// Its multipliers λ, one per row, act on the markers as
//
//   (force ; torque on marker k) = K_kᵀλ     K_k = G_k, unless acts_elsewhere(): then the constraint writes K_k    (4)
//   power = Σ_k λᵀK_k·(v_k ; ω_k)            -λᵀC_t where K = G: nothing, unless the rows depend on time           (5)
//
// Its functions are const and may be called by several simulations in several threads at once: what changes with time belongs
// into memory, which is part of the state, not into members.
//
//   class AboveFloor : public Constraint { ... };     // docs/write-your-own-constraint.md: a complete one, 30 lines
//
// A program: examples/cpp/own_constraint.cpp
#pragma once

#include "catena/body.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CATENA_API catena {

/// Handle of a body in a Model; stays valid while other things are added and removed.
struct BodyId {
  std::uint32_t value = std::numeric_limits<std::uint32_t>::max();
  bool operator==(const BodyId&) const = default;
};

/// The ground: attach to it like to any body.
inline constexpr BodyId world{};

/// A point with axes, fixed in a body (or in the world), in that body's coordinates.
struct Attachment {
  BodyId body = world;
  Vec3 point = Vec3::Zero();     // from the centre of mass, body axes     m
  Mat3 axes = Mat3::Identity();  // marker axes to body axes; joints turn about or slide along z
};

/// The two sides of a joint.
struct AttachmentPair {
  Attachment a, b;
};

/// An attachment in motion; everything in world axes.
struct Marker {
  Vec3 x;  // position                            m
  Vec3 v;  // velocity                            m/s
  Mat3 R;  // marker axes to world axes           -       (identity on a particle)
  Vec3 w;  // angular velocity                    rad/s   (zero on a particle)
};

/// What a constraint or a force may look at.
struct Motion {
  std::span<const Marker> at;        // one marker per attachment, in the order of attachments()
  double time = 0.0;                 // s
  bool planar = false;               // every attached body lives in the plane z = 0
  std::span<const double> memory{};  // this object's own numbers in State (turns, curve parameters)
  double step = 0.0;                 // of an implicit integrator, while it takes one; else 0                s
};

/// Where a constraint writes its rows. All entries are zero on entry.
class Rows {
 public:
  using Block = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>>;

  /// @param K   laid out as G; nullptr where nobody asks for it, and for constraints that do not act elsewhere
  Rows(int num_rows, int num_markers, double* error, double* rate, double* gamma, double* G,
       bool wants_gamma = true, double* K = nullptr)
      : num_rows_(num_rows),
        num_markers_(num_markers),
        wants_gamma_(wants_gamma),
        error_(error),
        rate_(rate),
        gamma_(gamma),
        G_(G),
        K_(K) {}

  int num_rows() const { return num_rows_; }
  int num_markers() const { return num_markers_; }
  bool wants_gamma() const { return wants_gamma_; }  // where not, γ may be written but need not be
  double& C(int row) { return error_[row]; }         // (1)   unused for nonholonomic rows
  double& C_t(int row) { return rate_[row]; }        // (2)   explicit dependence on time
  double& gamma(int row) { return gamma_[row]; }     // (3)
  Block G(int marker) { return {G_ + std::ptrdiff_t(marker) * num_rows_ * 6, num_rows_, 6}; }  // (2)
  bool wants_K() const { return K_ != nullptr; }  // where not, there is no place to write it
  Block K(int marker) { return {K_ + std::ptrdiff_t(marker) * num_rows_ * 6, num_rows_, 6}; }  // (4)

  /// Row `row` of G for one marker: the coefficients of its velocity and of its angular velocity.
  void set_G(int row, int marker, const Vec3& linear, const Vec3& angular) {
    set(G_, row, marker, linear, angular);
  }
  /// Row `row` of K for one marker: the force and the torque that λ = 1 puts on it. @pre wants_K()
  void set_K(int row, int marker, const Vec3& force, const Vec3& torque) {
    set(K_, row, marker, force, torque);
  }

 private:
  void set(double* block, int row, int marker, const Vec3& linear, const Vec3& angular) const {
    double* g = block + (std::ptrdiff_t(marker) * num_rows_ + row) * 6;
    g[0] = linear[0], g[1] = linear[1], g[2] = linear[2];
    g[3] = angular[0], g[4] = angular[1], g[5] = angular[2];
  }

  int num_rows_, num_markers_;
  bool wants_gamma_;
  double *error_, *rate_, *gamma_, *G_, *K_;
};

/// Where a constraint writes how the forces of its rows change when its markers move, for implicit integrators:
///
///   K_kl = ∂(K_kᵀλ)/∂(displacement ; rotation of marker l),   6 × 6, rotations multiply from the left              (6)
///
/// with K_k = G_k unless the constraint acts elsewhere. All entries are zero on entry. Holonomic rows with K_k = G_k decide its form:
/// K_lk = K_klᵀ, but for the angular diagonal blocks, whose skew part is -½[τ_k]×, τ_k the torque of the rows on marker k.
class MarkerStiffness {
 public:
  using Block = Eigen::Map<Eigen::Matrix<double, 6, 6>>;
  MarkerStiffness(int num_markers, double* K) : num_markers_(num_markers), K_(K) {}
  int num_markers() const { return num_markers_; }
  Block block(int k, int l) { return Block(K_ + 36 * (std::ptrdiff_t(k) * num_markers_ + l)); }

 private:
  int num_markers_;
  double* K_;
};

/// For joints whose rows come as `linear` rows on the markers' relative velocity, then `angular` rows on their relative
/// angular velocity. The tree solver then eliminates body and joint together in the joint's free directions.
struct LowerPair {
  int linear = 0;
  int angular = 0;
  bool at_marker_a = false;  // linear rows act at marker a of both bodies (sliders), not at each one's own
  bool exists() const { return linear + angular > 0; }
  bool at_point() const { return linear == 3 && !at_marker_a; }  // then the linear rows are x_a - x_b itself
};

/// The joints the hot loops know by name; every other constraint goes through evaluate().
enum class JointType : std::uint8_t { ball, universal, hinge, weld, other };

class Constraint {
 public:
  explicit Constraint(std::vector<Attachment> attachments) : attachments_(std::move(attachments)) {}
  virtual ~Constraint() = default;

  std::span<const Attachment> attachments() const { return attachments_; }

  virtual std::string_view kind() const = 0;
  virtual JointType type() const { return JointType::other; }
  virtual int num_rows(bool planar) const = 0;
  /// The first rows have an error C and are corrected for drift; the others (gears, rolling) only a velocity.
  virtual int num_holonomic_rows(bool planar) const { return num_rows(planar); }
  virtual bool needs_orientation() const { return false; }  // true: may not be attached to particles
  virtual bool depends_on_time() const { return false; }    // true: driven, may do work
  /// True: its multipliers act along a K of its own (4), which evaluate() writes where Rows::wants_K(). It may do work (5).
  virtual bool acts_elsewhere() const { return false; }
  virtual bool may_repeat_bodies() const { return false; }  // true: a body may carry several of its markers
  /// What its rows need in order to exist ("its point must stay outside the drum"); rows that are not finite are explained by it.
  virtual std::string_view domain() const { return {}; }
  virtual LowerPair lower_pair(bool /*planar*/) const { return {}; }

  virtual void evaluate(const Motion& motion, Rows& rows) const = 0;

  /// Adds (6). The default reads it off γ, which is the quadratic form of K in the velocities, and is exact for holonomic
  /// rows; differences of G or K where there are others or rows act elsewhere. Worth overriding where speed matters, or with more than a few markers.
  virtual void add_geometric_stiffness(const Motion& motion, std::span<const double> lambda,
                                       MarkerStiffness& K) const;
  /// False: (6) is zero, because K does not depend on where the markers are.
  virtual bool has_geometric_stiffness() const { return true; }

  /// Numbers that belong to the state: set at the start, advanced after every accepted step.
  virtual int memory_size() const { return 0; }
  virtual void start_memory(const Motion&, std::span<double>) const {}
  virtual void advance_memory(const Motion&, std::span<double>) const {}

  /// What a picture shows of it besides its markers.
  virtual std::vector<Figure> figures() const { return {}; }

  /// What is wrong with the parameters, each with a remedy.
  virtual std::vector<std::string> validate(bool /*planar*/) const { return {}; }

 private:
  std::vector<Attachment> attachments_;
};

using ConstraintPtr = std::shared_ptr<const Constraint>;

}  // namespace catena
