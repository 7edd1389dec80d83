// Writing binary glTF: JSON chunk, then one binary chunk, both padded to four bytes.
#include "io/picture/gltf_file.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace catena::io {
namespace {

using Json = nlohmann::ordered_json;
static_assert(std::endian::native == std::endian::little,
              "glTF is little-endian, and numbers are copied as they lie");

constexpr int kFloat = 5126, kUnsigned = 5125;      // component types
constexpr int kVertices = 34962, kIndices = 34963;  // targets of buffer views

void put_word(std::string& out, std::size_t value) {
  for (int byte = 0; byte < 4; ++byte) out += char(value >> (8 * byte) & 0xFF);
}

bool is_constant(std::span<const float> values, std::size_t width) {
  for (std::size_t k = width; k < values.size(); ++k)
    if (values[k] != values[k % width]) return false;
  return true;
}

}  // namespace

GltfFile::GltfFile() {
  for (const char* list : {"nodes", "meshes", "materials", "accessors", "bufferViews"})
    json_[list] = Json::array();
  channels_ = Json::array();
  samplers_ = Json::array();
}

void GltfFile::begin_view(int target) {
  Json view{{"buffer", 0}, {"byteOffset", buffer_.size()}, {"byteLength", 0}};
  if (target != 0) view["target"] = target;
  json_["bufferViews"].push_back(std::move(view));
}

int GltfFile::add_accessor(std::span<const float> numbers, int width, int target, bool with_bounds) {
  static constexpr const char* kTypes[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
  begin_view(target);
  json_["bufferViews"].back()["byteLength"] = numbers.size_bytes();
  buffer_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
  Json accessor{{"bufferView", json_["bufferViews"].size() - 1},
                {"componentType", kFloat},
                {"count", numbers.size() / std::size_t(width)},
                {"type", kTypes[width]}};
  if (with_bounds && !numbers.empty()) {
    std::vector<float> low(numbers.begin(), numbers.begin() + width), high = low;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const std::size_t c = k % std::size_t(width);
      low[c] = std::min(low[c], numbers[k]);
      high[c] = std::max(high[c], numbers[k]);
    }
    accessor["min"] = low;
    accessor["max"] = high;
  }
  json_["accessors"].push_back(std::move(accessor));
  return int(json_["accessors"].size()) - 1;
}

int GltfFile::add_indices(std::span<const std::uint32_t> indices) {
  begin_view(kIndices);
  json_["bufferViews"].back()["byteLength"] = indices.size_bytes();
  buffer_.append(reinterpret_cast<const char*>(indices.data()), indices.size_bytes());
  json_["accessors"].push_back({{"bufferView", json_["bufferViews"].size() - 1},
                                {"componentType", kUnsigned},
                                {"count", indices.size()},
                                {"type", "SCALAR"}});
  return int(json_["accessors"].size()) - 1;
}

int GltfFile::add_material(const std::string& name, const Vec3& colour, double opacity) {
  Json material{{"name", name},
                {"pbrMetallicRoughness",
                 {{"baseColorFactor", {colour.x(), colour.y(), colour.z(), opacity}},
                  {"metallicFactor", 0.1},
                  {"roughnessFactor", 0.6}}}};
  if (opacity < 1.0) {
    material["alphaMode"] = "BLEND";
    material["doubleSided"] = true;
  }
  json_["materials"].push_back(std::move(material));
  return int(json_["materials"].size()) - 1;
}

int GltfFile::add_mesh(const std::string& name, const Mesh& mesh, int material) {
  const int positions = add_accessor(mesh.positions, 3, kVertices, true);
  const int normals = add_accessor(mesh.normals, 3, kVertices, false);
  const int indices = add_indices(mesh.triangles);
  json_["meshes"].push_back(
      {{"name", name},
       {"primitives", Json::array({{{"attributes", {{"POSITION", positions}, {"NORMAL", normals}}},
                                    {"indices", indices},
                                    {"material", material}}})}});
  return int(json_["meshes"].size()) - 1;
}

int GltfFile::add_node(const std::string& name, int mesh, int parent) {
  Json node{{"name", name}};
  if (mesh >= 0) node["mesh"] = mesh;
  json_["nodes"].push_back(std::move(node));
  const int number = int(json_["nodes"].size()) - 1;
  if (parent >= 0) json_["nodes"][std::size_t(parent)]["children"].push_back(number);
  return number;
}

void GltfFile::set(int node, const char* path, const std::vector<float>& value) {
  json_["nodes"][std::size_t(node)][path] = value;
}

void GltfFile::set_times(const std::vector<float>& times) {
  times_ = add_accessor(times, 1, 0, true);
}

void GltfFile::animate(int node, const char* path, const std::vector<float>& values) {
  const bool is_rotation = std::string_view(path) == "rotation";
  const std::size_t width = is_rotation ? 4 : 3;
  if (values.size() < width) return;
  const std::vector<float> first(values.begin(), values.begin() + std::ptrdiff_t(width));
  set(node, path, first);  // where it is before the animation starts
  if (is_constant(values, width)) return;
  samplers_.push_back({{"input", times_}, {"output", add_accessor(values, int(width), 0, false)}});
  channels_.push_back({{"sampler", samplers_.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
}

std::string GltfFile::finish(const std::string& title, const std::string& generator) {
  Json json{{"asset", {{"version", "2.0"}, {"generator", generator}}},
            {"scene", 0},
            {"scenes", Json::array({{{"name", title}, {"nodes", {0}}}})}};
  if (!channels_.empty())
    json["animations"] = Json::array({{{"name", "run"}, {"channels", channels_}, {"samplers", samplers_}}});
  for (auto& [key, list] : json_.items())
    if (!list.empty()) json[key] = std::move(list);  // empty lists are not allowed
  if (!buffer_.empty()) json["buffers"] = Json::array({{{"byteLength", buffer_.size()}}});
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((4 - text.size() % 4) % 4, ' ');
  buffer_.append((4 - buffer_.size() % 4) % 4, '\0');

  std::string out = "glTF";
  put_word(out, 2);
  put_word(out, 12 + 8 + text.size() + (buffer_.empty() ? 0 : 8 + buffer_.size()));
  put_word(out, text.size());
  out += "JSON" + text;
  if (buffer_.empty()) return out;
  put_word(out, buffer_.size());
  out += std::string("BIN\0", 4);
  return out += buffer_;
}

}  // namespace catena::io
