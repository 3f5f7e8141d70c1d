// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/spring.h"

#include <cmath>

#include "checks.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.spring");

namespace {

constexpr auto kSpring = DynamicBonesMethod::kSpring;
constexpr double kGravity = 9.81;

// A bob of `length_m` at `angle` from hanging straight down, about the pivot "bone0".
Scene pendulumScene(double length_m, double angle) {
  return chainScene(2, Vec3(std::sin(angle), -std::cos(angle), 0) * length_m);
}

std::vector<Vec3> bobPath(const Scene& scene, const Motion& clip,
                          const DynamicBonesSettings& settings) {
  return pathOfNode(scene, bake(scene, clip, settings).motion, 2);
}

// Mean time between upward crossings of x = 0.
double periodOf(const std::vector<Vec3>& path, double fps) {
  std::vector<double> times;
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i - 1].x < 0.0 && path[i].x >= 0.0) {
      const double part = -path[i - 1].x / (path[i].x - path[i - 1].x);
      times.push_back((static_cast<double>(i) - 1.0 + part) / fps);
    }
  }
  REQUIRE(times.size() >= 3);
  return (times.back() - times.front()) / static_cast<double>(times.size() - 1);
}

// Energy by unit of mass at frame i, the velocity from the frames beside it.
double energyAt(const std::vector<Vec3>& path, std::size_t i, double fps) {
  const Vec3 v = (path[i + 1] - path[i - 1]) * (0.5 * fps);
  return 0.5 * glm::dot(v, v) + kGravity * path[i].y;
}

// Five bones on a body that sways in all directions.
Motion swayMotion(const Scene& scene, double end_s, double fps) {
  return motionOf(scene, end_s, fps, [](double t, PoseView pose) {
    pose.locals[0].translation =
        Vec3(0.04 * std::sin(7.0 * t), 0.02 * std::cos(5.0 * t), 0.03 * std::sin(3.0 * t));
    pose.locals[0].rotation = rotationAbout(Vec3(0, 1, 0), 0.4 * std::sin(4.0 * t));
  });
}

DynamicBonesSettings swaySettings() {
  DynamicBonesSettings settings = settingsFor("bone0", kSpring);
  settings.chain[0].frequency_hz = 1.5;
  settings.chain[0].damping_ratio = 0.2;
  settings.chain[0].rest_includes_gravity = false;
  return settings;
}

}  // namespace

TEST_CASE("a pendulum of 60 degrees has its exact period") {
  // T = 2 pi sqrt(L / g) / AGM(1, cos 30 degrees) = 1.522312 s for L = 0.5 m.
  const Scene scene = pendulumScene(0.5, 60 * kDegree);
  const auto path = bobPath(scene, stillMotion(scene, 16.0, 240.0), ballisticFor("bone0"));
  CHECK(std::abs(periodOf(path, 240.0) / 1.522312 - 1.0) < 1e-4);
}

TEST_CASE("a pendulum without drag conserves its energy for 20 s") {
  const Scene scene = pendulumScene(0.5, 60 * kDegree);
  const auto path = bobPath(scene, stillMotion(scene, 20.0, 240.0), ballisticFor("bone0"));
  const double scale = kGravity * 0.5;  // from the lowest to the level of the pivot
  const double start = energyAt(path, 1, 240.0) + scale;
  CHECK(std::abs((energyAt(path, path.size() - 2, 240.0) + scale) / start - 1.0) < 1e-3);
}

