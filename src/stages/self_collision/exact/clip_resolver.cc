// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/clip_resolver.h"

#include <algorithm>
#include <utility>

#include "core/to_size.h"
#include "stages/self_collision/exact/clip_report.h"
#include "stages/self_collision/exact/contact_report.h"
#include "stages/self_collision/exact/grip_trajectory.h"
#include "stages/self_collision/exact/obstacle_report.h"

namespace clipmill::stages::self_collision {
namespace {

constexpr int kMaxFreeRounds = 4;     // of upper arms
constexpr int kMaxRestoreRounds = 2;  // of the contacts of a group
// What is tried for a clip with grips that no mode resolves: a correction over the whole clip,
// which aims beyond the target depths by a margin, or pitches of both arms. Neither margin is the
// better one for all clips.
struct GripAttempt {
  bool by_trajectory = false;
  double margin = 0.0;  // share of the contact distance
};
constexpr GripAttempt kGripAttempts[] = {{true, 0.2}, {true, 0.05}, {false, 0.0}};
constexpr double kGoalSlack = 0.002;  // of the height: points may be farther away for upper arms

}  // namespace

std::size_t ClipResolver::penetratingCount() const {
  std::vector<std::size_t> pairs;
  for (const PairGroup& group : groups_) {
    if (!group.yields) pairs.insert(pairs.end(), group.pairs.begin(), group.pairs.end());
  }
  std::size_t count = 0;
  for (std::size_t s = 0; s < clip_.depths.sampleCount(); ++s) {
    count += clip_.depths.maxDepth_m(pairs, s) > clip_.source.tolerance_m ? 1 : 0;
  }
  return count;
}

void ClipResolver::resolveAll(StageResult& report) {
  rounds_.resolveArmsAsUnit();
  rounds_.resolveLimbs();
  limits_.keep(start_depths_, report);
}

// From the arms at their goals, where there are any.
void ClipResolver::resolveWithGoals(StageResult& report) {
  const GoalSteps steps{[&] {
                          rounds_.restart();
                          grips_.hold();
                        },
                        [&](StageResult& own) {
                          resolveAll(own);
                          if (!clip_.contacts) return;
                          resolveUpperArms();
                          limits_.keep(start_depths_, own);
                        },
                        [&] { return penetratingCount(); }};
  resolveFromGoals(clip_, groups_, steps, start_depths_, report);
  grips_.hold();
}

// Where a clip with grips still penetrates: all again, after one correction over the whole clip, or
// with pitches of both arms. The result that leaves least is kept; of equal ones, that which keeps
// more contacts.
void ClipResolver::improveGrips(StageResult& report) {
  if (clip_.source.grips.empty()) return;
  for (const GripAttempt& attempt : kGripAttempts) {
    const std::size_t before = penetratingCount();
    if (before == 0) return;
    clip_.tries_pitches = true;
    const std::size_t contacts = contactCount();
    std::vector<CorrectionLayer> layers = std::exchange(clip_.stack.layers(), {});
    grips_.hold();
    Motion result = clip_.result;
    DepthTable depths = clip_.depths;
    const auto obstacles = clip_.obstacles;
    rounds_.restart();
    clip_.update();
    StageResult other;
    if (attempt.by_trajectory) startWithTrajectory(attempt.margin);
    if (!attempt.by_trajectory || !clip_.stack.layers().empty()) resolveAll(other);
    const std::size_t left = penetratingCount();
    if (left < before || (left == before && contactCount() > contacts)) {
      report = std::move(other);
      continue;
    }
    clip_.stack.layers() = std::move(layers);
    grips_.hold();
    clip_.result = std::move(result);
    clip_.depths = std::move(depths);
    clip_.obstacles = obstacles;
  }
}

void ClipResolver::startWithTrajectory(double margin) {
  const auto joint = std::find_if(groups_.begin(), groups_.end(),
                                  [](const PairGroup& group) { return !group.links.empty(); });
  if (joint == groups_.end()) return;
  clip_.stack.layers() = gripTrajectory(clip_, *joint, toSize(joint - groups_.begin()), margin);
  clip_.update();
}

// The number of frames and pairs with a contact that is kept.
std::size_t ClipResolver::contactCount() {
  std::size_t count = 0;
  for (const auto& of_pair :
       contactsKept(clip_.scene, clip_.skin, clip_.source, clip_.result, clip_.trial)) {
    count += toSize(std::count(of_pair.begin(), of_pair.end(), true));
  }
  return count;
}

// Keeps the layer only if no measure becomes worse.
RestoreOutcome ClipResolver::tryLayer(CorrectionLayer layer) {
  CorrectionStack& stack = clip_.stack;
  const std::vector<std::size_t> pairs = clip_.pairsOf(layer.mode.limbs);
  const double jerk_limit = std::max(1.0, stack.relativeJerk());
  std::vector<CorrectionLayer> layers = stack.layers();
  stack.layers().push_back(std::move(layer));
  if (stack.fitEnvelope(stack.layers().size() - 1) > 1.0) {
    stack.layers().pop_back();
    return RestoreOutcome::kTooMuchJerk;
  }
  const std::size_t contacts = contactCount();
  const DepthTable depths = clip_.depths;
  Motion result = clip_.result;
  const auto isKept = [&] {
    return isAsFree(clip_.source, pairs, depths, clip_.depths) && contactCount() > contacts &&
           stack.relativeJerk() <= jerk_limit;
  };
  clip_.update();
  if (isKept()) return RestoreOutcome::kRestored;
  rounds_.resolveLimbs();
  if (isKept()) return RestoreOutcome::kRestored;
  clip_.result = std::move(result);
  clip_.depths = depths;
  stack.layers() = std::move(layers);
  return RestoreOutcome::kPenetrates;
}

void ClipResolver::resolveUpperArms() {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (!groups_[group].yields) continue;
    for (const auto& window : clip_.windowsOf(rounds_.penetratingSamples(group))) {
      tryToFree(group, window);
    }
  }
}

