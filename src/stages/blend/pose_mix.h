// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/math.h"

/// Poses mixed bone by bone. Weights are 0 or more and sum to one, one a value.
namespace clipmill::stages::blend {

/// The weighted mean of unit rotations: the one about which the weighted mean of their logarithms
/// is 0. Of two that is slerp(), docs/methods.md, skeletal animation. Their order and their signs
/// as quaternions do not matter. Where they lie so far apart that several would do (beyond 90
/// degrees from each other), the one nearest to the mean of their axes as 4 x 4 products is found.
Quat meanRotation(std::span<const Quat> rotations, std::span<const double> weights);

/// Weighted sums of translations and scales, meanRotation() of rotations. A value with all the
/// weight is returned bit for bit.
Transform meanTransform(std::span<const Transform> locals, std::span<const double> weights);

/// What leads from `reference` to `local`: the step of the translation, the rotation about the
/// bone's own axes, the ratio of the scales (1 where the reference has none).
Transform differenceFrom(const Transform& reference, const Transform& local);

/// `base` with a part of a difference on top: withDifference(r, differenceFrom(r, x), 1) is x.
Transform withDifference(const Transform& base, const Transform& difference, double weight);

}  // namespace clipmill::stages::blend
