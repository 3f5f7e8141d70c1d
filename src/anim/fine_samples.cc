// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/fine_samples.h"

#include <algorithm>
#include <bit>

#include "core/cancel.h"
#include "core/float_rounding.h"
#include "core/reserve.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

constexpr std::size_t kMaxPointsPerFrame = 16;
constexpr std::size_t kFewestPointsPerFrame = 4;
constexpr double kMaxPointsPerSecond = 1920.0;
constexpr std::size_t kKeptBytes = 32u << 20;

std::size_t pointsPerFrameAt(double fps) {
  std::size_t points = kMaxPointsPerFrame;
  while (points > kFewestPointsPerFrame && fps * static_cast<double>(points) > kMaxPointsPerSecond)
    points /= 2;
  return points;
}

}  // namespace

FineGrid::FineGrid(const Clip& clip, double fps)
    : frames_(makeGrid(clip.start_s, clip.end_s, fps)), per_frame_(pointsPerFrameAt(fps)) {}

double FineGrid::timeOf(std::size_t point) const {
  const std::size_t frame = point / per_frame_, rest = point % per_frame_;
  double time_s = frames_.timeOf(frame) - frames_.start_s;
  if (rest > 0) {
    const double next_s = frames_.timeOf(frame + 1) - frames_.start_s;
    time_s += (next_s - time_s) * (static_cast<double>(rest) / static_cast<double>(per_frame_));
  }
  return roundedToFloat(time_s);
}

void TrackValue::read(const Pose& pose, double* to) const {
  if (path == TrackPath::kWeights) {
    std::copy_n(pose.weights.begin() + static_cast<std::ptrdiff_t>(weights_start), width, to);
    return;
  }
  const Transform& local = pose.locals[toSize(node)];
  if (path == TrackPath::kRotation) {
    const Quat q = normalizedOrIdentity(local.rotation);
    to[0] = q.x;
    to[1] = q.y;
    to[2] = q.z;
    to[3] = q.w;
    return;
  }
  const Vec3& v = path == TrackPath::kScale ? local.scale : local.translation;
  for (int i = 0; i < 3; ++i) to[i] = v[i];
}

std::vector<TrackValue> valuesOf(const Skeleton& skeleton, const TrackMask& mask) {
  std::vector<TrackValue> values;
  for (int node = 0; node < static_cast<int>(skeleton.size()); ++node) {
    const Node& described = skeleton.nodes[toSize(node)];
    for (const TrackPath path : kTrackPaths) {
      if (!mask.has(node, path)) continue;
      std::size_t width = path == TrackPath::kRotation ? 4 : 3;
      if (path == TrackPath::kWeights) width = toSize(described.weights_count);
      if (width == 0) continue;
      values.push_back({node, path, width, toSize(described.weights_start)});
    }
  }
  return values;
}

ExactPoses::ExactPoses(const Skeleton& skeleton, const Clip& clip)
    : cursor_(clip.source ? clip.source->cursor() : nullptr),
      start_s_(clip.start_s),
      rest_(restPose(skeleton)) {
  const std::size_t bytes = rest_.locals.size() * sizeof(Transform) +
                            rest_.weights.size() * sizeof(double) + sizeof(Pose);
  max_kept_ = std::max<std::size_t>(kKeptBytes / bytes, 1);
}

const Pose& ExactPoses::at(double time_s) {
  if (kept_.size() >= max_kept_) {
    kept_.clear();
    position_of_.clear();
  }
  const auto [known, is_new] =
      position_of_.try_emplace(std::bit_cast<std::uint64_t>(time_s), kept_.size());
  if (is_new) {
    kept_.push_back(rest_);
    if (cursor_) cursor_->sample(start_s_ + time_s, kept_.back().view());
  }
  return kept_[known->second];
}

std::vector<std::vector<double>> sampleFine(const Skeleton& skeleton, const Clip& clip,
                                            const FineGrid& grid,
                                            std::span<const TrackValue> values) {
  std::vector<std::vector<double>> samples(values.size());
  const std::size_t points = grid.pointCount();
  for (std::size_t i = 0; i < values.size(); ++i) {
    reserveToFill(samples[i], points * values[i].width);
  }
  const auto cursor = clip.source ? clip.source->cursor() : nullptr;
  Pose pose = restPose(skeleton);
  for (std::size_t point = 0; point < points; ++point) {
    pollCancel();
    if (cursor) cursor->sample(clip.start_s + grid.timeOf(point), pose.view());
    for (std::size_t i = 0; i < values.size(); ++i) {
      samples[i].resize((point + 1) * values[i].width);
      double* to = samples[i].data() + point * values[i].width;
      values[i].read(pose, to);
      if (values[i].path != TrackPath::kRotation || point == 0) continue;
      const double* before = to - 4;
      const double dot =
          to[0] * before[0] + to[1] * before[1] + to[2] * before[2] + to[3] * before[3];
      if (dot < 0.0) std::transform(to, to + 4, to, [](double x) { return -x; });
    }
  }
  return samples;
}

}  // namespace clipmill
