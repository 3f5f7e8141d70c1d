// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/pose_limits.h"

#include <cmath>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "stages/self_collision/box_character.h"

TEST_SUITE_BEGIN("self_collision.pose_limits");

using namespace clipmill;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;

namespace {

struct Boxes {
  Boxes()
      : motion(character.still(2)),
        limbs(movableLimbs(character.scene().skeleton, character.map)) {}

  PoseLimitInputs inputs(double depth_m, bool is_planted) const {
    PoseLimitInputs inputs{30.0 * kDegree, 1.7, {}, {}, {}};
    for (const MovableLimb& limb : limbs) {
      inputs.depth_m.push_back(limb.is_leg ? std::vector<double>(3, depth_m)
                                           : std::vector<double>());
      inputs.is_planted.emplace_back(3, limb.is_leg && is_planted);
    }
    return inputs;
  }

  BoxCharacter character = boxCharacter();
  Motion motion;
  std::vector<MovableLimb> limbs;
  LimbPoser poser{character.scene(), character.map, limbs};
};

LimbChange rotationBy(double angle_deg) {
  LimbChange change;
  change.rotation = Vec3(0.0, 0.0, angle_deg * kDegree);
  return change;
}

constexpr std::size_t kArm = 0, kLeg = 2;

}  // namespace

TEST_CASE("an arm rotates up to the angle of the limit") {
  const Boxes boxes;
  PoseLimits limits(boxes.character.scene(), boxes.poser, boxes.motion, boxes.inputs(0.0, false));
  CHECK(limits.use(kArm, 0, rotationBy(15.0)).largest() == doctest::Approx(0.5));
  CHECK(limits.use(kArm, 1, rotationBy(15.0)).joint == boxes.limbs[kArm].upper);
  CHECK(limits.use(kArm, 2, rotationBy(45.0)).nearest() == PoseLimit::kRotation);
  CHECK(limits.use(kArm, 0, kNoChange).largest() == 0.0);
  // 10 degrees are taken; 20 are left, which is two thirds of a unit of 30.
  CHECK(limits.maxAmount(kArm, 0, rotationBy(10.0), rotationBy(30.0), 1.0) ==
        nearTo(2.0 / 3.0, 1e-3));
  CHECK(limits.maxAmount(kArm, 0, rotationBy(10.0), rotationBy(30.0), 0.5) == 0.5);
  CHECK(limits.maxAmount(kArm, 0, rotationBy(40.0), rotationBy(30.0), 0.5) == 0.0);
}

// The ankle of a straight leg of length l that rotates by a moves by 2 l sin(a / 2).
TEST_CASE("a leg moves as far as its depth asks for, and a planted foot not at all") {
  const Boxes boxes;
  REQUIRE(boxes.limbs[kLeg].is_leg);
  const Scene& scene = boxes.character.scene();
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, Affine{}, worlds);
  const auto at = [&](int node) { return worlds[toSize(node)].translation; };
  const double length_m = distance(at(boxes.limbs[kLeg].upper), at(boxes.limbs[kLeg].end));
  const double depth_m = 0.02;
  PoseLimits free(scene, boxes.poser, boxes.motion, boxes.inputs(depth_m, false));
  const double moved_m = 2.0 * length_m * std::sin(5.0 * kDegree);
  const double rotated_m = length_m * 10.0 * kDegree;  // of the hip, a little more than the chord
  const LimitUse use = free.use(kLeg, 0, rotationBy(10.0));
  CHECK(use.ratio[1] == nearTo(rotated_m / (6.0 * depth_m + 0.017), 5e-3));
  CHECK(use.ratio[1] > 1.0);
  CHECK(use.nearest() == PoseLimit::kDepth);
  CHECK(use.ratio[2] == 0.0);
  PoseLimits planted(scene, boxes.poser, boxes.motion, boxes.inputs(depth_m, true));
  CHECK(planted.use(kLeg, 0, rotationBy(10.0)).ratio[2] == nearTo(moved_m / (0.005 * 1.7), 1e-3));
  CHECK(planted.use(kLeg, 0, rotationBy(10.0)).nearest() == PoseLimit::kPlantedFoot);
}

