// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <vector>

#include "anim/clip.h"
#include "anim/skeleton.h"
#include "io/fbx/animation.h"

/// From tracks of local transforms to curves of FBX channels.
namespace clipmill::io::fbx {

/// New keys for one animated number. All keys have one kind of interpolation.
struct NewCurve {
  Interpolation interpolation = Interpolation::kLinear;
  KeyTimes times_s;
  std::vector<double> values;
  std::vector<double> left_slopes, right_slopes;  ///< Per second; only for kCubicSpline.
};

/// New curves for one of Lcl Translation, Lcl Rotation, Lcl Scaling of a node.
struct NewChannels {
  int node = 0;
  ChainProperty property = ChainProperty::kTranslation;
  std::array<NewCurve, 3> axes;
};

/// The channels of `node` for `tracks` (those of this node, at most one of each path), with the
/// other properties of the chain as in `chain`.
///
/// Keys stay keys: linear, step and cubic translation and scale as they are, linear and step
/// rotations as angles, unrolled, cubic ones with Track::angles_deg as these. Linear rotations get
/// keys between their own where the angles, which players mix one by one, are more than 0.001
/// radians off the arc. Where keys are not exact (a cubic rotation of quaternions; a rotation or
/// scale about an offset pivot, which moves the translation too) the motion is sampled at all keys
/// and at the frames of `clip`, and every channel that has an effect is written; paths without a
/// track are sampled from `clip`. With `bake_all` that is done whatever the chain, for all three
/// channels: when curves on pivots or pre-rotations are to be left out.
std::vector<NewChannels> channelsFor(const Skeleton& skeleton, const TransformChain& chain,
                                     int node, std::span<const Track* const> tracks,
                                     const Clip& clip, bool bake_all);

}  // namespace clipmill::io::fbx