TEST_CASE("air drag takes energy at its own rate, at any frame rate") {
  for (double fps : {24.0, 60.0, 240.0}) {
    const Scene scene = pendulumScene(0.5, 5 * kDegree);
    DynamicBonesSettings settings = ballisticFor("bone0");
    settings.chain[0].air_drag_per_s = 0.5;
    const auto path = bobPath(scene, stillMotion(scene, 12.0, fps), settings);
    double late = 0.0;
    for (std::size_t i = 0; i < path.size(); ++i) {
      // Amplitude exp(-c t / 2) envelopes the swing.
      const double time = static_cast<double>(i) / fps;
      const double envelope = 0.5 * std::sin(5 * kDegree) * std::exp(-0.25 * time);
      CHECK(std::abs(path[i].x) < 1.01 * envelope);
      if (time > 10.0) late = std::max(late, std::abs(path[i].x) / envelope);
    }
    CHECK(late > 0.97);
  }
}

TEST_CASE("a bone that was set in rotation keeps its speed") {
  const Scene scene = chainScene(2, Vec3(0.5, 0, 0));
  DynamicBonesSettings settings = ballisticFor("bone0");
  settings.chain[0].gravity_mps2 = 0.0;
  // The clip rotates at 10 rad/s for 0.1 s, then stops; the bone does not.
  const Motion clip = motionOf(scene, 2.0, 60.0, [](double t, PoseView pose) {
    pose.locals[1].rotation = rotationAbout(Vec3(0, 0, 1), 10.0 * std::min(t, 0.1));
  });
  const auto path = bobPath(scene, clip, settings);
  auto speedAt = [&](std::size_t i) { return angleBetween(path[i - 1], path[i]) * 60.0; };
  CHECK(speedAt(1) == nearTo(10.0, 1e-4));
  CHECK(speedAt(path.size() - 1) == nearTo(speedAt(1), 1e-9));
  CHECK(distance(path.back(), Vec3(0.5 * std::cos(20.0), 0.5 * std::sin(20.0), 0)) < 1e-3);
}

TEST_CASE("a chain that hangs straight down does not change by a bit") {
  const Scene scene = chainScene(6, Vec3(0, -0.1, 0));
  const StageResult result = bake(scene, stillMotion(scene, 60.0, 30.0), ballisticFor("bone0"));
  CHECK(distance(pathOfNode(scene, result.motion, 6).back(), Vec3(0, -0.5, 0)) < 1e-12);
}

TEST_CASE("a bob on a rotating arm leans out by the closed-form angle") {
  // tan a = w^2 (R + L sin a) / g for R = 0.3, L = 0.5, w = 4: a = 47.473 degrees.
  double angle = 1.0;
  for (int i = 0; i < 200; ++i) {
    angle = std::atan(16.0 * (0.3 + 0.5 * std::sin(angle)) / kGravity);
  }
  REQUIRE(angle / kDegree == nearTo(47.473, 1e-5));
  Scene scene = chainScene(2, Vec3(std::sin(angle), -std::cos(angle), 0) * 0.5, Vec3(0.3, 0, 0));
  const Motion clip = motionOf(scene, 10.0, 60.0, [](double t, PoseView pose) {
    pose.locals[0].rotation = rotationAbout(Vec3(0, 1, 0), 4.0 * t);
  });
  double worst = 0.0;
  for (const Vec3& bob : bobPath(scene, clip, ballisticFor("bone0"))) {
    worst = std::max(worst, std::abs(std::acos(-bob.y / 0.5) - angle));
  }
  CHECK(worst / kDegree < 0.005);
}

TEST_CASE("a spring against gravity sags by the closed-form angle") {
  // A horizontal bone of L = 0.5: w^2 L tan(sag) = g for full gravity and a straight pull.
  const Scene scene = chainScene(2, Vec3(0.5, 0, 0));
  DynamicBonesSettings settings = settingsFor("bone0", kSpring);
  settings.chain[0].frequency_hz = 2.0;
  settings.chain[0].damping_ratio = 1.0;
  settings.chain[0].rest_includes_gravity = false;
  const auto path = bobPath(scene, stillMotion(scene, 10.0, 60.0), settings);
  const double w = 4.0 * kPi;
  CHECK(std::atan2(-path.back().y, path.back().x) ==
        nearTo(std::atan(kGravity / (w * w * 0.5)), 1e-6));
}

