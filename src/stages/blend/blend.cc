// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/blend.h"

#include <algorithm>

#include "core/parallel.h"
#include "scene/resample.h"
#include "stages/blend/mix_frames.h"
#include "stages/blend/other_clips.h"
#include "stages/blend/plan.h"
#include "stages/blend/root_blend.h"

namespace clipmill {
namespace {

using namespace blend;  // NOLINT: this file is the room's front

Error recipeError(const std::string& place, std::string message, std::string remedy) {
  return {ErrorCode::kRecipe, place, std::move(message), std::move(remedy)};
}

Status checkWishes(const BlendSettings& settings) {
  const bool is_difference = settings.mode == BlendMode::kDifference;
  if (settings.with.empty() && !is_difference) {
    return recipeError("with", "names no other clip", "give one, e.g. --with Run");
  }
  if (settings.with.size() > 1 && (settings.mode == BlendMode::kFade || is_difference)) {
    return recipeError("with", "names several clips, and this mode takes one",
                       "leave out the others, or choose the mode mix");
  }
  if (settings.with.empty() && settings.reference == BlendReference::kRest) {
    return recipeError("reference", "the difference from the rest pose is the clip itself",
                       "choose begin, or name a clip whose first pose it is");
  }
  if (settings.method == BlendMethod::kReference &&
      (settings.mode != BlendMode::kFade || settings.sync || !settings.mask.empty())) {
    return recipeError("method", "the published blend is a fade of two clips by time",
                       "leave out mode, sync and mask");
  }
  return {};
}

// The published method is a special case of the fade.
BlendSettings effective(BlendSettings settings) {
  if (settings.method == BlendMethod::kReference) {
    settings.ease = BlendEase::kLinear;
    settings.root_motion = BlendRoot::kPlace;
  }
  return settings;
}

bool isSameGrid(const TimeGrid& a, const TimeGrid& b) {
  return a.begin_s == b.begin_s && a.end_s == b.end_s && a.fps == b.fps &&
         a.frame_count == b.frame_count;
}

// One clip on its way through the stage.
class ClipBlend {
 public:
  ClipBlend(const Scene& scene, std::span<const OtherClip> others, std::span<const double> factors,
            const Motion& motion, const BlendSettings& settings)
      : scene_(scene), others_(others), factors_(factors), motion_(motion), settings_(settings) {}

  Status run();
  StageResult takeResult() { return std::move(result_); }

 private:
  Status chooseCarrier();
  Result<BlendPlan> makePlan() const;
  void beginResult(const BlendPlan& plan);
  void align(const BlendPlan& plan);
  void add(const BlendPlan& plan);
  void makeDifference();
  void report(const BlendPlan& plan);
  bool isFade() const { return settings_.mode == BlendMode::kFade; }

