// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/spring_simd.h"

#include <cmath>
#include <vector>

#include "checks.h"
#include "random_solids.h"
#include "stages/dynamic_bones/springs/spring_step.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using clipmill::test::distance;
using clipmill::test::Random;

TEST_SUITE_BEGIN("dynamic_bones.spring_simd");

namespace {

constexpr std::size_t kLanes = 24;
constexpr double kStep_s = 1.0 / 240.0;
constexpr double kRounding_m = 1e-14;

// Lanes at random on one parent, and the constants of each.
struct Bunch {
  SpringLanes lanes{kLanes, 1};
  std::vector<SpringStep> steps;
  std::vector<Affine> worlds;

  explicit Bunch(Random& random) {
    Affine parent{glm::mat3_cast(random.rotation()), random.vector(1.0)};
    for (int column = 0; column < 3; ++column) parent.linear[column] *= random.number(0.5, 2.0);
    worlds = {parent, Affine{Mat3(1.0), Vec3(0.0)}};
    for (std::size_t i = 0; i < kLanes; ++i) add(random, i);
  }

  void add(Random& random, std::size_t i) {
    const double frequency_hz = random.number(0.0, 8.0), damping_ratio = random.number(0.0, 1.5);
    const SpringStep step =
        makeSpringStep(frequency_hz, damping_ratio, random.number(0.0, 3.0), kStep_s);
    steps.push_back(step);
    lanes.kept[i] = step.kept;
    lanes.pulled[i] = step.pulled;
    lanes.force_s2[i] = step.force_s2;
    lanes.first_force_s2[i] = step.first_force_s2;
    lanes.target_share[i] = step.target_share;
    lanes.first_s[i] = step.first_s;
    lanes.pose_drag_per_s[i] = step.pose_drag_per_s;
    lanes.parent_world[i] = 0;
    lanes.joint_translation.set(i, random.vector(0.2));
    lanes.carried.set(i, random.vectorOfLength(0.02, 0.3));
    for (Vec3Lanes* path : {&lanes.offset, &lanes.offset_before, &lanes.target_move}) {
      path->set(i, random.vector(0.05));
    }
    lanes.target.set(i, targetOf(i) + random.vector(0.02));
    lanes.bone.set(i, random.isChance(0.1) ? Vec3(0.0) : random.direction() * 0.1);
    lanes.pose_velocity.set(i, random.vector(3.0));
    lanes.acceleration.set(i, random.vector(12.0));
  }

  Vec3 headOf(std::size_t i) const {
    return worlds[0].linear * lanes.joint_translation.at(i) + worlds[0].translation;
  }
  Vec3 targetOf(std::size_t i) const { return headOf(i) + worlds[0].linear * lanes.carried.at(i); }
  double length_m(std::size_t i) const { return glm::length(targetOf(i) - headOf(i)); }
  Vec3 moveOf(std::size_t i) const { return targetOf(i) - lanes.target.at(i); }
  void aim(AimMode mode, bool keep_length) {
    CHECK(aimLanes(lanes, &worlds[0].linear[0].x, 0, kLanes, mode, keep_length) == 0);
  }
};

}  // namespace

TEST_CASE("a lane moves its end as springStep does, on every instruction set") {
  Random random(51);
  for (std::size_t target = 0; target < vectorTargets().size(); ++target) {
    useVectorTarget(static_cast<int>(target));
    Bunch bunch(random);
    bunch.aim(AimMode::kFree, false);
    const SpringLanes& lanes = bunch.lanes;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const Vec3 offset =
          springStep(bunch.steps[i], lanes.offset.at(i), lanes.offset_before.at(i), bunch.moveOf(i),
                     lanes.target_move.at(i), lanes.pose_velocity.at(i), lanes.acceleration.at(i));
      CHECK(distance(lanes.next_head.at(i), bunch.headOf(i)) < kRounding_m);
      CHECK(distance(lanes.next_target.at(i), bunch.targetOf(i)) < kRounding_m);
      CHECK(distance(lanes.point.at(i), bunch.targetOf(i) + offset) < kRounding_m);
      CHECK(std::abs(lanes.length_m[i] - bunch.length_m(i)) < kRounding_m);
    }
  }
  useVectorTarget(-1);
}

TEST_CASE("a lane's first step is that of firstSpringStep, from rest where a solid holds it off") {
  Random random(52);
  Bunch bunch(random);
  for (std::size_t i = 0; i < kLanes; i += 2) bunch.lanes.offset.set(i, Vec3(0.0));
  bunch.aim(AimMode::kFirst, false);
  for (std::size_t i = 0; i < kLanes; ++i) {
    const SpringLanes& lanes = bunch.lanes;
    const Vec3 held = lanes.offset.at(i);
    // A point held off its target is pulled back by a force w^2 times its offset: S / G = w^2.
    const double pull_per_s2 = bunch.steps[i].pulled / bunch.steps[i].force_s2;
    const Vec3 offset =
        held + firstSpringStep(bunch.steps[i], bunch.moveOf(i), lanes.pose_velocity.at(i),
                               lanes.acceleration.at(i) - held * pull_per_s2);
    CHECK(distance(lanes.point.at(i), bunch.targetOf(i) + offset) < kRounding_m);
  }
}

TEST_CASE("a lane keeps its length as projectOnLength does") {
  Random random(53);
  for (int round = 0; round < 50; ++round) {
    Bunch bunch(random);
    for (std::size_t i = 0; i < kLanes; ++i) {
      bunch.lanes.point.set(i, bunch.headOf(i) + random.vectorOfLength(0.0, 0.4));
    }
    const Vec3Lanes wanted = bunch.lanes.point;
    bunch.aim(AimMode::kGivenPoint, true);
    for (std::size_t i = 0; i < kLanes; ++i) {
      const Vec3 kept =
          projectOnLength(bunch.headOf(i), wanted.at(i), bunch.lanes.bone.at(i), bunch.length_m(i));
      // Where the old bone is nearly tangent to the sphere, the result is the root of a small
      // difference.
      CHECK(distance(bunch.lanes.point.at(i), kept) < 1e-8);
      CHECK(std::abs(glm::length(bunch.lanes.point.at(i) - bunch.headOf(i)) - bunch.length_m(i)) <
            kRounding_m);
    }
  }
}

TEST_SUITE_END();
