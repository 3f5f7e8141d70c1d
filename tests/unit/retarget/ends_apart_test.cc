// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "checks.h"
#include "core/to_size.h"
#include "humanoid/make_character.h"
#include "locomotion/foot_lock_plan.h"
#include "locomotion/hand_lock.h"
#include "retarget/transferred.h"

TEST_SUITE_BEGIN("retarget.ends_apart");

namespace {

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::retarget;
using namespace clipmill::test;
using Role = HumanoidRole;

constexpr Role kEnds[] = {Role::kLeftHand, Role::kRightHand, Role::kLeftFoot, Role::kRightFoot};

// With hands and feet that hang on nothing, as in control rigs, at the same positions.
Character apart(Character character) {
  std::vector<Affine> worlds;
  Skeleton& skeleton = character.scene.skeleton;
  computeWorlds(skeleton, restPose(skeleton).locals, {}, worlds);
  for (const Role role : kEnds) {
    Node& node = skeleton.nodes[toSize(character.map[role])];
    node.rest = decompose(worlds[toSize(character.map[role])]);
    node.parent = -1;
  }
  return character;
}

Character makeTarget() {
  CharacterOptions options;
  options.prefix = "other_";
  options.size = 1.4;
  options.arms_down_rad = 0.6;
  options.roll_rad = -0.9;
  options.metric_from_file = {Mat3(0.01, 0, 0, 0, 0, -0.01, 0, 0.01, 0), Vec3(0.0)};
  Character character = makeCharacter(options);
  // Broader shoulders, so that hands that are kept move.
  for (const Role role : {Role::kLeftUpperArm, Role::kRightUpperArm}) {
    character.scene.skeleton.nodes[toSize(character.map[role])].rest.translation *= 1.2;
  }
  return character;
}

double worstDistance(const Character& a, const Motion& motion_a, const Character& b,
                     const Motion& motion_b) {
  double worst_m = 0.0;
  for (std::size_t f = 0; f < motion_a.grid.frame_count; ++f) {
    const auto at_a = positionsIn(a.scene, motion_a, f), at_b = positionsIn(b.scene, motion_b, f);
    for (std::size_t n = 0; n < at_a.size(); ++n) {
      worst_m = std::max(worst_m, glm::length(at_a[n] - at_b[n]));
    }
  }
  return worst_m;
}

}  // namespace

TEST_CASE("Hands and feet that hang elsewhere move as those that hang on their limbs") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  const Character target = makeTarget(), control_rig = apart(target);
  const Motion plain = transferredTo(target, source, motion);
  const Motion result = transferredTo(control_rig, source, motion);
  CHECK(worstDistance(target, plain, control_rig, result) < 1e-9);
  for (const Role role : kEnds) {
    CHECK(result.modified.has(control_rig.map[role], TrackPath::kTranslation));
    CHECK(result.modified.has(control_rig.map[role], TrackPath::kRotation));
  }
}

TEST_CASE("Hands that hang elsewhere are kept where those that hang on arms are") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  const Character target = makeTarget(), control_rig = apart(target);
  Motion plain = transferredTo(target, source, motion);
  Motion result = transferredTo(control_rig, source, motion);
  const auto keep = [&](const Character& character, Motion& of) {
    return locomotion::keepHands(source.scene, source.map, motion, character.scene, character.map,
                                 of);
  };
  const double farthest_m = keep(target, plain).farthest_m;
  CHECK(farthest_m > 0.02);
  CHECK(keep(control_rig, result).farthest_m == doctest::Approx(farthest_m));
  CHECK(worstDistance(target, plain, control_rig, result) < 1e-8);
}

TEST_CASE("A limb whose end carries it is none") {
  Character character = makeCharacter();
  Skeleton& skeleton = character.scene.skeleton;
  CHECK(locomotion::limbsOf(skeleton, character.map, true).size() == 4);
  std::swap(character.map.nodes[toSize(Role::kLeftFoot)], character.map.nodes[toSize(Role::kHips)]);
  CHECK(locomotion::limbsOf(skeleton, character.map, true).size() == 3);
  const auto limbs = locomotion::limbsOf(skeleton, apart(makeCharacter()).map, true);
  CHECK(limbs.size() == 4);
}

TEST_SUITE_END();
