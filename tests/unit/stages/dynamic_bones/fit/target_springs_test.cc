// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The steppers of engines against closed forms of their steps, and VRM's against the simulation of
// VRM files.
#include "stages/dynamic_bones/fit/target_springs.h"

#include <cmath>

#include "stages/dynamic_bones/fit/chain_rows.h"
#include "stages/dynamic_bones/swing_scene.h"
#include "stages/dynamic_bones/vrm/vrm_springs.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

namespace {

constexpr double kStep_s = 1.0 / 60.0;
constexpr SpringTarget kAllTargets[] = {SpringTarget::kVrm1, SpringTarget::kKawaii,
                                        SpringTarget::kGodot, SpringTarget::kUnity};

bool isVrmLike(SpringTarget target) {
  return target == SpringTarget::kVrm1 || target == SpringTarget::kGodot;
}

struct Values {
  double stiffness = 0.0, drag = 0.0;
  double push_m = 0.0;  // by gravity in each step
  double inert = 0.0, reach = 0.0;
};

std::vector<double> listOf(SpringTarget target, const Values& values) {
  double gravity = values.push_m / kStep_s;
  if (target == SpringTarget::kKawaii) gravity /= kStep_s;
  if (target == SpringTarget::kUnity) gravity *= kStep_s;
  std::vector<double> list = {values.stiffness, 1.0, values.drag, gravity};
  if (target == SpringTarget::kUnity) list.insert(list.end(), {values.inert, values.reach});
  return list;
}

// One bone of that vector, whose head moves at a constant velocity in each step. DynamicBone takes
// gravity away that acts at rest: the rest pose is upside down, where nothing of it does.
RowProbe oneBone(const Vec3& vector_m, const Vec3& move_m, std::size_t steps) {
  RowProbe probe;
  probe.vectors_m = {vector_m};
  probe.rest_rotations = {kIdentityRotation};
  probe.rest_attachment = rotationAbout(Vec3(1, 0, 0), kPi);
  for (std::size_t i = 0; i < steps; ++i) {
    probe.heads_m.push_back(static_cast<double>(i) * move_m);
    probe.attachments.push_back(kIdentityRotation);
    probe.rotations.push_back(kIdentityRotation);
  }
  return probe;
}

// Downward angle of the bone in the last step.
double lastAngle(const RowProbe& probe, const std::vector<Vec3>& ends) {
  const Vec3 path = ends.back() - probe.heads_m.back();
  return std::atan2(-path.y, path.x);
}

}  // namespace

TEST_SUITE_BEGIN("dynamic_bones.fit.target_springs");

TEST_CASE("a bone without stiffness and drag falls like a stone") {
  // So long that its end moves along a straight line: after n steps it fell by n (n + 1) / 2
  // pushes.
  const RowProbe probe = oneBone(Vec3(1e7, 0, 0), Vec3(0.0), 61);
  for (SpringTarget target : kAllTargets) {
    const auto ends = simulateTarget(target, listOf(target, {0.0, 0.0, 0.003, 0.0, 0.0}), probe);
    CHECK(-ends.back().y == doctest::Approx(0.003 * 60 * 61 / 2).epsilon(1e-6));
  }
}

TEST_CASE("a falling bone with drag reaches its terminal speed") {
  const RowProbe probe = oneBone(Vec3(1e7, 0, 0), Vec3(0.0), 301);
  for (SpringTarget target : kAllTargets) {
    const auto ends = simulateTarget(target, listOf(target, {0.0, 0.2, 0.003, 0.0, 0.0}), probe);
    const double speed = ends[299].y - ends[300].y;  // of a step
    CHECK(speed == doctest::Approx(0.003 / 0.2).epsilon(1e-5));
  }
}

TEST_CASE("a level bone comes to rest where stiffness and gravity balance") {
  const double length_m = 0.2, push_m = 0.001;
  const RowProbe probe = oneBone(Vec3(length_m, 0, 0), Vec3(0.0), 1201);
  for (SpringTarget target : kAllTargets) {
    // The push of stiffness along the rest direction against that of gravity.
    const double stiffness = isVrmLike(target) ? 0.3 : 0.04;
    const double balance = isVrmLike(target) ? push_m / (stiffness * kStep_s)
                                             : (1.0 - stiffness) * push_m / (stiffness * length_m);
    const auto ends =
        simulateTarget(target, listOf(target, {stiffness, 0.3, push_m, 0.0, 0.0}), probe);
    CHECK(lastAngle(probe, ends) == doctest::Approx(std::atan(balance)).epsilon(1e-6));
  }
}

TEST_CASE("a bone in steady motion lags by its drag") {
  const double length_m = 0.2, move_m = 0.01, drag = 0.3, inert = 0.4;
  const RowProbe probe = oneBone(Vec3(length_m, 0, 0), Vec3(0, move_m, 0), 1201);
  for (SpringTarget target : kAllTargets) {
    const double stiffness = isVrmLike(target) ? 0.3 : 0.04;
    double lag = isVrmLike(target) ? drag * move_m / (stiffness * kStep_s)
                                   : (1.0 - stiffness) * drag * move_m / (stiffness * length_m);
    if (target == SpringTarget::kUnity) lag *= 1.0 - inert;
    const auto ends =
        simulateTarget(target, listOf(target, {stiffness, drag, 0.0, inert, 0.0}), probe);
    CHECK(lastAngle(probe, ends) == doctest::Approx(std::atan(lag)).epsilon(1e-6));
  }
}

