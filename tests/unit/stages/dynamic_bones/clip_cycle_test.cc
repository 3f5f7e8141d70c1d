// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/clip_cycle.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "checks.h"
#include "core/portable_math.h"
#include "locomotion/cycle_name.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.clip_cycle");

namespace {

// Hips with two legs of two joints, a head, and a tail of four bones on `tail_on`.
struct Walker {
  Scene scene;
  int hips, thighs[2], head, tail_tip;

  explicit Walker(bool tail_on_head = false) {
    hips = addNode(scene, "hips", -1, Vec3(0, 1, 0));
    for (int side : {0, 1}) {
      thighs[side] =
          addNode(scene, side == 0 ? "thighL" : "thighR", hips, Vec3(side - 0.5, 0, 0) * 0.2);
      const int knee =
          addNode(scene, side == 0 ? "kneeL" : "kneeR", thighs[side], Vec3(0, -0.45, 0));
      addNode(scene, side == 0 ? "footL" : "footR", knee, Vec3(0, -0.45, 0));
    }
    head = addNode(scene, "head", hips, Vec3(0, 0.6, 0));
    int node = tail_on_head ? head : hips;
    for (int i = 0; i < 5; ++i) {
      node =
          addNode(scene, "tail" + std::to_string(i), node, Vec3(0, -0.08, i == 0 ? -0.1 : -0.02));
    }
    tail_tip = node;
  }
};

struct Gait {
  double length_s = 1.0;  // of the clip; a cycle is 1 s
  double fps = 30.0;
  double speed_mps = 0.0;
  double yaw_deg_per_s = 0.0;
  double leg_offset_rad = 0.0;  // added to a leg at the end, in proportion to time
  std::string name = "clip";
};

Motion walk(const Walker& walker, const Gait& gait) {
  Motion motion =
      motionOf(walker.scene, gait.length_s, gait.fps, [&walker, gait](double t, PoseView pose) {
        const double angle = 2.0 * kPi * t;
        const Quat yaw = rotationAbout(Vec3(0, 1, 0), gait.yaw_deg_per_s * kDegree * t);
        Transform& hips = pose.locals[toSize(walker.hips)];
        hips.translation = Vec3(0.02 * portable::sin(angle),
                                1.0 + 0.03 * portable::cos(2.0 * angle), gait.speed_mps * t);
        hips.rotation = yaw;
        for (int side : {0, 1}) {
          const double swing = 0.5 * portable::sin(angle + kPi * side);
          const double added = side == 0 ? gait.leg_offset_rad * t / gait.length_s : 0.0;
          pose.locals[toSize(walker.thighs[side])].rotation =
              rotationAbout(Vec3(1, 0, 0), swing + added);
        }
      });
  motion.clip_name = gait.name;
  return motion;
}

CycleDecision judge(const Walker& walker, const Motion& motion,
                    LoopPolicy policy = LoopPolicy::kAuto) {
  DynamicBonesSettings settings = settingsFor("tail0", DynamicBonesMethod::kSpring);
  settings.loop = policy;
  const auto rig = makeRig(walker.scene, settings);
  CHECK_OK(rig);
  return judgeCycle(*rig, settings, walker.scene, motion);
}

CycleDecision judge(const Gait& gait) {
  const Walker walker;
  return judge(walker, walk(walker, gait));
}

// A motion from rest to rest, in the pose of the start.
Motion leap(const Walker& walker, const std::string& name) {
  Motion motion = motionOf(walker.scene, 1.0, 30.0, [&walker](double t, PoseView pose) {
    const double s = portable::sin(kPi * t);
    pose.locals[toSize(walker.hips)].translation.y = 1.0 + s * s;
    for (int thigh : walker.thighs) {
      pose.locals[toSize(thigh)].rotation = rotationAbout(Vec3(1, 0, 0), s * s);
    }
  });
  motion.clip_name = name;
  return motion;
}

}  // namespace