TEST_CASE("a chain with rest_hangs does not sag on an upright character and falls on a lying one") {
  const Scene scene = chainScene(2, Vec3(0.3, -0.4, 0));
  DynamicBonesSettings settings = settingsFor("bone0", kSpring);
  settings.chain[0].damping_ratio = 1.0;
  const auto standing = bobPath(scene, stillMotion(scene, 2.0, 60.0), settings);
  CHECK(distance(standing.back(), Vec3(0.3, -0.4, 0)) < 1e-12);
  const Motion lying = motionOf(scene, 4.0, 60.0, [](double, PoseView pose) {
    pose.locals[0].rotation = rotationAbout(Vec3(1, 0, 0), 90 * kDegree);
  });
  const auto path = bobPath(scene, lying, settings);
  CHECK(distance(path.front(), Vec3(0.3, 0, -0.4)) < 1e-12);
  CHECK(path.back().y < -0.02);
}

TEST_CASE("steady travel leaves a chain at rest in its pose") {
  const Scene scene = chainScene(4, Vec3(0, -0.1, 0.02));
  const Motion clip = motionOf(scene, 2.0, 30.0, [](double t, PoseView pose) {
    pose.locals[0].translation = Vec3(5.0 * t, 0, 0);
  });
  const Motion baked = bake(scene, clip, settingsFor("bone0", kSpring)).motion;
  for (std::size_t node = 1; node < 4; ++node) {
    CHECK(distance(baked.localsOf(60)[node].rotation, kIdentityRotation) < 1e-9);
  }
}

TEST_CASE("a long chain does not amplify a small sway at any frequency near its own") {
  const Scene scene = chainScene(10, Vec3(0, -0.05, 0));
  for (double sway_hz : {0.5, 1.0, 2.0, 3.0}) {
    const Motion clip = motionOf(scene, 8.0, 60.0, [&](double t, PoseView pose) {
      pose.locals[0].translation = Vec3(0.02 * std::sin(2.0 * kPi * sway_hz * t), 0, 0);
    });
    const Motion baked = bake(scene, clip, settingsFor("bone0", kSpring)).motion;
    const auto tip = pathOfNode(scene, baked, 10), body = pathOfNode(scene, clip, 0);
    double farthest_m = 0.0;
    for (std::size_t i = 0; i < tip.size(); ++i) {
      farthest_m = std::max(farthest_m, std::abs(tip[i].x - body[i].x));
    }
    CAPTURE(sway_hz);
    // Well below its own frequency of 2 Hz a spring deflects by sway * (sway_hz / 2 Hz)^2; the tip
    // of a chain by about half of that, for the upper bones carry the lower ones along.
    CHECK(farthest_m > 0.02 * std::min(1.0, sway_hz * sway_hz / 4.0) * 0.4);
    CHECK(farthest_m < 0.06);
  }
}

TEST_CASE("a chain divided into more bones keeps the amplitude of its swing") {
  std::vector<double> swings_m;
  for (int bones : {4, 8, 12}) {
    const Scene scene = chainScene(bones + 1, Vec3(0, -0.48 / bones, 0));
    DynamicBonesSettings settings = settingsFor("bone0", kSpring);
    settings.chain[0].tip_length = 0.0;
    settings.chain[0].damping_ratio = 0.7;
    const Motion clip = motionOf(scene, 4.0, 60.0, [](double t, PoseView pose) {
      pose.locals[0].translation = Vec3(0.05 * std::sin(9.0 * t), 0, 0);
    });
    const std::size_t tip = toSize(bones + 1);
    const auto still = pathOfNode(scene, clip, tip);
    const auto swung = pathOfNode(scene, bake(scene, clip, settings).motion, tip);
    double swing_m = 0.0;
    for (std::size_t i = 0; i < still.size(); ++i) {
      swing_m = std::max(swing_m, distance(swung[i], still[i]));
    }
    swings_m.push_back(swing_m);
  }
  CHECK(swings_m[0] > 0.01);
  CHECK(swings_m[1] == nearTo(swings_m[0], 0.15));
  CHECK(swings_m[2] == nearTo(swings_m[0], 0.15));
}

