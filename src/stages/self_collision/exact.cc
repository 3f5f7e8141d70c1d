// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stages/self_collision/exact_closing.h"
#include "stages/self_collision/exact_depths.h"
#include "stages/self_collision/exact_layers.h"
#include "stages/self_collision/exact_limb.h"
#include "stages/self_collision/exact_pairs.h"
#include "stages/self_collision/exact_report.h"
#include "stages/self_collision/exact_samples.h"
#include "stages/self_collision/exact_skin.h"
#include "stages/self_collision/exact_solver.h"
#include "stages/self_collision/exact_source.h"
#include "stages/self_collision/exact_window_freer.h"
#include "stages/self_collision/exact_windows.h"

namespace clipmill {
namespace {

using namespace collision;  // NOLINT: this file is the method's front

constexpr int kMostRounds = 4;
constexpr int kMostRoundsAsOne = 2;
constexpr int kMostClosings = 2;  // of the touches of a group
// How long before and after arms hold each other they are moved as one.
constexpr double kLinkEases = 2.0;

// One clip on its way through the method.
class ClipFreeing {
 public:
  ClipFreeing(const Scene& scene, const HumanoidMap& map, const SelfPenetration& skin,
              const ExactSettings& settings, const Motion& motion, const LimbPoser& poser)
      : scene_(scene),
        skin_(skin),
        settings_(settings),
        motion_(motion),
        poser_(poser),
        trial_(scene, skin, poser),
        is_cycle_(motion.grid.frame_count > 1 &&
                  endsAsItBegins(scene.skeleton, map[HumanoidRole::kHips], motion)),
        source_(measureSource(scene, skin, poser, motion,
                              settings.tolerance_percent * 0.01 * skin.height_m(), trial_)),
        now_(source_.depths),
        groups_(groupPairs(skin.pairs(), poser)),
        outcomes_(groups_.size(), ClosingOutcome::kNoWay),
        is_held_(heldEnds(scene, map, poser, motion)),
        stack_(scene, poser, motion, settings, is_cycle_),
        result_(motion),
        base_motion_(linearBetweenFrames(motion, poser)),
        base_(scene, base_motion_) {}

  StageResult run();

 private:
  // The motion as players show it once the tracks of its limbs are written: linear between frames.
  static Motion linearBetweenFrames(Motion motion, const LimbPoser& poser) {
    for (std::size_t i = 0; i < poser.limbCount(); ++i) {
      for (const int joint : poser.limb(i).joints()) {
        motion.touched.set(joint, TrackPath::kRotation);
      }
    }
    return motion;
  }

  std::vector<bool> deepSamples(const PairGroup& group) const;
  bool freeGroup(std::size_t group);
  void remeasure();
  bool limbMoved(std::size_t limb, const PoseSpans& a, const PoseSpans& b) const;
  bool dropWorseWindows(StageResult& report);
  std::size_t touchCount();
  bool isAsFree(std::span<const std::size_t> pairs, const DepthTable& depths) const;
  ClosingOutcome tryClosing(Layer layer);
  ClosingOutcome closeTouches(std::size_t group, const std::vector<std::size_t>& samples);
  void closeTouches(std::size_t group);
  std::vector<std::string> reasonsOfLoss() const;
  void freeArmsAsOne();
  void freeLimbs();

