// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/rest_alignment.h"

#include "checks.h"
#include "human_scene.h"

TEST_SUITE_BEGIN("retarget.rest_alignment");

namespace {

using namespace clipmill;
using namespace clipmill::retarget;
using namespace clipmill::test;
using enum humanoid::HumanoidRole;

// A character that was bound in T-pose. The hips are the topmost joint of its skin.
HumanScene boundCharacter() {
  HumanScene human = humanScene(plainNames());
  bindAll(human.scene);
  Skin& skin = human.scene.skins.front();
  skin.joints.erase(skin.joints.begin());  // Root
  skin.joint_from_bind.erase(skin.joint_from_bind.begin());
  return human;
}

}  // namespace

TEST_CASE("A character whose file stores a frame of motion has the pose of its bind") {
  HumanScene human = boundCharacter();
  const std::vector<Transform> bound = restPose(human.scene.skeleton).locals;
  const auto hips = toSize(human.at(kHips));
  Transform& rest = human.scene.skeleton.nodes[hips].rest;
  rest.translation += Vec3(0.02, -0.05, 0.3);
  rest.rotation = rotationAbout(Vec3(1, 0, 0), 0.3);
  const std::vector<Transform> locals = bindLocals(human.scene);
  for (std::size_t n = 0; n < locals.size(); ++n) {
    CAPTURE(n);
    CHECK(distance(locals[n].translation, bound[n].translation) < 1e-12);
    CHECK(distance(locals[n].rotation, bound[n].rotation) < 1e-12);
  }
}

TEST_CASE("Under a node with a scale, the space of that node is where the skin was bound") {
  HumanScene human = boundCharacter();
  const std::vector<Transform> bound = restPose(human.scene.skeleton).locals;
  human.scene.skeleton.nodes[0].rest.scale = Vec3(0.01);
  human.scene.skeleton.nodes[toSize(human.at(kHips))].rest.translation.y -= 0.1;
  const std::vector<Transform> locals = bindLocals(human.scene);
  CHECK(distance(locals[toSize(human.at(kHips))].translation,
                 bound[toSize(human.at(kHips))].translation) < 1e-12);
}

TEST_CASE("A skin that was bound elsewhere, or about another axis, leaves the hips at rest") {
  HumanScene away = boundCharacter();
  const auto hips = toSize(away.at(kHips));
  Transform& rest = away.scene.skeleton.nodes[hips].rest;
  rest.translation.x += 5.0;
  CHECK(bindLocals(away.scene)[hips] == rest);
  HumanScene lying = boundCharacter();
  Transform& rotated = lying.scene.skeleton.nodes[hips].rest;
  rotated.rotation = rotationAbout(Vec3(1, 0, 0), 0.5 * kPi);
  CHECK(bindLocals(lying.scene)[hips] == rotated);
}
