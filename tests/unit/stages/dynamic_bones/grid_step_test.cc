// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/grid_step.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "checks.h"
#include "core/portable_math.h"
#include "stages/dynamic_bones/springs/spring.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages;
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

// A character with hair ("hair0", ..) and an antenna ("antenna0", ..), five nodes each, the antenna
// on that node.
Scene twoChainScene(const std::string& antenna_on) {
  Scene scene;
  addNode(scene, "body", -1, Vec3(0.0));
  const int head = addNode(scene, "head", 0, Vec3(0.0, 1.5, 0.0));
  int hair = head;
  for (int i = 0; i < 5; ++i) {
    hair = addNode(scene, "hair" + std::to_string(i), hair, Vec3(0.0, -0.08, i == 0 ? -0.1 : 0.0));
  }
  int antenna = antenna_on == "hair" ? hair : head;
  for (int i = 0; i < 5; ++i) {
    antenna = addNode(scene, "antenna" + std::to_string(i), antenna, Vec3(0.0, 0.08, 0.0));
  }
  return scene;
}

DynamicBonesSettings twoChains(std::vector<std::string> roots) {
  DynamicBonesSettings settings = rodSettings(2.0);
  settings.chain.resize(roots.size(), settings.chain[0]);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    settings.chain[i].root = roots[i] + "0";
    if (roots[i] == "antenna") settings.chain[i].frequency_hz = 8.0;
  }
  return settings;
}

std::vector<double> stepsOf(const Scene& scene, const DynamicBonesSettings& settings) {
  const auto rig = makeRig(scene, settings);
  CHECK_OK(rig);
  return gridSteps_s(*rig, settings, scene);
}

Motion nodding(const Scene& scene) {
  return motionOf(scene, 1.5, 30.0, [](double t, PoseView pose) {
    pose.locals[0].translation = Vec3(0.2 * portable::sin(7.0 * t), 0.0, 0.0);
    pose.locals[1].rotation = rotationAbout(Vec3(1, 0, 0), 0.4 * portable::sin(5.0 * t));
  });
}

}  // namespace

TEST_CASE("a stiff chain does not change the steps of slow ones") {
  const Scene scene = twoChainScene("head");
  const DynamicBonesSettings settings = twoChains({"hair", "antenna"});
  CHECK(stepsOf(scene, settings) == std::vector{kCoarseGridStep_s, kGridStep_s});
  DynamicBonesSettings fine = settings;
  fine.quality = GridQuality::kHigh;
  CHECK(stepsOf(scene, fine) == std::vector{kFineGridStep_s, kFineGridStep_s});
}

TEST_CASE("chains that hang on each other or avoid each other have one step") {
  const Scene carried = twoChainScene("hair");
  DynamicBonesSettings hanging = twoChains({"hair", "antenna"});
  hanging.chain[0].skip = {"antenna0"};
  CHECK(stepsOf(carried, hanging) == std::vector{kGridStep_s, kGridStep_s});
  const Scene apart = twoChainScene("head");
  DynamicBonesSettings avoiding = twoChains({"hair", "antenna"});
  for (ChainSettings& chain : avoiding.chain) chain.radius_m = 0.05;
  avoiding.chain[0].avoid_chains = {"antenna0"};
  CHECK(stepsOf(apart, avoiding) == std::vector{kGridStep_s, kGridStep_s});
}

TEST_CASE("what a chain does is the same bit for bit beside chains with other steps") {
  const Scene scene = twoChainScene("head");
  const Motion clip = nodding(scene);
  const StageResult both = bake(scene, clip, twoChains({"hair", "antenna"}));
  double swing = 0.0;
  for (const std::string name : {"hair", "antenna"}) {
    const StageResult alone = bake(scene, clip, twoChains({name}));
    for (std::size_t node = 0; node < scene.skeleton.size(); ++node) {
      if (scene.skeleton.nodes[node].name.rfind(name, 0) != 0) continue;
      for (std::size_t frame = 0; frame < clip.grid.frame_count; ++frame) {
        const Quat a = both.motion.localsOf(frame)[node].rotation;
        CHECK(a == alone.motion.localsOf(frame)[node].rotation);
        swing = std::max(swing, std::abs(a.x));
      }
    }
  }
  CHECK(swing > 0.02);
  CHECK(metric(both, "joints") == 8.0);
}

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