  const Scene& scene_;
  const SelfPenetration& skin_;
  const ExactSettings& settings_;
  const Motion& motion_;
  const LimbPoser& poser_;
  SkinTrial trial_;
  bool is_cycle_;
  SourceMeasures source_;
  DepthTable now_;  // of result_
  std::vector<PairGroup> groups_;
  std::vector<ClosingOutcome> outcomes_;  // of the last touch of each group that was closed or not
  std::vector<std::vector<bool>> is_held_;
  LayerStack stack_;
  Motion result_;
  Motion base_motion_;
  ClipSamples base_;
};

// Arms are moved as one shortly before and after they hold each other, too: what each does fades.
std::vector<bool> ClipFreeing::deepSamples(const PairGroup& group) const {
  const std::size_t reach =
      static_cast<std::size_t>(kLinkEases * settings_.ease_s / base_.step_s());
  const std::vector<bool> is_linked = group.links.empty()
                                          ? std::vector<bool>(now_.sampleCount(), true)
                                          : source_.touchesNear(group.links, reach);
  std::vector<bool> is_deep;
  for (std::size_t sample = 0; sample < now_.sampleCount(); ++sample) {
    is_deep.push_back(is_linked[sample] &&
                      excess_m(group, now_, sample, source_.tolerance_m) > 0.0);
  }
  return is_deep;
}

// True where there was something to do.
bool ClipFreeing::freeGroup(std::size_t group) {
  const std::vector<bool> is_deep = deepSamples(groups_[group]);
  const std::vector<Window> windows =
      findWindows(is_deep, base_.step_s(), settings_.gap_s, is_cycle_);
  WindowSolver solver(poser_, settings_, source_, now_, is_held_, base_, trial_, stack_);
  for (const Window& window : windows) {
    std::vector<std::size_t> samples;
    for (const std::size_t sample : samplesOf(window, is_deep.size())) {
      if (is_deep[sample]) samples.push_back(sample);
    }
    WindowFreer(solver, stack_).free(groups_[group], group, samples);
  }
  return !windows.empty();
}

bool ClipFreeing::limbMoved(std::size_t limb, const PoseSpans& a, const PoseSpans& b) const {
  const std::vector<int> joints = poser_.limb(limb).joints();
  return std::any_of(joints.begin(), joints.end(), [&](int joint) {
    const std::size_t j = static_cast<std::size_t>(joint);
    return !(a.locals[j].rotation == b.locals[j].rotation);
  });
}

// Measures what is not as it was when it was measured last.
void ClipFreeing::remeasure() {
  Motion changed = stack_.apply();
  ClipSamples before(scene_, result_), after(scene_, changed);
  for (std::size_t sample = 0; sample < after.count(); ++sample) {
    const PoseSpans pose = after.at(sample), last = before.at(sample);
    std::vector<bool> is_stale(skin_.pairs().size(), false);
    bool is_any = false;
    for (std::size_t limb = 0; limb < poser_.limbCount(); ++limb) {
      if (!limbMoved(limb, pose, last)) continue;
      is_any = true;
      for (std::size_t pair = 0; pair < is_stale.size(); ++pair) {
        if (takesPart(poser_.limb(limb), skin_.pairs()[pair])) is_stale[pair] = true;
      }
    }
    if (!is_any) continue;
    trial_.begin(pose, {});
    for (std::size_t pair = 0; pair < is_stale.size(); ++pair) {
      if (is_stale[pair]) now_.at(sample, pair) = trial_.measure(pair);
    }
  }
  result_ = std::move(changed);
}

// Takes back the layers of windows that are not better than the clip was. True where there were
// any.
bool ClipFreeing::dropWorseWindows(StageResult& report) {
  std::vector<Layer>& layers = stack_.layers();
  std::vector<bool> is_worse(layers.size(), false);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::vector<bool> is_active(now_.sampleCount(), false);
    std::vector<std::size_t> limbs;
    for (const Layer& layer : layers) {
      if (layer.group != g) continue;
      limbs.insert(limbs.end(), layer.mode.limbs.begin(), layer.mode.limbs.end());
      for (std::size_t s = 0; s < is_active.size(); ++s) {
        if (layer.isActive(s)) is_active[s] = true;
      }
    }
    const std::vector<std::size_t> pairs = pairsOf(limbs, poser_, skin_.pairs());
    for (const Window& span : findWindows(is_active, base_.step_s(), 0.0, is_cycle_)) {
      const std::vector<std::size_t> samples = samplesOf(span, is_active.size());
      const double limit_m = source_.tolerance_m;
      if (measureOf(now_, pairs, samples, limit_m)
              .isBetterThan(measureOf(source_.depths, pairs, samples, limit_m))) {
        continue;
      }
      for (std::size_t i = 0; i < layers.size(); ++i) {
        if (layers[i].group == g && std::any_of(samples.begin(), samples.end(), [&](std::size_t s) {
              return layers[i].isActive(s);
            })) {
          is_worse[i] = true;
        }
      }
      report.warnings.add("window_left_as_it_was", "no change makes it better by all measures",
                          motion_.clip_name + ": " + groups_[g].name);
    }
  }
  std::vector<Layer> kept;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!is_worse[i]) kept.push_back(std::move(layers[i]));
  }
  const bool dropped = kept.size() < is_worse.size();
  layers = std::move(kept);
  if (dropped) remeasure();
  return dropped;
}

// How many touches of frames are kept.
std::size_t ClipFreeing::touchCount() {
  std::size_t count = 0;
  for (const auto& of_pair : touchesKept(scene_, skin_, source_, result_, trial_)) {
    count += static_cast<std::size_t>(std::count(of_pair.begin(), of_pair.end(), true));
  }
  return count;
}

// Whether the pairs are as free as they were, and nowhere worse than the clip.
bool ClipFreeing::isAsFree(std::span<const std::size_t> pairs, const DepthTable& depths) const {
  const std::vector<std::size_t> all = samplesOf({0, now_.sampleCount() - 1}, now_.sampleCount());
  const double limit_m = source_.tolerance_m;
  const SpanMeasure before = measureOf(depths, pairs, all, limit_m),
                    after = measureOf(now_, pairs, all, limit_m),
                    source = measureOf(source_.depths, pairs, all, limit_m);
  return after.deep <= before.deep && after.inside <= source.inside &&
         after.deepest_m <= std::max(before.deepest_m, limit_m);
}

