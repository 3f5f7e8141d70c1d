// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <limits>

#include "checks.h"
#include "core/to_size.h"
#include "stages/registry.h"
#include "stages/stretch/path_warp.h"
#include "stages/stretch/stretch.h"
#include "stages/stretch/walker.h"

using namespace clipmill;
using namespace clipmill::locomotion;
using namespace clipmill::stages;
using namespace clipmill::stages::stretch;
using namespace clipmill::test;

TEST_SUITE_BEGIN("stretch.edges");

TEST_CASE("A stationary clip is refused, or moved as set by `still`") {
  const Walker walker;
  unsigned noise = 1;
  const Motion still = stillMotion(walker.scene, 2.0, 30.0);
  Motion shaking = still;
  for (std::size_t i = 0; i < shaking.grid.frame_count; ++i) {
    const auto next = [&] { return 1e-3 * ((noise = noise * 1664525u + 1013904223u) / 4.3e9); };
    shaking.frame(i).locals[1].translation = Vec3(next(), 0.0, next());
  }
  shaking.source = nullptr;
  for (const Motion& clip : {still, shaking}) {
    StretchSettings settings = toPoint({1, 0, 0});
    settings.root_joint = "root";
    const Error error = stretchError(walker.scene, clip, settings);
    CHECK(error.code == ErrorCode::kRecipe);
    CHECK(error.message.find("does not move") != std::string::npos);
    settings.still = StillPolicy::kLinear;
    const auto linear = rootPath(walker, stretchOne(walker.scene, clip, settings).motion);
    CHECK(linear.back().x == doctest::Approx(1.0));
    CHECK(std::abs(linear[30].x - 0.5) < 2e-3);
    settings.still = StillPolicy::kMinimumJerk;
    const auto smooth = rootPath(walker, stretchOne(walker.scene, clip, settings).motion);
    CHECK(smooth.back().x == doctest::Approx(1.0));
    CHECK(std::abs(smooth[1].x) < 2e-3);
    CHECK(std::abs(smooth[30].x - 0.5) < 2e-3);
  }
  CHECK(sameLocals(stretchOne(walker.scene, still, toPoint({0, 0, 0})).motion, still));
}

TEST_CASE("A clip that travels little and has a far target is stretched with a warning") {
  const Walker walker;
  const Motion sway = walker.clip([](double t) { return Vec3(0.05 * std::sin(kPi * t), 0, 0); });
  const StageResult far = stretchOne(walker.scene, sway, toPoint({2, 0, 0}));
  CHECK(rootPath(walker, far.motion).back().x == doctest::Approx(2.0));
  // 0.2 m of path, to which 2 m are added.
  CHECK(metric(far, "step_amplification") == nearTo(11.0, 1e-3));
  CHECK(far.warnings.count("stretched_far") == 1);
  CHECK(stretchOne(walker.scene, sway, toPoint({0.1, 0, 0})).warnings.empty());
}

TEST_CASE("A leap with a target behind its start warns of reversed steps") {
  const Walker walker;
  const StageResult back = stretchOne(walker.scene, walker.clip(straightPath), toPoint({0, 0, -1}));
  CHECK(back.warnings.count("reversed_steps") > 20);
  CHECK(rootPath(walker, back.motion).back().z == doctest::Approx(-1.0));
}

TEST_CASE("Clips with STEP keys, cubic keys or irregular key times reach their targets") {
  const Walker walker;
  const auto times =
      std::make_shared<const std::vector<double>>(std::vector<double>{0.0, 0.3, 0.35, 1.2, 2.0});
  const std::vector<Vec3> positions = {
      {0, 0, 0}, {0, 0, 0.4}, {0.3, 0, 0.4}, {0.3, 0, 2}, {0, 0, 3}};
  for (Interpolation kind :
       {Interpolation::kStep, Interpolation::kLinear, Interpolation::kCubicSpline}) {
    Track track{walker.root, TrackPath::kTranslation, kind, 3, times, {}};
    for (const Vec3& p : positions) {
      const bool cubic = kind == Interpolation::kCubicSpline;
      const Vec3 tangent(0.5, 0, 2);
      if (cubic) track.values.insert(track.values.end(), {tangent.x, tangent.y, tangent.z});
      track.values.insert(track.values.end(), {p.x, p.y, p.z});
      if (cubic) track.values.insert(track.values.end(), {tangent.x, tangent.y, tangent.z});
    }
    Clip clip;
    clip.end_s = 2.0;
    clip.source = keyframeSource(walker.scene.skeleton, {track});
    const Motion motion = sampleClip(walker.scene.skeleton, clip, 0, makeGrid(0.0, 2.0, 30.0));
    for (StretchMethod method : kAllMethods) {
      StretchSettings settings = toPoint({1, 0, 5});
      settings.method = method;
      const Motion moved = stretchOne(walker.scene, motion, settings).motion;
      const auto before = rootPath(walker, motion), path = rootPath(walker, moved);
      CHECK(distance(path.back(), Vec3(1, 0, 5)) < 1e-12);
      if (kind != Interpolation::kStep || method == StretchMethod::kUniform ||
          method == StretchMethod::kMinimumJerk) {
        continue;
      }
      for (std::size_t i = 1; i < path.size(); ++i) {
        CHECK((path[i] == path[i - 1]) == (before[i] == before[i - 1]));
      }
    }
  }
}

