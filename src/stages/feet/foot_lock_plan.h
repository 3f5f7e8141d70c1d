// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/math.h"
#include "scene/foot_contacts.h"
#include "scene/humanoid.h"
#include "stages/feet/foot_lock.h"

namespace clipmill::feet {

/// A leg or an arm; nodes are indices in Skeleton::nodes.
struct Limb {
  std::string name;  ///< Of its end: "left foot".
  int upper = -1;
  int lower = -1;
  int end = -1;
  bool is_leg = true;
  BodySide side = BodySide::kLeft;
};

/// The legs of the map that are complete, and its arms where `hands` asks for them.
std::vector<Limb> limbsOf(const Skeleton& skeleton, const HumanoidMap& map, bool hands);

/// A point that may stand, along the source clip, and when it does.
struct Pivot {
  std::vector<Vec3> places_m;  ///< One a sample of Support.
  std::vector<TimeSpan> spans;
};

/// What the end of a limb stands on in the source.
struct Support {
  double begin_s = 0.0, step_s = 0.0;  ///< Of the samples.
  std::vector<Pivot> pivots;           ///< Heel and ball of a foot; a hand has one.
  std::vector<TimeSpan> spans;         ///< When any of them stands.
};

/// The ends of one limb at the frames of the stretched motion, in metric world.
struct EndFrames {
  std::vector<double> times_s;         ///< Of the stretched motion, ascending.
  std::vector<double> source_times_s;  ///< In the source.
  std::vector<Affine> source;          ///< The end as the source shows it.
  std::vector<Affine> carried;         ///< The end as the stretched motion has it.
};

/// Frames in which an end stands, both included.
struct Stand {
  std::size_t first = 0, last = 0;
};

/// Where the end of a limb has to be: its carried place plus an offset, turned by a yaw about y.
struct LimbPlan {
  std::vector<Vec3> offset_m;
  std::vector<double> yaw_rad;
  std::vector<Stand> stands;

  bool standsAt(std::size_t frame) const;
  bool movesAt(std::size_t frame) const {
    return offset_m[frame] != Vec3(0.0) || yaw_rad[frame] != 0.0;
  }
};

struct PlanSettings {
  double release_s = 0.15;
  bool is_cycle = false;
  std::optional<CycleStep> step = std::nullopt;  ///< See FootLockSource.
  bool holds_slides = true;
};

/// One rigid motion (yaw and shift) for every span of `support`: that which the stretched motion
/// gives the end at the times when it changes least, so that a figure at rest stays as it is; with
/// `holds_slides` what the source slides is taken out. In between the offset goes to zero as a
/// cubic that keeps place and speed, in `release_s` or, where the way is long, in as much time as a
/// gentle acceleration needs. In a cycle a stand that the end of the clip cuts in two has one
/// place.
LimbPlan planLimb(const Support& support, const EndFrames& frames, const PlanSettings& settings);

}  // namespace clipmill::feet
