// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Method rod as a whole: swings, modes, equilibrium, starts.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "checks.h"
#include "core/portable_math.h"
#include "stages/dynamic_bones/rods/rod_step.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.rod");

namespace {

constexpr double kPi_ = std::numbers::pi;

DynamicBonesSettings rodSettings() {
  DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kRod);
  settings.loop = LoopPolicy::kOff;
  return settings;
}

// A chain of that many bones and that length that points along `direction`, at 1.5 m.
Scene rodScene(int bone_count, double length_m, const Vec3& direction) {
  return chainScene(bone_count + 1, direction * (length_m / bone_count), Vec3(0, 1.5, 0));
}

// The body moves along x by `move_m` in a quarter of a second and stays there.
Motion pushMotion(const Scene& scene, double move_m, double end_s) {
  return motionOf(scene, end_s, 240.0, [=](double t, PoseView pose) {
    const double u = std::min(1.0, t / 0.25);
    pose.locals[0].translation.x = move_m * (3.0 * u * u - 2.0 * u * u * u);
  });
}

// The tip relative to the root, frame by frame.
std::vector<Vec3> tipOf(const Scene& scene, const Motion& motion) {
  const auto root = pathOfNode(scene, motion, 1);
  auto tip = pathOfNode(scene, motion, static_cast<int>(scene.skeleton.size()) - 1);
  for (std::size_t i = 0; i < tip.size(); ++i) tip[i] -= root[i];
  return tip;
}

struct FreeSwing {
  double frequency_hz = 0.0, damping_ratio = 0.0;
};

// From the zeros and peaks of x after `start_s`; 240 frames a second.
FreeSwing freeSwingOf(const std::vector<Vec3>& tip, double start_s) {
  std::vector<double> zeros, peaks;
  double peak = 0.0;
  for (auto i = toSize(start_s * 240.0); i + 1 < tip.size(); ++i) {
    peak = std::max(peak, std::abs(tip[i].x));
    if ((tip[i].x < 0.0) == (tip[i + 1].x < 0.0)) continue;
    zeros.push_back((static_cast<double>(i) + tip[i].x / (tip[i].x - tip[i + 1].x)) / 240.0);
    if (zeros.size() > 1) peaks.push_back(peak);
    peak = 0.0;
  }
  REQUIRE(peaks.size() >= 4);
  const double decay = std::log(peaks[0] / peaks[3]) / (3.0 * kPi_);
  return {2.0 / (zeros[4] - zeros[0]), decay / std::sqrt(1.0 + decay * decay)};
}

}  // namespace

TEST_CASE(
    "a rod swings at the frequency and damping asked for, into however many bones it is cut") {
  for (double frequency_hz : {0.5, 2.0, 5.0}) {
    for (int bones : {1, 3, 8, 24}) {
      CAPTURE(frequency_hz);
      CAPTURE(bones);
      const Scene scene = rodScene(bones, 0.3, Vec3(0, -1, 0));
      DynamicBonesSettings settings = rodSettings();
      settings.chain[0].frequency_hz = frequency_hz;
      settings.chain[0].damping_ratio = 0.1;
      settings.chain[0].gravity_mps2 = 0.0;
      const Motion clip = pushMotion(scene, 0.03, 0.5 + 3.0 / frequency_hz);
      const FreeSwing swing = freeSwingOf(tipOf(scene, bake(scene, clip, settings).motion), 0.4);
      CHECK(swing.frequency_hz == nearTo(frequency_hz * std::sqrt(0.99), 0.005));
      CHECK(swing.damping_ratio == nearTo(0.1, 0.05));
    }
  }
}

TEST_CASE("the damping ratio is that of the hanging rod, stiff or limp") {
  for (double droop_deg : {5.0, 60.0, 85.0}) {
    CAPTURE(droop_deg);
    const Scene scene = rodScene(12, 0.4, Vec3(0, -1, 0));
    DynamicBonesSettings settings = rodSettings();
    settings.chain[0].droop_deg = droop_deg;
    settings.chain[0].damping_ratio = 0.1;
    const Motion clip = pushMotion(scene, 0.01, 6.0);
    const auto tip = tipOf(scene, bake(scene, clip, settings).motion);
    CHECK(freeSwingOf(tip, 1.0).damping_ratio == nearTo(0.1, 0.1));
  }
}

