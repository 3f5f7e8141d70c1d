// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// What writeGlb() writes, read back.
#include <cmath>

#include <nlohmann/json.hpp>

#include "checks.h"
#include "io/gltf/conversion_loss.h"
#include "io/gltf/read.h"
#include "io/gltf/tiny_gltf.h"
#include "io/gltf/write.h"
#include "mesh/split_corners.h"

TEST_SUITE_BEGIN("gltf.write_read");

namespace {

using namespace clipmill;
using namespace clipmill::io::gltf;
using namespace clipmill::test;

Image imageOf(const std::string& name, const std::vector<std::uint8_t>& bytes) {
  return {name, "image/png", rawBytes(bytes)};
}

// A material without a single default, with images 0 to 4.
Material fullMaterial() {
  Material material;
  material.name = "Coat";
  material.base_color = Vec4(0.1, 0.2, 0.3, 0.4);
  material.metallic = 0.25;
  material.roughness = 0.7;
  material.emissive = Vec3(0.3, 2.7, 1.1);
  material.normal_scale = -1.5;
  material.alpha_mode = AlphaMode::kMask;
  material.alpha_cutoff = 0.35;
  material.double_sided = true;
  material.unlit = true;
  material.base_color_image = 3;
  material.metallic_roughness_image = 1;
  material.normal_image = 4;
  material.occlusion_image = 0;
  material.emissive_image = 2;
  return material;
}

// Two nodes, a skin, a quad with every attribute that a mesh may have, and all of fullMaterial().
Scene fullScene() {
  Scene scene;
  scene.skeleton.nodes = {{"Root", -1, 0, {}, 0, 0}, {"Body", -1, 1, {}, 0, 2}};
  scene.skeleton.rest_weights = {0.25, 0.5};
  scene.skins = {{"Skin", {0}, {Affine{Mat3(2.0), Vec3(1, 2, 3)}}}};
  for (std::uint8_t i = 0; i < 5; ++i) {
    // Of all lengths modulo four.
    scene.images.push_back(imageOf("p" + std::to_string(i),
                                   std::vector<std::uint8_t>(i + 5u, static_cast<uint8_t>(i + 1))));
  }
  scene.images[2].mime_type = "image/jpeg";
  scene.materials = {Material{}, fullMaterial()};
  SkinnedMesh mesh;
  mesh.name = "Body";
  mesh.node = 1;
  mesh.skin = 0;
  mesh.material = 1;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0.1), Vec3(1, 1, 0), Vec3(0, 1, -7)};
  mesh.normals = {Vec3(0, 0, 1), Vec3(0.6, 0.8, 0), Vec3(0, -1, 0), Vec3(0, 0, -1)};
  mesh.uvs = {Vec2(0.1, 0.2), Vec2(-3, 4), Vec2(0.7, 0.3), Vec2(1, 1)};
  mesh.colors = {Vec4(0.1, 0.2, 0.3, 0.4), Vec4(1), Vec4(0), Vec4(0.9, 0.8, 0.7, 0.6)};
  mesh.triangles = {0, 1, 2, 2, 3, 0};
  mesh.influence_start = {0, 1, 2, 3, 4};
  mesh.influences.assign(4, {0, 1.0});
  mesh.morphs = {{"Smile", mesh.normals, {}}, {"", mesh.positions, mesh.positions}};
  scene.meshes = {mesh};
  return scene;
}

Scene readBack(const Scene& scene) {
  const Result<Bytes> file = writeGlb(scene, {});
  CHECK_OK(file);
  const auto document = documentOf(*file);
  CHECK(io::gltf::conversionLossOf(*document).empty());
  auto result = io::gltf::readScene(*document, true, {});
  CHECK_OK(result);
  CHECK(result->warnings.empty());
  return std::move(*result);
}

nlohmann::json jsonOf(const Scene& scene) {
  const Result<Bytes> file = writeGlb(scene, {});
  CHECK_OK(file);
  return *documentOf(*file)->json;
}

// Vertices pass through 32-bit numbers.
template <class Vector>
void checkClose(const std::vector<Vector>& a, const std::vector<Vector>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int c = 0; c < Vector::length(); ++c) CHECK(std::abs(a[i][c] - b[i][c]) < 1e-6);
  }
}

