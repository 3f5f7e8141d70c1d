// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/patch_joints.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "checks.h"
#include "io/gltf/loaded_gltf.h"
#include "io/gltf/tiny_gltf.h"
#include "posed_vertices.h"

TEST_SUITE_BEGIN("gltf.patch_joints");

namespace {

using namespace clipmill;
using namespace clipmill::io::gltf;
using namespace clipmill::test;
using Json = nlohmann::json;

Transform at(const Vec3& location) { return {location, kIdentityRotation, Vec3(1.0)}; }

// "Helper" on B, which is at (0, 2, 0), and one without a name on that; the third vertex of
// what `node` shows hangs on them.
Additions twoJoints(const Scene& scene, int node) {
  const int helper = static_cast<int>(scene.skeleton.size()), last = helper + 1;
  Additions additions;
  additions.joints = {{"Helper", nodeCalled(scene, "B"), at(Vec3(0, 1, 0))},
                      {"", helper, {Vec3(0, 0, 1), rotationAbout(Vec3(0, 1, 0), 1.0), Vec3(1.0)}}};
  const int a = nodeCalled(scene, "A"), b = nodeCalled(scene, "B");
  AddedWeights weights;
  weights.node = node;
  weights.influence_start = {0, 1, 2, 6};
  weights.influences = {{a, 1.0}, {b, 1.0}, {a, 0.125}, {b, 0.25}, {helper, 0.5}, {last, 0.125}};
  weights.joints = {helper, last};
  weights.joint_from_bind = {{Mat3(1.0), Vec3(0, -3, 0)}, {Mat3(1.0), Vec3(0, -3, -1)}};
  additions.weights = {weights};
  return additions;
}

Loaded patched(const Loaded& before, const Additions& additions) {
  auto bytes = patchJoints(*before.document, before.scene, additions);
  CHECK_OK(bytes);
  return loadGltf(std::move(*bytes));
}

void checkSamePositions(const Scene& a, const SkinnedMesh& mesh_a, const Scene& b,
                        const SkinnedMesh& mesh_b) {
  test::checkSamePositions(posedVertices(a, mesh_a, bentPose(a)),
                           posedVertices(b, mesh_b, bentPose(b)), 1e-6);
}

// The JSON without the members that new joints and weights change.
Json withoutJoints(const Document& document) {
  Json json = *document.json;
  for (const char* key : {"accessors", "bufferViews", "buffers"}) json.erase(key);
  Json nodes = Json::array();
  for (std::size_t n = 0; n < 3; ++n) nodes.push_back(json["nodes"][n]);
  for (Json& node : nodes) node.erase("children");
  json["nodes"] = nodes;
  json["skins"][0].erase("joints");
  json["skins"][0].erase("inverseBindMatrices");
  Json& attributes = json["meshes"][0]["primitives"][0]["attributes"];
  attributes.erase("JOINTS_0");
  attributes.erase("WEIGHTS_0");
  return json;
}

// The bytes of skinnedGltf() without those of JOINTS_0 and WEIGHTS_0, which follow nine floats.
Bytes withoutWeights(std::span<const std::byte> bin) {
  Bytes bytes(bin.begin(), bin.end());
  bytes.erase(bytes.begin() + 36, bytes.begin() + 36 + 12 + 48);
  return bytes;
}

// skinnedGltf() with another text in place of `old`.
TinyGltf changed(const std::string& old, const std::string& text) {
  TinyGltf gltf = skinnedGltf();
  const std::size_t start = gltf.members.find(old);
  REQUIRE(start != std::string::npos);
  gltf.members.replace(start, old.size(), text);
  return gltf;
}

}  // namespace

TEST_CASE("New joints and weights deform vertices as in the scene") {
  for (const bool is_text : {false, true}) {
    const Loaded before = loadGltf(is_text ? skinnedGltf().text() : skinnedGltf().glb());
    const int body = nodeCalled(before.scene, "Body");
    const Additions additions = twoJoints(before.scene, body);
    const Loaded after = patched(before, additions);
    const Scene wanted = withAdditions(before.scene, additions);
    REQUIRE(after.scene.skeleton.size() == 5);
    const Json& nodes = (*after.document->json)["nodes"];
    CHECK(nodes[1]["children"] == Json({3}));
    CHECK(nodes[3]["children"] == Json({4}));
    CHECK(nodes[4]["name"] == "joint_0");
    CHECK((*after.document->json)["skins"][0]["joints"] == Json({0, 1, 3, 4}));
    checkSamePositions(after.scene, meshOf(after.scene, nodeCalled(after.scene, "Body")), wanted,
                       wanted.meshes.at(0));
  }
}

