// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/math.h"
#include "locomotion/foot_contacts.h"

namespace clipmill::locomotion {

/// Length of the leg for which the distances of this header are meant. They grow with the leg.
inline constexpr double kReferenceLeg_m = 0.85;

/// When a point is on the ground, planted or sliding: low, and hardly rising or falling. Less than
/// TimeSpans of findContacts() in height, more in speed: its ends are cut to where the point is not
/// much faster than in the slow quarter of the span, so that putting down and lifting do not count.
std::vector<TimeSpan> findGroundSpans(double start_s, double step_s,
                                      std::span<const Vec3> positions_m, double level_m,
                                      double leg_m = kReferenceLeg_m);

/// Sums for the mean slide of points on the ground.
struct Skate {
  double sum_m = 0.0;   ///< Sum of weight times horizontal distance over the samples.
  double time_s = 0.0;  ///< Over which it was summed.
  void add(const Skate& other);
  /// Centimetres in a thirtieth of a second; no value where nothing was on the ground.
  std::optional<double> cmPerFrame() const;
};

/// How a point slides in `spans`: its horizontal speed times 2 - 2^(h/H), where h is its height
/// above the level and H = 2.5 cm for the reference leg; 0 from H on (Zhang et al., Mode-Adaptive
/// Neural Networks for Quadruped Motion Control, 2018).
Skate skateIn(std::span<const TimeSpan> spans, double start_s, double step_s,
              std::span<const Vec3> positions_m, double level_m, double leg_m = kReferenceLeg_m);

/// Largest horizontal distance of a point from its mean position in one span, in metres.
double driftIn(const TimeSpan& span, double start_s, double step_s,
               std::span<const Vec3> positions_m);

}  // namespace clipmill::locomotion
