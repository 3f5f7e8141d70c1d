// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/math.h"
#include "scene/skin_surface.h"

namespace clipmill::stages::tet_bake {

/// The linear part of the blend that carries a point (docs/methods.md, skeletal animation): the map
/// of morph targets, which are added before skinning.
Mat3 blendedLinear(const SkinSurface& surface, std::span<const Affine> world_from_bind,
                   std::size_t point);

/// The displacement before skinning that `blend` maps to `world`: by its inverse, or where it is
/// near to flat (bones with a relative rotation of about 180 degrees) the damped one
/// (M'M + e I)^-1 M', e growing as the blend gets flatter, which leaves part of `world` out. No
/// longer than `longest`; `was_clamped` (if given) receives whether it would have been.
Vec3 beforeSkinning(const Mat3& blend, const Vec3& world, double longest,
                    bool* was_clamped = nullptr);

}  // namespace clipmill::stages::tet_bake
