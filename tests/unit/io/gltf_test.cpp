// glTF files: read by a small parser of our own that knows the rules of the format; the motion in them is that of the run.
#include "catena/joints.h"
#include "catena/output.h"
#include "io/picture/gltf_mesh.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <set>

namespace catena {
namespace {

using nlohmann::json;

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, 4);
  return value;
}

struct Glb {
  json document;
  std::string buffer;

  std::vector<float> floats(std::size_t accessor) const {
    const json& a = document["accessors"][accessor];
    const json& view = document["bufferViews"][a["bufferView"].get<std::size_t>()];
    static const std::map<std::string, std::size_t> kWidths{{"SCALAR", 1}, {"VEC3", 3}, {"VEC4", 4}};
    std::vector<float> out(a["count"].get<std::size_t>() * kWidths.at(a["type"]));
    EXPECT_EQ(a["componentType"], 5126);
    EXPECT_EQ(view["byteLength"], 4 * out.size());
    std::memcpy(out.data(), buffer.data() + view["byteOffset"].get<std::size_t>(), 4 * out.size());
    return out;
  }
};

Glb parse_glb(const std::string& bytes) {
  Glb glb;
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  EXPECT_EQ(number_at(bytes, 4), 2u);
  EXPECT_EQ(number_at(bytes, 8), bytes.size());
  const std::size_t text = number_at(bytes, 12);
  EXPECT_EQ(text % 4, 0u);
  EXPECT_EQ(bytes.substr(16, 4), "JSON");
  glb.document = json::parse(bytes.substr(20, text));
  const std::size_t binary = number_at(bytes, 20 + text);
  EXPECT_EQ(bytes.substr(24 + text, 4), std::string("BIN\0", 4));
  EXPECT_EQ(28 + text + binary, bytes.size());
  glb.buffer = bytes.substr(28 + text);
  return glb;
}

/// What every reader relies on: indices that exist, views inside of the buffer, bounds where they must be.
void check_structure(const Glb& glb) {
  const json& d = glb.document;
  EXPECT_EQ(d["asset"]["version"], "2.0");
  EXPECT_LE(d["buffers"][0]["byteLength"].get<std::size_t>(), glb.buffer.size());
  for (const json& view : d["bufferViews"]) {
    EXPECT_EQ(view["byteOffset"].get<std::size_t>() % 4, 0u);
    EXPECT_LE(view["byteOffset"].get<std::size_t>() + view["byteLength"].get<std::size_t>(),
              glb.buffer.size());
  }
  for (const json& mesh : d["meshes"])
    for (const json& primitive : mesh["primitives"]) {
      const json& positions = d["accessors"][primitive["attributes"]["POSITION"].get<std::size_t>()];
      EXPECT_TRUE(positions.contains("min") && positions.contains("max"));
      EXPECT_LT(primitive["material"].get<std::size_t>(), d["materials"].size());
      EXPECT_EQ(d["accessors"][primitive["attributes"]["NORMAL"].get<std::size_t>()]["count"],
                positions["count"]);
      EXPECT_EQ(d["accessors"][primitive["indices"].get<std::size_t>()]["count"].get<std::size_t>() % 3, 0u);
    }
  std::set<std::size_t> children;
  for (const json& node : d["nodes"]) {
    EXPECT_LT(node.value("mesh", std::size_t(0)), d["meshes"].size());
    for (const json& child : node.value("children", json::array()))
      EXPECT_TRUE(children.insert(child.get<std::size_t>()).second);
  }
  EXPECT_EQ(children.size() + 1, d["nodes"].size()) << "one root, everything else below it once";
}

Model swing() {
  Model model;
  const BodyId arm = model.add("arm", rod(1.0, 1.0), {.position = {0.5, 0, 0}});
  model.add("pivot", hinge(model.join(arm, world, {0, 0, 0}, Vec3::UnitY())));
  model.add("still", rod(1.0, 1.0), {.position = {0, 3, 0}});
  model.add("weld", weld(model.join(model.bodies().back().id, world, {0, 3, 0})));
  return model;
}

