// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/hand_lock.h"

#include "checks.h"
#include "core/to_size.h"
#include "humanoid/make_character.h"
#include "retarget/transferred.h"

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::locomotion;
using namespace clipmill::retarget;
using namespace clipmill::test;
using Role = HumanoidRole;

TEST_SUITE_BEGIN("locomotion.hand_keep");

namespace {

Vec3 positionOf(const Character& character, const Motion& motion, std::size_t frame, Role role) {
  return positionsIn(character.scene, motion, frame)[toSize(character.map[role])];
}

// The character with shoulders wider apart, and as long arms.
Character broadCharacter(double wider_m) {
  CharacterOptions options;
  options.prefix = "broad_";
  Character character = makeCharacter(options);
  for (const auto& [role, side] :
       {std::pair(Role::kLeftUpperArm, 1.0), std::pair(Role::kRightUpperArm, -1.0)}) {
    character.scene.skeleton.nodes[toSize(character.map[role])].rest.translation.x +=
        side * wider_m;
  }
  return character;
}

HandKeepReport keep(Character& source, const Motion& motion, const Character& target,
                    Motion& result) {
  return keepHands(source.scene, source.map, motion, target.scene, target.map, result);
}

}  // namespace

TEST_CASE("hands of a character of the same shape stay where they are, bit for bit") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  CharacterOptions options;
  options.prefix = "x";
  options.size = 1.3;
  const Character target = makeCharacter(options);
  Motion result = transferredTo(target, source, motion);
  const Motion before = result;
  CHECK(keep(source, motion, target, result).farthest_m < 1e-9);
  CHECK(result.locals == before.locals);
}

TEST_CASE("hands that are so far apart stay so on a character with broader shoulders") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  const Character target = broadCharacter(0.1);
  Motion result = transferredTo(target, source, motion);
  const auto apart = [](const Character& character, const Motion& of, std::size_t frame) {
    return glm::length(positionOf(character, of, frame, Role::kLeftHand) -
                       positionOf(character, of, frame, Role::kRightHand));
  };
  CHECK(std::abs(apart(target, result, 20) - apart(source, motion, 20)) > 0.1);
  const Motion before = result;
  const HandKeepReport report = keep(source, motion, target, result);
  CHECK(report.found_arms);
  CHECK(report.farthest_m > 0.05);
  for (const std::size_t frame : {5u, 12u, 20u}) {
    CHECK(apart(target, result, frame) == nearTo(apart(source, motion, frame), 0.02));
    // Arms keep their lengths, and all other nodes their positions.
    CHECK(positionOf(target, result, frame, Role::kHead) ==
          positionOf(target, before, frame, Role::kHead));
    const double arm = glm::length(positionOf(target, result, frame, Role::kLeftHand) -
                                   positionOf(target, result, frame, Role::kLeftLowerArm));
    CHECK(arm == nearTo(0.25, 1e-9));
  }
}

TEST_CASE("a character without arms is reported and does not change") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  CharacterOptions options;
  options.prefix = "x";
  Character target = makeCharacter(options);
  Motion result = transferredTo(target, source, motion);
  const Motion before = result;
  target.map.nodes[toSize(Role::kLeftHand)] = -1;
  CHECK_FALSE(keep(source, motion, target, result).found_arms);
  CHECK(result.locals == before.locals);
}

TEST_SUITE_END();
