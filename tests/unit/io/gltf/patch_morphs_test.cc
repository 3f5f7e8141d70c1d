// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>

#include <nlohmann/json.hpp>

#include "anim/clip.h"
#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "io/gltf/loaded_gltf.h"
#include "io/gltf/patch.h"
#include "io/gltf/read.h"
#include "io/gltf/tiny_gltf.h"
#include "scene/integer_deltas.h"

TEST_SUITE_BEGIN("gltf.patch_morphs");

namespace {

using namespace clipmill;
using namespace clipmill::io::gltf;
using namespace clipmill::test;
using Json = nlohmann::json;

Loaded withMorphs(const Loaded& loaded, std::vector<AddedMorph> morphs,
                  std::vector<io::ClipEdit> edits = {}) {
  auto bytes = patchDocument(*loaded.document, loaded.scene.skeleton, edits, morphs);
  CHECK_OK(bytes);
  return loadGltf(std::move(*bytes));
}

std::vector<double> weightsAt(const Scene& scene, int node, double time_s) {
  Pose pose = restPose(scene.skeleton);
  scene.clips.at(0).source->cursor()->sample(time_s, pose.view());
  const Node& n = scene.skeleton.nodes.at(toSize(node));
  return {pose.weights.begin() + n.weights_start,
          pose.weights.begin() + n.weights_start + n.weights_count};
}

// Nine vertices in two primitives of a mesh (six, of which two triangles, and three) without
// skin or morphs, shown by the nodes `First` and `Second`.
TinyGltf twicePositioned() {
  TinyGltf gltf;
  gltf.addFloats({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 0, 0, 2, 1, 0}, "VEC3");
  gltf.addFloats({0, 0, 5, 1, 0, 5, 0, 1, 5}, "VEC3");
  gltf.addFloats({0, 0, 1, 0, 0, 1, 0, 0, 1}, "VEC3");
  gltf.members =
      ",\"nodes\":[{\"name\":\"First\",\"mesh\":0},{\"name\":\"Second\",\"mesh\":0}],\"meshes\":[{"
      "\"primitives\":[{\"attributes\":{\"POSITION\":0}},{\"attributes\":{\"POSITION\":1,"
      "\"NORMAL\":2}}]}]";
  return gltf;
}

std::vector<Vec3> nineDeltas(std::size_t moved, const Vec3& delta) {
  std::vector<Vec3> deltas(9, Vec3(0.0));
  deltas[moved] = delta;
  return deltas;
}

}  // namespace

TEST_CASE("New targets are appended to those of the mesh, with their names, weights and keys") {
  const Loaded before = loadGltf(skinnedGltf().glb());
  const int body = nodeCalled(before.scene, "Body");
  const AddedMorph morph = {body, "bulge", {Vec3(0), Vec3(0.5, 0.25, -1), Vec3(0)}};
  const Loaded after = withMorphs(before, {morph});
  const SkinnedMesh& mesh = meshOf(after.scene, body);
  REQUIRE(mesh.morphs.size() == 2);
  CHECK(mesh.morphs[0].name == "target_0");
  CHECK(mesh.morphs[0].position_deltas == meshOf(before.scene, body).morphs[0].position_deltas);
  CHECK(mesh.morphs[1].name == "bulge");
  CHECK(mesh.morphs[1].position_deltas == morph.position_deltas);
  const Json& json = *after.document->json;
  CHECK(json["meshes"][0]["weights"] == Json::parse("[0.5,0]"));
  // The clip without an edit has a column of zeros more, and the same first one.
  for (const double time : {0.0, 0.25, 0.5, 1.0, 2.0}) {
    const double own = weightsAt(before.scene, body, time)[0];
    CHECK(weightsAt(after.scene, body, time) == std::vector<double>{own, 0.0});
  }
  // The old bytes are the start of the new ones.
  CHECK(std::ranges::equal(before.document->bin,
                           after.document->bin.subspan(0, before.document->bin.size())));
}

