// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/blend.h"

#include <algorithm>

#include "core/parallel.h"
#include "core/to_size.h"
#include "humanoid/humanoid.h"
#include "scene/resample.h"
#include "stages/blend/blended_feet.h"
#include "stages/blend/mix_frames.h"
#include "stages/blend/other_clips.h"
#include "stages/blend/plan.h"
#include "stages/blend/root_blend.h"

namespace clipmill::stages::blend {
namespace {

Status checkSettings(const BlendSettings& settings) {
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
                       "choose start, or name a clip whose first pose it is");
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
    settings.root_blend = RootBlendMode::kPosition;
  }
  return settings;
}

bool isSameGrid(const TimeGrid& a, const TimeGrid& b) {
  return a.start_s == b.start_s && a.end_s == b.end_s && a.fps == b.fps &&
         a.frame_count == b.frame_count;
}

// Blends one clip.
class ClipBlend {
 public:
  ClipBlend(const Scene& scene, const humanoid::HumanoidMap& humanoid,
            std::span<const OtherClip> others, std::span<const double> factors,
            const Motion& motion, const BlendSettings& settings)
      : scene_(scene),
        humanoid_(humanoid),
        others_(others),
        factors_(factors),
        motion_(motion),
        settings_(settings) {}

  Status run();
  StageResult takeResult() { return std::move(result_); }

 private:
  Status chooseRootJoint();
  Result<BlendPlan> makePlan() const;
  void startResult(const BlendPlan& plan);
  void align(const BlendPlan& plan);
  void add(const BlendPlan& plan);
  std::optional<locomotion::TimeSpan> windowOf(const BlendPlan& plan) const;
  void makeDifference();
  void report(const BlendPlan& plan);
  bool isFade() const { return settings_.mode == BlendMode::kFade; }

  const Scene& scene_;
  const humanoid::HumanoidMap& humanoid_;
  std::span<const OtherClip> others_;
  std::span<const double> factors_;  // one a node
  const Motion& motion_;
  const BlendSettings& settings_;
  int root_joint_ = -1;       // -1 for none
  double root_factor_ = 1.0;  // mask factor of the root-motion joint
  std::vector<Part> parts_;
  StageResult result_;
};

Status ClipBlend::chooseRootJoint() {
  std::vector<Part> clips = {{&motion_, {}}};
  for (const OtherClip& other : others_) clips.push_back({&other.motion, {}});
  CLIPMILL_TRY(root_joint_, findRootMotionJoint(scene_, clips, settings_.root_joint.value_or("")));
  if (root_joint_ >= 0) root_factor_ = factors_[toSize(root_joint_)];
  return {};
}

Result<BlendPlan> ClipBlend::makePlan() const {
  std::vector<PartClip> clips = {{motion_.grid, motion_.clip_name, 1.0}};
  for (std::size_t i = 0; i < others_.size(); ++i) {
    clips.push_back({others_[i].motion.grid, others_[i].name, settings_.with[i].weight});
  }
  if (isFade()) return planFade(clips[0], clips[1], settings_);
  if (settings_.mode == BlendMode::kMix) return planMix(clips, settings_.sync, root_factor_);
  return planAdd(clips, settings_.sync);
}

// With the same grid the clip keeps its tracks where no other part has weight.
void ClipBlend::startResult(const BlendPlan& plan) {
  result_.motion = copyOf(isSameGrid(plan.grid, motion_.grid) ? motion_ : parts_[0].played);
}

void ClipBlend::align(const BlendPlan& plan) {
  if (settings_.root_blend == RootBlendMode::kPosition || root_joint_ < 0) return;
  const RootBlend root =
      alignParts(scene_, plan, root_joint_, root_factor_, parts_, result_.warnings);
  result_.metrics.push_back({"aligned_yaw_deg", {}, root.rotation_rad / kDegree});
  result_.metrics.push_back({"aligned_shift_m", {}, root.shift_m});
  const std::string& name = scene_.skeleton.nodes[toSize(root_joint_)].name;
  result_.points = {{name, root_joint_, name, Vec3(0.0)}};
}