void checkSame(const Material& a, const Material& b) {
  CHECK(a.name == b.name);
  CHECK(a.base_color == b.base_color);
  CHECK(a.metallic == b.metallic);
  CHECK(a.roughness == b.roughness);
  CHECK(distance(a.emissive, b.emissive) < 1e-15);
  CHECK(a.normal_scale == b.normal_scale);
  CHECK(a.alpha_mode == b.alpha_mode);
  CHECK(a.alpha_cutoff == b.alpha_cutoff);
  CHECK(a.double_sided == b.double_sided);
  CHECK(a.unlit == b.unlit);
  CHECK(a.base_color_image == b.base_color_image);
  CHECK(a.metallic_roughness_image == b.metallic_roughness_image);
  CHECK(a.normal_image == b.normal_image);
  CHECK(a.occlusion_image == b.occlusion_image);
  CHECK(a.emissive_image == b.emissive_image);
}

}  // namespace

TEST_CASE("Materials survive a round trip with all properties") {
  const Scene scene = fullScene(), back = readBack(scene);
  REQUIRE(back.materials.size() == 2);
  checkSame(back.materials[0], scene.materials[0]);
  checkSame(back.materials[1], scene.materials[1]);
}

TEST_CASE("An emissive factor within 0 to 1 needs no extension, and the blend mode is written") {
  Scene scene = fullScene();
  scene.materials[1].emissive = Vec3(0.5, 1.0, 0.0);
  scene.materials[1].alpha_mode = AlphaMode::kBlend;
  scene.materials[1].alpha_cutoff = 0.5;
  scene.materials[1].unlit = false;
  CHECK_FALSE(jsonOf(scene).contains("extensionsUsed"));
  checkSame(readBack(scene).materials[1], scene.materials[1]);
}

TEST_CASE("Extensions of materials are listed as used, not as required") {
  const auto json = jsonOf(fullScene());
  CHECK(json["extensionsUsed"] ==
        nlohmann::json::array({"KHR_materials_emissive_strength", "KHR_materials_unlit"}));
  CHECK_FALSE(json.contains("extensionsRequired"));
}

TEST_CASE("Images survive a round trip byte for byte") {
  const Scene scene = fullScene(), back = readBack(scene);
  REQUIRE(back.images.size() == scene.images.size());
  for (std::size_t i = 0; i < scene.images.size(); ++i) {
    CHECK(back.images[i].name == scene.images[i].name);
    CHECK(back.images[i].mime_type == scene.images[i].mime_type);
    CHECK(back.images[i].bytes == scene.images[i].bytes);
    CHECK(back.images[i].path.empty());
  }
}

TEST_CASE("An image without data is referred to by a relative path") {
  Scene scene = fullScene();
  const auto uriOf = [&](const std::string& path) {
    scene.images[3].bytes.clear();
    scene.images[3].path = path;
    return jsonOf(scene)["images"][3]["uri"].get<std::string>();
  };
  CHECK(uriOf("textures/my coat.png") == "textures/my%20coat.png");
  CHECK(uriOf("textures\\coat.png") == "textures/coat.png");
  CHECK(uriOf("C:\\art\\coat.png") == "coat.png");
  CHECK(uriOf("/art/coat.png") == "coat.png");
  CHECK(uriOf("file:///art/coat.png") == "coat.png");
}

TEST_CASE("An image without data and path is dropped, and the others keep their materials") {
  Scene scene = fullScene();
  scene.images[1] = {"", "", {}};
  const Scene back = readBack(scene);
  REQUIRE(back.images.size() == 4);
  CHECK(back.images[1].bytes == scene.images[2].bytes);
  CHECK(back.materials[1].metallic_roughness_image == -1);
  CHECK(back.materials[1].occlusion_image == 0);
  CHECK(back.materials[1].base_color_image == 2);
}

TEST_CASE("An image of a type that core glTF does not allow is written in an extension") {
  Scene scene = fullScene();
  scene.images[3].mime_type = "image/webp";
  const auto json = jsonOf(scene);
  CHECK(json["extensionsRequired"] == nlohmann::json::array({"EXT_texture_webp"}));
  CHECK_FALSE(json["textures"][3].contains("source"));
  CHECK(readBack(scene).materials[1].base_color_image == 3);
}

