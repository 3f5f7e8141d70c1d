// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tet_bake.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <string>

#include "core/text.h"
#include "core/to_size.h"
#include "core/units.h"
#include "stages/tet_bake/add_twist_joints.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/bake_report.h"
#include "stages/tet_bake/binding/given_tets.h"
#include "stages/tet_bake/caches/caches.h"
#include "stages/tet_bake/caches/tet_frames.h"
#include "stages/tet_bake/caches/vat.h"
#include "stages/tet_bake/contact_guard.h"
#include "stages/tet_bake/driven_bake.h"
#include "stages/tet_bake/dual_report.h"
#include "stages/tet_bake/for_clips.h"
#include "stages/tet_bake/helper_joints.h"
#include "stages/tet_bake/keyed_morphs.h"
#include "stages/tet_bake/limb_weights.h"
#include "stages/tet_bake/morph_fallback.h"
#include "stages/tet_bake/morphs/make_morphs.h"
#include "stages/tet_bake/morphs/morph_fit.h"
#include "stages/tet_bake/morphs/morph_regions.h"
#include "stages/tet_bake/morphs/positive_weights.h"
#include "stages/tet_bake/normal_fit.h"
#include "stages/tet_bake/size_estimate.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kP99OverRms = 4.0;
constexpr int kNormalAttempts = 3;
constexpr std::array kContactFactors = {0.5, 0.0, 0.0};

MorphFitSettings fitSettings(const TetBakeSettings& settings, int threads) {
  MorphFitSettings fit;
  fit.rms_m = toleranceMm(settings) * kMetresInMillimetre;
  fit.p99_m = kP99OverRms * fit.rms_m;
  fit.left_out_m = leftOutMm(settings) * kMetresInMillimetre;
  fit.most = maxMorphs(settings);
  // The base is one of them.
  if (hasPositiveWeights(settings) && fit.most > 1) --fit.most;
  fit.threads = threads;
  return fit;
}

void warnOfOpenLoop(const TetBakeSettings& settings, const SoftTissueRun& run,
                    StageResult& result) {
  const double gap_mm = run.loop_gap_m / kMetresInMillimetre;
  if (run.cycles < settings.max_loop_cycles || gap_mm <= settings.loop_tolerance_mm) return;
  result.warnings.add("loop_not_closed",
                      "dynamic tissue differs by " + numberText(gap_mm) + " mm after " +
                          std::to_string(run.cycles) +
                          " cycles, and is blended over the last one; lower settle_s, or raise "
                          "max_loop_cycles",
                      "tetrahedra");
}

void reportSoftTissue(const TetBakeSettings& settings, const Baked& baked, std::size_t clip,
                      StageResult& result) {
  if (baked.soft_tissue.empty()) return;
  Series swing{"soft_tissue_swing_rms_mm", "", {}, {}};
  double square = 0.0, max_m = 0.0;
  for (std::size_t f = baked.start[clip]; f < baked.start[clip + 1]; ++f) {
    const BakedFrame& frame = baked.frames[f];
    swing.after.push_back(frame.swing_rms_m / kMetresInMillimetre);
    square += frame.swing_rms_m * frame.swing_rms_m;
    max_m = std::max(max_m, frame.swing_max_m);
  }
  const double rms_m =
      std::sqrt(square / static_cast<double>(std::max<std::size_t>(swing.after.size(), 1)));
  const SoftTissueRun& run = baked.soft_tissue[clip];
  const auto add = [&](const char* name, double value) {
    result.metrics.push_back({name, std::nullopt, value});
  };
  add("soft_tissue_swing_rms_mm", rms_m / kMetresInMillimetre);
  add("soft_tissue_swing_max_mm", max_m / kMetresInMillimetre);
  const locomotion::CycleDecision& cycle = baked.cycles[clip];
  add("loop", cycle.is_cycle ? 1.0 : 0.0);
  result.notes.push_back((cycle.is_cycle ? "loop on: " : "loop off: ") + cycle.reason);
  add("soft_tissue_passes", run.cycles);
  if (cycle.is_cycle) warnOfOpenLoop(settings, run, result);
  if (run.cycles > 1) add("soft_tissue_loop_gap_mm", run.loop_gap_m / kMetresInMillimetre);
  result.series.push_back(std::move(swing));
}

