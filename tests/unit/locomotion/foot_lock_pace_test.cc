// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_pace.h"

#include "checks.h"

TEST_SUITE_BEGIN("locomotion.foot_lock_pace");

using namespace clipmill;
using namespace clipmill::locomotion;
using namespace clipmill::test;

namespace {

constexpr double kStep_s = 0.1;

// A clip whose left heel moves by 20 mm and whose left ball moves by 5 mm a sample.
FeetTrace rollingFoot() {
  FeetTrace clip;
  clip.step_s = kStep_s;
  clip.leg_m = 0.8;
  clip.sample_count = 5;
  FootTrace& foot = clip.feet.emplace_back();
  foot.marks.side = BodySide::kLeft;
  for (std::size_t i = 0; i < clip.sample_count; ++i) {
    foot.heel_on_ground_m.emplace_back(0.02 * static_cast<double>(i), 0.0, 0.0);
    foot.ball_on_ground_m.emplace_back(0.005 * static_cast<double>(i), 0.0, 0.0);
  }
  return clip;
}

LimbTask leg(BodySide side, std::size_t frame_count) {
  LimbTask task;
  task.limb.side = side;
  task.limb.is_leg = true;
  for (std::size_t i = 0; i < frame_count; ++i) {
    const double time_s = kStep_s * static_cast<double>(i);
    task.ends.times_s.push_back(time_s);
    task.ends.source_times_s.push_back(time_s);
  }
  return task;
}

// A leg of 1 m below a hip at a height of 0.9 m, whose plan carries its foot along x by 0.6 m; the
// first frame is planted.
LimbTask farFoot() {
  LimbTask task = leg(BodySide::kLeft, 2);
  task.ends.carried.assign(2, {Mat3(1.0), Vec3(0.0)});
  task.hip_m.assign(2, Vec3(0.0, 0.9, 0.0));
  task.reach_m.assign(2, 1.0);
  task.plan.offset_m.assign(2, Vec3(0.6, 0.0, 0.0));
  task.plan.yaw_rad.assign(2, 0.0);
  task.plan.planted_spans = {{0, 0}};
  task.gentler_plan = task.plan;
  return task;
}

}  // namespace

TEST_CASE("a foot has moved as far as its heel or ball, whichever less, in leg lengths") {
  std::vector<LimbTask> tasks = {leg(BodySide::kLeft, 5), leg(BodySide::kRight, 5)};
  keepPaceOf(rollingFoot(), 0.4, tasks);
  REQUIRE(tasks[0].ends.moved_m.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(tasks[0].ends.moved_m[i] == nearTo(0.0025 * static_cast<double>(i), 1e-12));
  }
  // The clip has no right foot.
  CHECK(tasks[1].ends.moved_m.empty());
}

TEST_CASE("a foot that is put down from above has moved, but not along the ground") {
  FeetTrace clip = rollingFoot();
  for (std::size_t i = 0; i < clip.sample_count; ++i) {
    const Vec3 at_m(0.0, 0.1 - 0.02 * static_cast<double>(i), 0.0);
    clip.feet[0].heel_on_ground_m[i] = clip.feet[0].ball_on_ground_m[i] = at_m;
  }
  std::vector<LimbTask> tasks = {leg(BodySide::kLeft, 5)};
  keepPaceOf(clip, 0.4, tasks);
  CHECK(tasks[0].ends.along_m == std::vector<double>(5, 0.0));
  CHECK(tasks[0].ends.moved_m[4] == nearTo(0.04, 1e-12));
}

TEST_CASE("a foot that rotates about its ankle has not moved") {
  FeetTrace clip = rollingFoot();
  clip.feet[0].ankle_on_ground_m.assign(clip.sample_count, Vec3(0.0, 0.1, 0.0));
  std::vector<LimbTask> tasks = {leg(BodySide::kLeft, 5)};
  keepPaceOf(clip, 0.4, tasks);
  CHECK(tasks[0].ends.moved_m == std::vector<double>(5, 0.0));
}

TEST_CASE("a foot is near to the ground while its heel or ball is, into a frame and out of it") {
  FeetTrace clip = rollingFoot();
  // Of legs of 0.8 m: on the ground up to 12 mm, off it from 24 mm on.
  const double balls_m[] = {0.0, 0.01, 0.018, 0.03, 0.01};
  for (std::size_t i = 0; i < 5; ++i) {
    clip.feet[0].heel_on_ground_m[i].y = 0.5;
    clip.feet[0].ball_on_ground_m[i].y = balls_m[i];
  }
  std::vector<LimbTask> tasks = {leg(BodySide::kLeft, 5)};
  keepPaceOf(clip, 0.4, tasks);
  const double low[] = {1.0, 1.0, 0.5, 0.0, 0.0};
  REQUIRE(tasks[0].ends.low.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(tasks[0].ends.low[i] == nearTo(low[i], 1e-12));
}

TEST_CASE("a foot is slow while that of the clip is") {
  std::vector<LimbTask> tasks = {leg(BodySide::kLeft, 5)};
  CHECK_FALSE(isSlow(tasks[0].ends, 1.0, 2));
  keepPaceOf(rollingFoot(), 0.4, tasks);
  // 2.5 mm in 0.1 s.
  CHECK(isSlow(tasks[0].ends, 0.026, 2));
  CHECK_FALSE(isSlow(tasks[0].ends, 0.024, 2));
  CHECK_FALSE(isSlow(tasks[0].ends, 1.0, 0));
}

TEST_CASE("a foot between contacts goes no farther than its leg reaches, a planted one does") {
  std::vector<LimbTask> tasks = {farFoot()};
  const std::vector<double> drop_m = {0.0, 0.0};
  keepInReach(0.0, drop_m, tasks);
  for (const LimbPlan* plan : {&tasks[0].plan, &tasks[0].gentler_plan}) {
    CHECK(plan->offset_m[0].x == 0.6);
    // sqrt(1 - 0.9^2)
    CHECK(plan->offset_m[1].x == nearTo(0.43588989, 1e-5));
    CHECK(plan->offset_m[1].y == 0.0);
  }
}

TEST_CASE("a foot that may be lifted, or whose hips drop, goes farther") {
  std::vector<LimbTask> lifted = {farFoot()}, dropped = {farFoot()};
  const std::vector<double> none_m = {0.0, 0.0}, drop_m = {0.0, 0.11};
  keepInReach(0.05, none_m, lifted);
  // sqrt(1.05^2 - 0.9^2)
  CHECK(lifted[0].plan.offset_m[1].x == nearTo(0.54083269, 1e-5));
  keepInReach(0.0, drop_m, dropped);
  CHECK(dropped[0].plan.offset_m[1].x == 0.6);
}
