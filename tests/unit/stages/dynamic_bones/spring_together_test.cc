// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Chains and what they meet: solids that move or hang on other chains, each other, skirts.
#include <algorithm>
#include <cmath>

#include "core/portable_math.h"
#include "core/to_size.h"
#include "platform.h"
#include "stages/dynamic_bones/springs/spring_bones.h"
#include "stages/dynamic_bones/springs/spring_simd.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.together");

namespace {

constexpr auto kSpring = DynamicBonesMethod::kSpring;
constexpr auto kRod = DynamicBonesMethod::kRod;
constexpr double kGravity = 9.81;

// Two chains that hang side by side, 5 cm apart.
Scene twoChains() {
  Scene scene;
  const int body = addNode(scene, "body", -1, Vec3(0));
  for (const std::string side : {"left", "right"}) {
    int parent = addNode(scene, side, body, Vec3(side == "left" ? -0.025 : 0.025, 0, 0));
    for (int i = 0; i < 4; ++i) {
      parent = addNode(scene, side + std::to_string(i), parent, Vec3(0, -0.1, 0));
    }
  }
  return scene;
}

// The right chain is blown against the left one by the clip's own sway.
Motion sway(const Scene& scene) {
  return motionOf(scene, 3.0, 60.0, [](double t, PoseView pose) {
    pose.locals[0].translation.x = 0.15 * portable::sin(5.0 * t);
    pose.locals[0].rotation = rotationAbout(Vec3(0, 1, 0), 0.6 * portable::sin(3.0 * t));
  });
}

DynamicBonesSettings pair() {
  DynamicBonesSettings settings = settingsFor("left", kSpring);
  settings.chain.push_back(settings.chain[0]);
  settings.chain[1].root = "right";
  settings.chain[0].frequency_hz = 1.0;
  settings.chain[1].frequency_hz = 2.5;
  for (ChainSettings& chain : settings.chain) chain.radius_m = 0.02;
  return settings;
}

double maxDepth(const Scene& scene, const Motion& motion, double radii_m) {
  double max_depth_m = 0.0;
  for (int i = 1; i < 5; ++i) {
    const auto left = pathOfNode(scene, motion, 1 + i);
    for (int k = 1; k < 5; ++k) {
      const auto right = pathOfNode(scene, motion, 6 + k);
      for (std::size_t frame = 0; frame < left.size(); ++frame) {
        max_depth_m = std::max(max_depth_m, radii_m - glm::length(left[frame] - right[frame]));
      }
    }
  }
  return max_depth_m;
}

}  // namespace

TEST_CASE("a chain avoids the bones of another one that swings") {
  const Scene scene = twoChains();
  const Motion clip = sway(scene);
  DynamicBonesSettings settings = pair();
  CHECK(maxDepth(scene, bake(scene, clip, settings).motion, 0.04) > 0.01);
  settings.chain[1].avoid_chains = {"left"};
  const StageResult apart = bake(scene, clip, settings);
  CHECK(maxDepth(scene, apart.motion, 0.04) < 1e-3);
  CHECK(metric(apart, "max_penetration_mm") < 1.0);
  settings.chain[1].avoid_chains = {"lft"};
  const Error error = bakeError(scene, settings);
  CHECK(error.code == ErrorCode::kNotFound);
  CHECK(error.remedy.find("left") != std::string::npos);
}

TEST_CASE("the order of chains has no effect on what they avoid") {
  const Scene scene = twoChains();
  const Motion clip = sway(scene);
  DynamicBonesSettings settings = pair();
  settings.chain[1].avoid_chains = {"left"};
  const auto a = pathOfNode(scene, bake(scene, clip, settings).motion, 10);
  std::swap(settings.chain[0], settings.chain[1]);
  const auto b = pathOfNode(scene, bake(scene, clip, settings).motion, 10);
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == b[i]);
}

TEST_CASE("a collider on a swinging bone is avoided at its simulated position") {
  // A ball at the end of the left chain, of which the right one keeps off.
  const Scene scene = twoChains();
  DynamicBonesSettings settings = pair();
  ColliderSettings ball;
  ball.node = "left3";
  ball.radius_m = 0.05;
  settings.collider.push_back(ball);
  settings.chain[0].colliders = {"none"};
  const Motion clip = sway(scene);
  const StageResult result = bake(scene, clip, settings);
  const auto center = pathOfNode(scene, result.motion, 5);
  for (int k = 1; k < 5; ++k) {
    const auto right = pathOfNode(scene, result.motion, 6 + k);
    for (std::size_t frame = 1; frame < right.size(); ++frame) {
      CHECK(glm::length(right[frame] - center[frame]) > 0.07 - 1e-3);
    }
  }
}

