// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/window_warp.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/cancel.h"
#include "core/math.h"
#include "core/to_size.h"

namespace clipmill::stages::stretch {
namespace {

// Targets nearer than this to where the path ends anyway, in parts of their distance from the
// origin, differ from it by rounding.
constexpr double kRounding = 1e-12;
// A path whose end is nearer to its start, in parts of its length, has no direction.
constexpr double kNoPath = 0.01;

double groundLength(const std::vector<Vec3>& points_m) {
  double length_m = 0.0;
  for (std::size_t i = 1; i < points_m.size(); ++i) {
    length_m += locomotion::horizontalLength(points_m[i] - points_m[i - 1]);
  }
  return length_m;
}

double highestSpeed(const std::vector<double>& times_s, const std::vector<Vec3>& points_m) {
  pollCancel();
  double highest = 0.0;
  for (std::size_t i = 1; i < points_m.size(); ++i) {
    const double step_m = locomotion::horizontalLength(points_m[i] - points_m[i - 1]);
    highest = std::max(highest, step_m / (times_s[i] - times_s[i - 1]));
  }
  return highest;
}

// The cell of an ascending grid in which a value lies.
std::size_t cellOf(const std::vector<double>& grid, double value) {
  const auto after = std::upper_bound(grid.begin() + 1, grid.end() - 1, value);
  return toSize(after - grid.begin()) - 1;
}

// What follows `wanted` from 0 no faster than `limit` a second.
std::vector<double> followed(const std::vector<double>& times_s, const std::vector<double>& wanted,
                             double limit) {
  std::vector<double> is(wanted.size(), 0.0);
  for (std::size_t i = 1; i < is.size(); ++i) {
    const double most = limit > 0.0 ? limit * (times_s[i] - times_s[i - 1]) : 1e300;
    is[i] = is[i - 1] + std::clamp(wanted[i] - is[i - 1], -most, most);
  }
  return is;
}

// How the direction of a path changes by a warp, point by point; held where it does not move.
std::vector<double> rotationsOfPath(const std::vector<Vec3>& before_m,
                                    const std::vector<Vec3>& after_m) {
  constexpr double kTiny = 1e-3;
  pollCancel();
  double max_step_m = 0.0;
  for (std::size_t i = 1; i < before_m.size(); ++i) {
    max_step_m = std::max(max_step_m, locomotion::horizontalLength(before_m[i] - before_m[i - 1]));
  }
  std::vector<double> rotations_rad(before_m.size(), 0.0);
  for (std::size_t i = 1; i < before_m.size(); ++i) {
    const Vec3 was = before_m[i] - before_m[i - 1], is = after_m[i] - after_m[i - 1];
    rotations_rad[i] = rotations_rad[i - 1];
    if (locomotion::horizontalLength(was) <= kTiny * max_step_m ||
        locomotion::horizontalLength(is) == 0.0)
      continue;
    rotations_rad[i] += locomotion::wrappedAngle(locomotion::headingOf(is) -
                                                 locomotion::headingOf(was) - rotations_rad[i - 1]);
  }
  return rotations_rad;
}

}  // namespace

Vec3 directionOf(const WindowPath& path) {
  pollCancel();
  Vec3 along = path.points_m.back() - path.points_m.front();
  if (locomotion::horizontalLength(along) <= kNoPath * groundLength(path.points_m)) {
    for (const Vec3& point : path.points_m) {
      const Vec3 there = point - path.points_m.front();
      if (locomotion::horizontalLength(there) > locomotion::horizontalLength(along)) along = there;
    }
  }
  const double length_m = locomotion::horizontalLength(along);
  if (!(length_m > 0.0)) return locomotion::rotated(Vec3(0, 0, 1), path.start_heading_rad);
  return {along.x / length_m, 0.0, along.z / length_m};
}

bool isStationary(const WindowPath& path, double still_m, bool in_space) {
  return std::all_of(path.points_m.begin(), path.points_m.end(), [&](const Vec3& point) {
    const Vec3 there = point - path.points_m.front();
    return (in_space ? lengthOf(there) : locomotion::horizontalLength(there)) <= still_m;
  });
}

WindowWarp::WindowWarp(const StretchSettings& settings, WindowPath path)
    : settings_(settings), path_(std::move(path)) {}

Status WindowWarp::chooseShares(double still_m, const std::string& location) {
  const double ease_in_s = path_.eases_in ? settings_.ease_s : 0.0;
  const double ease_out_s = path_.eases_out ? settings_.ease_s : 0.0;
  const bool in_space = settings_.method == StretchMethod::kReference && settings_.dimensions == 3;
  const bool needs_path = settings_.method != StretchMethod::kUniform &&
                          settings_.method != StretchMethod::kMinimumJerk;
  StretchMethod method = settings_.method;
  if (needs_path && isStationary(path_, still_m, in_space)) {
    if (settings_.still == StillPolicy::kError && target_m_ != end_m()) {
      return Error{ErrorCode::kRecipe, location,
                   "the root does not move, so there is no motion to stretch",
                   "choose other clips, or set still to linear or minimum_jerk"};
    }
    method = settings_.still == StillPolicy::kLinear ? StretchMethod::kUniform
                                                     : StretchMethod::kMinimumJerk;
  }
  by_length_ = method != StretchMethod::kUniform && method != StretchMethod::kMinimumJerk;
  settings_.method = method;
  const auto weights = easeWeights(path_.times_s, ease_in_s, ease_out_s);
  if (by_length_) shares_ = arcShares(path_.points_m, weights);
  if (method == StretchMethod::kUniform) shares_ = timeShares(path_.times_s, weights);
  if (method == StretchMethod::kMinimumJerk) shares_ = minimumJerkShares(path_.times_s);
  return {};
}

GroundSimilarity WindowWarp::similarityTo(const Vec3& target_m) const {
  if (similarity_ == 0.0) return {};
  return similarityBetween(end_m() - start_m(), target_m - start_m(), similarity_);
}

std::vector<Vec3> WindowWarp::warped(const Vec3& target_m) const {
  pollCancel();
  if (settings_.method == StretchMethod::kReference) {
    return warpReference(path_.points_m, target_m, static_cast<int>(settings_.dimensions));
  }
  const PathWarp warp(start_m(), end_m(), target_m, similarityTo(target_m));
  std::vector<Vec3> points_m(shares_.size());
  for (std::size_t i = 0; i < points_m.size(); ++i) {
    points_m[i] = warp.at(path_.points_m[i], shares_[i]);
  }
  points_m.back() = target_m;
  return points_m;
}

// Every warp is affine in its target, so that the highest speed is a convex function of how far the
// target is drawn back to where the path ends anyway: bisection finds the farthest that is allowed.
void WindowWarp::capSpeed() {
  constexpr int kHalvings = 40;
  constexpr double kSlack = 1.0 + 1e-9;
  const double before = highestSpeed(path_.times_s, path_.points_m);
  const double allowed = settings_.max_speed_ratio.value_or(0.0) * before;
  const double after = highestSpeed(path_.times_s, warped_m_);
  if (!(allowed > 0.0) || after <= allowed * kSlack) return;
  if (settings_.extend_time) {
    time_factor_ = after / allowed;
    return;
  }
  const auto targetAt = [&](double part) {
    const Vec3 path = wanted_m_ - end_m();
    return Vec3(end_m().x + path.x * part, wanted_m_.y, end_m().z + path.z * part);
  };
  double low = 0.0, high = 1.0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    const bool is_slow = highestSpeed(path_.times_s, warped(targetAt(middle))) <= allowed;
    (is_slow ? low : high) = middle;
  }
  target_m_ = targetAt(low);
  warped_m_ = warped(target_m_);
  missing_m_ = locomotion::horizontalLength(wanted_m_ - target_m_);
}

