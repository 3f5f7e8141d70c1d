// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "anim/skeleton.h"
#include "scene/skin_surface.h"

namespace clipmill::measure {

/// Prefixes of the names of joints that the stage tet-bake adds: "<prefix>_<joint>_<number>".
inline constexpr const char* kBakePrefix = "bake";
inline constexpr const char* kTwistPrefix = "twist";

/// Moves the influences of helper joints to their parent joints, so that a baked file is measured
/// with the joints that it had before. A helper joint has a name with one of the prefixes above and
/// no children.
void mergeHelperInfluences(const Skeleton& skeleton, SkinSurface& surface);

}  // namespace clipmill::measure
