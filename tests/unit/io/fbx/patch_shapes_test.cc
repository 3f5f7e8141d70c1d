// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <map>

#include "checks.h"
#include "io/fbx/kept.h"
#include "io/fbx/loaded_fbx.h"
#include "io/fbx/patch.h"

TEST_SUITE_BEGIN("fbx.patch_shapes");

using namespace clipmill;
using namespace clipmill::io::fbx;
using test::checkKept;
using test::distance;
using test::FbxText;
using test::kTakeFile;
using test::load;
using test::LoadedFbx;
using test::TinyFbx;

namespace {

const std::vector<double> kTriangle = {0, 0, 0, 1, 0, 0, 0, 1, 0};

FbxText& geometry(FbxText& text, int id) {
  return text.object(
      "Geometry", id, "Geometry::G", "Mesh", "",
      "Vertices: " + FbxText::list(kTriangle) + "\nPolygonVertexIndex: *3 { a: 0,1,-3 }\n");
}

// A triangle on Body, and two stacks of one second with a layer each.
FbxText textMesh(const std::string& properties = "") {
  FbxText text;
  text.definitions =
      "Definitions: {\nCount: 3\nObjectType: \"Model\" {\nCount: 1\n}\n"
      "ObjectType: \"Geometry\" {\nCount: 1\n}\n}\n";
  text.model(2, "Body", 0, properties);
  geometry(text, 400).connect(400, 2);
  return text.stack(100, "One").stack(200, "Two").layer(110, 100).layer(210, 200);
}

std::string classed(const std::string& name, const std::string& class_name) {
  return name + std::string("\0\1", 2) + class_name;
}

void openObject(TinyFbx& fbx, const char* type, std::int64_t id, const std::string& name,
                const char* subtype) {
  fbx.open(type).scalar('L', id).text('S', name).text('S', subtype).endValues();
}

void connectObjects(TinyFbx& fbx, std::int64_t child, std::int64_t parent) {
  fbx.open("C").text('S', "OO").scalar('L', child).scalar('L', parent).endValues().close(false);
}

void addStack(TinyFbx& fbx, std::int64_t id, const char* name) {
  openObject(fbx, "AnimationStack", id, classed(name, "AnimStack"), "");
  fbx.open("Properties70").endValues();
  fbx.open("P").text('S', "LocalStop").text('S', "KTime").text('S', "Time").text('S', "");
  fbx.scalar('L', std::int64_t{test::kTicks}).endValues().close(false).close(true).close(true);
  openObject(fbx, "AnimationLayer", id + 10, classed("L", "AnimLayer"), "");
  fbx.close(true);
}

// The same, binary.
Bytes binaryMesh(int version) {
  TinyFbx fbx(version);
  fbx.open("FBXHeaderExtension").endValues().number("FBXVersion", version).close(true);
  fbx.open("Definitions").endValues().number("Count", 3);
  for (const char* type : {"Model", "Geometry"}) {
    fbx.open("ObjectType").text('S', type).endValues().number("Count", 1).close(true);
  }
  fbx.close(true).open("Objects").endValues();
  openObject(fbx, "Model", 2, classed("Body", "Model"), "Mesh");
  fbx.close(true);
  openObject(fbx, "Geometry", 400, classed("G", "Geometry"), "Mesh");
  fbx.open("Vertices").array('d', kTriangle, true).endValues().close(false);
  fbx.open("PolygonVertexIndex").array('i', std::vector<std::int32_t>{0, 1, -3});
  fbx.endValues().close(false).close(true);
  addStack(fbx, 100, "One");
  addStack(fbx, 200, "Two");
  fbx.close(true).open("Connections").endValues();
  for (const auto& [child, parent] :
       {std::pair(2, 0), std::pair(400, 2), std::pair(110, 100), std::pair(210, 200)}) {
    connectObjects(fbx, child, parent);
  }
  return fbx.close(true).nullRecord().footer().bytes;
}

// Adds a BlendShape with a channel "Old" that moves point 1 along z.
FbxText& addOldShape(FbxText& text) {
  text.object("Deformer", 410, "Deformer::B", "BlendShape", "");
  text.object("Deformer", 420, "SubDeformer::Old", "BlendShapeChannel",
              FbxText::property("DeformPercent", "25"), "FullWeights: *1 { a: 100 }\n");
  text.object("Geometry", 430, "Geometry::S", "Shape", "",
              "Indexes: *1 { a: 1 }\nVertices: *3 { a: 0,0,1 }\n");
  text.connect(410, 400).connect(420, 410).connect(430, 420);
  text.curveNode(300, 110, 420, "DeformPercent").curve(301, {10, 30}, 300, "d|DeformPercent");
  return text;
}

AddedMorph morph(const std::string& name, std::vector<Vec3> deltas) {
  return {0, name, std::move(deltas)};
}

const std::vector<AddedMorph> kTwo = {
    morph("Puff", {Vec3(0.1, -2, 3), Vec3(0), Vec3(0, 0.7, 0)}),
    morph("Still", {Vec3(0), Vec3(0), Vec3(0)}),
};

Track weights(std::vector<double> values, int width) {
  auto times = std::make_shared<const std::vector<double>>(std::vector<double>{0.0, 1.0});
  return {0, TrackPath::kWeights, Interpolation::kLinear, width, times, std::move(values)};
}

LoadedFbx edited(const LoadedFbx& source, const std::vector<AddedMorph>& morphs,
                 const std::vector<Track>& tracks) {
  auto bytes = source.patched({{0, tracks, std::nullopt}}, morphs);
  CHECK_OK(bytes);
  return load(std::move(*bytes), true);
}

void checkDeltas(const MorphTarget& target, const std::vector<Vec3>& deltas) {
  REQUIRE(target.position_deltas.size() == deltas.size());
  for (std::size_t v = 0; v < deltas.size(); ++v) {
    CHECK(distance(target.position_deltas[v], deltas[v]) < 1e-12);
  }
}

void checkTwoMorphs(const LoadedFbx& source) {
  const LoadedFbx result = edited(source, kTwo, {weights({0.25, 1.0, 2.0, 0.0}, 2)});
  CHECK(result.document->warnings.empty());
  const std::vector<MorphTarget>& morphs = result.scene.meshes.at(0).morphs;
  REQUIRE(morphs.size() == 2);
  for (std::size_t m = 0; m < 2; ++m) {
    CHECK(morphs[m].name == kTwo[m].name);
    checkDeltas(morphs[m], kTwo[m].position_deltas);
  }
  for (const double time : {0.0, 0.5, 1.0}) {
    const Pose pose = result.pose(0, time);
    CHECK(pose.weights[0] == doctest::Approx(0.25 + 1.75 * time));
    CHECK(pose.weights[1] == doctest::Approx(1.0 - time));
    CHECK(result.pose(1, time).weights == std::vector<double>{0.0, 0.0});
  }
  CHECK(result.scene.skeleton.rest_weights == std::vector<double>{0.0, 0.0});
  checkKept(*source.document, *result.document);
}

ErrorCode refusalOf(const LoadedFbx& file, std::vector<AddedMorph> morphs,
                    const std::vector<Track>& tracks = {}) {
  const auto refused = file.patched({{0, tracks, std::nullopt}}, std::move(morphs));
  REQUIRE_FALSE(refused.ok());
  return refused.error().code;
}

}  // namespace