TEST_CASE("A clip of one frame does not change and gives a warning") {
  const Walker walker;
  const Motion one = walker.clip(straightPath, 0.0);
  REQUIRE(one.grid.frame_count == 1);
  const StageResult result = stretchOne(walker.scene, one, toDistance(5.0));
  CHECK(sameLocals(result.motion, one));
  CHECK(result.warnings.count("one_frame") == 1);
}

TEST_CASE("Followers move along, and animated nodes that are left behind are listed") {
  const Walker walker;
  const Motion clip = motionOf(walker.scene, 2.0, 30.0, [&](double t, PoseView pose) {
    walker.poseOf(straightPath)(t, pose);
    pose.locals[toSize(walker.target)].translation = straightPath(t) + Vec3(0.4, 1.2, 0.3);
  });
  StretchSettings settings = toDistance(5.0);
  const StageResult alone = stretchOne(walker.scene, clip, settings);
  CHECK(alone.warnings.count("left_behind") == 1);
  CHECK(alone.warnings.all()[0].first == "target");
  settings.follow = {"tar*", "hips"};  // hips go along anyway
  const StageResult together = stretchOne(walker.scene, clip, settings);
  CHECK(together.warnings.count("left_behind") == 0);
  for (std::size_t i = 0; i < clip.grid.frame_count; ++i) {
    const auto worlds = worldsAt(walker.scene, together.motion, i);
    CHECK(distance(worlds[7].translation - worlds[1].translation, Vec3(0.4, 1.2, 0.3)) < 1e-12);
  }
}

