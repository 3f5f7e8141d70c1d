// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/read.h"

#include "checks.h"
#include "io/fbx/loaded_fbx.h"

TEST_SUITE_BEGIN("fbx.read");

using namespace clipmill;
using namespace clipmill::io::fbx;
using test::distance;
using test::faultOf;
using test::FbxText;
using test::load;
using test::LoadedFbx;
using test::threeJoints;

namespace {

FbxText oneStack() { return threeJoints().stack(100, "One").layer(110, 100); }

// A curve of these elements on the rotation of Mid.
FbxText withCurve(const std::string& elements) {
  FbxText text = oneStack();
  text.curveNode(300, 110, 2, "Lcl Rotation", FbxText::property("d|X", "5"));
  text.object("AnimationCurve", 301, "AnimCurve::", "", "", elements).connect(301, 300, "d|X");
  return text;
}

Quat aboutX(double degrees) { return rotationAbout(Vec3(1, 0, 0), degrees * kDegree); }

}  // namespace

TEST_CASE("a chain of models is a chain of nodes") {
  const LoadedFbx file = load(threeJoints());
  const auto& nodes = file.scene.skeleton.nodes;
  REQUIRE(nodes.size() == 3);
  CHECK(pathOf(file.scene.skeleton, 2) == "Root/Mid/Tip");
  CHECK(nodes[2].parent == 1);
  CHECK(nodes[1].rest.translation == Vec3(0, 10, 0));
  CHECK(nodes[0].euler.has_value());
}

TEST_CASE("parents come first for any order in the file, and IDs are in file order") {
  FbxText text;
  text.model(3, "Tip", 2).model(2, "Mid", 1).model(1, "Root", 0);
  const auto nodes = load(text).scene.skeleton.nodes;
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[0].name == "Root");
  CHECK(nodes[0].source_id == 2);
  CHECK(nodes[2].name == "Tip");
  CHECK(nodes[2].source_id == 0);
  CHECK(nodes[2].parent == 1);
}

TEST_CASE("models in a cycle are malformed") {
  FbxText text;
  text.model(1, "A", 2).model(2, "B", 1);
  CHECK(faultOf(text).code == ErrorCode::kMalformed);
  FbxText self;
  self.model(1, "A", 1);
  CHECK(faultOf(self).code == ErrorCode::kMalformed);
}

TEST_CASE("spheric and unknown rotation orders are a warning and mean x, y, z") {
  FbxText spheric, wild;
  spheric.model(1, "A", 0, FbxText::property("RotationOrder", "6"));
  const auto read = load(spheric);
  CHECK(read.scene.warnings.count("spheric_rotation") == 1);
  CHECK(read.scene.skeleton.nodes[0].euler->order == EulerOrder::kXyz);
  wild.model(1, "A", 0, FbxText::property("RotationOrder", "-3"));
  CHECK(load(wild).scene.skeleton.nodes[0].euler->order == EulerOrder::kXyz);
}

TEST_CASE("a transform property that is not a finite number is a warning and means its default") {
  FbxText text;
  text.model(1, "A", 0,
             FbxText::property("Lcl Translation", "0,1e999,0") +
                 FbxText::property("PreRotation", "0,0,90"));
  const auto read = load(text);
  CHECK(read.scene.warnings.count("transform_not_finite") == 1);
  CHECK(read.scene.skeleton.nodes[0].rest.translation == Vec3(0.0));
  CHECK(distance(read.scene.skeleton.nodes[0].rest.rotation,
                 rotationAbout(Vec3(0, 0, 1), 90 * kDegree)) < 1e-12);
}

TEST_CASE("an object without an ID is ignored, and two with one ID are malformed") {
  FbxText text = threeJoints();
  text.objects += "Model: \"Model::X\", \"Null\" {\n}\n";
  CHECK(load(text).scene.skeleton.size() == 3);
  text.model(2, "Again", 0);
  CHECK(faultOf(text).code == ErrorCode::kMalformed);
}

TEST_CASE("linear keys are read, and the end values are held outside") {
  FbxText text = oneStack();
  text.curveNode(300, 110, 2, "Lcl Rotation").curve(301, {10, 30}, 300);
  const LoadedFbx file = load(text);
  REQUIRE(file.scene.clips.size() == 1);
  CHECK(file.scene.clips[0].name == "One");
  CHECK(distance(file.local(0, 0.5, 1).rotation, aboutX(20)) < 1e-9);
  CHECK(distance(file.local(0, -3, 1).rotation, aboutX(10)) < 1e-9);
  CHECK(distance(file.local(0, 9, 1).rotation, aboutX(30)) < 1e-9);
  CHECK(file.scene.clips[0].animated.has(1, TrackPath::kRotation));
  CHECK_FALSE(file.scene.clips[0].animated.any(2));
}

