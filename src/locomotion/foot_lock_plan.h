// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/math.h"
#include "humanoid/humanoid.h"
#include "locomotion/foot_contacts.h"
#include "locomotion/foot_lock.h"

namespace clipmill::locomotion {

/// A leg or an arm; nodes are indices in Skeleton::nodes.
struct Limb {
  std::string name;  ///< Of its end: "left foot".
  int upper = -1;
  int lower = -1;
  int end = -1;
  bool is_leg = true;
  BodySide side = BodySide::kLeft;
  /// The end hangs elsewhere, as the feet of control rigs hang on the root: what moves the limb
  /// sets its position too.
  bool is_end_apart = false;
};

/// The legs of the map that are complete, and its arms where `hands` asks for them. Their ends may
/// hang elsewhere, but not above the limb.
std::vector<Limb> limbsOf(const Skeleton& skeleton, const humanoid::HumanoidMap& map, bool hands);

/// A contact point along the source clip, and when it is planted.
struct Pivot {
  std::vector<Vec3> positions_m;  ///< One a sample of Support.
  std::vector<TimeSpan> spans;
};

/// The contact points of the end of a limb in the source.
struct Support {
  double start_s = 0.0, step_s = 0.0;  ///< Of the samples.
  std::vector<Pivot> pivots;           ///< Heel, ball, ankle of a foot; a hand has one.
  std::vector<TimeSpan> spans;         ///< When any of them is planted.
  std::vector<TimeSpan> narrow_spans;  ///< `spans` before widenedToFrames().

  bool isInNarrowSpan(double time_s) const;
};

/// How far a limb reaches at one frame.
struct LimbReach {
  Vec3 hip_m{0.0};
  double reach_m = 0.0;     ///< From there to the end.
  double max_drop_m = 0.0;  ///< By which the hips may drop for it.
};

/// The ends of one limb at the frames of the stretched motion, in metric world.
struct EndFrames {
  std::vector<double> times_s;         ///< Of the stretched motion, ascending.
  std::vector<double> source_times_s;  ///< In the source.
  std::vector<Affine> source;          ///< The end as the source shows it.
  std::vector<Affine> carried;         ///< The end as the stretched motion has it.
  /// How far the foot of the clip has moved up to each frame, scaled to the size of the stretched
  /// character: releases keep its pace. Empty: they take their time.
  std::vector<double> moved_m = {};
  std::vector<double> along_m = {};  ///< The same along the ground; as many as `moved_m`.
  /// How near the foot of the clip is to its ground at each frame, 1 on it to 0: releases wait
  /// until it leaves that. As many as `moved_m`.
  std::vector<double> low = {};
  /// Where the end would be along the ground if its sole moved as that of the foot of the clip, up
  /// to a constant; and how much that counts for the step into each frame, 0 to 1. As many as
  /// `moved_m`, or empty: see followPace().
  std::vector<Vec3> pace_m = {};
  std::vector<double> pace_weights = {};
  /// Of a leg: spans are shifted into reach where there is a `moved_m` too. Empty: they are not.
  std::vector<LimbReach> reach = {};
};

/// Frames in which an end is planted, both included.
struct PlantedSpan {
  std::size_t first = 0, last = 0;
};

/// Target of the end of a limb: its carried position plus an offset, rotated by a yaw about y.
struct LimbPlan {
  std::vector<Vec3> offset_m;
  std::vector<double> yaw_rad;
  std::vector<PlantedSpan> planted_spans;

  bool isPlantedAt(std::size_t frame) const;
  bool movesAt(std::size_t frame) const {
    return offset_m[frame] != Vec3(0.0) || yaw_rad[frame] != 0.0;
  }
};

struct PlanSettings {
  double release_s = 0.15;
  /// The acceleration that a release may add to an end; a longer release takes more time.
  double release_mps2 = 25.0;
  /// How far the speed that an end has at the edge of a span may carry it on. A release takes less
  /// time where it would go farther, but no less than its offset alone needs.
  double max_overshoot_m = 0.17;
  /// A release that keeps the pace of a foot stops where that rests; it runs at its full rate where
  /// the foot is as fast as this, metres a second.
  double full_pace_mps = 1.0;
  bool is_cycle = false;
  std::optional<CycleStep> step = std::nullopt;  ///< See FootLockSource.
  bool holds_slides = true;
  /// A source foot that strays no farther than this while it is planted keeps its motion.
  double own_drift_m = 0.005;
};

/// `support` with spans that start and end at frames where they cover three quarters of the
/// interval up to that frame. Players move a foot evenly between two frames: one that is held in
/// the inner frame alone slides for the rest of its contact.
Support widenedToFrames(Support support, const EndFrames& frames);

/// Frames in which any contact point of `support` is planted.
std::vector<PlantedSpan> plantedSpansOf(const Support& support, const EndFrames& frames);

/// One rigid motion (yaw and shift) for every span of `support`: that of the stretched motion at
/// the times when it changes least, so that a character at rest stays as it is. With `holds_slides`
/// slides of the source are removed. Between spans the offset fades to zero as a cubic with
/// continuous position and speed, in `release_s` or, where the offset is large, in the time that
/// `release_mps2` needs; between a span and an end of the clip it fades as far as time allows. With
/// EndFrames::moved_m it fades at the pace at which the foot of the clip moves, while that is off
/// its ground (or throughout, where it slides from contact to contact), and until then the
/// foot is no faster than that one: a foot that shifts its weight near the ground does not skate.
/// In a cycle a span that the end of the clip cuts in two has one position. `planted` are the
/// spans: plantedSpansOf(), or parts of them.
LimbPlan planLimb(const Support& support, const EndFrames& frames, const PlanSettings& settings,
                  std::vector<PlantedSpan> planted);

}  // namespace clipmill::locomotion