// When both clips of a fade have weight; unset for all of the time.
std::optional<locomotion::TimeSpan> ClipBlend::windowOf(const BlendPlan& plan) const {
  if (!isFade()) return std::nullopt;
  std::optional<locomotion::TimeSpan> window;
  for (std::size_t i = 0; i < plan.grid.frame_count; ++i) {
    const double weight = plan.parts[1].weight[i], time_s = plan.grid.timeOf(i);
    if (!(weight > 0.0 && weight < 1.0)) continue;
    if (!window) window = {time_s, time_s};
    window->end_s = time_s;
  }
  return window;
}

void ClipBlend::add(const BlendPlan& plan) {
  std::vector<Pose> references;
  for (const OtherClip& other : others_) {
    references.push_back(settings_.reference == BlendReference::kRest ? restPose(scene_.skeleton)
                                                                      : firstPose(other.motion));
  }
  addParts(scene_.skeleton, plan, parts_, references, factors_, result_.motion);
}

// Over the rest pose, so that it can be viewed, and be added with rest as the reference.
void ClipBlend::makeDifference() {
  const Pose reference = firstPose(others_.empty() ? motion_ : others_[0].motion);
  const Pose rest = restPose(scene_.skeleton);
  const Motion resting = resampled(scene_, motion_, motion_.grid, timesOf(motion_.grid));
  result_.motion = copyOf(resting);
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
  const auto lengthOf = [](const TimeGrid& grid) { return grid.end_s - grid.start_s; };
  result_.metrics.insert(result_.metrics.begin(),
                         {"duration_s", lengthOf(motion_.grid), lengthOf(plan.grid)});
  for (std::size_t i = 0; i < others_.size(); ++i) {
    result_.series.push_back({"weight", others_[i].name, {}, plan.parts[i + 1].weight});
    result_.warnings.merge(others_[i].warnings);
    constexpr double kSameInstant_s = 1e-9;
    const double rest_s = lengthOf(plan.grid) - lengthOf(others_[i].motion.grid);
    if (!isFade() && !settings_.sync && rest_s > kSameInstant_s) {
      result_.warnings.add(
          "last_pose_held",
          "another clip is shorter, and its last pose is held; set sync to play them in phase",
          others_[i].name);
    }
  }
}

Status ClipBlend::run() {
  if (settings_.mode == BlendMode::kDifference) {
    makeDifference();
    return {};
  }
  CLIPMILL_CHECK(chooseRootJoint());
  CLIPMILL_TRY(const BlendPlan plan, makePlan());
  parts_ = playParts(scene_, plan, motion_, others_);
  if (settings_.mode == BlendMode::kAdd) {
    startResult(plan);
    add(plan);
  } else {
    align(plan);
    startResult(plan);
    mixParts(scene_.skeleton, plan, parts_, factors_, result_.motion);
  }
  report(plan);
  if (settings_.mode != BlendMode::kAdd && settings_.method != BlendMethod::kReference) {
    CLIPMILL_CHECK(holdFeet(scene_, humanoid_, parts_, settings_, windowOf(plan), result_));
  }
  return {};
}

}  // namespace

Result<std::vector<StageResult>> runBlend(const StageInput& input, const BlendSettings& given) {
  CLIPMILL_CHECK(checkSettings(given));
  const BlendSettings settings = effective(given);
  CLIPMILL_TRY(const std::vector<OtherClip> others, findOtherClips(input, settings.with));
  CLIPMILL_TRY(const std::vector<double> factors, maskFactors(input.scene.skeleton, settings.mask));
  const humanoid::HumanoidMap humanoid = humanoid::findHumanoid(input.scene);
  std::vector<StageResult> results(input.motions.size());
  std::vector<Status> done(input.motions.size());
  parallelFor(results.size(), 1, input.threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t i = start; i < end; ++i) {
      results[i].motion = copyOf(input.motions[i]);
      if (isOtherClipOnly(input, others, input.motions[i])) continue;
      ClipBlend clip(input.scene, humanoid, others, factors, input.motions[i], settings);
      done[i] = clip.run();
      results[i] = clip.takeResult();
    }
  });
  for (const Status& status : done) CLIPMILL_CHECK(status);
  return results;
}

StageType blendType() {
  StageType type = makeStageType<BlendSettings>(
      "blend", "Cross-fade a clip into another one, mix clips, or add one on top of another.",
      blendTable(), runBlend);
  type.algorithm_version = 8;
  type.files_of = [](const void* settings) {
    return filesOf(static_cast<const BlendSettings*>(settings)->with);
  };
  return type;
}

}  // namespace clipmill::stages::blend
