// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/stretch.h"

#include "stages/registry.h"
#include "stages/stretch/path_warp.h"
#include "stretch/walker.h"

using namespace clipmill;
using namespace clipmill::test;

TEST_SUITE_BEGIN("stretch.stretch");

namespace {

// A figure that stands in a file of centimetres with z up, under an armature that undoes neither.
Walker walkerInCentimetres() {
  const Mat3 y_up_from_z_up(Vec3(1, 0, 0), Vec3(0, 0, -1), Vec3(0, 1, 0));
  const Quat z_up_from_y_up = rotationAbout(Vec3(1, 0, 0), kPi / 2);
  return Walker({Vec3(0), z_up_from_y_up, Vec3(100.0)}, {y_up_from_z_up * 0.01, Vec3(0)});
}

}  // namespace

TEST_CASE("Every method ends where it is told to, and touches the root's translation alone") {
  const Walker walker;
  const Motion clip = walker.clip(curvedWay);
  for (StretchMethod method : kAllMethods) {
    StretchSettings settings = toPoint({-1.0, 0.0, 4.0});
    settings.method = method;
    const StageResult result = stretchOne(walker.scene, clip, settings);
    CHECK(distance(rootPath(walker, result.motion).back(), Vec3(-1, 0, 4)) < 1e-12);
    CHECK(metric(result, "end_error_mm") < 1e-9);
    for (int node = 0; node < static_cast<int>(walker.scene.skeleton.size()); ++node) {
      for (TrackPath path : kTrackPaths) {
        CHECK(result.motion.touched.has(node, path) ==
              (node == walker.root && path == TrackPath::kTranslation));
      }
    }
  }
}

TEST_CASE("A distance is gone in the direction of the clip, or turned from it") {
  const Walker walker;
  const Motion clip = walker.clip(straightWay);
  StretchSettings settings = toDistance(5.0);
  CHECK(distance(rootPath(walker, stretchOne(walker.scene, clip, settings).motion).back(),
                 Vec3(0, 0, 5)) < 1e-12);
  settings.heading_deg = 90.0;
  CHECK(distance(rootPath(walker, stretchOne(walker.scene, clip, settings).motion).back(),
                 Vec3(5, 0, 0)) < 1e-12);
  settings = toPoint({1, 0, -2});
  settings.relative = true;
  const Motion elsewhere = walker.clip([](double t) { return straightWay(t) + Vec3(7, 0, 7); });
  CHECK(distance(rootPath(walker, stretchOne(walker.scene, elsewhere, settings).motion).back(),
                 Vec3(8, 0, 5)) < 1e-12);
}

TEST_CASE("What rests in the clip rests in the result, but slides when spread over time") {
  const Walker walker;
  const Motion clip = walker.clip(straightWay);
  StretchSettings settings = toDistance(5.0);
  const StageResult rhythm = stretchOne(walker.scene, clip, settings);
  CHECK(metric(rhythm, "still_motion_mm") == 0.0);
  CHECK(metric(rhythm, "step_amplification") == doctest::Approx(5.0 / 3.0).epsilon(1e-9));
  settings.method = StretchMethod::kUniform;
  const StageResult uniform = stretchOne(walker.scene, clip, settings);
  CHECK(metric(uniform, "still_motion_mm") == doctest::Approx(2000.0 / 60.0).epsilon(1e-6));
}

TEST_CASE("A target that the clip reaches anyway leaves it bit for bit, with nothing touched") {
  const Walker walker;
  const Motion clip = walker.clip(curvedWay);
  const Vec3 end = rootPath(walker, clip).back();
  for (StretchMethod method : kAllMethods) {
    StretchSettings settings = toPoint(end);
    settings.method = method;
    const StageResult there = stretchOne(walker.scene, clip, settings);
    CHECK(sameLocals(there.motion, clip));
    CHECK(there.motion.touched.none());
    settings = toDistance(horizontalLength(end));
    settings.method = method;
    CHECK(sameLocals(stretchOne(walker.scene, clip, settings).motion, clip));
  }
}