// A steady wind draws a bone that hangs 120 degrees off its rest direction: a pendulum of angular
// frequency W. The damping of a weak spring of angular frequency w, ratio d, takes 2 w d of the
// speed a second, as it does without a bend.
TEST_CASE("damping at a large bend is that of a small one, in all directions") {
  constexpr double kWind_mps2 = 9.81, kLength_m = 0.3, kSpring_hz = 0.01, kDamping = 6.7;
  const Scene scene = rodScene(1, kLength_m, Vec3(std::sqrt(0.75), 0.5, 0.0));
  DynamicBonesSettings settings = rodSettings();
  settings.chain[0].frequency_hz = kSpring_hz;
  settings.chain[0].damping_ratio = kDamping;
  settings.chain[0].gravity_mps2 = 0.0;
  settings.wind_mps2 = {0.0, -kWind_mps2, 0.0};
  settings.wind_noise = 0.0;
  settings.preroll_s = 40.0;
  const double pendulum_radps = std::sqrt(1.5 * kWind_mps2 / kLength_m);
  const double expected = kDamping * 2.0 * kPi_ * kSpring_hz / pendulum_radps;
  for (bool is_across : {false, true}) {
    CAPTURE(is_across);
    const Motion clip = motionOf(scene, 5.0, 240.0, [=](double t, PoseView pose) {
      const double u = std::min(1.0, t / 0.25);
      Vec3& at = pose.locals[0].translation;
      (is_across ? at.z : at.x) = 0.03 * (3.0 * u * u - 2.0 * u * u * u);
    });
    std::vector<Vec3> tip = tipOf(scene, bake(scene, clip, settings).motion);
    if (is_across) {
      for (Vec3& at : tip) at.x = at.z;
    }
    CHECK(freeSwingOf(tip, 0.5).damping_ratio == nearTo(expected, 0.05));
  }
}

TEST_CASE("a chain swings the same beside a longer one and alone") {
  const auto sceneWith = [](bool has_long) {
    Scene scene = rodScene(3, 0.3, Vec3(0, -1, 0));
    int parent = 0;
    for (int i = 0; i < 9 && has_long; ++i) {
      parent = addNode(scene, "long" + std::to_string(i), parent, Vec3(0.02, -0.1, 0.05));
    }
    return scene;
  };
  const auto baked = [](const Scene& scene, const std::vector<std::string>& roots) {
    DynamicBonesSettings settings = rodSettings();
    settings.chain.resize(roots.size(), settings.chain[0]);
    for (std::size_t i = 0; i < roots.size(); ++i) settings.chain[i].root = roots[i];
    return bake(scene, pushMotion(scene, 0.3, 1.0), settings).motion;
  };
  const Motion alone = baked(sceneWith(false), {"bone0"});
  const Motion beside = baked(sceneWith(true), {"bone0", "long0"});
  for (std::size_t frame = 0; frame < alone.grid.frame_count; ++frame) {
    for (std::size_t node = 0; node < alone.node_count; ++node) {
      CHECK(alone.localsOf(frame)[node].rotation == beside.localsOf(frame)[node].rotation);
    }
  }
}

TEST_CASE("a rod that forks swings at the frequency asked for") {
  Scene scene = rodScene(2, 0.2, Vec3(0, -1, 0));
  const int fork = static_cast<int>(scene.skeleton.size()) - 1;
  for (double side : {-1.0, 1.0}) {
    const int arm = addNode(scene, "arm", fork, Vec3(0, -0.1, 0.01 * side));
    addNode(scene, "hand", arm, Vec3(0, -0.1, 0.01 * side));
  }
  DynamicBonesSettings settings = rodSettings();
  settings.chain[0].damping_ratio = 0.05;
  settings.chain[0].gravity_mps2 = 0.0;
  const Motion clip = pushMotion(scene, 0.02, 2.5);
  const auto tip = tipOf(scene, bake(scene, clip, settings).motion);
  CHECK(freeSwingOf(tip, 0.4).frequency_hz == nearTo(2.0, 0.02));
}

