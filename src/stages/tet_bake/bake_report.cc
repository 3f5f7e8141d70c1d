// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/bake_report.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "core/to_size.h"
#include "core/units.h"
#include "measure/joint_volumes.h"
#include "stages/tet_bake/morphs/bind_corrections.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kWorstPart = 0.01;
constexpr std::size_t kFramesPerBlock = 4;

// Distances of one frame, squared.
struct FrameErrors {
  std::vector<float> skinned, morphed;
  std::vector<RegionErrors> regions;
  std::vector<RegionQuality> quality;
};

SkinErrors errorsOf(std::span<const FrameErrors> frames,
                    const std::vector<float> FrameErrors::*which) {
  SkinErrors errors;
  std::vector<float> all;
  double sum = 0.0;
  for (const FrameErrors& frame : frames) {
    const std::vector<float>& squares = frame.*which;
    double own = 0.0;
    for (const float square : squares) own += static_cast<double>(square);
    sum += own;
    const double count = std::max<double>(1.0, static_cast<double>(squares.size()));
    errors.frame_rms_m.push_back(std::sqrt(own / count));
    all.insert(all.end(), squares.begin(), squares.end());
  }
  if (all.empty()) return errors;
  errors.rms_m = std::sqrt(sum / static_cast<double>(all.size()));
  const auto rank =
      static_cast<std::ptrdiff_t>((1.0 - kWorstPart) * static_cast<double>(all.size() - 1));
  std::nth_element(all.begin(), all.begin() + rank, all.end());
  errors.p99_m = std::sqrt(static_cast<double>(all[toSize(rank)]));
  errors.max_m = std::sqrt(static_cast<double>(*std::max_element(all.begin(), all.end())));
  return errors;
}

void measureFrame(const Baked& baked, std::size_t column, const MorphedSkin& skin,
                  std::span<const MorphRegion> regions, FrameErrors& frame) {
  std::vector<RegionErrors> points(skin.plain.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Vec3 wanted = baked.world.at(p, column);
    const Vec3 left = wanted - (skin.morphed[p] - skin.plain[p]);
    points[p] = {glm::dot(wanted, wanted), glm::dot(left, left)};
    if (!baked.moved[p]) continue;
    frame.skinned.push_back(static_cast<float>(points[p].skinned));
    frame.morphed.push_back(static_cast<float>(points[p].morphed));
  }
  frame.regions.resize(regions.size());
  for (std::size_t r = 0; r < regions.size(); ++r) {
    for (std::size_t i = 0; i < regions[r].points.size(); ++i) {
      const RegionErrors& point = points[regions[r].points[i]];
      frame.regions[r].skinned += regions[r].shares[i] * point.skinned;
      frame.regions[r].morphed += regions[r].shares[i] * point.morphed;
    }
  }
}

std::vector<RegionErrors> sumOf(std::span<const FrameErrors> frames, std::size_t region_count) {
  std::vector<RegionErrors> sums(region_count);
  for (const FrameErrors& frame : frames) {
    for (std::size_t r = 0; r < region_count; ++r) {
      sums[r].skinned += frame.regions[r].skinned;
      sums[r].morphed += frame.regions[r].morphed;
    }
  }
  return sums;
}

// What gluing and folds there are in the worst frame, and why regions are worse in each frame.
void addQuality(std::span<const FrameErrors> frames, std::size_t region_count,
                const std::optional<ClipLimits>& limits, ClipErrors& errors) {
  std::vector<std::vector<RegionQuality>> clip;
  for (const FrameErrors& frame : frames) clip.push_back(frame.quality);
  errors.worse = worseFrames(clip, region_count, limits);
  ClipErrors::Quality worst;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const FrameErrors& frame = frames[f];
    ClipErrors::Quality sum;
    for (std::size_t r = 0; r < frame.quality.size(); ++r) {
      const RegionQuality& region = frame.quality[r];
      sum.opened_pairs += static_cast<double>(region.gluing.opened);
      sum.glued_pairs += static_cast<double>(region.gluing.glued);
      sum.skinned_folds += static_cast<double>(region.skinned_folds);
      sum.baked_folds += static_cast<double>(region.baked_folds);
      worst.skinned_stretch = std::max(worst.skinned_stretch, region.skinned_stretch);
      worst.baked_stretch = std::max(worst.baked_stretch, region.baked_stretch);
    }
    worst.opened_pairs = std::max(worst.opened_pairs, sum.opened_pairs);
    worst.glued_pairs = std::max(worst.glued_pairs, sum.glued_pairs);
    worst.skinned_folds = std::max(worst.skinned_folds, sum.skinned_folds);
    worst.baked_folds = std::max(worst.baked_folds, sum.baked_folds);
  }
  errors.quality = worst;
}