TEST_CASE("morphs are added with their names, displacements and weights, and nothing else moves") {
  SUBCASE("text") { checkTwoMorphs(load(textMesh())); }
  SUBCASE("binary with 32 bits") { checkTwoMorphs(load(binaryMesh(7400))); }
  SUBCASE("binary with 64 bits") { checkTwoMorphs(load(binaryMesh(7500))); }
}

TEST_CASE("a constant weight of an added morph has two keys, others as many as the track") {
  Track track = weights({0.0, 1.0, 0.5, 1.0, 0.25, 1.0}, 2);
  track.times_s = std::make_shared<const std::vector<double>>(std::vector<double>{0.0, 0.4, 1.0});
  const LoadedFbx result = edited(load(textMesh()), kTwo, {track});
  std::vector<std::size_t> counts;
  for (const Object& object : result.document->objects) {
    if (object.type == "AnimationCurve") {
      counts.push_back(object.element.child("KeyTime")->numberCount());
    }
  }
  CHECK(counts == std::vector<std::size_t>{3, 2});
  CHECK(result.pose(0, 0.4).weights[0] == doctest::Approx(0.5));
  for (const double time : {0.0, 0.7, 1.0}) CHECK(result.pose(0, time).weights[1] == 1.0);
}

TEST_CASE("a shape lists the points that move, and one point if none moves") {
  const LoadedFbx result = edited(load(textMesh()), kTwo, {});
  std::map<std::string, std::vector<std::int64_t>> points;
  for (const Object& object : result.document->objects) {
    if (object.subtype != "Shape") continue;
    points[object.name] = *object.element.child("Indexes")->integers();
    CHECK(object.element.child("Normals")->numberCount() == 3 * points[object.name].size());
  }
  CHECK(points["Puff"] == std::vector<std::int64_t>{0, 2});
  CHECK(points["Still"] == std::vector<std::int64_t>{0});
}

