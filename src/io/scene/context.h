// A scene while it is being read: what the section readers share.
//
// Names are looked up in hash maps here; places are kept so that what Model::validate finds can be shown with
// the line that caused it. A body whose record has errors is remembered as unusable, so that one mistake
// gives one message and not one more for every joint attached to it.
#pragma once

#include "catena/joints.h"
#include "catena/scene.h"
#include "io/document/fields.h"

#include <filesystem>
#include <numbers>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace catena::io {

/// A body that may be attached to; `world` has no entry.
struct BodyRef {
  BodyId id = world;
  std::shared_ptr<const Body> body;  // nothing for the world
  Placement placement;               // at the start
  VecX q{};                          // the same as coordinates, where a placement does not say all
  std::optional<Placement> on{};     // of a frame: where the body `id` is that it is fixed on

  bool is_frame() const { return on.has_value(); }
  bool is_world() const { return body == nullptr; }
  bool is_particle() const { return body != nullptr && !body->has_orientation(); }
};

/// The two sides of a constraint or force.
struct BodyPair {
  BodyRef a, b;
  /// Every body among them lives in the plane, and there is one.
  bool planar() const;
};

class SceneContext {
 public:
  Scene scene;
  Diagnostics diagnostics;
  Symbols symbols;
  std::unordered_set<std::string> probe_names;
  std::int64_t repetitions = 0, repeated_bytes = 0;  // of all sections and files so far (repeat.cpp)

  Reading reading() { return {diagnostics, symbols}; }

  /// Adding reports duplicate names. Nothing is returned then.
  std::optional<BodyRef> add_body(const Node& node, std::string name, std::shared_ptr<const Body> body,
                                  const Placement& placement, const Shape& shape = {});
  /// The same with coordinates of the body's own kind.
  std::optional<BodyRef> add_body(const Node& node, std::string name, std::shared_ptr<const Body> body,
                                  const VecX& q, const VecX& v, const Shape& shape = {});
  void add_unusable_body(const Node& node, std::string name);
  /// A place on a body that others name as one. Nothing of it is in the model.
  void add_frame(const Node& node, std::string name, const BodyRef& carrier, const Placement& placement);
  std::optional<ConstraintId> add_constraint(const Node& node, std::string name, ConstraintPtr constraint);
  void add_unusable_constraint(const Node& node, std::string name);
  void add_force(const Node& node, std::string name, ForcePtr force);
  void add_inequality(const Node& node, std::string name, InequalityPtr inequality);

  /// The body named under `key`; the world when the key is absent or says so. Nothing after an error. `placed_a` and `placed_b` of
  /// the record replace the placement of the bodies `a` and `b`.
  std::optional<BodyRef> find_body(const Fields& fields, std::string_view key);
  /// The body of that name, found under `key`.
  std::optional<BodyRef> find_body_named(const Fields& fields, std::string_view key, const std::string& name);
  /// The constraint named under `key`. Nothing after an error.
  std::optional<ConstraintId> find_constraint(const Fields& fields, std::string_view key);

  /// `name`, or the record's kind with the first free number.
  std::string name_or_number(const Fields& fields, std::string_view prefix);

  /// Reports what the model itself finds wrong, with the places of this scene.
  void report_model_issues(const std::string& file);

 private:
  struct Named {
    const Node* node = nullptr;
    bool usable = true;
    BodyRef body;             // of bodies
    ConstraintId constraint;  // of constraints
  };
  using Names = std::unordered_map<std::string, Named>;

  Named* add_name(Names& names, std::string_view what, const Node& node, std::string name);
  const Named* find_name(const Names& names, std::string_view what, const Fields& fields,
                         std::string_view key, const std::string& name);

  Names bodies_, constraints_, forces_, inequalities_;
  std::unordered_map<std::string, int> numbers_;  // last number given to unnamed things, per prefix
};

// Tables of the sections, one beside each reader.
const Variant& body_variants();
const Variant& constraint_variants();
const Variant& curve_variants();
const Variant& surface_variants();
std::shared_ptr<const Surface> read_surface(const Fields& fields);
const Variant& convex_shape_variants();
const Variant& force_variants();
const Variant& inequality_variants();
const Variant& controller_variants();
const Variant& generator_variants();
const Record& options_record();
const Record& initial_record();
const Variant& probe_variants();
const Variant& event_variants();
const Record& blow_record();
const Record& breaks_at_record();
/// Keys placed_a and placed_b: where the bodies are while points and axes are given.
std::vector<Key> placed_keys();
const Record& parameter_record();
const Record& scene_record();

