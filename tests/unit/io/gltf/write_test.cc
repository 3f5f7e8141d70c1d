// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/write.h"

#include <cstring>
#include <limits>

#include <nlohmann/json.hpp>

#include "checks.h"

TEST_SUITE_BEGIN("gltf.write");

namespace {

using namespace clipmill;
using namespace clipmill::io::gltf;
using Json = nlohmann::json;

// Two joints in a row and a node that carries one skinned triangle with a morph target.
Scene triangleScene() {
  Scene scene;
  scene.skeleton.nodes = {{"Root", -1, 0, {}, 0, 0},
                          {"Tip", 0, 1, {Vec3(0, 2, 0), kIdentityRotation, Vec3(1)}, 0, 0},
                          {"Body", -1, 2, {}, 0, 1}};
  scene.skeleton.rest_weights = {0.25};
  scene.skins = {{"Skin", {0, 1}, {Affine{}, Affine{Mat3(1.0), Vec3(0, -2, 0)}}}};
  scene.materials.resize(1);
  scene.materials[0].name = "Skin";
  scene.materials[0].base_color = Vec4(0.5, 0.25, 0.125, 1);
  SkinnedMesh mesh;
  mesh.name = "Body";
  mesh.node = 2;
  mesh.skin = 0;
  mesh.material = 0;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, -3)};
  mesh.normals.assign(3, Vec3(0, 0, 1));
  mesh.uvs.assign(3, Vec2(0.5, 0.5));
  mesh.triangles = {0, 1, 2};
  mesh.influence_start = {0, 1, 3, 5};
  mesh.influences = {{0, 1.0}, {0, 0.3}, {1, 0.7}, {1, 2.0}, {0, 1.0}};
  mesh.morphs = {{"Smile", {Vec3(0), Vec3(0), Vec3(0, 0, 1)}, {}}};
  scene.meshes = {mesh};
  return scene;
}

struct Glb {
  Json json;
  Bytes binary;
};

std::uint32_t numberAt(const Bytes& bytes, std::size_t offset) {
  std::uint32_t number = 0;
  for (int i = 3; i >= 0; --i) {
    number = number << 8 | std::to_integer<std::uint32_t>(bytes[offset + static_cast<size_t>(i)]);
  }
  return number;
}

Glb parse(const Bytes& file) {
  REQUIRE(file.size() >= 20);
  REQUIRE(asText(file).substr(0, 4) == "glTF");
  CHECK(numberAt(file, 4) == 2);
  CHECK(numberAt(file, 8) == file.size());
  const std::size_t json_length = numberAt(file, 12);
  CHECK(json_length % 4 == 0);
  Glb glb{Json::parse(asText(file).substr(20, json_length)), {}};
  const std::size_t binary_start = 20 + json_length + 8;
  if (binary_start <= file.size()) {
    CHECK(numberAt(file, binary_start - 8) == file.size() - binary_start);
    CHECK(numberAt(file, binary_start - 4) == 0x004E4942);
    glb.binary.assign(file.begin() + static_cast<std::ptrdiff_t>(binary_start), file.end());
  }
  return glb;
}

Glb written(const Scene& scene, std::span<const KeyframeClip> clips) {
  const Result<Bytes> file = writeGlb(scene, clips);
  CHECK_OK(file);
  return parse(*file);
}

std::vector<float> floatsOf(const Glb& glb, std::size_t accessor_index) {
  const Json& accessor = glb.json["accessors"][accessor_index];
  const Json& view = glb.json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
  REQUIRE(accessor["componentType"] == 5126);
  const std::size_t widths = accessor["type"] == "SCALAR" ? 1 : accessor["type"] == "VEC3" ? 3 : 4;
  std::vector<float> floats(accessor["count"].get<std::size_t>() * widths);
  const std::size_t offset = view.value("byteOffset", 0u) + accessor.value("byteOffset", 0u);
  REQUIRE(offset % 4 == 0);
  REQUIRE(offset + floats.size() * 4 <= glb.binary.size());
  std::memcpy(floats.data(), glb.binary.data() + offset, floats.size() * 4);
  return floats;
}

Track trackOf(int node, TrackPath path, Interpolation interpolation, int width, KeyTimes times,
              std::vector<double> values) {
  return {node, path, interpolation, width, std::move(times), std::move(values)};
}

KeyTimes keyTimesOf(std::vector<double> times) {
  return std::make_shared<const std::vector<double>>(std::move(times));
}

ErrorCode codeOf(const Scene& scene, std::span<const KeyframeClip> clips = {}) {
  const Result<Bytes> file = writeGlb(scene, clips);
  REQUIRE_FALSE(file.ok());
  return file.error().code;
}

}  // namespace

