// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "locomotion/foot_contacts.h"
#include "locomotion/foot_lock_move.h"
#include "locomotion/foot_lock_plan.h"

namespace clipmill::locomotion {

/// Plans limbs one by one. Where a leg is out of reach even with the largest drop of the hips, its
/// spans lose the frames at their ends in which it is, and the plan is made again.
class LimbPlanner {
 public:
  /// `max_drop` is a share of the length of a leg. `on_spot`: the ground moves under the result as
  /// under the source of `feet`.
  LimbPlanner(const FeetTrace& feet, const PlanSettings& settings, double max_drop, bool on_spot)
      : feet_(feet), settings_(settings), max_drop_(max_drop), on_spot_(on_spot) {}

  /// Sets LimbTask::plan, and of a leg gentler_plan. Returns the time that contacts drop, in
  /// seconds.
  double planEnd(LimbTask& task) const;

  /// Sets LimbTask::knee_plan and knee_share of a leg that kneels.
  void planKnee(LimbTask& task) const;

 private:
  /// The settings for ends in the frame of the ground.
  PlanSettings settingsFor(const EndFrames& ends) const;
  bool isOutOfReach(const LimbTask& task, std::size_t frame) const;
  /// Removes frames at the ends of a span that are out of reach, up to `max_s`; returns their time.
  double shorten(const LimbTask& task, bool at_start, bool at_end, double max_s,
                 PlantedSpan& span) const;

  const FeetTrace& feet_;
  PlanSettings settings_;
  double max_drop_;
  bool on_spot_;
};

}  // namespace clipmill::locomotion
