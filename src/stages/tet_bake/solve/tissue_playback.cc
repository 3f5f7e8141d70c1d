// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/tissue_playback.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/smooth_step.h"
#include "core/to_size.h"
#include "core/units.h"

namespace clipmill::stages::tet_bake {
namespace {

// Two, because in one alone velocities may differ.
constexpr int kCloseFrames = 2;

Vec3 offsetAt(const std::vector<float>& offsets, std::size_t corner) {
  const float* at = offsets.data() + 3 * corner;
  return {at[0], at[1], at[2]};
}

void setOffset(const Vec3& offset, std::size_t corner, std::vector<float>& offsets) {
  for (int k = 0; k < 3; ++k) offsets[3 * corner + toSize(k)] = static_cast<float>(offset[k]);
}

}  // namespace

TissuePlayback::TissuePlayback(const SoftTissueClip& clip, std::size_t corner_count,
                               const SoftTissueSettings& tissue)
    : clip_(clip),
      corner_count_(corner_count),
      tolerance_m_(tissue.loop_tolerance_mm * kMetresInMillimetre),
      max_cycles_(tissue.max_loop_cycles) {
  if (!clip.cycle) return;
  now_.assign(end() + 1, {});
  stats_.resize(end() + 1);
}

DynamicClip TissuePlayback::clip() {
  DynamicClip clip;
  clip.frame_count = clip_.cycle ? end() + 1 : clip_.frame_count;
  clip.source = [this](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
    read(frame, start, target);
  };
  clip.sink = [this](std::size_t frame, std::span<const Vec3> carried, std::span<const Vec3> solved,
                     const FrameStats& stats) { return keep(frame, carried, solved, stats); };
  clip.is_cycle = clip_.cycle.has_value();
  if (clip_.cycle) clip.start_from_end = clip_.cycle->rotation;
  return clip;
}

void TissuePlayback::read(std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) const {
  if (frame < clip_.frame_count) return clip_.source(frame, start, target);
  clip_.source(frame - end(), start, target);
  const TissueCycle& cycle = *clip_.cycle;
  const Quat forth = glm::conjugate(cycle.rotation);
  for (std::span<Vec3> positions : {start, target}) {
    for (Vec3& position : positions) position = cycle.from + forth * (position - cycle.to);
  }
}

bool TissuePlayback::keep(std::size_t frame, std::span<const Vec3> carried,
                          std::span<const Vec3> solved, const FrameStats& stats) {
  if (clip_.cycle) {
    stats_[frame] = stats;
    return keepOfCycle(frame, carried, solved);
  }
  clip_.sink(frame, solved, stats);
  return frame + 1 < clip_.frame_count;
}

bool TissuePlayback::keepOfCycle(std::size_t frame, std::span<const Vec3> carried,
                                 std::span<const Vec3> solved) {
  Offsets& offsets = now_[frame];
  offsets.resize(3 * corner_count_);
  for (std::size_t v = 0; v < corner_count_; ++v) setOffset(solved[v] - carried[v], v, offsets);
  double square = 0.0;
  for (std::size_t v = 0; v < corner_count_ && !before_.empty(); ++v) {
    const Vec3 path = offsetAt(offsets, v) - offsetAt(before_[frame], v);
    square = std::max(square, glm::dot(path, path));
  }
  run_.loop_gap_m = std::sqrt(square);
  const bool is_close = !before_.empty() && run_.loop_gap_m <= tolerance_m_;
  close_frames_ = is_close ? close_frames_ + 1 : 0;
  const bool is_last = frame == end() && !before_.empty() && run_.cycles >= max_cycles_;
  if (close_frames_ >= kCloseFrames || is_last) {
    write(frame);
    before_ = now_ = {};
    return false;
  }
  if (frame == end()) startCycle();
  return true;
}

void TissuePlayback::startCycle() {
  before_ = std::move(now_);
  now_.assign(end() + 1, {});
  now_[0].resize(3 * corner_count_);
  for (std::size_t v = 0; v < corner_count_; ++v) {
    setOffset(clip_.cycle->rotation * offsetAt(before_.back(), v), v, now_[0]);
  }
  close_frames_ = 0;
  ++run_.cycles;
}

void TissuePlayback::write(std::size_t fade_end) const {
  std::vector<Vec3> positions(corner_count_), target(corner_count_);
  for (std::size_t frame = 0; frame < clip_.frame_count; ++frame) {
    clip_.source(frame, positions, target);
    const double share =
        frame < fade_end ? smoothStep(static_cast<double>(frame) / static_cast<double>(fade_end))
                         : 1.0;
    for (std::size_t v = 0; v < corner_count_; ++v) {
      const Vec3 before = offsetAt(before_[frame], v);
      const Vec3 now = frame < fade_end ? offsetAt(now_[frame], v) : before;
      positions[v] += now + share * (before - now);
    }
    clip_.sink(frame, positions, stats_[frame]);
  }
}

}  // namespace clipmill::stages::tet_bake
