// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/stretch.h"

#include "checks.h"
#include "core/to_size.h"
#include "stages/registry.h"
#include "stages/stretch/path_warp.h"
#include "stages/stretch/walker.h"

using namespace clipmill;
using namespace clipmill::locomotion;
using namespace clipmill::stages;
using namespace clipmill::stages::stretch;
using namespace clipmill::test;

TEST_SUITE_BEGIN("stretch.stretch");

namespace {

// A character in a file of centimetres with z up, under an armature that undoes neither.
Walker walkerInCentimetres() {
  const Mat3 y_up_from_z_up(Vec3(1, 0, 0), Vec3(0, 0, -1), Vec3(0, 1, 0));
  const Quat z_up_from_y_up = rotationAbout(Vec3(1, 0, 0), kPi / 2);
  return Walker({Vec3(0), z_up_from_y_up, Vec3(100.0)}, {y_up_from_z_up * 0.01, Vec3(0)});
}

}  // namespace

TEST_CASE("Every method reaches its target and modifies only the root's translation") {
  const Walker walker;
  const Motion clip = walker.clip(curvedPath);
  for (StretchMethod method : kAllMethods) {
    StretchSettings settings = toPoint({-1.0, 0.0, 4.0});
    settings.method = method;
    const StageResult result = stretchOne(walker.scene, clip, settings);
    CHECK(distance(rootPath(walker, result.motion).back(), Vec3(-1, 0, 4)) < 1e-12);
    CHECK(metric(result, "end_error_mm") < 1e-9);
    for (int node = 0; node < static_cast<int>(walker.scene.skeleton.size()); ++node) {
      for (TrackPath path : kTrackPaths) {
        CHECK(result.motion.modified.has(node, path) ==
              (node == walker.root && path == TrackPath::kTranslation));
      }
    }
  }
}

TEST_CASE("A distance is measured in the direction of the clip, or rotated from it") {
  const Walker walker;
  const Motion clip = walker.clip(straightPath);
  StretchSettings settings = toDistance(5.0);
  CHECK(distance(rootPath(walker, stretchOne(walker.scene, clip, settings).motion).back(),
                 Vec3(0, 0, 5)) < 1e-12);
  settings.heading_deg = 90.0;
  CHECK(distance(rootPath(walker, stretchOne(walker.scene, clip, settings).motion).back(),
                 Vec3(5, 0, 0)) < 1e-12);
  settings = toPoint({1, 0, -2});
  settings.relative = true;
  const Motion elsewhere = walker.clip([](double t) { return straightPath(t) + Vec3(7, 0, 7); });
  CHECK(distance(rootPath(walker, stretchOne(walker.scene, elsewhere, settings).motion).back(),
                 Vec3(8, 0, 5)) < 1e-12);
}

TEST_CASE("A hold of the clip stays a hold, but slides with the uniform method") {
  const Walker walker;
  const Motion clip = walker.clip(straightPath);
  StretchSettings settings = toDistance(5.0);
  const StageResult rhythm = stretchOne(walker.scene, clip, settings);
  CHECK(metric(rhythm, "still_motion_mm") == 0.0);
  CHECK(metric(rhythm, "step_amplification") == nearTo(5.0 / 3.0, 1e-9));
  settings.method = StretchMethod::kUniform;
  const StageResult uniform = stretchOne(walker.scene, clip, settings);
  CHECK(metric(uniform, "still_motion_mm") == nearTo(2000.0 / 60.0, 1e-6));
}

TEST_CASE("A target at the end of the clip changes nothing and marks no track as modified") {
  const Walker walker;
  const Motion clip = walker.clip(curvedPath);
  const Vec3 end = rootPath(walker, clip).back();
  for (StretchMethod method : kAllMethods) {
    StretchSettings settings = toPoint(end);
    settings.method = method;
    const StageResult there = stretchOne(walker.scene, clip, settings);
    CHECK(sameLocals(there.motion, clip));
    CHECK(there.motion.modified.none());
    settings = toDistance(horizontalLength(end));
    settings.method = method;
    CHECK(sameLocals(stretchOne(walker.scene, clip, settings).motion, clip));
  }
}

