// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/motion.h"
#include "retarget/sole_height.h"
#include "retarget/support_heights.h"

namespace clipmill::retarget {

/// The share of its tilt that a foot of `target` has where one of `source` rolls on the ground, in
/// (0, 1]: the height of the ankle over the sole at bind in lengths of a leg, of the source by that
/// of the target. A foot that rolls about its ball by an angle moves its ankle along the ground by
/// the height of that times the angle, so that a high ankle then moves no farther than that of the
/// source. 1 where the ankle of the target is the lower one, or one of both has no feet.
double footRollShare(const ClipOnCharacter& clip);

/// Rotates feet of `result`, the copy of `clip`, about horizontal axes back towards how they are on
/// level ground, to footRollShare() of their tilt. In full for a foot that is tilted by up to 30
/// degrees while that of the clip is near its ground and the hips are high; not at all from 90
/// degrees on, where the sole is above 20 % of a leg, where the hips are below half of their height
/// at bind, and on ground that slopes. `heights` are those of the clip on its own character, over
/// `ground_m`. Legs stay as they are: see matchSoleHeights().
void limitFootRoll(const ClipOnCharacter& clip, const SupportHeights& heights, double ground_m,
                   Motion& result);

}  // namespace clipmill::retarget
