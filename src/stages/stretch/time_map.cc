// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/time_map.h"

#include <algorithm>

#include "anim/pose.h"

namespace clipmill::stretch {
namespace {

double mapped(const std::vector<double>& from, const std::vector<double>& to, double value) {
  if (value <= from.front()) return to.front();
  if (value >= from.back()) return to.back();
  const auto after = std::upper_bound(from.begin(), from.end(), value);
  const std::size_t i = static_cast<std::size_t>(after - from.begin()) - 1;
  const double fraction = (value - from[i]) / (from[i + 1] - from[i]);
  return to[i] + (to[i + 1] - to[i]) * fraction;
}

// What the clip has keys for, and whatever else is not at rest.
TrackMask animatedOf(const Scene& scene, const Motion& motion) {
  const std::size_t clip = static_cast<std::size_t>(motion.clip_index);
  TrackMask mask = motion.touched;
  for (int node = 0; node < static_cast<int>(motion.node_count); ++node) {
    for (TrackPath path : kTrackPaths) {
      if (clip < scene.clips.size() && scene.clips[clip].animated.size() == motion.node_count &&
          scene.clips[clip].animated.has(node, path)) {
        mask.set(node, path);
      }
    }
    const auto i = static_cast<std::size_t>(node);
    const Transform& rest = scene.skeleton.nodes[i].rest;
    for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
      const Transform& local = motion.localsOf(frame)[i];
      if (local.translation != rest.translation) mask.set(node, TrackPath::kTranslation);
      if (local.rotation != rest.rotation) mask.set(node, TrackPath::kRotation);
      if (local.scale != rest.scale) mask.set(node, TrackPath::kScale);
    }
  }
  return mask;
}

}  // namespace

TimeMap::TimeMap(double begin_s, double end_s, const std::vector<TimeScale>& scales) {
  source_s_ = {begin_s, end_s};
  for (const TimeScale& scale : scales) {
    source_s_.push_back(std::clamp(scale.begin_s, begin_s, end_s));
    source_s_.push_back(std::clamp(scale.end_s, begin_s, end_s));
    is_identity_ = is_identity_ && scale.factor == 1.0;
  }
  std::sort(source_s_.begin(), source_s_.end());
  source_s_.erase(std::unique(source_s_.begin(), source_s_.end()), source_s_.end());
  output_s_ = {begin_s};
  for (std::size_t i = 1; i < source_s_.size(); ++i) {
    const double middle_s = 0.5 * (source_s_[i - 1] + source_s_[i]);
    double factor = 1.0;
    for (const TimeScale& scale : scales) {
      if (middle_s > scale.begin_s && middle_s < scale.end_s) factor *= scale.factor;
    }
    output_s_.push_back(output_s_.back() + (source_s_[i] - source_s_[i - 1]) * factor);
  }
  if (is_identity_) output_s_ = source_s_;
}

double TimeMap::outputAt(double source_s) const { return mapped(source_s_, output_s_, source_s); }

double TimeMap::sourceAt(double output_s) const { return mapped(output_s_, source_s_, output_s); }

Motion retimed(const Scene& scene, const Motion& motion, const TimeMap& map) {
  Motion result = motion;
  result.grid = makeGrid(motion.grid.begin_s, map.outputEnd_s(), motion.grid.fps);
  result.touched = animatedOf(scene, motion);
  result.source = nullptr;
  result.locals.clear();
  result.weights.clear();
  MotionCursor cursor(scene.skeleton, motion);
  for (std::size_t frame = 0; frame < result.grid.frame_count; ++frame) {
    const Pose& pose = cursor.at(map.sourceAt(result.grid.timeOf(frame)));
    result.locals.insert(result.locals.end(), pose.locals.begin(), pose.locals.end());
    result.weights.insert(result.weights.end(), pose.weights.begin(), pose.weights.end());
  }
  return result;
}

}  // namespace clipmill::stretch