TEST_CASE("nodes keep their order, names, parents and rest transforms") {
  const Json json = written(triangleScene(), {}).json;
  REQUIRE(json["nodes"].size() == 3);
  CHECK(json["nodes"][0]["children"] == Json::array({1}));
  CHECK(json["nodes"][1]["name"] == "Tip");
  CHECK(json["nodes"][1]["translation"] == Json::array({0.0, 2.0, 0.0}));
  CHECK_FALSE(json["nodes"][1].contains("rotation"));
  CHECK(json["scenes"][0]["nodes"] == Json::array({0, 2}));
  CHECK(json["asset"]["generator"] == "clipmill");
}

TEST_CASE("positions have the bounds of the stored floats") {
  const Glb glb = written(triangleScene(), {});
  const Json& primitive = glb.json["meshes"][0]["primitives"][0];
  const std::size_t position = primitive["attributes"]["POSITION"];
  CHECK(glb.json["accessors"][position]["min"] == Json::array({0.0, 0.0, -3.0}));
  CHECK(glb.json["accessors"][position]["max"] == Json::array({1.0, 1.0, 0.0}));
  CHECK(floatsOf(glb, position) == std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, -3});
}

TEST_CASE("weights are normalised, strongest first, each joint once") {
  Scene scene = triangleScene();
  scene.meshes[0].influences[4].joint = 1;  // the third vertex names joint 1 twice
  const Glb glb = written(scene, {});
  const Json& attributes = glb.json["meshes"][0]["primitives"][0]["attributes"];
  const std::vector<float> weights = floatsOf(glb, attributes["WEIGHTS_0"]);
  CHECK(weights == std::vector<float>{1, 0, 0, 0, 0.7f, 0.3f, 0, 0, 1, 0, 0, 0});
  CHECK(glb.json["accessors"][attributes["JOINTS_0"].get<std::size_t>()]["componentType"] == 5121);
}

TEST_CASE("a vertex with six joints has two sets of four") {
  Scene scene = triangleScene();
  for (int j = 0; j < 4; ++j) {
    scene.skins[0].joints.push_back(0);
    scene.skins[0].joint_from_bind.push_back({});
  }
  SkinnedMesh& mesh = scene.meshes[0];
  mesh.influence_start = {0, 6, 7, 8};
  mesh.influences.clear();
  for (std::uint32_t j = 0; j < 6; ++j) mesh.influences.push_back({j, 0.1 + 0.02 * j});
  mesh.influences.insert(mesh.influences.end(), {{0, 1.0}, {1, 1.0}});
  const Glb glb = written(scene, {});
  const Json& attributes = glb.json["meshes"][0]["primitives"][0]["attributes"];
  const std::vector<float> first = floatsOf(glb, attributes["WEIGHTS_0"]);
  const std::vector<float> second = floatsOf(glb, attributes["WEIGHTS_1"]);
  double sum = 0.0;
  for (std::size_t i = 0; i < 4; ++i) sum += double{first[i]} + double{second[i]};
  CHECK(std::abs(sum - 1.0) < 1e-7);
  CHECK(second[1] == static_cast<float>(1.0 / 9.0));
  CHECK(second[2] == 0.0f);
}

TEST_CASE("a skin of more than 256 joints has 16-bit joint indices") {
  Scene scene = triangleScene();
  scene.skins[0].joints.resize(257, 0);
  scene.skins[0].joint_from_bind.resize(257);
  scene.meshes[0].influences[0].joint = 256;
  const Glb glb = written(scene, {});
  const Json& attributes = glb.json["meshes"][0]["primitives"][0]["attributes"];
  CHECK(glb.json["accessors"][attributes["JOINTS_0"].get<std::size_t>()]["componentType"] == 5123);
}

TEST_CASE("morph targets keep their names and rest weights") {
  const Json json = written(triangleScene(), {}).json;
  CHECK(json["meshes"][0]["extras"]["targetNames"] == Json::array({"Smile"}));
  CHECK(json["meshes"][0]["weights"] == Json::array({0.25}));
  CHECK(json["meshes"][0]["primitives"][0]["targets"].size() == 1);
}

TEST_CASE("primitives of one node become one mesh, in their order") {
  Scene scene = triangleScene();
  scene.meshes.push_back(scene.meshes[0]);
  scene.meshes[0].primitive = 1;
  scene.meshes[1].material = -1;
  const Json json = written(scene, {}).json;
  REQUIRE(json["meshes"].size() == 1);
  REQUIRE(json["meshes"][0]["primitives"].size() == 2);
  CHECK_FALSE(json["meshes"][0]["primitives"][0].contains("material"));
}

