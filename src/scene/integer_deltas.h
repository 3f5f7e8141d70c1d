// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/math.h"
#include "scene/additions.h"

/// Displacements of morphs as normalized 16-bit integers.
namespace clipmill {

/// The largest 16-bit integer, which represents 1.
inline constexpr double kLargestShort = 32767.0;

/// The largest coordinate of any displacement, without its sign.
double longestComponent(std::span<const Vec3> deltas);

/// What the displacements of a morph are divided by to be integers, and its weights multiplied: a
/// power of two; 0 for floats. Normals raise it no higher than 1, and then stay floats, as they do
/// where they would leave the positions too few steps. 1 with AddedMorph::has_unit_scale.
double integerScale(const AddedMorph& morph);

}  // namespace clipmill
