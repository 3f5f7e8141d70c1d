// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Rods against solids, neighbours and each other.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/portable_math.h"
#include "stages/dynamic_bones/rig/cross.h"
#include "stages/dynamic_bones/springs/spring_simd.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.rod_contact");

namespace {

constexpr double kRadius_m = 0.1;

DynamicBonesSettings rodWithSphere(const Vec3& center) {
  DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kRod);
  settings.loop = LoopPolicy::kOff;
  settings.chain[0].droop_deg = 80.0;
  settings.chain[0].damping_ratio = 0.3;
  settings.chain[0].air_drag_per_s = 1.0;
  settings.chain[0].rest_includes_gravity = false;
  ColliderSettings sphere;
  sphere.node = "body";
  sphere.offset_m = {center.x, center.y, center.z};
  sphere.radius_m = kRadius_m;
  settings.collider.push_back(sphere);
  return settings;
}

// Distance of a point from the segment a to b.
double distanceFrom(const Vec3& point, const Vec3& a, const Vec3& b) {
  const Vec3 path = b - a;
  const double along = std::clamp(glm::dot(point - a, path) / glm::dot(path, path), 0.0, 1.0);
  return glm::length(point - (a + path * along));
}

// The ends of all bones of a chain of `bones`, frame by frame.
std::vector<std::vector<Vec3>> chainOf(const Scene& scene, const Motion& motion, int bones) {
  std::vector<std::vector<Vec3>> frames(motion.grid.frame_count);
  for (int node = 1; node <= bones + 1; ++node) {
    const auto path = pathOfNode(scene, motion, node);
    for (std::size_t i = 0; i < path.size(); ++i) frames[i].push_back(path[i]);
  }
  return frames;
}

}  // namespace

TEST_CASE("a rod that falls onto a sphere stays outside of it and comes to rest") {
  constexpr int kBones = 8;
  const Scene scene = chainScene(kBones + 1, Vec3(0.05, 0, 0), Vec3(0, 1.5, 0));
  const Vec3 center(0.2, 1.3, 0.0);
  const Motion clip = stillMotion(scene, 6.0, 60.0);
  DynamicBonesSettings settings = rodWithSphere(center);
  settings.chain[0].friction = 0.3;  // without it the rod slips off sideways
  const StageResult result = bake(scene, clip, settings);
  const auto frames = chainOf(scene, result.motion, kBones);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    CAPTURE(i);
    const auto& points = frames[i];
    for (std::size_t b = 0; b + 1 < points.size(); ++b) {
      CAPTURE(b);
      CHECK(distanceFrom(center, points[b], points[b + 1]) > kRadius_m - 1e-3);
    }
  }
  double nearest_m = 1.0;  // it lies on the sphere
  for (std::size_t b = 0; b < kBones; ++b) {
    nearest_m = std::min(nearest_m, distanceFrom(center, frames.back()[b], frames.back()[b + 1]));
  }
  CHECK(nearest_m < kRadius_m + 1e-3);
  for (std::size_t b = 0; b < frames.back().size(); ++b) {
    CHECK(distance(frames.back()[b], frames[frames.size() - 2][b]) < 1e-4);
  }
}

TEST_CASE("a rod that the body lowers through the ground lies on it") {
  constexpr int kBones = 8;
  constexpr double kGround_m = 0.4, kEnd_m = 0.5, kRodLength_m = 0.4;
  const Scene scene = chainScene(kBones + 1, Vec3(0, -0.05, 0), Vec3(0, 1.5, 0));
  const Motion clip = motionOf(scene, 6.0, 60.0, [&](double time_s, PoseView pose) {
    const double down = std::min(1.0, time_s / 2.0);
    pose.locals[0].translation.y = (kEnd_m - 1.5) * down;
    pose.locals[0].translation.x = 0.2 * down;  // so that the rod does not balance on its end
  });
  DynamicBonesSettings settings = rodWithSphere(Vec3(5.0, 0.0, 0.0));
  settings.chain[0].radius_m = 0.01;
  settings.chain[0].friction = 0.3;
  const auto lowestWith = [&](std::optional<double> ground_m) {
    settings.ground_m = ground_m;
    double lowest_m = 1e9;
    for (const auto& points : chainOf(scene, bake(scene, clip, settings).motion, kBones)) {
      for (const Vec3& point : points) lowest_m = std::min(lowest_m, point.y);
    }
    return lowest_m;
  };
  CHECK(lowestWith(std::nullopt) < kEnd_m - 0.9 * kRodLength_m);
  CHECK(lowestWith(kGround_m) > kGround_m + 0.01 - 1e-3);
}

