// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "core/warnings.h"
#include "locomotion/flight.h"
#include "locomotion/root_joint.h"
#include "scene/scene.h"
#include "stages/stretch/settings.h"
#include "stages/stretch/time_map.h"
#include "stages/stretch/window_plan.h"
#include "stages/stretch/window_warp.h"

namespace clipmill::stages::stretch {

/// A clip and its root-motion joint.
struct Character {
  const Scene* scene = nullptr;
  const Motion* clip = nullptr;
  int root = 0;           ///< Root-motion joint.
  int body = 0;           ///< Where the character branches: its heading and its height in the air.
  double height_m = 1.0;  ///< Of the character.
  double still_m = 0.0;   ///< A root that stays this near does not move.
};

/// A flight with another landing height, and the duration that belongs to it.
struct FlightChange {
  locomotion::Flight flight;  ///< Of the clip.
  double duration_s = 0.0;
  double rise_m = 0.0;

  /// Height added to the body at that time of the clip, so that gravity does not change.
  double shiftAt(double time_s) const;
};

/// A window and how it is warped.
struct WarpWindow {
  std::string location;
  WindowWarp warp;
  locomotion::RootMove before;  ///< Move by the windows before it.
  std::optional<FlightChange> flight;
  int node = 0;      ///< The node whose target is `goal_m`.
  Vec3 goal_m{0.0};  ///< As far as max_speed_ratio allows.
};

/// The new root motion of a clip: its windows one after another. Frames between them are carried
/// along.
class RootWarp {
 public:
  /// Errors: those of planWindows and WindowWarp::make, kNotFound for a bone that is not there,
  /// kLimit for a clip that would get more than 100 times longer. Warnings: height_kept,
  /// no_flight, apex_below_target, speed_limited, yaw_limited.
  static Result<RootWarp> plan(const Character& character, const StretchSettings& settings,
                               Warnings& warnings);

  /// Move at a time of the clip at which the root is at `root_m`.
  locomotion::RootMove moveAt(double time_s, const Vec3& root_m) const;
  /// Parts of the clip whose duration changes.
  std::vector<TimeScale> timeScales() const;
  const std::vector<WarpWindow>& windows() const { return windows_; }

 private:
  std::vector<WarpWindow> windows_;
  locomotion::RootMove after_;  // the last window
};

/// The times of the window, start and end included, at which a path is sampled: fixed instants
/// 1/1200 s apart from the start of the clip, on which the frames of all common rates lie; so that
/// a path has the same length at any frame rate.
std::vector<double> fineTimes(double start_s, double end_s, double clip_start_s);

/// The longest flight of the body, by its heights 60 times a second, or that of the settings.
std::optional<locomotion::Flight> flightOf(const Character& character,
                                           const StretchSettings& settings, double start_s,
                                           double end_s);

}  // namespace clipmill::stages::stretch