// The morphs with the least squared distance from the solved surface.
MorphFit fittedMorphs(const StageInput& input, const TetBakeSettings& settings, const BakeRig& rig,
                      const Baked& baked, std::span<StageResult> results) {
  const MorphRegion whole = rig.whole.empty() ? MorphRegion{} : rig.whole.front();
  MorphFit fit =
      fitMorphs(baked.before_skin, rig.regions, whole, fitSettings(settings, input.threads));
  keepLimbVolumes(input.scene, rig, input.motions, baked, fit.morphs, input.threads);
  if (!hasPositiveWeights(settings) || settings.max_morphs != 1) return fit;
  const std::size_t cut = clampNegativeWeights(fit.morphs);
  if (cut > 0) {
    results.front().warnings.add(
        "weights_clamped",
        "a negative weight is clamped to 0 in a frame, because max_morphs = 1 "
        "leaves no target for bake_base",
        "", cut);
  }
  return fit;
}

// Keeps plain skinning where morphs are worse. One result per clip.
std::vector<FallbackSkin> applyFallbacks(const StageInput& input, const BakeRig& rig,
                                         const Baked& baked, MorphFit& fit) {
  std::vector<FallbackSkin> fallback_skins(input.motions.size());
  forClips(baked.start, input.threads, [&](std::size_t m, int threads) {
    const Motion& motion = input.motions[m];
    fallback_skins[m] = applyMorphFallback(input.scene, rig, motion, baked, m, fit, threads);
  });
  return fallback_skins;
}

// Fits normals; a joint whose normals are worse than those of plain skinning in a clip keeps plain
// skinning in it.
std::vector<MorphNormals> fittedNormals(const StageInput& input, const BakeRig& rig,
                                        const Baked& baked, MorphFit& fit,
                                        std::span<FallbackSkin> skins,
                                        std::span<StageResult> results) {
  if (fit.morphs.empty()) return {};
  const auto regions = rig.regionsOf(fit);
  std::vector<MorphNormals> normals;
  for (int attempt = 0; attempt < kNormalAttempts; ++attempt) {
    normals = fitNormals(input.scene, rig, input.motions, baked, fit.morphs, input.threads);
    bool has_changed = false;
    for (std::size_t m = 0; m < input.motions.size(); ++m) {
      const std::vector<NormalErrors> errors =
          measureNormals(input.scene, rig, input.motions[m], baked, m, regions, fit.morphs, normals,
                         input.threads);
      skins[m].normals = errors.back();
      const std::size_t held = leaveWorseNormals(input.scene, rig, input.motions[m], baked, m,
                                                 errors, fit, skins[m], input.threads);
      has_changed = has_changed || held > 0;
    }
    if (!has_changed) break;
  }
  for (std::size_t m = 0; m < input.motions.size(); ++m) {
    reportNormals(skins[m].normals, results[m]);
  }
  return normals;
}

// The morphs as they are written.
NodeMorphs writtenMorphs(const StageInput& input, const TetBakeSettings& settings,
                         const BakeRig& rig, std::span<const FittedMorph> fitted,
                         std::span<const MorphNormals> normals, std::span<StageResult> results) {
  NodeMorphs morphs = makeNodeMorphs(input.scene, rig.surface, fitted, normals, input.threads);
  const bool is_positive = hasPositiveWeights(settings);
  if (is_positive) makeWeightsPositive(morphs);
  if (settings.deltas == TetBakeDeltas::kFloat) {
    if (is_positive && settings.preset == TetBakePreset::kEngine) roundWeightsToBytes(morphs);
    return morphs;
  }
  const std::size_t left = storeAsInt16(morphs.morphs, is_positive);
  if (!results.empty()) reportKeptFloat(left, results.front());
  return morphs;
}

// Morphs with what is held back of them.
struct KeptMorphs {
  MorphFit fit;
  std::vector<FallbackSkin> skins;  // one per clip
  std::vector<MorphNormals> normals;
  std::vector<StageResult> results;  // one per clip
};

KeptMorphs keptMorphs(const StageInput& input, const TetBakeSettings& settings, const BakeRig& rig,
                      const Baked& baked) {
  KeptMorphs kept;
  kept.results.resize(input.motions.size());
  kept.fit = fittedMorphs(input, settings, rig, baked, kept.results);
  kept.skins = applyFallbacks(input, rig, baked, kept.fit);
  return kept;
}

