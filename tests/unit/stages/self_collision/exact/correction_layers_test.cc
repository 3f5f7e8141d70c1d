// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/correction_layers.h"

#include <algorithm>

#include "stages/self_collision/exact/forearms.h"

TEST_SUITE_BEGIN("self_collision.correction_layers");

using namespace clipmill;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;
using namespace clipmill::stages::self_collision;

TEST_CASE("the change at a sample is the sum of all layers, and none where no layer is active") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  const std::size_t limb = armsGroup(clip).limbs[0];
  const Vec3 shift(0.1, 0.2, 0.3);
  CorrectionLayer first = constantLayer(clip, {{limb}, {shiftBy(shift)}, 1.0}, 0.25);
  CorrectionLayer second = constantLayer(clip, {{limb}, {shiftBy(shift)}, 1.0}, 0.5);
  first.amounts[3] = second.amounts[3] = 0.0;
  clip.stack.layers() = {first, second};
  CHECK(distance(clip.stack.at(5)[limb].shift, 0.75 * shift) < 1e-15);
  for (const LimbChange& change : clip.stack.at(3)) CHECK(change == kNoChange);
}

TEST_CASE("apply changes the frames of active samples only and marks only changed joints") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  const std::size_t limb = armsGroup(clip).limbs[0];
  CorrectionLayer layer = constantLayer(clip, {{limb}, {shiftBy(Vec3(0.1, 0.0, 0.0))}, 1.0}, 0.0);
  layer.amounts[8] = 1.0;  // frame 4
  clip.stack.layers() = {layer};
  const Motion motion = clip.stack.apply();
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    CHECK(std::ranges::equal(motion.localsOf(frame), arms.motion.localsOf(frame)) == (frame != 4));
  }
  const std::vector<int> joints = clip.poser.limb(limb).joints();
  for (int node = 0; node < static_cast<int>(motion.node_count); ++node) {
    const bool is_joint = std::find(joints.begin(), joints.end(), node) != joints.end();
    if (!is_joint) CHECK_FALSE(motion.modified.any(node));
  }
  CHECK(motion.modified.has(clip.poser.limb(limb).upper, TrackPath::kRotation));
}

TEST_CASE("the envelope of a cycle has one amount at both ends and covers what is required") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  REQUIRE(clip.is_cycle);
  const std::size_t limb = armsGroup(clip).limbs[0];
  CorrectionLayer layer = constantLayer(clip, {{limb}, {shiftBy(Vec3(0.01, 0.0, 0.0))}, 1.0}, 0.0);
  layer.required.back() = 0.5;
  clip.stack.layers() = {layer};
  clip.stack.fitEnvelope(0);
  const CorrectionLayer& fitted = clip.stack.layers()[0];
  CHECK(fitted.required.front() == 0.5);
  CHECK(fitted.amounts.front() == fitted.amounts.back());
  for (std::size_t s = 0; s < fitted.amounts.size(); ++s) {
    CHECK(fitted.amounts[s] >= fitted.required[s]);
  }
}

TEST_CASE("the jerk of a wrist and of a clavicle counts, but not that of a wrist in a grip") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  const auto relativeJerkWith = [&](const LimbChange& unit) {
    CorrectionLayer layer = constantLayer(clip, {{0}, {unit}}, 0.0);
    // A bump of one frame: the limbs are at rest in the source.
    layer.amounts[10] = 0.1;
    clip.stack.layers() = {layer};
    return clip.stack.relativeJerkOf(std::size_t{0});
  };
  LimbChange wrist, clavicle, grip;
  wrist.end_rotation = Vec3(0.3, 0.0, 0.0);
  clavicle.clavicle_rotation = Vec3(0.0, 0.0, 0.3);
  grip.grip_rotation = Vec3(0.0, 0.0, 1e-12);
  CHECK(relativeJerkWith(LimbChange{}) <= 1.0);
  CHECK(relativeJerkWith(wrist) > 1.0);
  CHECK(relativeJerkWith(clavicle) > 1.0);
  wrist.grip_rotation = grip.grip_rotation;
  CHECK(relativeJerkWith(wrist) <= 1.0);
}

// By rotation vectors alone, a clip that follows contacts of its source had 1.12 times the jerk of
// a shoulder by third differences of quaternions, where 1.10 is the limit.
TEST_CASE("with contacts of the source character the jerk limit holds by chords too") {
  const Forearms arms;
  const retarget::ClipContacts contacts;
  const auto relativeJerkWith = [&](const retarget::ClipContacts* of_source) {
    ClipContext clip(arms.character.scene(), arms.character.map, arms.skin, arms.settings,
                     arms.motion, of_source);
    LimbChange unit;
    unit.rotation = Vec3(0.0, 0.0, 1.0);
    CorrectionLayer layer = constantLayer(clip, {{0}, {unit}});
    // The limb is at rest in the source, and rotates at constant speed now.
    for (std::size_t s = 0; s < layer.amounts.size(); ++s) {
      layer.amounts[s] = 0.05 * static_cast<double>(s + 1);
    }
    clip.stack.layers() = {layer};
    return clip.stack.relativeJerkOf(std::size_t{0});
  };
  CHECK(relativeJerkWith(nullptr) <= 1.0);
  CHECK(relativeJerkWith(&contacts) > 1.0);
}