TEST_CASE("a fixed sphere does not move with the body, a sphere of the body does") {
  constexpr int kBones = 8;
  const Scene scene = chainScene(kBones + 1, Vec3(0, -0.05, 0), Vec3(0, 1.5, 0));
  // The body passes the sphere; the rod hangs and is deflected where it meets it.
  const Vec3 center(1.0, 1.3, 0.02);
  const Motion clip = motionOf(scene, 4.0, 60.0, [&](double time_s, PoseView pose) {
    pose.locals[0].translation.x = 0.5 * time_s;
  });
  DynamicBonesSettings settings = rodWithSphere(center);
  settings.chain[0].rest_includes_gravity = true;
  const auto nearestWith = [&](const std::string& node) {
    settings.collider[0].node = node;
    const auto frames = chainOf(scene, bake(scene, clip, settings).motion, kBones);
    double nearest_m = 1e9, widest_m = 0.0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      for (std::size_t b = 0; b + 1 < frames[i].size(); ++b) {
        nearest_m = std::min(nearest_m, distanceFrom(center, frames[i][b], frames[i][b + 1]));
        widest_m = std::max(widest_m, std::abs(frames[i][b + 1].z));
      }
    }
    return std::pair(nearest_m, widest_m);
  };
  const auto [free_m, straight_m] = nearestWith("body");
  CHECK(free_m < 0.03);  // that sphere is a metre away and stays there
  CHECK(straight_m < 1e-6);
  const auto [fixed_m, aside_m] = nearestWith("");
  CHECK(fixed_m > kRadius_m - 1e-3);
  CHECK(aside_m > 0.02);
}

TEST_CASE("a swinging rod that hits a sphere does not rise above where it came from") {
  constexpr int kBones = 6;
  const Scene scene = chainScene(kBones + 1, Vec3(0.05, 0, 0), Vec3(0, 1.5, 0));
  DynamicBonesSettings settings = rodWithSphere(Vec3(0.02, 1.28, 0.0));
  settings.chain[0].droop_deg = 88.0;
  settings.chain[0].damping_ratio = 0.0;
  settings.chain[0].air_drag_per_s = 0.0;
  const Motion clip = stillMotion(scene, 8.0, 60.0);
  const auto frames = chainOf(scene, bake(scene, clip, settings).motion, kBones);
  for (const auto& points : frames) {
    double height = 0.0;  // of the centre of mass
    for (std::size_t b = 0; b + 1 < points.size(); ++b) {
      height += 0.5 * (points[b].y + points[b + 1].y) / kBones;
    }
    CHECK(height < 1.5 + 1e-3);
  }
}

TEST_CASE("what a rod overlaps in the rest pose does not move it") {
  constexpr int kBones = 6;
  const Scene scene = chainScene(kBones + 1, Vec3(0, -0.05, 0), Vec3(0, 1.5, 0));
  DynamicBonesSettings settings = rodWithSphere(Vec3(0.05, 1.35, 0.0));
  settings.chain[0].rest_includes_gravity = true;
  const Motion clip = stillMotion(scene, 1.0, 60.0);
  for (const auto& points : chainOf(scene, bake(scene, clip, settings).motion, kBones)) {
    for (std::size_t b = 0; b < points.size(); ++b) {
      CHECK(distance(points[b], Vec3(0, 1.5 - 0.05 * static_cast<double>(b), 0)) < 1e-6);
    }
  }
}

TEST_CASE("a rod moves by the same bits alone and beside others of other lengths") {
  Scene alone = chainScene(6, Vec3(0.02, -0.05, 0), Vec3(0, 1.5, 0));
  Scene beside = alone;
  for (int chain = 0; chain < 9; ++chain) {
    int parent = 0;
    for (int i = 0; i < 3 + chain % 4; ++i) {
      const Vec3 step = i == 0 ? Vec3(0.1 * chain, 1.0, 0.2) : Vec3(0.01, -0.04, 0.01 * chain);
      parent =
          addNode(beside, "other" + std::to_string(chain) + "_" + std::to_string(i), parent, step);
    }
  }
  DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kRod);
  settings.loop = LoopPolicy::kOff;
  settings.chain[0].droop_deg = 60.0;
  const auto clipOf = [](const Scene& scene) {
    return motionOf(scene, 1.5, 60.0, [](double t, PoseView pose) {
      pose.locals[0].translation.x = 0.2 * portable::sin(9.0 * t);
      pose.locals[0].translation.z = 0.1 * portable::sin(5.0 * t);
    });
  };
  const Motion single = bake(alone, clipOf(alone), settings).motion;
  ChainSettings others = settings.chain[0];
  others.root = "other*_0";
  settings.chain.push_back(others);
  const Motion among = bake(beside, clipOf(beside), settings).motion;
  for (std::size_t frame = 0; frame < single.grid.frame_count; ++frame) {
    for (std::size_t node = 0; node < alone.skeleton.size(); ++node) {
      CHECK(single.localsOf(frame)[node].rotation == among.localsOf(frame)[node].rotation);
    }
  }
}