  const Scene& scene_;
  std::span<const OtherClip> others_;
  std::span<const double> factors_;  // one a node
  const Motion& motion_;
  const BlendSettings& settings_;
  int carrier_ = -1;             // the node that carries the way; -1 for none
  double carrier_factor_ = 1.0;  // what the mask leaves to it
  std::vector<Part> parts_;
  StageResult result_;
};

Status ClipBlend::chooseCarrier() {
  std::vector<Part> clips = {{&motion_, {}}};
  for (const OtherClip& other : others_) clips.push_back({&other.motion, {}});
  CLIPMILL_TRY(carrier_, findCarrier(scene_, clips, settings_.root));
  if (carrier_ >= 0) carrier_factor_ = factors_[static_cast<std::size_t>(carrier_)];
  return {};
}

Result<BlendPlan> ClipBlend::makePlan() const {
  std::vector<PartClip> clips = {{motion_.grid, motion_.clip_name, 1.0}};
  for (std::size_t i = 0; i < others_.size(); ++i) {
    clips.push_back({others_[i].motion.grid, others_[i].name, settings_.with[i].weight});
  }
  if (isFade()) return planFade(clips[0], clips[1], settings_);
  if (settings_.mode == BlendMode::kMix) return planMix(clips, settings_.sync, carrier_factor_);
  return planAdd(clips, settings_.sync);
}

// On its own frames the clip keeps its tracks where no other comes in.
void ClipBlend::beginResult(const BlendPlan& plan) {
  result_.motion = isSameGrid(plan.grid, motion_.grid) ? motion_ : parts_[0].played;
}

void ClipBlend::align(const BlendPlan& plan) {
  if (settings_.root_motion == BlendRoot::kPlace || carrier_ < 0) return;
  const RootBlend root =
      alignParts(scene_, plan, carrier_, carrier_factor_, parts_, result_.warnings);
  result_.metrics.push_back({"aligned_turn_deg", {}, root.turn_rad / kDegree});
  result_.metrics.push_back({"aligned_shift_m", {}, root.shift_m});
  const std::string& name = scene_.skeleton.nodes[static_cast<std::size_t>(carrier_)].name;
  result_.points = {{name, carrier_, name, Vec3(0.0)}};
}

void ClipBlend::add(const BlendPlan& plan) {
  std::vector<Pose> references;
  for (const OtherClip& other : others_) {
    references.push_back(settings_.reference == BlendReference::kRest ? restPose(scene_.skeleton)
                                                                      : firstPose(other.motion));
  }
  addParts(scene_.skeleton, plan, parts_, references, factors_, result_.motion);
}

// Over the rest pose, so that it can be looked at, and be added with rest as the reference.
void ClipBlend::makeDifference() {
  const Pose reference = firstPose(others_.empty() ? motion_ : others_[0].motion);
  const Pose rest = restPose(scene_.skeleton);
  const Motion resting = resampled(scene_, motion_, motion_.grid, timesOf(motion_.grid));
  result_.motion = resting;
  for (std::size_t frame = 0; frame < resting.grid.frame_count; ++frame) {
    const PoseView pose = result_.motion.frame(frame);
    std::copy(rest.locals.begin(), rest.locals.end(), pose.locals.begin());
    std::copy(rest.weights.begin(), rest.weights.end(), pose.weights.begin());
  }
  PartPlan whole;  // addParts() looks at weights only
  whole.weight.assign(motion_.grid.frame_count, 1.0);
  const BlendPlan plan{motion_.grid, {whole, whole}};
  const std::vector<Part> parts = {{&motion_, result_.motion}, {&motion_, resting}};
  addParts(scene_.skeleton, plan, parts, std::span(&reference, 1), factors_, result_.motion);
}

void ClipBlend::report(const BlendPlan& plan) {
  const auto lengthOf = [](const TimeGrid& grid) { return grid.end_s - grid.begin_s; };
  result_.metrics.insert(result_.metrics.begin(),
                         {"duration_s", lengthOf(motion_.grid), lengthOf(plan.grid)});
  for (std::size_t i = 0; i < others_.size(); ++i) {
    result_.series.push_back({"weight", others_[i].name, {}, plan.parts[i + 1].weight});
    result_.warnings.merge(others_[i].warnings);
    constexpr double kSameInstant_s = 1e-9;
    const double rest_s = lengthOf(plan.grid) - lengthOf(others_[i].motion.grid);
    if (!isFade() && !settings_.sync && rest_s > kSameInstant_s) {
      result_.warnings.add("held_at_its_end",
                           "another clip is shorter, and its last pose is held; sync keeps step",
                           others_[i].name);
    }
  }
}

Status ClipBlend::run() {
  if (settings_.mode == BlendMode::kDifference) {
    makeDifference();
    return {};
  }
  CLIPMILL_CHECK(chooseCarrier());
  CLIPMILL_TRY(const BlendPlan plan, makePlan());
  parts_ = playParts(scene_, plan, motion_, others_);
  if (settings_.mode == BlendMode::kAdd) {
    beginResult(plan);
    add(plan);
  } else {
    align(plan);
    beginResult(plan);
    mixParts(scene_.skeleton, plan, parts_, factors_, result_.motion);
  }
  report(plan);
  return {};
}

}  // namespace

Result<std::vector<StageResult>> runBlend(const StageInput& input, const BlendSettings& wished) {
  CLIPMILL_CHECK(checkWishes(wished));
  const BlendSettings settings = effective(wished);
  CLIPMILL_TRY(const std::vector<OtherClip> others, findOtherClips(input, settings.with));
  CLIPMILL_TRY(const std::vector<double> factors, maskFactors(input.scene.skeleton, settings.mask));
  std::vector<StageResult> results(input.motions.size());
  std::vector<Status> done(input.motions.size());
  parallelFor(results.size(), 1, input.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      results[i].motion = input.motions[i];
      if (isOtherClipOnly(input, others, input.motions[i])) continue;
      ClipBlend clip(input.scene, others, factors, input.motions[i], settings);
      done[i] = clip.run();
      results[i] = clip.takeResult();
    }
  });
  for (const Status& status : done) CLIPMILL_CHECK(status);
  return results;
}

}  // namespace clipmill
