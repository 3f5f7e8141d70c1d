// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/joint_mapping.h"

#include <algorithm>

#include "core/to_size.h"

namespace clipmill::retarget {
namespace {

// The role of each node; -1 for none.
std::vector<int> rolesOfNodes(const Scene& scene, const humanoid::HumanoidMap& map) {
  std::vector<int> roles(scene.skeleton.size(), -1);
  for (std::size_t r = 0; r < humanoid::kHumanoidRoleCount; ++r) {
    if (map.nodes[r] >= 0) roles[toSize(map.nodes[r])] = static_cast<int>(r);
  }
  return roles;
}

const char* basisOf(NodeMatch::Origin origin) {
  switch (origin) {
    case NodeMatch::Origin::kSameRig:
    case NodeMatch::Origin::kSameSkeleton:
      return "same skeleton";
    case NodeMatch::Origin::kNames:
      return "names";
    case NodeMatch::Origin::kRoles:
      break;
  }
  return "roles";
}

// That of the node, or of the nearest one above it that has a role; 1 where there is none.
double confidenceAt(const Scene& scene, const std::vector<int>& roles,
                    const humanoid::JointConfidences& confidences, int node) {
  for (; node >= 0; node = scene.skeleton.nodes[toSize(node)].parent) {
    const int role = roles[toSize(node)];
    if (role >= 0) return confidences[toSize(role)];
  }
  return 1.0;
}

}  // namespace

JointMapping describeMatch(const Scene& source, const humanoid::JointConfidences& of_source,
                           const Scene& target, const humanoid::JointConfidences& of_target,
                           const NodeMatch& match) {
  JointMapping mapping;
  mapping.basis = basisOf(match.origin);
  const std::vector<int> source_roles = rolesOfNodes(source, match.source_map);
  const std::vector<int> target_roles = rolesOfNodes(target, match.target_map);
  const bool is_by_roles = match.origin == NodeMatch::Origin::kRoles;
  std::vector<bool> has_source(humanoid::kHumanoidRoleCount, false);
  for (const NodePair& pair : match.pairs) {
    MappedJoint joint;
    joint.source = source.skeleton.nodes[toSize(pair.source)].name;
    joint.target = target.skeleton.nodes[toSize(pair.target)].name;
    joint.confidence = 1.0;
    const int role = target_roles[toSize(pair.target)];
    if (role >= 0) {
      joint.role = humanoid::humanoidRoleName(static_cast<humanoid::HumanoidRole>(role));
      has_source[toSize(role)] = true;
    }
    if (is_by_roles) {
      joint.confidence = std::min(confidenceAt(source, source_roles, of_source, pair.source),
                                  confidenceAt(target, target_roles, of_target, pair.target));
    }
    mapping.joints.push_back(std::move(joint));
  }
  for (std::size_t r = 0; r < humanoid::kHumanoidRoleCount; ++r) {
    if (match.target_map.nodes[r] < 0 || has_source[r]) continue;
    mapping.roles_without_source.emplace_back(
        humanoid::humanoidRoleName(static_cast<humanoid::HumanoidRole>(r)));
  }
  return mapping;
}

}  // namespace clipmill::retarget
