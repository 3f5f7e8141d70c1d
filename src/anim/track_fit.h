// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "anim/clip.h"

namespace clipmill {

/// Tolerances of the fitted tracks of one node.
struct FitTolerances {
  double translation = 0.0;  ///< Length of the difference, in the units of the node's parent.
  double angle_rad = 0.0;    ///< Angle between the two rotations.
  double scale = 0.0;        ///< Length of the difference.
};

struct TrackFitSettings {
  std::span<const FitTolerances> nodes;  ///< One a node.
  std::span<const double> weights;       ///< One a morph weight, in the order of Pose::weights.
  double fps = 0.0;                      ///< Keys are on frames of this rate; 0: those of the clip.
};

/// Keyframes that give the values of `clip`, at any time between its start and its end: one track
/// for every value in `mask`, with as few keys as a walk from left to right finds when every key
/// reaches as far as it can. Times count from the start of the clip; times and values are rounded
/// to float before they are measured, so that writing them to a file adds nothing.
///
/// A track is linear where that needs at most half as many keys again as cubic (Hermite, tangents
/// a second; quaternions component by component, then normalised), else cubic; kStep where the
/// value only jumps. Around a jump there are two adjacent keys, and the new value holds
/// where the clip has it on the nearest frame. Where a value moves too fast for its frames, keys
/// are put between them, at most 128 a frame: faster changes are not captured.
///
/// Measured at 16 times a frame (fewer above 120 frames a second), closer where keys are dense.
/// Linear rotations also keep to the tolerance, at frames, for players that mix the components of
/// two keys (see RotationMix), and keys are less than 150 degrees apart. Tolerances below what
/// floats can express count as that.
std::vector<Track> fitTracks(const Skeleton& skeleton, const Clip& clip, const TrackMask& mask,
                             const TrackFitSettings& settings);

/// Bytes that fitTracks() needs for samples at the least, as a double because hostile clips may ask
/// for more than any integer holds. It takes up to 256 MB where that saves time.
double fitBytes(const Skeleton& skeleton, const Clip& clip, const TrackMask& mask, double fps);

}  // namespace clipmill