TEST_CASE("Elements not related to the joints stay unchanged") {
  const Loaded before = loadGltf(skinnedGltf().glb());
  const Loaded after = patched(before, twoJoints(before.scene, nodeCalled(before.scene, "Body")));
  CHECK(withoutJoints(*after.document) == withoutJoints(*before.document));
  const std::size_t size = before.document->bin.size();
  CHECK(withoutWeights(after.document->bin.first(size)) == withoutWeights(before.document->bin));
  const Json &old_json = *before.document->json, &new_json = *after.document->json;
  for (const char* key : {"accessors", "bufferViews"}) {
    for (std::size_t i = 0; i < old_json[key].size(); ++i)
      CHECK(new_json[key][i] == old_json[key][i]);
  }
  // The members before the first that changes are the same text.
  const std::size_t nodes = before.document->text.find("\"children\"");
  CHECK(after.document->text.substr(0, nodes) == before.document->text.substr(0, nodes));
}

TEST_CASE("New weights are where the old ones were, and text files get them in a new buffer") {
  const Loaded before = loadGltf(skinnedGltf().glb());
  const Additions additions = twoJoints(before.scene, nodeCalled(before.scene, "Body"));
  const Loaded after = patched(before, additions);
  CHECK((*after.document->json)["meshes"] == (*before.document->json)["meshes"]);
  constexpr std::size_t kBindMatrices = 4 * 16 * sizeof(float);
  CHECK(after.document->bin.size() == before.document->bin.size() + kBindMatrices);
  const Loaded text = patched(loadGltf(skinnedGltf().text()), additions);
  CHECK((*text.document->json)["buffers"].size() == 2);
  CHECK((*text.document->json)["meshes"] != (*before.document->json)["meshes"]);
}

TEST_CASE("Weights that something else refers to stay, and the new ones are behind them") {
  const std::string own = "\"indices\":3,\"targets\":[{\"POSITION\":4}]}]}]";
  const std::string other =
      "\"indices\":3,\"targets\":[{\"POSITION\":4}]}]},{\"primitives\":[{"
      "\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2}}]}]";
  // An accessor of its own over the same bytes.
  TinyGltf shared = skinnedGltf();
  shared.addAccessor(2, 3, 5126, "VEC4");
  TinyGltf bounded = skinnedGltf();
  bounded.accessors[2].insert(1, "\"min\":[0,0,0,0],\"max\":[1,1,1,1],");
  for (const TinyGltf& gltf : {changed(own, other), shared, bounded}) {
    const Loaded before = loadGltf(gltf.glb());
    const Additions additions = twoJoints(before.scene, nodeCalled(before.scene, "Body"));
    const Loaded after = patched(before, additions);
    const auto weights = [](std::span<const std::byte> bin) { return bin.subspan(48, 48); };
    CHECK(std::ranges::equal(weights(after.document->bin), weights(before.document->bin)));
    const Json& attributes = (*after.document->json)["meshes"][0]["primitives"][0]["attributes"];
    CHECK(attributes["WEIGHTS_0"] > 2);
    const Scene wanted = withAdditions(before.scene, additions);
    checkSamePositions(after.scene, meshOf(after.scene, nodeCalled(after.scene, "Body")), wanted,
                       wanted.meshes.at(0));
  }
}

TEST_CASE("Joints alone change the nodes and nothing else") {
  const Loaded before = loadGltf(skinnedGltf().glb());
  Additions additions;
  additions.joints = {{"X", 0, at(Vec3(1, 2, 3))}};
  const Loaded after = patched(before, additions);
  Json json = *after.document->json;
  CHECK(json["nodes"][3] == Json({{"name", "X"}, {"translation", {1.0, 2.0, 3.0}}}));
  json["nodes"].erase(3);
  json["nodes"][0]["children"] = {1};
  CHECK(json == *before.document->json);
  CHECK(isPrefix(before.document->bin, after.document->bin));
}

TEST_CASE("A mesh that another node shows too is copied, and their skin is extended once") {
  const Loaded before = loadGltf(changed("\"skin\":0}]",
                                         "\"skin\":0},{\"name\":\"Twin\",\"mesh\":0,"
                                         "\"skin\":0}]")
                                     .glb());
  const Additions additions = twoJoints(before.scene, nodeCalled(before.scene, "Twin"));
  const Loaded after = patched(before, additions);
  const Json& json = *after.document->json;
  CHECK(json["nodes"][2]["mesh"] == 0);
  CHECK(json["nodes"][3]["mesh"] == 1);
  CHECK(json["meshes"][0] == (*before.document->json)["meshes"][0]);
  CHECK(json["skins"].size() == 1);
  CHECK(json["skins"][0]["joints"] == Json({0, 1, 4, 5}));
  const Scene wanted = withAdditions(before.scene, additions);
  for (const char* name : {"Body", "Twin"}) {
    checkSamePositions(after.scene, meshOf(after.scene, nodeCalled(after.scene, name)), wanted,
                       meshOf(wanted, nodeCalled(wanted, name)));
  }
}