TEST_CASE("A mesh survives a round trip with all its attributes") {
  const Scene scene = fullScene(), back = readBack(scene);
  REQUIRE(back.meshes.size() == 1);
  const SkinnedMesh &mesh = back.meshes[0], &wanted = scene.meshes[0];
  CHECK(mesh.name == wanted.name);
  CHECK(mesh.material == 1);
  checkClose(mesh.positions, wanted.positions);
  checkClose(mesh.normals, wanted.normals);
  checkClose(mesh.uvs, wanted.uvs);
  checkClose(mesh.colors, wanted.colors);
  CHECK(mesh.triangles == wanted.triangles);
  CHECK(mesh.influence_start == wanted.influence_start);
  REQUIRE(mesh.morphs.size() == 2);
  CHECK(mesh.morphs[0].name == "Smile");
  CHECK(mesh.morphs[1].name.empty());
  checkClose(mesh.morphs[0].position_deltas, wanted.morphs[0].position_deltas);
  CHECK(mesh.morphs[0].normal_deltas.empty());
  checkClose(mesh.morphs[1].normal_deltas, wanted.morphs[1].normal_deltas);
}

TEST_CASE("Corner attributes and triangle materials are written as splitCorners() gives them") {
  Scene scene = fullScene();
  SkinnedMesh& mesh = scene.meshes[0];
  mesh.corners.uvs.assign(3, Vec2(0.25, 0.5));
  mesh.corners.uvs.insert(mesh.corners.uvs.end(), 3, Vec2(0.75, 0.5));
  mesh.triangle_materials = {1, 0};
  const std::vector<SkinnedMesh> wanted = splitCorners(mesh);
  const Scene back = readBack(scene);
  REQUIRE(wanted.size() == 2);
  REQUIRE(back.meshes.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(back.meshes[i].material == wanted[i].material);
    CHECK(back.meshes[i].primitive == wanted[i].primitive);
    CHECK(back.meshes[i].triangles == wanted[i].triangles);
    checkClose(back.meshes[i].positions, wanted[i].positions);
    checkClose(back.meshes[i].uvs, wanted[i].uvs);
    CHECK(back.meshes[i].morphs[0].name == "Smile");
  }
}

TEST_CASE("Writing, reading and writing again gives the same bytes") {
  const Result<Bytes> first = writeGlb(fullScene(), {});
  CHECK_OK(first);
  const Result<Bytes> second = writeGlb(readBack(fullScene()), {});
  CHECK_OK(second);
  CHECK(*first == *second);
}

TEST_CASE("Normals are made unit length and colours kept within 0 to 1") {
  Scene scene = fullScene();
  scene.meshes[0].normals = {Vec3(0, 0, 3), Vec3(0), Vec3(0, 1, 0), Vec3(0.3, 0.4, 0)};
  scene.meshes[0].colors[0] = Vec4(-1, 2, 0.5, 1);
  const Scene back = readBack(scene);
  checkClose(back.meshes[0].normals,
             {Vec3(0, 0, 1), Vec3(0, 0, 1), Vec3(0, 1, 0), Vec3(0.6, 0.8, 0)});
  CHECK(back.meshes[0].colors[0] == Vec4(0, 1, 0.5, 1));
}

TEST_CASE("Tangents survive a round trip, and get a direction where they have none") {
  Scene scene = fullScene();
  SkinnedMesh& mesh = scene.meshes[0];
  mesh.normals = {Vec3(0, 0, 1), Vec3(0, 0, 1), Vec3(1, 0, 0), Vec3(0, 0.6, 0.8)};
  mesh.tangents = {Vec4(0.6, 0.8, 0, -1), Vec4(5, 0, 0, 1), Vec4(0, 0, 0, -1), Vec4(0, 0, 0, 1)};
  const Scene back = readBack(scene);
  REQUIRE(back.meshes[0].tangents.size() == 4);
  checkClose({back.meshes[0].tangents[0], back.meshes[0].tangents[1]},
             std::vector<Vec4>{Vec4(0.6, 0.8, 0, -1), Vec4(1, 0, 0, 1)});
  for (std::size_t v = 2; v < 4; ++v) {
    const Vec4& tangent = back.meshes[0].tangents[v];
    CHECK(std::abs(glm::length(Vec3(tangent)) - 1.0) < 1e-6);
    CHECK(std::abs(glm::dot(Vec3(tangent), mesh.normals[v])) < 1e-6);
    CHECK(tangent.w == mesh.tangents[v].w);
  }
}

