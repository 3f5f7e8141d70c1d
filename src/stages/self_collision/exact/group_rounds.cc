// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/group_rounds.h"

#include <algorithm>
#include <utility>

#include "core/to_size.h"
#include "stages/self_collision/exact/window_solver.h"

namespace clipmill::stages::self_collision {
namespace {

constexpr int kMaxRounds = 4;
constexpr int kMaxUnitRounds = 2;  // of arms that move as one unit
// Windows with a grip of a group, before pitches of both arms are tried.
constexpr std::size_t kMaxGripWindows = 3;
// Arms move as one unit from this many eases before their contact until as many after it.
constexpr double kLinkEases = 2.0;

}  // namespace

std::vector<bool> GroupRounds::penetratingSamples(std::size_t index) const {
  const PairGroup& group = groups_[index];
  const DepthTable& depths = clip_.depths;
  const auto reach = toSize(kLinkEases * clip_.settings.ease_s / clip_.base.step_s());
  const std::vector<bool> is_linked = group.links.empty()
                                          ? std::vector<bool>(depths.sampleCount(), true)
                                          : clip_.source.linkedNear(group, reach);
  const double tolerance_m = clip_.toleranceOf_m(group.limbs);
  std::vector<bool> is_penetrating;
  for (std::size_t sample = 0; sample < depths.sampleCount(); ++sample) {
    is_penetrating.push_back(is_linked[sample] &&
                             depths.maxDepth_m(group.pairs, sample) > tolerance_m);
  }
  return is_penetrating;
}

void GroupRounds::resolveWindow(std::size_t group, const std::vector<std::size_t>& samples) {
  if (samples.empty()) return;
  Attempt attempt{samples, clip_.stack.layers()};
  std::vector<Attempt>& attempts = attempts_[group];
  if (std::find(attempts.begin(), attempts.end(), attempt) != attempts.end()) return;
  WindowSolver(clip_).resolve(groups_[group], group, samples);
  if (clip_.stack.layers() == attempt.layers) attempts.push_back(std::move(attempt));
}

// True if the group penetrates anywhere. A window with a grip is first resolved as a whole by
// modes that keep the grip; what is left, with and without grip apart.
bool GroupRounds::resolveGroup(std::size_t group, int round) {
  const auto windows = clip_.windowsOf(penetratingSamples(group));
  for (const auto& samples : windows) {
    std::vector<std::size_t> gripped, others;
    for (const std::size_t sample : samples) {
      (clip_.source.is_gripped[sample] ? gripped : others).push_back(sample);
    }
    const bool is_arm = !clip_.poser.limb(groups_[group].limbs[0]).is_leg;
    if (!is_arm || round == 0 || gripped.empty()) {
      resolveWindow(group, samples);
      continue;
    }
    // What did not change since the last attempt stays.
    std::vector<std::vector<std::size_t>>& tried = tried_grips_[group];
    if ((clip_.tries_pitches || tried.size() < kMaxGripWindows) &&
        std::find(tried.begin(), tried.end(), gripped) == tried.end()) {
      resolveWindow(group, gripped);
      tried.push_back(std::move(gripped));
    }
    resolveWindow(group, others);
  }
  return !windows.empty();
}

void GroupRounds::resolveArmsAsUnit() {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    for (int round = 0; !groups_[group].links.empty() && round < kMaxUnitRounds; ++round) {
      if (!resolveGroup(group, round) || clip_.stack.layers().empty()) break;
      clip_.update();
    }
  }
}

void GroupRounds::resolveLimbs() {
  for (int round = 0; round < kMaxRounds; ++round) {
    bool was_busy = false, is_stale = false;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      if (!groups_[group].links.empty() || groups_[group].yields) continue;
      if (is_stale && group > 0 && groups_[group].rank != groups_[group - 1].rank) {
        clip_.update();
        is_stale = false;
      }
      is_stale = resolveGroup(group, round) || is_stale;
      was_busy = was_busy || is_stale;
    }
    if (is_stale) clip_.update();
    if (!was_busy) break;
  }
}

void GroupRounds::restart() {
  attempts_.assign(groups_.size(), {});
  tried_grips_.assign(groups_.size(), {});
}

}  // namespace clipmill::stages::self_collision
