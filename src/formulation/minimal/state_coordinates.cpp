// A state in other coordinates.
#include "catena/state.h"
#include "formulation/minimal/body_map.h"

namespace catena {
namespace {

minimal::Structure structure_for(const Model& model, const State& state) {
  std::vector<Issue> issues = model.validate();
  if (!issues.empty()) throw InvalidInput(std::move(issues));
  minimal::Structure structure(model);
  const bool has_joints = state.coordinates == Coordinates::joints;
  if (state.q.size() != (has_joints ? structure.num_q : structure.body_q.back()) ||
      state.v.size() != (has_joints ? structure.num_v : structure.body_v.back()))
    throw InvalidInput(
        {{"coordinates", "the state has other sizes than the model", "use a state of the same model"}});
  return structure;
}

}  // namespace

State in_joint_coordinates(const Model& model, const State& state) {
  if (state.coordinates == Coordinates::joints) return state;
  const minimal::Structure structure = structure_for(model, state);
  State out = state;
  out.coordinates = Coordinates::joints;
  out.q.resize(0);
  std::vector<Marker> markers;
  minimal::read_joints(structure, state.q, state.v, markers, out.q, out.v);
  return out;
}

State in_body_coordinates(const Model& model, const State& state) {
  if (state.coordinates == Coordinates::bodies) return state;
  const minimal::Structure structure = structure_for(model, state);
  State out = state;
  out.coordinates = Coordinates::bodies;
  minimal::Workspace data(structure);
  minimal::update_motion(structure, state.q, state.v, data);
  minimal::write_bodies(structure, data, state.q, state.v, out.q, out.v);
  return out;
}

}  // namespace catena
