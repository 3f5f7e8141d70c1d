// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/smooth_cursor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/to_size.h"
#include "stages/dynamic_bones/springs/frame_cubic.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Of a frame; key times are stored as floats.
constexpr double kOffFrame = 1e-3;
constexpr std::size_t kLeastIntervals = 3;
// A motion whose middle between two frames is off the line by less than this share of what the
// cubic is counts as linear.
constexpr double kLinearShare = 0.25;
// Smaller changes of a swing are not worth a cubic.
constexpr double kLeast_m = 1e-7, kLeast_rad = 1e-7, kLeastScale = 1e-7;

template <class Value>
bool isStraight(const Value& before, const Value& middle, const Value& after, double allowed) {
  const Value off = middle - (before + after) * 0.5;
  return glm::dot(off, off) <= allowed * allowed;
}

// Of quaternions of any sign; the normalised mean of two is halfway between them.
bool isStraight(const Quat& before, const Quat& middle, const Quat& after, double allowed_rad) {
  const Quat other = glm::dot(before, after) < 0.0 ? -after : after;
  return angleBetween(normalizedOrIdentity(before + other), normalizedOrIdentity(middle)) <=
         allowed_rad;
}

template <class Value>
double cubicOffset(const Value& a, const Value& b, const Value& c, const Value& d) {
  return glm::length(frameCubic(a, b, c, d, 0.5) - (b + c) * 0.5);
}
double cubicOffset(const Quat& a, const Quat& b, const Quat& c, const Quat& d) {
  const Quat other = glm::dot(b, c) < 0.0 ? -c : c;
  return angleBetween(frameCubic(a, b, c, d, 0.5), normalizedOrIdentity(b + other));
}

// Whether the cubic replaces a motion that is linear from frame to frame.
template <class Value>
bool isSmoothed(const std::array<Value, 4>& frames, const std::array<Value, 3>& middles,
                double least) {
  const double offset = cubicOffset(frames[0], frames[1], frames[2], frames[3]);
  if (!(offset > least)) return false;
  for (std::size_t i = 0; i < middles.size(); ++i) {
    if (!isStraight(frames[i], middles[i], frames[i + 1], kLinearShare * offset)) return false;
  }
  return true;
}

Transform frameBefore(const Transform& a, const Transform& b, const Transform& c) {
  return {beforeParabola(a.translation, b.translation, c.translation),
          beforeParabola(a.rotation, b.rotation, c.rotation),
          beforeParabola(a.scale, b.scale, c.scale)};
}

}  // namespace

SmoothCursor::SmoothCursor(const Skeleton& skeleton, const Motion& motion,
                           std::vector<std::size_t> nodes, double frames_per_s,
                           std::function<bool(double, double)> isJump)
    : motion_(motion),
      cursor_(skeleton, motion, nodes),
      ahead_(skeleton, motion, nodes),
      nodes_(std::move(nodes)),
      frames_per_s_(frames_per_s),
      is_jump_(std::move(isJump)) {
  const double intervals = (motion.grid.end_s - motion.grid.start_s) * frames_per_s;
  if (intervals >= static_cast<double>(kLeastIntervals) && intervals < 1e9) {
    interval_count_ = toSize(std::floor(intervals + kOffFrame));
  }
  interval_ = interval_count_;
  pose_ = cursor_.at(motion.grid.start_s);
}

double SmoothCursor::timeOf(std::ptrdiff_t frame) const {
  return motion_.grid.start_s + static_cast<double>(frame) / frames_per_s_;
}

SmoothCursor::Locals SmoothCursor::sample(double time_s) {
  const Pose& pose = ahead_.at(time_s);
  Locals locals;
  locals.reserve(nodes_.size());
  for (std::size_t node : nodes_) locals.push_back(pose.locals[node]);
  return locals;
}

// Frames beyond the ends lie on the parabola through the three at the end.
SmoothCursor::Locals SmoothCursor::frameAt(std::ptrdiff_t frame) {
  const auto last = static_cast<std::ptrdiff_t>(interval_count_);
  if (frame >= 0 && frame <= last) return sample(timeOf(frame));
  const std::ptrdiff_t end = frame < 0 ? 0 : last, inwards = frame < 0 ? 1 : -1;
  Locals a = sample(timeOf(end));
  const Locals b = sample(timeOf(end + inwards)), c = sample(timeOf(end + 2 * inwards));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = frameBefore(a[i], b[i], c[i]);
  return a;
}