TEST_CASE("the first three modes of 16 bones are those of a cantilever") {
  // Roots of cos b cosh b = -1, and the shape of the mode.
  const double roots[] = {1.8751040687, 4.6940911330, 7.8547574382};
  constexpr int kBones = 16;
  for (int mode = 0; mode < 3; ++mode) {
    CAPTURE(mode);
    const double b = roots[mode], step_s = 1.0 / 4800.0;
    const double share = (std::cosh(b) + std::cos(b)) / (std::sinh(b) + std::sin(b));
    const auto shapeAt = [&](double s) {
      return std::cosh(b * s) - std::cos(b * s) - share * (std::sinh(b * s) - std::sin(b * s));
    };
    RodBatch batch;
    constexpr double kBone_m = 1.0 / kBones, kSmall = 1e-4;
    for (int i = 0; i < kBones; ++i) {
      RodBatch::Joint joint;
      joint.parent_bone = joint.parent_joint = i - 1;
      joint.bones_start = toSize(i);
      joint.bones_end = toSize(i) + 1;
      batch.joints.push_back(joint);
    }
    batch.bone_count = kBones;
    batch.trees = {0};
    batch.allocate();
    for (std::size_t i = 0; i < kBones; ++i) {
      const std::size_t at = RodBatch::at(i, 0);
      batch.stiffness[at] = (i == 0 ? 2.0 : 1.0) / kBone_m;
      batch.length_m[at] = batch.mass[at] = kBone_m;
      const double s = static_cast<double>(i + 1) * kBone_m;
      batch.end.position_m.set(at, Vec3(kSmall * shapeAt(s), s, 0.0));
    }
    batch.next.position_m = batch.end.position_m;
    orientRods(batch, kAllLanes);
    batch.strain = batch.strain_before = batch.next_strain;
    const RodTime time = makeRodTime(step_s);
    const auto project = [&] {
      double sum = 0.0;
      for (std::size_t i = 0; i < kBones; ++i) {
        const Vec3 end = batch.end.position_m.at(RodBatch::at(i, 0));
        sum += shapeAt(end.y) * end.x;
      }
      return sum;
    };
    std::vector<double> zeros;
    double last = project();
    for (int i = 1; zeros.size() < 9 && i < 200000; ++i) {
      REQUIRE(solveRodStep(batch, time) == 0);
      batch.end = batch.next;
      batch.strain = batch.next_strain;
      batch.head = batch.next_head;
      const double now = project();
      if ((now < 0.0) != (last < 0.0)) zeros.push_back((i - now / (now - last)) * step_s);
      last = now;
    }
    REQUIRE(zeros.size() == 9);
    CHECK(8.0 * kPi_ / (zeros[8] - zeros[0]) == nearTo(b * b, 0.02));
  }
}

TEST_CASE("an undamped rod keeps its energy: under 1 percent in 10 s") {
  for (double frequency_hz : {0.5, 2.0}) {
    const Scene scene = rodScene(1, 0.4, Vec3(0, -1, 0));
    DynamicBonesSettings settings = rodSettings();
    settings.chain[0].frequency_hz = frequency_hz;
    settings.chain[0].damping_ratio = 0.0;
    settings.chain[0].gravity_mps2 = 0.0;
    const Motion clip = pushMotion(scene, 0.02, 12.0);
    const auto tip = tipOf(scene, bake(scene, clip, settings).motion);
    const auto peakFrom = [&](double start_s) {
      double peak = 0.0;
      for (std::size_t i = 0; i < toSize(240.0 / frequency_hz); ++i) {
        peak = std::max(peak, std::abs(tip[toSize(start_s * 240.0) + i].x));
      }
      return peak;
    };
    const double first = peakFrom(0.0 + 0.3), last = peakFrom(12.0 - 1.02 / frequency_hz);
    CHECK(last * last / (first * first) == nearTo(1.0, 0.01));
  }
}

TEST_CASE("the authored pose is in equilibrium, in every direction") {
  for (const Vec3& direction : {Vec3(1, 0, 0), Vec3(0, -1, 0), Vec3(0.6, 0.8, 0), Vec3(0, 1, 0)}) {
    for (double droop_deg : {5.0, 25.0, 85.0}) {
      const Scene scene = rodScene(8, 0.5, direction);
      DynamicBonesSettings settings = rodSettings();
      settings.chain[0].droop_deg = droop_deg;
      const Motion clip = stillMotion(scene, 2.0, 30.0);
      const StageResult result = bake(scene, clip, settings);
      for (const Vec3& tip : tipOf(scene, result.motion))
        CHECK(distance(tip, direction * 0.5) < 1e-6);
      const bool warns = result.warnings.count("chain_stiffened") == 1;
      CHECK(warns == (direction.y > 0.0 && droop_deg > 80.0));
    }
  }
}