TEST_CASE("a whip in a hand that swings at 20 m/s does not pass through a post") {
  // The hand goes round at 20 m/s on a circle of 0.8 m; a post of 2 cm is in the path of the whip.
  const Scene scene = chainScene(8, Vec3(0, -0.08, 0), Vec3(0.8, 0, 0));
  Scene with_post = scene;
  addNode(with_post, "post", -1, Vec3(0, 0, 1.2));
  const Motion clip = motionOf(with_post, 1.0, 30.0, [](double t, PoseView pose) {
    pose.locals[0].rotation = rotationAbout(Vec3(0, 1, 0), 25.0 * t);
  });
  for (const auto method : {kSpring, kRod}) {
    DynamicBonesSettings settings = settingsFor("bone0", method);
    settings.chain[0].frequency_hz = 0.5;
    settings.chain[0].radius_m = 0.005;
    settings.loop = LoopPolicy::kOff;
    ColliderSettings pole;
    pole.node = "post";
    pole.shape = ColliderShape::kCapsule;
    pole.offset_m = {0, -2, 0};
    pole.tail_m = {0, 2, 0};
    pole.radius_m = 0.02;
    settings.collider.push_back(pole);
    const StageResult result = bake(with_post, clip, settings);
    CHECK(metric(result, "max_speed_mps") > 20.0);
    CHECK(metric(result, "max_penetration_mm") < 1.0);
  }
}

TEST_CASE("branches with cross constraints keep their distances") {
  // A skirt of eight strands of three bones, twirled.
  Scene scene;
  const int body = addNode(scene, "body", -1, Vec3(0));
  for (int strand = 0; strand < 8; ++strand) {
    const double angle = 2.0 * kPi * strand / 8;
    const Vec3 out(portable::sin(angle), 0, portable::cos(angle));
    const std::string name = "skirt" + std::to_string(strand);
    int parent = addNode(scene, name + "_0", body, out * 0.12);
    for (int i = 1; i < 4; ++i) {
      parent =
          addNode(scene, name + "_" + std::to_string(i), parent, Vec3(0, -0.1, 0) + out * 0.03);
    }
  }
  // A knee comes forward and pushes the strands in front of it, away from their neighbours.
  const int knee = addNode(scene, "knee", body, Vec3(0, -0.25, 0));
  const Motion clip = motionOf(scene, 2.0, 60.0, [=](double t, PoseView pose) {
    pose.locals[toSize(knee)].translation.z = 0.11 * (1.0 - portable::cos(4.0 * t));
  });
  const auto spread = [&](const Motion& motion) {
    double worst = 0.0;
    for (int strand = 0; strand < 8; ++strand) {
      const auto a = pathOfNode(scene, motion, 4 + 4 * strand);
      const auto b = pathOfNode(scene, motion, 4 + 4 * ((strand + 1) % 8));
      const double rest = 2.0 * (0.12 + 0.09) * portable::sin(kPi / 8);
      for (std::size_t i = 0; i < a.size(); ++i) {
        worst = std::max(worst, std::abs(glm::length(a[i] - b[i]) / rest - 1.0));
      }
    }
    return worst;
  };
  DynamicBonesSettings settings = settingsFor("skirt*_0", kSpring);
  settings.loop = LoopPolicy::kOff;
  ColliderSettings ball;
  ball.node = "knee";
  ball.radius_m = 0.07;
  settings.collider.push_back(ball);
  const double loose = spread(bake(scene, clip, settings).motion);
  settings.chain[0].cross = CrossShape::kAuto;
  const StageResult held = bake(scene, clip, settings);
  CHECK(loose > 0.1);
  CHECK(spread(held.motion) < 0.5 * loose);
  CHECK(metric(held, "max_bone_length_error_mm") < 1e-6);
}

TEST_CASE("every vector instruction set gives the same bits") {
  const Scene scene = twoChains();
  const Motion clip = sway(scene);
  DynamicBonesSettings settings = pair();
  settings.chain[1].avoid_chains = {"left"};
  settings.wind_mps2 = {1.0, 0.0, 2.0};
  const std::vector<std::string> targets = vectorTargets();
  REQUIRE(targets.size() >= kLeastInstructionSets);
  std::vector<Vec3> first;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    useVectorTarget(static_cast<int>(i));
    const auto path = pathOfNode(scene, bake(scene, clip, settings).motion, 10);
    if (i == 0) first = path;
    CAPTURE(targets[i]);
    CHECK(path == first);
  }
  useVectorTarget(-1);
}

TEST_CASE("the parents of a level's lanes are in earlier levels, and dependent chains come later") {
  const Scene scene = twoChains();
  DynamicBonesSettings settings = pair();
  settings.chain[0].avoid_chains = {"right"};
  const auto rig = makeRig(scene, settings);
  CHECK_OK(rig);
  const SpringLayout layout = makeSpringLayout(*rig, settings.chain.size());
  std::vector<std::size_t> level_of(rig->bones.size());
  for (std::size_t level = 0; level < layout.levels.size(); ++level) {
    CHECK(layout.levels[level].start % kLaneBlock == 0);
    for (int b : layout.levels[level].bones) level_of[toSize(b)] = level;
  }
  std::size_t last_right = 0, first_left = 100;
  for (std::size_t b = 0; b < rig->bones.size(); ++b) {
    const Bone& bone = rig->bones[b];
    if (bone.parent >= 0) CHECK(level_of[b] > level_of[toSize(bone.parent)]);
    if (bone.chain == 1) last_right = std::max(last_right, level_of[b]);
    if (bone.chain == 0) first_left = std::min(first_left, level_of[b]);
  }
  CHECK(first_left > last_right);
}

TEST_SUITE_END();
