// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "human_scene.h"
#include "humanoid/humanoid.h"

TEST_SUITE_BEGIN("humanoid.shape");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::test;
using enum clipmill::humanoid::HumanoidRole;

namespace {

const std::initializer_list<HumanoidRole> kCore = {
    kHips,         kSpine,         kHead,          kLeftUpperArm,  kLeftLowerArm,
    kLeftHand,     kRightUpperArm, kRightLowerArm, kRightHand,     kLeftUpperLeg,
    kLeftLowerLeg, kLeftFoot,      kRightUpperLeg, kRightLowerLeg, kRightFoot};

void checkCore(const HumanScene& human, const HumanoidMap& map) {
  for (HumanoidRole role : kCore) {
    CAPTURE(humanoidRoleName(role));
    CHECK(map[role] == human.at(role));
  }
}

// All of the character rotated and moved as one.
void rotate(Scene& scene, const Quat& rotation) {
  scene.skeleton.nodes[0].rest.rotation = rotation;
}

}  // namespace

TEST_CASE("Without names the shape identifies the core roles, left and right by the toes") {
  HumanScene human = humanScene(plainNames());
  numberNodes(human.scene);
  SUBCASE("as it is") {}
  SUBCASE("rotated") { rotate(human.scene, rotationAbout(Vec3(0, 1, 0), 2.5)); }
  SUBCASE("z up, in centimetres") {
    rotate(human.scene, rotationAbout(Vec3(1, 0, 0), kPi / 2));
    human.scene.metric_from_file.linear = Mat3(0.01) * Mat3(1, 0, 0, 0, 0, -1, 0, 1, 0);
    for (Node& node : human.scene.skeleton.nodes) node.rest.translation *= 100.0;
  }
  SUBCASE("all joints of a skin") { bindAll(human.scene); }
  const HumanoidMap map = findHumanoid(human.scene);
  checkCore(human, map);
  CHECK(map.origin == HumanoidMap::Origin::kTopology);
  CHECK(map.doubts.empty());
}

TEST_CASE("Without names skirt, hair and held objects are no limbs") {
  HumanScene human = humanScene(plainNames());
  Scene& scene = human.scene;
  for (const double side : {1.0, -1.0}) {
    int skirt = human.at(kHips), hair = human.at(kHead);
    for (int i = 1; i <= 4; ++i) {
      skirt = addAt(scene, "x", skirt, Vec3(side * (0.1 + 0.03 * i), 0.95 - 0.12 * i, 0.0));
      hair = addAt(scene, "x", hair, Vec3(side * (0.05 + 0.04 * i), 1.6 - 0.1 * i, -0.1));
    }
  }
  int whip = human.at(kRightHand);
  for (int i = 1; i <= 10; ++i) whip = addAt(scene, "x", whip, Vec3(-0.72 - 0.1 * i, 1.42, 0.0));
  numberNodes(scene);
  bindAll(scene);
  checkCore(human, findHumanoid(scene));
}

TEST_CASE("Without names twist joints, ankles of several joints and a jaw do not mislead") {
  HumanScene human = humanScene(plainNames());
  Scene& scene = human.scene;
  const int jaw = addAt(scene, "jaw", human.at(kHead), Vec3(0.0, 1.55, 0.08));
  addAt(scene, "tongue", jaw, Vec3(0.0, 1.55, 0.12));
  addAt(scene, "eye", human.at(kHead), Vec3(0.03, 1.62, 0.1));
  for (const auto& [hand, side] : {std::pair{kLeftHand, 1.0}, std::pair{kRightHand, -1.0}}) {
    for (const double z : {-0.03, 0.0, 0.03}) {
      const int finger = addAt(scene, "f", human.at(hand), Vec3(side * 0.8, 1.42, z));
      addAt(scene, "f", finger, Vec3(side * 0.84, 1.42, z));
    }
  }
  // Behind each ankle a short bone that points backwards, then the one to the toes.
  for (const auto& [foot, side] : {std::pair{kLeftFoot, 1.0}, std::pair{kRightFoot, -1.0}}) {
    const int heel = addAt(scene, "heel", human.at(foot), Vec3(side * 0.1, 0.06, -0.05));
    const int ball = addAt(scene, "ball", heel, Vec3(side * 0.1, 0.02, 0.12));
    addAt(scene, "end", ball, Vec3(side * 0.1, 0.02, 0.18));
  }
  numberNodes(scene);
  bindAll(scene);
  checkCore(human, findHumanoid(scene));
}

TEST_CASE("Hips are near the legs, not where the file has its origin") {
  // Legs that hang on the root beside the pelvis.
  for (const bool has_names : {true, false}) {
    HumanScene human = humanScene(plainNames());
    Scene& scene = human.scene;
    for (HumanoidRole role : {kLeftUpperLeg, kRightUpperLeg}) {
      Node& leg = scene.skeleton.nodes[toSize(human.at(role))];
      leg.rest.translation = positionOfRole(role);
      leg.parent = 0;
    }
    if (!has_names) numberNodes(scene);
    const HumanoidMap map = findHumanoid(scene);
    CHECK(map[kHips] == human.at(kHips));
    CHECK(map[kLeftFoot] == human.at(kLeftFoot));
    CHECK(map.doubts.size() == 2);  // the legs do not hang on the hips
  }
}

