// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/motion.h"

#include <algorithm>
#include <cmath>

#include "core/cancel.h"
#include "core/reserve.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

bool isMixed(const Motion& motion, int node, TrackPath path) {
  return !motion.source || motion.modified.has(node, path);
}

void mixNode(const Motion& motion, const Node& node, int index, const FramePair& frames,
             Pose& pose) {
  const std::size_t i = toSize(index);
  const Transform& a = motion.localsOf(frames.first)[i];
  const Transform& b = motion.localsOf(frames.second)[i];
  const double f = frames.fraction;
  Transform& local = pose.locals[i];
  if (isMixed(motion, index, TrackPath::kTranslation)) {
    local.translation = a.translation + (b.translation - a.translation) * f;
  }
  if (isMixed(motion, index, TrackPath::kRotation))
    local.rotation = slerp(a.rotation, b.rotation, f);
  if (isMixed(motion, index, TrackPath::kScale)) local.scale = a.scale + (b.scale - a.scale) * f;
  if (!isMixed(motion, index, TrackPath::kWeights)) return;
  for (int w = node.weights_start; w < node.weights_start + node.weights_count; ++w) {
    const std::size_t k = toSize(w);
    const double from = motion.weightsOf(frames.first)[k], to = motion.weightsOf(frames.second)[k];
    pose.weights[k] = from + (to - from) * f;
  }
}

void appendValue(const Motion& motion, const Node& node, int index, TrackPath path,
                 std::size_t frame, std::vector<double>& values) {
  const Transform& local = motion.localsOf(frame)[toSize(index)];
  switch (path) {
    case TrackPath::kTranslation:
      values.insert(values.end(), {local.translation.x, local.translation.y, local.translation.z});
      break;
    case TrackPath::kScale:
      values.insert(values.end(), {local.scale.x, local.scale.y, local.scale.z});
      break;
    case TrackPath::kRotation: {
      Quat q = local.rotation;
      if (frame > 0) {
        const double* before = values.data() + values.size() - 4;
        if (glm::dot(q, Quat(before[3], before[0], before[1], before[2])) < 0.0) q = -q;
      }
      values.insert(values.end(), {q.x, q.y, q.z, q.w});
      break;
    }
    case TrackPath::kWeights: {
      const auto weights =
          motion.weightsOf(frame).subspan(toSize(node.weights_start), toSize(node.weights_count));
      values.insert(values.end(), weights.begin(), weights.end());
      break;
    }
  }
}

int widthOf(const Node& node, TrackPath path) {
  if (path == TrackPath::kWeights) return node.weights_count;
  return path == TrackPath::kRotation ? 4 : 3;
}

}  // namespace

TimeGrid makeGrid(double start_s, double end_s, double fps) {
  TimeGrid grid{start_s, std::max(start_s, end_s), fps, 1};
  const double intervals = (grid.end_s - grid.start_s) * fps;
  if (!(intervals > 0.0)) return grid;
  // A duration within a thousandth of whole frames is whole, and so is one within a rounding
  // step of its ends: key times are stored as floats.
  constexpr double kRounding = 0x1p-23, kWhole = 1e-3;
  const double rounding = fps * kRounding * (std::abs(start_s) + std::abs(grid.end_s));
  const double whole = std::floor(intervals + 0.5);
  const bool is_whole = std::abs(intervals - whole) < std::max(kWhole, rounding) && whole > 0.0;
  const double count = is_whole ? whole : std::ceil(intervals);
  // So many that every limit is exceeded, and within the type, which has 32 bits in WebAssembly.
  constexpr double kMost = sizeof(std::size_t) > 4 ? 9e15 : 0x1p31;
  grid.frame_count = toSize(std::min(count, kMost)) + 1;
  return grid;
}

FramePair framesAround(const TimeGrid& grid, double time_s) {
  const std::size_t last = grid.frame_count - 1;
  if (time_s <= grid.start_s || last == 0) return {0, 0, 0.0};
  if (time_s >= grid.end_s) return {last, last, 0.0};
  std::size_t i = std::min(toSize((time_s - grid.start_s) * grid.fps), last - 1);
  while (i > 0 && grid.timeOf(i) > time_s) --i;
  while (i + 1 < last && grid.timeOf(i + 1) <= time_s) ++i;
  const double start = grid.timeOf(i), end = grid.timeOf(i + 1);
  return {i, i + 1, (time_s - start) / (end - start)};
}

