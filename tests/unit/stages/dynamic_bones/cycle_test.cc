// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/cycle.h"

#include <algorithm>
#include <cmath>

#include "checks.h"
#include "core/portable_math.h"
#include "stages/dynamic_bones/springs/clip_cycle.h"
#include "stages/dynamic_bones/springs/cycle_trace.h"
#include "stages/dynamic_bones/springs/spring.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.cycle");

namespace {

constexpr double kCycle_s = 1.0;

// A body that bobs and sways once a second and travels along z at `speed_mps`.
Motion walkMotion(const Scene& scene, double end_s, double fps, double speed_mps = 0.0) {
  return motionOf(scene, end_s, fps, [=](double t, PoseView pose) {
    const double angle = 2.0 * kPi * t / kCycle_s;
    pose.locals[0].translation =
        Vec3(0.05 * portable::sin(angle), 0.03 * portable::cos(2.0 * angle), speed_mps * t);
    pose.locals[0].rotation = rotationAbout(Vec3(0, 1, 0), 0.2 * portable::sin(angle));
  });
}

DynamicBonesSettings tailSettings(double damping_ratio = 0.3) {
  DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kSpring);
  settings.chain[0].damping_ratio = damping_ratio;
  return settings;
}

double largestDistance(const std::vector<Vec3>& a, const std::vector<Vec3>& b, std::size_t count) {
  double worst = 0.0;
  for (std::size_t i = 0; i < count; ++i) worst = std::max(worst, distance(a[i], b[i]));
  return worst;
}

const Scene kTail = chainScene(6, Vec3(0, -0.08, -0.02));

}  // namespace

TEST_CASE("a cycle ends in the pose and with the speed of its start") {
  const StageResult result = bake(kTail, walkMotion(kTail, kCycle_s, 60.0), tailSettings());
  CHECK(metric(result, "loop_seam_deg") <= 0.05);
  CHECK(metric(result, "loop_cycles") > 1);
  const Motion& motion = result.motion;
  for (std::size_t node = 1; node < kTail.skeleton.size(); ++node) {
    const Quat first = motion.localsOf(0)[node].rotation;
    CHECK(angleBetween(first, motion.localsOf(60)[node].rotation) < 1e-7);
  }
  const auto tip = pathOfNode(kTail, motion, 6);
  const double fastest = metric(result, "max_speed_mps");
  const Vec3 start = (tip[1] - tip[0]) * 60.0, end = (tip[60] - tip[59]) * 60.0;
  // One frame lies between the two differences; twice that change is allowed.
  const Vec3 next = (tip[2] - tip[1]) * 60.0;
  CHECK(distance(start, end) < 2.0 * distance(start, next) + 0.01 * fastest);
}

TEST_CASE("a cycle baked once and played twice is the bake of two cycles") {
  const StageResult one = bake(kTail, walkMotion(kTail, kCycle_s, 60.0), tailSettings());
  const StageResult two = bake(kTail, walkMotion(kTail, 2.0 * kCycle_s, 60.0), tailSettings());
  const auto once = pathOfNode(kTail, one.motion, 6), twice = pathOfNode(kTail, two.motion, 6);
  // Both are closed to 0.05 degrees a bone: 0.5 m of tail away from its root, half a millimetre.
  for (std::size_t i = 0; i <= 120; ++i) CHECK(distance(once[i % 60], twice[i]) < 5e-4);
}

TEST_CASE("a cycle that travels closes relative to the character") {
  const StageResult still = bake(kTail, walkMotion(kTail, kCycle_s, 60.0), tailSettings());
  const StageResult moving = bake(kTail, walkMotion(kTail, kCycle_s, 60.0, 1.4), tailSettings());
  CHECK(metric(moving, "loop_seam_deg") <= 0.05);
  const auto a = pathOfNode(kTail, still.motion, 6);
  auto b = pathOfNode(kTail, moving.motion, 6);
  for (std::size_t i = 0; i < b.size(); ++i) b[i].z -= 1.4 * static_cast<double>(i) / 60.0;
  // Damping is relative to the clip's own motion, so steady travel changes nothing.
  CHECK(largestDistance(a, b, a.size()) < 1e-9);
}

TEST_CASE("lower damping takes more cycles, about as many as predicted") {
  double last = 0.0;
  for (double damping : {0.5, 0.2, 0.1, 0.05}) {
    const StageResult result =
        bake(kTail, walkMotion(kTail, kCycle_s, 60.0), tailSettings(damping));
    const double cycles = metric(result, "loop_cycles");
    CAPTURE(damping);
    CHECK(metric(result, "loop_seam_deg") <= 0.05);
    CHECK(cycles >= last);
    CHECK(cycles <= 2.0 * metric(result, "loop_cycles_predicted") + 2.0);
    last = cycles;
  }
}