TEST(Gltf, StructureIsValidAndTheMotionIsThatOfTheRun) {
  Simulation sim(swing());
  Recording recording(sim, {}, {.rate = 30});
  for (int k = 0; k < 1000; ++k) {
    ASSERT_TRUE(sim.step(1e-3).ok());
    recording.record_if_due(sim);
  }
  const Glb glb = parse_glb(make_gltf(recording, {.title = "swing"}));
  check_structure(glb);
  const json& nodes = glb.document["nodes"];
  std::map<std::string, std::size_t> by_name;
  for (std::size_t k = 0; k < nodes.size(); ++k) by_name.emplace(nodes[k]["name"], k);
  ASSERT_TRUE(by_name.contains("arm") && by_name.contains("still"));
  EXPECT_TRUE(nodes[by_name["arm"]].contains("mesh"));

  std::set<std::pair<std::size_t, std::string>> animated;
  const json& animation = glb.document["animations"][0];
  for (const json& channel : animation["channels"]) {
    const auto node = channel["target"]["node"].get<std::size_t>();
    const std::string path = channel["target"]["path"];
    animated.emplace(node, path);
    const json& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
    const std::vector<float> times = glb.floats(sampler["input"]), values = glb.floats(sampler["output"]);
    ASSERT_EQ(times.size(), recording.frames());
    ASSERT_EQ(values.size(), times.size() * (path == "rotation" ? 4 : 3));
    if (node != by_name["arm"]) continue;
    for (std::size_t k = 0; k < times.size(); ++k) {
      const PictureFrame& frame = recording.frame(k);
      EXPECT_FLOAT_EQ(times[k], float(frame.time));
      if (path == "translation") {
        for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(values[3 * k + c], frame.poses[c]);
      } else if (path == "rotation" && k > 0) {
        double dot = 0, norm = 0;
        for (std::size_t c = 0; c < 4; ++c)
          dot += values[4 * k + c] * values[4 * k - 4 + c], norm += values[4 * k + c] * values[4 * k + c];
        EXPECT_GT(dot, 0) << "interpolation goes the short way";
        EXPECT_NEAR(norm, 1, 1e-6);
      }
    }
  }
  EXPECT_TRUE(animated.contains({by_name["arm"], "translation"}));
  EXPECT_TRUE(animated.contains({by_name["arm"], "rotation"}));
  EXPECT_FALSE(animated.contains({by_name["still"], "translation"})) << "what does not move costs nothing";
}

TEST(Gltf, TheRootTurnsUpToY) {
  Simulation sim(swing());
  const Glb glb = parse_glb(make_gltf(Recording(sim)));
  const json& q = glb.document["nodes"][0]["rotation"];
  const Vec3 up = Quat(q[3], q[0], q[1], q[2]) * Vec3::UnitZ();
  EXPECT_NEAR((up - Vec3::UnitY()).norm(), 0, 1e-6);
}

double signed_volume(const io::Mesh& mesh) {
  const auto at = [&](std::uint32_t i) {
    return Vec3(mesh.positions[3 * i], mesh.positions[3 * i + 1], mesh.positions[3 * i + 2]);
  };
  double volume = 0;
  for (std::size_t k = 0; k + 2 < mesh.triangles.size(); k += 3)
    volume += at(mesh.triangles[k]).cross(at(mesh.triangles[k + 1])).dot(at(mesh.triangles[k + 2])) / 6;
  return volume;
}

TEST(Gltf, MeshesAreClosedAndFaceOutwards) {
  const double pi = std::acos(-1.0);
  EXPECT_NEAR(signed_volume(io::make_box({1, 2, 3})), 6, 1e-5);
  EXPECT_NEAR(signed_volume(io::make_ellipsoid({1, 2, 3})), 4.0 / 3 * pi * 6, 0.8);
  EXPECT_NEAR(signed_volume(io::make_cylinder(2, 0.5)), 2 * pi * 0.25, 0.05);
  EXPECT_NEAR(signed_volume(io::make_disc(1, 0.1)), 0.1 * pi, 0.003);
  EXPECT_NEAR(signed_volume(io::make_rod(2, 0.5)), 2 * pi * 0.25 + 4.0 / 3 * pi * 0.125, 0.2);
  EXPECT_NEAR(signed_volume(io::make_hoop(1, 0.1)), 2 * pi * pi * 0.05 * 0.05, 0.02);
  for (const io::Mesh& mesh : {io::make_ellipsoid({1, 2, 3}), io::make_rod(1, 0.1), io::make_box({1, 1, 1})})
    for (std::size_t k = 0; k < mesh.normals.size(); k += 3) {
      const Vec3 n(mesh.normals[k], mesh.normals[k + 1], mesh.normals[k + 2]);
      EXPECT_NEAR(n.norm(), 1, 1e-5);
      EXPECT_GE(n.dot(Vec3(mesh.positions[k], mesh.positions[k + 1], mesh.positions[k + 2])), -1e-6);
    }
}

}  // namespace
}  // namespace catena