TEST_CASE("a cycle whose last frame repeats the first is found at every rate and speed") {
  for (double fps : {24.0, 30.0, 60.0}) {
    for (double speed_mps : {0.0, 1.4, 4.0}) {
      CAPTURE(fps);
      CAPTURE(speed_mps);
      const CycleDecision decision = judge({.fps = fps, .speed_mps = speed_mps});
      CHECK(decision.is_cycle);
      CHECK_FALSE(decision.is_open);
      CHECK(decision.seam_steps < 1e-6);
      CHECK(decision.reason == "ends in its first pose, at the same speed");
      CHECK(std::abs(decision.back.point(Vec3(0, 1, speed_mps)).z) < 1e-9);
    }
  }
}

TEST_CASE("a cycle whose last frame is one step before the first is found as an open cycle") {
  for (double fps : {24.0, 30.0, 60.0}) {
    for (double speed_mps : {0.0, 1.4}) {
      CAPTURE(fps);
      CAPTURE(speed_mps);
      const CycleDecision decision =
          judge({.length_s = 1.0 - 1.0 / fps, .fps = fps, .speed_mps = speed_mps});
      CHECK(decision.is_cycle);
      CHECK(decision.is_open);
      CHECK(decision.seam_steps < 0.5);
      CHECK(decision.reason == "ends one frame before its start, at the same speed");
      // The root motion of the whole cycle, with the missing step.
      const Vec3 back = decision.back.point(Vec3(0, 1, speed_mps));
      CHECK(std::abs(back.z) < 1e-9);
      CHECK(std::abs(back.x) < 5e-4);
    }
  }
}

TEST_CASE("an open cycle swings like the same cycle with its last frame") {
  const Walker walker;
  const DynamicBonesSettings settings = settingsFor("tail0", DynamicBonesMethod::kSpring);
  for (double speed_mps : {0.0, 1.4}) {
    const Motion open = walk(walker, {.length_s = 1.0 - 1.0 / 30.0, .speed_mps = speed_mps});
    const Motion closed = walk(walker, {.speed_mps = speed_mps});
    const StageResult from_open = bake(walker.scene, open, settings);
    const StageResult from_closed = bake(walker.scene, closed, settings);
    REQUIRE(from_open.motion.grid.frame_count == 30);
    REQUIRE(from_open.motion.localsOf(29).size() == walker.scene.skeleton.size());
    CHECK(metric(from_open, "loop") == 1.0);
    CHECK(metric(from_open, "loop_seam_deg") <= 0.05);
    const auto a = pathOfNode(walker.scene, from_open.motion, walker.tail_tip);
    const auto b = pathOfNode(walker.scene, from_closed.motion, walker.tail_tip);
    const auto clip = pathOfNode(walker.scene, closed, walker.tail_tip);
    double error_m = 0.0, swing_m = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      error_m = std::max(error_m, distance(a[i], b[i]));
      swing_m = std::max(swing_m, distance(b[i], clip[i]));
    }
    // The missing step is a cubic through the poses about it.
    CAPTURE(speed_mps);
    CHECK(swing_m > 0.004);
    CHECK(error_m < 0.05 * swing_m);
  }
}

TEST_CASE("a cycle may travel along a curve") {
  const CycleDecision decision = judge({.yaw_deg_per_s = 20.0});
  CHECK(decision.is_cycle);
  CHECK(angleBetween(decision.back.rotation, rotationAbout(Vec3(0, 1, 0), -20.0 * kDegree)) < 1e-9);
}

TEST_CASE("a seam below one frame step is a cycle, and a larger one is not") {
  // At 30 fps a foot moves by 0.9 m * 0.5 rad * 2 pi / 30 s at most, by about 70 % of it usually.
  const double step_rad = 0.5 * 2.0 * kPi / 30.0 * 0.7;
  const CycleDecision below = judge({.leg_offset_rad = 0.4 * step_rad});
  CHECK(below.is_cycle);
  CHECK(below.seam_steps == nearTo(0.4, 0.2));
  const CycleDecision beyond = judge({.leg_offset_rad = 2.5 * step_rad});
  CHECK_FALSE(beyond.is_cycle);
  CHECK(beyond.seam_steps == nearTo(2.5, 0.2));
  CHECK(beyond.reason == "ends in another pose than it starts");
  // Half a cycle.
  CHECK_FALSE(judge({.length_s = 0.5}).is_cycle);
  CHECK_FALSE(judge({.length_s = 0.7, .name = "walk"}).is_cycle);
}

