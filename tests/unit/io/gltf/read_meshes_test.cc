// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/pose.h"
#include "checks.h"
#include "io/gltf/read.h"
#include "io/gltf/tiny_gltf.h"
#include "mesh/skinning.h"

TEST_SUITE_BEGIN("gltf.read_meshes");

namespace {

using namespace clipmill;
using namespace clipmill::test;

Result<Scene> read(const TinyGltf& gltf) {
  const auto document = documentOf(gltf.glb());
  return io::gltf::readScene(*document, true, {});
}

TinyGltf with(TinyGltf gltf, const std::string& from, const std::string& to) {
  const std::size_t at = gltf.members.find(from);
  REQUIRE(at != std::string::npos);
  gltf.members.replace(at, from.size(), to);
  return gltf;
}

// A mesh of `count` vertices in a row with that primitive text behind its attributes.
TinyGltf points(std::size_t count, const std::string& more) {
  TinyGltf gltf;
  std::vector<float> positions;
  for (std::size_t i = 0; i < count; ++i) {
    positions.insert(positions.end(), {static_cast<float>(i), 0, 0});
  }
  gltf.addFloats(positions, "VEC3");
  gltf.members =
      ",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
      "\"POSITION\":0}" +
      more + "}]}]";
  return gltf;
}

std::vector<std::uint32_t> trianglesOf(const TinyGltf& gltf) {
  const auto scene = read(gltf);
  CHECK_OK(scene);
  REQUIRE(scene->meshes.size() == 1);
  return scene->meshes[0].triangles;
}

using Triangles = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("A skinned mesh is read with its influences, and follows its joints") {
  const auto scene = read(skinnedGltf());
  CHECK_OK(scene);
  REQUIRE(scene->meshes.size() == 1);
  const SkinnedMesh& mesh = scene->meshes[0];
  CHECK(mesh.triangles == Triangles{0, 1, 2});
  CHECK(mesh.influence_start == std::vector<std::size_t>{0, 1, 2, 4});
  CHECK(mesh.influences[2].weight == 0.5);
  REQUIRE(mesh.morphs.size() == 1);

  // Joint B is where it was bound, so that the rest pose is the bind pose, half morphed.
  std::vector<Affine> worlds;
  const Pose pose = restPose(scene->skeleton);
  computeWorlds(scene->skeleton, pose.locals, Affine{}, worlds);
  PosedVertices posed;
  poseMesh(mesh, &scene->skins[0], worlds, pose.weights, posed);
  CHECK(distance(posed.positions[1], Vec3(1, 0, 0.5)) < 1e-12);
  CHECK(distance(posed.positions[2], Vec3(0, 1, 0.5)) < 1e-12);
}

TEST_CASE("Tangents are read with normals; those that cannot be read are a warning") {
  const auto withTangents = [](const std::vector<float>& tangents, bool has_normals) {
    TinyGltf gltf = skinnedGltf();
    const int normals = gltf.addFloats({0, 0, 1, 0, 0, 1, 0, 0, 1}, "VEC3");
    const int accessor = gltf.addFloats(tangents, "VEC4");
    const auto scene =
        read(with(gltf, "\"JOINTS_0\":1",
                  (has_normals ? "\"NORMAL\":" + std::to_string(normals) + "," : std::string()) +
                      "\"TANGENT\":" + std::to_string(accessor) + ",\"JOINTS_0\":1"));
    CHECK_OK(scene);
    REQUIRE(scene->meshes.size() == 1);
    return *scene;
  };
  const std::vector<float> fine = {1, 0, 0, 1, 0, 1, 0, -1, 0, 0, 1, 0.5f};
  CHECK(withTangents(fine, true).meshes[0].tangents ==
        std::vector<Vec4>{Vec4(1, 0, 0, 1), Vec4(0, 1, 0, -1), Vec4(0, 0, 1, 1)});
  CHECK(withTangents(fine, false).meshes[0].tangents.empty());
  const Scene too_few = withTangents({1, 0, 0, 1}, true);
  CHECK(too_few.meshes[0].tangents.empty());
  CHECK(too_few.meshes[0].normals.size() == 3);
  CHECK(too_few.warnings.count("malformed_tangents") == 1);
}

TEST_CASE("Weights are made to sum to one and zero weights are dropped with any joint") {
  TinyGltf gltf = skinnedGltf();
  const int joints =
      gltf.addAccessor(gltf.addView(rawBytes<std::uint8_t>({0, 200, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0})),
                       3, 5121, "VEC4");
  const int weights = gltf.addFloats({2, 0, 0, 0, 1, 3, 0, 0, 1, 0, 0, 0}, "VEC4");
  gltf =
      with(gltf, "\"JOINTS_0\":1,\"WEIGHTS_0\":2",
           "\"JOINTS_0\":" + std::to_string(joints) + ",\"WEIGHTS_0\":" + std::to_string(weights));
  const auto scene = read(gltf);
  CHECK_OK(scene);
  const SkinnedMesh& mesh = scene->meshes[0];
  CHECK(mesh.influences.size() == 4);
  CHECK(mesh.influences[0].weight == 1.0);
  CHECK(mesh.influences[1].weight == 0.25);
  CHECK(mesh.influences[2].weight == 0.75);
}

TEST_CASE("A joint that the skin does not have, a negative weight and wrong lengths are refused") {
  const auto refusedWith = [](const std::vector<std::uint8_t>& joints,
                              const std::vector<float>& weights) {
    TinyGltf gltf = skinnedGltf();
    const int j = gltf.addAccessor(gltf.addView(rawBytes(joints)), joints.size() / 4, 5121, "VEC4");
    const int w = gltf.addFloats(weights, "VEC4");
    const auto scene =
        read(with(gltf, "\"JOINTS_0\":1,\"WEIGHTS_0\":2",
                  "\"JOINTS_0\":" + std::to_string(j) + ",\"WEIGHTS_0\":" + std::to_string(w)));
    REQUIRE(!scene.ok());
    CHECK(scene.error().code == ErrorCode::kMalformed);
  };
  const std::vector<float> fine = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  refusedWith({0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}, fine);
  refusedWith({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, -1, 0, 0, 0, 1, 0, 0, 0});
  refusedWith({0, 0, 0, 0, 0, 0, 0, 0}, fine);
}

TEST_CASE("Vertices without weights follow the first joint, with a counted warning") {
  TinyGltf gltf = skinnedGltf();
  const int weights = gltf.addFloats(std::vector<float>(12, 0.0f), "VEC4");
  const auto scene =
      read(with(gltf, "\"WEIGHTS_0\":2", "\"WEIGHTS_0\":" + std::to_string(weights)));
  CHECK_OK(scene);
  CHECK(scene->warnings.count("vertex_without_weight") == 3);
  CHECK(scene->meshes[0].influences.size() == 3);
  CHECK(scene->meshes[0].influences[2].weight == 1.0);
}

TEST_CASE("A second set of joints adds influences") {
  TinyGltf gltf = skinnedGltf();
  const auto scene = read(with(gltf, "\"JOINTS_0\":1,\"WEIGHTS_0\":2",
                               "\"JOINTS_0\":1,\"WEIGHTS_0\":2,\"JOINTS_1\":1,\"WEIGHTS_1\":2"));
  CHECK_OK(scene);
  CHECK(scene->meshes[0].influences.size() == 8);
  CHECK(scene->meshes[0].influences[0].weight == 0.5);
}

TEST_CASE("Skins name joints that exist and have a matrix for each") {
  const auto no_joint = read(with(skinnedGltf(), "\"joints\":[0,1]", "\"joints\":[0,3]"));
  CHECK(!no_joint.ok());
  const auto no_matrix = read(with(skinnedGltf(), "\"joints\":[0,1]", "\"joints\":[0,1,2]"));
  REQUIRE(!no_matrix.ok());
  CHECK(describe(no_matrix.error()).find("skins[0]: has 3 joints") == 0);
  const auto no_skin = read(with(skinnedGltf(), "\"skin\":0", "\"skin\":1"));
  CHECK(!no_skin.ok());
}

TEST_CASE("Strips and fans become triangles with the same orientation") {
  CHECK(trianglesOf(points(6, "")) == Triangles{0, 1, 2, 3, 4, 5});
  CHECK(trianglesOf(points(5, "")) == Triangles{0, 1, 2});
  CHECK(trianglesOf(points(5, ",\"mode\":5")) == Triangles{0, 1, 2, 1, 3, 2, 2, 3, 4});
  CHECK(trianglesOf(points(5, ",\"mode\":6")) == Triangles{0, 1, 2, 0, 2, 3, 0, 3, 4});
  CHECK(trianglesOf(points(2, ",\"mode\":5")).empty());
  CHECK(trianglesOf(points(5, ",\"mode\":1")).empty());
  CHECK(!read(points(5, ",\"mode\":7")).ok());
}

TEST_CASE("An index beyond the vertices is refused") {
  TinyGltf gltf = points(3, ",\"indices\":1");
  gltf.addAccessor(gltf.addView(rawBytes<std::uint16_t>({0, 1, 3})), 3, 5123, "SCALAR");
  CHECK(!read(gltf).ok());
}

TEST_CASE("Morph targets are as long as the vertices") {
  TinyGltf gltf = points(3, ",\"targets\":[{\"POSITION\":1}]");
  gltf.addFloats({0, 0, 1, 0, 0, 1}, "VEC3");
  CHECK(!read(gltf).ok());
}

TEST_CASE("Draco geometry is ignored with a warning") {
  TinyGltf gltf;
  gltf.addAccessor(-1, 3, 5126, "VEC3");
  gltf.members =
      ",\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"nodes\":[{\"mesh\":0}],"
      "\"meshes\":["
      "{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"extensions\":{"
      "\"KHR_draco_mesh_compression\":{\"bufferView\":0,\"attributes\":{\"POSITION\":0}}}}]}]";
  const auto scene = read(gltf);
  CHECK_OK(scene);
  CHECK(scene->meshes.empty());
  CHECK(scene->warnings.count("draco_geometry") == 1);
  CHECK(scene->warnings.count("unknown_required_extension") == 0);
}

TEST_CASE("Vertex colours of any type are read as four numbers") {
  const auto colorsOf = [](int colors, TinyGltf gltf) {
    gltf =
        with(gltf, "\"POSITION\":0}", "\"POSITION\":0,\"COLOR_0\":" + std::to_string(colors) + "}");
    const auto scene = read(gltf);
    CHECK_OK(scene);
    CHECK(scene->warnings.empty());
    return scene->meshes[0].colors;
  };
  TinyGltf gltf = points(2, "");
  const int floats = gltf.addFloats({0.25f, 0.5f, 0.75f, 1, 0, 1}, "VEC3");
  const int bytes =
      gltf.addAccessor(gltf.addView(rawBytes<std::uint8_t>({255, 0, 51, 255, 0, 0, 0, 0})), 2, 5121,
                       "VEC4", ",\"normalized\":true");
  const int shorts = gltf.addAccessor(
      gltf.addView(rawBytes<std::uint16_t>({65535, 0, 13107, 0, 0, 65535, 65535, 0})), 2, 5123,
      "VEC3", ",\"normalized\":true,\"byteOffset\":0");
  CHECK(colorsOf(floats, gltf) == std::vector<Vec4>{Vec4(0.25, 0.5, 0.75, 1), Vec4(1, 0, 1, 1)});
  CHECK(colorsOf(bytes, gltf) == std::vector<Vec4>{Vec4(1, 0, 0.2, 1), Vec4(0)});
  CHECK(colorsOf(shorts, gltf) == std::vector<Vec4>{Vec4(1, 0, 0.2, 1), Vec4(0, 0, 1, 1)});
}

TEST_CASE("Invalid vertex colours are dropped with a warning") {
  TinyGltf gltf = points(2, "");
  gltf.addFloats({0, 0, 0, 0}, "VEC2");
  gltf.addFloats({0, 0, 0}, "VEC3");
  gltf.addAccessor(gltf.addView(rawBytes<std::uint8_t>({9, 9, 9, 9, 9, 9, 9, 9})), 2, 5121, "VEC4");
  for (const char* colors : {"1", "2", "3", "4"}) {
    CAPTURE(colors);
    const auto scene = read(
        with(gltf, "\"POSITION\":0}", std::string("\"POSITION\":0,\"COLOR_0\":") + colors + "}"));
    CHECK_OK(scene);
    CHECK(scene->meshes[0].colors.empty());
    CHECK(scene->warnings.count("malformed_colors") == 1);
  }
}

TEST_CASE("A mesh has its material, and a missing material is a warning") {
  TinyGltf gltf = points(3, ",\"material\":1");
  const auto missing = read(gltf);
  CHECK_OK(missing);
  CHECK(missing->meshes[0].material == -1);
  CHECK(missing->warnings.count("missing_material") == 1);
  gltf.members += ",\"materials\":[{},{\"name\":\"Coat\"}]";
  const auto scene = read(gltf);
  CHECK_OK(scene);
  CHECK(scene->meshes[0].material == 1);
  CHECK(scene->warnings.empty());
}

TEST_CASE("Morph targets have the names in the extras of the mesh") {
  const auto namesOf = [](const std::string& extras) {
    const auto scene =
        read(with(skinnedGltf(), "\"weights\":[0.5]", "\"weights\":[0.5],\"extras\":" + extras));
    CHECK_OK(scene);
    return scene->meshes[0].morphs[0].name;
  };
  CHECK(namesOf("{\"targetNames\":[\"Smile\",\"Frown\"]}") == "Smile");
  CHECK(namesOf("{\"targetNames\":[7]}").empty());
  CHECK(namesOf("{\"targetNames\":{}}").empty());
  CHECK(namesOf("\"targetNames\"").empty());
}