TEST_CASE("A character without a visible front is assumed to face +z, with a doubt") {
  RoleNames names = plainNames();
  for (HumanoidRole role : {kLeftToes, kRightToes, kLeftShoulder, kRightShoulder}) {
    names[toSize(role)] = "";
  }
  HumanScene human = humanScene(names);
  Scene& scene = human.scene;
  for (HumanoidRole role : {kLeftLowerLeg, kRightLowerLeg, kLeftFoot, kRightFoot}) {
    scene.skeleton.nodes[toSize(human.at(role))].rest.translation.z = 0.0;
  }
  numberNodes(scene);
  const HumanoidMap map = findHumanoid(scene);
  checkCore(human, map);
  REQUIRE(map.doubts.size() == 1);
  CHECK(map.doubts[0].find("+z") != std::string::npos);
}

TEST_CASE("A character folded at rest is measured in its bind pose") {
  for (const bool has_names : {true, false}) {
    HumanScene human = humanScene(plainNames());
    if (!has_names) numberNodes(human.scene);
    bindAll(human.scene);
    for (HumanoidRole role : {kLeftUpperLeg, kRightUpperLeg}) {
      human.scene.skeleton.nodes[toSize(human.at(role))].rest.rotation =
          rotationAbout(Vec3(1, 0, 0), -0.8 * kPi);
    }
    checkCore(human, findHumanoid(human.scene));
    human.scene.skins.clear();
    CHECK(findHumanoid(human.scene).origin == HumanoidMap::Origin::kNone);
  }
}

TEST_CASE("Sides that the names exchange are kept, with a doubt") {
  HumanScene human = humanScene(plainNames());
  for (Node& node : human.scene.skeleton.nodes) {
    if (node.name.starts_with("left")) {
      node.name.replace(0, 4, "right");
    } else if (node.name.starts_with("right")) {
      node.name.replace(0, 5, "left");
    }
  }
  const HumanoidMap map = findHumanoid(human.scene);
  CHECK(map[kLeftHand] == human.at(kRightHand));
  REQUIRE(map.doubts.size() == 1);
  CHECK(map.doubts[0].starts_with("left and right"));
  CHECK(map.confidence < 1.0);
}

TEST_CASE("A four-legged animal with human names is not human") {
  HumanScene human = humanScene(plainNames());
  Scene& scene = human.scene;
  // The trunk lies, the arms are below its front end.
  const auto position = [&](HumanoidRole role) -> Vec3& {
    return scene.skeleton.nodes[toSize(human.at(role))].rest.translation;
  };
  for (HumanoidRole role : {kSpine, kChest, kUpperChest, kNeck}) position(role) = Vec3(0, 0, 0.2);
  for (const auto& [upper, lower, hand, side] :
       {std::tuple{kLeftUpperArm, kLeftLowerArm, kLeftHand, 1.0},
        std::tuple{kRightUpperArm, kRightLowerArm, kRightHand, -1.0}}) {
    position(upper) = Vec3(0.1 * side, 0.0, 0.0);
    position(lower) = Vec3(0.0, -0.4, 0.0);
    position(hand) = Vec3(0.0, -0.4, 0.0);
  }
  for (HumanoidRole role : {kLeftShoulder, kRightShoulder}) position(role) = Vec3(0.0, 0.0, 0.05);
  CHECK(findHumanoid(scene).origin == HumanoidMap::Origin::kNone);
  CHECK(findHumanoid(scene).confidence == 0.0);
  numberNodes(scene);
  CHECK(findHumanoid(scene).origin == HumanoidMap::Origin::kNone);
}

TEST_CASE("Scenes without a character have no map") {
  CHECK(findHumanoid(Scene()).origin == HumanoidMap::Origin::kNone);
  Scene boxes;
  for (int i = 0; i < 30; ++i) addAt(boxes, "Box" + std::to_string(i), -1, Vec3(i, 0, 0));
  CHECK(findHumanoid(boxes).origin == HumanoidMap::Origin::kNone);
  Scene chain;
  for (int i = 0; i < 30; ++i) addAt(chain, "joint" + std::to_string(i), i - 1, Vec3(0, i, 0));
  CHECK(findHumanoid(chain).origin == HumanoidMap::Origin::kNone);
}

TEST_CASE("NaN and infinite positions are tolerated") {
  HumanScene human = humanScene(plainNames());
  bindAll(human.scene);
  human.scene.skins[0].joint_from_bind[3].linear = Mat3(0.0);
  checkCore(human, findHumanoid(human.scene));
  numberNodes(human.scene);
  for (Node& node : human.scene.skeleton.nodes) {
    node.rest.translation = Vec3(std::numeric_limits<double>::quiet_NaN());
  }
  CHECK(findHumanoid(human.scene).origin == HumanoidMap::Origin::kNone);
}

TEST_CASE("Body axes rotate with the body") {
  HumanScene human = humanScene(plainNames());
  const HumanoidMap map = findHumanoid(human.scene);
  const Quat rotation = rotationAbout(glm::normalize(Vec3(1, 2, 3)), 1.9);
  rotate(human.scene, rotation);
  std::vector<Affine> worlds;
  computeWorlds(human.scene.skeleton, restPose(human.scene.skeleton).locals, Affine(), worlds);
  const auto axes = bodyAxes(map, worlds);
  REQUIRE(axes.has_value());
  CHECK(distance(axes->lateral, rotation * Vec3(1, 0, 0)) < 1e-12);
  CHECK(distance(axes->up, rotation * Vec3(0, 1, 0)) < 1e-12);
  CHECK(distance(axes->forward, rotation * Vec3(0, 0, 1)) < 1e-12);
  CHECK(!bodyAxes(HumanoidMap(), worlds).has_value());
}

TEST_SUITE_END();
