// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/resolve_clip.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/to_size.h"
#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/clip_report.h"
#include "stages/self_collision/exact/contact_report.h"
#include "stages/self_collision/exact/contact_restorer.h"
#include "stages/self_collision/exact/goal_choice.h"
#include "stages/self_collision/exact/grip_trajectory.h"
#include "stages/self_collision/exact/obstacle_report.h"
#include "stages/self_collision/exact/window_solver.h"

namespace clipmill::stages::self_collision {
namespace {

constexpr int kMaxRounds = 4;
constexpr int kMaxUnitRounds = 2;  // of arms that move as one unit
// Windows with a grip of a group, before pitches of both arms are tried.
constexpr std::size_t kMaxGripWindows = 3;
// What is tried for a clip with grips that no mode resolves: a correction over the whole clip,
// which aims beyond the target depths by a margin, or pitches of both arms. Neither margin is the
// better one for all clips.
struct GripAttempt {
  bool by_trajectory = false;
  double margin = 0.0;  // share of the contact distance
};
constexpr GripAttempt kGripAttempts[] = {{true, 0.2}, {true, 0.05}, {false, 0.0}};
constexpr int kMaxRestoreRounds = 2;  // of the contacts of a group
// Arms move as one unit from this many eases before their contact until as many after it.
constexpr double kLinkEases = 2.0;
constexpr double kGoalSlack = 0.002;  // of the height: points may be farther away for upper arms
constexpr int kMaxLimitRounds = 8;
constexpr double kRounding = 1e-9, kScaledShare = 0.999;  // of a limit

// The steps of the method on one clip.
class ClipResolver {
 public:
  explicit ClipResolver(ClipContext& clip)
      : clip_(clip),
        groups_(groupPairs(clip.skin.pairs(), clip.poser)),
        grips_(clip),
        start_depths_(clip.source.depths),
        outcomes_(groups_.size(), RestoreOutcome::kNoCandidate),
        tried_grips_(groups_.size()),
        attempts_(groups_.size()) {}

  StageResult run();

 private:
  std::vector<bool> penetratingSamples(const PairGroup& group) const;
  void resolveWindow(std::size_t group, const std::vector<std::size_t>& samples);
  bool resolveGroup(std::size_t group, int round);
  void resolveArmsAsUnit();
  std::size_t penetratingCount() const;
  void resolveAll(StageResult& report);
  void resolveWithGoals(StageResult& report);
  void improveGrips(StageResult& report);
  void startWithTrajectory(double margin);
  void resolveLimbs();
  std::vector<bool> samplesOfLayers(std::size_t group, std::vector<std::size_t>& limbs) const;
  void markLayers(std::size_t group, std::span<const std::size_t> samples,
                  std::vector<bool>& is_worse) const;
  bool dropWorseWindows(StageResult& report);
  bool dropJerkyLayers();
  bool dropLayers(const std::vector<bool>& is_dropped);
  bool scaleLayersBeyondLimits();
  void keepLimits(StageResult& report);
  std::size_t contactCount();
  void resolveUpperArms();
  void tryToFree(std::size_t group, const std::vector<std::size_t>& window);
  RestoreOutcome tryLayer(CorrectionLayer layer);
  RestoreOutcome restoreContacts(std::size_t group, std::span<const std::size_t> samples);
  void restoreContacts(std::size_t group);
  std::vector<std::string> reasonsForOpenContacts() const;

  ClipContext& clip_;
  std::vector<PairGroup> groups_;
  GoalGrips grips_;
  DepthTable start_depths_;               // of the source, or with the layers of its goals
  std::vector<RestoreOutcome> outcomes_;  // of the last contact of each group
  // Windows with a grip that were tried for each group.
  std::vector<std::vector<std::vector<std::size_t>>> tried_grips_;
  // Of each group, attempts that changed nothing.
  struct Attempt {
    std::vector<std::size_t> samples;
    std::vector<CorrectionLayer> layers;

