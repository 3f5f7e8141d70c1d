// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/tissue_lane.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/to_size.h"
#include "stages/tet_bake/solve/frame_block.h"

namespace clipmill::stages::tet_bake {
namespace {

// A tangent is at most so many times the shorter difference beside it: no curve swings back before
// a jump (Fritsch and Carlson 1980).
constexpr double kMaxTangent = 3.0;

Vec3 tangentOf(const Vec3& before, const Vec3& after) {
  const Vec3 mean = 0.5 * (before + after);
  const double max = kMaxTangent * std::min(lengthOf(before), lengthOf(after));
  const double length = lengthOf(mean);
  return length > max ? mean * (max / length) : mean;
}

Vec3 between(const Vec3& a, const Vec3& b, double share) { return a + share * (b - a); }

Status checkDynamic(const TetSystem& system, double frame_s, const DynamicSettings& dynamic) {
  const auto isDamping = [](double d) { return d >= 0.0 && std::isfinite(d); };
  const std::vector<double>& own = dynamic.corner_damping_per_s;
  const bool is_good = frame_s > 0.0 && std::isfinite(frame_s) && dynamic.shear_speed_mps > 0.0 &&
                       std::isfinite(dynamic.shear_speed_mps) && dynamic.substeps > 0 &&
                       dynamic.max_sweeps > 0 && dynamic.step_tolerance >= 0.0 &&
                       isDamping(dynamic.damping_per_s) &&
                       (own.empty() || own.size() == system.corner_count) &&
                       std::all_of(own.begin(), own.end(), isDamping);
  if (is_good) return {};
  return Error{ErrorCode::kRecipe, "tet-bake", "a setting of the dynamics is out of range",
               "use times, speeds and counts above 0"};
}

}  // namespace

Result<TissueSteps> makeTissueSteps(const TetSystem& system, double frame_s,
                                    const DynamicSettings& dynamic) {
  CLIPMILL_CHECK(checkDynamic(system, frame_s, dynamic));
  TissueSteps steps;
  steps.frame_s = frame_s;
  steps.rate_hz = 1.5 * dynamic.substeps / frame_s;
  steps.damping_per_s = dynamic.corner_damping_per_s;
  if (steps.damping_per_s.empty()) {
    steps.damping_per_s.assign(system.corner_count, dynamic.damping_per_s);
  }
  steps.inertia.assign(system.corner_count, 0.0);
  const double edges_per_s = dynamic.shear_speed_mps / system.edge_m;
  for (std::size_t v = 0; v < system.corner_count; ++v) {
    // Without tetrahedra, none.
    if (!(system.inverse_mass[v] > 0.0)) continue;
    steps.inertia[v] = system.mean_mass / system.inverse_mass[v] * steps.rate_hz *
                       (steps.rate_hz + steps.damping_per_s[v]) / (edges_per_s * edges_per_s);
  }
  return steps;
}

TissueLane::TissueLane(const DynamicClip& clip, std::size_t corner_count) : clip_(&clip) {
  for (Bones* bones : {&before_, &now_, &after_}) {
    bones->start.resize(corner_count);
    bones->target.resize(corner_count);
    bones->tangent.resize(corner_count);
  }
  for (std::vector<Vec3>* values :
       {&position_, &position_before_, &velocity_, &velocity_before_, &free_, &force_}) {
    values->resize(corner_count);
  }
}

Vec3 TissueLane::bonesAt(std::size_t v, double share) const {
  const double s = share, rest = 1.0 - s;
  return before_.start[v] + s * s * (3.0 - 2.0 * s) * (now_.start[v] - before_.start[v]) +
         s * rest * rest * before_.tangent[v] - s * s * rest * now_.tangent[v];
}

Vec3 TissueLane::velocityOfBones(const TissueSteps& steps, std::size_t v, double share) const {
  const double s = share, rest = 1.0 - s;
  return (6.0 * s * rest * (now_.start[v] - before_.start[v]) +
          rest * (1.0 - 3.0 * s) * before_.tangent[v] + s * (3.0 * s - 2.0) * now_.tangent[v]) /
         steps.frame_s;
}

bool TissueLane::hasNext(std::size_t frame) const {
  return frame + 1 < clip_->frame_count || (clip_->is_cycle && clip_->frame_count > 1);
}

Status TissueLane::read(std::size_t frame, Bones& bones) const {
  clip_->source(frame, bones.start, bones.target);
  return checkFinite(bones.start, bones.target, frame);
}

Status TissueLane::startAt(std::span<const float> equilibrium) {
  for (std::size_t v = 0; v < position_.size(); ++v) {
    position_[v] = Vec3(equilibrium[3 * v], equilibrium[3 * v + 1], equilibrium[3 * v + 2]);
  }
  CLIPMILL_CHECK(read(0, now_));
  if (!hasNext(0)) return {};
  CLIPMILL_CHECK(read(1, after_));
  for (std::size_t v = 0; v < position_.size(); ++v) {
    now_.tangent[v] = after_.start[v] - now_.start[v];
  }
  return {};
}

void TissueLane::findTangents() {
  for (std::size_t v = 0; v < position_.size(); ++v) {
    const Vec3 to_now = now_.start[v] - before_.start[v];
    now_.tangent[v] = hasNext(frame_) ? tangentOf(to_now, after_.start[v] - now_.start[v]) : to_now;
  }
}

// What moves with the bones, without a force.
void TissueLane::resetHistory(const TissueSteps& steps, double share) {
  for (std::size_t v = 0; v < position_.size(); ++v) {
    velocity_[v] = velocity_before_[v] = velocityOfBones(steps, v, share);
    position_before_[v] = position_[v] - steps.step_s() * velocity_[v];
    force_[v] = Vec3(0.0);
  }
}

// The bones are at the end of the clip (before_): moves the tissue with them to its start (now_).
void TissueLane::restart() {
  const Quat& rotation = clip_->start_from_end;
  for (std::size_t v = 0; v < position_.size(); ++v) {
    const Vec3 own = position_[v];
    position_[v] = now_.start[v] + rotation * (own - before_.start[v]);
    position_before_[v] = position_[v] + rotation * (position_before_[v] - own);
    velocity_[v] = rotation * velocity_[v];
    velocity_before_[v] = rotation * velocity_before_[v];
    force_[v] = rotation * force_[v];
    now_.tangent[v] = rotation * before_.tangent[v];
  }
}

Status TissueLane::readNext(const TissueSteps& steps) {
  if (frame_ + 1 >= clip_->frame_count) {
    std::swap(before_, now_);
    CLIPMILL_CHECK(read(0, now_));
    CLIPMILL_CHECK(read(1, after_));
    restart();
    frame_ = 0;
  }
  std::swap(before_, now_);
  std::swap(now_, after_);
  ++frame_;
  if (hasNext(frame_)) CLIPMILL_CHECK(read(frame_ + 1, after_));
  findTangents();
  if (std::exchange(is_first_, false)) resetHistory(steps, 0.0);
  stats_ = FrameStats{};
  return {};
}

void TissueLane::predict(const TissueSteps& steps, const TetSystem& system, double share,
                         std::span<Vec3> start, std::span<Vec3> target) {
  const double rate = steps.rate_hz;
  for (std::size_t v = 0; v < start.size(); ++v) {
    const Vec3 held = bonesAt(v, share) + between(before_.target[v] - before_.start[v],
                                                  now_.target[v] - now_.start[v], share);
    const double damping = steps.damping_per_s[v];
    const Vec3 slope = (4.0 * velocity_[v] - velocity_before_[v]) / (2.0 * steps.step_s());
    free_[v] = (4.0 * position_[v] - position_before_[v]) / 3.0 +
               (slope + damping * velocityOfBones(steps, v, share)) / (rate * (rate + damping));
    // Forces change slowly.
    start[v] = free_[v] + force_[v];
    const double both = system.hold[v], hold = both - steps.inertia[v];
    target[v] = system.isFixed(v) || !(both > 0.0) ? held : between(free_[v], held, hold / both);
  }
}

void TissueLane::take(const TissueSteps& steps, double share, std::span<const Vec3> solved,
                      const FrameStats& stats) {
  for (std::size_t v = 0; v < solved.size(); ++v) {
    const Vec3 before = position_[v], velocity_before = velocity_[v];
    velocity_[v] = steps.rate_hz * (solved[v] - (4.0 * before - position_before_[v]) / 3.0);
    position_[v] = solved[v];
    position_before_[v] = before;
    velocity_before_[v] = velocity_before;
    force_[v] = solved[v] - free_[v];
  }
  // Corners that diverged are reset to the bones.
  if (!stats.is_solved) {
    for (std::size_t v = 0; v < position_.size(); ++v) position_[v] = bonesAt(v, share);
    resetHistory(steps, share);
  }
  stats_.sweeps += stats.sweeps;
  stats_.last_step = stats.last_step;
  stats_.is_solved = stats_.is_solved && stats.is_solved;
  stats_.has_converged = stats_.has_converged && stats.has_converged;
}

bool TissueLane::finishFrame(const FrameStats& measured) {
  FrameStats stats = measured;
  if (frame_ > 0) {
    stats.sweeps = stats_.sweeps;
    stats.last_step = stats_.last_step;
    stats.is_solved = stats_.is_solved && measured.is_solved;
    stats.has_converged = stats_.has_converged;
  }
  return clip_->sink(frame_, now_.start, position_, stats) && clip_->frame_count > 1;
}

}  // namespace clipmill::stages::tet_bake
