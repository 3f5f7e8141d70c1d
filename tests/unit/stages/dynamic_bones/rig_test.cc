// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/rig.h"

#include <string>

#include "core/to_size.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.rig");

namespace {

// body - hip - tail0 - tail1 - tail2 (- tail_end), and tail1 - ribbon.
struct Cat {
  Scene scene;
  int body = addNode(scene, "body", -1, Vec3(0));
  int hip = addNode(scene, "hip", body, Vec3(0, 1, 0));
  int tail0 = addNode(scene, "tail0", hip, Vec3(0, 0, -0.1));
  int tail1 = addNode(scene, "tail1", tail0, Vec3(0, 0, -0.2));
  int ribbon = addNode(scene, "ribbon", tail1, Vec3(0, 0.05, 0));
  int tail2 = addNode(scene, "tail2", tail1, Vec3(0, 0, -0.2));
  int end = addNode(scene, "tail_end", tail2, Vec3(0, 0, -0.1));
  DynamicBonesSettings settings = settingsFor("tail*", DynamicBonesMethod::kSpring);

  Rig rig() const {
    auto found = makeRig(scene, settings);
    CHECK_OK(found);
    return *found;
  }
};

std::vector<int> nodesOfJoints(const Rig& rig) {
  std::vector<int> nodes;
  for (const Joint& joint : rig.joints) {
    nodes.push_back(rig.slots[toSize(joint.slot)].node);
  }
  return nodes;
}

const Bone& boneTo(const Rig& rig, int tail_node) {
  for (const Bone& bone : rig.bones) {
    if (bone.tail_node == tail_node) return bone;
  }
  FAIL("no bone to node ", tail_node);
  return rig.bones.front();
}

}  // namespace

TEST_CASE("of nested matches only the topmost starts a chain") {
  const Cat cat;
  const Rig rig = cat.rig();
  CHECK(nodesOfJoints(rig) == std::vector<int>{cat.tail0, cat.tail1, cat.tail2});
  CHECK(rig.bones.size() == 4);  // a fork at tail1
}

TEST_CASE("slots of parents are before their children, and followers before simulated nodes") {
  const Cat cat;
  const Rig rig = cat.rig();
  for (std::size_t s = 0; s < rig.slots.size(); ++s) {
    CHECK(rig.slots[s].parent < static_cast<int>(s));
    CHECK((rig.slots[s].joint >= 0) == (s >= rig.following_count));
  }
  CHECK(rig.following_count == 2);  // body and hip
}

TEST_CASE("depth is the share of length from the root to the tip of each path") {
  const Cat cat;
  const Rig rig = cat.rig();
  CHECK(boneTo(rig, cat.tail1).depth == doctest::Approx(0.2 / 0.5));
  CHECK(boneTo(rig, cat.tail2).depth == doctest::Approx(0.4 / 0.5));
  CHECK(boneTo(rig, cat.end).depth == doctest::Approx(1.0));
  CHECK(boneTo(rig, cat.ribbon).depth == doctest::Approx(1.0));
}

TEST_CASE("the virtual tip of a last joint continues the bone before it") {
  Cat cat;
  cat.settings.chain[0].tip_length = 2.0;
  const Rig rig = cat.rig();
  CHECK(rig.joints.size() == 5);
  const Bone& tip = rig.bones.back();
  CHECK(tip.tail_node == -1);
  CHECK(distance(tip.tip_offset, Vec3(0, 0, -0.2)) < 1e-15);
  CHECK(tip.depth == doctest::Approx(1.0));
  CHECK(boneTo(rig, cat.end).depth == doctest::Approx(0.5 / 0.7));
}

TEST_CASE("a virtual tip is in the axes of its joint for any rotation and scale") {
  Scene scene = chainScene(2, Vec3(0, -0.5, 0));
  scene.skeleton.nodes[2].rest.rotation = rotationAbout(Vec3(0, 0, 1), 90 * kDegree);
  scene.skeleton.nodes[2].rest.scale = Vec3(2.0);
  auto settings = settingsFor("bone0", DynamicBonesMethod::kSpring);
  settings.chain[0].tip_length = 1.0;
  const auto rig = makeRig(scene, settings);
  CHECK_OK(rig);
  CHECK(distance(rig->bones.back().tip_offset, Vec3(-0.25, 0, 0)) < 1e-15);
}