void WindowWarp::chooseRotations(double rotation_deg) {
  if (settings_.yaw == YawPolicy::kKeep) return;
  std::vector<double> wanted;
  if (settings_.yaw == YawPolicy::kFacePath) {
    wanted = rotationsOfPath(path_.points_m, warped_m_);
  } else {
    const Vec3 path = wanted_m_ - start_m();
    double end_rad = 0.0;
    if (settings_.yaw == YawPolicy::kMatch) {
      end_rad = rotation_deg * kDegree - (path_.end_heading_rad - path_.start_heading_rad);
    } else if (locomotion::horizontalLength(path) > 0.0) {
      end_rad = locomotion::wrappedAngle(locomotion::headingOf(path) - path_.end_heading_rad);
    }
    for (double share : shares_) wanted.push_back(share * end_rad);
  }
  rotations_rad_ = followed(path_.times_s, wanted, settings_.max_yaw_degps * kDegree);
  missing_rotation_rad_ = wanted.back() - rotations_rad_.back();
}

Result<WindowWarp> WindowWarp::make(const StretchSettings& settings, double rotation_deg,
                                    WindowPath path, const Vec3& target_m, double still_m,
                                    const std::string& location, Warnings& warnings) {
  WindowWarp warp(settings, std::move(path));
  const Vec3& end_m = warp.end_m();
  const bool is_there = lengthOf(target_m - end_m) <= kRounding * std::max(1.0, lengthOf(target_m));
  warp.wanted_m_ = warp.target_m_ = is_there ? end_m : target_m;
  CLIPMILL_CHECK(warp.chooseShares(still_m, location));
  if (warp.by_length_ && settings.axes == StretchAxes::kBoth) {
    const double chosen =
        settings.similarity ? *settings.similarity : chosenSimilarity(warp.path_.points_m);
    if (settings.method == StretchMethod::kProportional) warp.similarity_ = chosen;
    if (settings.method == StretchMethod::kSimilarity) warp.similarity_ = 1.0;
    const double path_m = locomotion::horizontalLength(end_m - warp.start_m());
    if (warp.similarity_ > 0.0 && path_m <= kNoPath * groundLength(warp.path_.points_m)) {
      warp.similarity_ = 0.0;
      warnings.add("similarity_without_path",
                   "a path that ends where it starts cannot be rotated and scaled to a target; it "
                   "is stretched "
                   "in proportion to its length",
                   location);
    }
  }
  warp.warped_m_ = warp.warped(warp.target_m_);
  warp.capSpeed();
  warp.chooseRotations(rotation_deg);
  return warp;
}

