// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock.h"

#include <algorithm>
#include <cmath>

#include "checks.h"
#include "locomotion/sampled_character.h"

TEST_SUITE_BEGIN("locomotion.foot_lock");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::locomotion;
using namespace clipmill::test;

namespace {

// How far a joint strays from where it is at the first of the frames.
double straysIn(const SampledCharacter& character, const Motion& motion, const char* joint,
                std::size_t from, std::size_t to) {
  const Vec3 first = character.positionOf(motion, joint, from);
  double farthest = 0.0;
  for (std::size_t i = from; i <= to; ++i) {
    farthest = std::max(farthest, glm::length(character.positionOf(motion, joint, i) - first));
  }
  return farthest;
}

}  // namespace

TEST_CASE("a motion with the root motion of its source does not change, bit for bit") {
  for (const KeyframeClip& clip :
       {samples::leapClip(bodyRig()), samples::lungeClip(bodyRig()),
        samples::gaitClip(bodyRig(), "Walk", samples::walkGait(), samples::Travel::kRoot)}) {
    const SampledCharacter character(clip);
    Motion locked = character.source;
    const FootLockReport report =
        lockFeet(character.scene, character.map, character.source, locked, FootLockSettings());
    CHECK(report.found_limbs);
    CHECK(report.plants.size() >= 2);
    CHECK_FALSE(report.changed);
    CHECK(locked.modified.none());
    CHECK(locked.locals == character.source.locals);
  }
}

TEST_CASE("a motion that is shifted as a whole keeps its legs") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  Motion moved = character.source;
  for (std::size_t i = 0; i < moved.grid.frame_count; ++i) {
    moved.frame(i).locals[toSize(character.root)].translation += Vec3(3, 1, -2);
  }
  const Motion before = moved;
  CHECK_FALSE(lockFeet(character.scene, character.map, character.source, moved, {}).changed);
  CHECK(moved.locals == before.locals);
}

TEST_CASE("feet of a stretched leap are stationary before take-off and after landing") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  for (const double factor : {5.0 / 3.0, 4.0 / 3.0, 0.6}) {
    const Motion free = character.stretchedBy(factor);
    Motion locked = free;
    const FootLockReport report =
        lockFeet(character.scene, character.map, character.source, locked, {});
    CHECK(report.changed);
    REQUIRE(report.plants.size() == 4);
    // Without the lock the toes slide with the root: it goes 0.285 m until frame 17.
    CHECK(straysIn(character, free, "LeftToeBase", 0, 17) > 0.28 * std::abs(factor - 1.0));
    // The last frame of the push-off is out of reach at 5 m.
    const std::size_t off = factor > 1.5 ? 16 : 17;
    for (const char* toe : {"LeftToeBase", "RightToeBase"}) {
      CHECK(straysIn(character, locked, toe, 0, off) < 0.005);
      CHECK(straysIn(character, locked, toe, 42, 62) < 0.005);
      CHECK(std::abs(character.positionOf(locked, toe, 0).z - 0.11) < 1e-4);
      CHECK(std::abs(character.positionOf(locked, toe, 62).z - 0.11 - 3.0 * factor) < 1e-4);
    }
    for (const Metric& metric : report.metrics) {
      if (metric.name == "planted_drift_mm") CHECK(metric.after.value() < 5.0);
      if (metric.name == "foot_skate_cm") CHECK(metric.after.value() < metric.before.value() + 0.2);
    }
  }
}

TEST_CASE("a planted foot keeps the direction in which it points in the source") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  Motion locked = character.stretchedBy(4.0 / 3.0);
  lockFeet(character.scene, character.map, character.source, locked, {});
  const auto foot = toSize(nodeOf(character.scene, "RightFoot"));
  for (std::size_t i = 0; i < locked.grid.frame_count; ++i) {
    const Quat was = rotationOf(worldsAt(character.scene, character.source, i)[foot]);
    CHECK(distance(rotationOf(worldsAt(character.scene, locked, i)[foot]), was) < 1e-9);
  }
}

TEST_CASE("the foot positions of a rotated character rotate with it") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  // A rotation by 90 degrees about the start, during the flight.
  Motion rotated = character.source;
  for (std::size_t i = 0; i < rotated.grid.frame_count; ++i) {
    const double share = std::clamp((static_cast<double>(i) - 14.0) / 30.0, 0.0, 1.0);
    const Quat rotation = rotationAbout(Vec3(0, 1, 0), 0.5 * kPi * samples::smoothStep(share));
    Transform& root = rotated.frame(i).locals[toSize(character.root)];
    root.translation = rotation * root.translation;
    root.rotation = rotation * root.rotation;
  }
  const Motion free = rotated;
  lockFeet(character.scene, character.map, character.source, rotated, {});
  for (const char* toe : {"LeftToeBase", "RightToeBase"}) {
    CHECK(straysIn(character, rotated, toe, 0, 17) < 0.005);
    CHECK(straysIn(character, rotated, toe, 42, 62) < 0.005);
    CHECK(glm::length(character.positionOf(rotated, toe, 62) -
                      character.positionOf(free, toe, 62)) < 1e-4);
  }
  const auto foot = toSize(nodeOf(character.scene, "LeftFoot"));
  const Quat first = rotationOf(worldsAt(character.scene, rotated, 0)[foot]);
  CHECK(distance(first, rotationOf(worldsAt(character.scene, free, 0)[foot])) < 1e-4);
  for (std::size_t i = 42; i < 62; ++i) {
    const Quat last = rotationOf(worldsAt(character.scene, rotated, 62)[foot]);
    CHECK(distance(rotationOf(worldsAt(character.scene, rotated, i)[foot]), last) < 1e-4);
  }
}

