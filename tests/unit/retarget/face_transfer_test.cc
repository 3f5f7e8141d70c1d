// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/face_transfer.h"

#include "checks.h"
#include "core/to_size.h"
#include "retarget/clip_transfer.h"
#include "retarget/expression_weights.h"

TEST_SUITE_BEGIN("retarget.face_transfer");

namespace {

using namespace clipmill;
using namespace clipmill::retarget;
using namespace clipmill::test;

// Two nodes with three morphs each; the first has both eyes below it.
Scene faceScene() {
  Scene scene;
  for (const char* name : {"Head", "Mesh", "EyeL", "EyeR"}) {
    Node node;
    node.name = name;
    node.source_id = static_cast<int>(scene.skeleton.size());
    node.parent = node.name[0] == 'E' ? 0 : -1;
    if (node.parent < 0) {
      node.weights_start = 3 * node.source_id;
      node.weights_count = 3;
    }
    node.rest.rotation = rotationAbout(glm::normalize(Vec3(1, 2, 3)), 0.7 * node.source_id + 0.2);
    scene.skeleton.nodes.push_back(node);
  }
  scene.skeleton.rest_weights.assign(6, 0.0);
  scene.humanoid = {{"head", 0}, {"leftEye", 2}, {"rightEye", 3}};
  scene.t_pose_front = Vec3(0, 0, -1);
  return scene;
}

Expression expressionOf(const std::string& name, std::vector<MorphBind> binds) {
  Expression expression;
  expression.name = name;
  expression.binds = std::move(binds);
  return expression;
}

Motion stillMotion(const Scene& scene, std::size_t frames) {
  Motion motion;
  motion.grid = makeGrid(0.0, static_cast<double>(frames - 1) / 30.0, 30.0);
  motion.node_count = scene.skeleton.size();
  motion.weight_count = scene.skeleton.rest_weights.size();
  motion.modified = TrackMask(motion.node_count);
  const Pose rest = restPose(scene.skeleton);
  for (std::size_t f = 0; f < frames; ++f) {
    motion.locals.insert(motion.locals.end(), rest.locals.begin(), rest.locals.end());
    motion.weights.insert(motion.weights.end(), rest.weights.begin(), rest.weights.end());
  }
  return motion;
}

// As the only clip of the scene, with all that is modified.
void makeClip(Scene& scene, Motion& motion) {
  scene.clips = {clipOf(scene.skeleton, motion)};
  motion.clip_index = 0;
}

}  // namespace

TEST_CASE("Weights behind morphs that expressions share are found") {
  Scene scene = faceScene();
  scene.face.expressions = {
      expressionOf("aa", {{0, 0, 1.0}}),
      expressionOf("happy", {{0, 0, 0.5}, {0, 1, 0.8}, {1, 0, 1.0}}),
      expressionOf("blink", {{1, 1, 1.0}, {1, 2, 1.0}}),
      expressionOf("none", {}),
  };
  ExpressionSolver solver(scene);
  for (const auto& [aa, happy, blink] :
       {std::array{0.3, 0.7, 0.2}, std::array{1.0, 0.0, 1.0}, std::array{0.0, 0.5, 0.0}}) {
    const double morphs[] = {aa + 0.5 * happy, 0.8 * happy, 0.0, happy, blink, blink};
    const std::vector<double>& found = solver.solve(morphs);
    CHECK(std::fabs(found[0] - aa) < 1e-9);
    CHECK(std::fabs(found[1] - happy) < 1e-9);
    CHECK(std::fabs(found[2] - blink) < 1e-9);
    CHECK(found[3] == 0.0);
    CHECK(solver.residual() < 1e-9);
  }
  const double other[] = {0.0, 0.0, 0.25, 0.0, 0.0, 0.0};
  solver.solve(other);
  CHECK(solver.residual() == nearTo(0.25, 1e-12));
}