    bool operator==(const Attempt&) const = default;
  };
  std::vector<std::vector<Attempt>> attempts_;
};

// Arms also move as one unit shortly before and after their contact, while their changes ease.
std::vector<bool> ClipResolver::penetratingSamples(const PairGroup& group) const {
  const DepthTable& depths = clip_.depths;
  const auto reach = toSize(kLinkEases * clip_.settings.ease_s / clip_.base.step_s());
  const std::vector<bool> is_linked = group.links.empty()
                                          ? std::vector<bool>(depths.sampleCount(), true)
                                          : clip_.source.linkedNear(group, reach);
  std::vector<bool> is_penetrating;
  for (std::size_t sample = 0; sample < depths.sampleCount(); ++sample) {
    is_penetrating.push_back(is_linked[sample] &&
                             depths.maxDepth_m(group.pairs, sample) > clip_.source.tolerance_m);
  }
  return is_penetrating;
}

// Does nothing where the same attempt changed nothing before.
void ClipResolver::resolveWindow(std::size_t group, const std::vector<std::size_t>& samples) {
  if (samples.empty()) return;
  Attempt attempt{samples, clip_.stack.layers()};
  std::vector<Attempt>& attempts = attempts_[group];
  if (std::find(attempts.begin(), attempts.end(), attempt) != attempts.end()) return;
  WindowSolver(clip_).resolve(groups_[group], group, samples);
  if (clip_.stack.layers() == attempt.layers) attempts.push_back(std::move(attempt));
}

// True if the group penetrates anywhere. A window with a grip is first resolved as a whole by
// modes that keep the grip; what is left, with and without grip apart.
bool ClipResolver::resolveGroup(std::size_t group, int round) {
  const auto windows = clip_.windowsOf(penetratingSamples(groups_[group]));
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

// Before the single arms, so that each of them needs little besides.
void ClipResolver::resolveArmsAsUnit() {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    for (int round = 0; !groups_[group].links.empty() && round < kMaxUnitRounds; ++round) {
      if (!resolveGroup(group, round) || clip_.stack.layers().empty()) break;
      clip_.update();
    }
  }
}

// The number of samples at which a limb penetrates, apart from upper arms.
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
  resolveArmsAsUnit();
  resolveLimbs();
  keepLimits(report);
}

// From the arms at their goals, where there are any.
void ClipResolver::resolveWithGoals(StageResult& report) {
  const GoalSteps steps{[&] {
                          attempts_.assign(groups_.size(), {});
                          tried_grips_.assign(groups_.size(), {});
                          grips_.hold();
                        },
                        [&](StageResult& own) { resolveAll(own); },
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
    tried_grips_.assign(groups_.size(), {});
    attempts_.assign(groups_.size(), {});
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

void ClipResolver::resolveLimbs() {
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

// Adds the limbs that the layers of the group move to `limbs`.
std::vector<bool> ClipResolver::samplesOfLayers(std::size_t group,
                                                std::vector<std::size_t>& limbs) const {
  std::vector<bool> is_active(clip_.depths.sampleCount(), false);
  for (const CorrectionLayer& layer : clip_.stack.layers()) {
    if (layer.group != group || layer.is_goal) continue;
    limbs.insert(limbs.end(), layer.mode.limbs.begin(), layer.mode.limbs.end());
    for (std::size_t s = 0; s < is_active.size(); ++s) {
      if (layer.isActive(s)) is_active[s] = true;
    }
  }
  return is_active;
}

// Marks the layers of the group that are active at one of the samples.
void ClipResolver::markLayers(std::size_t group, std::span<const std::size_t> samples,
                              std::vector<bool>& is_worse) const {
  const std::vector<CorrectionLayer>& layers = clip_.stack.layers();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].group == group && !layers[i].is_goal &&
        std::any_of(samples.begin(), samples.end(),
                    [&](std::size_t s) { return layers[i].isActive(s); })) {
      is_worse[i] = true;
    }
  }
}

// Removes the layers of windows that are not better than in the source. True if there were any.
bool ClipResolver::dropWorseWindows(StageResult& report) {
  std::vector<CorrectionLayer>& layers = clip_.stack.layers();
  std::vector<bool> is_worse(layers.size(), false);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    std::vector<std::size_t> limbs;
    const std::vector<bool> is_active = samplesOfLayers(group, limbs);
    const std::vector<std::size_t> pairs = clip_.pairsOf(limbs);
    for (const Window& span : findWindows(is_active, clip_.base.step_s(), 0.0, clip_.is_cycle)) {
      const std::vector<std::size_t> samples = samplesOf(span, is_active.size());
      const double tolerance_m = clip_.source.tolerance_m;
      const SpanMeasure now = measureOf(clip_.depths, pairs, samples, tolerance_m);
      if (now.isBetterThan(measureOf(clip_.source.depths, pairs, samples, tolerance_m)) ||
          now.isBetterThan(measureOf(start_depths_, pairs, samples, tolerance_m))) {
        continue;
      }
      markLayers(group, samples, is_worse);
      report.warnings.add("window_not_improved",
                          "no correction improves the window by all measures",
                          clip_.source_motion.clip_name + ": " + groups_[group].name);
    }
  }
  return dropLayers(is_worse);
}

// True if any is dropped.
bool ClipResolver::dropLayers(const std::vector<bool>& is_dropped) {
  std::vector<CorrectionLayer>& layers = clip_.stack.layers();
  std::vector<CorrectionLayer> kept;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!is_dropped[i]) kept.push_back(std::move(layers[i]));
  }
  const bool dropped = kept.size() < is_dropped.size();
  layers = std::move(kept);
  if (dropped) grips_.hold();
  if (dropped) clip_.update();
  return dropped;
}