TEST_CASE("The root has the same positions at 24, 25, 30, 50, 60 and 120 frames a second") {
  const Walker walker;
  StretchSettings settings;
  for (auto [start_s, end_s] :
       {std::pair(0.0, std::optional<double>()), std::pair(0.5, std::optional(1.5))}) {
    settings.window = {windowTo(start_s, end_s, 4.0)};
    settings.yaw = YawPolicy::kFacePath;
    const auto at = [&](double fps) {
      const Motion clip = walker.clip(curvedPath, 2.0, fps);
      return stretchOne(walker.scene, clip, settings).motion;
    };
    const Motion slow = at(24.0);
    for (double fps : {25.0, 30.0, 50.0, 60.0, 120.0}) {
      if (fps == 25.0 && start_s > 0.0) continue;  // half seconds lie between its frames
      const Motion fast = at(fps);
      const double shared = fps == 25.0 || fps == 50.0 ? 1.0 : 6.0;  // instants a second
      for (double k = 0; k <= 2.0 * shared; k += 1.0) {
        const auto frame = [&](double rate) { return toSize(k / shared * rate); };
        const auto worlds = worldsAt(walker.scene, fast, frame(fps));
        const auto expected = worldsAt(walker.scene, slow, frame(24.0));
        for (std::size_t i = 0; i < worlds.size(); ++i) {
          CHECK(distance(worlds[i].translation, expected[i].translation) < 1e-6);
        }
      }
    }
  }
}

TEST_CASE("Units, axes and nodes above the root do not change the metric result") {
  const Walker walker, in_centimetres = walkerInCentimetres();
  for (YawPolicy yaw : {YawPolicy::kKeep, YawPolicy::kFacePath}) {
    StretchSettings settings = toPoint({-1.0, 0.0, 4.0});
    settings.yaw = yaw;
    const Motion clip = walker.clip(curvedPath), other = in_centimetres.clip(curvedPath);
    REQUIRE(worstPosition(walker.scene, clip, in_centimetres.scene, other) < 1e-12);
    CHECK(worstPosition(walker.scene, stretchOne(walker.scene, clip, settings).motion,
                        in_centimetres.scene,
                        stretchOne(in_centimetres.scene, other, settings).motion) < 1e-9);
  }
}

TEST_CASE(
    "A clip that is rotated and moved with its target gives the same result, rotated and moved") {
  const Walker walker;
  const double angle = 1.1;
  const Vec3 shift(5, 0, -3), target(-1, 0, 4);
  const Motion clip = walker.clip(curvedPath);
  const Motion positioned =
      walker.clip([&](double t) { return rotated(curvedPath(t), angle) + shift; });
  for (StretchMethod method : kAllMethods) {
    StretchSettings settings = toPoint(target);
    settings.method = method;
    const auto expected = rootPath(walker, stretchOne(walker.scene, clip, settings).motion);
    const Vec3 to = rotated(target, angle) + shift;
    settings.to_m = {to.x, to.y, to.z};
    const auto is = rootPath(walker, stretchOne(walker.scene, positioned, settings).motion);
    for (std::size_t i = 0; i < is.size(); ++i) {
      CHECK(distance(is[i], rotated(expected[i], angle) + shift) < 1e-9);
    }
  }
}

