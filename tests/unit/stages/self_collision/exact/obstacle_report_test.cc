// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/obstacle_report.h"

#include <string>

#include "stages/self_collision/exact/forearms.h"

TEST_SUITE_BEGIN("self_collision.obstacle_report");

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;

TEST_CASE("a warning of a range names the joint that is nearest to its end, and the frame") {
  BoxCharacter character = boxCharacter();
  Motion motion = character.still(4);
  for (std::size_t frame = 0; frame < 4; ++frame) hangArms(character, motion, frame);
  const auto skin = penetration::SelfPenetration::make(character.scene(), character.map).value();
  const SelfCollisionSettings settings;
  ClipContext clip(character.scene(), character.map, skin, settings, motion);
  REQUIRE(clip.depths.maxDepth_m(2) > clip.source.tolerance_m);
  // The clavicle rotates most, the hand is nearest to the end of its range.
  LimbChange change;
  change.clavicle_rotation = Vec3(0.0, 0.02, 0.0);
  change.end_rotation = Vec3(0.019, 0.0, 0.0);
  clip.stack.layers() = {constantLayer(clip, {{0}, {change}})};
  clip.update();
  const auto firstOf = [&](const char* code) {
    StageResult report;
    reportLimits(clip, report);
    for (const Warning& warning : report.warnings.all()) {
      if (warning.code == code) return warning.first;
    }
    return std::string();
  };
  CHECK(firstOf("anatomical_limit").empty());
  for (Obstacles& obstacles : clip.obstacles[0]) obstacles.range = obstacles.rotation = true;
  CHECK(firstOf("anatomical_limit").find("leftHand, frame ") != std::string::npos);
  CHECK(firstOf("anatomical_limit").find(" % of the height left") != std::string::npos);
  CHECK(firstOf("rotation_limit").find("leftShoulder, frame ") != std::string::npos);
}