TEST_CASE("a rod without sag in its rest pose hangs by its droop") {
  for (double droop_deg : {5.0, 30.0, 60.0, 85.0}) {
    for (int bones : {1, 4, 16}) {
      const Scene scene = rodScene(bones, 0.3, Vec3(1, 0, 0));
      DynamicBonesSettings settings = rodSettings();
      settings.chain[0].droop_deg = droop_deg;
      settings.chain[0].damping_ratio = 1.0;
      settings.chain[0].air_drag_per_s = 3.0;
      settings.chain[0].rest_includes_gravity = false;
      const Motion clip = stillMotion(scene, 10.0, 30.0);
      const Vec3 tip = tipOf(scene, bake(scene, clip, settings).motion).back();
      CHECK(std::atan2(-tip.y, tip.x) / kDegree == nearTo(droop_deg, 0.01));
    }
  }
}

// In the bind pose the rod is level. A rod that bears its weight there is a spiral of
// 1500 degrees without it.
TEST_CASE("a limp rod keeps its level pose, and hangs where the body rolls to the side") {
  constexpr double kDroop_deg = 87.0, kLength_m = 0.5;
  const Scene scene = rodScene(8, kLength_m, Vec3(1, 0, 0));
  DynamicBonesSettings settings = rodSettings();
  settings.chain[0].droop_deg = kDroop_deg;
  settings.chain[0].damping_ratio = 1.0;
  const auto lastTip = [&](const Vec3& axis, double angle_deg) {
    const Motion clip = motionOf(scene, 12.0, 30.0, [=](double t, PoseView pose) {
      pose.locals[0].rotation = glm::angleAxis(angle_deg * kDegree * std::min(1.0, t / 2.0), axis);
    });
    return tipOf(scene, bake(scene, clip, settings).motion).back();
  };
  CHECK(distance(lastTip(Vec3(0, 1, 0), 0.0), Vec3(kLength_m, 0, 0)) < 1e-6);
  const Vec3 rolled = lastTip(Vec3(1, 0, 0), 90.0);
  CHECK(std::asin(-rolled.y / glm::length(rolled)) / kDegree == nearTo(kDroop_deg, 0.05));
  CHECK(glm::length(rolled) > 0.9 * kLength_m);
}

TEST_CASE("bones of a limp rod do not jump where they fold back on each other") {
  constexpr int kBones = 6;
  const Vec3 down(0, -1, 0);
  const Scene scene = rodScene(kBones, 0.5, down);
  DynamicBonesSettings settings = rodSettings();
  settings.chain[0].droop_deg = 87.0;
  settings.chain[0].damping_ratio = 0.3;
  const Motion clip = motionOf(scene, 4.0, 240.0, [](double t, PoseView pose) {
    Transform& body = pose.locals[0];
    body.translation.x = 0.3 * portable::sin(7.0 * t);
    body.translation.y = 0.3 * portable::sin(9.0 * t);
    body.rotation = rotationAbout(Vec3(0, 0, 1), 1.5 * portable::sin(5.0 * t));
  });
  const StageResult result = bake(scene, clip, settings);
  CHECK(result.warnings.count("rod_not_converged") <= 1);  // of 960 steps
  double max_bend_rad = 0.0, max_step_rad = 0.0;
  std::vector<Vec3> before(kBones, down);
  for (std::size_t frame = 0; frame < result.motion.grid.frame_count; ++frame) {
    for (std::size_t i = 0; i < kBones; ++i) {
      const Vec3 direction = result.motion.localsOf(frame)[i + 1].rotation * down;
      const auto angleTo = [&](const Vec3& other) { return angleBetween(direction, other); };
      max_bend_rad = std::max(max_bend_rad, angleTo(down));
      max_step_rad = std::max(max_step_rad, angleTo(before[i]));
      before[i] = direction;
    }
  }
  CHECK(max_bend_rad > 170.0 * kDegree);
  CHECK(max_step_rad < 30.0 * kDegree);  // in 1/240 s; flips were 150 and more
}