TEST_CASE(
    "The root moves its descendants as a rigid body, and an axis mask keeps an axis bit for bit") {
  const Walker walker;
  const Motion clip = walker.clip(curvedPath);
  StretchSettings settings = toPoint({-1.0, 0.0, 4.0});
  settings.axes = StretchAxes::kX;
  const Motion moved = stretchOne(walker.scene, clip, settings).motion;
  for (std::size_t frame = 0; frame < clip.grid.frame_count; ++frame) {
    const auto before = worldsAt(walker.scene, clip, frame);
    const auto after = worldsAt(walker.scene, moved, frame);
    const auto root = toSize(walker.root);
    const Vec3 shift = after[root].translation - before[root].translation;
    CHECK(shift.z == 0.0);
    CHECK(shift.y == 0.0);
    for (int node : {walker.hips, walker.head, walker.left_foot}) {
      const auto i = toSize(node);
      CHECK(distance(after[i].translation - before[i].translation, shift) < 1e-12);
    }
  }
  CHECK(rootPath(walker, moved).back().x == doctest::Approx(-1.0));
}

TEST_CASE("Two windows match two runs of the stage, and frames between them are carried along") {
  const Walker walker;
  // Linear between frames, so that a second run finds what the first left.
  const Motion clip = walker.clip([](double t) {
    const double frame = std::min(std::floor(t * 30.0 + 1e-9), 59.0), u = t * 30.0 - frame;
    return curvedPath(frame / 30.0) * (1.0 - u) + curvedPath((frame + 1.0) / 30.0) * u;
  });
  StretchSettings both, first, second;
  both.window = {windowTo(1.2, 1.8, 2.0), windowTo(0.1, 0.5, 1.5)};  // in any order
  first.window = {windowTo(0.1, 0.5, 1.5)};
  second.window = {windowTo(1.2, 1.8, 2.0)};
  const Motion at_once = stretchOne(walker.scene, clip, both).motion;
  const Motion in_sequence =
      stretchOne(walker.scene, stretchOne(walker.scene, clip, first).motion, second).motion;
  CHECK(worstPosition(walker.scene, at_once, walker.scene, in_sequence) < 1e-9);
  const auto before = rootPath(walker, clip), after = rootPath(walker, at_once);
  CHECK(horizontalLength(after[15] - after[3]) == nearTo(1.5, 1e-12));
  CHECK(horizontalLength(after[54] - after[36]) == nearTo(2.0, 1e-12));
  for (std::size_t i = 16; i <= 36; ++i) {
    CHECK(distance(after[i] - after[15], before[i] - before[15]) < 1e-12);
  }
}

TEST_CASE("The change starts without a velocity step at the edges of a window") {
  const Walker walker;
  const Motion clip = walker.clip([](double t) { return Vec3(0, 0, t); }, 4.0, 120.0);
  StretchSettings settings;
  settings.window = {windowTo(1.0, 3.0, 6.0)};
  settings.ease_s = 0.5;
  const auto largestJump = [&] {
    const auto path = rootPath(walker, stretchOne(walker.scene, clip, settings).motion);
    CHECK(path[360].z - path[120].z == nearTo(6.0, 1e-12));
    double largest = 0.0;
    for (std::size_t i = 1; i + 1 < path.size(); ++i) {
      largest = std::max(largest, std::abs(path[i + 1].z - 2 * path[i].z + path[i - 1].z) * 120.0);
    }
    return largest;
  };
  CHECK(largestJump() < 0.1);  // m/s; 1.5 / 0.5 s of the ramp times the 2.67 m/s that are added
  settings.ease_s = 0.0;
  CHECK(largestJump() == doctest::Approx(2.0));
}

TEST_CASE("A loop stays a loop: two cycles to twice the distance are one cycle, repeated") {
  const Walker walker;
  const auto step = [](double t) {
    const double round = std::floor(t + 1e-12), u = t - round;
    return Vec3(0.1 * std::sin(2 * kPi * u), 0, round + u - 0.1 * std::sin(2 * kPi * u));
  };
  const auto once =
      rootPath(walker, stretchOne(walker.scene, walker.clip(step, 1.0), toDistance(1.7)).motion);
  const auto twice =
      rootPath(walker, stretchOne(walker.scene, walker.clip(step, 2.0), toDistance(3.4)).motion);
  for (std::size_t i = 0; i < once.size(); ++i) {
    CHECK(distance(twice[i], once[i]) < 1e-9);
    CHECK(distance(twice[30 + i], once[i] + Vec3(0, 0, 1.7)) < 1e-9);
  }
}

