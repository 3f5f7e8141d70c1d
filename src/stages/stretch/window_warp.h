// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/warnings.h"
#include "stages/stretch/path_warp.h"
#include "stages/stretch/settings.h"

namespace clipmill::stretch {

/// The way of the root in a window, as the windows before it left it.
struct WindowPath {
  std::vector<double> times_s;     ///< Ascending, at least two.
  std::vector<Vec3> points_m;      ///< One a time.
  double begin_heading_rad = 0.0;  ///< Of the figure; unrolled, so that whole turns count.
  double end_heading_rad = 0.0;
  bool eases_in = false;  ///< The begin, the end lies inside the clip.
  bool eases_out = false;
};

/// The direction along the ground in which a path goes, a unit vector: that of its end where that
/// is farther from its begin than a hundredth of its length, else of its farthest point; for a path
/// of no length the heading.
Vec3 directionOf(const WindowPath& path);

/// Whether the path keeps within `still_m` of its begin, along the ground or in space.
bool standsStill(const WindowPath& path, double still_m, bool in_space);

/// A window's path made to end at a target.
class WindowWarp {
 public:
  /// Error: kRecipe, with `place`, for a path that stands still and has to end elsewhere, unless
  /// StretchSettings::still says how. Warning: similarity_without_way.
  static Result<WindowWarp> make(const StretchSettings& settings, double turn_deg, WindowPath path,
                                 const Vec3& target_m, double still_m, const std::string& place,
                                 Warnings& warnings);

  /// Where the root goes at a time of the window at which its path is at `point_m`, before turns.
  Vec3 at(double time_s, const Vec3& point_m) const;
  /// How far the figure is turned then, in addition.
  double turnAt(double time_s) const;

  double begin_s() const { return path_.times_s.front(); }
  double end_s() const { return path_.times_s.back(); }
  const Vec3& start_m() const { return path_.points_m.front(); }
  const Vec3& end_m() const { return path_.points_m.back(); }
  const Vec3& target_m() const { return target_m_; }
  double endTurn_rad() const { return turns_rad_.empty() ? 0.0 : turns_rad_.back(); }
  /// How far the speed cap keeps the path from what was asked for.
  double missing_m() const { return missing_m_; }
  /// How far the turn limit keeps the figure from what was asked for.
  double missingTurn_rad() const { return missing_turn_rad_; }
  /// How many times longer the window has to last for the speed cap to hold.
  double timeFactor() const { return time_factor_; }

 private:
  WindowWarp(const StretchSettings& settings, WindowPath path);

  Status chooseShares(double still_m, const std::string& place);
  GroundSimilarity similarityTo(const Vec3& target_m) const;
  std::vector<Vec3> warped(const Vec3& target_m) const;
  void capSpeed();
  void chooseTurns(double turn_deg);
  double shareAt(double time_s, const Vec3& point_m) const;

  StretchSettings settings_;
  WindowPath path_;
  Shares shares_;
  bool by_length_ = true;  // shares follow the path, not the clock
  double similarity_ = 0.0;
  Vec3 wanted_m_{0.0};
  Vec3 target_m_{0.0};  // as far as the speed cap lets it
  std::vector<Vec3> warped_m_;
  std::vector<double> turns_rad_;  // empty for none
  double missing_m_ = 0.0, missing_turn_rad_ = 0.0, time_factor_ = 1.0;
};

}  // namespace clipmill::stretch