TEST_CASE("a mirrored parent mirrors the swing") {
  const auto clipOf = [](const Scene& scene, double side) {
    return motionOf(scene, 2.0, 60.0, [=](double t, PoseView pose) {
      pose.locals[0].translation.x = side * 0.2 * portable::sin(9.0 * t);
      pose.locals[0].translation.z = 0.1 * portable::sin(5.0 * t);
    });
  };
  Scene above_plain = chainScene(1, Vec3(0.0)), above_mirrored = above_plain;
  for (Scene* scene : {&above_plain, &above_mirrored}) {
    const double side = scene == &above_mirrored ? -1.0 : 1.0;
    const int holder =
        addNode(*scene, "holder", 0, Vec3(0, 1, 0), kIdentityRotation, Vec3(side, 1.0, 1.0));
    int parent = addNode(*scene, "tail0", holder, Vec3(0.0));
    for (int i = 1; i < 6; ++i) {
      parent = addNode(*scene, "tail" + std::to_string(i), parent, Vec3(0.05, -0.06, 0));
    }
  }
  DynamicBonesSettings settings = rodSettings();
  settings.chain[0].root = "tail0";
  const Motion right = bake(above_plain, clipOf(above_plain, 1.0), settings).motion;
  const Motion left = bake(above_mirrored, clipOf(above_mirrored, -1.0), settings).motion;
  const int tip = static_cast<int>(above_plain.skeleton.size()) - 1;
  const auto a = pathOfNode(above_plain, right, tip), b = pathOfNode(above_mirrored, left, tip);
  double swing = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(distance(a[i], Vec3(-b[i].x, b[i].y, b[i].z)) < 1e-7);
    swing = std::max(swing, distance(a[i] - a[0], Vec3(0.0)));
  }
  CHECK(swing > 0.1);
}

TEST_CASE("a chain that settled before the clip starts with the clip's velocity") {
  const Scene scene = rodScene(6, 0.5, Vec3(0, -1, 0));
  const Motion clip = motionOf(
      scene, 1.0, 60.0, [](double t, PoseView pose) { pose.locals[0].translation.z = 4.0 * t; });
  DynamicBonesSettings settings = rodSettings();
  settings.preroll_s = 1.0;
  for (DynamicBonesMethod method : {DynamicBonesMethod::kRod, DynamicBonesMethod::kSpring}) {
    settings.method = method;
    for (const Vec3& tip : tipOf(scene, bake(scene, clip, settings).motion)) {
      CHECK(distance(tip, Vec3(0, -0.5, 0)) < 1e-6);
    }
  }
}

TEST_CASE("a cycle of rods that ends a moment after a grid time is that which ends on it") {
  const Scene scene = rodScene(6, 0.5, Vec3(0, -1, 0));
  const auto bakedTip = [&](double length_s) {
    // Kinks of linear keys at 30 fps excite whatever a very short step makes of them.
    const Motion clip = motionOf(scene, length_s, 30.0, [=](double t, PoseView pose) {
      pose.locals[0].translation.x = 0.2 * portable::sin(2.0 * kPi_ * t / length_s);
    });
    DynamicBonesSettings settings = rodSettings();
    settings.loop = LoopPolicy::kOn;
    // What a limit moves in a short step is no speed.
    settings.chain[0].limit = LimitShape::kCone;
    settings.chain[0].limit_deg = 8.0;
    const StageResult result = bake(scene, clip, settings);
    CHECK(result.warnings.count("rod_not_converged") == 0);
    CHECK(result.warnings.count("loop_not_closed") == 0);
    return tipOf(scene, result.motion);
  };
  const auto on_grid = bakedTip(0.7);
  for (const double beyond_s : {4e-6 / 240.0, 1e-4 / 240.0, 1e-2 / 240.0, 0.3 / 240.0}) {
    CAPTURE(beyond_s);
    const auto off_grid = bakedTip(0.7 + beyond_s);
    for (std::size_t i = 0; i < std::min(on_grid.size(), off_grid.size()); ++i) {
      CHECK(distance(on_grid[i], off_grid[i]) < 2e-3);
    }
  }
}
TEST_CASE("a rod whose gravity varies along it stays in its rest pose") {
  const Scene scene = chainScene(7, Vec3(0.05, 0, 0), Vec3(0, 1.5, 0));
  DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kRod);
  settings.chain[0].droop_deg = 60.0;
  settings.chain[0].gravity_mps2 = Curve(std::vector<Curve::Point>{{0.0, -9.81}, {1.0, 0.0}});
  const Motion clip = stillMotion(scene, 1.0, 60.0);
  const StageResult result = bake(scene, clip, settings);
  for (const Vec3& tip : pathOfNode(scene, result.motion, 7)) {
    CHECK(distance(tip, Vec3(0.3, 1.5, 0)) < 1e-6);
  }
}