// Keeps the change only where it is worse by no measure.
ClosingOutcome ClipFreeing::tryClosing(Layer layer) {
  const std::vector<std::size_t> pairs = pairsOf(layer.mode.limbs, poser_, skin_.pairs());
  const double smooth_enough = std::max(1.0, stack_.roughness());
  std::vector<Layer> layers = stack_.layers();
  stack_.layers().push_back(std::move(layer));
  if (stack_.shape(stack_.layers().size() - 1) > 1.0) {
    stack_.layers().pop_back();
    return ClosingOutcome::kTooRough;
  }
  const std::size_t touches = touchCount();
  const DepthTable depths = now_;
  Motion result = result_;
  const auto isKept = [&] {
    return isAsFree(pairs, depths) && touchCount() > touches && stack_.roughness() <= smooth_enough;
  };
  remeasure();
  if (isKept()) return ClosingOutcome::kClosed;
  freeLimbs();
  if (isKept()) return ClosingOutcome::kClosed;
  result_ = std::move(result);
  now_ = depths;
  stack_.layers() = std::move(layers);
  return ClosingOutcome::kNotFree;
}

ClosingOutcome ClipFreeing::closeTouches(std::size_t group,
                                         const std::vector<std::size_t>& samples) {
  TouchCloser closer(poser_, source_, base_, trial_, stack_);
  ClosingOutcome outcome = ClosingOutcome::kNoWay;
  for (Layer& layer : closer.waysToClose(groups_[group], samples)) {
    layer.group = group;
    outcome = tryClosing(std::move(layer));
    if (outcome == ClosingOutcome::kClosed) break;
  }
  return outcome;
}

void ClipFreeing::closeTouches(std::size_t group) {
  for (int round = 0; round < kMostClosings; ++round) {
    TouchCloser closer(poser_, source_, base_, trial_, stack_);
    const std::vector<bool> is_lost = closer.lostTouches(groups_[group]);
    bool any = false;
    for (const Window& window : findWindows(is_lost, base_.step_s(), settings_.gap_s, is_cycle_)) {
      std::vector<std::size_t> samples;
      for (const std::size_t sample : samplesOf(window, is_lost.size())) {
        if (is_lost[sample]) samples.push_back(sample);
      }
      outcomes_[group] = closeTouches(group, samples);
      any = any || outcomes_[group] == ClosingOutcome::kClosed;
    }
    if (!any) break;
  }
}

// What touched is given up for, one a pair.
std::vector<std::string> ClipFreeing::reasonsOfLoss() const {
  std::vector<std::string> reasons(skin_.pairs().size());
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (!groups_[group].links.empty()) continue;
    for (const std::size_t pair : groups_[group].pairs) reasons[pair] = textOf(outcomes_[group]);
  }
  return reasons;
}

// Arms that hold each other first, so that what each of them needs beside that is little.
void ClipFreeing::freeArmsAsOne() {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    for (int round = 0; !groups_[group].links.empty() && round < kMostRoundsAsOne; ++round) {
      if (!freeGroup(group) || stack_.layers().empty()) break;
      remeasure();
    }
  }
}

void ClipFreeing::freeLimbs() {
  for (int round = 0; round < kMostRounds; ++round) {
    bool was_busy = false, is_stale = false;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      if (!groups_[group].links.empty()) continue;
      if (is_stale && group > 0 && groups_[group].rank != groups_[group - 1].rank) {
        remeasure();
        is_stale = false;
      }
      is_stale = freeGroup(group) || is_stale;
      was_busy = was_busy || is_stale;
    }
    if (is_stale) remeasure();
    if (!was_busy) break;
  }
}

StageResult ClipFreeing::run() {
  StageResult report;
  freeArmsAsOne();
  freeLimbs();
  while (dropWorseWindows(report)) {
  }
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (groups_[group].links.empty()) closeTouches(group);
  }
  const FreedClip freed{poser_,  motion_, result_,
                        source_, now_,    touchesKept(scene_, skin_, source_, result_, trial_)};
  reportFreedClip(freed, skin_, report);
  warnOfLosses(freed, skin_, settings_.jerk_ratio, reasonsOfLoss(), report);
  report.motion = std::move(result_);
  return report;
}

}  // namespace

Result<StageResult> freeClip(const Scene& scene, const HumanoidMap& map,
                             const SelfPenetration& skin, const ExactSettings& settings,
                             const Motion& motion) {
  const LimbPoser poser(scene, map, movableLimbs(scene.skeleton, map));
  return ClipFreeing(scene, map, skin, settings, motion, poser).run();
}

}  // namespace clipmill