TEST_CASE("Invalid settings are refused in one sentence that names them") {
  const Walker walker;
  const Motion clip = walker.clip(straightPath);
  const auto with = [](auto change) {
    StretchSettings settings;
    change(settings);
    return settings;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using S = StretchSettings;
  const std::vector<std::pair<S, std::string>> cases = {
      {S(), "no target"},
      {with([](S& s) {
         s.distance_m = {3, 4};
       }),
       "several"},
      {with([](S& s) {
         s.distance_m = {3}, s.to_m = {1, 2, 3};
       }),
       "more than one"},
      {with([](S& s) {
         s.to_m = {1, 2};
       }),
       "3 numbers"},
      {with([&](S& s) {
         s.to_m = {1, nan, 2};
       }),
       "not finite"},
      {with([](S& s) { s.bone = "head"; }), "belong together"},
      {with([](S& s) {
         s.bone_at_m = {1, 2, 3};
       }),
       "belong together"},
      {with([](S& s) { s.distance_m = {3}, s.at_s = 1.0; }), "at_s"},
      {with([](S& s) { s.distance_m = {3}, s.ring_count = 8; }), "every direction"},
      {with([](S& s) { s.ring_count = 8; }), "no distance"},
      {with([](S& s) { s.distance_m = {3}, s.root_joint = "rooot"; }), "rooot"},
      {with([](S& s) { s.distance_m = {3}, s.root_joint = "*_foot"; }), "2 nodes"},
      {with([](S& s) { s.distance_m = {3}, s.follow = {"nothing"}; }), "nothing"},
      {with([](S& s) { s.distance_m = {3}, s.follow = {"armature"}; }), "above"},
      {with([](S& s) {
         s.bone = "target", s.bone_at_m = {1, 2, 3};
       }),
       "not below the root joint"},
      {with([](S& s) {
         s.bone = "haed", s.bone_at_m = {1, 2, 3};
       }),
       "head"},
      {with([](S& s) { s.window = {windowTo(0, 9, 3)}; }), "2.000 s"},
      {with([](S& s) { s.window = {windowTo(1, 1, 3)}; }), "no length"},
      {with([](S& s) {
         s.window = {windowTo(0, 1, 3), windowTo(0.5, 2, 3)};
       }),
       "overlaps"},
      {with([](S& s) { s.window = {windowTo(0, 1, 3)}, s.distance_m = {3}; }), "besides windows"},
      {with([](S& s) { s.window.resize(1); }), "no target"},
      {with([](S& s) { s.distance_m = {3000}, s.max_speed_ratio = 1.0, s.extend_time = true; }),
       "times as long"},
      {with([](S& s) { s.distance_m = {3}, s.root_motion = RootMotionMode::kInPlace; }),
       "in_place"},
  };
  for (const auto& [settings, part] : cases) {
    const Error error = stretchError(walker.scene, clip, settings);
    INFO(describe(error));
    CHECK(describe(error).find(part) != std::string::npos);
    CHECK((error.code == ErrorCode::kRecipe || error.code == ErrorCode::kNotFound ||
           error.code == ErrorCode::kLimit));
  }
}

TEST_CASE("Window ends between two frames are moved to the nearer one with a warning") {
  const Walker walker;
  const Motion clip = walker.clip(straightPath);
  StretchSettings settings;
  settings.window = {windowTo(0.26, 1.5, 4.0)};  // frame 7.8
  const StageResult result = stretchOne(walker.scene, clip, settings);
  CHECK(result.warnings.count("window_between_frames") == 1);
  const auto path = rootPath(walker, result.motion);
  CHECK(horizontalLength(path[45] - path[8]) == nearTo(4.0, 1e-12));
  settings.window[0].start_frame = 8;
  CHECK(stretchOne(walker.scene, clip, settings).warnings.empty());
  CHECK(rootPath(walker, stretchOne(walker.scene, clip, settings).motion) == path);
}

TEST_CASE("Results do not depend on the number of threads, bit for bit") {
  const Walker walker;
  const std::vector<Motion> clips = {walker.clip(curvedPath), walker.clip(straightPath),
                                     walker.clip(curvedPath, 1.5, 24.0)};
  const StretchSettings settings = toDistance(4.0);
  const auto one = runStretch({walker.scene, clips, 1}, settings);
  const auto many = runStretch({walker.scene, clips, 8}, settings);
  CHECK_OK(one);
  CHECK_OK(many);
  for (std::size_t i = 0; i < clips.size(); ++i) {
    CHECK(sameLocals((*one)[i].motion, (*many)[i].motion));
    CHECK(sameLocals((*one)[i].motion, stretchOne(walker.scene, clips[i], settings).motion));
  }
}

TEST_CASE("Several distances and directions give named variants, each with one target") {
  const StageType* type = findStageType("stretch");
  REQUIRE(type);
  StretchSettings settings = toDistance(5.0);
  CHECK(type->variants(&settings).empty());
  settings.distance_m = {3.0, 4.5};
  auto variants = type->variants(&settings);
  REQUIRE(variants.size() == 2);
  CHECK(variants[0].label == "3m");
  CHECK(variants[1].label == "4.5m");
  CHECK(static_cast<StretchSettings*>(variants[1].settings.get())->distance_m ==
        std::vector<double>{4.5});
  settings.distance_m = {5.0};
  settings.ring_count = 8;
  variants = type->variants(&settings);
  REQUIRE(variants.size() == 8);
  CHECK(variants[0].label == "5m_000deg");
  CHECK(variants[1].label == "5m_045deg");
  const Walker walker;
  const Motion clip = walker.clip(straightPath);
  for (std::size_t k = 0; k < 8; ++k) {
    const auto& one = *static_cast<StretchSettings*>(variants[k].settings.get());
    const double angle = kPi / 4 * static_cast<double>(k);
    CHECK(distance(rootPath(walker, stretchOne(walker.scene, clip, one).motion).back(),
                   Vec3(5 * std::sin(angle), 0, 5 * std::cos(angle))) < 1e-12);
  }
}

TEST_SUITE_END();