TEST_CASE("Edited tracks have the weights of new targets too") {
  const Loaded before = loadGltf(skinnedGltf().glb());
  const int body = nodeCalled(before.scene, "Body");
  Track track;
  track.node = body;
  track.path = TrackPath::kWeights;
  track.width = 2;
  track.times_s = std::make_shared<const std::vector<double>>(std::vector<double>{0.0, 1.0});
  track.values = {0.25, 0.0, 0.5, -1.0};
  const Loaded after =
      withMorphs(before, {{body, "", {Vec3(1), Vec3(2), Vec3(3)}}}, {{0, {track}}});
  CHECK(weightsAt(after.scene, body, 0.0) == std::vector<double>{0.25, 0.0});
  CHECK(weightsAt(after.scene, body, 0.5) == std::vector<double>{0.375, -0.5});
  CHECK(meshOf(after.scene, body).morphs[1].name == "morph_1");
  // Every vertex moves, so nothing is sparse, and positions have their bounds.
  const Json& json = *after.document->json;
  const int target = json["meshes"][0]["primitives"][0]["targets"][1]["POSITION"];
  const Json& accessor = json["accessors"][toSize(target)];
  CHECK_FALSE(accessor.contains("sparse"));
  CHECK(accessor["min"] == Json::parse("[1,1,1]"));
  CHECK(accessor["max"] == Json::parse("[3,3,3]"));
}

TEST_CASE("A mesh that other nodes show is copied for the node that gets a morph") {
  const Loaded before = loadGltf(twicePositioned().glb());
  const int first = nodeCalled(before.scene, "First"), second = nodeCalled(before.scene, "Second");
  const Loaded after = withMorphs(before, {{second, "dent", nineDeltas(7, Vec3(0, 0, 2))}});
  CHECK(meshOf(after.scene, first).morphs.empty());
  CHECK(meshOf(after.scene, first, 1).morphs.empty());
  REQUIRE(meshOf(after.scene, second).morphs.size() == 1);
  CHECK(meshOf(after.scene, second).morphs[0].position_deltas == std::vector<Vec3>(6, Vec3(0.0)));
  const auto& deltas = meshOf(after.scene, second, 1).morphs.at(0).position_deltas;
  CHECK(deltas == std::vector<Vec3>{Vec3(0), Vec3(0, 0, 2), Vec3(0)});
  CHECK((*after.document->json)["nodes"][1]["mesh"] == 1);
  // All else of the old text is there, in its order.
  CHECK((*after.document->json)["meshes"][0] == (*before.document->json)["meshes"][0]);
}

TEST_CASE(
    "Targets are sparse where that is smaller, and primitives without displacements store no "
    "data") {
  const Loaded before = loadGltf(twicePositioned().text());
  const Loaded after = withMorphs(before, {{0, "a", nineDeltas(2, Vec3(1, 2, 3))}});
  const Json& json = *after.document->json;
  // Node 0 got a copy, for node 1 keeps the mesh.
  const Json& primitives = json["meshes"][1]["primitives"];
  const auto accessorOf = [&](std::size_t primitive) {
    const int index = primitives[primitive]["targets"][0]["POSITION"];
    return json["accessors"][toSize(index)];
  };
  CHECK(accessorOf(0)["sparse"]["count"] == 1);
  CHECK(accessorOf(0)["max"] == Json::parse("[1,2,3]"));
  CHECK_FALSE(accessorOf(1).contains("sparse"));
  CHECK_FALSE(accessorOf(1).contains("bufferView"));
  CHECK(accessorOf(1)["count"] == 3);
}

TEST_CASE("Normals go to primitives that have some") {
  const Loaded before = loadGltf(twicePositioned().glb());
  AddedMorph morph = {0, "a", nineDeltas(7, Vec3(1, 2, 3)), nineDeltas(7, Vec3(0.5, 0, 0))};
  const Loaded after = withMorphs(before, {morph});
  CHECK(meshOf(after.scene, 0, 0).morphs[0].normal_deltas.empty());
  CHECK(meshOf(after.scene, 0, 1).morphs[0].normal_deltas ==
        std::vector<Vec3>{Vec3(0), Vec3(0.5, 0, 0), Vec3(0)});
}

