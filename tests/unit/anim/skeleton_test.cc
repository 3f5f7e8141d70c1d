// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/skeleton.h"

#include "anim/make_motion.h"
#include "anim/pose.h"
#include "checks.h"

TEST_SUITE_BEGIN("anim.skeleton");

using namespace clipmill;
using test::distance;

namespace {

// root { arm_L { hand } arm_R { hand } }
Skeleton makeBody() {
  Skeleton skeleton;
  const std::pair<const char*, int> nodes[] = {
      {"root", -1}, {"arm_L", 0}, {"arm_R", 0}, {"hand", 1}, {"hand", 2}};
  for (const auto& [name, parent] : nodes) {
    Node node;
    node.name = name;
    node.parent = parent;
    node.source_id = 10 - static_cast<int>(skeleton.size());
    node.rest.translation = Vec3(1, 0, 0);
    skeleton.nodes.push_back(node);
  }
  return skeleton;
}

}  // namespace

TEST_CASE("nodes are found by the id of their document") {
  CHECK(findSource(makeBody(), 8) == 2);
  CHECK(findSource(makeBody(), 0) == -1);
}

TEST_CASE("a path leads from the root to the node") {
  CHECK(pathOf(makeBody(), 0) == "root");
  CHECK(pathOf(makeBody(), 4) == "root/arm_R/hand");
}

TEST_CASE("patterns match names, or paths if they contain a slash") {
  const Skeleton body = makeBody();
  CHECK(findNodes(body, "hand") == std::vector<int>{3, 4});
  CHECK(findNodes(body, "arm_?") == std::vector<int>{1, 2});
  CHECK(findNodes(body, "root/arm_R/*") == std::vector<int>{4});
  CHECK(findNodes(body, "*/hand") == std::vector<int>{3, 4});
  CHECK(findNodes(body, "foot").empty());
}

TEST_CASE("children are listed under their parent") {
  CHECK(childrenOf(makeBody()) == std::vector<std::vector<int>>{{1, 2}, {3}, {4}, {}, {}});
}

TEST_CASE("forward kinematics multiplies the chain from the root down") {
  const Skeleton chain = test::makeChain(3);
  Pose pose = restPose(chain);
  pose.locals[0].rotation = rotationAbout(Vec3(0, 0, 1), 0.5 * kPi);
  pose.locals[1].scale = Vec3(1, 2, 1);
  std::vector<Affine> worlds;
  computeWorlds(chain, pose.locals, {}, worlds);
  CHECK(distance(worlds[1].translation, Vec3(-1, 0, 0)) < 1e-15);
  CHECK(distance(worlds[2].translation, Vec3(-3, 0, 0)) < 1e-15);

  Affine centimetres;
  centimetres.linear = Mat3(0.01);
  computeWorlds(chain, pose.locals, centimetres, worlds);
  CHECK(distance(worlds[2].translation, Vec3(-0.03, 0, 0)) < 1e-15);
}

TEST_SUITE_END();
