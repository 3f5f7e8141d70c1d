// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact.h"

#include <algorithm>
#include <memory>
#include <optional>
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
#include "stages/self_collision/exact_windows.h"

namespace clipmill {
namespace {

using namespace collision;  // NOLINT: this file is the method's front

constexpr int kMostRounds = 4;
constexpr int kMostClosings = 2;  // of the touches of a group
constexpr double kUsedUp = 0.98;  // of the largest amount of a layer

// What a stretch of the clip is like, for the pairs that a group's limbs take part in.
struct SpanMeasure {
  std::size_t deep = 0, inside = 0;
  double deepest_m = 0.0;

  bool isBetterThan(const SpanMeasure& before) const {
    return deep <= before.deep && inside <= before.inside && deepest_m <= before.deepest_m &&
           (deep < before.deep || deepest_m < before.deepest_m);
  }
};

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
  void freeWindow(std::size_t group, const std::vector<std::size_t>& samples);
  bool raiseLayer(std::size_t group, const std::vector<std::size_t>& samples);
  void closeCycle(Layer& layer) const;
  void remeasure();
  bool limbMoved(std::size_t limb, const PoseSpans& a, const PoseSpans& b) const;
  SpanMeasure measureOf(std::span<const std::size_t> pairs, const Window& span,
                        const DepthTable& depths) const;
  bool dropWorseWindows(StageResult& report);
  std::size_t touchCount();
  void closeTouches();
  bool closeTouches(std::size_t group, const std::vector<std::size_t>& samples);

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
  std::vector<std::vector<bool>> is_held_;
  LayerStack stack_;
  Motion result_;
  Motion base_motion_;
  ClipSamples base_;
};

std::vector<bool> ClipFreeing::deepSamples(const PairGroup& group) const {
  std::vector<bool> is_deep;
  for (std::size_t sample = 0; sample < now_.sampleCount(); ++sample) {
    is_deep.push_back(excess_m(group, now_, sample, source_.tolerance_m) > 0.0);
  }
  return is_deep;
}

// The first and the last sample of a cycle are one.
void ClipFreeing::closeCycle(Layer& layer) const {
  if (!is_cycle_) return;
  double &first = layer.required.front(), &last = layer.required.back();
  first = last = std::max(first, last);
}

// True where a layer that is there was enough.
bool ClipFreeing::raiseLayer(std::size_t group, const std::vector<std::size_t>& samples) {
  WindowSolver solver(poser_, settings_, source_, now_, is_held_, base_, trial_, stack_);
  for (std::size_t i = stack_.layers().size(); i-- > 0;) {
    Layer& layer = stack_.layers()[i];
    const bool covers = std::all_of(samples.begin(), samples.end(), [&](std::size_t sample) {
      return layer.isActive(sample) && layer.amounts[sample] < kUsedUp * layer.mode.most;
    });
    if (layer.group != group || !covers) continue;
    const std::vector<double> before = layer.required;
    if (solver.require(groups_[group], i, samples, true) == 0) {
      closeCycle(layer);
      stack_.shape(i);
      return true;
    }
    layer.required = before;
  }
  return false;
}

void ClipFreeing::freeWindow(std::size_t group, const std::vector<std::size_t>& samples) {
  if (raiseLayer(group, samples)) return;
  WindowSolver solver(poser_, settings_, source_, now_, is_held_, base_, trial_, stack_);
  Layer layer;
  layer.group = group;
  layer.mode = solver.chooseMode(groups_[group], samples);
  layer.required.assign(now_.sampleCount(), 0.0);
  layer.amounts = layer.required;
  stack_.layers().push_back(std::move(layer));
  const std::size_t index = stack_.layers().size() - 1;
  solver.require(groups_[group], index, samples, false);
  const std::vector<double>& required = stack_.layers()[index].required;
  if (*std::max_element(required.begin(), required.end()) <= 0.0) {
    stack_.layers().pop_back();  // freed by what was done for others meanwhile
    return;
  }
  closeCycle(stack_.layers()[index]);
  stack_.shape(index);
}

// True where there was something to do.
bool ClipFreeing::freeGroup(std::size_t group) {
  const std::vector<bool> is_deep = deepSamples(groups_[group]);
  const std::vector<Window> windows =
      findWindows(is_deep, base_.step_s(), settings_.gap_s, is_cycle_);
  for (const Window& window : windows) {
    std::vector<std::size_t> samples;
    for (const std::size_t sample : samplesOf(window, is_deep.size())) {
      if (is_deep[sample]) samples.push_back(sample);
    }
    freeWindow(group, samples);
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

SpanMeasure ClipFreeing::measureOf(std::span<const std::size_t> pairs, const Window& span,
                                   const DepthTable& depths) const {
  SpanMeasure measure;
  for (const std::size_t sample : samplesOf(span, depths.sampleCount())) {
    bool is_deep = false;
    for (const std::size_t pair : pairs) {
      const PairDepth& depth = depths.at(sample, pair);
      is_deep = is_deep || depth.depth_m > source_.tolerance_m;
      measure.inside += depth.inside_count;
      measure.deepest_m = std::max(measure.deepest_m, depth.depth_m);
    }
    measure.deep += is_deep ? 1 : 0;
  }
  return measure;
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
      if (measureOf(pairs, span, now_).isBetterThan(measureOf(pairs, span, source_.depths))) {
        continue;
      }
      const std::vector<std::size_t> samples = samplesOf(span, is_active.size());
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

// Keeps the change only where it is worse by no measure. True where it was kept.
bool ClipFreeing::closeTouches(std::size_t group, const std::vector<std::size_t>& samples) {
  TouchCloser closer(poser_, source_, base_, trial_, stack_);
  std::optional<Layer> layer = closer.close(groups_[group], samples);
  if (!layer) return false;
  layer->group = group;
  closeCycle(*layer);
  const std::size_t touches = touchCount();
  const DepthTable depths = now_;
  const std::vector<std::size_t> pairs = pairsOf(layer->mode.limbs, poser_, skin_.pairs());
  stack_.layers().push_back(std::move(*layer));
  const double roughness = stack_.shape(stack_.layers().size() - 1);
  if (roughness <= 1.0) {
    Motion result = result_;
    remeasure();
    const Window whole{0, now_.sampleCount() - 1};
    const SpanMeasure before = measureOf(pairs, whole, depths),
                      after = measureOf(pairs, whole, now_),
                      source = measureOf(pairs, whole, source_.depths);
    const bool is_free = after.deep <= before.deep && after.inside <= source.inside &&
                         after.deepest_m <= std::max(before.deepest_m, source_.tolerance_m);
    if (is_free && touchCount() > touches) return true;
    result_ = std::move(result);
    now_ = depths;
  }
  stack_.layers().pop_back();
  return false;
}

void ClipFreeing::closeTouches() {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    for (int round = 0; round < kMostClosings; ++round) {
      TouchCloser closer(poser_, source_, base_, trial_, stack_);
      const std::vector<bool> is_lost = closer.lostTouches(groups_[group]);
      bool any = false;
      for (const Window& window :
           findWindows(is_lost, base_.step_s(), settings_.gap_s, is_cycle_)) {
        std::vector<std::size_t> samples;
        for (const std::size_t sample : samplesOf(window, is_lost.size())) {
          if (is_lost[sample]) samples.push_back(sample);
        }
        any = closeTouches(group, samples) || any;
      }
      if (!any) break;
    }
  }
}

StageResult ClipFreeing::run() {
  StageResult report;
  for (int round = 0; round < kMostRounds; ++round) {
    bool was_busy = false, is_stale = false;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
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
  while (dropWorseWindows(report)) {
  }
  closeTouches();
  reportFreedClip({poser_, motion_, result_, source_, now_,
                   touchesKept(scene_, skin_, source_, result_, trial_)},
                  skin_, report);
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
