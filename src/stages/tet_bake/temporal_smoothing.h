// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/tet_bake/bake.h"

/// Frames are solved independently, and folded tissue has several equilibria. Temporal smoothing
/// removes jumps between two of them, and keeps motion.
namespace clipmill::stages::tet_bake {

/// The weights of a Gaussian from its center outwards, to three sigmas; counted on both sides they
/// sum to 1. {1} for a sigma of 0.
std::vector<double> gaussianWeights(double sigma_frames);

/// Averages numbers at equal time steps with a kernel of gaussianWeights(). Beyond the ends they
/// are extended by point reflection: both end numbers are kept, and so are linear functions of
/// time. `nearness` (if any) holds additional weights of the numbers k before and after number f,
/// at [f * (kernel.size() - 1) + k - 1].
void gaussianAverage(std::span<const double> kernel, std::span<double> numbers,
                     std::span<const double> nearness = {});

/// Averages without flattening peaks: the residual of one average is averaged too and added back
/// (twicing, Tukey 1977). Keeps what gaussianAverage() keeps, and parabolas except near the ends.
void gaussianSmooth(std::span<const double> kernel, std::span<double> numbers,
                    std::span<const double> nearness = {});

/// Makes numbers between multiples of `step`, and the last one, linear functions of time.
void interpolateBetween(std::size_t step, std::span<double> numbers);

/// Averages the displacements before skinning of one clip, from column `start` on, and moves the
/// solved surface by what that changes. `sigma_s` is that of the Gaussian; 0 changes nothing.
/// Frames are weighted by the similarity of their poses (PoseNearness): where bones move fast the
/// tissue follows them, and an average would reduce the depth of a fold. With a `base`
/// (PointDisplacements::frames() of the displacements before skinning) only what differs from it is
/// averaged, of which frames between multiples of `step` are interpolated first
/// (interpolateBetween()).
void smoothClip(const Scene& scene, const BakeRig& rig, const Motion& motion, double sigma_s,
                std::size_t start, int threads, Baked& baked, std::span<const float> base = {},
                std::size_t step = 1);

}  // namespace clipmill::stages::tet_bake
