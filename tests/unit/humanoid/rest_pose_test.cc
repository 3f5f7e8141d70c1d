// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/rest_pose.h"

#include <limits>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "humanoid/make_character.h"

TEST_SUITE_BEGIN("humanoid.rest_pose");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::test;

namespace {

std::vector<Affine> restWorlds(const Scene& scene) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds);
  return worlds;
}

}  // namespace

TEST_CASE("the heading is the rotation about the vertical, and the lowest foot a joint's height") {
  for (const double heading_deg : {0.0, 50.0, -100.0, 170.0}) {
    CharacterOptions options;
    options.rotation_rad = heading_deg * kDegree;
    options.roll_rad = 0.7;
    options.origin = Vec3(2.0, 0.3, -1.0);
    const Character character = makeCharacter(options);
    const auto worlds = restWorlds(character.scene);
    CHECK(headingOf_rad(character.map, worlds) == doctest::Approx(options.rotation_rad));
    CHECK(lowestFoot_m(character.map, worlds) == doctest::Approx(0.38));
  }
}

TEST_CASE("what lacks feet or sides has height 0 and heading 0") {
  Character character = makeCharacter();
  const auto worlds = restWorlds(character.scene);
  const HumanoidMap none;
  CHECK(headingOf_rad(none, worlds) == 0.0);
  CHECK(lowestFoot_m(none, worlds) == 0.0);
}

TEST_CASE("the search returns the first pose of least doubt and the lowest floor of all") {
  Character character = makeCharacter();
  const Motion motion = danceOf(character);
  RestPoseSearch search(character.scene, character.map);
  CHECK(search.doubt() == std::numeric_limits<double>::infinity());
  double least = std::numeric_limits<double>::infinity(), floor_m = least;
  std::size_t first = 0;
  for (std::size_t f = motion.grid.frame_count; f-- > 0;) {  // from the end: the T pose is last
    search.show(f, motion.localsOf(f));
    std::vector<Affine> worlds;
    computeWorlds(character.scene.skeleton, motion.localsOf(f), Affine{}, worlds);
    const double doubt = restPoseDoubt(character.map, worlds);
    if (doubt < least) {
      least = doubt;
      first = f;
    }
    for (const HumanoidRole foot : {HumanoidRole::kLeftFoot, HumanoidRole::kRightFoot}) {
      floor_m = std::min(floor_m, worlds[toSize(character.map[foot])].translation.y);
    }
  }
  CHECK(first == 0);
  CHECK(search.frame() == first);
  CHECK(search.doubt() == least);
  CHECK(search.floor_m() == floor_m);
}