TEST_CASE("added morphs are appended to those of the mesh, which stay unchanged") {
  FbxText text = textMesh();
  const LoadedFbx source = load(addOldShape(text));
  SUBCASE("without weights") {
    const LoadedFbx result = edited(source, kTwo, {});
    checkKept(*source.document, *result.document);
    CHECK(result.pose(0, 0.5).weights[0] == source.pose(0, 0.5).weights[0]);
    CHECK(result.scene.skeleton.rest_weights == std::vector<double>{0.25, 0.0, 0.0});
  }
  SUBCASE("with weights") {
    const LoadedFbx result = edited(source, kTwo, {weights({0.5, 0, 1, 1, 1, 0}, 3)});
    const std::vector<MorphTarget>& morphs = result.scene.meshes.at(0).morphs;
    REQUIRE(morphs.size() == 3);
    CHECK(morphs[0].name == "Old");
    checkDeltas(morphs[0], {Vec3(0), Vec3(0, 0, 1), Vec3(0)});
    checkDeltas(morphs[1], kTwo[0].position_deltas);
    CHECK(morphs[2].name == "Still");
    const Pose pose = result.pose(0, 0.25);
    CHECK(pose.weights[0] == doctest::Approx(0.625));
    CHECK(pose.weights[1] == doctest::Approx(0.25));
    CHECK(pose.weights[2] == doctest::Approx(0.75));
  }
  const LoadedFbx result = edited(source, kTwo, {});
  const auto is_blend_shape = [](const Object& object) { return object.subtype == "BlendShape"; };
  CHECK(std::ranges::count_if(result.document->objects, is_blend_shape) == 1);
}

TEST_CASE("a BlendShape shared by two meshes does not get the morphs of one of them") {
  FbxText text = textMesh();
  geometry(addOldShape(text).model(3, "Other", 0), 500).connect(500, 3).connect(410, 500);
  const LoadedFbx source = load(text);
  const LoadedFbx result = edited(source, kTwo, {});
  REQUIRE(result.scene.meshes.size() == 2);
  CHECK(result.scene.meshes[0].morphs.size() == 3);
  CHECK(result.scene.meshes[1].morphs.size() == 1);
  checkKept(*source.document, *result.document);
}

TEST_CASE("displacements are in the node's space, with any geometric transform") {
  const LoadedFbx source = load(textMesh(FbxText::property("GeometricTranslation", "5,6,7") +
                                         FbxText::property("GeometricRotation", "30,40,50") +
                                         FbxText::property("GeometricScaling", "2,3,0.5")));
  const LoadedFbx result = edited(source, kTwo, {});
  checkDeltas(result.scene.meshes.at(0).morphs.at(0), kTwo[0].position_deltas);
}

TEST_CASE("morphs without a name get one, and control characters in names become underscores") {
  const std::vector<Vec3> deltas = kTwo[0].position_deltas;
  const LoadedFbx result =
      edited(load(textMesh()), {morph(std::string("a\0b\n\"c", 6), deltas), morph("", deltas)}, {});
  CHECK(result.scene.meshes.at(0).morphs.at(0).name == "a_b_\"c");
  CHECK(result.scene.meshes.at(0).morphs.at(1).name == "morph_1");
}

TEST_CASE("Definitions count the new deformers and shapes") {
  const LoadedFbx result = edited(load(binaryMesh(7400)), kTwo, {weights({0, 0, 1, 1}, 2)});
  const Element definitions = *result.document->tree->root("Definitions");
  std::map<std::string, std::int64_t> counts;
  for (const Element type : definitions.children()) {
    if (const auto count = type.child("Count")) counts[*type.text(0)] = *count->integer(0);
  }
  CHECK(counts["Model"] == 1);
  CHECK(counts["Geometry"] == 3);
  CHECK(counts["Deformer"] == 3);
  CHECK(counts["AnimationCurve"] == 2);
  CHECK(definitions.child("Count")->integer(0) == 3 + 2 + 3 + 4);
}

TEST_CASE("edits that cannot be written in place are refused") {
  FbxText shared = textMesh();
  shared.model(3, "Twin", 0).connect(400, 3);
  CHECK(refusalOf(load(shared), kTwo) == ErrorCode::kUnsupported);
  CHECK(refusalOf(load(textMesh(FbxText::property("GeometricScaling", "1,0,1"))), kTwo) ==
        ErrorCode::kUnsupported);
  const std::vector<AddedMorph> on_root = {{0, "Puff", {Vec3(1)}}};
  CHECK(refusalOf(load(std::string(kTakeFile)), on_root) == ErrorCode::kUnsupported);
}

TEST_CASE("morphs and weights that do not fit the node are refused") {
  const LoadedFbx file = load(textMesh());
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(refusalOf(file, {{7, "Puff", {Vec3(1)}}}) == ErrorCode::kInternal);
  CHECK(refusalOf(file, {morph("Short", {Vec3(1), Vec3(1)})}) == ErrorCode::kInternal);
  CHECK(refusalOf(file, {morph("Far", {Vec3(1), Vec3(inf), Vec3(1)})}) == ErrorCode::kInternal);
  CHECK(refusalOf(file, kTwo, {weights({0, 1}, 1)}) == ErrorCode::kInternal);
  FbxText bare;
  bare.model(2, "Body", 0).stack(100, "One").layer(110, 100);
  CHECK(refusalOf(load(bare), kTwo) == ErrorCode::kInternal);
}
