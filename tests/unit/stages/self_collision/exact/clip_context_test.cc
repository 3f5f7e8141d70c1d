// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/clip_context.h"

#include "stages/self_collision/exact/forearms.h"

TEST_SUITE_BEGIN("self_collision.clip_context");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;
using namespace clipmill::stages::self_collision;

TEST_CASE("update measures what the whole corrected clip measures") {
  Forearms arms;
  arms.motion = arms.character.still(Forearms::kFrames);
  for (std::size_t frame = 0; frame < Forearms::kFrames; ++frame) {
    rotateOutwards(arms.character, arms.motion, frame, HumanoidRole::kLeftUpperArm, -90.0);
  }
  ClipContext clip = arms.clip();
  CHECK(clip.depths.sampleCount() == clip.base.count());
  const std::size_t limb = armsGroup(clip).limbs[0];
  CorrectionLayer layer = constantLayer(clip, {{limb}, {shiftBy(Vec3(0.3, 0.0, 0.0))}, 1.0}, 0.0);
  for (std::size_t s = 6; s < 12; ++s) layer.amounts[s] = 1.0;
  clip.stack.layers() = {layer};
  clip.update();
  SkinTrial trial = clip.trial.withoutPose();
  const DepthTable wanted = measureClip(clip.scene, clip.skin, clip.poser, clip.result,
                                        clip.source.tolerance_m, clip.is_cycle, trial)
                                .depths;
  bool differs = false;
  for (std::size_t s = 0; s < wanted.sampleCount(); ++s) {
    for (std::size_t p = 0; p < wanted.pairCount(); ++p) {
      CHECK(clip.depths.at(s, p).depth_m == wanted.at(s, p).depth_m);
      differs = differs || wanted.at(s, p).depth_m != clip.source.depths.at(s, p).depth_m;
    }
  }
  CHECK(differs);
  clip.stack.layers().clear();
  clip.update();
  CHECK(clip.result.locals == arms.motion.locals);
}

TEST_CASE("a clip of one frame has one sample and is no cycle") {
  Forearms arms;
  arms.motion = arms.character.still(1);
  const ClipContext clip = arms.clip();
  CHECK(clip.base.count() == 1);
  CHECK_FALSE(clip.is_cycle);
  CHECK(clip.windowsOf({true}) == std::vector<std::vector<std::size_t>>{{0}});
  CHECK(clip.windowsOf({false}).empty());
}

// An arm without a goal was moved out of penetration that the tolerance allows, because the other
// arm had one.
TEST_CASE("lower tolerances are for limbs that have a goal or penetrate by more than was asked") {
  const Forearms arms;
  retarget::ClipContacts contacts;
  contacts.goals.push_back({});
  contacts.goals[0].parts = "left arm - trunk";
  ClipContext clip(arms.character.scene(), arms.character.map, arms.skin, arms.settings,
                   arms.motion, &contacts);
  const std::vector<std::size_t> both = armsGroup(clip).limbs;
  REQUIRE(clip.poser.limb(both[0]).name == "left arm");
  const auto toleranceOf_m = [&](std::size_t limb) { return clip.toleranceOf_m({&limb, 1}); };
  const double lower_m = clip.source.tolerance_m, high_m = 100.0, low_m = 0.0;
  clip.lowerToleranceWhere(high_m);
  CHECK(toleranceOf_m(both[0]) == lower_m);
  CHECK(toleranceOf_m(both[1]) == high_m);
  CHECK(clip.toleranceOf_m(both) == high_m);
  clip.lowerToleranceWhere(low_m);
  CHECK(clip.toleranceOf_m(both) == lower_m);
}
