// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/capsule_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Share of the points beyond either end of the extent; these count as outliers.
constexpr double kOutlying = 0.05;
// Largest ratio between the radius at an end and that of the points of its half.
constexpr double kMaxTaper = 1.5;
constexpr int kPowerSteps = 64;

// The value below which a share of the values lies.
double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return 0.0;
  const auto rank = toSize(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank),
                   values.end());
  return values[rank];
}

// Where the points start and end along a direction, without outliers.
struct Extent {
  double low = 0.0, high = 0.0;
  double middle() const { return 0.5 * (low + high); }
};

Extent extentAlong(const Vec3& direction, std::span<const Vec3> points) {
  std::vector<double> along;
  along.reserve(points.size());
  for (const Vec3& point : points) along.push_back(glm::dot(direction, point));
  const double low = percentile(along, kOutlying);
  return {low, percentile(along, 1.0 - kOutlying)};
}

// The unit vector along which the points extend most, by power iteration on their covariance.
Vec3 mainAxis(std::span<const Vec3> points) {
  Vec3 mean(0.0);
  for (const Vec3& point : points) mean += point;
  mean /= static_cast<double>(std::max<std::size_t>(points.size(), 1));
  Mat3 covariance(0.0);
  for (const Vec3& point : points) covariance += glm::outerProduct(point - mean, point - mean);
  Vec3 axis = glm::normalize(Vec3(1.0, 0.9, 0.8));  // along no axis of symmetry
  for (int step = 0; step < kPowerSteps; ++step) {
    const Vec3 next = covariance * axis;
    const double length = glm::length(next);
    if (!(length > 0.0)) break;
    axis = next / length;
  }
  return axis;
}

// Both radii of `taper` changed by the same amount, so that it holds its share of the points: the
// distance from it changes by that amount everywhere.
Taper holdingShare(const Taper& taper, std::span<const Vec3> points) {
  std::vector<double> distances;
  distances.reserve(points.size());
  for (const Vec3& point : points) distances.push_back(nearestOnTaper(taper, point).distance_m);
  const double more = percentile(distances, kHeldShare);
  const Vec3 tail = taper.at(1.0);
  return Taper(taper.head, tail, std::max(taper.head_radius_m + more, 0.0),
               std::max(taper.radiusAt(1.0) + more, 0.0));
}

// Radii of both halves around a segment, and where along it they count.
struct Half {
  std::vector<double> radii;
  double along_sum = 0.0;
};

Taper withRadiiOf(const Vec3& head, const Vec3& tail, std::span<const Vec3> points) {
  const Taper line(head, tail, 0.0, 0.0);
  Half halves[2];
  for (const Vec3& point : points) {
    const TaperPoint nearest = nearestOnTaper(line, point);
    Half& half = halves[nearest.along < 0.5 ? 0 : 1];
    half.radii.push_back(nearest.distance_m);
    half.along_sum += nearest.along;
  }
  double radius[2], along[2];
  for (int i = 0; i < 2; ++i) {
    along[i] =
        halves[i].along_sum / static_cast<double>(std::max<std::size_t>(halves[i].radii.size(), 1));
    radius[i] = percentile(halves[i].radii, kHeldShare);
  }
  if (halves[0].radii.empty()) radius[0] = radius[1];
  if (halves[1].radii.empty()) radius[1] = radius[0];
  const double width = along[1] - along[0];
  const double slope = width > 0.1 ? (radius[1] - radius[0]) / width : 0.0;
  const auto atEnd = [&](int i, double end) {
    return std::clamp(radius[i] + slope * (end - along[i]), radius[i] / kMaxTaper,
                      radius[i] * kMaxTaper);
  };
  return holdingShare(Taper(head, tail, atEnd(0, 0.0), atEnd(1, 1.0)), points);
}

}  // namespace

Taper sphereThrough(std::span<const Vec3> points) {
  Vec3 middle;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 direction(0.0);
    direction[axis] = 1.0;
    middle[axis] = extentAlong(direction, points).middle();
  }
  return holdingShare(Taper(middle, middle, 0.0, 0.0), points);
}

Taper capsuleAlong(const Vec3& head, const Vec3& tail, std::span<const Vec3> points) {
  const Vec3 axis = tail - head;
  const double length = glm::length(axis);
  if (!(length > 0.0)) return sphereThrough(points);
  const Vec3 direction = axis / length;
  const Vec3 side = normalTo(direction, Vec3(0.0));
  Vec3 aside(0.0);
  for (const Vec3& across : {side, glm::cross(direction, side)}) {
    aside += across * (extentAlong(across, points).middle() - glm::dot(across, head));
  }
  return withRadiiOf(head + aside, tail + aside, points);
}

Taper capsuleThrough(std::span<const Vec3> points) {
  const Vec3 direction = mainAxis(points);
  const Vec3 side = normalTo(direction, Vec3(0.0));
  const Vec3 other = glm::cross(direction, side);
  const Extent along = extentAlong(direction, points);
  const Vec3 line =
      side * extentAlong(side, points).middle() + other * extentAlong(other, points).middle();
  std::vector<double> radii;
  radii.reserve(points.size());
  for (const Vec3& point : points) {
    radii.push_back(glm::length(point - line - direction * glm::dot(direction, point)));
  }
  const double radius = percentile(radii, kHeldShare);
  const double half_extent = 0.5 * (along.high - along.low);
  std::optional<Taper> best;
  double best_distance = 0.0;
  // How far the round ends extend depends on the shape of the cloud; the closest fit is used.
  for (const double drawn_in : {1.0, 0.75, 0.5, 0.25}) {
    const double half = std::max(half_extent - drawn_in * radius, 0.0);
    const Taper taper = withRadiiOf(line + direction * (along.middle() - half),
                                    line + direction * (along.middle() + half), points);
    const double distance = meanDistance(taper, points);
    if (best && distance >= best_distance) continue;
    best = taper;
    best_distance = distance;
  }
  return *best;
}

double meanDistance(const Taper& taper, std::span<const Vec3> points) {
  double sum = 0.0;
  for (const Vec3& point : points) sum += std::abs(nearestOnTaper(taper, point).distance_m);
  return sum / static_cast<double>(std::max<std::size_t>(points.size(), 1));
}

}  // namespace clipmill::stages::dynamic_bones