TEST_CASE("Tangents without normals are not written") {
  Scene scene = fullScene();
  scene.meshes[0].normals.clear();
  scene.meshes[0].tangents.assign(4, Vec4(1, 0, 0, 1));
  CHECK_FALSE(jsonOf(scene)["meshes"][0]["primitives"][0]["attributes"].contains("TANGENT"));
}

TEST_CASE("A morph target without displacements keeps its index") {
  Scene scene = fullScene();
  scene.meshes[0].morphs[0] = {"Smile", {}, {}};
  const Scene back = readBack(scene);
  REQUIRE(back.meshes[0].morphs.size() == 2);
  CHECK(back.meshes[0].morphs[0].position_deltas == std::vector<Vec3>(4, Vec3(0)));
  CHECK(back.meshes[0].morphs[0].name == "Smile");
}

TEST_CASE(
    "Targets that move few vertices store these alone, and targets that move none store none") {
  Scene scene = fullScene();
  SkinnedMesh& mesh = scene.meshes[0];
  while (mesh.vertexCount() < 400) {
    mesh.positions.push_back(Vec3(0.5));
    mesh.normals.push_back(Vec3(0, 0, 1));
    mesh.uvs.push_back(Vec2(0));
    mesh.colors.push_back(Vec4(1));
    mesh.influences.push_back({0, 1.0});
    mesh.influence_start.push_back(mesh.influences.size());
  }
  std::vector<Vec3> few(400, Vec3(0)), most(400, Vec3(1, 2, 3));
  few[7] = Vec3(0.5, 0, -0.25);
  few[399] = Vec3(0.75, 0, 0);
  mesh.morphs = {
      {"Few", few, few}, {"Most", most, {}}, {"None", std::vector<Vec3>(400, Vec3(0)), {}}};
  scene.skeleton.nodes[1].weights_count = 3;
  scene.skeleton.rest_weights = {0, 0, 0};
  const Scene back = readBack(scene);
  REQUIRE(back.meshes[0].morphs.size() == 3);
  CHECK(back.meshes[0].morphs[0].position_deltas == few);
  CHECK(back.meshes[0].morphs[0].normal_deltas == few);
  CHECK(back.meshes[0].morphs[1].position_deltas == most);
  CHECK(back.meshes[0].morphs[2].position_deltas == std::vector<Vec3>(400, Vec3(0)));
  const nlohmann::json json = jsonOf(scene);
  const auto& targets = json["meshes"][0]["primitives"][0]["targets"];
  const auto accessorOf = [&](std::size_t target) {
    return json["accessors"][targets[target]["POSITION"].get<std::size_t>()];
  };
  CHECK(accessorOf(0)["sparse"]["count"] == 2);
  CHECK_FALSE(accessorOf(0).contains("bufferView"));
  // Bounds are those of all elements, zeros included.
  CHECK(accessorOf(0)["min"] == nlohmann::json({0.0, 0.0, -0.25}));
  CHECK(accessorOf(0)["max"] == nlohmann::json({0.75, 0.0, 0.0}));
  CHECK_FALSE(accessorOf(1).contains("sparse"));
  CHECK_FALSE(accessorOf(2).contains("sparse"));
  CHECK_FALSE(accessorOf(2).contains("bufferView"));
}

TEST_CASE("Meshes without triangles are dropped with their weights") {
  Scene scene = fullScene();
  scene.meshes[0].triangles.clear();
  const auto times = std::make_shared<const std::vector<double>>(std::vector<double>{0.0, 1.0});
  const KeyframeClip clip{
      "Smile", {{1, TrackPath::kWeights, Interpolation::kLinear, 2, times, {0, 0, 1, 1}}}};
  const Result<Bytes> file = writeGlb(scene, {&clip, 1});
  CHECK_OK(file);
  const auto document = documentOf(*file);
  CHECK_FALSE(document->json->contains("meshes"));
  CHECK_FALSE(document->json->contains("animations"));
  CHECK(io::gltf::readScene(*document, true, {})->materials.size() == 2);
}
