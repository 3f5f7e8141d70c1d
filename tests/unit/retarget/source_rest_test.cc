// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/source_rest.h"

#include <algorithm>
#include <string>

#include "checks.h"
#include "core/to_size.h"
#include "humanoid/make_character.h"
#include "humanoid/rest_pose.h"
#include "retarget/clip_transfer.h"
#include "retarget/skeleton_identity.h"

TEST_SUITE_BEGIN("retarget.source_rest");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::retarget;
using namespace clipmill::test;
using Role = HumanoidRole;

namespace {

std::vector<Affine> worldsOf(const Scene& scene) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds);
  return worlds;
}

// Rotates the rest pose of a joint, which has no rotation, about an axis.
void bend(Character& character, Role role, const Vec3& axis, double angle_deg) {
  Quat& rotation = character.scene.skeleton.nodes[toSize(character.map[role])].rest.rotation;
  rotation = rotationAbout(axis, angle_deg * kDegree) * rotation;
}

// Stores a frame of a motion as the pose of the nodes, as clip libraries do.
void storeFrame(Character& character, const Motion& motion, std::size_t frame) {
  const auto locals = motion.localsOf(frame);
  for (std::size_t n = 0; n < locals.size(); ++n)
    character.scene.skeleton.nodes[n].rest = locals[n];
}

TransferredClip transferred(Character& source, const Motion& motion, const Character& target,
                            const RestChoice& choice = {}) {
  const auto match = matchNodes(source.scene, source.scene.clips[0].animated, source.map,
                                target.scene, target.map);
  CHECK_OK(match);
  auto result = transferClip(source.scene, motion, target.scene, *match, choice);
  CHECK_OK(result);
  return std::move(*result);
}

}  // namespace

TEST_CASE("T, A and I poses are plausible, and bent limbs or a tilted trunk are not") {
  for (const double arms_deg : {0.0, 45.0, 85.0}) {
    CharacterOptions options;
    options.arms_down_rad = arms_deg * kDegree;
    const Character character = makeCharacter(options);
    CHECK(restPoseDoubt(character.map, worldsOf(character.scene)) < 0.75);
  }
  const Vec3 x(1, 0, 0), z(0, 0, 1);
  for (const auto& [role, axis, angle_deg] :
       {std::tuple{Role::kLeftLowerArm, z, 50.0}, std::tuple{Role::kRightLowerLeg, x, 45.0},
        std::tuple{Role::kLeftUpperLeg, x, -60.0}, std::tuple{Role::kHips, x, 40.0},
        std::tuple{Role::kLeftUpperArm, z, -40.0}}) {
    Character character = makeCharacter();
    bend(character, role, axis, angle_deg);
    const auto name = humanoidRoleName(role);
    CAPTURE(name);
    CHECK(restPoseDoubt(character.map, worldsOf(character.scene)) > 1.0);
  }
}

TEST_CASE("a stored frame of motion does not change the motion of the same skeleton") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  const Character target = makeCharacter();
  for (const std::size_t frame : {std::size_t{3}, motion.grid.frame_count - 1}) {
    storeFrame(source, motion, frame);
    const TransferredClip result = transferred(source, motion, target);
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      for (std::size_t n = 0; n < motion.node_count; ++n) {
        CHECK(result.motion.localsOf(f)[n].rotation == motion.localsOf(f)[n].rotation);
      }
    }
    CHECK(result.warnings.count("rest_pose_not_used") == 1);
  }
}

TEST_CASE("other lengths and other axes of joints are no same skeleton") {
  Character source = makeCharacter();
  danceOf(source);
  const TrackMask& animated = source.scene.clips[0].animated;
  std::vector<NodePair> pairs;
  for (int n = 0; n < static_cast<int>(source.scene.skeleton.size()); ++n) pairs.push_back({n, n});
  CHECK(isSameSkeleton(source.scene, animated, makeCharacter().scene, pairs));
  CharacterOptions taller;
  taller.size = 1.2;
  CHECK_FALSE(isSameSkeleton(source.scene, animated, makeCharacter(taller).scene, pairs));
  CharacterOptions rolled;
  rolled.roll_rad = 0.7;
  CHECK_FALSE(isSameSkeleton(source.scene, animated, makeCharacter(rolled).scene, pairs));
}