TEST_CASE("a curve node without curves has its defaults") {
  FbxText text = oneStack();
  text.curveNode(300, 110, 2, "Lcl Rotation", FbxText::property("d|X", "30"));
  CHECK(distance(load(text).local(0, 0.0, 1).rotation, aboutX(30)) < 1e-9);
}

TEST_CASE("a curve without key arrays or without keys is ignored") {
  CHECK(distance(load(withCurve("")).local(0, 0.0, 1).rotation, aboutX(5)) < 1e-9);
  CHECK(distance(load(withCurve("KeyTime: *0 { a: }\nKeyValueFloat: *0 { a: }\n"))
                     .local(0, 0.0, 1)
                     .rotation,
                 aboutX(5)) < 1e-9);
  CHECK(distance(load(withCurve("KeyTime: *1 { a: 0 }\n")).local(0, 0.0, 1).rotation, aboutX(5)) <
        1e-9);
}

TEST_CASE("keys without attributes are linear") {
  const LoadedFbx file =
      load(withCurve("KeyTime: *2 { a: 0,46186158000 }\nKeyValueFloat: *2 { a: 10,20 }\n"));
  CHECK(distance(file.local(0, 0.5, 1).rotation, aboutX(15)) < 1e-9);
  CHECK(distance(file.local(0, 1.0, 1).rotation, aboutX(20)) < 1e-9);
}

TEST_CASE("key arrays of different lengths are malformed") {
  const std::string keys = "KeyTime: *2 { a: 0,46186158000 }\nKeyValueFloat: *2 { a: 10,20 }\n";
  CHECK(faultOf(withCurve("KeyTime: *2 { a: 0,1 }\nKeyValueFloat: *1 { a: 10 }\n")).code ==
        ErrorCode::kMalformed);
  CHECK(faultOf(withCurve(keys + "KeyAttrFlags: *1 { a: 4 }\n")).code == ErrorCode::kMalformed);
  CHECK(faultOf(withCurve(keys + "KeyAttrFlags: *2 { a: 4,4 }\nKeyAttrRefCount: *2 { a: 1,1 }\n"
                                 "KeyAttrDataFloat: *7 { a: 0,0,0,0,0,0,0 }\n"))
            .code == ErrorCode::kMalformed);
  CHECK(faultOf(withCurve(keys + "KeyAttrFlags: *1 { a: 4 }\nKeyAttrRefCount: *1 { a: 2 }\n"
                                 "KeyAttrDataFloat: *4 { a: 0,0,0,1e30 }\n"))
            .code == ErrorCode::kMalformed);
}

TEST_CASE("counts of key attributes with a small sum or negative values are accepted") {
  for (const char* counts : {"0,0", "-5,1", "1,-9", "99,99"}) {
    const LoadedFbx file =
        load(withCurve("KeyTime: *2 { a: 0,46186158000 }\nKeyValueFloat: *2 { a: 10,20 }\n"
                       "KeyAttrFlags: *2 { a: 4,4 }\nKeyAttrDataFloat: *8 { a: 0,0,0,0,0,0,0,0 }\n"
                       "KeyAttrRefCount: *2 { a: " +
                       std::string(counts) + " }\n"));
    CHECK(distance(file.local(0, 0.5, 1).rotation, aboutX(15)) < 1e-9);
  }
}

TEST_CASE("a key that is not a finite number is malformed") {
  for (const char* value : {"nan", "1e999"}) {
    CHECK(faultOf(withCurve("KeyTime: *1 { a: 0 }\nKeyValueFloat: *1 { a: " + std::string(value) +
                            " }\n"))
              .code == ErrorCode::kMalformed);
  }
}

TEST_CASE("muted layers are ignored, and with solo layers all others are") {
  const std::string mute = FbxText::property("Mute", "1"), solo = FbxText::property("Solo", "1");
  const auto x = [](const std::string& a, const std::string& b) {
    FbxText text = threeJoints().stack(100, "One").layer(110, 100, a).layer(120, 100, b);
    text.curveNode(300, 110, 2, "Lcl Translation", FbxText::property("d|X", "1"));
    text.curveNode(310, 120, 2, "Lcl Translation", FbxText::property("d|X", "10"));
    return load(text).local(0, 0.0, 1).translation.x;
  };
  CHECK(x("", "") == 11);
  CHECK(x(mute, "") == 10);
  CHECK(x("", mute) == 1);
  CHECK(x("", solo) == 10);
  CHECK(x(solo, "") == 1);
  CHECK(x(mute + solo, "") == 10);
  CHECK(x("", FbxText::property("BlendMode", "1")) == 10);
  CHECK(x("", FbxText::property("BlendMode", "2") + FbxText::property("Weight", "50")) == 5.5);
  CHECK(x("", FbxText::property("Weight", "50")) == 6);
}