void addQualityMetrics(const ClipErrors& errors, StageResult& result) {
  if (!errors.quality) return;
  const ClipErrors::Quality& worst = *errors.quality;
  result.metrics.push_back({"max_opened_pairs", std::nullopt, worst.opened_pairs});
  result.metrics.push_back({"max_glued_pairs", std::nullopt, worst.glued_pairs});
  result.metrics.push_back({"max_flipped_edges", worst.skinned_folds, worst.baked_folds});
  result.metrics.push_back({"max_edge_strain_percent", kPercent * worst.skinned_stretch,
                            kPercent * worst.baked_stretch});
}

template <class Value>
Series seriesOf(const char* name, std::span<const BakedFrame> frames, const Value& value) {
  Series series{name, "", {}, {}};
  for (const BakedFrame& frame : frames) {
    series.before.push_back(value(frame.skinned));
    series.after.push_back(
        value(VolumeStats{frame.solved.volume_share, frame.solved.j_min, frame.solved.j_p1,
                          frame.solved.j_p99, frame.solved.inverted}));
  }
  return series;
}

double farthestFrom(const std::vector<double>& values, double wanted) {
  double worst = 0.0;
  for (const double value : values) worst = std::max(worst, std::abs(value - wanted));
  return worst;
}

void addVolumes(std::span<const BakedFrame> frames, StageResult& result) {
  const Series volume = seriesOf("tet_volume_percent", frames,
                                 [](const VolumeStats& stats) { return kPercent * stats.share; });
  const Series j_min =
      seriesOf("min_j", frames, [](const VolumeStats& stats) { return stats.j_min; });
  const Series j_p1 = seriesOf("j_p1", frames, [](const VolumeStats& s) { return s.j_p1; });
  const Series j_p99 = seriesOf("j_p99", frames, [](const VolumeStats& s) { return s.j_p99; });
  const Series inverted = seriesOf("inverted_tets", frames, [](const VolumeStats& stats) {
    return static_cast<double>(stats.inverted);
  });
  const auto add = [&](const char* name, const Series& series, const auto& worst) {
    result.metrics.push_back({name, worst(series.before), worst(series.after)});
  };
  const auto least = [](const std::vector<double>& v) {
    return *std::min_element(v.begin(), v.end());
  };
  const auto most = [](const std::vector<double>& v) {
    return *std::max_element(v.begin(), v.end());
  };
  add("max_volume_change_percent", volume,
      [](const std::vector<double>& v) { return farthestFrom(v, kPercent); });
  add("min_j", j_min, least);
  add("min_j_p1", j_p1, least);
  add("max_j_p99", j_p99, most);
  add("max_inverted_tets", inverted, most);
  result.series.push_back(volume);
  result.series.push_back(j_min);
  result.series.push_back(inverted);
}

void addErrors(const ClipErrors& errors, StageResult& result) {
  const auto add = [&](const char* name, double SkinErrors::*member) {
    result.metrics.push_back({name, kMillimetresInMetre * errors.skinned.*member,
                              kMillimetresInMetre * errors.morphed.*member});
  };
  add("skin_error_rms_mm", &SkinErrors::rms_m);
  add("skin_error_p99_mm", &SkinErrors::p99_m);
  add("skin_error_max_mm", &SkinErrors::max_m);
  Series series{"skin_error_rms_mm", "", errors.skinned.frame_rms_m, errors.morphed.frame_rms_m};
  series.after.resize(series.before.size(), 0.0);
  for (std::vector<double>* values : {&series.before, &series.after}) {
    for (double& value : *values) value *= kMillimetresInMetre;
  }
  result.series.push_back(std::move(series));
}

// Limbs that plain skinning changes get a series each.
void addLimbs(const std::vector<LimbSeries>& limbs, bool can_measure, StageResult& result) {
  double before = 1.0, after = 1.0;
  for (const LimbSeries& limb : limbs) {
    before = std::min(before, *std::min_element(limb.skinned.begin(), limb.skinned.end()));
    after = std::min(after, *std::min_element(limb.morphed.begin(), limb.morphed.end()));
    if (farthestFrom(limb.skinned, 1.0) < kReportedVolumeChange) continue;
    Series series{"limb_volume_percent", limb.joint, limb.skinned, limb.morphed};
    for (std::vector<double>* values : {&series.before, &series.after}) {
      for (double& value : *values) value *= kPercent;
    }
    result.series.push_back(std::move(series));
  }
  if (limbs.empty() && can_measure) return;  // of a cache
  // Not measurable is null in the report.
  if (!can_measure) before = after = std::numeric_limits<double>::quiet_NaN();
  result.metrics.push_back({"min_limb_volume_percent", kPercent * before, kPercent * after});
}