TEST_CASE("small swings follow the two roots of the step") {
  // x+ = k (x + (1 - d) (x - x-)), with k the share of a displacement that a step keeps.
  const double length_m = 0.2, drag = 0.1;
  const Vec3 side(0, 0, 1e-6);
  for (SpringTarget target : kAllTargets) {
    const double stiffness = isVrmLike(target) ? 0.3 : 0.04;
    const double kept =
        isVrmLike(target) ? length_m / (length_m + stiffness * kStep_s) : 1.0 - stiffness;
    RowProbe probe = oneBone(Vec3(length_m, 0, 0), Vec3(0.0), 121);
    // The bone starts to the side of its target, at rest: the attachment rotates after step 1.
    const Quat aside = rotationBetween(Vec3(1, 0, 0), Vec3(length_m, 0, 0) + side);
    probe.attachments[0] = probe.attachments[1] = aside;
    const auto ends = simulateTarget(target, listOf(target, {stiffness, drag, 0, 0, 0}), probe);
    double now = side.z, before = side.z;
    for (std::size_t i = 2; i < ends.size(); ++i) {
      const double next = kept * (now + (1.0 - drag) * (now - before));
      before = now;
      now = next;
      REQUIRE(std::abs(ends[i].z - now) < 1e-4 * side.z);
    }
    CHECK(std::abs(now) < 0.5 * side.z);
  }
}

TEST_CASE("the stiffness of DynamicBone keeps the end near its rest position") {
  const double length_m = 0.2, reach = 0.9;
  const RowProbe probe = oneBone(Vec3(length_m, 0, 0), Vec3(0.0), 601);
  const auto ends = simulateTarget(
      SpringTarget::kUnity, listOf(SpringTarget::kUnity, {1e-6, 0.2, 0.01, 0.0, reach}), probe);
  // Gravity pulls it as far as it may go, within one push.
  const double distance_m = lengthOf(ends.back() - probe.vectors_m[0]);
  CHECK(distance_m == doctest::Approx(2.0 * (1.0 - reach) * length_m).epsilon(0.1));
}

TEST_CASE("gravity of DynamicBone does nothing in the rest pose") {
  RowProbe probe = oneBone(Vec3(0.2, 0, 0), Vec3(0.0), 61);
  probe.rest_attachment = kIdentityRotation;
  const auto ends = simulateTarget(SpringTarget::kUnity,
                                   listOf(SpringTarget::kUnity, {0.01, 0.1, 0.01, 0, 0}), probe);
  CHECK(lengthOf(ends.back() - probe.vectors_m[0]) < 1e-12);
}

TEST_CASE("the steps of VRM are those of the method vrm1") {
  Scene scene = chainScene(5, Vec3(0.08, -0.02, 0.01), Vec3(0.0, 1.0, 0.0));
  const double values[] = {0.6, 0.5, 0.35, 0.15};
  SpringChain chain;
  const double depths[] = {0.25, 0.5, 0.75, 1.0};
  for (int i = 0; i < 5; ++i) {
    SpringJoint joint;
    joint.node = i + 1;
    joint.drag = values[2];
    joint.gravity_power = values[3];
    if (i < 4) joint.stiffness = stiffnessAt(SpringTarget::kVrm1, values[0], values[1], depths[i]);
    chain.joints.push_back(joint);
  }
  scene.springs.kind = SpringSetup::Kind::kVrm1;
  scene.springs.chains = {chain};
  // At rest in the first frames, as springs of VRM start.
  const Motion motion = motionOf(scene, 3.0, 60.0, [](double t, PoseView pose) {
    const double u = std::max(t - 0.1, 0.0);
    pose.locals[0].translation = Vec3(0.3 * std::sin(5.0 * u) * u, 0.0, 0.1 * u);
    pose.locals[0].rotation = rotationAbout(Vec3(0, 0, 1), std::sin(2.0 * u));
  });
  Motion simulated = motion;
  simulateVrm(makeVrmRig(scene.springs, scene), scene, motion, simulated);

  const auto rig = makeRig(scene, settingsFor("bone0", DynamicBonesMethod::kRod));
  REQUIRE(rig.ok());
  const auto rows = rowsOf(*rig, scene.skeleton);
  REQUIRE(rows.size() == 1);
  const auto probes = probesOf(rows, *rig, scene, motion, simulated, 1);
  const auto ends = simulateTarget(SpringTarget::kVrm1, values, probes[0]);
  REQUIRE(ends.size() == probes[0].ends_m.size());
  double max_m = 0.0, swing_m = 0.0;
  std::vector<Vec3> posed;
  for (std::size_t step = 0; step < probes[0].stepCount(); ++step) {
    posedEnds(probes[0], step, true, posed);
    for (std::size_t i = 0; i < 4; ++i) {
      max_m = std::max(max_m, lengthOf(ends[step * 4 + i] - probes[0].ends_m[step * 4 + i]));
      swing_m = std::max(swing_m, lengthOf(posed[i] - probes[0].ends_m[step * 4 + i]));
    }
  }
  CHECK(swing_m > 0.05);
  CHECK(max_m < 1e-9);
}

TEST_SUITE_END();
