// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/patch_joints.h"

#include "checks.h"
#include "io/fbx/kept.h"
#include "io/fbx/loaded_fbx.h"
#include "posed_vertices.h"

TEST_SUITE_BEGIN("fbx.patch_joints");

using namespace clipmill;
using namespace clipmill::io::fbx;
using namespace clipmill::test;

namespace {

std::string matrix(const Vec3& move) {
  return FbxText::list({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, move.x, move.y, move.z, 1});
}

std::string cluster(const std::string& vertices, const std::vector<double>& weights,
                    double height) {
  return "Indexes: *" + std::to_string(weights.size()) + " { a: " + vertices +
         " }\nWeights: " + FbxText::list(weights) + "\nTransform: " + matrix(Vec3(0, -height, 5)) +
         "\nTransformLink: " + matrix(Vec3(0, height, 0)) + "\n";
}

// Three joints, 10 apart along y, and Body 5 along z with four vertices: one of Mid, whose weight
// is 2 in the file, one of Mid and Tip, one of Tip, and one of nobody.
FbxText skinnedText() {
  FbxText text = threeJoints();
  text.definitions =
      "Definitions: {\nCount: 9\nObjectType: \"Model\" {\nCount: 4\n}\n"
      "ObjectType: \"Deformer\" {\nCount: 3\n}\n}\n";
  text.model(4, "Body", 0, FbxText::property("Lcl Translation", "0,0,5"));
  text.object("Geometry", 400, "Geometry::G", "Mesh", "",
              "Vertices: *12 { a: 0,0,0,1,10,0,1,20,0,0,30,0 }\n"
              "PolygonVertexIndex: *4 { a: 0,1,2,-4 }\n");
  text.object("Deformer", 500, "Deformer::S", "Skin", "");
  text.object("Deformer", 501, "SubDeformer::Mid", "Cluster", "", cluster("0,1", {2, 0.5}, 10));
  text.object("Deformer", 502, "SubDeformer::Tip", "Cluster", "", cluster("1,2", {0.5, 1}, 20));
  text.object("Pose", 600, "Pose::P", "BindPose", "",
              "NbPoseNodes: 1\nPoseNode: {\nNode: 4\nMatrix: " + matrix(Vec3(0, 0, 5)) + "\n}\n");
  return text.connect(400, 4)
      .connect(500, 400)
      .connect(501, 500)
      .connect(2, 501)
      .connect(502, 500)
      .connect(3, 502);
}

Transform at(const Vec3& location) { return {location, kIdentityRotation, Vec3(1.0)}; }

// "Helper" (4) 5 above Tip and "Last" (5) on it; the vertices 1 and 2 hang on them. Body is node 3.
Additions twoJoints() {
  Additions additions;
  additions.joints = {{"Helper", 2, at(Vec3(0, 5, 0))},
                      {"Last", 4, {Vec3(1, 0, 0), rotationAbout(Vec3(1, 0, 0), 0.5), Vec3(1.0)}}};
  AddedWeights weights;
  weights.node = 3;
  weights.influence_start = {0, 1, 3, 5, 6};
  weights.influences = {{1, 1.0}, {1, 0.5}, {4, 0.5}, {4, 0.25}, {5, 0.75}, {3, 1.0}};
  weights.joints = {4, 5};
  const Affine last =
      inverse(toAffine({Vec3(1, 25, 0), rotationAbout(Vec3(1, 0, 0), 0.5), Vec3(1.0)}));
  const Affine body = {Mat3(1.0), Vec3(0, 0, 5)};
  weights.joint_from_bind = {{Mat3(1.0), Vec3(0, -25, 5)}, last * body};
  additions.weights = {weights};
  return additions;
}

LoadedFbx patched(const LoadedFbx& before, const Additions& additions) {
  auto bytes = patchJoints(*before.document, before.read, before.scene, additions);
  CHECK_OK(bytes);
  return load(std::move(*bytes), true);
}

std::optional<Element> objectCalled(const Document& document, std::string_view type,
                                    const std::string& name) {
  for (const Object& object : document.objects) {
    if (object.type == type && object.name == name) return object.element;
  }
  return std::nullopt;
}

ErrorCode refusalOf(const LoadedFbx& file, const Additions& additions) {
  const auto result = patchJoints(*file.document, file.read, file.scene, additions);
  REQUIRE_FALSE(result.ok());
  return result.error().code;
}

}  // namespace

