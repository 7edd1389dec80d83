// What the readers of forces and motors share.
#pragma once

#include "catena/force.h"
#include "io/scene/context.h"

namespace catena::io {

/// Keys of every force on one body, and on a pair of bodies.
std::vector<Key> single_force_keys(std::string_view kind);
std::vector<Key> pair_force_keys(std::string_view kind);

inline const Key kForcePoint{"point", Value::vector, "m",
                             "where it acts, in the world at the start; default the centre of a"};
inline const Key kForceAxis{"axis", Value::direction, "",
                            "axis fixed in b, in the world at the start; default z in the plane"};

/// Both sides at `point`, with z along `axis`.
AttachmentPair join_force_axis(const Fields& fields, const BodyPair& pair);

/// Coordinates of a joint by the name that scenes have for them; `rest` is of hinges and sliders.
ConstraintPtr coordinates_of(std::string_view name, const AttachmentPair& at, double rest);
/// Both sides at `point`, default the centre of a, with z along `axis`, default z.
AttachmentPair joint_frame(const Fields& fields, const BodyPair& pair);

/// Elastic coordinates of joints, limits, contacts: their tables, and the force; nullptr for other kinds.
std::vector<Record> elastic_coordinate_records();
ForcePtr make_elastic(const Fields& fields, const BodyPair& pair);

/// Motors: their tables, and one of them with the rotor that `rotor_inertia` asks for.
std::vector<Record> motor_records();
bool is_motor(const Fields& fields);
void read_motor(SceneContext& context, const Fields& fields, const Node& node, const std::string& name);
/// A motor for all coordinates of a joint.
inline constexpr std::string_view kJointMotor = "joint-motor";
void read_joint_motor(SceneContext& context, const Fields& fields, const Node& node, const std::string& name);

}  // namespace catena::io
