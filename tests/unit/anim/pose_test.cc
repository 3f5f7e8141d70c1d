// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/pose.h"

#include "anim/make_motion.h"
#include "checks.h"

TEST_SUITE_BEGIN("anim.pose");

using namespace clipmill;
using test::distance;

namespace {

// Three joints, each 1 along y from its parent, rotated by 90 degrees about z and stretched; the
// last two inherit scales by `mode`.
struct Arm {
  explicit Arm(InheritScale mode) : skeleton(test::makeChain(3)) {
    const Vec3 scales[] = {Vec3(2, 3, 5), Vec3(7, 11, 13), Vec3(17, 19, 23)};
    for (std::size_t i = 0; i < 3; ++i) {
      Node& node = skeleton.nodes[i];
      node.rest.scale = scales[i];
      if (i > 0) {
        node.rest.rotation = rotationAbout(Vec3(0, 0, 1), 0.5 * kPi);
        node.inherit = mode;
      }
    }
    pose = restPose(skeleton);
  }
  std::vector<Affine> worlds(const Affine& above = {}) {
    std::vector<Affine> result;
    computeWorlds(skeleton, pose.locals, above, result);
    return result;
  }
  Skeleton skeleton;
  Pose pose;
};

void checkLinear(const Affine& world, const Vec3& x, const Vec3& y, const Vec3& z) {
  CHECK(distance(world.linear[0], x) < 1e-9);
  CHECK(distance(world.linear[1], y) < 1e-9);
  CHECK(distance(world.linear[2], z) < 1e-9);
}

const Vec3 kX(1, 0, 0), kY(0, 1, 0), kZ(0, 0, 1);

}  // namespace

// A rotation by 90 degrees about z takes x to y and y to -x: scales above that act in the parent's
// axes exchange axes.
TEST_CASE("all scales are inherited along the axes of the parent") {
  const auto worlds = Arm(InheritScale::kAll).worlds();
  checkLinear(worlds[1], 3.0 * 7 * kY, -2.0 * 11 * kX, 5.0 * 13 * kZ);
  // x -> 17 y' -> 17 * 11 (-x'') -> -17 * 11 * 2 x
  checkLinear(worlds[2], -2.0 * 11 * 17 * kX, -3.0 * 7 * 19 * kY, 5.0 * 13 * 23 * kZ);
}

TEST_CASE("componentwise scales act along the node's own axes") {
  const auto worlds = Arm(InheritScale::kComponentwise).worlds();
  checkLinear(worlds[1], 2.0 * 7 * kY, -3.0 * 11 * kX, 5.0 * 13 * kZ);
  checkLinear(worlds[2], -2.0 * 7 * 17 * kX, -3.0 * 11 * 19 * kY, 5.0 * 13 * 23 * kZ);
}

TEST_CASE("a parent's own scale can be left out") {
  const auto worlds = Arm(InheritScale::kSkipParent).worlds();
  checkLinear(worlds[1], 7.0 * kY, -11.0 * kX, 13.0 * kZ);
  checkLinear(worlds[2], -17.0 * kX, -19.0 * kY, 23.0 * kZ);
}

TEST_CASE("positions follow the whole map of the parent whatever a node inherits") {
  for (const InheritScale mode :
       {InheritScale::kAll, InheritScale::kComponentwise, InheritScale::kSkipParent}) {
    const auto worlds = Arm(mode).worlds();
    CHECK(distance(worlds[1].translation, Vec3(0, 3, 0)) < 1e-12);
    CHECK(distance(worlds[2].translation, worlds[1].translation + worlds[1].linear[1]) < 1e-12);
  }
}

TEST_CASE("without scales all inheritance modes are the same") {
  std::vector<Affine> worlds[3];
  for (int mode = 0; mode < 3; ++mode) {
    Arm arm(static_cast<InheritScale>(mode));
    for (Transform& local : arm.pose.locals) local.scale = Vec3(1);
    worlds[mode] = arm.worlds();
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (int mode = 1; mode < 3; ++mode) {
      CHECK(distance(worlds[mode][i].translation, worlds[0][i].translation) < 1e-12);
      for (int c = 0; c < 3; ++c) {
        CHECK(distance(worlds[mode][i].linear[c], worlds[0][i].linear[c]) < 1e-12);
      }
    }
  }
}

TEST_CASE("a map above the roots moves all nodes") {
  const Affine above = toAffine({Vec3(1, 2, 3), rotationAbout(kX, 0.5), Vec3(0.01)});
  for (const InheritScale mode :
       {InheritScale::kAll, InheritScale::kComponentwise, InheritScale::kSkipParent}) {
    Arm arm(mode);
    const auto plain = arm.worlds(), carried = arm.worlds(above);
    for (std::size_t i = 0; i < 3; ++i) {
      const Affine expected = above * plain[i];
      CHECK(distance(carried[i].translation, expected.translation) < 1e-12);
      for (int c = 0; c < 3; ++c) {
        CHECK(distance(carried[i].linear[c], expected.linear[c]) < 1e-12);
      }
    }
  }
}
