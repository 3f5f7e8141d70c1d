// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/math.h"

namespace clipmill::locomotion {

/// A stretch of time, both ends included.
struct TimeSpan {
  double start_s = 0.0;
  double end_s = 0.0;

  bool holds(double time_s) const { return time_s >= start_s && time_s <= end_s; }
  double length() const { return end_s - start_s; }
};

/// When a point counts as planted. A contact ends where height or speed exceed
/// these, and starts where both are below two thirds of them.
struct ContactSettings {
  double height_m = 0.05;   ///< Above the level of the point.
  double speed_mps = 0.3;   ///< Of the point relative to the ground.
  double shortest_s = 0.1;  ///< Shorter contacts do not count, unless an end of the clip cuts
                            ///< them to no less than half of it; nor do gaps of half of it.
  /// Velocity of the ground in the frame of the character, for clips on the spot whose feet do not
  /// keep to it: a low point that moves with it, at up to 3.5 times its speed, is planted too.
  Vec3 ground_mps{0.0};
};

/// When a point on the path `positions_m` is planted at height `level_m`; see ContactSettings.
/// Speed is that of contactVelocity(), which ends a contact up to 1/48 s too early: samples in that
/// time belong to it while the point stays where it was. A position that is not finite is never
/// planted.
std::vector<TimeSpan> findContacts(double start_s, double step_s, std::span<const Vec3> positions_m,
                                   double level_m, const ContactSettings& settings);

/// Contacts of a point whose motion is a cycle: those that the end of the clip cuts continue at its
/// start. The path is that of one period, its first position included.
std::vector<TimeSpan> findCycleContacts(double start_s, double step_s,
                                        const std::vector<Vec3>& positions_m, double level_m,
                                        const ContactSettings& settings);

/// The height that `positions_m` stays below for a twentieth of the time; 0 without a finite one.
double levelOf(std::span<const Vec3> positions_m);

/// The spans of both lists, those that meet or overlap joined; gaps up to `gap_s` are closed.
std::vector<TimeSpan> unionOf(std::vector<TimeSpan> a, std::span<const TimeSpan> b, double gap_s);

/// The parts of `spans` outside of `others`. Both ascend without overlap.
std::vector<TimeSpan> outsideOf(std::span<const TimeSpan> spans, std::span<const TimeSpan> others);

}  // namespace clipmill::locomotion
