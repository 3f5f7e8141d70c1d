// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "mesh/point_tree.h"
#include "scene/part_surface.h"
#include "scene/self_penetration.h"

namespace clipmill {

/// How deep the points of a limb are in a surface; the answer is that of asking every point.
PairDepth depthOf(const PointTree& limb, PartSurface::Posed& surface);

/// The point of the limb that is nearest to the surface from outside, nearer than `reach_m`. Only
/// for limbs that are nowhere inside.
PairClearance clearanceOf(const PointTree& limb, PartSurface::Posed& surface, double reach_m);

}  // namespace clipmill
