// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "core/warnings.h"
#include "scene/root_track.h"
#include "scene/scene.h"
#include "stages/stretch/flight.h"
#include "stages/stretch/settings.h"
#include "stages/stretch/time_map.h"
#include "stages/stretch/window_plan.h"
#include "stages/stretch/window_warp.h"

namespace clipmill::stretch {

/// A clip and what of it is to be moved.
struct Figure {
  const Scene* scene = nullptr;
  const Motion* clip = nullptr;
  int root = 0;           ///< The node that carries the way.
  int body = 0;           ///< Where the figure branches: its heading and its height in the air.
  double height_m = 1.0;  ///< Of the figure.
  double still_m = 0.0;   ///< What goes no farther does not move.
};

/// A flight that comes down higher or lower, and lasts accordingly.
struct FlightChange {
  Flight flight;  ///< Of the clip.
  double duration_s = 0.0;
  double rise_m = 0.0;

  /// How much higher the body is at that time of the clip, so that it flies under the same gravity.
  double shiftAt(double time_s) const;
};

/// A window and how it is warped.
struct Leg {
  std::string place;
  WindowWarp warp;
  RootMove before;  ///< What the windows before it do to it.
  std::optional<FlightChange> flight;
  int node = 0;      ///< The node that is to be at `goal_m` in the end.
  Vec3 goal_m{0.0};  ///< As far as the speed cap lets it.
};

/// The new way of a clip: its windows one after another. What lies between them is carried along.
class Journey {
 public:
  /// Errors: those of planWindows and WindowWarp::make, kNotFound for a bone that is not there,
  /// kLimit for a clip that would get more than 100 times longer. Warnings: height_kept,
  /// no_flight, apex_below_target, speed_capped, turn_limited.
  static Result<Journey> plan(const Figure& figure, const StretchSettings& settings,
                              Warnings& warnings);

  /// What happens at a time of the clip, at which the root is at `root_m`.
  RootMove moveAt(double time_s, const Vec3& root_m) const;
  /// Parts of the clip that take longer or shorter.
  std::vector<TimeScale> timeScales() const;
  const std::vector<Leg>& legs() const { return legs_; }

 private:
  std::vector<Leg> legs_;
  RootMove after_;  // the last window
};

/// The times of the window, begin and end included, at which a path is looked at: fixed instants
/// 1/1200 s apart from the begin of the clip, on which the frames of all common rates lie; so that
/// a path has the same length at any frame rate.
std::vector<double> fineTimes(double begin_s, double end_s, double clip_begin_s);

/// The longest flight of the body, by its heights 60 times a second, or that of the settings.
std::optional<Flight> flightOf(const Figure& figure, const StretchSettings& settings,
                               double begin_s, double end_s);

}  // namespace clipmill::stretch
