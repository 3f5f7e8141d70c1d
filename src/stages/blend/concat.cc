// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/concat.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "stages/blend/mix_frames.h"
#include "stages/blend/other_clips.h"
#include "stages/blend/plan.h"
#include "stages/blend/root_blend.h"

namespace clipmill {
namespace {

using namespace blend;  // NOLINT: this file is the room's front

constexpr double kMillimetres = 1e3;

// How far apart two poses are, within their parents.
struct PoseGap {
  double turn_rad = 0.0, step = 0.0;

  void add(std::span<const Transform> from, std::span<const Transform> to, int without) {
    for (std::size_t node = 0; node < from.size(); ++node) {
      if (static_cast<int>(node) == without) continue;
      const Vec3 gone = to[node].translation - from[node].translation;
      step = std::max(step, std::sqrt(glm::dot(gone, gone)));
      turn_rad = std::max(turn_rad, angleBetween(normalizedOrIdentity(from[node].rotation),
                                                 normalizedOrIdentity(to[node].rotation)));
    }
  }
};

Result<int> carrierOf(const Scene& scene, std::span<const Part> parts,
                      const ConcatSettings& settings) {
  if (settings.root_motion == BlendRoot::kPlace) return -1;
  return findCarrier(scene, parts, settings.root);
}

void report(const Scene& scene, const BlendPlan& plan, std::span<const Part> parts, int carrier,
            StageResult& result) {
  PoseGap gap;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Motion& before = *parts[i - 1].clip;
    gap.add(before.localsOf(before.grid.frame_count - 1), parts[i].clip->localsOf(0), carrier);
  }
  const Vec3& unit = scene.metric_from_file.linear[0];
  const double metres = std::sqrt(glm::dot(unit, unit));
  const TimeGrid& first = parts[0].clip->grid;
  result.metrics = {
      {"duration_s", first.end_s - first.begin_s, plan.grid.end_s - plan.grid.begin_s},
      {"joint_deg", {}, gap.turn_rad / kDegree},
      {"joint_mm", {}, gap.step * metres * kMillimetres}};
}

Status joinOne(const Scene& scene, std::span<const OtherClip> others, const Motion& motion,
               const ConcatSettings& settings, StageResult& result) {
  std::vector<PartClip> clips = {{motion.grid, motion.clip_name, 1.0}};
  for (const OtherClip& other : others) {
    clips.push_back({other.motion.grid, other.name, 1.0});
    result.warnings.merge(other.warnings);
  }
  const BlendPlan plan = planConcat(clips);
  std::vector<Part> parts = playParts(scene, plan, motion, others);
  CLIPMILL_TRY(const int carrier, carrierOf(scene, parts, settings));
  if (carrier >= 0) alignParts(scene, plan, carrier, 1.0, parts, result.warnings);
  const std::vector<double> all(motion.node_count, 1.0);
  result.motion = parts[0].played;
  mixParts(scene.skeleton, plan, parts, all, result.motion);
  report(scene, plan, parts, carrier, result);
  return {};
}

}  // namespace

const SettingsTable& concatTable() {
  using S = ConcatSettings;
  static const SettingsTable table =
      SettingsTableBuilder<S>()
          .choice<BlendRoot>("root_motion", &S::root_motion,
                             "every clip goes on where the one before it ended, or where its file "
                             "has it",
                             {{"velocity", BlendRoot::kVelocity}, {"place", BlendRoot::kPlace}})
          .text("root", &S::root,
                "name or glob of the node that carries the way; empty: the topmost that does")
          .list("with", &S::with, "the clips that follow, in their order", "clip", blendClipTable())
          .build();
  return table;
}

Result<std::vector<StageResult>> runConcat(const StageInput& input,
                                           const ConcatSettings& settings) {
  if (settings.with.empty()) {
    return Error{ErrorCode::kRecipe, "with", "names no clip that follows",
                 "give one, e.g. --with Run"};
  }
  CLIPMILL_TRY(const std::vector<OtherClip> others, findOtherClips(input, settings.with));
  std::vector<StageResult> results(input.motions.size());
  std::vector<Status> done(input.motions.size());
  parallelFor(results.size(), 1, input.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      results[i].motion = input.motions[i];
      if (isOtherClipOnly(input, others, input.motions[i])) continue;
      done[i] = joinOne(input.scene, others, input.motions[i], settings, results[i]);
    }
  });
  for (const Status& status : done) CLIPMILL_CHECK(status);
  return results;
}

}  // namespace clipmill
