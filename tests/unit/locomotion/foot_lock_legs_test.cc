// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "checks.h"
#include "locomotion/foot_lock.h"
#include "locomotion/sampled_character.h"

TEST_SUITE_BEGIN("locomotion.foot_lock_legs");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::locomotion;
using namespace clipmill::test;

namespace {

double accelerationOf(const SampledCharacter& character, const Motion& motion, const char* joint) {
  double most = 0.0;
  const double step = 1.0 / motion.grid.fps;
  for (std::size_t i = 1; i + 1 < motion.grid.frame_count; ++i) {
    const Vec3 second = character.positionOf(motion, joint, i + 1) -
                        2.0 * character.positionOf(motion, joint, i) +
                        character.positionOf(motion, joint, i - 1);
    most = std::max(most, glm::length(second) / (step * step));
  }
  return most;
}

double kneeAngle(const SampledCharacter& character, const Motion& motion, const std::string& side,
                 std::size_t i) {
  const Vec3 hip = character.positionOf(motion, (side + "UpLeg").c_str(), i);
  const Vec3 knee = character.positionOf(motion, (side + "Leg").c_str(), i);
  const Vec3 ankle = character.positionOf(motion, (side + "Foot").c_str(), i);
  return angleBetween(hip - knee, ankle - knee);
}

double kneeAngularAcceleration(const SampledCharacter& character, const Motion& motion,
                               const std::string& side) {
  double most = 0.0;
  for (std::size_t i = 1; i + 1 < motion.grid.frame_count; ++i) {
    most = std::max(most, std::abs(kneeAngle(character, motion, side, i + 1) -
                                   2.0 * kneeAngle(character, motion, side, i) +
                                   kneeAngle(character, motion, side, i - 1)));
  }
  return most * motion.grid.fps * motion.grid.fps;
}

}  // namespace

TEST_CASE("a foot out of reach is reported, and one in reach is not") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  Motion near = character.stretchedBy(4.0 / 3.0), far = character.stretchedBy(5.0 / 3.0);
  CHECK(lockFeet(character.scene, character.map, character.source, near, {}).warnings.empty());
  const FootLockReport report = lockFeet(character.scene, character.map, character.source, far, {});
  CHECK(report.warnings.count("foot_out_of_reach") == 2);
  // At frame 17 the ankle is to stay where it was; the hip joint is 0.19 m farther ahead.
  const Plant& plant = report.plants[0];
  CHECK(plant.limb == "left foot");
  CHECK(plant.start_s == 0.0);
  CHECK(std::abs(plant.end_s - 17.0 / 30.0) < 1e-9);
  const Vec3 hip = character.positionOf(far, "LeftUpLeg", 17);
  const double leg = 0.43 * std::sqrt(1.0 + 0.012 * 0.012 / 0.43 / 0.43) +
                     std::sqrt(0.415 * 0.415 + 0.032 * 0.032);
  const double beyond =
      glm::length(character.positionOf(character.source, "LeftFoot", 17) - hip) - leg;
  CHECK(beyond > 0.0);
  CHECK(plant.short_m > beyond);
  CHECK(plant.short_m < beyond + 0.02 * leg);
  CHECK(std::abs(plant.out_of_reach_s - 1.0 / 30.0) < 1e-9);
}

TEST_CASE("knees do not snap") {
  for (const auto& [clip, factor] :
       {std::pair(samples::leapClip(bodyRig()), 5.0 / 3.0),
        std::pair(samples::leapClip(bodyRig()), 4.0 / 3.0),
        std::pair(samples::leapClip(bodyRig()), 0.6), std::pair(samples::lungeClip(bodyRig()), 1.6),
        std::pair(samples::gaitClip(bodyRig(), "Walk", samples::walkGait(), samples::Travel::kRoot),
                  1.3),
        std::pair(samples::gaitClip(bodyRig(), "Run", samples::runGait(), samples::Travel::kRoot),
                  1.2)}) {
    const SampledCharacter character(clip);
    Motion locked = character.stretchedBy(factor);
    lockFeet(character.scene, character.map, character.source, locked, {});
    for (const std::string side : {"Left", "Right"}) {
      const std::string which = clip.name + " " + std::to_string(factor) + " " + side;
      CAPTURE(which);
      CHECK(kneeAngularAcceleration(character, locked, side) <
            1.5 * kneeAngularAcceleration(character, character.source, side));
      CHECK(accelerationOf(character, locked, (side + "Leg").c_str()) <
            1.5 * accelerationOf(character, character.source, (side + "Leg").c_str()));
    }
  }
}

