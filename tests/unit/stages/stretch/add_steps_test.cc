// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/add_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "locomotion/foot_contacts.h"
#include "make_samples/gait.h"
#include "make_samples/leap.h"
#include "scene/character_scene.h"
#include "stages/stretch/gait_cycle.h"

TEST_SUITE_BEGIN("stretch.add_steps");

using namespace clipmill;
using namespace clipmill::stages::stretch;
using namespace clipmill::test;

namespace {

constexpr double kStride_m = 1.2;
constexpr std::size_t kCycleFrames = 32;

struct Stepper {
  explicit Stepper(const KeyframeClip& clip)
      : scene(characterScene(samples::makeBodyRig(), clip)),
        map(characterMap(scene)),
        root(nodeOf(scene, "Root")),
        motion(sampled(scene)) {}

  Scene scene;
  humanoid::HumanoidMap map;
  int root;
  Motion motion;
};

Stepper walker(samples::Travel travel) {
  return Stepper(samples::gaitClip(samples::makeBodyRig(), "Walk", samples::walkGait(), travel));
}

// How joints differ between the end of a clip and its start, relative to the hips.
struct Seam {
  double apart_m = 0.0;  // largest distance
  double faster2 =
      0.0;  // sum of the squares of the changes of velocity, over a sixtieth of a second
};

Seam seamOf(const Stepper& walk, const std::vector<const char*>& joints) {
  constexpr double kStep_s = 1.0 / 60.0;
  const double start_s = walk.motion.grid.start_s, end_s = walk.motion.grid.end_s;
  MotionCursor cursor(walk.scene.skeleton, walk.motion);
  const auto positionAt = [&](const char* joint, double time_s) {
    std::vector<Affine> worlds;
    computeWorlds(walk.scene.skeleton, cursor.at(time_s).locals, walk.scene.metric_from_file,
                  worlds);
    const auto at = [&](const char* name) {
      return worlds[toSize(nodeOf(walk.scene, name))].translation;
    };
    Vec3 hips = at("Hips");
    hips.y = 0.0;
    return at(joint) - hips;
  };
  Seam seam;
  for (const char* joint : joints) {
    const Vec3 first = positionAt(joint, start_s), last = positionAt(joint, end_s);
    const Vec3 after_mps = (positionAt(joint, start_s + kStep_s) - first) / kStep_s;
    const Vec3 before_mps = (last - positionAt(joint, end_s - kStep_s)) / kStep_s;
    const Vec3 change = after_mps - before_mps;
    seam.apart_m = std::max(seam.apart_m, lengthOf(last - first));
    seam.faster2 += glm::dot(change, change);
  }
  return seam;
}

}  // namespace

TEST_CASE("the cycle of a walk of one cycle is the whole clip") {
  const Stepper walk = walker(samples::Travel::kRoot);
  const Result<GaitCycle> cycle = findGaitCycle(walk.scene, walk.map, walk.motion);
  REQUIRE(cycle.ok());
  CHECK(cycle->start_s == doctest::Approx(0.0));
  CHECK(cycle->length_s() == doctest::Approx(kCycleFrames / 30.0));
  // The poses are equal; feet land and leave there, so that velocities before and after differ.
  // They alone are the mismatch.
  const Seam left = seamOf(walk, {"LeftLeg", "LeftFoot", "LeftToeBase"});
  const Seam all = seamOf(walk, {"Hips", "LeftLeg", "LeftFoot", "LeftToeBase", "RightLeg",
                                 "RightFoot", "RightToeBase", "LeftHand", "RightHand"});
  CHECK(all.apart_m < 1e-6);
  CHECK(left.faster2 > 0.5 * all.faster2);  // the foot that lands
  const double leg_m = locomotion::legLength(walk.scene, walk.map);
  const double expected = 0.1 * std::sqrt(all.faster2 / 9.0) / leg_m;
  CHECK(cycle->mismatch == doctest::Approx(expected).epsilon(0.02));
}

TEST_CASE("a walk on the spot, a leap and a lunge have no cycle of steps that travels") {
  const Stepper on_spot = walker(samples::Travel::kInPlace);
  CHECK_FALSE(findGaitCycle(on_spot.scene, on_spot.map, on_spot.motion).ok());
  const Stepper leap(samples::leapClip(samples::makeBodyRig()));
  CHECK_FALSE(findGaitCycle(leap.scene, leap.map, leap.motion).ok());
  const Stepper lunge(samples::lungeClip(samples::makeBodyRig()));
  CHECK_FALSE(findGaitCycle(lunge.scene, lunge.map, lunge.motion).ok());
}

TEST_CASE("repetitions continue one another, frame by frame") {
  const Stepper walk = walker(samples::Travel::kRoot);
  const Result<GaitCycle> cycle = findGaitCycle(walk.scene, walk.map, walk.motion);
  REQUIRE(cycle.ok());
  Warnings warnings;
  const Result<RepeatedSteps> steps =
      repeatSteps(walk.scene, walk.motion, std::array{walk.root}, *cycle, 12.0, 1e9, warnings);
  REQUIRE(steps.ok());
  CHECK(warnings.empty());
  CHECK(steps->cycles_added == 9);
  CHECK(steps->net_m == doctest::Approx(12.0));
  REQUIRE(steps->motion.grid.frame_count == 10 * kCycleFrames + 1);
  double farthest_m = 0.0;
  for (std::size_t i = 0; i + kCycleFrames < steps->motion.grid.frame_count; ++i) {
    const auto now = worldsAt(walk.scene, steps->motion, i);
    const auto later = worldsAt(walk.scene, steps->motion, i + kCycleFrames);
    for (std::size_t n = 0; n < now.size(); ++n) {
      const Vec3 moved = later[n].translation - now[n].translation;
      farthest_m = std::max(farthest_m, lengthOf(moved - Vec3(0.0, 0.0, kStride_m)));
    }
  }
  CHECK(farthest_m < 1e-6);
}

TEST_CASE("the number of cycles is the one with the nearest ratio") {
  const Stepper walk = walker(samples::Travel::kRoot);
  const Result<GaitCycle> cycle = findGaitCycle(walk.scene, walk.map, walk.motion);
  REQUIRE(cycle.ok());
  // Between n and n + 1 strides the ratios are equal at sqrt(n (n + 1)) strides.
  const double even_m = kStride_m * std::sqrt(2.0 * 3.0);
  for (const auto& [distance_m, cycles] :
       {std::pair{even_m - 0.01, std::size_t{1}}, std::pair{even_m + 0.01, std::size_t{2}},
        std::pair{0.5, std::size_t{0}}}) {
    Warnings warnings;
    const Result<RepeatedSteps> steps = repeatSteps(walk.scene, walk.motion, std::array{walk.root},
                                                    *cycle, distance_m, 1e9, warnings);
    REQUIRE(steps.ok());
    CHECK(steps->cycles_added == cycles);
  }
  Warnings warnings;
  const Result<RepeatedSteps> far =
      repeatSteps(walk.scene, walk.motion, std::array{walk.root}, *cycle, 1e5, 1e9, warnings);
  REQUIRE_FALSE(far.ok());
  CHECK(far.error().code == ErrorCode::kLimit);
  const Result<RepeatedSteps> large =
      repeatSteps(walk.scene, walk.motion, std::array{walk.root}, *cycle, 12.0, 1e4, warnings);
  REQUIRE_FALSE(large.ok());
  CHECK(large.error().code == ErrorCode::kLimit);
}
