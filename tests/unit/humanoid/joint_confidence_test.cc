// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/joint_confidence.h"

#include "checks.h"
#include "human_scene.h"

TEST_SUITE_BEGIN("humanoid.joint_confidence");

namespace {

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::test;
using enum HumanoidRole;

JointConfidences confidencesOf(const Scene& scene) {
  return jointConfidences(scene, findHumanoid(scene));
}

}  // namespace

TEST_CASE("Names and shape that agree give every joint full confidence") {
  const HumanScene human = humanScene(plainNames());
  const JointConfidences confidences = confidencesOf(human.scene);
  for (std::size_t r = 0; r < kHumanoidRoleCount; ++r) {
    CAPTURE(humanoidRoleName(static_cast<HumanoidRole>(r)));
    CHECK(confidences[r] == 1.0);
  }
}

TEST_CASE("Joints that no name identifies are less sure than those of names") {
  HumanScene human = humanScene(plainNames());
  numberNodes(human.scene);
  const JointConfidences confidences = confidencesOf(human.scene);
  // The name is the check that fails; the shape, the order and the other side remain.
  CHECK(confidences[toSize(kLeftLowerArm)] == doctest::Approx(0.75));
  CHECK(confidences[toSize(kHips)] == doctest::Approx(0.5));
}

TEST_CASE("A limb that is longer than that of the other side is less sure, alone") {
  HumanScene human = humanScene(plainNames());
  human.scene.skeleton.nodes[toSize(human.at(kLeftHand))].rest.translation *= 1.5;
  const JointConfidences confidences = confidencesOf(human.scene);
  CHECK(confidences[toSize(kLeftHand)] < 1.0);
  CHECK(confidences[toSize(kRightHand)] < 1.0);
  CHECK(confidences[toSize(kLeftFoot)] == 1.0);
  CHECK(confidences[toSize(kHead)] == 1.0);
}

TEST_CASE("Roles without a node, and scenes without a human character, have none") {
  RoleNames names = plainNames();
  names[toSize(kLeftToes)] = "";
  CHECK(confidencesOf(humanScene(names).scene)[toSize(kLeftToes)] == 0.0);
  Scene box;
  addAt(box, "Box", -1, Vec3(0.0));
  for (const double confidence : confidencesOf(box)) CHECK(confidence == 0.0);
}