double WindowWarp::shareAt(double time_s, const Vec3& point_m) const {
  const std::size_t i = cellOf(path_.times_s, time_s);
  const double from_s = path_.times_s[i], to_s = path_.times_s[i + 1];
  if (settings_.method == StretchMethod::kMinimumJerk) {
    const double times_s[] = {start_s(), time_s, end_s()};
    return minimumJerkShares(times_s)[1];
  }
  double fraction = (time_s - from_s) / (to_s - from_s);
  if (by_length_) {
    const double gone_m = locomotion::horizontalLength(point_m - path_.points_m[i]);
    const double left_m = locomotion::horizontalLength(path_.points_m[i + 1] - point_m);
    if (gone_m + left_m > 0.0) fraction = gone_m / (gone_m + left_m);
  }
  return shares_[i] + (shares_[i + 1] - shares_[i]) * std::clamp(fraction, 0.0, 1.0);
}

Vec3 WindowWarp::at(double time_s, const Vec3& point_m) const {
  if (time_s >= end_s()) return target_m_;
  if (time_s <= start_s()) return point_m;
  if (settings_.method == StretchMethod::kReference) {
    const std::size_t i = cellOf(path_.times_s, time_s);
    const double from_s = path_.times_s[i], to_s = path_.times_s[i + 1];
    if (time_s == from_s) return warped_m_[i];
    const Vec3 from = warped_m_[i] - path_.points_m[i];
    const Vec3 to = warped_m_[i + 1] - path_.points_m[i + 1];
    return point_m + from + (to - from) * ((time_s - from_s) / (to_s - from_s));
  }
  return PathWarp(start_m(), end_m(), target_m_, similarityTo(target_m_))
      .at(point_m, shareAt(time_s, point_m));
}

double WindowWarp::rotationAt(double time_s) const {
  if (rotations_rad_.empty()) return 0.0;
  const double clamped_s = std::clamp(time_s, start_s(), end_s());
  const std::size_t i = cellOf(path_.times_s, clamped_s);
  const double length_s = path_.times_s[i + 1] - path_.times_s[i];
  const double fraction = (clamped_s - path_.times_s[i]) / length_s;
  return rotations_rad_[i] + (rotations_rad_[i + 1] - rotations_rad_[i]) * fraction;
}

}  // namespace clipmill::stages::stretch