TEST_CASE("the seam is that of the whole body, not only of the joints that carry chains") {
  const Walker walker(true);
  // The head ends where it starts, a leg does not.
  const Motion motion = walk(walker, {.leg_offset_rad = 0.6});
  CHECK_FALSE(judge(walker, motion).is_cycle);
  CHECK(judge(walker, walk(walker, {})).is_cycle);
}

TEST_CASE("joints of simulated chains do not count, whatever their keys are") {
  const Walker walker;
  Motion motion = walk(walker, {});
  motion.source = nullptr;
  const std::size_t joint = toSize(walker.tail_tip) - 2;
  for (std::size_t i = 0; i <= 30; ++i) {
    motion.frame(i).locals[joint].rotation =
        rotationAbout(Vec3(1, 0, 0), 0.05 * static_cast<double>(i));
  }
  CHECK(judge(walker, motion).is_cycle);
}

TEST_CASE("a motion from rest to rest is a cycle only by its name") {
  const Walker walker;
  CHECK(judge(walker, leap(walker, "breathing")).is_cycle);
  CHECK(judge(walker, leap(walker, "Leap_Loop")).is_cycle);
  for (const char* name : {"jump", "Attack_01", "Death", "hit_front", "Armature|Stand_Up"}) {
    CAPTURE(name);
    const CycleDecision decision = judge(walker, leap(walker, name));
    CHECK_FALSE(decision.is_cycle);
    CHECK(decision.reason == "named as a motion that is played once");
  }
  // A gait called an attack runs through its seam.
  CHECK(judge({.name = "attack_run"}).is_cycle);
}

TEST_CASE("the settings override what is detected") {
  const Walker walker;
  const Motion cycle = walk(walker, {}), half = walk(walker, {.length_s = 0.3});
  CHECK_FALSE(judge(walker, cycle, LoopPolicy::kOff).is_cycle);
  const CycleDecision forced = judge(walker, half, LoopPolicy::kOn);
  CHECK(forced.is_cycle);
  CHECK(forced.reason == "loop = \"on\"");
  CHECK(forced.seam_steps > 1.0);
}

TEST_CASE("the decision is a metric and a note of the clip") {
  const Walker walker;
  const DynamicBonesSettings settings = settingsFor("tail0", DynamicBonesMethod::kSpring);
  const StageResult on = bake(walker.scene, walk(walker, {}), settings);
  CHECK(metric(on, "loop") == 1.0);
  CHECK(metric(on, "loop_clip_seam_steps") < 1e-6);
  REQUIRE(on.notes.size() == 1);
  CHECK(on.notes[0] == "loop on: ends in its first pose, at the same speed");
  const StageResult off = bake(walker.scene, walk(walker, {.length_s = 0.3}), settings);
  CHECK(metric(off, "loop") == 0.0);
  CHECK(off.notes[0] == "loop off: ends in another pose than it starts");
}

TEST_CASE("names of cycles and of motions that are played once") {
  const auto all = [](locomotion::CycleName meaning, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      CAPTURE(name);
      CHECK(locomotion::cycleNameOf(name) == meaning);
    }
  };
  all(locomotion::CycleName::kCycle,
      {"Walk", "Armature|walk", "Running_A", "run_fwd_loop", "RunCycle", "Idle", "2H_Melee_Idle",
       "Jump_Idle", "jump_loop", "Swimming_Fwd", "crouch_walk_left", "Strafe_R", "FlyLoop",
       "mixamo.com|Sprint", "Walk_In_Place", "Attack_Cycle"});
  all(locomotion::CycleName::kOneShot,
      {"Jump", "Jump_Start", "Attack", "Death_A", "Hit_B", "Lie_StandUp", "walk_to_idle", "RunStop",
       "idle_to_fight", "run_attack", "Dodge_Left", "Walk_Start", "Throw", "T-Pose"});
  all(locomotion::CycleName::kNone,
      {"", "clip", "Take 001", "Survey", "Blocking", "0", "Gesture", "Runway"});
}

TEST_SUITE_END();
