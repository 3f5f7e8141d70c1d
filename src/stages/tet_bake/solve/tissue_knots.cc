// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/tissue_knots.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kSameTime_s = 1e-6;

// Steps from the first frame to the last one, or around an open cycle.
std::size_t stepsOf(const SoftTissueClip& clip) {
  const bool is_open = clip.cycle && clip.cycle->is_open;
  return is_open ? clip.frame_count : std::max<std::size_t>(clip.frame_count, 1) - 1;
}

}  // namespace

std::size_t knotSteps(const SoftTissueClip& clip) {
  const std::size_t steps = stepsOf(clip);
  if (!(clip.knot_s > 0.0)) return steps;
  const double knots = std::floor(static_cast<double>(steps) * clip.frame_s / clip.knot_s + 0.5);
  // A clip of two knots has no motion between them.
  return std::min(steps, toSize(std::max(knots, 2.0)));
}

TissueKnots::TissueKnots(const SoftTissueClip& clip, std::size_t corner_count)
    : clip_(clip),
      corner_count_(corner_count),
      frame_steps_(stepsOf(clip)),
      steps_(knotSteps(clip)) {
  if (hasAll()) return;
  const bool is_open = clip.cycle && clip.cycle->is_open;
  offsets_.resize(is_open ? steps_ : steps_ + 1);
  stats_.resize(offsets_.size());
}

SoftTissueClip TissueKnots::clip() {
  SoftTissueClip knots = clip_;
  if (hasAll()) return knots;
  knots.frame_count = offsets_.size();
  const double length_s = static_cast<double>(frame_steps_) * clip_.frame_s;
  knots.frame_s = length_s / static_cast<double>(steps_);
  // Clips of equal rates are solved side by side.
  if (std::abs(knots.frame_s - clip_.knot_s) < kSameTime_s) knots.frame_s = clip_.knot_s;
  knots.source = [this](std::size_t knot, std::span<Vec3> start, std::span<Vec3> target) {
    read(knot, start, target);
  };
  knots.sink = [this](std::size_t knot, std::span<const Vec3> solved, const FrameStats& stats) {
    keep(knot, solved, stats);
  };
  return knots;
}

TissueKnots::Between TissueKnots::frameOf(std::size_t knot) const {
  const std::size_t at = knot * frame_steps_;
  return {at / steps_, static_cast<double>(at % steps_) / static_cast<double>(steps_)};
}

TissueKnots::Between TissueKnots::knotOf(std::size_t frame) const {
  const std::size_t at = frame * steps_;
  return {at / frame_steps_,
          static_cast<double>(at % frame_steps_) / static_cast<double>(frame_steps_)};
}

void TissueKnots::read(std::size_t knot, std::span<Vec3> start, std::span<Vec3> target) const {
  const Between frame = frameOf(knot);
  clip_.source(frame.before, start, target);
  // Behind the last frame of an open cycle bones stay.
  if (frame.share == 0.0 || frame.before + 1 >= clip_.frame_count) return;
  std::vector<Vec3> next_start(start.size()), next_target(target.size());
  clip_.source(frame.before + 1, next_start, next_target);
  for (std::size_t v = 0; v < start.size(); ++v) {
    start[v] += frame.share * (next_start[v] - start[v]);
    target[v] += frame.share * (next_target[v] - target[v]);
  }
}

void TissueKnots::keep(std::size_t knot, std::span<const Vec3> solved, const FrameStats& stats) {
  std::vector<Vec3> carried(corner_count_), target(corner_count_);
  read(knot, carried, target);
  std::vector<float>& offsets = offsets_[knot];
  offsets.reserve(3 * corner_count_);
  for (std::size_t v = 0; v < corner_count_; ++v) {
    const Vec3 offset = solved[v] - carried[v];
    for (int k = 0; k < 3; ++k) offsets.push_back(static_cast<float>(offset[k]));
  }
  stats_[knot] = stats;
}

// Beyond both ends of a cycle that of its other end.
Vec3 TissueKnots::offsetAt(std::ptrdiff_t knot, std::size_t corner) const {
  const auto count = static_cast<std::ptrdiff_t>(offsets_.size());
  const auto at = [&](std::ptrdiff_t k) {
    const float* offset = offsets_[toSize(k)].data() + 3 * corner;
    return Vec3(offset[0], offset[1], offset[2]);
  };
  if (knot >= 0 && knot < count) return at(knot);
  const auto period = static_cast<std::ptrdiff_t>(steps_);
  const Quat& rotation = clip_.cycle->rotation;
  return knot < 0 ? rotation * at(knot + period) : glm::conjugate(rotation) * at(knot - period);
}

Vec3 TissueKnots::offsetBetween(const Between& knot, std::size_t corner) const {
  const auto first = static_cast<std::ptrdiff_t>(knot.before);
  const auto at = [&](std::ptrdiff_t k) { return offsetAt(k, corner); };
  if (knot.share == 0.0) return at(first);
  // At the ends of a clip that is no cycle, one difference.
  const auto tangent = [&](std::ptrdiff_t k) {
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(offsets_.size()) - 1;
    const std::ptrdiff_t low = clip_.cycle ? k - 1 : std::max<std::ptrdiff_t>(k - 1, 0);
    const std::ptrdiff_t high = clip_.cycle ? k + 1 : std::min(k + 1, last);
    return (at(high) - at(low)) / static_cast<double>(high - low);
  };
  const double s = knot.share, rest = 1.0 - s;
  const Vec3 before = at(first), after = at(first + 1);
  return before + s * s * (3.0 - 2.0 * s) * (after - before) + s * rest * rest * tangent(first) -
         s * s * rest * tangent(first + 1);
}

void TissueKnots::write() const {
  if (hasAll()) return;
  std::vector<Vec3> positions(corner_count_), target(corner_count_);
  for (std::size_t frame = 0; frame < clip_.frame_count; ++frame) {
    const Between knot = knotOf(frame);
    clip_.source(frame, positions, target);
    for (std::size_t v = 0; v < corner_count_; ++v) positions[v] += offsetBetween(knot, v);
    clip_.sink(frame, positions, stats_[knot.before]);
  }
}

}  // namespace clipmill::stages::tet_bake