TEST_CASE("a foot that slides in the source is held") {
  SampledCharacter character(samples::leapClip(bodyRig()));
  // 30 mm sideways while both feet are planted, in the source itself.
  for (std::size_t i = 0; i < character.source.grid.frame_count; ++i) {
    const double share = std::min(1.0, static_cast<double>(i) / 12.0);
    character.source.frame(i).locals[toSize(character.root)].translation.x += 0.03 * share;
  }
  character.source.modified.set(character.root, TrackPath::kTranslation);
  Motion locked = character.source;
  const FootLockReport report =
      lockFeet(character.scene, character.map, character.source, locked, {});
  CHECK(report.changed);
  CHECK(straysIn(character, character.source, "LeftToeBase", 0, 16) > 0.01);
  CHECK(straysIn(character, locked, "LeftToeBase", 0, 16) < 0.002);
  CHECK(straysIn(character, locked, "RightToeBase", 0, 16) < 0.002);
}

TEST_CASE("contacts of the clip hold feet that slide too fast to show any") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  const FeetTrace clip_feet = traceFeet(character.scene, character.map, character.source);
  Motion swaying = character.source;
  for (std::size_t i = 0; i < swaying.grid.frame_count; ++i) {
    const double sway_m = 0.06 * std::sin(2.0 * kPi * 4.0 * swaying.grid.timeOf(i));
    swaying.frame(i).locals[toSize(character.root)].translation += Vec3(sway_m, 0, 0);
  }
  swaying.modified.set(character.root, TrackPath::kTranslation);
  const auto straysWith = [&](const FeetTrace* feet) {
    Motion locked = swaying;
    FootLockSource view;
    view.clip_feet = feet;
    lockFeet(character.scene, character.map, swaying, locked, {}, view);
    return straysIn(character, locked, "LeftToeBase", 0, 12);
  };
  CHECK(straysWith(nullptr) > 0.05);
  CHECK(straysWith(&clip_feet) < 0.001);
}

TEST_CASE("units and axes of the file do not matter") {
  const KeyframeClip leap = samples::leapClip(bodyRig());
  const SampledCharacter metric(leap);
  Motion expected = metric.stretchedBy(5.0 / 3.0);
  lockFeet(metric.scene, metric.map, metric.source, expected, {});
  const FileSpace z_up_cm{0.01, rotationAbout(Vec3(1, 0, 0), -0.5 * kPi)};
  const SampledCharacter other(leap, z_up_cm);
  Motion locked = other.stretchedBy(5.0 / 3.0);
  lockFeet(other.scene, other.map, other.source, locked, {});
  for (std::size_t i = 0; i < locked.grid.frame_count; ++i) {
    const auto a = worldsAt(metric.scene, expected, i), b = worldsAt(other.scene, locked, i);
    for (std::size_t n = 0; n < a.size(); ++n) {
      CHECK(distance(a[n].translation, b[n].translation) < 1e-9);
    }
  }
}

TEST_CASE("positions of planted feet do not depend on the frame rate") {
  const KeyframeClip leap = samples::leapClip(bodyRig());
  for (const double fps : {24.0, 60.0, 120.0}) {
    const SampledCharacter character(leap, {}, fps);
    Motion locked = character.stretchedBy(4.0 / 3.0);
    lockFeet(character.scene, character.map, character.source, locked, {});
    const std::size_t take_off = toSize(0.55 * fps);
    const std::size_t landed = toSize(1.42 * fps) + 1;
    CHECK(straysIn(character, locked, "LeftToeBase", 0, take_off) < 0.005);
    CHECK(straysIn(character, locked, "LeftToeBase", landed, locked.grid.frame_count - 1) < 0.005);
  }
}