// Keeps what resolves the window only if no measure of the limb becomes worse for it and no contact
// opens.
void ClipResolver::tryToFree(std::size_t group, const std::vector<std::size_t>& window) {
  CorrectionStack& stack = clip_.stack;
  const std::vector<std::size_t> pairs = clip_.pairsOf(groups_[group].limbs);
  const double jerk_limit = std::max(1.0, stack.relativeJerk());
  const std::vector<CorrectionLayer> layers = stack.layers();
  const std::size_t contacts = contactCount();
  const DepthTable depths = clip_.depths;
  const Motion result = clip_.result;
  const double goal_error_m = goalErrorOf(clip_);
  std::vector<std::size_t> left = window;
  for (int round = 0; round < kMaxFreeRounds && !left.empty(); ++round) {
    rounds_.resolveWindow(group, left);
    clip_.update();
    std::erase_if(left, [&](std::size_t sample) {
      return clip_.depths.maxDepth_m(groups_[group].pairs, sample) <= clip_.source.tolerance_m;
    });
  }
  if (isAsFree(clip_.source, pairs, depths, clip_.depths) && contactCount() >= contacts &&
      stack.relativeJerk() <= jerk_limit &&
      goalErrorOf(clip_) <= goal_error_m + kGoalSlack * clip_.source.height_m) {
    return;
  }
  stack.layers() = layers;
  clip_.result = result;
  clip_.depths = depths;
}

RestoreOutcome ClipResolver::restoreContacts(std::size_t group,
                                             std::span<const std::size_t> samples) {
  RestoreOutcome outcome = RestoreOutcome::kNoCandidate;
  for (CorrectionLayer& layer : ContactRestorer(clip_).candidateLayers(groups_[group], samples)) {
    layer.group = group;
    outcome = tryLayer(std::move(layer));
    if (outcome == RestoreOutcome::kRestored) break;
  }
  return outcome;
}

void ClipResolver::restoreContacts(std::size_t group) {
  for (int round = 0; round < kMaxRestoreRounds; ++round) {
    bool any = false;
    for (const auto& samples :
         clip_.windowsOf(ContactRestorer(clip_).openContacts(groups_[group]))) {
      outcomes_[group] = restoreContacts(group, samples);
      any = any || outcomes_[group] == RestoreOutcome::kRestored;
    }
    if (!any) break;
  }
}

// One per pair.
std::vector<std::string> ClipResolver::reasonsForOpenContacts() const {
  std::vector<std::string> reasons(clip_.skin.pairs().size());
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (!groups_[group].links.empty()) continue;
    for (const std::size_t pair : groups_[group].pairs) reasons[pair] = textOf(outcomes_[group]);
  }
  return reasons;
}

void ClipResolver::resolve() {
  resolveWithGoals(report_);
  improveGrips(report_);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (groups_[group].links.empty()) restoreContacts(group);
  }
  resolveUpperArms();
  limits_.keep(start_depths_, report_);
}

StageResult ClipResolver::report() {
  const ClipComparison comparison{
      clip_.poser,  clip_.source_motion,
      clip_.result, clip_.source,
      clip_.depths, contactsKept(clip_.scene, clip_.skin, clip_.source, clip_.result, clip_.trial)};
  reportClip(comparison, clip_.skin, report_);
  reportContacts(clip_.scene, clip_.skin, clip_.source, clip_.result, clip_.trial, report_);
  reportGoals(clip_, report_);
  warnOfSideEffects(comparison, clip_.skin, reasonsForOpenContacts(), report_);
  reportLimits(clip_, report_);
  report_.motion = std::move(clip_.result);
  return std::move(report_);
}

}  // namespace clipmill::stages::self_collision