TEST_CASE("halving the step divides the error by four") {
  const Scene scene = chainScene(6, Vec3(0, -0.1, 0.02));
  const DynamicBonesSettings settings = swaySettings();
  const Motion clip = swayMotion(scene, 1.0, 30.0);
  const auto rig = makeRig(scene, settings);
  CHECK_OK(rig);
  auto tipAt = [&](double step_s) {
    Motion out = clip;
    simulateSpring(*rig, settings, scene, clip, {}, step_s, out);
    return pathOfNode(scene, out, 6);
  };
  auto difference = [](const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double square = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) square += glm::dot(a[i] - b[i], a[i] - b[i]);
    return std::sqrt(square / static_cast<double>(a.size()));
  };
  const auto exact = tipAt(1.0 / 3840.0);
  const double coarse = difference(tipAt(1.0 / 120.0), exact);
  const double middle = difference(tipAt(1.0 / 240.0), exact);
  const double fine = difference(tipAt(1.0 / 480.0), exact);
  CAPTURE(coarse);
  CAPTURE(middle);
  CAPTURE(fine);
  CHECK(coarse / middle > 3.6);
  CHECK(coarse / middle < 4.4);
  CHECK(middle / fine > 3.6);
  CHECK(middle / fine < 4.4);
}

TEST_CASE("frames at the same time are equal at every frame rate") {
  const Scene scene = chainScene(6, Vec3(0, -0.1, 0.02));
  DynamicBonesSettings settings = swaySettings();
  settings.smoothing = 0.7;
  settings.wind_mps2 = {2.0, 0.0, 1.0};
  settings.chain[0].radius_m = 0.01;
  ColliderSettings ball;
  ball.node = "body";
  ball.offset_m = {0.0, -0.3, 0.1};
  ball.radius_m = 0.06;
  settings.collider.push_back(ball);
  auto bakedAt = [&](double fps) {
    const StageResult result = bake(scene, swayMotion(scene, 3.0, fps), settings);
    CHECK(metric(result, "max_bone_length_error_mm") < 1e-6);
    return pathOfNode(scene, result.motion, 6);
  };
  const auto base = bakedAt(120.0);
  for (double fps : {24.0, 30.0, 60.0}) {
    const auto other = bakedAt(fps);
    double worst = 0.0;
    const std::size_t stride = fps == 24.0 ? 2 : 1;  // shared instants: every 1/12 s, or each frame
    for (std::size_t i = 0; i < other.size(); i += stride) {
      const auto same = toSize(static_cast<double>(i) * 120.0 / fps);
      worst = std::max(worst, distance(other[i], base[same]));
    }
    CAPTURE(fps);
    CHECK(worst < 1e-12);
  }
  const auto coarse = bakedAt(25.0), fine = bakedAt(50.0);
  for (std::size_t i = 0; i < coarse.size(); ++i) CHECK(distance(coarse[i], fine[2 * i]) < 1e-12);
}

TEST_CASE("frames off the grid lie between the frames on it") {
  const Scene scene = chainScene(6, Vec3(0, -0.1, 0.02));
  DynamicBonesSettings settings = swaySettings();
  settings.chain[0].frequency_hz = 3.0;
  settings.chain[0].damping_ratio = 0.7;
  // 480 fps has each grid time and the middle between two.
  const auto path =
      pathOfNode(scene, bake(scene, swayMotion(scene, 1.0, 480.0), settings).motion, 6);
  for (std::size_t i = 3; i + 3 < path.size(); i += 2) {
    const Vec3 middle = (9.0 * (path[i - 1] + path[i + 1]) - path[i - 3] - path[i + 3]) / 16.0;
    CHECK(distance(path[i], middle) < 2e-6);
  }
}