TEST_CASE("bones keep their lengths and only legs, feet and hips are written") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  const Motion free = character.stretchedBy(5.0 / 3.0);
  Motion locked = free;
  lockFeet(character.scene, character.map, character.source, locked, {});
  for (int n = 0; n < static_cast<int>(character.scene.skeleton.size()); ++n) {
    const std::string& name = character.scene.skeleton.nodes[toSize(n)].name;
    const bool is_leg = name.find("Leg") != name.npos || name.find("Foot") != name.npos;
    CHECK(locked.modified.has(n, TrackPath::kRotation) == is_leg);
    CHECK(locked.modified.has(n, TrackPath::kTranslation) == (name == "Root" || name == "Hips"));
    CHECK_FALSE(locked.modified.has(n, TrackPath::kScale));
    for (std::size_t i = 0; i < locked.grid.frame_count; ++i) {
      const auto at = toSize(n);
      const Transform &a = free.localsOf(i)[at], &b = locked.localsOf(i)[at];
      if (!is_leg) CHECK(a.rotation == b.rotation);
      if (name != "Hips") CHECK(a.translation == b.translation);
    }
  }
}

TEST_CASE("hips do not drop in the air nor next to it") {
  const SampledCharacter character(samples::leapClip(bodyRig()));
  const Motion free = character.stretchedBy(5.0 / 3.0);
  Motion locked = free;
  lockFeet(character.scene, character.map, character.source, locked, {});
  const auto sinks = [&](std::size_t i) {
    return character.positionOf(free, "Hips", i).y - character.positionOf(locked, "Hips", i).y;
  };
  for (std::size_t i = 18; i < 42; ++i) CHECK(sinks(i) == 0.0);
  for (std::size_t i = 0; i < 62; ++i) CHECK(sinks(i) < 0.02);
}

TEST_CASE("hips drop for a step that is too wide for the legs") {
  const SampledCharacter character(samples::lungeClip(bodyRig()));
  Motion stiff = character.stretchedBy(2.0), soft = stiff;
  FootLockSettings settings;
  const FootLockReport sunk =
      lockFeet(character.scene, character.map, character.source, soft, settings);
  settings.max_pelvis_drop = 0.0;
  const FootLockReport locked =
      lockFeet(character.scene, character.map, character.source, stiff, settings);
  CHECK(sunk.pelvis_drop_m > 0.02);
  CHECK(sunk.pelvis_drop_m <= 0.08 * 0.85);
  CHECK(locked.pelvis_drop_m == 0.0);
  CHECK(sunk.warnings.empty());
  CHECK(locked.warnings.count("foot_out_of_reach") > 0);
}

TEST_CASE("both steps of a cycle that is far too long for the legs are alike") {
  const SampledCharacter character(
      samples::gaitClip(bodyRig(), "Walk", samples::walkGait(), samples::Travel::kRoot));
  Motion locked = character.stretchedBy(2.0);
  CHECK(lockFeet(character.scene, character.map, character.source, locked, {}).changed);
  // The seam of the cycle lies in the contact of one foot alone, at a whole number of frames: a
  // contact has a frame more or less.
  const auto height_m = [&](std::size_t i) { return character.positionOf(locked, "Hips", i).y; };
  const std::size_t half = (locked.grid.frame_count - 1) / 2;
  for (std::size_t i = 0; i <= half; ++i) {
    INFO(i);
    CHECK(std::abs(height_m(i) - height_m(i + half)) < 0.010);
  }
}

TEST_CASE("a foot is held in part where nothing else keeps its knee from snapping") {
  const SampledCharacter character(
      samples::gaitClip(bodyRig(), "Run", samples::runGait(), samples::Travel::kRoot));
  for (const auto& [factor, is_in_part] : {std::pair(1.5, false), std::pair(3.5, true)}) {
    Motion locked = character.stretchedBy(factor);
    const FootLockReport report =
        lockFeet(character.scene, character.map, character.source, locked, {});
    const auto& warnings = report.warnings.all();
    CHECK(is_in_part == std::any_of(warnings.begin(), warnings.end(), [](const auto& warning) {
            return warning.code == "feet_held_in_part";
          }));
    for (const char* knee : {"LeftLeg", "RightLeg"}) {
      CHECK(accelerationOf(character, locked, knee) <
            1.5 * accelerationOf(character, character.source, knee));
    }
  }
}

TEST_SUITE_END();
