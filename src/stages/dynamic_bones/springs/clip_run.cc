// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/clip_run.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "core/to_size.h"
#include "stages/dynamic_bones/skin/rest_approach.h"
#include "stages/dynamic_bones/springs/clip_cycle.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// All nodes whose transforms the simulation reads.
std::vector<std::size_t> nodesOfRig(const Rig& rig) {
  std::vector<std::size_t> nodes;
  for (const Slot& slot : rig.slots) nodes.push_back(toSize(slot.node));
  for (const Bone& bone : rig.bones) {
    for (int node : bone.path) nodes.push_back(toSize(node));
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace

bool avoidsSkin(const DynamicBonesSettings& settings) {
  return settings.colliders == ColliderSource::kSkin;
}

ClipRun::ClipRun(const Rig& rig, const ClipToRun& of, Motion& out)
    : rig_(rig),
      of_(of),
      clip_(of.clip),
      grid_(clip_.grid, of.step_s),
      cursor_(of.scene.skeleton, clip_, nodesOfRig(rig), authoredRateOf(of.scene, clip_),
              [&of](double start_s, double end_s) { return of.jumps.isIn(start_s, end_s); }),
      solver_(rig, of.settings, of.scene, of.step_s, of.loop_s),
      writer_(rig, of.settings, of.scene, clip_, out),
      history_(rig.bones.size(), rig.joints.size()),
      trace_(clip_.grid, of.loop_s > 0.0 ? rig.bones.size() : 0) {
  markStates();
}

// The clip's own velocity at its start: the central difference that the step uses as velocity, (p1
// - p-1) / 2h, where the cubic through the first four grid times extrapolates to the time before.
void ClipRun::addClipVelocity() {
  constexpr double kWeights[] = {-4.0, 7.0, -4.0, 1.0};
  const double start_s = clip_.grid.start_s;
  const double apart_s = std::min(of_.step_s, (clip_.grid.end_s - start_s) / 3.0);
  for (std::size_t i = 0; i < std::size(kWeights); ++i) {
    const double time_s = start_s + static_cast<double>(i) * apart_s;
    solver_.addToVelocity(cursor_.at(time_s).locals, kWeights[i] * 0.5 / apart_s);
  }
}

void ClipRun::preroll() {
  constexpr double kApproach_s = 0.75;
  const double start_s = clip_.grid.start_s, preroll_s = of_.settings.preroll_s;
  const std::size_t steps = stepsIn(preroll_s);
  if (avoidsSkin(of_.settings)) {
    approach(start_s - preroll_s, stepsIn(kApproach_s));
  } else {
    solver_.start(cursor_.at(start_s).locals, start_s - static_cast<double>(steps) * of_.step_s);
  }
  for (std::size_t i = steps; i-- > 0;) {
    solver_.step(cursor_.at(start_s).locals, start_s - static_cast<double>(i) * of_.step_s, 1.0,
                 nullptr);
  }
  addClipVelocity();
  solver_.startMoving();
}

void ClipRun::start() {
  solver_.start(cursor_.at(clip_.grid.start_s).locals, clip_.grid.start_s);
  addClipVelocity();
}

void ClipRun::continueFrom(const PriorEnds& prior) {
  solver_.continueFrom(cursor_.at(clip_.grid.start_s).locals, prior.ends, prior.ends_before);
}

void ClipRun::run(bool with_first) {
  run(
      with_first, [](std::size_t) {}, [](std::size_t, auto) {});
}

void ClipRun::runTraced() {
  run(
      true, [](std::size_t) {},
      [&](std::size_t frame, const auto& endOf) {
        const std::span<Vec3> ends = trace_.frame(frame);
        for (std::size_t b = 0; b < ends.size(); ++b) ends[b] = endOf(b);
      });
}

void ClipRun::runPulled() {
  std::vector<Vec3> ends(rig_.bones.size());
  const double start_s = clip_.grid.start_s, length_s = clip_.grid.end_s - start_s;
  const auto partAt = [&](std::size_t at) { return (grid_.timeOf(at) - start_s) / length_s; };
  run(
      true,
      [&](std::size_t reached) {
        trace_.readAt(grid_.timeOf(reached), ends);
        solver_.pullTo(ends, pullShare(partAt(reached - 1), partAt(reached)));
      },
      [](std::size_t, auto) {});
}

// `prepare` is called with the index of each step's end before the step, `take` with each frame and
// a function that gives the end of a bone in it.
template <class Prepare, class Take>
void ClipRun::run(bool with_first, const Prepare& prepare, const Take& take) {
  history_.clear();
  record(0);
  std::size_t frame = with_first ? 0 : 1;
  for (std::size_t reached = 1; reached <= grid_.stepCount(); ++reached) {
    const double time_s = grid_.timeOf(reached);
    prepare(reached);
    solver_.step(cursor_.at(time_s).locals, time_s, grid_.ratioOf(reached), &of_.jumps);
    record(reached);
    // A cubic between two grid times needs the one after them, which the last step does not have.
    const bool is_last = reached == grid_.stepCount();
    for (; frame < clip_.grid.frame_count; ++frame) {
      const auto [at, fraction] = grid_.locate(clip_.grid.timeOf(frame));
      const std::size_t needed = fraction <= 0.0 ? at : at + 2;
      if (!is_last && needed > reached) break;
      writer_.write(frame, history_, at, fraction);
      take(frame, [this, start = at, part = fraction](std::size_t bone) {
        return endOf(bone, start, part);
      });
    }
  }
}

// The end of a bone at `fraction` of the time from grid time `at` to the next.
Vec3 ClipRun::endOf(std::size_t bone, std::size_t at, double fraction) const {
  if (fraction > 0.0 && fraction < 1.0) return history_.position(bone, at, fraction);
  return history_.at(fraction <= 0.0 ? at : at + 1).positions[bone];
}

std::size_t ClipRun::stepsIn(double duration_s) const {
  return toSize(std::ceil(duration_s / of_.step_s));
}

// Moves from the rest pose to the first one, and ends at that time.
void ClipRun::approach(double end_s, std::size_t steps) {
  RestApproach poses(of_.scene.skeleton, rig_, cursor_.at(clip_.grid.start_s).locals);
  const auto timeOf = [&](std::size_t i) {
    return end_s - static_cast<double>(steps - i) * of_.step_s;
  };
  solver_.start(poses.at(0.0), timeOf(0));
  for (std::size_t i = 1; i <= steps; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(steps);
    solver_.step(poses.at(share), timeOf(i), 1.0, nullptr);
  }
}

// Marks the grid times whose states are needed for frames.
void ClipRun::markStates() {
  is_read_.assign(grid_.stepCount() + 3, false);
  for (std::size_t frame = 0; frame < clip_.grid.frame_count; ++frame) {
    const auto [at, fraction] = grid_.locate(clip_.grid.timeOf(frame));
    const std::size_t first = fraction <= 0.0 || at == 0 ? at : at - 1;
    const std::size_t last = fraction <= 0.0 ? at : at + 2;
    for (std::size_t i = first; i <= last; ++i) is_read_[i] = true;
  }
}

void ClipRun::record(std::size_t at) {
  GridSample& sample = history_.append(grid_.timeOf(at));
  if (!is_read_[at]) return;
  solver_.readEnds(sample.positions);
  solver_.readSwings(sample.swings);
  if (writer_.hasStretches()) solver_.readStretches(sample.stretches);
}

}  // namespace clipmill::stages::dynamic_bones
