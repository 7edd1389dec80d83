// The parts of a binary glTF 2.0 file: accessors over one buffer, meshes, nodes, one animation.
//
// Source: Khronos Group, glTF 2.0 Specification, sections 3.6 (buffers, accessors), 3.11 (animations), 4.4 (GLB).
#pragma once

#include "io/picture/gltf_mesh.h"

#include <nlohmann/json.hpp>

#include <span>
#include <string>

namespace catena::io {

class GltfFile {
 public:
  GltfFile();

  int add_material(const std::string& name, const Vec3& colour, double opacity = 1.0);
  int add_mesh(const std::string& name, const Mesh& mesh, int material);
  /// Returns its number. Negative mesh: none.
  int add_node(const std::string& name, int mesh, int parent);
  void set(int node, const char* path, const std::vector<float>& value);

  /// Instants of the animation, s, ascending. Call it once, before animate.
  void set_times(const std::vector<float>& times);
  /// `path` is "translation", "rotation" or "scale"; one value per instant, 3 or 4 numbers each. Values that do not change
  /// become a property of the node and cost nothing.
  void animate(int node, const char* path, const std::vector<float>& values);

  /// The whole file; nothing may be added afterwards.
  std::string finish(const std::string& title, const std::string& generator);

 private:
  int add_accessor(std::span<const float> numbers, int width, int target, bool with_bounds);
  int add_indices(std::span<const std::uint32_t> indices);
  void begin_view(int target);

  nlohmann::ordered_json json_;
  nlohmann::ordered_json channels_, samplers_;
  std::string buffer_;
  int times_ = -1;
};

}  // namespace catena::io
