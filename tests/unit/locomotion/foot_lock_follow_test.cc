// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_follow.h"

#include "checks.h"

TEST_SUITE_BEGIN("locomotion.foot_lock_follow");

using namespace clipmill;
using namespace clipmill::locomotion;
using namespace clipmill::test;

namespace {

constexpr std::size_t kFrameCount = 31;
constexpr double kFrame_s = 1.0 / 30.0;

// A foot that is carried along x at 3 m/s. That of the clip, at 1 m/s, taps the ground in frames 14
// to 16, where it moves at 0.3 m/s.
EndFrames tappingFoot() {
  EndFrames frames;
  double pace_m = 0.0;
  for (std::size_t i = 0; i < kFrameCount; ++i) {
    const double time_s = kFrame_s * static_cast<double>(i);
    const bool is_low = i >= 14 && i <= 16;
    pace_m += (is_low ? 0.3 : 1.0) * kFrame_s;
    frames.times_s.push_back(time_s);
    frames.source_times_s.push_back(time_s);
    frames.carried.push_back({Mat3(1.0), Vec3(3.0 * time_s, 0.1, 0.0)});
    frames.moved_m.push_back(pace_m);
    frames.pace_m.emplace_back(pace_m, 0.0, 0.0);
    frames.pace_weights.push_back(is_low ? 1.0 : 0.0);
  }
  return frames;
}

LimbPlan carriedPlan() {
  LimbPlan plan;
  plan.offset_m.assign(kFrameCount, Vec3(0.0));
  plan.yaw_rad.assign(kFrameCount, 0.0);
  return plan;
}

double speedInto(const EndFrames& frames, const LimbPlan& plan, std::size_t i) {
  const auto at = [&](std::size_t k) { return frames.carried[k].translation + plan.offset_m[k]; };
  return lengthOf(at(i) - at(i - 1)) / kFrame_s;
}

}  // namespace

TEST_CASE("a foot that taps the ground moves along it no faster than that of the clip") {
  const EndFrames frames = tappingFoot();
  LimbPlan plan = carriedPlan();
  followPace(frames, {}, plan);
  // Most of the 2.7 m/s by which it was faster is gone; the rest is the price of smooth offsets.
  CHECK(speedInto(frames, plan, 15) < 0.3 + 0.2 * 2.7);
  // Beside frames in the air, half of it.
  CHECK(speedInto(frames, plan, 16) < 0.3 + 0.5 * 2.7);
  CHECK(speedInto(frames, plan, 2) == doctest::Approx(3.0).epsilon(0.02));
  for (const Vec3& offset_m : plan.offset_m) CHECK(offset_m.y == 0.0);
}

TEST_CASE("planted frames stay, and a foot that is slow enough does") {
  EndFrames frames = tappingFoot();
  LimbPlan plan = carriedPlan();
  plan.planted_spans = {{14, 14}};
  followPace(frames, {}, plan);
  CHECK(plan.offset_m[14] == Vec3(0.0));
  CHECK(speedInto(frames, plan, 15) < 1.0);

  for (std::size_t i = 0; i < kFrameCount; ++i) {
    frames.carried[i].translation = Vec3(0.2 * frames.times_s[i], 0.1, 0.0);
  }
  LimbPlan slow = carriedPlan();
  followPace(frames, {}, slow);
  for (const Vec3& offset_m : slow.offset_m) CHECK(offset_m == Vec3(0.0));
}

TEST_CASE("a cycle ends as it starts") {
  const EndFrames frames = tappingFoot();
  LimbPlan plan = carriedPlan();
  PlanSettings settings;
  settings.is_cycle = true;
  followPace(frames, settings, plan);
  CHECK(lengthOf(plan.offset_m.front() - plan.offset_m.back()) < 1e-3);
  CHECK(lengthOf(plan.offset_m[15]) > 1e-3);
}

TEST_CASE("nothing is done without a foot of a clip") {
  EndFrames frames = tappingFoot();
  frames.pace_m.clear();
  LimbPlan plan = carriedPlan();
  followPace(frames, {}, plan);
  for (const Vec3& offset_m : plan.offset_m) CHECK(offset_m == Vec3(0.0));
}

TEST_SUITE_END();
