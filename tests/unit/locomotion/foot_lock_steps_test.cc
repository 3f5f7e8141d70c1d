// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_steps.h"

#include "checks.h"

TEST_SUITE_BEGIN("locomotion.foot_lock_steps");

using namespace clipmill;
using namespace clipmill::locomotion;
using namespace clipmill::test;

namespace {

constexpr std::size_t kFrameCount = 31;
constexpr double kRate = 30.0;
constexpr double kStep_m = 0.02;

// A foot of a clip that rests for a second, but for a small step from 0.5 to 0.6 s, and is planted
// up to 0.3 s and from 0.7 s on. The character carries its own by half a metre meanwhile.
struct SmallStep {
  Support support;
  EndFrames frames;

  SmallStep() {
    support.step_s = 1.0 / kRate;
    support.spans = {{0.0, 0.3}, {0.7, 1.0}};
    support.pivots = {{{}, support.spans}};
    for (std::size_t i = 0; i < kFrameCount; ++i) {
      const double time_s = static_cast<double>(i) / kRate;
      const double moved_m = kStep_m * std::clamp((time_s - 0.5) / 0.1, 0.0, 1.0);
      frames.times_s.push_back(time_s);
      frames.source_times_s.push_back(time_s);
      frames.source.push_back({Mat3(1.0), Vec3(moved_m, 0.08, 0.0)});
      frames.carried.push_back({Mat3(1.0), Vec3(0.5 * time_s, 0.08, 0.0)});
      frames.moved_m.push_back(moved_m);
      frames.along_m.push_back(moved_m);
      support.pivots[0].positions_m.push_back(frames.source.back().translation);
    }
  }

  LimbPlan plan() const { return planLimb(support, frames, {}, plantedSpansOf(support, frames)); }

  // Where the plan has the end at each frame.
  std::vector<Vec3> path() const {
    const LimbPlan made = plan();
    std::vector<Vec3> positions_m;
    for (std::size_t i = 0; i < kFrameCount; ++i) {
      positions_m.push_back(frames.carried[i].translation + made.offset_m[i]);
    }
    return positions_m;
  }
};

}  // namespace

TEST_CASE("a foot steps as far as that of the clip, also where its character carries it on") {
  SmallStep step;
  const std::vector<Vec3> path_m = step.path();
  CHECK(lengthOf(path_m[30] - path_m[0]) == nearTo(kStep_m, 1e-6));
  step.frames.moved_m.clear();
  const std::vector<Vec3> without_m = step.path();
  CHECK(lengthOf(without_m[30] - without_m[0]) > 0.3);
}

TEST_CASE("a foot moves when that of the clip does, and rests while that one rests") {
  const std::vector<Vec3> path_m = SmallStep().path();
  for (std::size_t i = 1; i < kFrameCount; ++i) {
    CAPTURE(i);
    const bool moves = i > 15 && i <= 18;
    CHECK(lengthOf(path_m[i] - path_m[i - 1]) < (moves ? 0.6 * kStep_m : 0.05 * kStep_m));
  }
}

TEST_CASE("an offset stays while the foot of the clip slides along the ground") {
  SmallStep step;
  step.support.spans = step.support.pivots[0].spans = {{0.0, 0.3}};
  for (std::size_t i = 0; i < kFrameCount; ++i) {
    const double time_s = step.frames.times_s[i];
    // From 0.3 s on both feet move at 1 m/s, and that of the clip is on the ground up to 0.6 s.
    step.frames.moved_m[i] = step.frames.along_m[i] = std::max(0.0, time_s - 0.3);
    step.frames.carried[i].translation.x = 0.5 * std::min(time_s, 0.3) + step.frames.along_m[i];
    step.frames.low.push_back(time_s < 0.61 ? 1.0 : 0.0);
  }
  const LimbPlan plan = step.plan();
  const double held_m = lengthOf(plan.offset_m[9]);
  CHECK(held_m > 0.05);
  CHECK(lengthOf(plan.offset_m[18] - plan.offset_m[9]) < 0.05 * held_m);
  CHECK(lengthOf(plan.offset_m[30]) == nearTo(0.0, 1e-9));
  step.frames.low.clear();
  CHECK(lengthOf(step.plan().offset_m[18]) == nearTo(0.0, 1e-9));
}

TEST_CASE("a short contact is shifted more than a long one, and short steps stay") {
  SmallStep step;
  step.support.spans = step.support.pivots[0].spans = {{0.0, 0.1}, {0.7, 1.0}};
  const LimbPlan near = step.plan();
  for (double& along_m : step.frames.along_m) along_m *= 1e3;
  const LimbPlan far = step.plan();
  const double early_m = lengthOf(near.offset_m[0] - far.offset_m[0]);
  const double late_m = lengthOf(near.offset_m[30] - far.offset_m[30]);
  CHECK(early_m > 2.0 * late_m);
  CHECK(late_m > 0.0);
  step.frames.moved_m.clear();
  const LimbPlan without = step.plan();
  for (const std::size_t i : {std::size_t{0}, kFrameCount - 1})
    CHECK(far.offset_m[i] == without.offset_m[i]);
}

TEST_SUITE_END();