TEST_CASE("Further sets of weights are removed") {
  const Loaded before = loadGltf(changed("\"WEIGHTS_0\":2}",
                                         "\"WEIGHTS_0\":2,\"JOINTS_1\":1,"
                                         "\"WEIGHTS_1\":2}")
                                     .glb());
  const Loaded after = patched(before, twoJoints(before.scene, nodeCalled(before.scene, "Body")));
  const Json& attributes = (*after.document->json)["meshes"][0]["primitives"][0]["attributes"];
  CHECK_FALSE(attributes.contains("JOINTS_1"));
  CHECK_FALSE(attributes.contains("WEIGHTS_1"));
  CHECK(meshOf(after.scene, nodeCalled(after.scene, "Body")).influences.size() == 6);
}

TEST_CASE("A skin without inverse bind matrices gets identities for its own joints") {
  const Loaded before = loadGltf(changed(",\"inverseBindMatrices\":7", "").glb());
  const Loaded after = patched(before, twoJoints(before.scene, nodeCalled(before.scene, "Body")));
  REQUIRE(after.scene.skins[0].joint_from_bind.size() == 4);
  CHECK(after.scene.skins[0].joint_from_bind[1].linear == Mat3(1.0));
  CHECK(after.scene.skins[0].joint_from_bind[1].translation == Vec3(0.0));
  CHECK(after.scene.skins[0].joint_from_bind[3].translation == Vec3(0, -3, -1));
}

TEST_CASE("Primitives that share their vertices share their new weights") {
  const std::string primitive =
      "{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2},\"indices\":3,\"targets\":["
      "{\"POSITION\":4}]}";
  const Loaded before = loadGltf(changed(primitive, primitive + "," + primitive).glb());
  Additions additions = twoJoints(before.scene, nodeCalled(before.scene, "Body"));
  AddedWeights& weights = additions.weights[0];
  weights.influence_start = {0, 1, 2, 6, 7, 8, 12};
  const auto first = weights.influences;
  weights.influences.insert(weights.influences.end(), first.begin(), first.end());
  const Loaded after = patched(before, additions);
  const Json& primitives = (*after.document->json)["meshes"][0]["primitives"];
  CHECK(primitives[0] == primitives[1]);
  CHECK(meshOf(after.scene, nodeCalled(after.scene, "Body"), 1).influences.size() == 6);
}

TEST_CASE("Joint indices beyond 256 have 16 bits") {
  const Loaded before = loadGltf(skinnedGltf().glb());
  Additions additions = twoJoints(before.scene, nodeCalled(before.scene, "Body"));
  const int first = static_cast<int>(before.scene.skeleton.size());
  AddedWeights& weights = additions.weights[0];
  for (int j = 2; j < 300; ++j) {
    additions.joints.push_back({"", first, at(Vec3(j, 0, 0))});
    weights.joints.push_back(first + j);
    weights.joint_from_bind.push_back({Mat3(1.0), Vec3(-j, -3, 0)});
  }
  weights.influences[0].node = first + 299;
  const Loaded after = patched(before, additions);
  const Scene wanted = withAdditions(before.scene, additions);
  const SkinnedMesh& mesh = meshOf(after.scene, nodeCalled(after.scene, "Body"));
  CHECK(mesh.influences[0].joint == 301);
  checkSamePositions(after.scene, mesh, wanted, wanted.meshes[0]);
}

TEST_CASE("Weights that do not fit, and matrices beyond 32-bit floats, are refused") {
  const Loaded before = loadGltf(skinnedGltf().glb());
  const auto refusal = [&](auto change) {
    Additions additions = twoJoints(before.scene, nodeCalled(before.scene, "Body"));
    change(additions.weights[0]);
    const auto result = patchJoints(*before.document, before.scene, additions);
    REQUIRE_FALSE(result.ok());
    return result.error().code;
  };
  CHECK(refusal([](AddedWeights& w) { w.influence_start.pop_back(); }) == ErrorCode::kInternal);
  CHECK(refusal([](AddedWeights& w) { w.joint_from_bind[0].translation.x = 1e300; }) ==
        ErrorCode::kUnsupported);
}