TEST_CASE("a rod in contact moves by the same bits alone and beside others in contact") {
  const Scene alone = chainScene(6, Vec3(0.05, 0, 0), Vec3(0, 1.5, 0));
  Scene beside = alone;
  for (int chain = 0; chain < 5; ++chain) {
    int parent = 0;
    for (int i = 0; i < 5; ++i) {
      const Vec3 step = i == 0 ? Vec3(0.04 * chain, 1.55, -0.1) : Vec3(0.04, 0.0, 0.03);
      parent =
          addNode(beside, "other" + std::to_string(chain) + "_" + std::to_string(i), parent, step);
    }
  }
  DynamicBonesSettings settings = rodWithSphere(Vec3(0.15, 1.36, 0.01));
  settings.chain[0].friction = 0.3;
  const auto clipOf = [](const Scene& scene) {
    return motionOf(scene, 2.0, 60.0, [](double t, PoseView pose) {
      pose.locals[0].translation.x = 0.1 * portable::sin(9.0 * t);
    });
  };
  const Motion single = bake(alone, clipOf(alone), settings).motion;
  ChainSettings others = settings.chain[0];
  others.root = "other*_0";
  settings.chain.push_back(others);
  const StageResult among = bake(beside, clipOf(beside), settings);
  CHECK(metric(among, "max_penetration_mm") < 5.0);
  for (std::size_t frame = 0; frame < single.grid.frame_count; ++frame) {
    for (std::size_t node = 0; node < alone.skeleton.size(); ++node) {
      CHECK(single.localsOf(frame)[node].rotation == among.motion.localsOf(frame)[node].rotation);
    }
  }
}

TEST_CASE("rods and their contacts have the same bits on every instruction set") {
  constexpr int kBones = 7;
  const Scene scene = chainScene(kBones + 1, Vec3(0.05, 0, 0), Vec3(0, 1.5, 0));
  const DynamicBonesSettings settings = rodWithSphere(Vec3(0.2, 1.35, 0.01));
  const Motion clip = motionOf(scene, 1.0, 60.0, [](double t, PoseView pose) {
    pose.locals[0].translation.x = 0.05 * portable::sin(12.0 * t);
  });
  const Motion best = bake(scene, clip, settings).motion;
  for (std::size_t target = 0; target < vectorTargets().size(); ++target) {
    CAPTURE(vectorTargets()[target]);
    useVectorTarget(static_cast<int>(target));
    const Motion motion = bake(scene, clip, settings).motion;
    for (std::size_t frame = 0; frame < clip.grid.frame_count; ++frame) {
      for (std::size_t node = 0; node < scene.skeleton.size(); ++node) {
        CHECK(motion.localsOf(frame)[node].rotation == best.localsOf(frame)[node].rotation);
      }
    }
  }
  useVectorTarget(-1);
}

TEST_CASE("neighbours lose the speed at which they part, and keep the common one") {
  CrossConstraints constraints;
  constraints.all = {{0, 1, 1.0, 0.0}};
  constraints.color_starts = {0, 1};
  const std::vector<double> inverse_masses = {1.0, 1.0};
  const std::vector<Vec3> ends = {Vec3(0.0), Vec3(1, 0, 0)};
  std::vector<Vec3> velocities = {Vec3(3, 1, 0), Vec3(-1, 2, 5)};
  sweepCrossVelocities(constraints, inverse_masses, 1.0 / 240.0, ends, velocities);
  CHECK(distance(velocities[0], Vec3(1, 1, 0)) < 1e-12);
  CHECK(distance(velocities[1], Vec3(1, 2, 5)) < 1e-12);
}