TEST_CASE("At 24, 25, 30, 50, 60 and 120 frames a second the root is in the same places") {
  const Walker walker;
  StretchSettings settings;
  for (auto [begin_s, end_s] : {std::pair(0.0, -1.0), std::pair(0.5, 1.5)}) {
    settings.window = {windowTo(begin_s, end_s, 4.0)};
    settings.yaw = YawPolicy::kFacePath;
    const auto at = [&](double fps) {
      const Motion clip = walker.clip(curvedWay, 2.0, fps);
      return stretchOne(walker.scene, clip, settings).motion;
    };
    const Motion slow = at(24.0);
    for (double fps : {25.0, 30.0, 50.0, 60.0, 120.0}) {
      if (fps == 25.0 && begin_s > 0.0) continue;  // half seconds lie between its frames
      const Motion fast = at(fps);
      const double shared = fps == 25.0 || fps == 50.0 ? 1.0 : 6.0;  // instants a second
      for (double k = 0; k <= 2.0 * shared; k += 1.0) {
        const auto frame = [&](double rate) { return static_cast<std::size_t>(k / shared * rate); };
        const auto worlds = worldsAt(walker.scene, fast, frame(fps));
        const auto expected = worldsAt(walker.scene, slow, frame(24.0));
        for (std::size_t i = 0; i < worlds.size(); ++i) {
          CHECK(distance(worlds[i].translation, expected[i].translation) < 1e-6);
        }
      }
    }
  }
}

TEST_CASE("Units, axes and what stands above the root do not change what is seen") {
  const Walker walker, in_centimetres = walkerInCentimetres();
  for (YawPolicy yaw : {YawPolicy::kKeep, YawPolicy::kFacePath}) {
    StretchSettings settings = toPoint({-1.0, 0.0, 4.0});
    settings.yaw = yaw;
    const Motion clip = walker.clip(curvedWay), other = in_centimetres.clip(curvedWay);
    REQUIRE(worstPlace(walker.scene, clip, in_centimetres.scene, other) < 1e-12);
    CHECK(worstPlace(walker.scene, stretchOne(walker.scene, clip, settings).motion,
                     in_centimetres.scene,
                     stretchOne(in_centimetres.scene, other, settings).motion) < 1e-9);
  }
}

TEST_CASE("A clip that is turned and moved with its target gives the same, turned and moved") {
  const Walker walker;
  const double angle = 1.1;
  const Vec3 shift(5, 0, -3), target(-1, 0, 4);
  const Motion clip = walker.clip(curvedWay);
  const Motion placed = walker.clip([&](double t) { return turned(curvedWay(t), angle) + shift; });
  for (StretchMethod method : kAllMethods) {
    StretchSettings settings = toPoint(target);
    settings.method = method;
    const auto expected = rootPath(walker, stretchOne(walker.scene, clip, settings).motion);
    const Vec3 to = turned(target, angle) + shift;
    settings.to_m = {to.x, to.y, to.z};
    const auto is = rootPath(walker, stretchOne(walker.scene, placed, settings).motion);
    for (std::size_t i = 0; i < is.size(); ++i) {
      CHECK(distance(is[i], turned(expected[i], angle) + shift) < 1e-9);
    }
  }
}

TEST_CASE("The root carries all below it as a rigid body, and a mask keeps an axis bit for bit") {
  const Walker walker;
  const Motion clip = walker.clip(curvedWay);
  StretchSettings settings = toPoint({-1.0, 0.0, 4.0});
  settings.axes = StretchAxes::kX;
  const Motion moved = stretchOne(walker.scene, clip, settings).motion;
  for (std::size_t frame = 0; frame < clip.grid.frame_count; ++frame) {
    const auto before = worldsAt(walker.scene, clip, frame);
    const auto after = worldsAt(walker.scene, moved, frame);
    const auto root = static_cast<std::size_t>(walker.root);
    const Vec3 shift = after[root].translation - before[root].translation;
    CHECK(shift.z == 0.0);
    CHECK(shift.y == 0.0);
    for (int node : {walker.hips, walker.head, walker.left_foot}) {
      const auto i = static_cast<std::size_t>(node);
      CHECK(distance(after[i].translation - before[i].translation, shift) < 1e-12);
    }
  }
  CHECK(rootPath(walker, moved).back().x == doctest::Approx(-1.0));
}

