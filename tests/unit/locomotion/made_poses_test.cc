// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <span>
#include <vector>

#include "checks.h"
#include "core/to_size.h"
#include "locomotion/foot_contacts.h"
#include "locomotion/sampled_character.h"

TEST_SUITE_BEGIN("locomotion.made_poses");

using namespace clipmill;
using namespace clipmill::locomotion;
using namespace clipmill::test;

namespace {

constexpr double kStarts_s = 0.5;

// The rest pose for as long as the clip of `character`, changed by `change` at each frame: a
// function of its locals, the world transforms of the rest pose, and the time from `starts_s` on.
template <class Change>
Motion changedRest(const SampledCharacter& character, double starts_s, const Change& change) {
  const Skeleton& skeleton = character.scene.skeleton;
  const std::vector<Transform> rest = restPose(skeleton).locals;
  std::vector<Affine> worlds;
  computeWorlds(skeleton, rest, character.scene.metric_from_file, worlds);
  Motion motion = character.source;
  motion.source.reset();
  for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
    const auto locals = motion.frame(i).locals;
    std::copy(rest.begin(), rest.end(), locals.begin());
    change(locals, worlds, std::max(0.0, motion.grid.timeOf(i) - starts_s));
  }
  return motion;
}

// Moves a node by `offset_m` of the world.
void shift(const SampledCharacter& character, const char* name, const std::vector<Affine>& worlds,
           const Vec3& offset_m, std::span<Transform> locals) {
  const std::size_t node = toSize(nodeOf(character.scene, name));
  const int parent = character.scene.skeleton.nodes[node].parent;
  const Affine& world_from_parent =
      parent < 0 ? character.scene.metric_from_file : worlds[toSize(parent)];
  locals[node].translation += inverse(world_from_parent).linear * offset_m;
}

// From kStarts_s on the left foot rotates about the vertical at `yaw_radps` and its ankle moves at
// `ankle_mps`.
Motion rotatingFoot(const SampledCharacter& character, double yaw_radps, double ankle_mps) {
  const std::size_t foot = toSize(nodeOf(character.scene, "LeftFoot"));
  const std::size_t parent = toSize(character.scene.skeleton.nodes[foot].parent);
  return changedRest(
      character, kStarts_s,
      [&](std::span<Transform> locals, const std::vector<Affine>& worlds, double for_s) {
        locals[foot].rotation = glm::conjugate(rotationOf(worlds[parent])) *
                                rotationAbout(Vec3(0, 1, 0), yaw_radps * for_s) *
                                rotationOf(worlds[foot]);
        shift(character, "LeftFoot", worlds, Vec3(0.0, 0.0, ankle_mps * for_s), locals);
      });
}

// Within half a second from kStarts_s on the character moves ahead by 0.8 m, its feet go up
// by 0.15 m, and its hips by `hips_up_m`.
Motion ontoHigherGround(const SampledCharacter& character, double hips_up_m) {
  return changedRest(
      character, kStarts_s,
      [&](std::span<Transform> locals, const std::vector<Affine>& worlds, double for_s) {
        const double part = std::min(for_s / 0.5, 1.0);
        shift(character, "Root", worlds, part * Vec3(0.0, hips_up_m, 0.8), locals);
        for (const char* foot : {"LeftFoot", "RightFoot"})
          shift(character, foot, worlds, part * Vec3(0.0, 0.15 - hips_up_m, 0.0), locals);
      });
}

// The character is `height_m` over the ground and rises from 0.3 s on.
Motion rising(const SampledCharacter& character, double height_m) {
  return changedRest(
      character, 0.3,
      [&](std::span<Transform> locals, const std::vector<Affine>& worlds, double for_s) {
        shift(character, "Root", worlds, Vec3(0.0, height_m + 1.5 * for_s, 0.0), locals);
      });
}

const FootTrace& leftFoot(const FeetTrace& trace) {
  REQUIRE(trace.feet.size() == 2);
  REQUIRE(trace.feet[0].marks.side == BodySide::kLeft);
  return trace.feet[0];
}

}  // namespace

TEST_CASE("a foot that rotates about its ankle has a contact there, and none of heel or ball") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  const double end_s = character.source.grid.end_s;
  const FeetTrace trace =
      traceFeet(character.scene, character.map, rotatingFoot(character, 20.0, 0.0));
  const FootTrace& left = leftFoot(trace);
  REQUIRE(left.heel_on.size() == 1);
  CHECK(std::abs(left.heel_on[0].end_s - kStarts_s) < 0.03);
  REQUIRE(left.ankle_on.size() == 1);
  CHECK(std::abs(left.ankle_on[0].start_s - kStarts_s) < 0.03);
  CHECK(left.ankle_on[0].end_s == end_s);
  // The other foot rests as a whole.
  CHECK(trace.feet[1].ankle_on.empty());
}

TEST_CASE("a foot that rotates and slides has no contact of its ankle") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  const FeetTrace trace =
      traceFeet(character.scene, character.map, rotatingFoot(character, 20.0, 2.0));
  CHECK(leftFoot(trace).ankle_on.empty());
}

TEST_CASE("ground slopes where hips go up with the feet, not where a body lies down on a couch") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  const auto slopeOf = [&](double hips_up_m) {
    return traceFeet(character.scene, character.map, ontoHigherGround(character, hips_up_m)).slope;
  };
  CHECK(slopeOf(0.15).z == nearTo(0.15 / 0.8, 0.05));
  CHECK(slopeOf(-0.2) == Vec3(0.0));
}

TEST_CASE("feet that are down briefly have contacts on the ground of the rest pose, not over it") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  const auto trace = [&](double height_m) {
    return traceFeet(character.scene, character.map, rising(character, height_m));
  };
  CHECK(leftFoot(trace(0.0)).heel_on.size() == 1);
  CHECK_FALSE(trace(0.2).hasContacts());
}

TEST_CASE("time outside of other spans is what they leave of each span") {
  const std::vector<TimeSpan> spans = {{0.0, 1.0}, {2.0, 3.0}, {4.0, 5.0}};
  const std::vector<TimeSpan> others = {{0.25, 0.5}, {0.75, 2.5}, {3.5, 6.0}};
  const std::vector<TimeSpan> left = outsideOf(spans, others);
  REQUIRE(left.size() == 3);
  CHECK((left[0].start_s == 0.0 && left[0].end_s == 0.25));
  CHECK((left[1].start_s == 0.5 && left[1].end_s == 0.75));
  CHECK((left[2].start_s == 2.5 && left[2].end_s == 3.0));
  CHECK(outsideOf(spans, {}).size() == 3);
}

TEST_SUITE_END();