std::vector<double> timesOf(const TimeGrid& grid) {
  std::vector<double> times_s(grid.frame_count);
  for (std::size_t i = 0; i < times_s.size(); ++i) times_s[i] = grid.timeOf(i);
  return times_s;
}

double motionBytes(const Skeleton& skeleton, const TimeGrid& grid) {
  return static_cast<double>(grid.frame_count) *
         static_cast<double>(skeleton.size() * sizeof(Transform) +
                             skeleton.rest_weights.size() * sizeof(double));
}

Motion sampleClip(const Skeleton& skeleton, const Clip& clip, int clip_index,
                  const TimeGrid& grid) {
  Motion motion;
  motion.clip_name = clip.name;
  motion.clip_index = clip_index;
  motion.grid = grid;
  motion.node_count = skeleton.size();
  motion.weight_count = skeleton.rest_weights.size();
  motion.modified = TrackMask(skeleton.size());
  motion.source = clip.source;
  const Pose rest = restPose(skeleton);
  reserveToFill(motion.locals, grid.frame_count * motion.node_count);
  motion.weights.reserve(grid.frame_count * motion.weight_count);
  const auto cursor = clip.source ? clip.source->cursor() : nullptr;
  for (std::size_t i = 0; i < grid.frame_count; ++i) {
    pollCancel();
    motion.locals.insert(motion.locals.end(), rest.locals.begin(), rest.locals.end());
    motion.weights.insert(motion.weights.end(), rest.weights.begin(), rest.weights.end());
    if (cursor) cursor->sample(grid.timeOf(i), motion.frame(i));
  }
  return motion;
}

Motion copyOf(const Motion& motion) {
  Motion copy;
  reserveToFill(copy.locals, motion.locals.size());
  copy = motion;
  return copy;
}

bool readsFrames(const Motion& motion, std::span<const std::size_t> nodes) {
  return !motion.source || std::any_of(nodes.begin(), nodes.end(), [&](std::size_t node) {
    return motion.modified.any(static_cast<int>(node));
  });
}

MotionCursor::MotionCursor(const Skeleton& skeleton, const Motion& motion)
    : motion_(motion),
      source_(motion.source ? motion.source->cursor() : nullptr),
      skeleton_(skeleton),
      pose_(restPose(skeleton)) {
  for (int i = 0; i < static_cast<int>(skeleton.size()); ++i) {
    if (!motion.source || motion.modified.any(i)) mixed_nodes_.push_back(i);
  }
}

MotionCursor::MotionCursor(const Skeleton& skeleton, const Motion& motion,
                           std::span<const std::size_t> nodes)
    : MotionCursor(skeleton, motion) {
  if (source_) source_->limitTo(nodes);
}

const Pose& MotionCursor::at(double time_s) {
  pollCancel();
  if (source_) {
    source_->sample(std::clamp(time_s, motion_.grid.start_s, motion_.grid.end_s), pose_.view());
  }
  const FramePair frames = framesAround(motion_.grid, time_s);
  for (int node : mixed_nodes_) {
    mixNode(motion_, skeleton_.nodes[toSize(node)], node, frames, pose_);
  }
  return pose_;
}

std::vector<Track> tracksOf(const Skeleton& skeleton, const Motion& motion) {
  auto times = std::make_shared<std::vector<double>>();
  for (std::size_t i = 0; i < motion.grid.frame_count; ++i) times->push_back(motion.grid.timeOf(i));
  std::vector<Track> tracks;
  for (int node = 0; node < static_cast<int>(skeleton.size()); ++node) {
    for (TrackPath path : kTrackPaths) {
      if (!motion.modified.has(node, path)) continue;
      pollCancel();
      const Node& described = skeleton.nodes[toSize(node)];
      Track track{node, path, Interpolation::kLinear, widthOf(described, path), times, {}};
      track.values.reserve(times->size() * toSize(track.width));
      for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
        appendValue(motion, described, node, path, i, track.values);
      }
      tracks.push_back(std::move(track));
    }
  }
  return tracks;
}

}  // namespace clipmill
