// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/face_shapes.h"

#include <set>

#include "checks.h"

TEST_SUITE_BEGIN("scene.face_shapes");

using namespace clipmill;

namespace {

Scene faceWith(const std::vector<std::string>& morphs) {
  Scene scene;
  scene.skeleton.nodes.resize(1);
  scene.skeleton.nodes[0].weights_count = static_cast<int>(morphs.size());
  SkinnedMesh mesh;
  for (const std::string& name : morphs) mesh.morphs.push_back({name, {}, {}});
  scene.meshes = {mesh, mesh};  // two primitives of one node
  return scene;
}

}  // namespace

TEST_CASE("Fifty-two shapes are known in every usual spelling") {
  const auto names = faceShapeNames();
  CHECK(std::set<std::string_view>(names.begin(), names.end()).size() == 52);
  for (const std::string_view name : names) CHECK(faceShapeOf(name) == name);
  for (const char* spelling :
       {"EyeBlinkLeft", "eyeBlink_L", "Eye_Blink_L", "head.eyeBlinkLeft", "eye blink left"}) {
    CHECK(faceShapeOf(spelling) == "eyeBlinkLeft");
  }
  CHECK(faceShapeOf("jawLeft") == "jawLeft");
  CHECK(faceShapeOf("jaw_L") == "jawLeft");
  CHECK(!faceShapeOf("blink"));
  CHECK(!faceShapeOf(""));
  CHECK(isFacePair("JawOpen = Mouth"));
  CHECK(!isFacePair("Hips=Pelvis"));
}

TEST_CASE("Morph targets become expressions with the names of ARKit, once a node") {
  Scene scene = faceWith({"Smile", "Jaw_Open", "eyeBlink_R"});
  CHECK_OK(addFaceShapes(scene, {}));
  REQUIRE(scene.face.expressions.size() == 2);
  const Expression& blink = scene.face.expressions[0];
  CHECK(blink.name == "eyeBlinkRight");
  REQUIRE(blink.binds.size() == 1);
  CHECK(blink.binds[0].morph == 2);
  CHECK(scene.face.expressions[1].name == "jawOpen");
  CHECK_OK(addFaceShapes(scene, {}));
  CHECK(scene.face.expressions.size() == 2);
}

TEST_CASE("Pairs map morphs with other names; unknown ones are an error") {
  Scene scene = faceWith({"Smile", "Jaw_Open"});
  const std::vector<std::string> pairs = {"mouthSmileLeft=Smile", "Hips=Pelvis"};
  CHECK_OK(addFaceShapes(scene, pairs));
  REQUIRE(scene.face.expressions.size() == 2);
  CHECK(scene.face.expressions[1].name == "mouthSmileLeft");
  const std::vector<std::string> unknown = {"jawOpen=Mouth"};
  const Status failed = addFaceShapes(scene, unknown);
  REQUIRE(!failed.ok());
  CHECK(failed.error().code == ErrorCode::kNotFound);
}

TEST_CASE("An expression of the file in another spelling is used with its binds") {
  Scene scene = faceWith({"a", "b"});
  Expression expression;
  expression.name = "JawOpen";
  expression.binds = {{0, 1, 0.5}};
  scene.face.expressions = {expression};
  CHECK_OK(addFaceShapes(scene, {}));
  REQUIRE(scene.face.expressions.size() == 2);
  CHECK(scene.face.expressions[1].name == "jawOpen");
  CHECK(scene.face.expressions[1].binds[0].weight == 0.5);
}