TEST_CASE("a cycle that does not close is closed all the same, and reported") {
  DynamicBonesSettings settings = tailSettings(0.02);
  settings.max_loop_cycles = 2;
  const StageResult result = bake(kTail, walkMotion(kTail, kCycle_s, 60.0), settings);
  CHECK(metric(result, "loop_seam_deg") > 0.05);
  CHECK(result.warnings.count("loop_not_closed") == 1);
  for (std::size_t node = 1; node < kTail.skeleton.size(); ++node) {
    const Quat first = result.motion.localsOf(0)[node].rotation;
    CHECK(angleBetween(first, result.motion.localsOf(60)[node].rotation) < 1e-7);
  }
}

TEST_CASE("closing a seam does not change the speeds at both ends") {
  const Scene scene = chainScene(2, Vec3(0, -0.5, 0));
  const Motion clip = stillMotion(scene, 1.0, 100.0);
  const DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kSpring);
  const auto rig = makeRig(scene, settings);
  CHECK_OK(rig);
  // The joint rotates steadily, by 10 degrees from start to end.
  Motion motion = clip;
  for (std::size_t i = 0; i <= 100; ++i) {
    motion.frame(i).locals[1].rotation =
        rotationAbout(Vec3(0, 0, 1), 10.0 * kDegree * static_cast<double>(i) / 100.0);
  }
  const auto rotated = [&](std::size_t from, std::size_t to) {
    const Quat& a = motion.localsOf(from)[1].rotation;
    return angleBetween(a, motion.localsOf(to)[1].rotation) / kDegree;
  };
  CHECK(seamsOf_rad(*rig, clip, motion)[0] / kDegree == doctest::Approx(10.0));
  CHECK(glm::length(startVelocities_degps(*rig, clip, motion)[0]) == doctest::Approx(10.0));
  closeSeam(*rig, clip, std::vector<std::size_t>{0}, motion);
  CHECK(seamsOf_rad(*rig, clip, motion)[0] < 1e-8);
  // 3 s^2 - 2 s^3 over the first and the last of 100 frames.
  const double bend_deg = 10.0 * (3e-4 - 2e-6);
  CHECK(rotated(0, 1) == nearTo(0.1 - bend_deg, 1e-6));
  CHECK(rotated(99, 100) == nearTo(0.1 - bend_deg, 1e-6));
}

TEST_CASE("a cycle that does not close fades from the cycle after it to itself") {
  const Scene scene = chainScene(2, Vec3(0, -0.5, 0));
  const Motion clip = stillMotion(scene, 1.0, 100.0);
  DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kSpring);
  settings.max_loop_cycles = 3;
  const auto rig = makeRig(scene, settings);
  CHECK_OK(rig);
  // Steady rotations; each cycle starts where the one before it ends. The seams are 40, 10, 30 and
  // 5 degrees, of which the last comes after max_loop_cycles.
  const double angles_deg[] = {0.0, 40.0, 30.0, 60.0, 65.0};
  CycleChoice choice(*rig, settings, clip);
  std::size_t cycles = 0;
  for (bool goes_on = true; goes_on; ++cycles) {
    Motion cycle = clip;
    for (std::size_t i = 0; i <= 100; ++i) {
      const double s = static_cast<double>(i) / 100.0;
      const double angle_deg = angles_deg[cycles] * (1.0 - s) + angles_deg[cycles + 1] * s;
      cycle.frame(i).locals[1].rotation = rotationAbout(Vec3(0, 0, 1), angle_deg * kDegree);
    }
    goes_on = choice.needsAnother(cycle);
  }
  CHECK(cycles == 3);
  CHECK(choice.seam_deg() == doctest::Approx(10.0));
  Motion motion = clip;
  choice.write(motion);
  for (std::size_t i = 0; i <= 100; ++i) {
    const double s = static_cast<double>(i) / 100.0, part = s * s * (3.0 - 2.0 * s);
    const double angle_deg = (30.0 + 30.0 * s) * (1.0 - part) + (40.0 - 10.0 * s) * part;
    CHECK(angleBetween(motion.localsOf(i)[1].rotation,
                       rotationAbout(Vec3(0, 0, 1), angle_deg * kDegree)) < 1e-7);
  }
}

TEST_CASE("rods that do not close are led into the cycle before, in pose and in speed") {
  DynamicBonesSettings settings = tailSettings(0.02);
  settings.method = DynamicBonesMethod::kRod;
  settings.max_loop_cycles = 2;
  const StageResult result = bake(kTail, walkMotion(kTail, kCycle_s, 60.0), settings);
  CHECK(metric(result, "loop_seam_deg") > 1.0);
  CHECK(result.warnings.count("loop_not_closed") == 1);
  const auto rotation = [&](std::size_t frame, std::size_t node) {
    return result.motion.localsOf(frame)[node].rotation;
  };
  for (std::size_t node = 1; node < kTail.skeleton.size(); ++node) {
    CHECK(angleBetween(rotation(0, node), rotation(60, node)) < 1e-7);
    const auto change = [&](std::size_t from) {
      return rotationVector(rotation(from, node), rotation(from + 1, node));
    };
    double most = 0.0;
    for (std::size_t i = 1; i < 60; ++i) {
      most = std::max(most, glm::length(change(i) - change(i - 1)));
    }
    CHECK(glm::length(change(0) - change(59)) <= 1.1 * most);
  }
}

