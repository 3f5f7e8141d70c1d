// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "humanoid/joint_confidence.h"
#include "retarget/node_match.h"
#include "scene/scene.h"

namespace clipmill::retarget {

/// A joint of a character and the joint of the clip's file that moves it.
struct MappedJoint {
  std::string source, target;  ///< Names of the nodes.
  std::string role;            ///< As in VRM 1.0; empty for joints without one.
  double confidence = 0.0;     ///< 0..1, see describeMatch().

  bool operator==(const MappedJoint&) const = default;
};

/// How a clip's joints were matched with those of a character.
struct JointMapping {
  std::string basis;  ///< "same skeleton", "names", "roles".
  std::vector<MappedJoint> joints;
  std::vector<std::string> roles_without_source;  ///< Roles of the character that nothing moves.

  bool operator==(const JointMapping&) const = default;
};

/// The mapping of a match. The confidence of a joint with a role is the lower one of both
/// characters; that of a finger or another joint is that of the nearest joint above it that has a
/// role. Joints of the same skeleton, and namesakes of characters that are not human, have 1.
JointMapping describeMatch(const Scene& source, const humanoid::JointConfidences& of_source,
                           const Scene& target, const humanoid::JointConfidences& of_target,
                           const NodeMatch& match);

}  // namespace clipmill::retarget