TEST_CASE("A bone reaches its target at its time, for every yaw setting") {
  const Walker walker;
  const Motion clip = walker.clip(curvedPath);
  for (YawPolicy yaw : {YawPolicy::kKeep, YawPolicy::kFaceTarget, YawPolicy::kFacePath}) {
    StretchSettings settings;
    settings.bone = "left_foot";
    settings.bone_at_m = {0.5, 0.0, 1.5};
    settings.at_s = 1.2;
    settings.yaw = yaw;
    settings.max_yaw_degps = 0.0;
    const StageResult result = stretchOne(walker.scene, clip, settings);
    const Vec3 foot = worldsAt(walker.scene, result.motion, 36)[6 - 1].translation;
    CHECK(std::abs(foot.x - 0.5) < 1e-9);
    CHECK(std::abs(foot.z - 1.5) < 1e-9);
    CHECK(metric(result, "end_error_mm") < 1e-6);
  }
}

TEST_CASE("The character rotates by an angle, towards the target, along its path, or not") {
  const Walker walker;
  const Motion clip = walker.clip(straightPath);
  const auto endHeading = [&](YawPolicy yaw, double yaw_deg) {
    StretchSettings settings = toPoint({3, 0, 3});
    settings.yaw = yaw;
    settings.yaw_deg = yaw_deg;
    const Motion moved = stretchOne(walker.scene, clip, settings).motion;
    const Vec3 ahead = worldsAt(walker.scene, moved, 60)[1].linear * Vec3(0, 0, 1);
    CHECK(distance(rootPath(walker, moved).back(), Vec3(3, 0, 3)) < 1e-12);
    return headingOf(ahead) / kDegree;
  };
  const double hips_end = 0.2 * std::sin(8.0) / kDegree;  // the hips rotate by themselves
  CHECK(std::abs(endHeading(YawPolicy::kKeep, 0.0)) < 1e-9);
  CHECK(endHeading(YawPolicy::kFacePath, 0.0) == doctest::Approx(45.0));
  CHECK(endHeading(YawPolicy::kFaceTarget, 0.0) == doctest::Approx(45.0 - hips_end));
  CHECK(endHeading(YawPolicy::kMatch, -90.0) == doctest::Approx(-90.0 - hips_end));
}

TEST_CASE("Yaw is no faster than max_yaw_degps, and the missing angle is reported") {
  const Walker walker;
  const Motion clip = walker.clip(straightPath);
  StretchSettings settings = toDistance(3.0);
  settings.yaw = YawPolicy::kMatch;
  settings.yaw_deg = 170.0;
  settings.max_yaw_degps = 30.0;
  const StageResult result = stretchOne(walker.scene, clip, settings);
  double fastest = 0.0;
  for (std::size_t i = 1; i <= 60; ++i) {
    fastest = std::max(fastest, angleBetween(result.motion.localsOf(i)[1].rotation,
                                             result.motion.localsOf(i - 1)[1].rotation));
  }
  CHECK(fastest * 30.0 / kDegree <= 30.0 + 1e-6);
  CHECK(result.warnings.count("yaw_limited") == 1);
  CHECK(metric(result, "yaw_missing_deg") > 90.0);
}

