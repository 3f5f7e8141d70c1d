// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/tip_meter.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"

namespace clipmill {
namespace {

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

std::vector<std::size_t> movingNodes(const Skeleton& skeleton, const TrackMask& touched) {
  std::vector<bool> moves(skeleton.size(), false);
  std::vector<std::size_t> moving;
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    const bool carried = parent >= 0 && moves[static_cast<std::size_t>(parent)];
    moves[i] = carried || touched.any(static_cast<int>(i));
    if (moves[i]) moving.push_back(i);
  }
  return moving;
}

// An upper bound of the largest |m v| over unit vectors v: the largest eigenvalue of mT m is at
// most mean + sqrt(2 variance) of the three (Brauer). Exact where m stretches one direction only, 7
// % too large for the difference of two rotations.
double largestStretch(const Mat3& m) {
  const Mat3 square = glm::transpose(m) * m;
  const double mean = (square[0][0] + square[1][1] + square[2][2]) / 3.0;
  double sum_of_squares = 0.0;
  for (int i = 0; i < 3; ++i) sum_of_squares += glm::dot(square[i], square[i]);
  const double variance = std::max(0.0, sum_of_squares / 3.0 - mean * mean);
  return std::sqrt(mean + std::sqrt(2.0 * variance));
}

// The value of one track at ascending times.
class TrackReader {
 public:
  TrackReader(const KeyedTrack& track, const KeyFrames& keys)
      : track_(track), keys_(keys), span_(track, keys[0], keys[std::min<std::size_t>(1, last())]) {}

  // `frame` is the last frame at or before `time_s`.
  void read(std::size_t frame, double time_s, Pose& pose) {
    while (key_ + 1 < last() && keys_[key_ + 1] <= frame) {
      ++key_;
      span_ = KeySpan(track_, keys_[key_], keys_[key_ + 1]);
    }
    const double fraction = span_.fractionAt(time_s);
    Transform& local = pose.locals[static_cast<std::size_t>(track_.node())];
    switch (track_.path()) {
      case TrackPath::kTranslation:
        local.translation = span_.vectorAt(fraction);
        break;
      case TrackPath::kRotation:
        local.rotation = span_.rotationAt(fraction);
        break;
      case TrackPath::kScale:
        local.scale = span_.vectorAt(fraction);
        break;
      case TrackPath::kWeights:
        break;  // moves no node
    }
  }

 private:
  std::size_t last() const { return keys_.size() - 1; }

  const KeyedTrack& track_;
  const KeyFrames& keys_;
  std::size_t key_ = 0;
  KeySpan span_;
};

void passUpToParents(const Skeleton& skeleton, std::size_t windows, std::vector<double>& worst) {
  for (std::size_t i = skeleton.size(); i-- > 0;) {
    if (skeleton.nodes[i].parent < 0) continue;
    const std::size_t parent = static_cast<std::size_t>(skeleton.nodes[i].parent);
    for (std::size_t w = 0; w < windows; ++w) {
      double& above = worst[parent * windows + w];
      above = std::max(above, worst[i * windows + w]);
    }
  }
}

}  // namespace

TipErrors worseOf(TipErrors a, const TipErrors& b) {
  for (std::size_t i = 0; i < a.below.size(); ++i) a.below[i] = std::max(a.below[i], b.below[i]);
  a.worst = std::max(a.worst, b.worst);
  return a;
}

TipMeter::TipMeter(const Skeleton& skeleton, const Motion& motion,
                   std::span<const double> tip_reach)
    : skeleton_(skeleton),
      motion_(motion),
      tip_reach_(tip_reach),
      moving_(movingNodes(skeleton, motion.touched)) {}

double TipMeter::errorOf(std::size_t node, const Affine& exact, const Affine& changed) const {
  const double origin_error = lengthOf(changed.translation - exact.translation);
  if (tip_reach_.empty() || tip_reach_[node] == 0.0) return origin_error;
  return origin_error + tip_reach_[node] * largestStretch(changed.linear - exact.linear);
}

TipErrors TipMeter::measure(std::span<const KeyedTrack> tracks, std::span<const KeyFrames> keys,
                            std::span<const double> fractions) const {
  const std::size_t windows = windowCount(motion_.grid.frame_count);
  TipErrors errors{std::vector<double>(skeleton_.size() * windows, 0.0), 0.0};
  std::vector<TrackReader> readers;
  for (std::size_t i = 0; i < tracks.size(); ++i) readers.emplace_back(tracks[i], keys[i]);
  MotionCursor cursor(skeleton_, motion_);
  Pose changed;
  std::vector<Affine> exact_worlds, changed_worlds;
  const auto measureAt = [&](std::size_t frame, double time_s) {
    const Pose& exact = cursor.at(time_s);
    changed.locals = exact.locals;
    for (TrackReader& reader : readers) reader.read(frame, time_s, changed);
    computeWorlds(skeleton_, exact.locals, {}, exact_worlds);
    changed_worlds = exact_worlds;
    for (std::size_t node : moving_) {
      const int parent = skeleton_.nodes[node].parent;
      const Affine local = toAffine(changed.locals[node]);
      changed_worlds[node] =
          parent < 0 ? local : changed_worlds[static_cast<std::size_t>(parent)] * local;
      const double error = errorOf(node, exact_worlds[node], changed_worlds[node]);
      // Written so that an error that is no number counts as unbounded.
      double& worst = errors.below[node * windows + frame / kFramesPerWindow];
      if (!(error <= worst)) worst = error >= 0.0 ? error : HUGE_VAL;
    }
  };
  const TimeGrid& grid = motion_.grid;
  for (std::size_t frame = 0; frame + 1 < grid.frame_count; ++frame) {
    const double begin_s = grid.timeOf(frame), length_s = grid.timeOf(frame + 1) - begin_s;
    for (double fraction : fractions) measureAt(frame, begin_s + fraction * length_s);
  }
  measureAt(grid.frame_count - 1, grid.end_s);
  passUpToParents(skeleton_, windows, errors.below);
  for (double error : errors.below) errors.worst = std::max(errors.worst, error);
  return errors;
}

}  // namespace clipmill
