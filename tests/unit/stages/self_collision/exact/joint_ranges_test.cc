// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/joint_ranges.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "stages/self_collision/box_character.h"
#include "stages/self_collision/exact/pose_limits.h"

TEST_SUITE_BEGIN("self_collision.joint_ranges");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;

namespace {

const Vec3 kUp(0.0, 1.0, 0.0), kForward(0.0, 0.0, 1.0), kLateral(1.0, 0.0, 0.0);
constexpr std::size_t kLeftArm = 0, kRightArm = 1, kLeftLeg = 2;

// Of the box character at bind: elbows and knees are 0.01 and 0.02 to 0.04 m off the straight line.
const double kElbow = (std::atan2(0.01, 0.28) + std::atan2(0.01, 0.26)) / kDegree;
const double kKnee = (std::atan2(0.02, 0.42) + std::atan2(0.04, 0.42)) / kDegree;

struct Human {
  explicit Human(const BoxCharacterOptions& options = {}) : character(boxCharacter(options)) {
    for (const Node& node : character.scene().skeleton.nodes) locals.push_back(node.rest);
  }

  void rotate(HumanoidRole role, const Vec3& axis, double degrees) {
    Quat& rotation = locals[toSize(character.at(role))].rotation;
    rotation = rotationAbout(axis, degrees * kDegree) * rotation;
  }

  LimbAngles angles(std::size_t limb) const {
    std::vector<Affine> worlds;
    computeWorlds(character.scene().skeleton, locals, character.scene().metric_from_file, worlds);
    return JointRanges(character.scene(), character.map, poser).anglesOf(limb, worlds);
  }

  double degrees(std::size_t limb, LimbAngle angle) const {
    return angles(limb)[toSize(angle)] / kDegree;
  }

  PoseLimits limits(bool with_ranges = true) {
    motion = character.still(2);
    for (std::size_t frame = 0; frame < 2; ++frame) {
      for (std::size_t i = 0; i < locals.size(); ++i) {
        localAt(motion, frame, static_cast<int>(i)) = locals[i];
      }
    }
    PoseLimitInputs inputs{kPi, 1.7, {}, {}, {}};
    inputs.depth_m.resize(poser.limbCount());
    inputs.is_planted.assign(poser.limbCount(), std::vector<bool>(3, false));
    if (with_ranges) inputs.ranges.emplace(character.scene(), character.map, poser);
    return PoseLimits(character.scene(), poser, motion, std::move(inputs));
  }

  BoxCharacter character;
  std::vector<MovableLimb> limbs = movableLimbs(character.scene().skeleton, character.map);
  LimbPoser poser{character.scene(), character.map, limbs};
  Motion motion;
  std::vector<Transform> locals;
};

LimbAngles only(LimbAngle angle, double degrees) {
  LimbAngles angles{};
  angles[toSize(angle)] = degrees * kDegree;
  return angles;
}

double ratioOf(LimbAngle angle, double from_deg, double to_deg) {
  return useOfRange(angle, only(angle, from_deg), only(angle, to_deg)).ratio;
}

}  // namespace

TEST_CASE("a change uses the share of what the source leaves of a range") {
  const LimbAngle forearm = LimbAngle::kForearmRotation;  // -86 to 92 degrees
  CHECK(ratioOf(forearm, 0.0, 46.0) == doctest::Approx(0.5));
  CHECK(ratioOf(forearm, 0.0, -43.0) == doctest::Approx(0.5));
  CHECK(ratioOf(forearm, 82.0, 92.0) == doctest::Approx(1.0));
  CHECK(ratioOf(forearm, 82.0, 102.0) == doctest::Approx(2.0));
  CHECK(ratioOf(forearm, 50.0, 50.0) == 0.0);
  // A source that is beyond the range: half a degree farther, and back from there.
  CHECK(ratioOf(forearm, 120.0, 121.0) == doctest::Approx(2.0));
  CHECK(ratioOf(forearm, 120.0, 17.0) == doctest::Approx(0.5));
  // Across 180 degrees.
  CHECK(ratioOf(forearm, 179.9, -179.9) == doctest::Approx(0.4));
  LimbAngles undetermined = only(forearm, 200.0);
  undetermined[toSize(forearm)] = std::nan("");
  CHECK(useOfRange(forearm, only(forearm, 0.0), undetermined).ratio == 0.0);
  CHECK(useOfRange(forearm, undetermined, only(forearm, 150.0)).ratio == 0.0);
  // The largest of all angles.
  LimbAngles changed = only(forearm, 46.0);
  changed[toSize(LimbAngle::kElbowFlexion)] = -8.0 * kDegree;
  CHECK(largestUseOfRanges({}, changed).angle == LimbAngle::kElbowFlexion);
  CHECK(largestUseOfRanges({}, changed).ratio == doctest::Approx(0.8));
}