// The same with less contact in the clips in which a joint is held back or fades: contact that
// makes a correction worse elsewhere is worth less than the correction.
KeptMorphs morphsInContact(const StageInput& input, const TetBakeSettings& settings,
                           const BakeRig& rig, Baked& baked) {
  const auto withdraw = [&](const KeptMorphs& kept, double factor) {
    return withdrawContact(input.scene, rig, input.motions, kept.skins, factor, input.threads,
                           baked);
  };
  const auto withNormals = [&](KeptMorphs kept) {
    if (!hasNormals(settings)) return kept;
    kept.normals = fittedNormals(input, rig, baked, kept.fit, kept.skins, kept.results);
    return kept;
  };
  KeptMorphs kept = keptMorphs(input, settings, rig, baked);
  for (const double factor : kContactFactors) {
    if (!withdraw(kept, factor)) break;
    kept = keptMorphs(input, settings, rig, baked);
  }
  kept = withNormals(std::move(kept));
  if (withdraw(kept, 0.0)) kept = withNormals(keptMorphs(input, settings, rig, baked));
  return kept;
}

Result<StageOutput> asMorphs(const StageInput& input, const TetBakeSettings& settings,
                             const BakeRig& rig, Baked& baked) {
  KeptMorphs kept = morphsInContact(input, settings, rig, baked);
  const MorphFit& fit = kept.fit;
  const std::vector<FallbackSkin>& fallback_skins = kept.skins;
  StageOutput output;
  output.results = std::move(kept.results);
  for (std::size_t m = 0; m < input.motions.size(); ++m) {
    reportHeldBack(fallback_skins[m], input.motions[m], input.scene.skeleton, output.results[m]);
  }
  NodeMorphs morphs = writtenMorphs(input, settings, rig, fit.morphs, kept.normals, output.results);
  if (!rig.twist.empty()) {
    output.additions =
        helperAdditions(input.scene, rig.surface, rig.twist.fit, measure::kTwistPrefix);
  }
  const std::size_t bytes = bytesOf(morphs.morphs);
  output.additions.morphs = std::move(morphs.morphs);
  const Skeleton wide = withAdditions(input.scene.skeleton, output.additions);
  forClips(baked.start, input.threads, [&](std::size_t m, int threads) {
    const Motion& motion = input.motions[m];
    StageResult& result = output.results[m];
    result.motion = keyedMotion(input.scene.skeleton, wide, motion, output.additions.morphs,
                                morphs.row, morphs.weights, baked.start[m]);
    keyHelpers(rig.surface, rig.twist.fit, baked.start[m], input.scene.skeleton.size(),
               result.motion);
    reportClip(rig, baked, m, fallback_skins[m].errors, result);
    reportSoftTissue(settings, baked, m, result);
    reportDualQuaternions(input.scene, rig, motion, baked, m, fallback_skins[m].errors.limbs,
                          threads, result);
    reportMorphs(rig, morphs.weights.size(), bytes, result);
  });
  return output;
}

// The cache or texture files of a clip; adds their metrics to `result`.
Result<std::vector<AddedFile>> clipFiles(const StageInput& input, const TetBakeSettings& settings,
                                         const BakeRig& rig, const Baked& baked, std::size_t clip,
                                         StageResult& result) {
  const Motion& motion = input.motions[clip];
  if (settings.bake_to == TetBakeOutput::kVat) {
    CLIPMILL_TRY(VatClip vat, vatClip(input.scene, rig, motion, baked, clip));
    result.metrics.push_back(
        {"vat_rounding_max_mm", std::nullopt, vat.rounding_m / kMetresInMillimetre});
    return std::move(vat.files);
  }
  const bool is_mdd = settings.bake_to == TetBakeOutput::kMdd;
  return cacheClip(input.scene, rig, motion, baked, clip, is_mdd ? mddOf : pc2Of,
                   is_mdd ? ".mdd" : ".pc2");
}

// The motions unchanged, with cache or texture files beside the output.
Result<StageOutput> asCaches(const StageInput& input, const TetBakeSettings& settings,
                             const BakeRig& rig, const Baked& baked) {
  StageOutput output;
  for (std::size_t m = 0; m < input.motions.size(); ++m) {
    StageResult result;
    result.motion = input.motions[m];
    const ClipErrors errors =
        measureClip(input.scene, rig, result.motion, baked, m, {}, input.threads);
    reportClip(rig, baked, m, {errors.skinned, {}, {}}, result);
    reportSoftTissue(settings, baked, m, result);
    reportDualQuaternions(input.scene, rig, result.motion, baked, m, errors.limbs, input.threads,
                          result);
    CLIPMILL_TRY(std::vector<AddedFile> files, clipFiles(input, settings, rig, baked, m, result));
    double bytes = 0.0;
    for (const AddedFile& file : files) bytes += static_cast<double>(file.bytes.size());
    result.metrics.push_back({"cache_bytes", std::nullopt, bytes});
    std::move(files.begin(), files.end(), std::back_inserter(output.additions.files));
    output.results.push_back(std::move(result));
  }
  return output;
}