TEST_CASE("The positions and normals of a target share the indices of their vertices") {
  TinyGltf gltf;
  const std::vector<float> coordinates(150, 1.0F);
  gltf.addFloats(coordinates, "VEC3");
  gltf.addFloats(coordinates, "VEC3");
  gltf.members =
      ",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,"
      "\"NORMAL\":1}}]}]";
  std::vector<Vec3> low(50, Vec3(0.0)), high = low;
  low[7] = {1, 0, 0};
  high[43] = {0, 0, 0.5};
  const Loaded after = withMorphs(
      loadGltf(gltf.glb()), {{0, "same", low, low}, {0, "apart", high, low}, {0, "flat", high}});
  const Json& json = *after.document->json;
  const auto indices = [&](int target, const char* attribute) {
    const int accessor = json["meshes"][0]["primitives"][0]["targets"][toSize(target)][attribute];
    return json["accessors"][toSize(accessor)]["sparse"]["indices"];
  };
  CHECK(indices(0, "POSITION") == indices(0, "NORMAL"));
  CHECK(indices(1, "POSITION") != indices(1, "NORMAL"));
  const auto& morphs = after.scene.meshes.at(0).morphs;
  CHECK(morphs[0].position_deltas == low);
  CHECK(morphs[0].normal_deltas == low);
  CHECK(morphs[1].position_deltas == high);
  CHECK(morphs[1].normal_deltas == low);
  CHECK(morphs[2].position_deltas == high);
}

TEST_CASE("Weights of a node grow with its targets, and no other member of it changes") {
  TinyGltf gltf = skinnedGltf();
  const std::string from = "\"mesh\":0,\"skin\":0";
  gltf.members.replace(gltf.members.find(from), from.size(), from + ",\"weights\": [ 0.125 ]");
  const Loaded before = loadGltf(gltf.glb());
  const int body = nodeCalled(before.scene, "Body");
  const Loaded after = withMorphs(before, {{body, "x", std::vector<Vec3>(3, Vec3(1.0))},
                                           {body, "y", std::vector<Vec3>(3, Vec3(2.0))}});
  CHECK((*after.document->json)["nodes"][2]["weights"] == Json::parse("[0.125,0,0]"));
  const Node& node = after.scene.skeleton.nodes[toSize(body)];
  CHECK(node.weights_count == 3);
}

TEST_CASE("Morphs that do not fit their mesh, or floats, are refused") {
  const Loaded before = loadGltf(skinnedGltf().glb());
  const int body = nodeCalled(before.scene, "Body");
  const auto refusal = [&](AddedMorph morph) {
    const std::vector<AddedMorph> morphs = {std::move(morph)};
    const auto result = patchDocument(*before.document, before.scene.skeleton, {}, morphs);
    REQUIRE_FALSE(result.ok());
    return result.error().code;
  };
  CHECK(refusal({body, "", {Vec3(0)}}) == ErrorCode::kInternal);
  CHECK(refusal({nodeCalled(before.scene, "A"), "", {Vec3(0)}}) == ErrorCode::kInternal);
  CHECK(refusal({99, "", {Vec3(0)}}) == ErrorCode::kInternal);
  CHECK(refusal({body, "", std::vector<Vec3>(3, Vec3(1e300))}) == ErrorCode::kUnsupported);
}

