// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/grid_step.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "checks.h"
#include "core/portable_math.h"
#include "stages/dynamic_bones/springs/spring.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.grid_step");

namespace {

Scene rodScene() { return chainScene(9, Vec3(0, -0.06, 0), Vec3(0, 1.5, 0)); }

DynamicBonesSettings rodSettings(double frequency_hz) {
  DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kRod);
  settings.loop = LoopPolicy::kOff;
  settings.chain[0].frequency_hz = frequency_hz;
  settings.chain[0].gravity_mps2 = 0.0;
  settings.chain[0].radius_m = 0.01;
  return settings;
}

double stepOf(const DynamicBonesSettings& settings) {
  const Scene scene = rodScene();
  const auto rig = makeRig(scene, settings);
  CHECK_OK(rig);
  return gridStep_s(*rig, settings, scene);
}

double stepBeside(ColliderShape shape, double radius_m) {
  DynamicBonesSettings settings = rodSettings(2.0);
  ColliderSettings collider;
  collider.node = "body";
  collider.shape = shape;
  collider.radius_m = radius_m;
  collider.offset_m = {0.5, 1.0, 0.0};
  collider.tail_m = {0.5, 0.5, 0.0};
  settings.collider.push_back(collider);
  return stepOf(settings);
}

// The paths of all nodes of a swing by its steps.
std::vector<Vec3> tipPath(double frequency_hz, double step_s) {
  const Scene scene = rodScene();
  const DynamicBonesSettings settings = rodSettings(frequency_hz);
  const Motion clip = motionOf(scene, 4.0, 60.0, [](double t, PoseView pose) {
    const double angle = 2.0 * std::numbers::pi * t;
    pose.locals[0].translation =
        Vec3(0.2 * portable::sin(0.9 * angle), 0.05 * portable::sin(2.3 * angle), 0.0);
  });
  const auto rig = makeRig(scene, settings);
  CHECK_OK(rig);
  Motion out = copyOf(clip);
  simulateSpring(*rig, settings, scene, clip, {}, step_s, out);
  return pathOfNode(scene, out, 9);
}

}  // namespace

TEST_CASE("slow rods take coarse steps, all others do not") {
  CHECK(stepOf(rodSettings(0.5)) == kCoarseGridStep_s);
  CHECK(stepOf(rodSettings(2.9)) == kCoarseGridStep_s);
  CHECK(stepOf(rodSettings(3.1)) == kGridStep_s);
  DynamicBonesSettings settings = rodSettings(1.0);
  settings.quality = GridQuality::kHigh;
  CHECK(stepOf(settings) == kFineGridStep_s);
  settings = rodSettings(2.0);
  settings.chain[0].damping_ratio = 0.01;
  CHECK(stepOf(settings) == kGridStep_s);
  settings = rodSettings(1.0);
  settings.chain[0].gravity_mps2 = -9.81;
  settings.chain[0].droop_deg = 40.0;
  CHECK(stepOf(settings) == kCoarseGridStep_s);
  settings.chain[0].droop_deg = 87.0;
  CHECK(stepOf(settings) == kGridStep_s);
  settings.chain[0].air_drag_per_s = 20.0;
  CHECK(stepOf(settings) == kCoarseGridStep_s);
  settings = rodSettings(1.0);
  settings.method = DynamicBonesMethod::kSpring;
  CHECK(stepOf(settings) == kGridStep_s);
}

TEST_CASE("rods beside thin colliders do not take coarse steps") {
  CHECK(stepBeside(ColliderShape::kSphere, 0.1) == kCoarseGridStep_s);
  CHECK(stepBeside(ColliderShape::kSphere, 0.05) == kGridStep_s);
  CHECK(stepBeside(ColliderShape::kCapsule, 0.05) == kGridStep_s);
  CHECK(stepBeside(ColliderShape::kPlane, 0.0) == kCoarseGridStep_s);
}

TEST_CASE("at the bound, coarse steps change a swing by less than 2 percent") {
  const std::vector<Vec3> exact = tipPath(kMaxCoarseFrequency_hz, kFineGridStep_s);
  const std::vector<Vec3> coarse = tipPath(kMaxCoarseFrequency_hz, kCoarseGridStep_s);
  const std::vector<Vec3> standard = tipPath(kMaxCoarseFrequency_hz, kGridStep_s);
  Vec3 mean(0.0);
  for (const Vec3& at_m : exact) mean += at_m / static_cast<double>(exact.size());
  double swing_m2 = 0.0, coarse_m2 = 0.0, standard_m2 = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const auto square = [](const Vec3& v) { return glm::dot(v, v); };
    swing_m2 += square(exact[i] - mean);
    coarse_m2 += square(coarse[i] - exact[i]);
    standard_m2 += square(standard[i] - exact[i]);
  }
  CHECK(std::sqrt(coarse_m2 / swing_m2) < 0.02);
  // Of second order: half the step leaves a quarter of the error.
  CHECK(std::sqrt(standard_m2 / coarse_m2) == nearTo(0.25, 0.2));
}
