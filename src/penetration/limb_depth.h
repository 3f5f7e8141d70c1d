// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "mesh/point_tree.h"
#include "penetration/part_surface.h"
#include "penetration/self_penetration.h"

namespace clipmill::penetration {

/// Penetration of the points of a limb into a surface; the same result as a test of every point.
PairDepth depthOf(const PointTree& limb, PartSurface::Posed& surface);

/// All points of a limb that penetrate a surface, with the nearest points of the surface.
std::vector<PenetratingPoint> penetratingPoints(const PointTree& limb, PartSurface::Posed& surface);

/// The point of the limb that is nearest to the surface from outside, nearer than `reach_m`. Only
/// for limbs that are nowhere inside.
PairClearance clearanceOf(const PointTree& limb, PartSurface::Posed& surface, double reach_m);

}  // namespace clipmill::penetration
