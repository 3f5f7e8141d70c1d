// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "anim/skeleton.h"
#include "core/math.h"
#include "stages/dynamic_bones/rig/rig.h"

namespace clipmill::stages::dynamic_bones {

/// Poses from the rest pose to another one. At rest the skin that chains move is outside of the
/// body; in the first pose of a clip a leg may be through a skirt. What all chains hang on stays
/// where the other pose has it, so that the body moves below the chains.
class RestApproach {
 public:
  /// `target`: local transforms, one a node.
  RestApproach(const Skeleton& skeleton, const Rig& rig, std::span<const Transform> target);

  /// `share`: 0 at the rest pose, 1 at the target; it starts and ends without speed.
  std::span<const Transform> at(double share);

 private:
  std::vector<Transform> rest_, target_, mixed_;
};

}  // namespace clipmill::stages::dynamic_bones