// Removes the last layer of a limb whose jerk exceeds the limit, for example because a layer that
// made it smooth is gone. True if there is one.
bool ClipResolver::dropJerkyLayers() {
  const std::vector<CorrectionLayer>& layers = clip_.stack.layers();
  for (std::size_t i = layers.size(); i-- > 0;) {
    const auto& limbs = layers[i].mode.limbs;
    const bool is_smooth = std::all_of(limbs.begin(), limbs.end(), [&](std::size_t limb) {
      return clip_.stack.relativeJerkOf(limb) <= 1.0 + kRounding;
    });
    if (is_smooth) continue;
    for (const std::size_t limb : limbs) {
      for (std::size_t s = 0; s < clip_.depths.sampleCount(); ++s) {
        if (layers[i].isActive(s)) clip_.obstacles[limb][s].jerk = true;
      }
    }
    std::vector<bool> is_dropped(layers.size(), false);
    is_dropped[i] = true;
    return dropLayers(is_dropped);
  }
  return false;
}

// Lowers the layers of limbs that exceed a limit in the result, also between frames. True if there
// are any.
bool ClipResolver::scaleLayersBeyondLimits() {
  std::vector<CorrectionLayer>& layers = clip_.stack.layers();
  std::vector<double> share(layers.size(), 1.0);
  ClipSamples result(clip_.scene, clip_.result);
  for (std::size_t s = 0; s < result.count(); ++s) {
    const double grip =
        ClipSamples::isFrame(s) ? clip_.limits.gripUse(s, clip_.result.localsOf(s / 2)) : 0.0;
    for (std::size_t limb = 0; limb < clip_.poser.limbCount(); ++limb) {
      const double use = std::max(clip_.limitUse(result, limb, s).largest(),
                                  clip_.poser.limb(limb).is_leg ? 0.0 : grip);
      if (use <= 1.0 + kRounding) continue;
      for (std::size_t i = 0; i < layers.size(); ++i) {
        const std::size_t next = std::min(s + 1, result.count() - 1);
        const bool is_near = layers[i].isActive(s) || layers[i].isActive(next) ||
                             (s > 0 && layers[i].isActive(s - 1));
        if (layers[i].mode.moves(limb) && is_near) {
          share[i] = std::min(share[i], kScaledShare / use);
        }
      }
    }
  }
  bool is_any = false;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!(share[i] < 1.0)) continue;
    is_any = true;
    clip_.stack.keepWithinLimits(i);
    for (double& amount : layers[i].amounts) amount *= share[i];
  }
  if (is_any) grips_.hold();
  if (is_any) clip_.update();
  return is_any;
}

// Until the result keeps all limits and no window is worse than in the source. What no scaling
// brings within a limit is left.
void ClipResolver::keepLimits(StageResult& report) {
  for (int round = 0;; ++round) {
    if (scaleLayersBeyondLimits()) {
      if (round < kMaxLimitRounds) continue;
      dropLayers(std::vector<bool>(clip_.stack.layers().size(), true));
    }
    if (!dropWorseWindows(report) && !dropJerkyLayers()) return;
  }
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
  resolveLimbs();
  if (isKept()) return RestoreOutcome::kRestored;
  clip_.result = std::move(result);
  clip_.depths = depths;
  stack.layers() = std::move(layers);
  return RestoreOutcome::kPenetrates;
}

void ClipResolver::resolveUpperArms() {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (!groups_[group].yields) continue;
    for (const auto& window : clip_.windowsOf(penetratingSamples(groups_[group]))) {
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
  for (int round = 0; round < kMaxRounds && !left.empty(); ++round) {
    resolveWindow(group, left);
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

StageResult ClipResolver::run() {
  StageResult report;
  resolveWithGoals(report);
  improveGrips(report);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (groups_[group].links.empty()) restoreContacts(group);
  }
  resolveUpperArms();
  keepLimits(report);
  const ClipComparison comparison{
      clip_.poser,  clip_.source_motion,
      clip_.result, clip_.source,
      clip_.depths, contactsKept(clip_.scene, clip_.skin, clip_.source, clip_.result, clip_.trial)};
  reportClip(comparison, clip_.skin, report);
  reportContacts(clip_.scene, clip_.skin, clip_.source, clip_.result, clip_.trial, report);
  reportGoals(clip_, report);
  warnOfSideEffects(comparison, clip_.skin, reasonsForOpenContacts(), report);
  reportLimits(clip_, report);
  report.motion = std::move(clip_.result);
  return report;
}

}  // namespace

Result<StageResult> resolveClip(const Scene& scene, const humanoid::HumanoidMap& map,
                                const penetration::SelfPenetration& skin,
                                const SelfCollisionSettings& settings, const Motion& motion,
                                const retarget::ClipContacts* contacts) {
  ClipContext clip(scene, map, skin, settings, motion, contacts);
  return ClipResolver(clip).run();
}

}  // namespace clipmill::stages::self_collision