Result<StageOutput> outputOf(const StageInput& input, const TetBakeSettings& settings,
                             const BakeRig& rig, Baked& baked) {
  if (settings.bake_to == TetBakeOutput::kMorph) return asMorphs(input, settings, rig, baked);
  if (settings.bake_to == TetBakeOutput::kBones) return bakeToBones(input, settings, rig, baked);
  return asCaches(input, settings, rig, baked);
}

// Settings that would have no effect, or do not go together.
Status checkSettings(const TetBakeSettings& settings) {
  CLIPMILL_CHECK(checkDriveSettings(settings));
  if (settings.soft_tissue == TetBakeSoftTissue::kDynamic) return {};
  if (!settings.jiggle && !settings.settle_s && settings.region.empty()) return {};
  const char* name = settings.jiggle ? "jiggle" : settings.settle_s ? "settle_s" : "region";
  return Error{ErrorCode::kRecipe, name, "has no effect on quasistatic soft tissue",
               "set soft_tissue = dynamic, or leave it out"};
}

// A sentence where nothing is written.
void reportUnchanged(const BakeRig& rig, StageOutput& output) {
  const Additions& additions = output.additions;
  if (output.results.empty() || !additions.morphs.empty() || !additions.joints.empty() ||
      !additions.files.empty()) {
    return;
  }
  output.results.front().warnings.add(
      "nothing_to_bake",
      rig.regions.empty() ? "every part of the skin follows one joint as a whole and keeps its "
                            "volume, so nothing is baked"
                          : "no joint of these clips gets a correction, so nothing is baked",
      "skinned meshes");
}

// The settings as they are, with a note on the size of what will be written.
Result<ResolvedSettings> resolve(const Scene& scene, std::span<const Motion> motions,
                                 const void* settings) {
  const TetBakeSettings& given = *static_cast<const TetBakeSettings*>(settings);
  ResolvedSettings resolved{std::make_shared<TetBakeSettings>(given), {}};
  if (given.bake_to != TetBakeOutput::kMorph) return resolved;
  // The bake itself reports a scene without a skin.
  const auto estimate = estimateMorphSize(scene, motions, given);
  if (estimate && estimate->max_targets > 0) resolved.notes.push_back(textOf(*estimate));
  return resolved;
}

}  // namespace

Result<StageOutput> runTetBake(const StageInput& input, const TetBakeSettings& settings) {
  CLIPMILL_CHECK(checkSettings(settings));
  Warnings warnings;
  CLIPMILL_TRY(BakeRig rig,
               makeBakeRig(input.scene, settings, warnings, input.raw_files, input.threads));
  if (settings.drive == TetBakeDrive::kPose) {
    CLIPMILL_TRY(StageOutput output, bakeDriven(input, settings, rig));
    reportUnchanged(rig, output);
    if (!output.results.empty()) output.results.front().warnings.merge(warnings);
    return output;
  }
  if (settings.twist_joints == TetBakeTwistJoints::kAuto) {
    addTwistJoints(input.scene, input.motions, rig, warnings);
  }
  CLIPMILL_TRY(Baked baked, bakeMotions(input.scene, rig, input.motions, settings, input.threads));
  CLIPMILL_TRY(StageOutput output, outputOf(input, settings, rig, baked));
  if (settings.keep_tets) {
    CLIPMILL_CHECK(addTetFiles(rig, input.motions, baked, output.additions));
  }
  reportUnchanged(rig, output);
  if (!output.results.empty()) output.results.front().warnings.merge(warnings);
  return output;
}

StageType tetBakeType() {
  StageType type = makeStageType<TetBakeSettings>(
      "tet-bake", "preserve the skin's volume at bent and twisted joints, baked as morph targets",
      tetBakeTable(), runTetBake);
  type.algorithm_version = 16;
  type.needs_meshes = [](const void*) { return true; };
  type.adds_to_file = [](const void* settings) {
    const auto bake_to = static_cast<const TetBakeSettings*>(settings)->bake_to;
    return bake_to == TetBakeOutput::kMorph || bake_to == TetBakeOutput::kBones;
  };
  type.resolve = resolve;
  type.raw_files_of = [](const void* settings) {
    return tetFilesOf(static_cast<const TetBakeSettings*>(settings)->tets.value_or(""));
  };
  return type;
}

}  // namespace clipmill::stages::tet_bake