// Far above its frequency a uniform bone rotates about its centre of percussion, at two thirds of
// its length: its end moves by half the path of its head, against it.
TEST_CASE("the end of a bone that is shaken moves by half the path of its head, against it") {
  constexpr double kShake_m = 0.002, kShake_hz = 12.0, kOwn_hz = 0.5;
  const Scene scene = rodScene(1, 0.5, Vec3(0, -1, 0));
  DynamicBonesSettings settings = rodSettings();
  settings.chain[0].frequency_hz = kOwn_hz;
  settings.chain[0].gravity_mps2 = 0.0;
  settings.chain[0].damping_ratio = 0.05;
  const Motion clip = motionOf(scene, 8.0, 240.0, [](double t, PoseView pose) {
    const double started = std::min(t, 1.0);
    pose.locals[0].translation.x =
        kShake_m * started * portable::sin(2.0 * std::numbers::pi * kShake_hz * t);
  });
  const std::vector<Vec3> tip = tipOf(scene, bake(scene, clip, settings).motion);
  double largest_m = 0.0;
  for (std::size_t i = 7 * 240; i < tip.size(); ++i) {
    largest_m = std::max(largest_m, std::abs(tip[i].x));
  }
  CHECK(largest_m == nearTo(1.5 * kShake_m, 0.03));
}

// 2 mm of noise along each axis at every key. A rod does not amplify it: its end moves relative to
// its head as that of one bone does, by half more than the head itself.
TEST_CASE("noise of keys moves the end of a rod by the same, however many bones it has") {
  constexpr double kNoise_m = 0.002, kFps = 30.0;
  constexpr int kKeys = 121;
  std::mt19937 bits(7);
  std::vector<Vec3> noise;
  for (int i = 0; i < kKeys; ++i) {
    Vec3 sum(0.0);
    for (int axis = 0; axis < 3; ++axis) {
      // The sum of twelve uniform numbers is nearly normal, of variance 1.
      for (int k = 0; k < 12; ++k) sum[axis] += static_cast<double>(bits()) / 4294967295.0 - 0.5;
    }
    noise.push_back(sum * kNoise_m);
  }
  double head_m2 = 0.0, max_head_m = 0.0;
  for (const Vec3& at_m : noise) {
    head_m2 += glm::dot(at_m, at_m) / kKeys;
    max_head_m = std::max(max_head_m, glm::length(at_m));
  }
  double one_bone_m = 0.0;
  for (int bones : {1, 2, 4, 8, 16}) {
    CAPTURE(bones);
    const Scene scene = rodScene(bones, 0.5, Vec3(0, -1, 0));
    const Motion clip = motionOf(scene, (kKeys - 1) / kFps, kFps, [&](double t, PoseView pose) {
      const double frames = t * kFps;
      const auto i = std::min(toSize(std::floor(frames)), toSize(kKeys - 2));
      const double part = frames - static_cast<double>(i);
      pose.locals[0].translation = noise[i] + (noise[i + 1] - noise[i]) * part;
    });
    const std::vector<Vec3> tip = tipOf(scene, bake(scene, clip, rodSettings()).motion);
    double square_m2 = 0.0, max_m = 0.0;
    for (std::size_t i = 30; i < tip.size(); ++i) {
      const double apart_m = glm::length(tip[i] - Vec3(0, -0.5, 0));
      square_m2 += apart_m * apart_m / static_cast<double>(tip.size() - 30);
      max_m = std::max(max_m, apart_m);
    }
    if (bones == 1) one_bone_m = max_m;
    CHECK(max_m == nearTo(one_bone_m, 0.1));
    CHECK(max_m < 1.7 * max_head_m);
    CHECK(std::sqrt(square_m2) < 1.5 * std::sqrt(head_m2));
  }
}
