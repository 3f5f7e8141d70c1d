// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/tet_bake/bake.h"

/// Frames are solved one by one, and where flesh is folded it has several shapes of rest: what is
/// told apart here is a jump between two of them from a motion.
namespace clipmill::tet_bake {

/// The weights of a Gauss bell from its middle outwards, to three deviations; counted on both
/// sides they sum to 1. {1} for a deviation of 0.
std::vector<double> bellWeights(double deviation_frames);

/// Averages numbers at equal steps of time by a bell. Beyond the ends they go on as they came,
/// turned about the end: both end numbers stay, and so does all that is linear in time. `nearness`
/// (if any) is what the numbers k before and behind number f are counted by, besides the bell, at
/// [f * (bell.size() - 1) + k - 1].
void averageByBell(std::span<const double> bell, std::span<double> numbers,
                   std::span<const double> nearness = {});

/// Averages by a bell without cutting what rises and falls: what one average takes away is averaged
/// in its turn and given back (twicing, Tukey 1977). Keeps what averageByBell() keeps, and of what
/// bends like a parabola it takes no more than the ends of the clip do.
void steadyByBell(std::span<const double> bell, std::span<double> numbers,
                  std::span<const double> nearness = {});

/// Averages the displacements before skinning of one clip, from column `begin` on, and moves the
/// solved surface by what that changes. `deviation_s` is that of the bell; 0 changes nothing.
/// Frames count by how like their poses are (PoseNearness): where bones move fast the flesh follows
/// them, and an average would cut the depth of a fold.
void steadyClip(const Scene& scene, const BakeRig& rig, const Motion& motion, double deviation_s,
                std::size_t begin, int threads, Baked& baked);

}  // namespace clipmill::tet_bake