TEST_CASE("tracks that share key times share one accessor") {
  const KeyTimes times = keyTimesOf({0.0, 0.5});
  const std::vector<KeyframeClip> clips = {
      {"Wave",
       {trackOf(1, TrackPath::kTranslation, Interpolation::kLinear, 3, times, {0, 2, 0, 0, 3, 0}),
        trackOf(1, TrackPath::kRotation, Interpolation::kStep, 4, times, {0, 0, 0, 1, 0, 0, 1, 0}),
        trackOf(2, TrackPath::kWeights, Interpolation::kCubicSpline, 1, keyTimesOf({0.0, 0.5}),
                {0, 1, 2, 3, 4, 5})}}};
  const Glb glb = written(triangleScene(), clips);
  const Json& animation = glb.json["animations"][0];
  REQUIRE(animation["samplers"].size() == 3);
  CHECK(animation["samplers"][0]["input"] == animation["samplers"][1]["input"]);
  CHECK(animation["samplers"][0]["input"] != animation["samplers"][2]["input"]);
  CHECK(animation["samplers"][1]["interpolation"] == "STEP");
  CHECK(animation["samplers"][2]["interpolation"] == "CUBICSPLINE");
  CHECK(animation["channels"][2]["target"] == Json{{"node", 2}, {"path", "weights"}});
  CHECK(floatsOf(glb, animation["samplers"][0]["output"]) == std::vector<float>{0, 2, 0, 0, 3, 0});
  CHECK(floatsOf(glb, animation["samplers"][2]["output"]) == std::vector<float>{0, 1, 2, 3, 4, 5});
  CHECK(floatsOf(glb, animation["samplers"][0]["input"]) == std::vector<float>{0, 0.5f});
}

TEST_CASE("images lie in the binary chunk as they are") {
  Scene scene = triangleScene();
  scene.images = {{"dot", "image/png", {std::byte{1}, std::byte{2}, std::byte{3}}}};
  scene.materials[0].base_color_image = 0;
  const Glb glb = written(scene, {});
  const Json& view =
      glb.json["bufferViews"][glb.json["images"][0]["bufferView"].get<std::size_t>()];
  CHECK(view["byteLength"] == 3);
  CHECK(glb.binary[view["byteOffset"].get<std::size_t>() + 2] == std::byte{3});
  CHECK(glb.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["index"] == 0);
}

TEST_CASE("an empty scene gives a file with a header only") {
  const Glb glb = written({}, {});
  CHECK(glb.binary.empty());
  CHECK_FALSE(glb.json.contains("buffers"));
}

TEST_CASE("the same scene gives the same bytes") {
  CHECK(*writeGlb(triangleScene(), {}) == *writeGlb(triangleScene(), {}));
}

TEST_CASE("an inconsistent scene is refused") {
  Scene scene = triangleScene();
  SUBCASE("a triangle past the last vertex") { scene.meshes[0].triangles[2] = 3; }
  SUBCASE("an influence past the last joint") { scene.meshes[0].influences[0].joint = 2; }
  SUBCASE("a vertex without weights") { scene.meshes[0].influences[0].weight = 0.0; }
  SUBCASE("normals for some vertices only") { scene.meshes[0].normals.pop_back(); }
  SUBCASE("a mesh without a node") { scene.meshes[0].node = 7; }
  SUBCASE("a child before its parent") { scene.skeleton.nodes[0].parent = 1; }
  SUBCASE("a material with a missing image") { scene.materials[0].base_color_image = 0; }
  SUBCASE("an emissive image that does not exist") { scene.materials[0].emissive_image = 0; }
  SUBCASE("a colour above 1") { scene.materials[0].base_color.x = 1.5; }
  SUBCASE("an emissive value below 0") { scene.materials[0].emissive.y = -1.0; }
  SUBCASE("colours for some vertices only") { scene.meshes[0].colors.resize(2); }
  SUBCASE("texture coordinates for some corners only") { scene.meshes[0].corners.uvs.resize(2); }
  SUBCASE("a material for each corner") { scene.meshes[0].triangle_materials.assign(3, 0); }
  SUBCASE("a triangle of a material that does not exist") {
    scene.meshes[0].triangle_materials = {1};
  }
  SUBCASE("a position that is not finite") {
    scene.meshes[0].positions[0].x = std::numeric_limits<double>::infinity();
  }
  SUBCASE("morph targets without weights") { scene.skeleton.nodes[2].weights_count = 0; }
  CHECK(codeOf(scene) == ErrorCode::kMalformed);
}

TEST_CASE("tracks that glTF cannot store are refused") {
  Track track = trackOf(1, TrackPath::kTranslation, Interpolation::kLinear, 3,
                        keyTimesOf({0.0, 0.5}), {0, 0, 0, 0, 0, 0});
  SUBCASE("times that do not ascend") { track.times_s = keyTimesOf({0.5, 0.5}); }
  SUBCASE("times that are the same as floats") { track.times_s = keyTimesOf({1.0, 1.0 + 1e-12}); }
  SUBCASE("a time before 0") { track.times_s = keyTimesOf({-0.5, 0.5}); }
  SUBCASE("too few values") { track.values.pop_back(); }
  SUBCASE("weights of a node without morph targets") { track.path = TrackPath::kWeights; }
  SUBCASE("a node that does not exist") { track.node = 3; }
  const std::vector<KeyframeClip> clips = {{"Wave", {track}}};
  CHECK(codeOf(triangleScene(), clips) == ErrorCode::kMalformed);
}
