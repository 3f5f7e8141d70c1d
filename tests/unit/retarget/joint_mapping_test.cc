// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/joint_mapping.h"

#include <algorithm>

#include "checks.h"
#include "human_scene.h"

TEST_SUITE_BEGIN("retarget.joint_mapping");

namespace {

using namespace clipmill;
using namespace clipmill::retarget;
using namespace clipmill::test;
using enum humanoid::HumanoidRole;

JointMapping mappingOf(const Scene& source, const Scene& target) {
  TrackMask all(source.skeleton.size());
  for (std::size_t n = 0; n < source.skeleton.size(); ++n) {
    all.set(static_cast<int>(n), TrackPath::kRotation);
  }
  const auto match = matchNodes(source, all, target);
  CHECK_OK(match);
  return describeMatch(source, humanoid::jointConfidences(source, match->source_map), target,
                       humanoid::jointConfidences(target, match->target_map), *match);
}

const MappedJoint* jointOf(const JointMapping& mapping, const std::string& role) {
  const auto found = std::find_if(mapping.joints.begin(), mapping.joints.end(),
                                  [&](const MappedJoint& joint) { return joint.role == role; });
  return found == mapping.joints.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("A mapping by roles names both joints, the role and the lower confidence") {
  HumanScene source = humanScene(plainNames());
  numberNodes(source.scene);
  RoleNames names = plainNames();
  names[toSize(kLeftShoulder)] = names[toSize(kRightShoulder)] = "";
  const HumanScene target = humanScene(names);
  const JointMapping mapping = mappingOf(source.scene, target.scene);
  CHECK(mapping.basis == "roles");
  const MappedJoint* elbow = jointOf(mapping, "leftLowerArm");
  REQUIRE(elbow != nullptr);
  CHECK(elbow->source == source.scene.skeleton.nodes[toSize(source.at(kLeftLowerArm))].name);
  CHECK(elbow->target == "leftLowerArm");
  CHECK(elbow->confidence == doctest::Approx(0.75));
  CHECK(jointOf(mapping, "leftShoulder") == nullptr);
  CHECK(mapping.roles_without_source.empty());
}

TEST_CASE("Roles that nothing moves are listed") {
  RoleNames names = plainNames();
  names[toSize(kLeftToes)] = names[toSize(kRightToes)] = "";
  HumanScene source = humanScene(names);
  for (Node& node : source.scene.skeleton.nodes) node.rest.translation *= 1.1;
  const HumanScene target = humanScene(plainNames());
  const JointMapping mapping = mappingOf(source.scene, target.scene);
  CHECK(mapping.roles_without_source == std::vector<std::string>{"leftToes", "rightToes"});
}

TEST_CASE("The same skeleton is mapped joint by joint with full confidence") {
  HumanScene human = humanScene(plainNames());
  numberNodes(human.scene);
  const JointMapping mapping = mappingOf(human.scene, human.scene);
  CHECK(mapping.basis == "same skeleton");
  CHECK(mapping.joints.size() == human.scene.skeleton.size());
  for (const MappedJoint& joint : mapping.joints) {
    CHECK(joint.confidence == 1.0);
    CHECK(joint.source == joint.target);
  }
}