TEST_CASE("Morphs as integers are within half a step, and their weights undo the scale") {
  const Loaded before = loadGltf(skinnedGltf().glb());
  const int body = nodeCalled(before.scene, "Body");
  const std::vector<Vec3> deltas = {Vec3(0), Vec3(0.03, 0.011, -0.0125), Vec3(0.0007, 0, 0)};
  AddedMorph morph{body, "bulge", deltas};
  morph.as_int16 = true;
  Track track;
  track.node = body;
  track.path = TrackPath::kWeights;
  track.width = 2;
  track.times_s = std::make_shared<const std::vector<double>>(std::vector<double>{0.0, 1.0});
  track.values = {0.25, 0.5, 0.5, -1.0};
  const Loaded after = withMorphs(before, {morph}, {{0, {track}}});
  // In parts of 1/32, the power of two above 0.03.
  const std::vector<Vec3>& stored = meshOf(after.scene, body).morphs.at(1).position_deltas;
  for (const double time_s : {0.0, 1.0}) {
    const std::vector<double> weights = weightsAt(after.scene, body, time_s);
    const double own = time_s == 0.0 ? 0.25 : 0.5, wanted = time_s == 0.0 ? 0.5 : -1.0;
    CHECK(weights[0] == own);
    CHECK(weights[1] == wanted / 32.0);
    for (std::size_t v = 0; v < deltas.size(); ++v) {
      CHECK(distance(stored[v] * weights[1], deltas[v] * wanted) <= 0.5 / 32.0 / 32767.0 + 1e-9);
    }
  }
  const Json& json = *after.document->json;
  const std::size_t target = json["meshes"][0]["primitives"][0]["targets"][1]["POSITION"];
  const Json& accessor = json["accessors"][target];
  CHECK(accessor["componentType"] == 5122);
  CHECK(accessor["normalized"] == true);
  // Whole numbers, as the specification has it for integers: 0.03 * 32 * 32767, rounded.
  CHECK(accessor["max"] == Json::parse("[31456,11534,0]"));
  CHECK(accessor["min"] == Json::parse("[0,0,-13107]"));
  for (const char* key : {"extensionsUsed", "extensionsRequired"}) {
    CHECK(std::count(json[key].begin(), json[key].end(), "KHR_mesh_quantization") == 1);
  }
  // A second one names the extension no second time.
  AddedMorph second = morph;
  second.name = "dent";
  const Loaded twice = withMorphs(after, {second});
  const Json& used = (*twice.document->json)["extensionsUsed"];
  CHECK(std::count(used.begin(), used.end(), "KHR_mesh_quantization") == 1);
}

TEST_CASE("Normals that would leave positions too few steps stay floats") {
  const Loaded before = loadGltf(twicePositioned().glb());
  const int second = nodeCalled(before.scene, "Second");
  AddedMorph morph{second, "", nineDeltas(7, Vec3(1e-5, 0, 0)), nineDeltas(7, Vec3(0, 0.5, 0))};
  morph.as_int16 = true;
  const Loaded after = withMorphs(before, {morph});
  const Json& json = *after.document->json;
  const Json& target = json["meshes"][1]["primitives"][1]["targets"][0];
  CHECK(json["accessors"][target["POSITION"].get<std::size_t>()]["componentType"] == 5122);
  CHECK(json["accessors"][target["NORMAL"].get<std::size_t>()]["componentType"] == 5126);
  morph.position_deltas = nineDeltas(7, Vec3(0.02, 0, 0));
  const Loaded large = withMorphs(before, {morph});
  const Json& other = *large.document->json;
  const Json& both = other["meshes"][1]["primitives"][1]["targets"][0];
  CHECK(other["accessors"][both["NORMAL"].get<std::size_t>()]["componentType"] == 5122);
  const auto& normals = meshOf(large.scene, second, 1).morphs.at(0).normal_deltas;
  CHECK(distance(normals.at(1), Vec3(0, 1, 0)) <= 1.0 / 32767.0);
}

TEST_CASE("Normals longer than 1 stay floats, so that no weight is stored above 1") {
  const Loaded before = loadGltf(twicePositioned().glb());
  const int second = nodeCalled(before.scene, "Second");
  AddedMorph morph{second, "", nineDeltas(7, Vec3(0.75, 0, 0)), nineDeltas(7, Vec3(0, 1.5, 0))};
  morph.as_int16 = true;
  CHECK(integerScale(morph) == 1.0);
  const Loaded after = withMorphs(before, {morph});
  const Json& json = *after.document->json;
  const Json& target = json["meshes"][1]["primitives"][1]["targets"][0];
  CHECK(json["accessors"][target["POSITION"].get<std::size_t>()]["componentType"] == 5122);
  CHECK(json["accessors"][target["NORMAL"].get<std::size_t>()]["componentType"] == 5126);
  // Positions that are longer themselves take the normals with them.
  morph.position_deltas = nineDeltas(7, Vec3(3, 0, 0));
  CHECK(integerScale(morph) == 4.0);
}

TEST_CASE("Integer morphs without displacements need no extension") {
  const Loaded before = loadGltf(twicePositioned().glb());
  AddedMorph morph{nodeCalled(before.scene, "First"), "", std::vector<Vec3>(9, Vec3(0.0))};
  morph.as_int16 = true;
  const Loaded after = withMorphs(before, {morph});
  CHECK_FALSE(after.document->json->contains("extensionsRequired"));
}