TEST_CASE("without a rest pose the frame most like one is used, and reported") {
  Character source = makeCharacter();
  Motion motion = danceOf(source);
  const RestPose rest(source.scene);
  // Frame 0 is the T pose, elsewhere, facing 20 degrees aside; the file stores a crouched one.
  const Pose stored = restPose(source.scene.skeleton);
  std::copy(stored.locals.begin(), stored.locals.end(), motion.frame(0).locals.begin());
  Transform& hips = motion.frame(0).locals[toSize(source.map[Role::kHips])];
  hips.translation += Vec3(2.0, 0.0, 1.0);
  hips.rotation = rotationAbout(Vec3(0, 1, 0), 20.0 * kDegree) * hips.rotation;
  bend(source, Role::kLeftUpperLeg, Vec3(1, 0, 0), -60.0);
  Warnings warnings;
  const RestPose found = sourceRestOf(source.scene, motion, source.map, {}, warnings);
  CHECK(warnings.count("rest_pose_estimated") == 1);
  const auto direction = [&](const RestPose& pose, Role from, Role to) {
    return glm::normalize(pose.positionOf(source.map[to]) - pose.positionOf(source.map[from]));
  };
  for (const auto& [from, to] :
       {std::pair{Role::kLeftUpperArm, Role::kLeftLowerArm}, std::pair{Role::kHips, Role::kHead},
        std::pair{Role::kLeftUpperLeg, Role::kLeftLowerLeg}}) {
    CHECK(distance(direction(found, from, to), direction(rest, from, to)) < 1e-9);
  }
  const Vec3 at = found.positionOf(source.map[Role::kHips]);
  CHECK(std::abs(at.x) < 1e-12);
  CHECK(std::abs(at.z) < 1e-12);
}

TEST_CASE("a skin's bind pose and a plausible stored pose are used without a warning") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  Warnings warnings;
  const RestPose rest = sourceRestOf(source.scene, motion, source.map, {}, warnings);
  CHECK(rest.locals == bindLocals(source.scene));
  CHECK(warnings.empty());
}

TEST_CASE("a given rest pose replaces a stored frame of motion") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  CharacterOptions options;
  options.size = 1.3;
  options.arms_down_rad = 0.6;
  const Character target = makeCharacter(options);
  const TransferredClip expected = transferred(source, motion, target);
  RestChoice choice;
  choice.locals = bindLocals(source.scene);
  storeFrame(source, motion, 3);
  const TransferredClip given = transferred(source, motion, target, choice);
  const TransferredClip found = transferred(source, motion, target);
  double apart = 0.0;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    for (std::size_t n = 0; n < expected.motion.node_count; ++n) {
      const Transform &a = expected.motion.localsOf(f)[n], &b = given.motion.localsOf(f)[n];
      CHECK(distance(a.rotation, b.rotation) < 1e-7);
      CHECK(distance(a.translation, b.translation) < 1e-9);
      apart = std::max(apart, distance(a.rotation, found.motion.localsOf(f)[n].rotation));
    }
  }
  CHECK(apart > 0.05);
  CHECK(given.warnings.count("rest_pose_estimated") == 0);
  CHECK(given.note.find("rest pose: given pose, confidence ") != std::string::npos);
  CHECK(found.note.find("rest pose: given pose") == std::string::npos);
}

TEST_CASE("a given direction rotates the motion about the vertical") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  CharacterOptions options;
  options.size = 1.3;
  const Character target = makeCharacter(options);
  const auto hipsOf = [&](const TransferredClip& clip, std::size_t frame) {
    std::vector<Affine> worlds;
    computeWorlds(target.scene.skeleton, clip.motion.localsOf(frame), target.scene.metric_from_file,
                  worlds);
    return worlds[toSize(target.map[Role::kHips])];
  };
  const TransferredClip found = transferred(source, motion, target);
  RestChoice choice;
  choice.facing_rad = 0.0;  // as it faces
  const TransferredClip same = transferred(source, motion, target, choice);
  choice.facing_rad = 90.0 * kDegree;
  const TransferredClip rotated = transferred(source, motion, target, choice);
  const Vec3 up(0.0, 1.0, 0.0);
  const Vec3 start = hipsOf(found, 0).translation;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    CHECK(distance(hipsOf(same, f).translation, hipsOf(found, f).translation) < 1e-9);
    // What faced +x now faces +z, as the target does.
    const Quat quarter = rotationAbout(up, -90.0 * kDegree);
    const Vec3 step = hipsOf(found, f).translation - start;
    CHECK(distance(hipsOf(rotated, f).translation - hipsOf(rotated, 0).translation,
                   quarter * step) < 1e-9);
  }
}
