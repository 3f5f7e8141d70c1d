// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "checks.h"
#include "core/to_size.h"
#include "locomotion/ground_track.h"
#include "make_samples/gait.h"
#include "scene/character_scene.h"
#include "stages/blend/strider.h"
#include "stages/edit/loop.h"

using namespace clipmill;
using namespace clipmill::locomotion;
using namespace clipmill::stages;
using namespace clipmill::stages::edit;
using namespace clipmill::test;

TEST_SUITE_BEGIN("edit.loop_feet");

namespace {

// A walk of which a little is missing at both ends: it stops a little before it starts again.
struct OpenWalk {
  OpenWalk()
      : scene(characterScene(samples::makeBodyRig(),
                             samples::gaitClip(samples::makeBodyRig(), "Walk", samples::walkGait(),
                                               samples::Travel::kRoot))) {
    const Clip& clip = scene.clips[0];
    const double cycle_s = clip.end_s;
    motion = sampleClip(scene.skeleton, clip, 0, makeGrid(0.02 * cycle_s, 0.94 * cycle_s, 60.0));
  }

  StageResult looped(FeetPolicy feet) const {
    LoopSettings settings;
    settings.feet = feet;
    auto results = runLoop({scene, std::span(&motion, 1), 1}, settings);
    CHECK_OK(results);
    return results->front();
  }

  Vec3 positionOf(const Motion& made, const char* joint, std::size_t frame) const {
    std::vector<Affine> worlds;
    computeWorlds(scene.skeleton, made.localsOf(frame), scene.metric_from_file, worlds);
    return worlds[toSize(nodeOf(scene, joint))].translation;
  }

  // How far a joint strays over the ground from `from` frames before the seam to `to` frames after
  // it, when the cycle is played again where it ended.
  double strayOverSeam(const Motion& made, const char* joint, std::size_t from,
                       std::size_t to) const {
    const std::size_t last = made.grid.frame_count - 1;
    const Vec3 path = positionOf(made, "Root", last) - positionOf(made, "Root", 0);
    const Vec3 first = positionOf(made, joint, last - from);
    double farthest = 0.0;
    for (std::size_t i = 1; i <= from + to; ++i) {
      const Vec3 position = i <= from ? positionOf(made, joint, last - from + i)
                                      : positionOf(made, joint, i - from) + path;
      farthest = std::max(farthest, horizontal(position - first));
    }
    return farthest;
  }

  static double horizontal(const Vec3& v) { return std::sqrt(v.x * v.x + v.z * v.z); }

  Scene scene;
  Motion motion;
};

}  // namespace

TEST_CASE("a foot that is planted across the seam has one position") {
  const OpenWalk walk;
  const StageResult held = walk.looped(FeetPolicy::kLock);
  const StageResult slid = walk.looped(FeetPolicy::kOff);
  // The right ball is planted until a tenth into the next cycle; the heel is up by then.
  CHECK(walk.strayOverSeam(held.motion, "RightToeBase", 8, 4) < 0.005);
  CHECK(walk.strayOverSeam(slid.motion, "RightToeBase", 8, 4) > 0.03);
  CHECK(metricOf(held, "planted_drift_mm") < 2.0);
  CHECK(metricOf(held, "seam_deg") < 0.01);
  CHECK(metricOf(held, "seam_mm") < 0.01);
}

TEST_CASE("locked feet do not change root motion and upper body") {
  const OpenWalk walk;
  const Motion held = walk.looped(FeetPolicy::kLock).motion;
  const Motion slid = walk.looped(FeetPolicy::kOff).motion;
  for (std::size_t frame = 0; frame < held.grid.frame_count; ++frame) {
    for (const char* joint : {"Root", "Spine", "LeftArm", "RightHand", "Head"}) {
      const auto node = toSize(nodeOf(walk.scene, joint));
      CHECK(held.localsOf(frame)[node] == slid.localsOf(frame)[node]);
    }
  }
}

TEST_CASE("the root speed does not jump at the seam") {
  Strider character;
  character.add("Slowing", 1.0, 240.0, [](double t, PoseView pose) {
    pose.locals[0].translation = Vec3(0.1 * t * t, 0, 2.0 * t - 0.4 * t * t);
    pose.locals[0].rotation = rotationAbout(Vec3(0, 1, 0), 0.5 * t * t);
    pose.locals[2].rotation = rotationAbout(Vec3(1, 0, 0), 0.3 * std::sin(6.0 * t));
  });
  const Motion open = character.motion(0);
  LoopSettings settings;
  auto results = runLoop({character.scene, std::span(&open, 1), 1}, settings);
  CHECK_OK(results);
  const StageResult& result = results->front();
  double before = 0.0;
  for (const Metric& metric : result.metrics) {
    if (metric.name == "seam_speed_mps") before = *metric.before;
  }
  // 2 m/s ahead at the start; at the end (0.2, 1.2) m/s, relative to a character rotated by 0.5.
  const Vec3 end = rotationAbout(Vec3(0, 1, 0), -0.5) * Vec3(0.2, 0, 1.2);
  const double expected = std::sqrt(end.x * end.x + (end.z - 2.0) * (end.z - 2.0));
  CHECK(before == nearTo(expected, 0.01));
  CHECK(metricOf(result, "seam_speed_mps") < 0.05 * expected);
  const std::size_t last = open.grid.frame_count - 1;
  CHECK(distance(result.motion.localsOf(last)[0].translation, open.localsOf(last)[0].translation) <
        1e-12);
}

TEST_CASE("locking feet fails for a character without legs") {
  Strider character;
  character.stride("Walk", 1.0, 60.0, 1.4, 0.0, 0.4);
  const Motion walk = character.motion(0);
  LoopSettings settings;
  settings.feet = FeetPolicy::kLock;
  const auto refused = runLoop({character.scene, std::span(&walk, 1), 1}, settings);
  REQUIRE_FALSE(refused.ok());
  CHECK(describe(refused.error()).find("no character with legs") != std::string::npos);
}

TEST_SUITE_END();