TEST_CASE("Two windows do what two runs of the stage do, and what is between is carried along") {
  const Walker walker;
  // Linear between frames, so that a second run finds what the first left.
  const Motion clip = walker.clip([](double t) {
    const double frame = std::min(std::floor(t * 30.0 + 1e-9), 59.0), u = t * 30.0 - frame;
    return curvedWay(frame / 30.0) * (1.0 - u) + curvedWay((frame + 1.0) / 30.0) * u;
  });
  StretchSettings both, first, second;
  both.window = {windowTo(1.2, 1.8, 2.0), windowTo(0.1, 0.5, 1.5)};  // in any order
  first.window = {windowTo(0.1, 0.5, 1.5)};
  second.window = {windowTo(1.2, 1.8, 2.0)};
  const Motion at_once = stretchOne(walker.scene, clip, both).motion;
  const Motion in_turn =
      stretchOne(walker.scene, stretchOne(walker.scene, clip, first).motion, second).motion;
  CHECK(worstPlace(walker.scene, at_once, walker.scene, in_turn) < 1e-9);
  const auto before = rootPath(walker, clip), after = rootPath(walker, at_once);
  CHECK(horizontalLength(after[15] - after[3]) == doctest::Approx(1.5).epsilon(1e-12));
  CHECK(horizontalLength(after[54] - after[36]) == doctest::Approx(2.0).epsilon(1e-12));
  for (std::size_t i = 16; i <= 36; ++i) {
    CHECK(distance(after[i] - after[15], before[i] - before[15]) < 1e-12);
  }
}