TEST_CASE("a shared curve animates everything that it is connected to") {
  FbxText text = oneStack();
  text.curveNode(300, 110, 2, "Lcl Translation").curve(301, {1, 3}, 300);
  text.curveNode(310, 110, 3, "Lcl Translation").connect(301, 310, "d|Y");
  const LoadedFbx file = load(text);
  CHECK(file.local(0, 0.5, 1).translation.x == doctest::Approx(2));
  CHECK(file.local(0, 0.5, 2).translation.y == doctest::Approx(2));
}

TEST_CASE("connections to missing objects are ignored and counted") {
  FbxText text = oneStack();
  text.connect(777, 1).connect(2, 888);
  CHECK_FALSE(load(text).scene.warnings.empty());
}

TEST_CASE("a stack without a time span has that of its keys, and one without keys has none") {
  FbxText text = threeJoints().stack(100, "One", 0.0).layer(110, 100);
  text.curveNode(300, 110, 2, "Lcl Rotation").curve(301, {10, 30, 20}, 300);
  CHECK(load(text).scene.clips[0].end_s == doctest::Approx(2.0));
  const LoadedFbx empty = load(threeJoints().stack(100, "One", 0.0).layer(110, 100));
  CHECK(empty.scene.clips[0].end_s == empty.scene.clips[0].start_s);
}

TEST_CASE("properties that an object does not have come from the template of its type") {
  FbxText text = threeJoints();
  text.definitions =
      "Definitions: {\nObjectType: \"Model\" {\nPropertyTemplate: \"FbxNode\" {\nProperties70: "
      "{\n" +
      FbxText::property("Lcl Translation", "1,2,3") + "}\n}\n}\n}\n";
  const auto nodes = load(text).scene.skeleton.nodes;
  CHECK(nodes[0].rest.translation == Vec3(1, 2, 3));
  CHECK(nodes[1].rest.translation == Vec3(0, 10, 0));
}

// -- Meshes

namespace {

FbxText withMesh(const std::string& elements) {
  FbxText text = threeJoints();
  return text.object("Geometry", 400, "Geometry::G", "Mesh", "", elements).connect(400, 2);
}

const std::string kQuad = "Vertices: *12 { a: 0,0,0,1,0,0,1,1,0,0,1,0 }\n";

}  // namespace

TEST_CASE("polygons end at a negative index") {
  auto loaded = test::tryLoad(
      test::bytesOf(withMesh(kQuad + "PolygonVertexIndex: *4 { a: 0,1,2,-4 }\n").text()), true);
  CHECK_OK(loaded);
  REQUIRE(loaded->scene.meshes.size() == 1);
  CHECK(loaded->scene.meshes[0].vertexCount() == 4);
  CHECK(loaded->scene.meshes[0].triangles.size() == 6);
}

TEST_CASE("indices out of range and arrays of wrong length are malformed") {
  for (const char* broken :
       {"PolygonVertexIndex: *3 { a: 0,1,-9 }\n", "PolygonVertexIndex: *3 { a: 0,7,-2 }\n",
        "PolygonVertexIndex: *3 { a: 0,1,-9223372036854775808 }\n"}) {
    CHECK(faultOf(withMesh(kQuad + broken), true).code == ErrorCode::kMalformed);
  }
  CHECK(faultOf(withMesh("Vertices: *4 { a: 0,0,0,1 }\nPolygonVertexIndex: *1 { a: -1 }\n"), true)
            .code == ErrorCode::kMalformed);
}

TEST_CASE("a blend shape has a displacement for every control point that it names") {
  const auto shape = [](const std::string& elements) {
    FbxText text = withMesh(kQuad + "PolygonVertexIndex: *4 { a: 0,1,2,-4 }\n");
    text.object("Deformer", 410, "Deformer::B", "BlendShape", "");
    text.object("Deformer", 420, "SubDeformer::C", "BlendShapeChannel", "");
    text.object("Geometry", 430, "Geometry::S", "Shape", "", elements);
    return text.connect(410, 400).connect(420, 410).connect(430, 420);
  };
  auto loaded = test::tryLoad(
      test::bytesOf(shape("Indexes: *1 { a: 2 }\nVertices: *3 { a: 0,0,1 }\n").text()), true);
  CHECK_OK(loaded);
  REQUIRE(loaded->scene.meshes.at(0).morphs.size() == 1);
  CHECK(loaded->scene.meshes[0].morphs[0].position_deltas.at(2) == Vec3(0, 0, 1));
  for (const char* broken : {"Indexes: *2 { a: 0,1 }\nVertices: *3 { a: 0,0,1 }\n",
                             "Indexes: *1 { a: 0 }\nVertices: *2 { a: 0,0 }\n",
                             "Indexes: *1 { a: 4 }\nVertices: *3 { a: 0,0,1 }\n",
                             "Indexes: *1 { a: -1 }\nVertices: *3 { a: 0,0,1 }\n"}) {
    CHECK(faultOf(shape(broken), true).code == ErrorCode::kMalformed);
  }
}