TEST_CASE("keep_root leaves the first joint out, stop ends a chain, skip leaves a branch out") {
  Cat cat;
  cat.settings.chain[0].keep_root = true;
  CHECK(nodesOfJoints(cat.rig()) == std::vector<int>{cat.tail1, cat.tail2});
  cat.settings.chain[0].keep_root = false;
  cat.settings.chain[0].tip_length = 1.0;
  cat.settings.chain[0].stop = {"tail2"};
  cat.settings.chain[0].skip = {"ribbon"};
  const Rig rig = cat.rig();
  CHECK(nodesOfJoints(rig) == std::vector<int>{cat.tail0, cat.tail1});
  CHECK(rig.bones.size() == 2);
}

TEST_CASE("a chain may start below another one") {
  Cat cat;
  cat.settings.chain[0].skip = {"ribbon"};
  ChainSettings ribbon;
  ribbon.root = "ribbon";
  cat.settings.chain.push_back(ribbon);
  const Rig rig = cat.rig();
  CHECK(nodesOfJoints(rig) == std::vector<int>{cat.tail0, cat.tail1, cat.ribbon, cat.tail2});
}

TEST_CASE("chains choose their colliders by name") {
  Cat cat;
  for (const std::string name : {"left", "right", "back"}) {
    ColliderSettings ball;
    ball.node = "hip";
    ball.name = name;
    cat.settings.collider.push_back(ball);
  }
  CHECK(cat.rig().colliders_of_chain[0] == std::vector<int>{0, 1, 2});
  cat.settings.chain[0].colliders = {"right", "l*"};
  CHECK(cat.rig().colliders_of_chain[0] == std::vector<int>{0, 1});
  cat.settings.chain[0].colliders = {"none"};
  CHECK(cat.rig().colliders_of_chain[0].empty());
  cat.settings.chain[0].colliders = {};
  CHECK(cat.rig().colliders_of_chain[0].empty());
  cat.settings.chain[0].colliders = {"bck"};
  const Error error = bakeError(cat.scene, cat.settings);
  CHECK(error.code == ErrorCode::kNotFound);
  CHECK(error.remedy.find("back") != std::string::npos);
}

TEST_CASE("a missing name is an error with the nearest name") {
  Cat cat;
  cat.settings.chain[0].root = "taill0";
  Error error = bakeError(cat.scene, cat.settings);
  CHECK(error.code == ErrorCode::kNotFound);
  CHECK(error.remedy.find("tail0") != std::string::npos);
  cat.settings.chain[0].root = "tail0";
  cat.settings.collider.push_back({});
  cat.settings.collider[0].node = "hips";
  error = bakeError(cat.scene, cat.settings);
  CHECK(error.code == ErrorCode::kNotFound);
  CHECK(error.remedy.find("'hip'") != std::string::npos);
}

TEST_CASE("contradictory recipes are errors") {
  Cat cat;
  cat.settings.chain.clear();
  CHECK(bakeError(cat.scene, cat.settings).code == ErrorCode::kRecipe);
  cat.settings = settingsFor("", DynamicBonesMethod::kSpring);
  CHECK(bakeError(cat.scene, cat.settings).code == ErrorCode::kRecipe);
  // One node in two chains.
  cat.settings = settingsFor("tail0", DynamicBonesMethod::kSpring);
  cat.settings.chain.push_back(cat.settings.chain[0]);
  cat.settings.chain[1].root = "tail2";
  CHECK(bakeError(cat.scene, cat.settings).code == ErrorCode::kRecipe);
  // Nothing to swing.
  cat.settings = settingsFor("tail_end", DynamicBonesMethod::kSpring);
  CHECK(bakeError(cat.scene, cat.settings).code == ErrorCode::kRecipe);
  // Several nodes for one collider; then one on a joint.
  cat.settings = settingsFor("tail0", DynamicBonesMethod::kSpring);
  cat.settings.collider.push_back({});
  cat.settings.collider[0].node = "tail*";
  CHECK(bakeError(cat.scene, cat.settings).code == ErrorCode::kRecipe);
  // One on a joint, for the method that poses all colliders before the chains.
  cat.settings.collider[0].node = "tail2";
  cat.settings.method = DynamicBonesMethod::kReference;
  CHECK(bakeError(cat.scene, cat.settings).code == ErrorCode::kUnsupported);
  cat.settings.method = DynamicBonesMethod::kSpring;
  cat.settings.collider[0].node = "hip";
  cat.settings.collider[0].offset_m = {1.0, 2.0};
  CHECK(bakeError(cat.scene, cat.settings).code == ErrorCode::kRecipe);
}

TEST_SUITE_END();
