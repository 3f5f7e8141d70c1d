// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/hand_grips.h"

#include <array>
#include <cmath>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "stages/self_collision/box_character.h"
#include "stages/self_collision/exact/relative_hands.h"

TEST_SUITE_BEGIN("self_collision.hand_grips");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;

namespace {

constexpr std::size_t kFrames = 20;
constexpr double kHeight_m = 1.7;

// The box character with skin on its hands and both arms stretched forward: the hands are about
// (0.18, 1.42, 0.59) and (-0.18, 1.42, 0.59).
struct Stretched {
  Stretched() : motion(character.still(kFrames)) {
    const Vec3 low(0.72, 1.38, -0.04), high(0.82, 1.46, 0.04);
    character.scene().meshes.push_back(meshOf(
        {{HumanoidRole::kLeftHand, low, high},
         {HumanoidRole::kRightHand, Vec3(-high.x, low.y, low.z), Vec3(-low.x, high.y, high.z)}},
        character.human));
    const Vec3 up(0.0, 1.0, 0.0);
    for (std::size_t frame = 0; frame < kFrames; ++frame) {
      localAt(motion, frame, character.at(HumanoidRole::kLeftUpperArm)).rotation =
          rotationAbout(up, -90.0 * kDegree);
      localAt(motion, frame, character.at(HumanoidRole::kRightUpperArm)).rotation =
          rotationAbout(up, 90.0 * kDegree);
    }
  }

  // A box in world space at frame 0 that the right hand holds.
  void hold(const Vec3& low, const Vec3& high) {
    std::vector<Affine> worlds;
    computeWorlds(character.scene().skeleton, motion.localsOf(0), Affine(), worlds);
    const int hand = character.at(HumanoidRole::kRightHand);
    SkinnedMesh prop = meshOf({{HumanoidRole::kRightHand, low, high}}, character.human);
    prop.node = hand;
    prop.skin = -1;
    prop.influences.clear();
    prop.influence_start.clear();
    for (Vec3& position : prop.positions) {
      position = transformPoint(inverse(worlds[toSize(hand)]), position);
    }
    character.scene().meshes.push_back(std::move(prop));
  }

  LimbPoser poser() const {
    return {character.scene(), character.map,
            movableLimbs(character.scene().skeleton, character.map)};
  }
  std::vector<GripSpan> grips() const {
    return findHandGrips(character.scene(), poser(), motion, kHeight_m);
  }

  BoxCharacter character = boxCharacter();
  Motion motion;
};

}  // namespace

TEST_CASE("a bar through both hands is a grip over the whole clip") {
  Stretched hands;
  CHECK(hands.grips().empty());
  hands.hold(Vec3(-0.45, 1.41, 0.58), Vec3(0.45, 1.43, 0.6));
  const auto grips = hands.grips();
  REQUIRE(grips.size() == 1);
  CHECK(grips[0].kind == GripKind::kProp);
  CHECK(grips[0].prop == hands.character.at(HumanoidRole::kRightHand));
  CHECK(grips[0].window == Window{0, 2 * kFrames - 2});
  const auto is_gripped = grippedSamples(grips, 2 * kFrames - 1);
  CHECK(is_gripped == std::vector<bool>(2 * kFrames - 1, true));
}

TEST_CASE("a cup, a shield and a bar beside or far from the other hand are no grip") {
  const std::array<std::array<Vec3, 2>, 4> boxes = {{
      {Vec3(-0.1, 1.35, 0.52), Vec3(0.22, 1.49, 0.66)},   // between the hands, 0.32 m long
      {Vec3(-0.4, 1.0, 0.58), Vec3(0.4, 1.8, 0.6)},       // as high as long
      {Vec3(-0.45, 1.41, 0.69), Vec3(0.45, 1.43, 0.71)},  // 5 cm in front of the hands
      {Vec3(-0.95, 1.41, 0.58), Vec3(0.0, 1.43, 0.6)},    // in the right hand only
  }};
  for (const auto& [low, high] : boxes) {
    Stretched hands;
    hands.hold(low, high);
    CHECK(hands.grips().empty());
  }
}

TEST_CASE("a grip ends where the hand lets go, and short ones do not count") {
  for (const std::size_t held_frames : {std::size_t{12}, std::size_t{4}}) {
    Stretched hands;
    hands.hold(Vec3(-0.45, 1.41, 0.58), Vec3(0.45, 1.43, 0.6));
    for (std::size_t frame = held_frames; frame < kFrames; ++frame) {
      localAt(hands.motion, frame, hands.character.at(HumanoidRole::kLeftUpperArm)).rotation =
          kIdentityRotation;
    }
    const auto grips = hands.grips();
    REQUIRE(grips.size() == (held_frames > 5 ? 1 : 0));
    // The midpoint after the last frame is a rotation by 45 degrees away.
    if (!grips.empty()) CHECK(grips[0].window == Window{0, 2 * (held_frames - 1)});
  }
}