TEST_CASE("elbows flex forwards and knees backwards, by the angle between their bones") {
  Human human;
  CHECK(human.degrees(kLeftArm, LimbAngle::kElbowFlexion) == nearTo(kElbow, 1e-9));
  CHECK(human.degrees(kLeftLeg, LimbAngle::kKneeFlexion) == nearTo(kKnee, 0.1));
  human.rotate(HumanoidRole::kLeftLowerArm, kUp, -70.0);
  human.rotate(HumanoidRole::kRightLowerArm, kUp, -30.0);      // backwards
  human.rotate(HumanoidRole::kLeftLowerLeg, kLateral, -25.0);  // forwards
  CHECK(human.degrees(kLeftArm, LimbAngle::kElbowFlexion) == nearTo(kElbow + 70.0, 1e-9));
  CHECK(human.degrees(kRightArm, LimbAngle::kElbowFlexion) == nearTo(kElbow - 30.0, 1e-9));
  CHECK(human.degrees(kLeftLeg, LimbAngle::kKneeFlexion) == nearTo(kKnee - 25.0, 0.1));
  // The elbow is straight at bind, so that its plane is unknown; the knee is not.
  CHECK(std::isnan(human.degrees(kLeftArm, LimbAngle::kElbowSideways)));
  Human sideways;
  CHECK(sideways.degrees(kLeftLeg, LimbAngle::kKneeSideways) == nearTo(0.0, 1e-9));
  sideways.rotate(HumanoidRole::kLeftLowerLeg, kForward, 20.0);
  CHECK(std::abs(sideways.degrees(kLeftLeg, LimbAngle::kKneeSideways)) == nearTo(20.0, 0.5));
}

TEST_CASE("a forearm supinates where the thumb goes up, by forearm or hand") {
  Human human;
  for (const HumanoidRole role : {HumanoidRole::kLeftLowerArm, HumanoidRole::kLeftHand}) {
    human.rotate(role, kLateral, -30.0);  // forward goes up
  }
  human.rotate(HumanoidRole::kRightHand, kLateral, 40.0);  // forward goes down
  CHECK(human.degrees(kLeftArm, LimbAngle::kForearmRotation) == nearTo(60.0, 0.2));
  CHECK(human.degrees(kRightArm, LimbAngle::kForearmRotation) == nearTo(-40.0, 0.2));
  CHECK(human.degrees(kRightArm, LimbAngle::kWristBend) < 3.0);
}

TEST_CASE("a wrist bends less to the thumb than to the little finger, and most in flexion") {
  for (const auto& [arm, role, side] : {std::tuple(kLeftArm, HumanoidRole::kLeftHand, 1.0),
                                        std::tuple(kRightArm, HumanoidRole::kRightHand, -1.0)}) {
    Human human;
    human.rotate(role, kUp, -16.0 * side);
    CHECK(human.degrees(arm, LimbAngle::kWristBend) == nearTo(85.0 / 2.0, 1e-6));
    human.rotate(role, kUp, (16.0 + 23.0) * side);
    CHECK(human.degrees(arm, LimbAngle::kWristBend) == nearTo(85.0 / 2.0, 1e-6));
    Human flexed;
    flexed.rotate(role, kForward, 50.0);
    CHECK(flexed.degrees(arm, LimbAngle::kWristBend) == nearTo(50.0, 0.5));
  }
}