void addResiduals(std::span<const BakedFrame> frames, StageResult& result) {
  double sweeps = 0.0, step = 0.0;
  for (const BakedFrame& frame : frames) {
    sweeps += static_cast<double>(frame.solved.sweeps);
    step = std::max(step, frame.solved.last_step);
    if (!frame.solved.is_solved) {
      result.warnings.add("frame_not_solved",
                          "a frame has extreme positions and is not solved; its skin keeps dual "
                          "quaternion skinning",
                          result.motion.clip_name);
    } else if (!frame.solved.has_converged) {
      result.warnings.add("frame_not_converged",
                          "a frame reaches max_sweeps before the solver converges",
                          result.motion.clip_name);
    }
    if (frame.solved.inverted > 0) {
      result.warnings.add("inverted_tets", "a frame has inverted tetrahedra",
                          result.motion.clip_name);
    }
    if (frame.clamped_count > 0) {
      result.warnings.add(
          "displacement_clamped",
          "the displacement of a vertex before skinning is clamped to the thickness "
          "of its limb",
          result.motion.clip_name, frame.clamped_count);
    }
  }
  result.metrics.push_back(
      {"mean_sweeps", std::nullopt, sweeps / static_cast<double>(frames.size())});
  result.metrics.push_back({"last_step_edges", std::nullopt, step});
}

}  // namespace

void addSkinnedMorphs(const BakeRig& rig, std::span<const Affine> world_from_bind,
                      std::span<const FittedMorph> fitted, std::size_t column,
                      std::span<Vec3> positions) {
  std::vector<Vec3> sum(positions.size(), Vec3(0.0));
  addMorphs(fitted, column, sum);
  for (std::size_t p = 0; p < sum.size(); ++p) {
    if (sum[p] != Vec3(0.0))
      positions[p] += blendedLinear(rig.shown(), world_from_bind, p) * sum[p];
  }
}

MorphedSkin skinAt(const Scene& scene, const BakeRig& rig, const Motion& motion, std::size_t frame,
                   std::span<const FittedMorph> fitted, std::size_t column) {
  const std::vector<Affine> worlds = shownWorldsAt(scene, rig, motion, frame, column);
  MorphedSkin skin;
  skin.plain.resize(rig.surface.pointCount());
  skinSurface(rig.surface, worlds, skin.plain);
  skin.morphed = skin.plain;
  if (!rig.twist.empty()) skinSurface(rig.shown(), worlds, skin.morphed);
  addSkinnedMorphs(rig, worlds, fitted, column, skin.morphed);
  return skin;
}

ClipErrors measureSkin(const Scene& scene, const BakeRig& rig, const Motion& motion,
                       const Baked& baked, std::size_t index, const SkinOfFrame& skin_of,
                       int threads, std::span<const MorphRegion> regions,
                       const SkinQuality* quality, const std::optional<ClipLimits>& limits) {
  std::vector<FrameErrors> frames(motion.grid.frame_count);
  const measure::JointVolumes& volumes = rig.limbs;
  ClipErrors result;
  for (std::size_t limb = 0; limb < volumes.limbCount(); ++limb) {
    const std::vector<double> none(frames.size(), 1.0);
    const auto node = toSize(volumes.nodeOf(limb));
    result.limbs.push_back({scene.skeleton.nodes[node].name, none, none});
  }
  parallelFor(frames.size(), kFramesPerBlock, threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t f = start; f < end; ++f) {
      const MorphedSkin skin = skin_of(f);
      measureFrame(baked, baked.start[index] + f, skin, regions, frames[f]);
      if (quality) frames[f].quality = quality->measure(skin.plain, skin.morphed);
      for (std::size_t limb = 0; limb < result.limbs.size(); ++limb) {
        result.limbs[limb].skinned[f] = volumes.share(limb, skin.plain);
        result.limbs[limb].morphed[f] = volumes.share(limb, skin.morphed);
      }
    }
  });
  result.skinned = errorsOf(frames, &FrameErrors::skinned);
  result.morphed = errorsOf(frames, &FrameErrors::morphed);
  result.regions = sumOf(frames, regions.size());
  if (quality) addQuality(frames, regions.size(), limits, result);
  return result;
}

ClipErrors measureClip(const Scene& scene, const BakeRig& rig, const Motion& motion,
                       const Baked& baked, std::size_t index, std::span<const FittedMorph> fitted,
                       int threads) {
  const auto skin_of = [&](std::size_t frame) {
    return skinAt(scene, rig, motion, frame, fitted, baked.start[index] + frame);
  };
  return measureSkin(scene, rig, motion, baked, index, skin_of, threads);
}

void reportClip(const BakeRig& rig, const Baked& baked, std::size_t index, const ClipErrors& errors,
                StageResult& result) {
  const auto frames = std::span(baked.frames)
                          .subspan(baked.start[index], baked.start[index + 1] - baked.start[index]);
  addErrors(errors, result);
  addQualityMetrics(errors, result);
  addLimbs(errors.limbs, rig.limbs.limbCount() > 0, result);
  addVolumes(frames, result);
  addResiduals(frames, result);
  result.metrics.push_back(
      {"tets", std::nullopt, static_cast<double>(rig.lattice.mesh.tets.size())});
  result.metrics.push_back({"cell_mm", std::nullopt, kMillimetresInMetre * rig.lattice.cell_m});
}

}  // namespace clipmill::stages::tet_bake