TEST_CASE("hands that rotate as one body are a grip without any prop; hands at rest are none") {
  Stretched hands;
  // Bent elbows, so that the hands reach every position.
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    const double bend = 50.0 * kDegree;
    localAt(hands.motion, frame, hands.character.at(HumanoidRole::kLeftLowerArm)).rotation =
        rotationAbout(Vec3(0.0, 1.0, 0.0), -bend);
    localAt(hands.motion, frame, hands.character.at(HumanoidRole::kRightLowerArm)).rotation =
        rotationAbout(Vec3(0.0, 1.0, 0.0), bend);
  }
  CHECK(hands.grips().empty());
  const LimbPoser poser = hands.poser();
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    std::vector<Affine> worlds;
    computeWorlds(hands.character.scene().skeleton, hands.motion.localsOf(frame), Affine(), worlds);
    LimbChange change;
    change.grip_rotation = Vec3(0.0, 0.0, 20.0 * kDegree * static_cast<double>(frame) / kFrames);
    for (const std::size_t arm : *poser.hands()) {
      poser.apply(arm, change, worlds, hands.motion.frame(frame).locals);
    }
  }
  const auto grips = hands.grips();
  REQUIRE(grips.size() == 1);
  CHECK(grips[0].kind == GripKind::kRigid);
  CHECK(grips[0].window == Window{0, 2 * kFrames - 2});
  // Now the left hand rotates in place.
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    Quat& rotation =
        localAt(hands.motion, frame, hands.character.at(HumanoidRole::kLeftHand)).rotation;
    rotation = rotation * rotationAbout(Vec3(1.0, 0.0, 0.0),
                                        30.0 * kDegree * static_cast<double>(frame) / kFrames);
  }
  CHECK(hands.grips().empty());
}

TEST_CASE("a bar that crosses the back of a hand is not held by it") {
  // The right hand holds the bar 3 cm above its middle. The left arm is raised, so that the bar
  // crosses the left hand 3 cm below its middle, or lowered, so that it crosses 9 cm above.
  for (const bool is_raised : {true, false}) {
    Stretched hands;
    for (std::size_t frame = 0; is_raised && frame < kFrames; ++frame) {
      Quat& rotation =
          localAt(hands.motion, frame, hands.character.at(HumanoidRole::kLeftUpperArm)).rotation;
      rotation = rotationAbout(Vec3(1.0, 0.0, 0.0), -std::asin(0.06 / 0.59)) * rotation;
    }
    hands.hold(Vec3(-0.45, 1.44, 0.58), Vec3(0.45, 1.46, 0.6));
    CHECK(hands.grips().empty() == is_raised);
  }
}

TEST_CASE("hands that rotate as one body hold nothing where a prop of one hand is elsewhere") {
  for (const bool reaches : {true, false}) {
    Stretched hands;
    for (std::size_t frame = 0; frame < kFrames; ++frame) {
      const double bend = 15.0 * kDegree;
      localAt(hands.motion, frame, hands.character.at(HumanoidRole::kLeftLowerArm)).rotation =
          rotationAbout(Vec3(0.0, 1.0, 0.0), -bend);
      localAt(hands.motion, frame, hands.character.at(HumanoidRole::kRightLowerArm)).rotation =
          rotationAbout(Vec3(0.0, 1.0, 0.0), bend);
    }
    std::vector<Affine> worlds;
    computeWorlds(hands.character.scene().skeleton, hands.motion.localsOf(0), Affine(), worlds);
    const Vec3 right = worlds[toSize(hands.character.at(HumanoidRole::kRightHand))].translation,
               left = worlds[toSize(hands.character.at(HumanoidRole::kLeftHand))].translation;
    REQUIRE(glm::distance(left, right) > 0.2);
    // A short thing at the right hand, or one between both.
    hands.hold(right - Vec3(0.02), (reaches ? left : right) + Vec3(0.02));
    const LimbPoser poser = hands.poser();
    for (std::size_t frame = 0; frame < kFrames; ++frame) {
      computeWorlds(hands.character.scene().skeleton, hands.motion.localsOf(frame), Affine(),
                    worlds);
      LimbChange change;
      change.grip_rotation = Vec3(0.0, 0.0, 20.0 * kDegree * static_cast<double>(frame) / kFrames);
      for (const std::size_t arm : *poser.hands()) {
        poser.apply(arm, change, worlds, hands.motion.frame(frame).locals);
      }
    }
    CHECK(hands.grips().empty() != reaches);
  }
}

TEST_CASE("the error of a grip is that of the left hand in the axes of the right one") {
  const RelativeHands from{kIdentityRotation, Vec3(0.3, 0.0, 0.0)};
  const RelativeHands to{rotationAbout(Vec3(0.0, 0.0, 1.0), 0.1), Vec3(0.3, 0.004, 0.003)};
  const GripError error = gripError(from, to);
  CHECK(error.distance_m == doctest::Approx(0.005));
  CHECK(error.rotation_rad == doctest::Approx(0.1));
  CHECK_FALSE(isGripKept(error, kHeight_m));
  CHECK(isGripKept({0.0033, 4.9 * kDegree}, kHeight_m));
  CHECK_FALSE(isGripKept({0.0035, 0.0}, kHeight_m));
}
