// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/vrm_face.h"

#include "checks.h"
#include "core/to_size.h"
#include "io/gltf/read.h"
#include "io/gltf/tiny_gltf.h"

TEST_SUITE_BEGIN("gltf.vrm_face");

namespace {

using namespace clipmill;
using namespace clipmill::test;

// Node 1 shows a mesh of three morphs, nodes 2 and 3 one of one.
Scene readExtensions(const std::string& extensions) {
  const std::string target = R"({"POSITION":0})";
  const std::string file =
      R"({"asset":{"version":"2.0"},"nodes":[{"name":"A"},{"name":"Face","mesh":0},)"
      R"({"name":"Tongue","mesh":1},{"name":"Copy","mesh":1}],)"
      R"("accessors":[{"componentType":5126,"count":3,"type":"VEC3"}],"meshes":[)"
      R"({"primitives":[{"attributes":{"POSITION":0},"targets":[)" +
      target + "," + target + "," + target + R"(]}]},)" +
      R"({"primitives":[{"attributes":{"POSITION":0},"targets":[)" + target +
      R"(]}]}],"extensions":{)" + extensions + "}}";
  const auto scene = io::gltf::readScene(*documentOf(textBytes(file)), false, {});
  CHECK_OK(scene);
  return *scene;
}

}  // namespace

TEST_CASE("Expressions and gaze of VRM 1.0 are read; what is wrong is left out with a warning") {
  const Scene scene = readExtensions(
      R"("VRMC_vrm":{"expressions":{"preset":{"aa":{"morphTargetBinds":[)"
      R"({"node":1,"index":2,"weight":0.5},{"node":1,"index":3},{"node":0,"index":0}],)"
      R"("overrideBlink":"block","overrideMouth":"blend","isBinary":true,)"
      R"("materialColorBinds":[{"material":0}]}},"custom":{"Puff":{}}},)"
      R"("lookAt":{"type":"expression","offsetFromHeadBone":[0,1,2],)"
      R"("rangeMapVerticalUp":{"inputMaxValue":45,"outputScale":0.5}}})");
  REQUIRE(scene.face.expressions.size() == 2);
  const Expression& aa = scene.face.expressions[0];
  CHECK(aa.name == "aa");
  CHECK(!aa.is_custom);
  CHECK(aa.is_binary);
  CHECK(aa.blink == ExpressionOverride::kBlock);
  CHECK(aa.look == ExpressionOverride::kNone);
  CHECK(aa.mouth == ExpressionOverride::kBlend);
  REQUIRE(aa.binds.size() == 1);
  CHECK(aa.binds[0].morph == 2);
  CHECK(aa.binds[0].weight == 0.5);
  CHECK(scene.face.expressions[1].is_custom);
  CHECK(scene.warnings.count("expression_left_out") == 2);
  CHECK(scene.warnings.count("expression_material_ignored") == 1);
  const Gaze& gaze = scene.face.gaze;
  CHECK(gaze.kind == Gaze::Kind::kExpressions);
  CHECK(gaze.offset_from_head == Vec3(0, 1, 2));
  CHECK(gaze.up.input_max_rad == 45.0 * kDegree);
  CHECK(gaze.up.output == 0.5);
  CHECK(gaze.down.output == 1.0);
  CHECK(scene.t_pose_front == Vec3(0, 0, 1));
  CHECK(!scene.face.is_animation);
}

TEST_CASE("Expressions of VRM 0.x bind all nodes that show the mesh, and get the names of 1.0") {
  const Scene scene = readExtensions(
      R"("VRM":{"blendShapeMaster":{"blendShapeGroups":[{"name":"Joy","presetName":"joy",)"
      R"("binds":[{"mesh":1,"index":0,"weight":40},{"mesh":7,"index":0}]},)"
      R"({"name":"Puff","presetName":"unknown"},{"name":"Puff","presetName":"unknown"}]},)"
      R"("firstPerson":{"lookAtTypeName":"Bone","firstPersonBoneOffset":{"x":1,"y":2,"z":3},)"
      R"("lookAtHorizontalOuter":{"xRange":30,"yRange":12}}})");
  REQUIRE(scene.face.expressions.size() == 2);
  CHECK(scene.face.expressions[0].name == "happy");
  REQUIRE(scene.face.expressions[0].binds.size() == 2);
  for (const MorphBind& bind : scene.face.expressions[0].binds) {
    CHECK(scene.skeleton.nodes[toSize(bind.node)].weights_count == 1);
    CHECK(bind.weight == nearTo(0.4, 1e-12));
  }
  CHECK(scene.face.expressions[1].is_custom);
  CHECK(scene.warnings.count("expression_left_out") == 2);
  CHECK(scene.face.gaze.kind == Gaze::Kind::kEyes);
  CHECK(scene.face.gaze.offset_from_head == Vec3(1, 2, -3));
  CHECK(scene.face.gaze.outer.output == nearTo(12.0 * kDegree, 1e-12));
  CHECK(scene.t_pose_front == Vec3(0, 0, -1));
}

TEST_CASE("Expressions and gaze of VRMA files are nodes") {
  const Scene scene = readExtensions(
      R"("VRMC_vrm_animation":{"expressions":{"preset":{"aa":{"node":0},"ee":{"node":9}},)"
      R"("custom":{"Puff":{"node":2}}},"lookAt":{"node":3}})");
  CHECK(scene.face.is_animation);
  REQUIRE(scene.face.expressions.size() == 2);
  const auto nameOf = [&](int node) { return scene.skeleton.nodes.at(toSize(node)).name; };
  CHECK(nameOf(scene.face.expressions[0].weight_node) == "A");
  CHECK(nameOf(scene.face.expressions[1].weight_node) == "Tongue");
  CHECK(nameOf(scene.face.gaze.node) == "Copy");
  CHECK(scene.warnings.count("expression_left_out") == 1);
}

TEST_CASE("Faces that are no faces are left out, and the file loads") {
  for (const char* extension :
       {R"("VRMC_vrm":{"expressions":[],"lookAt":1})",
        R"("VRM":{"blendShapeMaster":[],"firstPerson":""})",
        R"("VRM":{"blendShapeMaster":{"blendShapeGroups":[1,{"presetName":"unknown"}]}})",
        R"("VRMC_vrm_animation":{"expressions":{"preset":[1]},"lookAt":{}})"}) {
    CAPTURE(extension);
    const Scene scene = readExtensions(extension);
    CHECK(scene.face.expressions.empty());
    CHECK(scene.face.gaze.kind == Gaze::Kind::kNone);
    CHECK_FALSE(scene.warnings.empty());
  }
}

TEST_SUITE_END();