TEST_CASE("frames may show other times of the source") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  // The same leap at half the speed, and longer.
  Motion slow = character.source;
  slow.grid = makeGrid(0.0, 2.0 * character.source.grid.end_s, 30.0);
  slow.source = nullptr;
  slow.locals.clear();
  std::vector<double> source_times_s;
  MotionCursor cursor(character.scene.skeleton, character.source);
  for (std::size_t i = 0; i < slow.grid.frame_count; ++i) {
    source_times_s.push_back(0.5 * slow.grid.timeOf(i));
    const Pose& pose = cursor.at(source_times_s.back());
    slow.locals.insert(slow.locals.end(), pose.locals.begin(), pose.locals.end());
    slow.locals[slow.locals.size() - pose.locals.size() + toSize(character.root)].translation.z *=
        4.0 / 3.0;
  }
  const FootLockReport report =
      lockFeet(character.scene, character.map, character.source, slow, {}, {source_times_s});
  REQUIRE(report.plants.size() == 4);
  CHECK(std::abs(report.plants[0].end_s - 2.0 * 17.25 / 30.0) < 2.0 / 30.0);
  CHECK(straysIn(character, slow, "LeftToeBase", 0, 33) < 0.005);
  CHECK(straysIn(character, slow, "LeftToeBase", 85, slow.grid.frame_count - 1) < 0.005);
}

TEST_CASE("a cycle still ends in the pose in which it starts") {
  const SampledCharacter character(
      samples::gaitClip(bodyRig(), "Walk", samples::walkGait(), samples::Travel::kRoot));
  Motion locked = character.stretchedBy(1.3);
  CHECK(lockFeet(character.scene, character.map, character.source, locked, {}).changed);
  const auto first = locked.localsOf(0), last = locked.localsOf(locked.grid.frame_count - 1);
  for (std::size_t n = 0; n < first.size(); ++n) {
    const Vec3 path = last[n].translation - first[n].translation;
    CHECK(distance(first[n].rotation, last[n].rotation) < 1e-6);
    CHECK(distance(path, Vec3(0, 0, static_cast<int>(n) == character.root ? 1.3 * 1.2 : 0)) < 1e-6);
  }
}

TEST_CASE("a loop whose ends differ a little differs no more after its feet are locked") {
  SampledCharacter character(
      samples::gaitClip(bodyRig(), "Walk", samples::walkGait(), samples::Travel::kRoot));
  const std::size_t last = character.source.grid.frame_count - 1;
  const int thigh = nodeOf(character.scene, "LeftUpLeg");
  Quat& rotation = character.source.frame(last).locals[toSize(thigh)].rotation;
  rotation = rotation * rotationAbout(Vec3(1, 0, 0), 0.02);
  const auto seamOf = [&](const Motion& motion, const char* foot) {
    return distance(
        character.positionOf(motion, foot, last) - character.positionOf(motion, "Hips", last),
        character.positionOf(motion, foot, 0) - character.positionOf(motion, "Hips", 0));
  };
  for (const double factor : {1.3, 1.6, 2.0}) {
    Motion locked = character.stretchedBy(factor);
    CHECK(lockFeet(character.scene, character.map, character.source, locked, {}).changed);
    for (const char* foot : {"LeftFoot", "RightFoot"}) {
      INFO(factor << " " << foot);
      CHECK(seamOf(locked, foot) < seamOf(character.source, foot) + 0.005);
    }
  }
}

TEST_CASE("a stationary hand is locked where contact_limbs asks for it") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  // The root slides under a character at rest; its left hand is to stay where it is.
  Motion source = character.source, slid = character.source;
  for (std::size_t i = 0; i < slid.grid.frame_count; ++i) {
    const auto rest = character.source.localsOf(0);
    std::copy(rest.begin(), rest.end(), source.frame(i).locals.begin());
    std::copy(rest.begin(), rest.end(), slid.frame(i).locals.begin());
    const double t = static_cast<double>(i) / 62.0;
    slid.frame(i).locals[toSize(character.root)].translation.z = 0.04 * t * t;
  }
  source.source = slid.source = nullptr;
  FootLockSettings settings;
  Motion feet_only = slid;
  lockFeet(character.scene, character.map, source, feet_only, settings);
  settings.contact_limbs = ContactLimbs::kFeetHands;
  lockFeet(character.scene, character.map, source, slid, settings);
  CHECK(straysIn(character, feet_only, "LeftHand", 0, 62) > 0.03);
  // Arms and legs of the rest pose are straight but for a little, where reach is soft.
  CHECK(straysIn(character, slid, "LeftHand", 0, 62) < 1e-3);
  CHECK(straysIn(character, slid, "LeftFoot", 0, 62) < 1e-3);
}

TEST_CASE("nothing is locked with feet off, without legs and in a single frame") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  const Motion free = character.stretchedBy(2.0);
  Motion motion = free;
  FootLockSettings off;
  off.feet = FeetPolicy::kOff;
  CHECK_FALSE(lockFeet(character.scene, character.map, character.source, motion, off).changed);
  const FootLockReport none =
      lockFeet(character.scene, HumanoidMap(), character.source, motion, {});
  CHECK_FALSE(none.found_limbs);
  CHECK(motion.locals == free.locals);
  const Clip& clip = character.scene.clips[0];
  Motion still = sampleClip(character.scene.skeleton, clip, 0, makeGrid(0.0, 0.0, 30.0));
  const Motion source = still;
  CHECK_FALSE(lockFeet(character.scene, character.map, source, still, {}).changed);
}

TEST_SUITE_END();