TEST_CASE("Overrides and binary expressions act as VRM 1.0 defines them") {
  Scene scene = faceScene();
  scene.face.expressions = {
      expressionOf("happy", {{0, 0, 1.0}}),
      expressionOf("blink", {{0, 1, 1.0}}),
      expressionOf("aa", {{0, 2, 0.5}}),
      expressionOf("angry", {{1, 0, 1.0}}),
  };
  scene.face.expressions[0].blink = ExpressionOverride::kBlock;
  scene.face.expressions[0].mouth = ExpressionOverride::kBlend;
  scene.face.expressions[3].is_binary = true;
  std::vector<double> morphs(6, 0.9);
  const std::vector<bool> played = {true, true, true, true};
  applyExpressions(scene, std::vector<double>{0.25, 1.0, 0.8, 0.6}, played, morphs);
  const double wanted[] = {0.25, 0.0, 0.5 * 0.8 * 0.75, 1.0, 0.9, 0.9};
  for (std::size_t i = 0; i < 6; ++i) CHECK(std::fabs(morphs[i] - wanted[i]) < 1e-12);
  // Nodes of expressions that are not played stay as they are.
  applyExpressions(scene, std::vector<double>{0.0, 0.0, 0.0, 0.0}, {false, true, false, false},
                   morphs);
  CHECK(morphs[0] == 0.0);
  CHECK(morphs[3] == 1.0);
}

TEST_CASE("A gaze becomes eyes or expressions, and is found in them again") {
  for (const Gaze::Kind kind : {Gaze::Kind::kEyes, Gaze::Kind::kExpressions}) {
    Scene scene = faceScene();
    for (const char* name : {"lookLeft", "lookRight", "lookUp", "lookDown"}) {
      const int i = static_cast<int>(scene.face.expressions.size());
      scene.face.expressions.push_back(expressionOf(name, {{i / 3, i % 3, 1.0}}));
    }
    Gaze& gaze = scene.face.gaze;
    gaze.kind = kind;
    const double unit = kind == Gaze::Kind::kEyes ? kDegree : 0.01;
    gaze.inner = {60.0 * kDegree, 8.0 * unit};
    gaze.outer = {60.0 * kDegree, 12.0 * unit};
    gaze.down = {60.0 * kDegree, 9.0 * unit};
    gaze.up = {60.0 * kDegree, 7.0 * unit};
    FaceMotion face;
    for (int f = 0; f < 5; ++f) face.gaze_rad.push_back({0.2 * f - 0.4, 0.3 - 0.2 * f});
    CHECK(faceFit(face, scene).gaze);
    Motion motion = stillMotion(scene, 5);
    applyFace(face, scene, motion);
    makeClip(scene, motion);
    Warnings warnings;
    const FaceMotion found = faceOf(scene, motion, warnings);
    CHECK(warnings.empty());
    REQUIRE(found.gaze_rad.size() == 5);
    for (std::size_t f = 0; f < 5; ++f) {
      CHECK(std::fabs(found.gaze_rad[f].x - face.gaze_rad[f].x) < 1e-9);
      CHECK(std::fabs(found.gaze_rad[f].y - face.gaze_rad[f].y) < 1e-9);
    }
  }
}

TEST_CASE("Eyes that look to the character's left rotate about its up axis, wherever it faces") {
  Scene scene = faceScene();
  scene.face.gaze.kind = Gaze::Kind::kEyes;
  scene.face.gaze.outer = {90.0 * kDegree, 90.0 * kDegree};
  FaceMotion face;
  face.gaze_rad = {{0.0, 0.0}, {30.0 * kDegree, 0.0}};
  Motion motion = stillMotion(scene, 2);
  applyFace(face, scene, motion);
  std::vector<Affine> before, after;
  computeWorlds(scene.skeleton, motion.localsOf(0), {}, before);
  computeWorlds(scene.skeleton, motion.localsOf(1), {}, after);
  const Mat3 rotation = after[2].linear * glm::transpose(before[2].linear);
  // It faces -z, so that its left is -x.
  const Vec3 seen = rotation * Vec3(0, 0, -1);
  CHECK(std::fabs(seen.x + 0.5) < 1e-12);
  CHECK(std::fabs(seen.y) < 1e-12);
}

TEST_SUITE_END();
