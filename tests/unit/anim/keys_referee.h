// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "anim/motion.h"
#include "anim/skeleton.h"
#include "anim/track.h"
#include "core/to_size.h"

/// The motion of keys, computed apart from the code under test: points carried up parent by parent,
/// and a slerp by arccos.
namespace clipmill::test {

inline Quat refereeSlerp(Quat a, Quat b, double t) {
  a = a / std::sqrt(glm::dot(a, a));
  b = b / std::sqrt(glm::dot(b, b));
  if (glm::dot(a, b) < 0.0) b = -b;
  const double angle = std::acos(std::min(1.0, glm::dot(a, b)));
  if (angle < 1e-7) return a + (b - a) * t;
  return (a * std::sin((1 - t) * angle) + b * std::sin(t * angle)) / std::sin(angle);
}

/// A cubic between two keys (slope, value, slope a second; `width` numbers each) by the points of
/// Bezier, halfway between halfway points (de Casteljau).
inline std::vector<double> refereeCubic(const double* from, const double* to, std::size_t width,
                                        double length_s, double t) {
  std::vector<double> value(width);
  for (std::size_t i = 0; i < width; ++i) {
    const double start = from[width + i], end = to[width + i];
    double p[] = {start, start + from[2 * width + i] * length_s / 3.0, end - to[i] * length_s / 3.0,
                  end};
    for (int last = 3; last > 0; --last) {
      for (int k = 0; k < last; ++k) p[k] = (1 - t) * p[k] + t * p[k + 1];
    }
    value[i] = p[0];
  }
  return value;
}

/// The key from which a time is reached, found by a search from the first.
inline std::size_t refereeKey(const Track& track, double time_s) {
  std::size_t k = 0;
  while (k + 2 < track.times_s->size() && (*track.times_s)[k + 1] <= time_s) ++k;
  return k;
}

/// The value of a linear or cubic track at a time; quaternions of cubic ones as they are mixed.
inline std::vector<double> refereeValue(const Track& track, double time_s) {
  const std::vector<double>& times = *track.times_s;
  const std::size_t k = refereeKey(track, time_s);
  const std::size_t width = toSize(track.width);
  if (track.interpolation == Interpolation::kCubicSpline) {
    const double length_s = times[k + 1] - times[k], *key = &track.values[3 * k * width];
    return refereeCubic(key, key + 3 * width, width, length_s, (time_s - times[k]) / length_s);
  }
  const double* a = &track.values[k * width];
  if (times.size() == 1) return {a, a + width};
  const double* b = a + width;
  const double t = (time_s - times[k]) / (times[k + 1] - times[k]);
  std::vector<double> value(width);
  if (track.path == TrackPath::kRotation) {
    const Quat q = refereeSlerp(Quat(a[3], a[0], a[1], a[2]), Quat(b[3], b[0], b[1], b[2]), t);
    return {q.x, q.y, q.z, q.w};
  }
  for (std::size_t i = 0; i < width; ++i) value[i] = (1 - t) * a[i] + t * b[i];
  return value;
}

struct RefereePose {
  std::vector<Transform> locals;
  std::vector<double> weights;
};

/// Angles of a cubic rotation that is kept as such.
inline Vec3 refereeAngles(const Track& track, double time_s) {
  const std::vector<double>& times = *track.times_s;
  const std::size_t k = refereeKey(track, time_s);
  const double length_s = times[k + 1] - times[k];
  const std::vector<double> v =
      refereeCubic(&track.angles_deg[3 * k].x, &track.angles_deg[3 * k + 3].x, 3, length_s,
                   (time_s - times[k]) / length_s);
  return Vec3(v[0], v[1], v[2]);
}

inline RefereePose refereePose(const Skeleton& skeleton, const std::vector<Track>& tracks,
                               double time_s) {
  RefereePose pose;
  for (const Node& node : skeleton.nodes) pose.locals.push_back(node.rest);
  pose.weights = skeleton.rest_weights;
  for (const Track& track : tracks) {
    const std::vector<double> v = refereeValue(track, time_s);
    Transform& local = pose.locals[toSize(track.node)];
    if (track.path == TrackPath::kTranslation) local.translation = Vec3(v[0], v[1], v[2]);
    if (track.path == TrackPath::kRotation) local.rotation = Quat(v[3], v[0], v[1], v[2]);
    if (track.interpolation == Interpolation::kCubicSpline && !track.angles_deg.empty()) {
      local.rotation =
          localRotation(*skeleton.nodes[toSize(track.node)].euler, refereeAngles(track, time_s));
    }
    if (track.path == TrackPath::kScale) local.scale = Vec3(v[0], v[1], v[2]);
    if (track.path == TrackPath::kWeights) pose.weights = v;
  }
  return pose;
}

inline Vec3 rotated(Quat q, const Vec3& v) {
  q = q / std::sqrt(glm::dot(q, q));
  const Vec3 u(q.x, q.y, q.z);
  return v + 2.0 * glm::cross(u, glm::cross(u, v) + q.w * v);
}

/// A point of a node's space in the world, carried up parent by parent.
inline Vec3 refereeWorld(const Skeleton& skeleton, const RefereePose& pose, int node, Vec3 point) {
  for (int i = node; i >= 0; i = skeleton.nodes[toSize(i)].parent) {
    const Transform& local = pose.locals[toSize(i)];
    point = rotated(local.rotation, point * local.scale) + local.translation;
  }
  return point;
}

/// Largest distance of origins, and of points around them at the reach, at frames and at four
/// times between. Both sides are tracks, so nothing of the reducer's own measuring is used.
inline double refereeError(const Skeleton& skeleton, const Motion& motion,
                           const std::vector<Track>& reduced, double reach) {
  const std::vector<Track> full = tracksOf(skeleton, motion);
  std::vector<Vec3> points{Vec3(0)};
  for (double x : {-1.0, 0.0, 1.0}) {
    for (double y : {-1.0, 0.0, 1.0}) {
      for (double z : {-1.0, 0.0, 1.0}) {
        const Vec3 direction(x, y, z);
        const double length = std::sqrt(glm::dot(direction, direction));
        if (length > 0.0 && reach > 0.0) points.push_back(direction * (reach / length));
      }
    }
  }
  double worst = 0.0;
  for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
    const double start = motion.grid.timeOf(i);
    const double length = i + 1 < motion.grid.frame_count ? motion.grid.timeOf(i + 1) - start : 0.0;
    for (double f : {0.0, 0.2, 0.4, 0.6, 0.8}) {
      const RefereePose a = refereePose(skeleton, full, start + f * length);
      const RefereePose b = refereePose(skeleton, reduced, start + f * length);
      for (int node = 0; node < static_cast<int>(skeleton.size()); ++node) {
        for (const Vec3& point : points) {
          const Vec3 d =
              refereeWorld(skeleton, a, node, point) - refereeWorld(skeleton, b, node, point);
          worst = std::max(worst, std::sqrt(glm::dot(d, d)));
        }
      }
    }
  }
  return worst;
}

}  // namespace clipmill::test