TEST_CASE("New joints and weights deform vertices as in the scene") {
  const LoadedFbx before = load(bytesOf(skinnedText().text()), true);
  const LoadedFbx after = patched(before, twoJoints());
  CHECK(after.document->warnings.empty());
  const Scene wanted = withAdditions(before.scene, twoJoints());
  REQUIRE(after.scene.skeleton.size() == 6);
  for (std::size_t n = 0; n < 6; ++n) {
    const Node &is = after.scene.skeleton.nodes[n], &should = wanted.skeleton.nodes[n];
    CHECK(is.name == should.name);
    CHECK(is.parent == should.parent);
    CHECK(is.source_id == should.source_id);
    CHECK(is.inherit == should.inherit);
    CHECK(is.euler.has_value() == should.euler.has_value());
    CHECK(distance(is.rest.translation, should.rest.translation) < 1e-12);
    CHECK(distance(is.rest.rotation, should.rest.rotation) < 1e-12);
  }
  checkSamePositions(posedVertices(after.scene, after.scene.meshes.at(0), bentPose(after.scene)),
                     posedVertices(wanted, wanted.meshes.at(0), bentPose(wanted)), 1e-12);
}

TEST_CASE("Elements not related to the joints stay byte for byte") {
  const LoadedFbx before = load(bytesOf(skinnedText().text()), true);
  Additions additions = twoJoints();
  additions.weights[0].influences[3].node = 2;  // so that Tip keeps a vertex
  const LoadedFbx after = patched(before, additions);
  MayChange may;
  may.grow.insert("Pose");
  may.differ.insert({"NbPoseNodes", "Indexes", "Weights"});
  checkKept(*before.document, *after.document, may);
  const auto definitions = after.document->tree->root("Definitions");
  CHECK(definitions->child("Count")->integer(0) == 9 + 6);
}

TEST_CASE("Counts of a file that are any number become numbers of 32 bits") {
  const std::string largest = "9223372036854775807", least = "-9223372036854775808";
  for (const std::string& number : {largest, least}) {
    std::string text = skinnedText().text();
    for (const char* name : {"Count: 9\n", "NbPoseNodes: 1\n"}) {
      const std::size_t at = text.find(name);
      REQUIRE(at != std::string::npos);
      const std::size_t value = text.find(' ', at) + 1;
      text.replace(value, text.find('\n', at) - value, number);
    }
    const LoadedFbx after = patched(load(bytesOf(text), true), twoJoints());
    const auto total = after.document->tree->root("Definitions")->child("Count")->integer(0);
    const auto pose = objectCalled(*after.document, "Pose", "P");
    REQUIRE(pose);
    const auto nodes = pose->child("NbPoseNodes")->integer(0);
    std::int64_t added = -1;  // the file has one
    for (const Element element : pose->children()) added += element.name() == "PoseNode";
    CHECK(added >= 2);
    CHECK(total == (number == largest ? 2147483647 : 6));
    CHECK(nodes == (number == largest ? 2147483647 : added));
  }
}

TEST_CASE("Vertices with unchanged influences keep the values of the file") {
  const LoadedFbx after = patched(load(bytesOf(skinnedText().text()), true), twoJoints());
  const auto mid = objectCalled(*after.document, "Deformer", "Mid");
  CHECK(mid->child("Indexes")->integers().value() == std::vector<std::int64_t>{0, 1});
  CHECK(mid->child("Weights")->numbers().value() == std::vector<double>{2.0, 0.5});
  // Tip has none of its two vertices left.
  CHECK_FALSE(objectCalled(*after.document, "Deformer", "Tip")->child("Indexes"));
  const auto last = objectCalled(*after.document, "Deformer", "Last");
  CHECK(last->child("Indexes")->integers().value() == std::vector<std::int64_t>{2});
  CHECK(last->child("Weights")->numbers().value() == std::vector<double>{0.75});
}

