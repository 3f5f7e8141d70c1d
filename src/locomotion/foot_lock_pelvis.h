// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/math.h"

namespace clipmill::locomotion {

/// Drop of a hip after which a leg of reach `reach_m` reaches `target`: 0 where it does already,
/// infinite where no height helps.
double dropToReach(const Vec3& hip, const Vec3& target, double reach_m);

/// A smooth drop that is nowhere below `needed_m` (one value a frame): the largest need within a
/// window of time, averaged over a window of the same width (every value of the average has the
/// need in its window). In the air, where `is_airborne`, it is 0, and rises from there in
/// `settle_s`: a drop of the hips next to the take-off would change the flight. There alone it may
/// be less than needed. In a cycle, whose last frame is its first, the end continues with the
/// start.
std::vector<double> smoothDrop(std::span<const double> needed_m,
                               const std::vector<bool>& is_airborne, double fps, bool is_cycle);

}  // namespace clipmill::locomotion
