// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/loop.h"

#include <cmath>

#include "checks.h"
#include "stages/blend/strider.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::edit;
using namespace clipmill::test;

TEST_SUITE_BEGIN("edit.loop");

namespace {

StageResult looped(const Scene& scene, const Motion& motion, double window_s = 0.25) {
  LoopSettings settings;
  settings.window_s = window_s;
  auto results = runLoop({scene, std::span(&motion, 1), 1}, settings);
  CHECK_OK(results);
  return results->front();
}

// A walk in a curve that does not end as it starts, neither in its poses nor in their velocities.
Strider openCycle(double fps) {
  Strider character;
  character.add("Open", 1.0, fps, [](double t, PoseView pose) {
    pose.locals[0].translation = Vec3(0.2 * std::sin(t), 0, 1.3 * t);
    pose.locals[0].rotation = rotationAbout(Vec3(0, 1, 0), 0.3 * t);
    pose.locals[2].rotation = rotationAbout(Vec3(1, 0, 0), 0.4 * std::sin(5.0 * t));
    pose.locals[3].rotation =
        rotationAbout(Vec3(0, 0, 1), 0.2 * t) * rotationAbout(Vec3(1, 0, 0), 0.3 * t * t);
    pose.weights[0] = 0.4 * t;
  });
  return character;
}

Vec3 rotationPerSecond(const Motion& motion, std::size_t frame, std::size_t node) {
  return rotationVector(motion.localsOf(frame)[node].rotation,
                        motion.localsOf(frame + 1)[node].rotation) *
         motion.grid.fps;
}

}  // namespace

TEST_CASE("the last pose is the first, and root motion is kept") {
  const Strider character = openCycle(60.0);
  const Motion open = character.motion(0);
  const StageResult result = looped(character.scene, open);
  const std::size_t last = open.grid.frame_count - 1;
  for (std::size_t node = 1; node < open.node_count; ++node) {
    CHECK(worstLocal(result.motion.localsOf(0)[node], result.motion.localsOf(last)[node]) < 1e-8);
  }
  CHECK(result.motion.weightsOf(0)[0] == nearTo(result.motion.weightsOf(last)[0], 1e-9));
  // The root travels and rotates in one loop as in the clip.
  const Transform &first = result.motion.localsOf(0)[0], &end = result.motion.localsOf(last)[0];
  CHECK(distance(end.translation - first.translation, Vec3(0.2 * std::sin(1.0), 0, 1.3)) < 1e-9);
  CHECK(distance(end.rotation, rotationAbout(Vec3(0, 1, 0), 0.3) * first.rotation) < 1e-8);
  CHECK(metricOf(result, "seam_deg") < 1e-5);
  CHECK(metricOf(result, "loop_yaw_deg") == doctest::Approx(0.3 / kDegree));
}

TEST_CASE("velocities at the seam converge as frames get finer") {
  double worst[2] = {0.0, 0.0};
  for (int i = 0; i < 2; ++i) {
    const Strider character = openCycle(i == 0 ? 60.0 : 960.0);
    const Motion made = looped(character.scene, character.motion(0)).motion;
    const std::size_t last = made.grid.frame_count - 1;
    for (std::size_t node : {2u, 3u}) {
      const Vec3 jump = rotationPerSecond(made, 0, node) - rotationPerSecond(made, last - 1, node);
      worst[i] = std::max(worst[i], std::sqrt(glm::dot(jump, jump)));
    }
  }
  CHECK(worst[0] < 0.8);  // 1.4 before, radians a second
  CHECK(worst[1] < worst[0] / 8.0);
}

TEST_CASE("between the windows nothing changes, bit for bit") {
  const Strider character = openCycle(60.0);
  const Motion open = character.motion(0);
  const Motion made = looped(character.scene, open, 0.2).motion;
  for (std::size_t frame = 13; frame < 48; ++frame) {
    for (std::size_t node = 2; node < open.node_count; ++node) {
      CHECK(made.localsOf(frame)[node] == open.localsOf(frame)[node]);
    }
    CHECK(distance(made.localsOf(frame)[0].translation, open.localsOf(frame)[0].translation) <
          1e-12);
  }
}

TEST_CASE("a cycle does not change") {
  Strider character;
  character.stride("Walk", 1.0, 120.0, 1.4, 0.0, 0.4);
  const Motion walk = character.motion(0);
  const Motion made = looped(character.scene, walk).motion;
  for (std::size_t frame = 0; frame < walk.grid.frame_count; ++frame) {
    for (std::size_t node = 0; node < walk.node_count; ++node) {
      CHECK(worstLocal(made.localsOf(frame)[node], walk.localsOf(frame)[node]) < 1e-3);
    }
  }
}

TEST_CASE("windows that do not fit are refused, and ends far apart give a warning") {
  const Strider character = openCycle(60.0);
  const Motion open = character.motion(0);
  for (double window_s : {0.0, 0.6}) {
    LoopSettings settings;
    settings.window_s = window_s;
    const auto refused = runLoop({character.scene, std::span(&open, 1), 1}, settings);
    REQUIRE_FALSE(refused.ok());
    CHECK(describe(refused.error()).find("'Open', which lasts 1.000 s") != std::string::npos);
  }
  Strider far;
  far.add("Far", 1.0, 30.0, [](double t, PoseView pose) {
    pose.locals[2].rotation = rotationAbout(Vec3(1, 0, 0), 1.5 * t);
  });
  CHECK(looped(far.scene, far.motion(0)).warnings.all().front().code == "far_apart");
}
