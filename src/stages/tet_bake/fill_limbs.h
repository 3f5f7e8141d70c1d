// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/clip_baker.h"
#include "stages/tet_bake/limb_state.h"

/// The rest of the volume that a solve leaves out.
namespace clipmill::stages::tet_bake {

/// The share of their volume at rest that fillLimbs() wants of limbs first.
double wantedVolume(const LimbGoal& goal);

/// Widens limbs in the frames of a clip in which they have less than the volume of
/// Baked::limb_goals, or less than 90 %: each point about the joint moves along the surface's
/// normal, less with distance from the joint, all by one factor per frame, at most 10 % of the
/// limb's radius. (A constraint of volume, projected along its gradient; M. Mueller et al.,
/// Position based dynamics, 2007, section 4.4.) Where more frames of regions would be worse than
/// plain skinning with 90 %, that goal is left out; where they still are, the clip keeps what it
/// had.
void fillLimbs(const Scene& scene, const BakeRig& rig, const Motion& motion, std::size_t index,
               int threads, ClipBaker& baker, Baked& baked);

}  // namespace clipmill::stages::tet_bake
