// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "retarget/contact_goals.h"
#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/correction_layers.h"
#include "stages/self_collision/exact/goal_pose.h"
#include "stages/self_collision/exact/limb_groups.h"

namespace clipmill::stages::self_collision {

/// Sets of layers that move the arms so that corresponding points are in contact: rotations of
/// shoulders, flexions of elbows and rotations of hands, or one motion of both hands where they
/// hold one thing, that follow cubic B-splines over the contacts and ease before and after them.
/// The splines follow the goals as closely as the jerk limit allows and leave some of it to other
/// corrections; the limits of the pose hold at every contact. The sets differ in the depth to which
/// they resolve penetration, and in whether hands rotate. Their envelopes are computed. None where
/// no goal can be followed so.
std::vector<std::vector<CorrectionLayer>> goalCandidates(ClipContext& clip,
                                                         const retarget::ClipContacts& contacts,
                                                         std::span<const PairGroup> groups);

}  // namespace clipmill::stages::self_collision
