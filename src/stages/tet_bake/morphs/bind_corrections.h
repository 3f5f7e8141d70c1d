// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/math.h"
#include "stages/tet_bake/surface/bake_surface.h"

namespace clipmill::tet_bake {

/// The linear part of the blend that carries a point (SOURCES S3): what morph targets, which are
/// added before skinning, are seen through.
Mat3 blendedLinear(const BakeSurface& surface, std::span<const Affine> world_from_bind,
                   std::size_t point);

/// The displacement before skinning that `blend` makes `world` of: its inverse, or where it is
/// near to flat (bones that turn against each other by about half a turn) the damped one
/// (M'M + e I)^-1 M', e growing as the blend gets flatter, which leaves part of `world` out. No
/// longer than `longest`; `was_cut` (if given) tells whether it would have been.
Vec3 beforeSkinning(const Mat3& blend, const Vec3& world, double longest, bool* was_cut = nullptr);

}  // namespace clipmill::tet_bake
