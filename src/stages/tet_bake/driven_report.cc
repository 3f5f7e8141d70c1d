// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/driven_report.h"

#include <optional>

#include "core/to_size.h"
#include "core/units.h"
#include "stages/tet_bake/drivers/pose_samples.h"
#include "stages/tet_bake/for_clips.h"

namespace clipmill::stages::tet_bake {
namespace {

std::vector<ClipErrors> measuredClips(const DrivenData& data, const Baked& baked,
                                      const DrivenSkin& skin_of) {
  std::vector<ClipErrors> errors(data.clips().size());
  const BakeRig& rig = data.rig();
  forClips(data.clipStarts(baked), data.threads(), [&](std::size_t clip, int threads) {
    const auto own = [&](std::size_t frame) { return skin_of(clip, frame); };
    errors[clip] = measureSkin(data.scene(), rig, data.clips()[clip], baked, clip, own, threads,
                               rig.regions, &rig.quality);
  });
  return errors;
}

// Whether a region is farther from the solved surface than with plain skinning, over all clips.
bool isWorse(std::span<const ClipErrors> errors, std::size_t region) {
  RegionErrors sum;
  for (const ClipErrors& clip : errors) {
    sum.skinned += clip.regions[region].skinned;
    sum.morphed += clip.regions[region].morphed;
  }
  return sum.morphed > sum.skinned;
}

void reportWorseFrames(const DrivenData& data, const ClipErrors& errors, StageResult& result) {
  for (std::size_t r = 0; r < errors.worse.size(); ++r) {
    const int node = data.rig().regions[r].node;
    for (const WorseBy reason : errors.worse[r]) {
      if (reason == WorseBy::kNothing) continue;
      result.warnings.add("driver_worse_in_frame",
                          "a joint is worse than with plain skinning in a frame of a clip; its "
                          "driver does not fade there",
                          result.motion.clip_name + ", " +
                              data.scene().skeleton.nodes[toSize(node)].name + " (" +
                              nameOf(reason) + ")");
    }
  }
}

}  // namespace

std::vector<ClipErrors> leaveWorseDrivers(const DrivenData& data, const Baked& baked,
                                          const DrivenSkin& skin_of,
                                          const std::function<bool(int node)>& remove,
                                          std::span<StageResult> results) {
  std::vector<ClipErrors> errors;
  const std::vector<MorphRegion>& regions = data.rig().regions;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    errors = measuredClips(data, baked, skin_of);
    for (std::size_t r = 0; r < regions.size(); ++r) {
      if (!isWorse(errors, r) || !remove(regions[r].node)) continue;
      has_changed = true;
      results.front().warnings.add(
          "worse_than_skinning",
          "the driver of a joint is worse than plain skinning in the clips, and the joint keeps "
          "plain skinning",
          data.scene().skeleton.nodes[toSize(regions[r].node)].name);
    }
  }
  return errors;
}

std::vector<ClipErrors> heldOutErrors(
    const DrivenData& data, const Baked& baked,
    const std::function<DrivenSkin(std::size_t half)>& fit_without) {
  std::vector<ClipErrors> errors(data.clips().size());
  if (errors.size() < kClipHalves) return {};
  for (std::size_t half = 0; half < kClipHalves; ++half) {
    const DrivenSkin skin_of = fit_without(half);
    forClips(data.clipStarts(baked), data.threads(), [&](std::size_t clip, int threads) {
      if (clip % kClipHalves != half) return;
      const auto own = [&](std::size_t frame) { return skin_of(clip, frame); };
      errors[clip] =
          measureSkin(data.scene(), data.rig(), data.clips()[clip], baked, clip, own, threads);
    });
  }
  return errors;
}

void reportDrivers(const DrivenData& data, std::size_t driver_count,
                   std::span<const ClipErrors> errors, std::span<const ClipErrors> held_out,
                   std::span<StageResult> results) {
  for (std::size_t clip = 0; clip < results.size(); ++clip) {
    const auto add = [&](const char* name, double value) {
      results[clip].metrics.push_back({name, std::nullopt, value});
    };
    add("drivers", static_cast<double>(driver_count));
    reportWorseFrames(data, errors[clip], results[clip]);
    if (held_out.empty()) continue;
    const SkinErrors& left = held_out[clip].morphed;
    add("held_out_error_rms_mm", kMillimetresInMetre * left.rms_m);
    add("held_out_error_p99_mm", kMillimetresInMetre * left.p99_m);
  }
}

}  // namespace clipmill::stages::tet_bake