TEST_CASE("max_speed_ratio limits the speed, and the distance is shortened or the time extended") {
  const Walker walker;
  const Motion clip = walker.clip(straightPath);
  StretchSettings settings = toDistance(6.0);
  settings.max_speed_ratio = 1.5;
  const StageResult capped = stretchOne(walker.scene, clip, settings);
  const auto path = rootPath(walker, capped.motion);
  CHECK(path.back().z == doctest::Approx(4.5));  // straight: speed grows with the distance
  CHECK(metric(capped, "target_missing_m") == doctest::Approx(1.5));
  CHECK(capped.warnings.count("speed_limited") == 1);
  settings.extend_time = true;
  const StageResult longer = stretchOne(walker.scene, clip, settings);
  CHECK(longer.motion.grid.end_s == doctest::Approx(2.0 * 2.0 / 1.5));
  CHECK(distance(rootPath(walker, longer.motion).back(), Vec3(0, 0, 6)) < 1e-9);
  CHECK(longer.warnings.count("speed_limited") == 0);
  CHECK(longer.motion.source == nullptr);  // its instants are others
  CHECK(longer.motion.modified.has(walker.spine, TrackPath::kRotation));
  CHECK(longer.motion.locals.size() == longer.motion.grid.frame_count * longer.motion.node_count);
  double fastest = 0.0, allowed = 0.0;
  const auto longer_path = rootPath(walker, longer.motion), before = rootPath(walker, clip);
  for (std::size_t i = 1; i + 1 < longer_path.size(); ++i) {
    fastest = std::max(fastest, glm::length(longer_path[i] - longer_path[i - 1]) * 30.0);
  }
  for (std::size_t i = 1; i < before.size(); ++i) {
    allowed = std::max(allowed, 1.5 * glm::length(before[i] - before[i - 1]) * 30.0);
  }
  CHECK(fastest <= allowed * 1.01);
}

TEST_CASE("Heights are kept, ramped, or flown under the gravity of the clip") {
  const Walker walker;
  constexpr double kGravity = 9.81;
  const auto jump = [](double t) {  // a flight from 0.5 s to 1 s
    const double u = t - 0.5;
    const double y = u > 0.0 && u < 0.5 ? kGravity * u * (0.5 - u) / 2.0 : 0.0;
    return Vec3(0, y, 2.0 * t);
  };
  const Motion clip = motionOf(walker.scene, 1.5, 60.0, [=, &walker](double t, PoseView pose) {
    pose.locals[toSize(walker.root)].translation = jump(t);
  });
  StretchSettings settings = toDistance(5.0);
  const StageResult flat = stretchOne(walker.scene, clip, settings);
  CHECK(metric(flat, "airborne_gravity_mps2") == nearTo(kGravity, 0.02));
  for (std::size_t i = 0; i < clip.grid.frame_count; ++i) {
    CHECK(flat.motion.localsOf(i)[1].translation.y == clip.localsOf(i)[1].translation.y);
  }
  settings.rise_m = 0.2;
  CHECK(stretchOne(walker.scene, clip, settings).warnings.count("height_kept") == 1);
  settings.height = HeightPolicy::kRamp;
  const auto ramp = rootPath(walker, stretchOne(walker.scene, clip, settings).motion);
  CHECK(ramp.back().y == doctest::Approx(0.2));
  CHECK(ramp[15].y == doctest::Approx(0.2 * 0.25 / 1.5));
  settings.height = HeightPolicy::kBallistic;
  settings.air_start_s = 0.5;
  settings.air_end_s = 1.0;
  const StageResult flown = stretchOne(walker.scene, clip, settings);
  const auto flown_path = rootPath(walker, flown.motion);
  const double v = kGravity * 0.25;
  const double time_s = (v + std::sqrt(v * v - 2 * kGravity * 0.2)) / kGravity;
  CHECK(flown.motion.grid.end_s == nearTo(1.0 + time_s, 1e-6));
  CHECK(flown_path.back().y == doctest::Approx(0.2));
  CHECK(flown_path.back().z == doctest::Approx(5.0));
  for (std::size_t i = 31; i < 30 + toSize(time_s * 60.0); ++i) {
    const double u = static_cast<double>(i) / 60.0 - 0.5;
    CHECK(flown_path[i].y == nearTo(u * (v - kGravity * u / 2.0), 1e-6));
  }
  settings.rise_m = 2.0;
  CHECK(stretchOne(walker.scene, clip, settings).warnings.count("apex_below_target") == 1);
}

TEST_SUITE_END();
