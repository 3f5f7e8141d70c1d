// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_lock_pelvis.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "locomotion/frame_windows.h"

namespace clipmill::locomotion {
namespace {

// Half width of the windows, and the time after a flight until the full drop is allowed.
constexpr double kWindow_s = 0.12, kSettle_s = 0.3;

// The largest value within `radius` frames of each.
std::vector<double> dilated(std::span<const double> values, std::size_t radius) {
  std::vector<double> result(values.size(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t from = i >= radius ? i - radius : 0;
    const std::size_t to = std::min(values.size() - 1, i + radius);
    result[i] = *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(from),
                                  values.begin() + static_cast<std::ptrdiff_t>(to) + 1);
  }
  return result;
}

// Frames since the last one in the air, or until the next; infinite where there is none.
std::vector<double> framesFromAir(const std::vector<bool>& is_airborne, bool looks_ahead) {
  std::vector<double> frames(is_airborne.size());
  double from_air = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const std::size_t i = looks_ahead ? frames.size() - 1 - k : k;
    from_air = is_airborne[i] ? 0.0 : from_air + 1.0;
    frames[i] = from_air;
  }
  return frames;
}

// About the smaller of two positive values, without a corner where they are equal.
double smoothMin(double a, double b) {
  const double low = std::min(a, b), ratio = low / std::max(a, b);
  if (!(ratio > 0.0)) return low;
  const double square = ratio * ratio;
  return low / std::sqrt(std::sqrt(1.0 + square * square));
}

// 0 in the air and 1 from kSettle_s before or after it on, with level ends.
std::vector<double> groundShares(const std::vector<bool>& is_airborne, double fps) {
  const std::vector<double> before = framesFromAir(is_airborne, false);
  const std::vector<double> after = framesFromAir(is_airborne, true);
  std::vector<double> shares;
  for (std::size_t i = 0; i < is_airborne.size(); ++i) {
    const double u = std::min(1.0, smoothMin(before[i], after[i]) / fps / kSettle_s);
    shares.push_back(u * u * (3.0 - 2.0 * u));
  }
  return shares;
}

}  // namespace

double dropToReach(const Vec3& hip, const Vec3& target, double reach_m) {
  const Vec3 path = target - hip;
  const double aside2 = path.x * path.x + path.z * path.z;
  if (aside2 + path.y * path.y <= reach_m * reach_m) return 0.0;
  if (aside2 > reach_m * reach_m || path.y > 0.0) return std::numeric_limits<double>::infinity();
  return -path.y - std::sqrt(reach_m * reach_m - aside2);
}

std::vector<double> smoothDrop(std::span<const double> needed_m,
                               const std::vector<bool>& is_airborne, double fps, bool is_cycle) {
  const std::size_t count = needed_m.size();
  if (std::none_of(needed_m.begin(), needed_m.end(), [](double need) { return need > 0.0; })) {
    return std::vector<double>(count, 0.0);
  }
  // A cycle is worked on with a copy of it on either side.
  const std::size_t period = count - 1, copies = is_cycle && count > 1 ? 3 : 1;
  std::vector<double> needed;
  std::vector<bool> airborne;
  for (std::size_t i = 0; i < (copies - 1) * period + count; ++i) {
    const std::size_t from = copies > 1 ? i % period : i;
    needed.push_back(needed_m[from]);
    airborne.push_back(is_airborne[from]);
  }
  const std::size_t radius = framesIn(kWindow_s, fps);
  const std::vector<double> drop = raisedCosineMean(dilated(needed, radius), radius, false);
  const std::vector<double> shares = groundShares(airborne, fps);
  std::vector<double> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = copies > 1 ? period + i : i;
    result[i] = drop[at] * shares[at];
  }
  return result;
}

}  // namespace clipmill::locomotion
