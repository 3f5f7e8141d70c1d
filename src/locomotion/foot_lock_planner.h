// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "locomotion/foot_contacts.h"
#include "locomotion/foot_lock_move.h"
#include "locomotion/foot_lock_plan.h"

namespace clipmill::locomotion {

struct ContactFrames;

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
  /// How much farther than its leg reaches a foot is from the hip; below 0 where it is in reach.
  double beyondReach_m(const LimbTask& task, std::size_t frame) const;
  /// Whether the leg is too short even with the largest drop of the hips.
  bool isOutOfReach(const LimbTask& task, std::size_t frame) const;
  /// Adds what is left of a contact to `kept` when frames at its ends that are out of reach are
  /// removed, the farthest first, up to a share of it; returns their time.
  double shorten(const LimbTask& task, const ContactFrames& contact,
                 std::vector<PlantedSpan>& kept) const;

  const FeetTrace& feet_;
  PlanSettings settings_;
  double max_drop_;
  bool on_spot_;
};

}  // namespace clipmill::locomotion