TEST_CASE("in a grip a hand may not leave the rigid motion of both hands") {
  Boxes boxes;
  const Vec3 up(0.0, 1.0, 0.0);
  for (std::size_t frame = 0; frame < 2; ++frame) {
    for (const std::size_t arm : {0u, 1u}) {
      localAt(boxes.motion, frame, boxes.limbs[arm].lower).rotation =
          rotationAbout(up, (arm == 0 ? -60.0 : 60.0) * kDegree);
    }
  }
  PoseLimitInputs inputs = boxes.inputs(0.0, false);
  inputs.is_gripped.assign(3, true);
  inputs.is_gripped[2] = false;
  PoseLimits limits(boxes.character.scene(), boxes.poser, boxes.motion, inputs);
  LimbChange together;
  together.grip_shift = Vec3(0.0, 0.04, 0.02);
  together.grip_rotation = Vec3(0.0, 0.05, 0.0);
  together.swivel = 0.1;
  CHECK(limits.use(kArm, 0, together).largest() <= 1.0);
  // Out of reach, so that the hand stays behind.
  together.grip_shift = Vec3(0.0, 0.0, 1.5);
  CHECK(limits.use(kArm, 0, together).nearest() == PoseLimit::kGrip);
  // One degree moves the hand, which is 0.41 m beside the shoulder, by 7.2 mm; it may move by half
  // of 0.2 % of 1.7 m.
  const LimitUse alone = limits.use(kArm, 0, rotationBy(1.0));
  CHECK(alone.nearest() == PoseLimit::kGrip);
  CHECK(alone.largest() == nearTo(0.41 * kDegree / 0.0017, 0.03));
  CHECK(limits.use(kArm, 2, rotationBy(1.0)).nearest() == PoseLimit::kRotation);

  // Of a pose that was written: both hands together may err by 0.2 %.
  std::vector<Transform> locals(boxes.motion.localsOf(0).begin(), boxes.motion.localsOf(0).end());
  CHECK(limits.gripUse(0, locals) == 0.0);
  locals[toSize(boxes.limbs[kArm].upper)].rotation =
      rotationAbout(Vec3(0.0, 0.0, 1.0), 1.0 * kDegree);
  CHECK(limits.gripUse(0, locals) == nearTo(0.41 * kDegree / 0.0034, 0.03));
  CHECK(limits.gripUse(2, locals) == 0.0);

  // Hands that are held elsewhere: what moved one there is no error.
  std::vector<Affine> base, moved;
  const Scene& scene = boxes.character.scene();
  computeWorlds(scene.skeleton, boxes.motion.localsOf(0), scene.metric_from_file, base);
  locals.assign(boxes.motion.localsOf(0).begin(), boxes.motion.localsOf(0).end());
  boxes.poser.apply(kArm, rotationBy(1.0), base, locals);
  computeWorlds(scene.skeleton, locals, scene.metric_from_file, moved);
  const auto handAt = [&](std::size_t arm) { return moved[toSize(boxes.limbs[arm].end)]; };
  limits.hold(std::vector<PoseLimits::Hands>(3, {handAt(0), handAt(1)}));
  const auto gripOf = [&](double angle_deg) {
    return limits.use(kArm, 0, rotationBy(angle_deg))
        .ratio[static_cast<std::size_t>(PoseLimit::kGrip)];
  };
  CHECK(gripOf(1.0) < 1e-6);
  CHECK(gripOf(2.0) == nearTo(0.41 * kDegree / 0.0017, 0.03));
  CHECK(limits.gripUse(0, locals) < 1e-6);
  CHECK(limits.gripUse(0, boxes.motion.localsOf(0)) == nearTo(0.41 * kDegree / 0.0034, 0.03));
  limits.letGo(true);
  CHECK(gripOf(2.0) == 0.0);
  CHECK(limits.gripUse(0, boxes.motion.localsOf(0)) == 0.0);
}
