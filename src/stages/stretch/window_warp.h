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

namespace clipmill::stages::stretch {

/// Root trajectory in a window, after the windows before it.
struct WindowPath {
  std::vector<double> times_s;     ///< Ascending, at least two.
  std::vector<Vec3> points_m;      ///< One a time.
  double start_heading_rad = 0.0;  ///< Of the character; unwrapped.
  double end_heading_rad = 0.0;
  bool eases_in = false;  ///< The start, the end lies inside the clip.
  bool eases_out = false;
};

/// Direction of a path along the ground, a unit vector: from its start to its end where that is
/// farther than a hundredth of the length, else to its farthest point; the heading for a path of no
/// length.
Vec3 directionOf(const WindowPath& path);

/// Whether the path keeps within `still_m` of its start, along the ground or in space.
bool isStationary(const WindowPath& path, double still_m, bool in_space);

/// A window's path made to end at a target.
class WindowWarp {
 public:
  /// Error: kRecipe, at `location`, for a root that does not move and has a target elsewhere, with
  /// StillPolicy::kError. Warning: similarity_without_path.
  static Result<WindowWarp> make(const StretchSettings& settings, double rotation_deg,
                                 WindowPath path, const Vec3& target_m, double still_m,
                                 const std::string& location, Warnings& warnings);

  /// Position of the root at a time of the window at which its path is at `point_m`, before
  /// rotation.
  Vec3 at(double time_s, const Vec3& point_m) const;
  /// Added yaw at that time.
  double rotationAt(double time_s) const;

  double start_s() const { return path_.times_s.front(); }
  double end_s() const { return path_.times_s.back(); }
  const Vec3& start_m() const { return path_.points_m.front(); }
  const Vec3& end_m() const { return path_.points_m.back(); }
  const Vec3& target_m() const { return target_m_; }
  double endRotation_rad() const { return rotations_rad_.empty() ? 0.0 : rotations_rad_.back(); }
  /// Distance that max_speed_ratio removes.
  double missing_m() const { return missing_m_; }
  /// Yaw that max_yaw_degps removes.
  double missingRotation_rad() const { return missing_rotation_rad_; }
  /// Factor on the duration of the window for max_speed_ratio to hold.
  double timeFactor() const { return time_factor_; }

 private:
  WindowWarp(const StretchSettings& settings, WindowPath path);

  Status chooseShares(double still_m, const std::string& location);
  GroundSimilarity similarityTo(const Vec3& target_m) const;
  std::vector<Vec3> warped(const Vec3& target_m) const;
  void capSpeed();
  void chooseRotations(double rotation_deg);
  double shareAt(double time_s, const Vec3& point_m) const;

  StretchSettings settings_;
  WindowPath path_;
  Shares shares_;
  bool by_length_ = true;  // shares follow the path, not the clock
  double similarity_ = 0.0;
  Vec3 wanted_m_{0.0};
  Vec3 target_m_{0.0};  // as far as max_speed_ratio allows
  std::vector<Vec3> warped_m_;
  std::vector<double> rotations_rad_;  // empty for none
  double missing_m_ = 0.0, missing_rotation_rad_ = 0.0, time_factor_ = 1.0;
};

}  // namespace clipmill::stages::stretch