TEST_CASE("the upper arm swings about the direction between sideways and forward") {
  Human human;
  CHECK(human.degrees(kLeftArm, LimbAngle::kShoulderSwing) ==
        nearTo(45.0 + std::atan2(0.01, 0.28) / kDegree, 1e-9));
  human.rotate(HumanoidRole::kLeftUpperArm, kUp, 30.0);         // backwards
  human.rotate(HumanoidRole::kRightUpperArm, kLateral, -50.0);  // elbow flexes upwards: outwards
  CHECK(human.degrees(kLeftArm, LimbAngle::kShoulderSwing) ==
        nearTo(75.0 + std::atan2(0.01, 0.28) / kDegree, 1e-9));
  CHECK(human.degrees(kRightArm, LimbAngle::kShoulderRotation) == nearTo(50.0, 0.2));
  CHECK(human.degrees(kLeftArm, LimbAngle::kShoulderRotation) == nearTo(0.0, 0.2));
}

TEST_CASE("units and the rotation of the root do not matter") {
  BoxCharacterOptions options;
  options.units_per_metre = 100.0;
  options.root.rotation = rotationAbout(unitOrZero(Vec3(1.0, 2.0, -0.5)), 1.3);
  Human plain, rotated(options);
  for (Human* human : {&plain, &rotated}) {
    human->rotate(HumanoidRole::kLeftLowerArm, unitOrZero(Vec3(0.3, -1.0, 0.2)), 50.0);
    human->rotate(HumanoidRole::kLeftHand, unitOrZero(Vec3(0.5, 0.3, 0.6)), 40.0);
    human->rotate(HumanoidRole::kLeftUpperArm, unitOrZero(Vec3(0.5, 0.3, 0.6)), 30.0);
  }
  const LimbAngles from = plain.angles(kLeftArm), to = rotated.angles(kLeftArm);
  for (std::size_t i = 0; i < kLimbAngleCount; ++i) {
    if (!std::isnan(from[i])) CHECK(to[i] == nearTo(from[i], 1e-9));
  }
}

TEST_CASE("a pose uses the range of an elbow by its share of 10 degrees of hyperextension") {
  Human human;
  PoseLimits limits = human.limits();
  human.rotate(HumanoidRole::kLeftLowerArm, kUp, 7.0);  // backwards
  const LimitUse use = limits.use(kLeftArm, 0, std::span<const Transform>(human.locals));
  CHECK(use.ratio[toSize(PoseLimit::kRange)] == nearTo(7.0 / (10.0 + kElbow), 1e-6));
  CHECK(use.range_joint == human.limbs[kLeftArm].lower);
  human.rotate(HumanoidRole::kLeftLowerArm, kUp, 8.0);
  CHECK(limits.use(kLeftArm, 0, std::span<const Transform>(human.locals)).nearest() ==
        PoseLimit::kRange);
}

// A wrist that is shifted towards the shoulder bends the elbow to the side to which it is bent.
TEST_CASE("an elbow that is hyperextended in the source goes no farther") {
  LimbChange inwards;
  inwards.shift = Vec3(-0.3, 0.0, 0.0);
  Human human;
  human.rotate(HumanoidRole::kLeftLowerArm, kUp, 25.0 + kElbow);
  const auto flexionWith = [&](PoseLimits& limits) {
    const double amount = limits.maxAmount(kLeftArm, 0, kNoChange, inwards, 1.0);
    return human.limits().anglesOf(kLeftArm, 0,
                                   inwards * amount)[toSize(LimbAngle::kElbowFlexion)] /
           kDegree;
  };
  PoseLimits limits = human.limits();
  CHECK(flexionWith(limits) == nearTo(-25.5, 0.05));
  PoseLimits without = human.limits(false);
  CHECK(flexionWith(without) < -60.0);
}

TEST_CASE("a hand rotates about the forearm up to the ends of its range") {
  Human human;
  PoseLimits limits = human.limits();
  const auto largest = [&](const Vec3& axis) {
    LimbChange change;
    change.end_rotation = axis;
    return limits.maxAmount(kLeftArm, 0, kNoChange, change, 2.5) / kDegree;
  };
  CHECK(largest(-kLateral) == nearTo(92.0, 0.2));
  CHECK(largest(kLateral) == nearTo(86.0, 0.2));
  CHECK(largest(-kUp) == nearTo(32.0, 0.05));  // to the thumb
  CHECK(largest(kUp) == nearTo(46.0, 0.05));
  LimbChange twisted;
  twisted.end_rotation = -2.0 * kLateral;
  CHECK(limits.use(kLeftArm, 0, twisted).nearest() == PoseLimit::kRange);
  CHECK(limits.use(kLeftArm, 0, twisted).range_joint == human.limbs[kLeftArm].end);
}