TEST_CASE("New joints are in the bind pose with the transform of their clusters") {
  const LoadedFbx after = patched(load(bytesOf(skinnedText().text()), true), twoJoints());
  const auto pose = objectCalled(*after.document, "Pose", "P");
  CHECK(pose->child("NbPoseNodes")->integer(0) == 3);
  std::vector<double> heights;
  for (const Element entry : pose->children()) {
    if (entry.name() != "PoseNode") continue;
    heights.push_back(entry.child("Matrix")->numbers().value().at(13));
  }
  REQUIRE(heights.size() == 3);
  CHECK(heights[1] == doctest::Approx(25.0));
  CHECK(heights[2] == doctest::Approx(25.0));
}

TEST_CASE("Weights equal to those of the file change no cluster") {
  const LoadedFbx before = load(bytesOf(skinnedText().text()), true);
  Additions same = twoJoints();
  same.weights[0].influence_start = {0, 1, 3, 4, 5};
  same.weights[0].influences = {{1, 1.0}, {1, 0.5}, {2, 0.5}, {2, 1.0}, {3, 1.0}};
  MayChange may;
  may.grow.insert("Pose");
  may.differ.insert("NbPoseNodes");
  checkKept(*before.document, *patched(before, same).document, may);
}

TEST_CASE("Keys of new joints become curves in the stacks") {
  FbxText text = skinnedText();
  text.stack(100, "One").layer(110, 100);
  const LoadedFbx before = load(bytesOf(text.text()), true);
  const LoadedFbx after = patched(before, twoJoints());
  const auto times = std::make_shared<const std::vector<double>>(std::vector<double>{0.0, 1.0});
  const std::vector<Track> tracks = {
      {5, TrackPath::kTranslation, Interpolation::kLinear, 3, times, {1, 0, 0, 1, 2, 3}}};
  auto bytes = after.patched({{0, tracks, std::nullopt}});
  CHECK_OK(bytes);
  const LoadedFbx moved = load(std::move(*bytes), true);
  CHECK(distance(moved.local(0, 0.5, 5).translation, Vec3(1, 1, 1.5)) < 1e-6);
}

TEST_CASE("Skins that cannot be changed for one mesh alone are refused") {
  FbxText shared = skinnedText();
  shared.model(5, "Twin", 0).connect(400, 5);
  Additions additions = twoJoints();  // behind one more node
  additions.joints[1].parent = 5;
  additions.weights[0].joints = {5, 6};
  for (NodeInfluence& influence : additions.weights[0].influences) {
    if (influence.node >= 4) ++influence.node;
  }
  CHECK(refusalOf(load(bytesOf(shared.text()), true), additions) == ErrorCode::kUnsupported);
  FbxText two = skinnedText();
  two.object("Deformer", 510, "Deformer::S2", "Skin", "").connect(510, 400);
  CHECK(refusalOf(load(bytesOf(two.text()), true), twoJoints()) == ErrorCode::kUnsupported);
}

TEST_CASE("A vertex partly bound to the node of its mesh is refused") {
  const LoadedFbx before = load(bytesOf(skinnedText().text()), true);
  Additions additions = twoJoints();
  AddedWeights& weights = additions.weights[0];
  weights.influence_start.back() = 7;
  weights.influences.back() = {3, 0.5};
  weights.influences.push_back({4, 0.5});
  CHECK(refusalOf(before, additions) == ErrorCode::kUnsupported);
}

TEST_CASE("Files before FBX 7 and additions that do not fit are refused") {
  Additions additions;
  additions.joints = {{"New", 0, at(Vec3(0.0))}};
  CHECK(refusalOf(load(bytesOf(kTakeFile), true), additions) == ErrorCode::kUnsupported);
  additions = twoJoints();
  additions.weights[0].influence_start.pop_back();
  CHECK(refusalOf(load(bytesOf(skinnedText().text()), true), additions) == ErrorCode::kInternal);
}
