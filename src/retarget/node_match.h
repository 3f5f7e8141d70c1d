// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "humanoid/humanoid.h"

namespace clipmill::retarget {

/// A node of one file that moves as a node of another does.
struct NodePair {
  int source = 0;  ///< Index in the source's Skeleton::nodes.
  int target = 0;  ///< Index in the target's.
};

/// Which nodes of a character take over the motion of which nodes of another file.
struct NodeMatch {
  enum class Origin {
    kSameRig,       ///< Namesakes of which local transforms mean the same.
    kSameSkeleton,  ///< The same by isSameSkeleton(), where the source has no bind pose.
    kNames,
    kRoles,
  };
  Origin origin = Origin::kNames;
  std::vector<NodePair> pairs;       ///< Ascending in `target`; no node is in two of them.
  humanoid::HumanoidMap source_map;  ///< Empty (kNone) where the file has no human character.
  humanoid::HumanoidMap target_map;
};

/// Matches the nodes that move by `animated` (of the source). Where more than half of them have
/// exactly one namesake (of names that repeat on both sides: one with the same path) and all these
/// have the same path and local transforms at rest, the two are the same rig; where the source has
/// no skin, a skeleton of the same joints and lengths is the same too. Else the roles of two
/// human characters count: all that both have (fingers too, see findFingers()), trunks
/// joint by joint from the hips to the joint that carries the shoulders (of two VRM files: role by
/// role), and namesakes of other nodes where more than half are such. Else the namesakes, if they
/// are more than half. Files of expressions without joints match with no pairs. Error:
/// kUnsupported, with what was found on either side.
Result<NodeMatch> matchNodes(const Scene& source, const TrackMask& animated, const Scene& target);

/// The same for maps that are known already. Pairs of `given`, if there are any, precede all
/// that are found, and are enough where nothing is found.
Result<NodeMatch> matchNodes(const Scene& source, const TrackMask& animated,
                             const humanoid::HumanoidMap& source_map, const Scene& target,
                             const humanoid::HumanoidMap& target_map,
                             std::span<const NodePair> given = {});

/// Pairs by "source=target": names, globs or paths that one node of either file has. Errors:
/// kRecipe for a text without '=', or a node of the target in two pairs; those of findOneNode().
Result<std::vector<NodePair>> parsePairs(const Scene& source, const Scene& target,
                                         std::span<const std::string> texts);

}  // namespace clipmill::retarget