const Record& repeat_record();
const Record& repeated_entries_record();

// Readers of the sections; each takes one entry.
using SectionReader = void (*)(SceneContext&, const Node&);
void read_body(SceneContext& context, const Node& node);
/// A body that changes its shape or follows a rule: scaled, affine, quadratic, bead, pantograph. False after an error.
bool read_flexible_body(SceneContext& context, const Fields& fields, const std::string& name);
/// Their kinds, for body_variants().
std::vector<Record> flexible_body_records();
/// A body by a rule x(p, u) in expressions, and its kind. False after an error.
bool read_lagrangian_body(SceneContext& context, const Fields& fields, const std::string& name);
Record lagrangian_body_record();
void read_constraint(SceneContext& context, const Node& node);
void read_force(SceneContext& context, const Node& node);
void read_inequality(SceneContext& context, const Node& node);
void read_controller(SceneContext& context, const Node& node);
void read_generator(SceneContext& context, const Node& node);
void read_probe(SceneContext& context, const Node& node);
void read_event(SceneContext& context, const Node& node);
/// The key `breaks_at` of a joint, where its record has one.
void read_breaks_at(SceneContext& context, const Fields& fields, ConstraintId joint);
/// The key `armature` of a joint, where its record has one.
void read_armature(SceneContext& context, const Fields& fields, ConstraintId joint);
void read_options(SceneContext& context, const Node& node);
void read_initial(SceneContext& context, const Node& node);

/// Every entry of a list section, repeated ones once for every value of their index.
void read_entries(SceneContext& context, const Node& list, SectionReader read);

/// Letters, digits and '_', beginning with a letter: what parameters and indices may be called.
bool is_name(std::string_view text);

/// Names and values of all files' parameters, and what --set changes, into the context's symbols.
void read_parameters(SceneContext& context, std::span<const Node* const> sections,
                     const std::map<std::string, std::string>& set);

inline constexpr double kDegree = std::numbers::pi / 180.0;  // rad

inline const Key kMass{"mass", Value::positive, "kg", "mass", kRequired};
/// Keys that place a body: position, orientation and velocities.
std::vector<Key> position_keys();
std::vector<Key> rotation_keys();
/// Reads what is given of them into `placement`. @pre the record has both lists, or only the first
void read_placement(const Fields& fields, bool has_rotation, Placement& placement);

/// A shape with its dimensions; kind `point` when the record has none.
struct ShapeReading {
  Shape shape;
  bool exists = false;
};
ShapeReading read_shape(const Fields& fields, std::optional<double> rod_length);
const Variant& spatial_shapes();
/// Principal moments of a uniform body of that shape. Nothing for a point.
std::optional<Vec3> moments_of(const Shape& shape, double mass);

/// Turns body x into `direction` by a turn about y, then one about z; in the plane only about z.
Quat point_x_along(const Vec3& direction);

/// Constraints that couple motions, and those on surfaces: their kinds, and the constraint of one record: nothing for other kinds, nullptr
/// after an error, which may be that of a body.
std::vector<Record> coupling_records();
std::optional<ConstraintPtr> make_coupling(SceneContext& context, const Fields& fields);
std::vector<Record> surface_constraint_records();
std::optional<ConstraintPtr> make_surface_constraint(SceneContext& context, const Fields& fields);

/// Keys and readers that constraints share.
Key constraint_kind_key(std::string_view kind);
std::vector<Key> constraint_pair_keys(std::string_view kind);
/// The direction under `key`; in the plane z when it may be left out.
Vec3 read_axis(const Fields& fields, std::string_view key, bool planar);
/// Axes with z along `z` and x as near to `x` as possible.
Mat3 axes_from(const Vec3& z, const Vec3& x);

/// A curve given in the world's coordinates at the start. Nothing after an error.
std::shared_ptr<const Curve> read_curve(const Fields& fields);

/// Marker of a body from world coordinates at the start, with axes in world coordinates.
Attachment mark_with_axes(const BodyRef& body, const Vec3& point, const Mat3& axes);

}  // namespace catena::io
