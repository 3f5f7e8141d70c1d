// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/concat.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "humanoid/humanoid.h"
#include "scene/resample.h"
#include "stages/blend/blended_feet.h"
#include "stages/blend/mix_frames.h"
#include "stages/blend/other_clips.h"
#include "stages/blend/plan.h"
#include "stages/blend/root_blend.h"

namespace clipmill::stages::blend {
namespace {

constexpr double kMillimetres = 1e3;

// How far apart two poses are, within their parents.
struct PoseGap {
  double rotation_rad = 0.0, step = 0.0;

  void add(std::span<const Transform> from, std::span<const Transform> to, int without) {
    for (std::size_t node = 0; node < from.size(); ++node) {
      if (static_cast<int>(node) == without) continue;
      const Vec3 gone = to[node].translation - from[node].translation;
      step = std::max(step, std::sqrt(glm::dot(gone, gone)));
      rotation_rad = std::max(rotation_rad, angleBetween(normalizedOrIdentity(from[node].rotation),
                                                         normalizedOrIdentity(to[node].rotation)));
    }
  }
};

Result<int> rootJointOf(const Scene& scene, std::span<const Part> parts,
                        const ConcatSettings& settings) {
  if (settings.root_blend == RootBlendMode::kPosition) return -1;
  return findRootMotionJoint(scene, parts, settings.root_joint.value_or(""));
}

// Adds the metrics of the seams, and returns whether the poses that meet differ visibly.
bool report(const Scene& scene, const BlendPlan& plan, std::span<const Part> parts, int root_joint,
            StageResult& result) {
  constexpr double kSamePose_deg = 0.01, kSamePose_mm = 0.1;
  PoseGap gap;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Motion& before = *parts[i - 1].clip;
    gap.add(before.localsOf(before.grid.frame_count - 1), parts[i].clip->localsOf(0), root_joint);
  }
  const Vec3& unit = scene.metric_from_file.linear[0];
  const double metres = std::sqrt(glm::dot(unit, unit));
  const TimeGrid& first = parts[0].clip->grid;
  result.metrics = {
      {"duration_s", first.end_s - first.start_s, plan.grid.end_s - plan.grid.start_s},
      {"seam_deg", {}, gap.rotation_rad / kDegree},
      {"seam_mm", {}, gap.step * metres * kMillimetres}};
  return gap.rotation_rad / kDegree > kSamePose_deg ||
         gap.step * metres * kMillimetres > kSamePose_mm;
}

Status joinOne(const StageInput& input, const humanoid::HumanoidMap& humanoid,
               std::span<const OtherClip> others, const Motion& motion,
               const ConcatSettings& settings, StageResult& result) {
  const Scene& scene = input.scene;
  std::vector<PartClip> clips = {{motion.grid, motion.clip_name, 1.0}};
  for (const OtherClip& other : others) {
    clips.push_back({other.motion.grid, other.name, 1.0});
    result.warnings.merge(other.warnings);
  }
  const BlendPlan plan = planConcat(clips);
  std::vector<Part> parts = playParts(scene, plan, motion, others);
  CLIPMILL_TRY(const int root_joint, rootJointOf(scene, parts, settings));
  if (root_joint >= 0) alignParts(scene, plan, root_joint, 1.0, parts, result.warnings);
  const std::vector<double> all(motion.node_count, 1.0);
  result.motion = copyOf(parts[0].played);
  mixParts(scene.skeleton, plan, parts, all, result.motion);
  const bool has_seam = report(scene, plan, parts, root_joint, result);
  if (!has_seam && settings.feet == locomotion::FeetPolicy::kAuto) {
    reportFeet(scene, humanoid, parts, result);  // a clip that was cut stays as it was
    return {};
  }
  return holdFeet(scene, humanoid, parts, settings, std::nullopt, result);
}

// Whether all results fit into memory at once.
Status checkLengths(const StageInput& input, std::span<const OtherClip> others) {
  double more_s = 0.0;
  for (const OtherClip& other : others) {
    more_s += other.motion.grid.end_s - other.motion.grid.start_s;
  }
  std::vector<PlannedMotion> planned;
  for (const Motion& motion : input.motions) {
    const TimeGrid& grid = motion.grid;
    const double added_s = isOtherClipOnly(input, others, motion) ? 0.0 : more_s;
    planned.push_back({motion.clip_name, makeGrid(grid.start_s, grid.end_s + added_s, grid.fps)});
  }
  return checkMotionSizes(input.scene.skeleton, planned, input.max_motion_bytes);
}

}  // namespace

const SettingsTable& concatTable() {
  using S = ConcatSettings;
  static const SettingsTable table = [] {
    SettingsTableBuilder<S> builder;
    builder
        .choice<RootBlendMode>(
            "root_blend", &S::root_blend,
            "velocity: each clip starts where the one before it ends. position: each clip keeps "
            "the "
            "root positions of its file",
            {{"velocity", RootBlendMode::kVelocity}, {"position", RootBlendMode::kPosition}})
        .text("root_joint", &S::root_joint, "root-motion joint (name or glob). Unset: detected")
        .list("with", &S::with, "clips to append, in order", "clip", blendClipTable());
    locomotion::addFootLockFields(builder);
    return builder.build();
  }();
  return table;
}

Result<std::vector<StageResult>> runConcat(const StageInput& input,
                                           const ConcatSettings& settings) {
  if (settings.with.empty()) {
    return Error{ErrorCode::kRecipe, "with", "names no clip that follows",
                 "give one, e.g. --with Run"};
  }
  CLIPMILL_TRY(const std::vector<OtherClip> others, findOtherClips(input, settings.with));
  CLIPMILL_CHECK(checkLengths(input, others));
  const humanoid::HumanoidMap humanoid = humanoid::findHumanoid(input.scene);
  std::vector<StageResult> results(input.motions.size());
  std::vector<Status> done(input.motions.size());
  parallelFor(results.size(), 1, input.threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t i = start; i < end; ++i) {
      results[i].motion = copyOf(input.motions[i]);
      if (isOtherClipOnly(input, others, input.motions[i])) continue;
      done[i] = joinOne(input, humanoid, others, input.motions[i], settings, results[i]);
    }
  });
  for (const Status& status : done) CLIPMILL_CHECK(status);
  return results;
}

StageType concatType() {
  StageType type = makeStageType<ConcatSettings>("concat", "Append other clips to a clip.",
                                                 concatTable(), runConcat);
  type.algorithm_version = 7;
  type.files_of = [](const void* settings) {
    return filesOf(static_cast<const ConcatSettings*>(settings)->with);
  };
  return type;
}

}  // namespace clipmill::stages::blend
