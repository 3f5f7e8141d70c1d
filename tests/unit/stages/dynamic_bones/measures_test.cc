// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/measures.h"

#include <algorithm>

#include "checks.h"
#include "core/portable_math.h"
#include "stages/dynamic_bones/swing_scene.h"

TEST_SUITE_BEGIN("dynamic_bones.measures");

namespace {

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

constexpr double kPlotDigit = 1e-4;  // to which the curves are rounded

stages::dynamic_bones::Rig rigOf(const Scene& scene, const DynamicBonesSettings& settings) {
  auto rig = stages::dynamic_bones::makeRig(scene, settings);
  CHECK_OK(rig);
  return std::move(*rig);
}

stages::dynamic_bones::Comparison compared(const Scene& scene, const DynamicBonesSettings& settings,
                                           const Motion& clip, const Motion& motion) {
  const stages::dynamic_bones::Rig rig = rigOf(scene, settings);
  return stages::dynamic_bones::compareWithClip(
      rig, settings, scene.skeleton, scene.metric_from_file,
      stages::dynamic_bones::measureClip(rig, settings, scene.skeleton, scene.metric_from_file,
                                         clip),
      motion);
}

// "bone0" rotates about z by `degrees` in every frame.
Motion rotating(const Scene& scene, double fps, double degrees) {
  return motionOf(scene, 1.0, fps, [=](double time_s, PoseView pose) {
    pose.locals[1].rotation = rotationAbout(Vec3(0, 0, 1), degrees * kDegree * time_s * fps);
  });
}

}  // namespace

TEST_CASE("Angle and tip speed of a chain in steady rotation are those of a rigid rod") {
  const Scene scene = chainScene(3, Vec3(0.0, -0.5, 0.0));
  const DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kSpring);
  const Motion still = stillMotion(scene, 1.0, 30.0), rotated = rotating(scene, 30.0, 2.0);
  const auto found = compared(scene, settings, still, rotated);
  REQUIRE(found.curves_after.size() == 1);
  const stages::dynamic_bones::ChainCurves& curves = found.curves_after[0];
  REQUIRE(curves.rest_angle_deg.size() == 31);
  REQUIRE(curves.tip_speed_mps.size() == 31);
  // The chord of a rod of 1 m, in 1/30 s.
  const double speed_mps = 2.0 * portable::sin(1.0 * kDegree) * 30.0;
  for (std::size_t frame = 0; frame < 31; ++frame) {
    CHECK(std::abs(curves.rest_angle_deg[frame] - 2.0 * static_cast<double>(frame)) < kPlotDigit);
    CHECK(std::abs(curves.tip_speed_mps[frame] - speed_mps) < kPlotDigit);
    CHECK(found.curves_before[0].rest_angle_deg[frame] == 0.0);
    CHECK(found.curves_before[0].tip_speed_mps[frame] == 0.0);
  }
  CHECK(curves.penetration_mm.empty());
}

TEST_CASE("Penetration is the depth of the nearest joint in a collider, frame by frame") {
  const Scene scene = chainScene(2, Vec3(0.0, -0.5, 0.0));
  DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kSpring);
  ColliderSettings collider;
  collider.node = "body";
  collider.offset_m = {0.0, -0.55, 0.0};
  collider.radius_m = 0.2;
  settings.collider.push_back(collider);
  const Motion still = stillMotion(scene, 1.0, 10.0);
  // The far end goes away along x, 0.1 m a frame.
  const Motion moved = motionOf(scene, 1.0, 10.0, [](double time_s, PoseView pose) {
    pose.locals[2].translation = Vec3(time_s, -0.5, 0.0);
  });
  const auto found = compared(scene, settings, still, moved);
  const std::vector<double>& depth_mm = found.curves_after[0].penetration_mm;
  REQUIRE(depth_mm.size() == 11);
  for (std::size_t frame = 0; frame < 11; ++frame) {
    const double x = 0.1 * static_cast<double>(frame);
    const double expected_mm = std::max(0.0, 0.2 - std::sqrt(x * x + 0.05 * 0.05)) * 1000.0;
    CHECK(std::abs(depth_mm[frame] - expected_mm) < kPlotDigit);
    CHECK(std::abs(found.curves_before[0].penetration_mm[frame] - 150.0) < kPlotDigit);
  }
  CHECK(found.after.penetration_m * 1000.0 ==
        doctest::Approx(*std::max_element(depth_mm.begin(), depth_mm.end())));
}

TEST_CASE("The stage reports curves, colliders and the ends of its chains") {
  const Scene scene = chainScene(3, Vec3(0.0, -0.5, 0.0));
  DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kSpring);
  settings.chain[0].tip_length = 1.0;
  ColliderSettings collider;
  collider.node = "body";
  collider.shape = ColliderShape::kCapsule;
  collider.tail_m = {0.0, 0.3, 0.0};
  settings.collider.push_back(collider);
  const StageResult result = bake(scene, rotating(scene, 30.0, 1.0), settings);
  REQUIRE(result.series.size() == 3);
  for (const Series& series : result.series) {
    CAPTURE(series.name);
    CHECK(series.of == "bone0");
    CHECK(series.before.size() == result.motion.grid.frame_count);
    CHECK(series.after.size() == result.motion.grid.frame_count);
  }
  REQUIRE(result.shapes.size() == 1);
  CHECK(result.shapes[0].node == 0);
  CHECK(result.shapes[0].tail_m.y == 0.3);
  // A virtual tip hangs on the last joint, as far from it as that is from the one before.
  REQUIRE(result.points.size() == 1);
  CHECK(result.points[0].name == "bone2");
  CHECK(distance(result.points[0].offset, Vec3(0.0, -0.5, 0.0)) < 1e-12);
}
