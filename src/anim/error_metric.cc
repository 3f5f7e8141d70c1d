// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/error_metric.h"

#include <algorithm>
#include <cmath>

#include "anim/key_span.h"
#include "anim/pose.h"
#include "core/cancel.h"
#include "core/math.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

std::vector<std::size_t> movingNodes(const Skeleton& skeleton, const TrackMask& modified) {
  std::vector<bool> moves(skeleton.size(), false);
  std::vector<std::size_t> moving;
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    const bool carried = parent >= 0 && moves[toSize(parent)];
    moves[i] = carried || modified.any(static_cast<int>(i));
    if (moves[i]) moving.push_back(i);
  }
  return moving;
}

// The nodes above `moving` that do not move themselves, ascending.
std::vector<std::size_t> nodesAbove(const Skeleton& skeleton,
                                    const std::vector<std::size_t>& moving) {
  std::vector<bool> moves(skeleton.size(), false), is_above(skeleton.size(), false);
  for (std::size_t node : moving) moves[node] = true;
  for (std::size_t i = skeleton.size(); i-- > 0;) {
    const int parent = skeleton.nodes[i].parent;
    if (parent >= 0 && (moves[i] || is_above[i])) is_above[toSize(parent)] = true;
  }
  std::vector<std::size_t> above;
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    if (is_above[i] && !moves[i]) above.push_back(i);
  }
  return above;
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
  TrackReader(const KeyedTrack& track, const TrackKeys& keys)
      : track_(track),
        keys_(keys.frames),
        interpolation_(keys.interpolation),
        span_(track, keys_[0], keys_[std::min<std::size_t>(1, last())], interpolation_) {}

  // `frame` is the last frame at or before `time_s`.
  void read(std::size_t frame, double time_s, RotationMix mix, std::span<Transform> locals) {
    while (key_ + 1 < last() && keys_[key_ + 1] <= frame) {
      ++key_;
      span_ = KeySpan(track_, keys_[key_], keys_[key_ + 1], interpolation_);
    }
    const double fraction = span_.fractionAt(time_s);
    Transform& local = locals[toSize(track_.node())];
    switch (track_.path()) {
      case TrackPath::kTranslation:
        local.translation = span_.vectorAt(fraction);
        break;
      case TrackPath::kRotation:
        local.rotation = span_.rotationAt(fraction, mix);
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
  Interpolation interpolation_;
  std::size_t key_ = 0;
  KeySpan span_;
};

void passUpToParents(const Skeleton& skeleton, std::size_t windows, std::vector<double>& worst) {
  for (std::size_t i = skeleton.size(); i-- > 0;) {
    if (skeleton.nodes[i].parent < 0) continue;
    const std::size_t parent = toSize(skeleton.nodes[i].parent);
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
  a.worst_tip = std::max(a.worst_tip, b.worst_tip);
  a.worst_held = std::max(a.worst_held, b.worst_held);
  return a;
}

ErrorMetric::ErrorMetric(const Skeleton& skeleton, const Motion& motion,
                         std::span<const double> shell_distances, double tolerance,
                         std::span<const HeldPoint> held)
    : skeleton_(skeleton),
      motion_(motion),
      shell_distances_(shell_distances),
      tolerance_(tolerance),
      held_(held),
      moving_(movingNodes(skeleton, motion.modified)),
      above_(nodesAbove(skeleton, moving_)),
      inherits_all_(inheritsAll(skeleton)) {}

// Nodes that hang on nothing that moves, and are above nothing that moves, are left out.
void ErrorMetric::computeBoth(std::span<const Transform> exact, std::span<const Transform> changed,
                              Worlds& worlds) const {
  if (!inherits_all_) {
    computeWorlds(skeleton_, exact, {}, worlds.exact);
    std::vector<Transform> all(exact.begin(), exact.end());
    for (std::size_t node : moving_) all[node] = changed[node];
    computeWorlds(skeleton_, all, {}, worlds.changed);
    return;
  }
  for (std::size_t node : above_) {
    const Affine local = toAffine(exact[node]);
    const int parent = skeleton_.nodes[node].parent;
    worlds.exact[node] = parent < 0 ? local : worlds.exact[toSize(parent)] * local;
    worlds.changed[node] = worlds.exact[node];
  }
  for (std::size_t node : moving_) {
    const Affine exact_local = toAffine(exact[node]), changed_local = toAffine(changed[node]);
    const int parent = skeleton_.nodes[node].parent;
    const std::size_t p = toSize(parent);
    worlds.exact[node] = parent < 0 ? exact_local : worlds.exact[p] * exact_local;
    worlds.changed[node] = parent < 0 ? changed_local : worlds.changed[p] * changed_local;
  }
}

MotionCursor ErrorMetric::motionCursor() const {
  if (!inherits_all_) return MotionCursor(skeleton_, motion_);
  std::vector<std::size_t> nodes = above_;
  nodes.insert(nodes.end(), moving_.begin(), moving_.end());
  return MotionCursor(skeleton_, motion_, nodes);
}

double ErrorMetric::errorOf(std::size_t node, const Affine& exact, const Affine& changed) const {
  const double origin_error = lengthOf(changed.translation - exact.translation);
  if (shell_distances_.empty() || shell_distances_[node] == 0.0) return origin_error;
  return origin_error + shell_distances_[node] * largestStretch(changed.linear - exact.linear);
}

template <class Visit>
void ErrorMetric::visitPoses(std::span<const KeyedTrack> tracks, std::span<const TrackKeys> keys,
                             std::span<const double> fractions, const Visit& visit) const {
  std::vector<TrackReader> readers;
  for (std::size_t i = 0; i < tracks.size(); ++i) readers.emplace_back(tracks[i], keys[i]);
  MotionCursor cursor = motionCursor();
  Worlds worlds{std::vector<Affine>(skeleton_.size()), std::vector<Affine>(skeleton_.size())};
  std::vector<Transform> changed(skeleton_.size());
  const auto visitAt = [&](std::size_t frame, double time_s, RotationMix mix,
                           std::span<const Transform> exact, bool is_between) {
    for (std::size_t node : moving_) changed[node] = exact[node];
    for (TrackReader& reader : readers) reader.read(frame, time_s, mix, changed);
    computeBoth(exact, changed, worlds);
    visit(frame, is_between, worlds);
  };
  const TimeGrid& grid = motion_.grid;
  for (std::size_t frame = 0; frame + 1 < grid.frame_count; ++frame) {
    pollCancel();
    const double start_s = grid.timeOf(frame), length_s = grid.timeOf(frame + 1) - start_s;
    for (double fraction : fractions) {
      // At a frame the motion holds its pose; nothing is to be interpolated.
      const double time_s = start_s + fraction * length_s;
      visitAt(frame, time_s, RotationMix::kArc,
              fraction == 0.0 ? motion_.localsOf(frame) : std::span(cursor.at(time_s).locals),
              fraction > 0.0);
    }
    // Between frames such players stray from the arc even with all keys, so they are held to
    // frames. (Cubic keys are the same to all players: measured between frames too.)
    visitAt(frame, start_s, RotationMix::kComponents, motion_.localsOf(frame), false);
  }
  visitAt(grid.frame_count - 1, grid.end_s, RotationMix::kArc,
          motion_.localsOf(grid.frame_count - 1), false);
}

// A point is held from its first frame to its last, and not beyond.
void ErrorMetric::addHeldErrors(std::size_t frame, bool is_between, const Worlds& worlds,
                                TipErrors& errors) const {
  const std::size_t windows = windowCount(motion_.grid.frame_count);
  for (const HeldPoint& point : held_) {
    if (frame < point.first_frame || frame + (is_between ? 1 : 0) > point.last_frame) continue;
    const Affine &exact = worlds.exact[point.node], &changed = worlds.changed[point.node];
    const double off =
        lengthOf(transformPoint(changed, point.offset) - transformPoint(exact, point.offset));
    double& worst = errors.below[point.node * windows + frame / kFramesPerWindow];
    const double scaled = off * tolerance_ / point.tolerance;
    if (!(scaled <= worst)) worst = scaled >= 0.0 ? scaled : HUGE_VAL;
    errors.worst_held = std::max(errors.worst_held, off);
  }
}

TipErrors ErrorMetric::measure(std::span<const KeyedTrack> tracks, std::span<const TrackKeys> keys,
                               std::span<const double> fractions) const {
  const std::size_t windows = windowCount(motion_.grid.frame_count);
  TipErrors errors;
  errors.below.resize(skeleton_.size() * windows, 0.0);
  visitPoses(tracks, keys, fractions,
             [&](std::size_t frame, bool is_between, const Worlds& worlds) {
               for (std::size_t node : moving_) {
                 const double error = errorOf(node, worlds.exact[node], worlds.changed[node]);
                 // Written so that an error that is NaN counts as unbounded.
                 double& worst = errors.below[node * windows + frame / kFramesPerWindow];
                 if (!(error <= worst)) worst = error >= 0.0 ? error : HUGE_VAL;
                 if (!(error <= errors.worst_tip))
                   errors.worst_tip = error >= 0.0 ? error : HUGE_VAL;
               }
               if (!held_.empty()) addHeldErrors(frame, is_between, worlds, errors);
             });
  passUpToParents(skeleton_, windows, errors.below);
  for (double error : errors.below) errors.worst = std::max(errors.worst, error);
  return errors;
}

std::vector<std::size_t> ErrorMetric::histogram(std::span<const KeyedTrack> tracks,
                                                std::span<const TrackKeys> keys, double most,
                                                std::size_t bins) const {
  std::vector<std::size_t> counts(bins, 0);
  constexpr double kAtFrames[] = {0.0};
  visitPoses(tracks, keys, kAtFrames, [&](std::size_t, bool, const Worlds& worlds) {
    for (std::size_t node : moving_) {
      const double error = errorOf(node, worlds.exact[node], worlds.changed[node]);
      const double bin = most > 0.0 ? error / most * static_cast<double>(bins) : 0.0;
      const bool is_last = !(bin < static_cast<double>(bins - 1));  // NaN too
      ++counts[is_last ? bins - 1 : toSize(bin)];
    }
  });
  return counts;
}

}  // namespace clipmill
