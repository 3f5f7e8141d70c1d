// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/pose_cycle.h"

#include <algorithm>
#include <vector>

#include "checks.h"
#include "core/to_size.h"
#include "make_samples/gait.h"
#include "scene/character_scene.h"

TEST_SUITE_BEGIN("locomotion.pose_cycle");

using namespace clipmill;
using namespace clipmill::locomotion;
using namespace clipmill::test;

namespace {

struct Walk {
  Walk() {
    const samples::Rig rig = samples::makeBodyRig();
    scene = characterScene(
        rig, samples::gaitClip(rig, "Walk", samples::walkGait(), samples::Travel::kRoot), {});
    motion = sampled(scene, 30.0);
    hips = nodeOf(scene, "Hips");
    foot = nodeOf(scene, "LeftFoot");
  }

  void rotate(const char* joint, std::size_t frame, double angle_rad) {
    Quat& rotation = motion.frame(frame).locals[toSize(nodeOf(scene, joint))].rotation;
    rotation = rotation * rotationAbout(Vec3(1, 0, 0), angle_rad);
  }
  std::size_t last() const { return motion.grid.frame_count - 1; }
  bool closes() const { return isCycle(scene.skeleton, hips, motion); }
  bool nearlyCloses() const {
    return isNearlyCycle(scene.skeleton, hips, std::vector<int>{foot}, motion);
  }

  Scene scene;
  Motion motion;
  int hips = -1, foot = -1;
};

}  // namespace

TEST_CASE("a walk that ends in its first pose elsewhere is a cycle") {
  Walk walk;
  CHECK(walk.closes());
  CHECK(walk.nearlyCloses());
  walk.motion.frame(walk.last()).locals[toSize(walk.hips)].translation += Vec3(0, 0.1, 3);
  CHECK(walk.closes());
  walk.motion.frame(walk.last()).locals[toSize(walk.foot)].translation += Vec3(0, 0.1, 0);
  CHECK_FALSE(walk.closes());
  CHECK_FALSE(walk.nearlyCloses());
}

TEST_CASE("a walk whose ends differ by less than a step nearly is a cycle") {
  Walk walk;
  walk.rotate("LeftUpLeg", walk.last(), 0.02);
  CHECK_FALSE(walk.closes());
  CHECK(walk.nearlyCloses());
  // Arms do not matter to feet.
  walk.rotate("LeftArm", walk.last(), 0.5);
  CHECK(walk.nearlyCloses());
  walk.rotate("LeftUpLeg", walk.last(), 0.15);
  CHECK_FALSE(walk.nearlyCloses());
}

TEST_CASE("a motion that rests at an end in another pose is no cycle") {
  Walk walk;
  const auto last = walk.motion.localsOf(walk.last());
  std::copy(last.begin(), last.end(), walk.motion.frame(walk.last() - 1).locals.begin());
  CHECK(walk.nearlyCloses());
  walk.rotate("LeftUpLeg", walk.last(), 0.02);
  walk.rotate("LeftUpLeg", walk.last() - 1, 0.02);
  CHECK_FALSE(walk.nearlyCloses());
}

TEST_SUITE_END();