TEST_CASE("The change sets in without a step of velocity at the edges of a window") {
  const Walker walker;
  const Motion clip = walker.clip([](double t) { return Vec3(0, 0, t); }, 4.0, 120.0);
  StretchSettings settings;
  settings.window = {windowTo(1.0, 3.0, 6.0)};
  settings.ease_s = 0.5;
  const auto largestJump = [&] {
    const auto path = rootPath(walker, stretchOne(walker.scene, clip, settings).motion);
    CHECK(path[360].z - path[120].z == doctest::Approx(6.0).epsilon(1e-12));
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

TEST_CASE("A loop stays a loop: two rounds to twice the distance are one round, repeated") {
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

TEST_CASE("A bone is where it was told to be when it was told to, whatever the figure turns to") {
  const Walker walker;
  const Motion clip = walker.clip(curvedWay);
  for (YawPolicy yaw : {YawPolicy::kKeep, YawPolicy::kFaceTarget, YawPolicy::kFacePath}) {
    StretchSettings settings;
    settings.bone = "left_foot";
    settings.bone_at_m = {0.5, 0.0, 1.5};
    settings.at_s = 1.2;
    settings.yaw = yaw;
    settings.turn_limit_degps = 0.0;
    const StageResult result = stretchOne(walker.scene, clip, settings);
    const Vec3 foot = worldsAt(walker.scene, result.motion, 36)[6 - 1].translation;
    CHECK(std::abs(foot.x - 0.5) < 1e-9);
    CHECK(std::abs(foot.z - 1.5) < 1e-9);
    CHECK(metric(result, "end_error_mm") < 1e-6);
  }
}

TEST_CASE("The figure turns as it is told: by an angle, towards the target, with its way, or not") {
  const Walker walker;
  const Motion clip = walker.clip(straightWay);
  const auto endHeading = [&](YawPolicy yaw, double turn_deg) {
    StretchSettings settings = toPoint({3, 0, 3});
    settings.yaw = yaw;
    settings.turn_deg = turn_deg;
    const Motion moved = stretchOne(walker.scene, clip, settings).motion;
    const Vec3 ahead = worldsAt(walker.scene, moved, 60)[1].linear * Vec3(0, 0, 1);
    CHECK(distance(rootPath(walker, moved).back(), Vec3(3, 0, 3)) < 1e-12);
    return headingOf(ahead) / kDegree;
  };
  const double hips_end = 0.2 * std::sin(8.0) / kDegree;  // the hips turn by themselves
  CHECK(std::abs(endHeading(YawPolicy::kKeep, 0.0)) < 1e-9);
  CHECK(endHeading(YawPolicy::kFacePath, 0.0) == doctest::Approx(45.0));
  CHECK(endHeading(YawPolicy::kFaceTarget, 0.0) == doctest::Approx(45.0 - hips_end));
  CHECK(endHeading(YawPolicy::kMatch, -90.0) == doctest::Approx(-90.0 - hips_end));
}

TEST_CASE("A turn is no faster than its limit, and what is missing is told") {
  const Walker walker;
  const Motion clip = walker.clip(straightWay);
  StretchSettings settings = toDistance(3.0);
  settings.yaw = YawPolicy::kMatch;
  settings.turn_deg = 170.0;
  settings.turn_limit_degps = 30.0;
  const StageResult result = stretchOne(walker.scene, clip, settings);
  double fastest = 0.0;
  for (std::size_t i = 1; i <= 60; ++i) {
    fastest = std::max(fastest, angleBetween(result.motion.localsOf(i)[1].rotation,
                                             result.motion.localsOf(i - 1)[1].rotation));
  }
  CHECK(fastest * 30.0 / kDegree <= 30.0 + 1e-6);
  CHECK(result.warnings.count("turn_limited") == 1);
  CHECK(metric(result, "turn_missing_deg") > 90.0);
}

TEST_CASE("A speed cap holds, and either the way or the time gives") {
  const Walker walker;
  const Motion clip = walker.clip(straightWay);
  StretchSettings settings = toDistance(6.0);
  settings.speed_cap = 1.5;
  const StageResult capped = stretchOne(walker.scene, clip, settings);
  const auto path = rootPath(walker, capped.motion);
  CHECK(path.back().z == doctest::Approx(4.5));  // straight: speed grows with the distance
  CHECK(metric(capped, "target_missing_m") == doctest::Approx(1.5));
  CHECK(capped.warnings.count("speed_capped") == 1);
  settings.extend_time = true;
  const StageResult longer = stretchOne(walker.scene, clip, settings);
  CHECK(longer.motion.grid.end_s == doctest::Approx(2.0 * 2.0 / 1.5));
  CHECK(distance(rootPath(walker, longer.motion).back(), Vec3(0, 0, 6)) < 1e-9);
  CHECK(longer.warnings.count("speed_capped") == 0);
  CHECK(longer.motion.source == nullptr);  // its instants are others
  CHECK(longer.motion.touched.has(walker.spine, TrackPath::kRotation));
  CHECK(longer.motion.locals.size() == longer.motion.grid.frame_count * longer.motion.node_count);
  double fastest = 0.0, allowed = 0.0;
  const auto way = rootPath(walker, longer.motion), before = rootPath(walker, clip);
  for (std::size_t i = 1; i + 1 < way.size(); ++i) {
    fastest = std::max(fastest, glm::length(way[i] - way[i - 1]) * 30.0);
  }
  for (std::size_t i = 1; i < before.size(); ++i) {
    allowed = std::max(allowed, 1.5 * glm::length(before[i] - before[i - 1]) * 30.0);
  }
  CHECK(fastest <= allowed * 1.01);
}

TEST_CASE("Heights are kept, ramped in the rhythm, or flown under the gravity of the clip") {
  const Walker walker;
  constexpr double kGravity = 9.81;
  const auto way = [](double t) {  // a flight from 0.5 s to 1 s
    const double u = t - 0.5;
    const double y = u > 0.0 && u < 0.5 ? kGravity * u * (0.5 - u) / 2.0 : 0.0;
    return Vec3(0, y, 2.0 * t);
  };
  const Motion clip = motionOf(walker.scene, 1.5, 60.0, [=, &walker](double t, PoseView pose) {
    pose.locals[static_cast<std::size_t>(walker.root)].translation = way(t);
  });
  StretchSettings settings = toDistance(5.0);
  const StageResult flat = stretchOne(walker.scene, clip, settings);
  CHECK(metric(flat, "airborne_gravity_mps2") == doctest::Approx(kGravity).epsilon(0.02));
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
  settings.air_begin_s = 0.5;
  settings.air_end_s = 1.0;
  const StageResult flown = stretchOne(walker.scene, clip, settings);
  const auto path = rootPath(walker, flown.motion);
  const double v = kGravity * 0.25;
  const double time_s = (v + std::sqrt(v * v - 2 * kGravity * 0.2)) / kGravity;
  CHECK(flown.motion.grid.end_s == doctest::Approx(1.0 + time_s).epsilon(1e-6));
  CHECK(path.back().y == doctest::Approx(0.2));
  CHECK(path.back().z == doctest::Approx(5.0));
  for (std::size_t i = 31; i < 30 + static_cast<std::size_t>(time_s * 60.0); ++i) {
    const double u = static_cast<double>(i) / 60.0 - 0.5;
    CHECK(path[i].y == doctest::Approx(u * (v - kGravity * u / 2.0)).epsilon(1e-6));
  }
  settings.rise_m = 2.0;
  CHECK(stretchOne(walker.scene, clip, settings).warnings.count("apex_below_target") == 1);
}

TEST_SUITE_END();