// Samples the frames about an interval, or moves on by one.
void SmoothCursor::fillFrames(std::size_t interval) {
  const auto k = static_cast<std::ptrdiff_t>(interval);
  const auto middleOf = [&](std::ptrdiff_t i) {
    const auto last = static_cast<std::ptrdiff_t>(interval_count_) - 1;
    return sample(0.5 * (timeOf(std::clamp<std::ptrdiff_t>(i, 0, last)) +
                         timeOf(std::clamp<std::ptrdiff_t>(i, 0, last) + 1)));
  };
  if (interval_ < interval_count_ && interval == interval_ + 1) {
    std::rotate(frames_.begin(), frames_.begin() + 1, frames_.end());
    std::rotate(middles_.begin(), middles_.begin() + 1, middles_.end());
    frames_[3] = frameAt(k + 2);
    middles_[2] = middleOf(k + 1);
    return;
  }
  for (std::ptrdiff_t i = 0; i < 4; ++i) frames_[toSize(i)] = frameAt(k - 1 + i);
  for (std::ptrdiff_t i = 0; i < 3; ++i) middles_[toSize(i)] = middleOf(k - 1 + i);
}

bool SmoothCursor::jumpsNear(std::size_t interval) const {
  const auto k = static_cast<std::ptrdiff_t>(interval);
  return is_jump_(timeOf(k - 1), timeOf(k + 2));
}

// Whether a node has the same transform in all frames about the interval.
bool SmoothCursor::isStill(std::size_t node) const {
  static_assert(sizeof(Transform) ==
                10 * sizeof(double));  // no padding: equal bits are equal values
  return std::all_of(frames_.begin() + 1, frames_.end(), [&](const Locals& frame) {
    return std::memcmp(&frame[node], &frames_[0][node], sizeof(Transform)) == 0;
  });
}

void SmoothCursor::findSmoothed() {
  const bool is_first = interval_ == 0, is_last = interval_ + 1 == interval_count_;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (isStill(node)) continue;
    const auto collect = [&](auto Transform::*path, double least, Path kind) {
      using Value = std::decay_t<decltype(frames_[0][0].*path)>;
      std::array<Value, 4> values;
      std::array<Value, 3> middles;
      for (std::size_t i = 0; i < 4; ++i) values[i] = frames_[i][node].*path;
      for (std::size_t i = 0; i < 3; ++i) middles[i] = middles_[i][node].*path;
      // There is no motion beyond the ends.
      if (is_first) middles[0] = (values[0] + values[1]) * 0.5;
      if (is_last) middles[2] = (values[2] + values[3]) * 0.5;
      if (isSmoothed(values, middles, least)) smoothed_.push_back({node, kind});
    };
    collect(&Transform::translation, kLeast_m, kTranslation);
    collect(&Transform::rotation, kLeast_rad, kRotation);
    collect(&Transform::scale, kLeastScale, kScale);
  }
}

void SmoothCursor::enter(std::size_t interval) {
  fillFrames(interval);
  interval_ = interval;
  smoothed_.clear();
  if (!jumpsNear(interval)) findSmoothed();
}

const Pose& SmoothCursor::at(double time_s) {
  const Pose& plain = cursor_.at(time_s);
  const double frames = (time_s - motion_.grid.start_s) * frames_per_s_;
  if (!(frames > 0.0 && frames < static_cast<double>(interval_count_))) return plain;
  const std::size_t interval = std::min(toSize(std::floor(frames)), interval_count_ - 1);
  if (interval != interval_) enter(interval);
  if (smoothed_.empty()) return plain;
  for (std::size_t node : nodes_) pose_.locals[node] = plain.locals[node];
  const double fraction = frames - static_cast<double>(interval);
  const auto cubic = [&](std::size_t node, auto Transform::*path) {
    return frameCubic(frames_[0][node].*path, frames_[1][node].*path, frames_[2][node].*path,
                      frames_[3][node].*path, fraction);
  };
  for (const auto& [node, path] : smoothed_) {
    Transform& local = pose_.locals[nodes_[node]];
    if (path == kTranslation) local.translation = cubic(node, &Transform::translation);
    if (path == kRotation) local.rotation = cubic(node, &Transform::rotation);
    if (path == kScale) local.scale = cubic(node, &Transform::scale);
  }
  return pose_;
}

}  // namespace clipmill::stages::dynamic_bones
