// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/math.h"
#include "scene/foot_contacts.h"

namespace clipmill {

/// When a point is on the ground, whether it stands or slides there: low, and hardly rising or
/// falling. Less than TimeSpans of findContacts() in height, more in speed: its ends are cut to
/// where the point is not much faster than in the middle of the span, so that putting down and
/// lifting do not count.
std::vector<TimeSpan> findGroundSpans(double begin_s, double step_s, std::span<const Vec3> places_m,
                                      double level_m);

/// Sums for the mean slide of points on the ground.
struct Skate {
  double sum_m = 0.0;   ///< Of weight times horizontal way in the samples.
  double time_s = 0.0;  ///< Over which it was summed.
  void add(const Skate& other);
  /// Centimetres in a thirtieth of a second; 0 where nothing was on the ground.
  double cmPerFrame() const;
};

/// How a point slides in `spans`: its horizontal speed times 2 - 2^(h/H), where h is its height
/// above the level and H = 2.5 cm; 0 from H on (Zhang et al., Mode-Adaptive Neural Networks for
/// Quadruped Motion Control, 2018).
Skate skateIn(std::span<const TimeSpan> spans, double begin_s, double step_s,
              std::span<const Vec3> places_m, double level_m);

/// How far a point strays in one span from its mean place there, in metres and horizontally.
double driftIn(const TimeSpan& span, double begin_s, double step_s, std::span<const Vec3> places_m);

}  // namespace clipmill
