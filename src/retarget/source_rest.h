// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "core/warnings.h"
#include "humanoid/humanoid.h"
#include "retarget/rest_alignment.h"
#include "scene/scene.h"

namespace clipmill::retarget {

/// What the user gives in place of what is found in the file of a clip.
struct RestChoice {
  std::vector<Transform> locals;  ///< The rest pose; empty: found by sourceRestOf().
  bool is_frame = false;          ///< It is a frame of a clip, which may be anywhere.
  /// The direction in which the character faces at rest: see alignRests().
  std::optional<double> facing_rad;
};

/// The rest pose of the file of a clip: that of `choice`, if it has one; the pose in which its skin
/// was bound; without a skin, the pose that the file stores, if it is a plausible rest pose. Else
/// the file stores a frame of motion, and the most plausible frame of the clip is taken, rotated to
/// the nearest of the four directions along x and z, above the origin, with its feet on the floor;
/// the warning rest_pose_estimated names it. A pose that is a frame of a clip is moved likewise.
RestPose sourceRestOf(const Scene& source, const Motion& motion, const humanoid::HumanoidMap& map,
                      const RestChoice& choice, Warnings& warnings);

}  // namespace clipmill::retarget