TEST_CASE("a clip that ends off the grid ends in the state of a longer clip at that time") {
  const Scene scene = chainScene(4, Vec3(0, -0.1, 0.02));
  DynamicBonesSettings settings = swaySettings();
  settings.loop = LoopPolicy::kOff;
  const auto lengths = {0.5 + 0.4 / 240.0, 0.5 + 0.01 / 240.0, 0.5 + 0.99 / 240.0};
  for (double end_s : lengths) {
    const auto cut =
        pathOfNode(scene, bake(scene, swayMotion(scene, end_s, 30.0), settings).motion, 4);
    // The frame of the long clip at that very time.
    const Motion whole = swayMotion(scene, 2.0 * end_s, 1.0 / end_s);
    const auto passing = pathOfNode(scene, bake(scene, whole, settings).motion, 4);
    CHECK(distance(cut.back(), passing[1]) < 2e-5);
  }
}

TEST_CASE("a chain that lies on a collider stays outside of it") {
  const Scene scene = chainScene(4, Vec3(0.1, 0, 0));
  DynamicBonesSettings settings = ballisticFor("bone0");
  settings.chain[0].air_drag_per_s = 3.0;
  settings.chain[0].radius_m = 0.02;
  ColliderSettings log;
  log.node = "body";
  log.shape = ColliderShape::kCapsule;
  log.offset_m = {0.03, -0.2, -1.0};
  log.tail_m = {0.03, -0.2, 1.0};
  log.radius_m = 0.12;
  settings.collider.push_back(log);
  const StageResult result = bake(scene, stillMotion(scene, 6.0, 60.0), settings);
  CHECK(metric(result, "max_penetration_mm") < 2.0);
  settings.chain[0].colliders = {};
  const StageResult through = bake(scene, stillMotion(scene, 6.0, 60.0), settings);
  CHECK(distance(pathOfNode(scene, through.motion, 4).back(), Vec3(0, -0.3, 0)) < 0.01);
  // Held off the vertical, it comes to rest.
  const auto tip = pathOfNode(scene, result.motion, 4);
  CHECK(distance(tip.back(), Vec3(0, -0.3, 0)) > 0.05);
  CHECK(distance(tip[tip.size() - 2], tip.back()) < 1e-6);
}

TEST_CASE("a bone that starts inside a collider is moved outside and stays there") {
  const Scene scene = chainScene(2, Vec3(0.5, 0, 0));
  DynamicBonesSettings settings = ballisticFor("bone0");
  settings.chain[0].gravity_mps2 = 0.0;
  ColliderSettings ball;
  ball.node = "body";
  ball.offset_m = {0.5, -0.06, 0.0};
  ball.radius_m = 0.1;
  settings.collider.push_back(ball);
  const auto path = bobPath(scene, stillMotion(scene, 1.0, 60.0), settings);
  CHECK(path[0].y > 0.03);
  CHECK(distance(path[0], path.back()) < 1e-3);
}

TEST_CASE("a bone passes the opposite of its rest direction without a flip") {
  const Scene scene = chainScene(2, Vec3(0.5, 0, 0));
  DynamicBonesSettings settings = ballisticFor("bone0");
  settings.chain[0].gravity_mps2 = 0.0;
  const Motion clip = motionOf(scene, 2.0, 120.0, [](double t, PoseView pose) {
    pose.locals[1].rotation = rotationAbout(Vec3(0, 0, 1), 10.0 * std::min(t, 0.05));
  });
  const Motion baked = bake(scene, clip, settings).motion;
  for (std::size_t i = 1; i < baked.grid.frame_count; ++i) {
    const Quat& before = baked.localsOf(i - 1)[1].rotation;
    CHECK(angleBetween(before, baked.localsOf(i)[1].rotation) < 1.01 * 10.0 / 120.0);
  }
}

TEST_SUITE_END();