TEST_CASE("the steps of a pulled cycle leave 1 - 3 s^2 + 2 s^3 of a distance") {
  double left = 1.0;
  for (int i = 0; i < 40; ++i) {
    left *= 1.0 - pullShare(i / 40.0, (i + 1) / 40.0);
    const double s = (i + 1) / 40.0;
    CHECK(std::abs(left - (1.0 - s * s * (3.0 - 2.0 * s))) < 1e-14);
  }
  CHECK(left == 0.0);
}

TEST_CASE("a trace is read between its frames along a cubic, the last one shorter") {
  // Eight frames a second; the last interval is half as long.
  CycleTrace trace(makeGrid(0.5, 0.5 + 5.5 / 8.0, 8.0), 2);
  const auto at = [](double t) { return Vec3(t, 3.0 * t, 1.0); };
  const TimeGrid grid = makeGrid(0.5, 0.5 + 5.5 / 8.0, 8.0);
  REQUIRE(grid.frame_count == 7);
  for (std::size_t i = 0; i < grid.frame_count; ++i) {
    trace.frame(i)[0] = at(grid.timeOf(i));
    trace.frame(i)[1] = Vec3(grid.timeOf(i) == grid.end_s ? 1.0 : 0.0);
  }
  std::vector<Vec3> ends(2);
  for (double t : {0.5, 0.55, 0.625, 0.9, 1.0}) {
    trace.readAt(t, ends);
    CHECK(glm::length(ends[0] - at(t)) < 1e-12);
    CHECK(ends[1] == Vec3(0.0));
  }
  trace.readAt(grid.end_s, ends);
  CHECK(ends[0] == at(grid.end_s));
  CHECK(ends[1] == Vec3(1.0));
}

TEST_CASE("clips without motion at both ends, or with another end pose, are no cycles") {
  const auto isCycle = [](const Motion& clip, LoopPolicy policy) {
    DynamicBonesSettings settings = tailSettings();
    settings.loop = policy;
    const auto rig = makeRig(kTail, settings);
    CHECK_OK(rig);
    return findCycle(*rig, settings, kTail, clip).has_value();
  };
  const Motion walk = walkMotion(kTail, kCycle_s, 60.0, 1.4);
  CHECK(isCycle(walk, LoopPolicy::kAuto));
  CHECK_FALSE(isCycle(walk, LoopPolicy::kOff));
  CHECK_FALSE(isCycle(walkMotion(kTail, 0.7 * kCycle_s, 60.0), LoopPolicy::kAuto));
  CHECK(isCycle(walkMotion(kTail, 0.7 * kCycle_s, 60.0), LoopPolicy::kOn));
  CHECK_FALSE(isCycle(stillMotion(kTail, 1.0, 60.0), LoopPolicy::kAuto));
  const Motion hop = motionOf(kTail, 1.0, 60.0, [](double t, PoseView pose) {
    const double s = portable::sin(kPi * t);
    pose.locals[0].translation.y = s * s * s * s;
  });
  CHECK_FALSE(isCycle(hop, LoopPolicy::kAuto));
  // A clip that leaves its start pose and returns to it, with a jump between.
  const Motion cut = motionOf(kTail, 1.0, 60.0, [](double t, PoseView pose) {
    pose.locals[0].translation.x = t < 0.5 ? t : t - 1.0;
    pose.locals[0].translation.y = t * (1.0 - t);
  });
  CHECK_FALSE(isCycle(cut, LoopPolicy::kAuto));
}

TEST_CASE("a cycle may start where a swing reverses") {
  // There its velocity changes most, and there is hardly any.
  DynamicBonesSettings settings = tailSettings();
  settings.loop = LoopPolicy::kAuto;
  const auto rig = makeRig(kTail, settings);
  REQUIRE(rig.ok());
  for (double phase : {0.0, 0.5 * kPi, kPi}) {
    const Motion sway = motionOf(kTail, 1.0, 60.0, [=](double t, PoseView pose) {
      pose.locals[0].translation.x = 0.3 * portable::sin(2.0 * kPi * t + phase);
    });
    CAPTURE(phase);
    CHECK(findCycle(*rig, settings, kTail, sway).has_value());
  }
}

TEST_CASE("wind repeats with the cycle") {
  DynamicBonesSettings settings = tailSettings(0.5);
  settings.wind_mps2 = {3.0, 0.0, 1.0};
  const StageResult result = bake(kTail, walkMotion(kTail, kCycle_s, 60.0), settings);
  CHECK(metric(result, "loop_seam_deg") <= 0.05);
}

TEST_CASE("a cycle whose length is off the grid closes too") {
  const Scene& scene = kTail;
  const double odd_s = 1.0 + 0.37 / 240.0;
  const Motion clip = motionOf(scene, odd_s, 30.0, [=](double t, PoseView pose) {
    pose.locals[0].translation.x = 0.05 * portable::sin(2.0 * kPi * t / odd_s);
  });
  CHECK(metric(bake(scene, clip, tailSettings()), "loop_seam_deg") <= 0.05);
}

TEST_SUITE_END();
