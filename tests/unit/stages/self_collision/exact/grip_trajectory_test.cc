// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/grip_trajectory.h"

#include <algorithm>
#include <cmath>

#include "stages/self_collision/exact/forearms.h"

TEST_SUITE_BEGIN("self_collision.grip_trajectory");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::penetration;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;

namespace {

constexpr std::size_t kFrameCount = 24;
constexpr double kMargin = 0.1;

BoxCharacterOptions withBelly() {
  BoxCharacterOptions options;
  options.trunk_front_m = 0.32;
  return options;
}

// Both arms of the box character are forward, with bent elbows and hands that sway as one body, in
// front of a belly that reaches forward over both forearms.
struct HeldThing {
  HeldThing() {
    const Vec3 up(0.0, 1.0, 0.0);
    for (std::size_t frame = 0; frame < kFrameCount; ++frame) {
      const double sway = 0.15 * std::sin(0.5 * static_cast<double>(frame));
      const auto set = [&](HumanoidRole role, double degrees) {
        localAt(motion, frame, character.at(role)).rotation = rotationAbout(up, degrees * kDegree);
      };
      set(HumanoidRole::kLeftUpperArm, -90.0 + 10.0 * sway);
      set(HumanoidRole::kRightUpperArm, 90.0 + 10.0 * sway);
      set(HumanoidRole::kLeftLowerArm, -25.0 + 10.0 * sway);
      set(HumanoidRole::kRightLowerArm, 25.0 + 10.0 * sway);
    }
    ContactSettings grip;
    grip.kind = ContactKind::kGrip;
    settings.contact = {grip};
    settings.max_jerk_ratio = 3.0;
  }
  ClipContext clip() const {
    return ClipContext(character.scene(), character.map, skin, settings, motion);
  }

  BoxCharacter character = boxCharacter(withBelly());
  Motion motion = character.still(kFrameCount);
  SelfPenetration skin = SelfPenetration::make(character.scene(), character.map).value();
  SelfCollisionSettings settings;
};

std::size_t penetratingFrames(const ClipContext& clip) {
  std::size_t count = 0;
  for (std::size_t s = 0; s < clip.depths.sampleCount(); s += 2) {
    count += clip.depths.maxDepth_m(s) > clip.source.tolerance_m ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("forearms stop penetrating, and the hands keep their relative transform") {
  const HeldThing held;
  ClipContext clip = held.clip();
  REQUIRE(penetratingFrames(clip) == kFrameCount);
  const PairGroup both = groupNamed(clip, "left arm and right arm");
  clip.stack.layers() = gripTrajectory(clip, both, 0, kMargin);
  REQUIRE_FALSE(clip.stack.layers().empty());
  clip.update();
  CHECK(penetratingFrames(clip) < kFrameCount / 4);
  CHECK(clip.stack.relativeJerk() <= 1.0);
  for (std::size_t frame = 0; frame < kFrameCount; ++frame) {
    std::vector<Affine> worlds;
    computeWorlds(clip.scene.skeleton, clip.result.localsOf(frame), clip.scene.metric_from_file,
                  worlds);
    const GripError error =
        gripError(clip.source.hands[2 * frame], relativeHands(clip.poser, worlds));
    CHECK(isGripKept(error, held.skin.height_m()));
    for (const std::size_t arm : *clip.poser.hands()) {
      for (const int joint : clip.poser.limb(arm).joints()) {
        const double rotation_rad =
            angleBetween(held.motion.localsOf(frame)[toSize(joint)].rotation,
                         clip.result.localsOf(frame)[toSize(joint)].rotation);
        CHECK(rotation_rad <= 60.0 * kDegree);
      }
    }
  }
}

TEST_CASE("a grip that is free has no trajectory") {
  HeldThing held;
  held.character = boxCharacter();
  held.skin = SelfPenetration::make(held.character.scene(), held.character.map).value();
  ClipContext clip = held.clip();
  REQUIRE(penetratingFrames(clip) == 0);
  CHECK(gripTrajectory(clip, groupNamed(clip, "left arm and right arm"), 0, kMargin).empty());
}
