// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/vrm_animation.h"

#include <array>

#include "checks.h"
#include "core/to_size.h"
#include "humanoid/make_character.h"
#include "retarget/clip_transfer.h"

TEST_SUITE_BEGIN("retarget.vrm_animation");

namespace {

using namespace clipmill;
using namespace clipmill::retarget;
using namespace clipmill::test;
using Role = humanoid::HumanoidRole;

int nodeOf(const Scene& scene, const std::string& role) {
  for (const DeclaredRole& declared : scene.humanoid) {
    if (declared.role == role) return declared.node;
  }
  return -1;
}

VrmAnimation animationOf(const Scene& scene) {
  const int clips[] = {0};
  auto result = vrmAnimationOf(scene, clips, 0.0, {});
  CHECK_OK(result);
  return std::move(*result);
}

}  // namespace

TEST_CASE(
    "The rest pose of a VRM animation is a T-pose that faces +z, of the character's lengths") {
  CharacterOptions options;
  options.arms_down_rad = 0.8;
  options.rotation_rad = 1.9;
  options.roll_rad = 0.7;
  Character character = makeCharacter(options);
  Motion dance = danceOf(character);
  dance.modified = character.scene.clips[0].animated;
  character.scene.clips = {clipOf(character.scene.skeleton, dance)};
  const VrmAnimation animation = animationOf(character.scene);
  const Scene& scene = animation.scene;
  std::vector<Affine> rest;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, {}, rest);
  const auto bone = [&](const char* from, const char* to) {
    return rest[toSize(nodeOf(scene, to))].translation -
           rest[toSize(nodeOf(scene, from))].translation;
  };
  for (const Node& node : scene.skeleton.nodes) CHECK(node.rest.rotation == kIdentityRotation);
  CHECK(lengthOf(bone("leftUpperArm", "leftLowerArm") - Vec3(0.28, 0, 0)) < 1e-9);
  CHECK(lengthOf(bone("rightLowerArm", "rightHand") - Vec3(-0.25, 0, 0)) < 1e-9);
  CHECK(std::fabs(bone("leftUpperLeg", "leftFoot").x) < 1e-9);
  CHECK(std::fabs(bone("leftUpperLeg", "leftFoot").z) < 1e-9);
  CHECK(std::fabs(rest[toSize(nodeOf(scene, "leftFoot"))].translation.y - 0.08) < 1e-9);
  CHECK(bone("leftFoot", "leftToes").z > 0.1);
}

TEST_CASE("Limbs of a VRM animation point where those of the clip do") {
  CharacterOptions options;
  options.arms_down_rad = 0.8;
  options.roll_rad = 0.7;
  Character character = makeCharacter(options);
  Motion dance = danceOf(character);
  dance.modified = character.scene.clips[0].animated;
  character.scene.clips = {clipOf(character.scene.skeleton, dance)};
  const VrmAnimation animation = animationOf(character.scene);
  const Scene& scene = animation.scene;
  const Motion moved = sampleClip(scene.skeleton, scene.clips[0], 0, dance.grid);
  struct Limb {
    Role from, to;
  };
  for (const Limb& limb : {Limb{Role::kLeftUpperArm, Role::kLeftLowerArm},
                           Limb{Role::kRightLowerArm, Role::kRightHand},
                           Limb{Role::kLeftUpperLeg, Role::kLeftLowerLeg},
                           Limb{Role::kRightLowerLeg, Role::kRightFoot}}) {
    for (std::size_t f = 0; f < dance.grid.frame_count; ++f) {
      const auto before = positionsIn(character.scene, dance, f),
                 after = positionsIn(scene, moved, f);
      const auto at = [&](Role role) {
        return after[toSize(nodeOf(scene, humanoid::humanoidRoleName(role)))];
      };
      const Vec3 wanted =
          before[toSize(character.map[limb.to])] - before[toSize(character.map[limb.from])];
      CHECK(angleBetween(wanted, at(limb.to) - at(limb.from)) < 1e-6);
    }
  }
  // Only the hips have positions.
  for (std::size_t n = 1; n < scene.skeleton.size(); ++n) {
    CHECK(!scene.clips[0].animated.has(static_cast<int>(n), TrackPath::kTranslation));
  }
}

TEST_CASE("A file without a human character gives no VRM animation") {
  Scene scene;
  Node node;
  node.name = "Box";
  scene.skeleton.nodes.push_back(node);
  Clip clip;
  clip.animated = TrackMask(1);
  clip.source = keyframeSource(scene.skeleton, {});
  scene.clips.push_back(clip);
  const int clips[] = {0};
  const auto result = vrmAnimationOf(scene, clips, 0.0, {});
  REQUIRE(!result.ok());
  CHECK(result.error().code == ErrorCode::kUnsupported);
}

TEST_SUITE_END();
