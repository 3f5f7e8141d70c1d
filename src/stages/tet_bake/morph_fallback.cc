// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morph_fallback.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/to_size.h"
#include "measure/joint_volumes.h"

namespace clipmill::stages::tet_bake {
namespace {

// A change of volume below this share is invisible.
constexpr double kSameVolume = 0.02;

// Normals that are off by less more than those of plain skinning are as good.
constexpr double kSameNormalShare = 1.01;
constexpr double kSameNormal_rad = 0.05 * kDegree;
// A loss above this share of the volume, against plain skinning, is a fault in a single frame.
constexpr double kVolumeLoss = 0.1;

// Whether a limb loses or gains more volume than with plain skinning: on average over the clip, or
// far more in a frame. The volume of a joint with a scale is large with plain skinning too.
bool hasWorseVolume(const LimbSeries& series) {
  double sum = 0.0;
  for (std::size_t f = 0; f < series.skinned.size(); ++f) {
    const double skinned = series.skinned[f], morphed = series.morphed[f];
    const double loss = std::min(skinned, 1.0) - morphed;
    const double bulge = morphed - std::max(skinned, 1.0) * (1.0 + kSameVolume);
    if (loss > kVolumeLoss) return true;
    sum += std::max({loss, bulge, 0.0});
  }
  return sum > kSameVolume * static_cast<double>(series.skinned.size());
}

// The joints that are worse than plain skinning, and why.
std::map<int, WorseBy> worseJoints(const ClipErrors& errors, std::span<const MorphRegion> regions,
                                   const measure::JointVolumes& volumes) {
  std::map<int, WorseBy> worse;
  for (std::size_t r = 0; r < errors.worse.size(); ++r) {
    if (errors.worse[r] != WorseBy::kNothing) worse.emplace(regions[r].node, errors.worse[r]);
  }
  for (std::size_t r = 0; r < regions.size(); ++r) {
    const RegionErrors& left = errors.regions[r];
    if (left.morphed > left.skinned) worse.emplace(regions[r].node, WorseBy::kSurface);
  }
  for (std::size_t limb = 0; limb < volumes.limbCount(); ++limb) {
    if (hasWorseVolume(errors.limbs[limb])) worse.emplace(volumes.nodeOf(limb), WorseBy::kVolume);
  }
  return worse;
}

// Sets the weights of a joint's morphs to 0 in `frames` frames from `start` on. True if any was
// not.
bool clearWeights(std::span<FittedMorph> fitted, int node, std::size_t start, std::size_t frames) {
  bool had_weight = false;
  for (FittedMorph& morph : fitted) {
    if (morph.node != node) continue;
    const auto first = morph.weights.begin() + static_cast<std::ptrdiff_t>(start);
    const auto last = first + static_cast<std::ptrdiff_t>(frames);
    had_weight = had_weight || std::any_of(first, last, [](double w) { return w != 0.0; });
    std::fill(first, last, 0.0);
  }
  return had_weight;
}

}  // namespace

void reportHeldBack(const FallbackSkin& skin, const Motion& motion, const Skeleton& skeleton,
                    Warnings& warnings) {
  for (std::size_t i = 0; i < skin.nodes.size(); ++i) {
    const int node = skin.nodes[i];
    const std::string joint = node < 0 ? "" : ", " + skeleton.nodes[toSize(node)].name;
    const std::string location = motion.clip_name + joint + " (" + nameOf(skin.reasons[i]) + ")";
    if (skin.reasons[i] == WorseBy::kGluing) {
      warnings.add("skin_glued",
                   "the bake of a joint holds parts of the skin together that plain skinning moves "
                   "apart, and the joint keeps plain skinning in the clip",
                   location);
    } else {
      warnings.add(
          "worse_than_skinning",
          "the bake of a joint is worse than plain skinning in a clip, and the joint keeps "
          "plain skinning in it",
          location);
    }
  }
}

FallbackSkin applySkinFallback(const Scene& scene, const BakeRig& rig, const Motion& motion,
                               const Baked& baked, std::size_t index, const SkinFallback& fallback,
                               int threads) {
  FallbackSkin result;
  const auto measure = [&] {
    return measureSkin(scene, rig, motion, baked, index, fallback.skin_of, threads,
                       fallback.regions, fallback.quality);
  };
  result.errors = measure();
  // Where shares overlap, a joint may become worse once its neighbour is reset.
  while (true) {
    const std::size_t before = result.nodes.size();
    for (const auto& [node, reason] : worseJoints(result.errors, fallback.regions, rig.limbs)) {
      if (!fallback.leave_to_skin(node)) continue;
      result.nodes.push_back(node);
      result.reasons.push_back(reason);
    }
    if (result.nodes.size() == before) return result;
    result.errors = measure();
  }
}

FallbackSkin applyMorphFallback(const Scene& scene, const BakeRig& rig, const Motion& motion,
                                const Baked& baked, std::size_t index,
                                std::span<FittedMorph> fitted, int threads) {
  if (fitted.empty()) {
    return {{}, measureClip(scene, rig, motion, baked, index, fitted, threads), {}, {}};
  }
  const std::size_t start = baked.start[index];
  SkinFallback fallback;
  if (fitted.front().node < 0) {
    fallback.regions = {wholeRegion(rig.surface)};
    fallback.regions.front().node = -1;
    fallback.quality = &rig.whole_quality;
  } else {
    fallback.regions = rig.regions;
    fallback.quality = &rig.quality;
  }
  fallback.skin_of = [&](std::size_t frame) {
    return skinAt(scene, rig, motion, frame, fitted, start + frame);
  };
  fallback.leave_to_skin = [&](int node) {
    return clearWeights(fitted, node, start, motion.grid.frame_count);
  };
  return applySkinFallback(scene, rig, motion, baked, index, fallback, threads);
}

std::size_t leaveWorseNormals(const Scene& scene, const BakeRig& rig, const Motion& motion,
                              const Baked& baked, std::size_t index,
                              std::span<const MorphRegion> regions,
                              std::span<const NormalErrors> errors, std::span<FittedMorph> fitted,
                              FallbackSkin& skin, int threads) {
  std::size_t held = 0;
  for (std::size_t r = 0; r < regions.size(); ++r) {
    const double count = std::max(errors[r].count, 1.0);
    const double skinned = std::sqrt(errors[r].skinned / count);
    const double morphed = std::sqrt(errors[r].morphed / count);
    if (morphed <= kSameNormalShare * skinned + kSameNormal_rad) continue;
    if (!clearWeights(fitted, regions[r].node, baked.start[index], motion.grid.frame_count)) {
      continue;
    }
    skin.nodes.push_back(regions[r].node);
    skin.reasons.push_back(WorseBy::kNormals);
    ++held;
  }
  if (held == 0) return 0;
  FallbackSkin again = applyMorphFallback(scene, rig, motion, baked, index, fitted, threads);
  skin.nodes.insert(skin.nodes.end(), again.nodes.begin(), again.nodes.end());
  skin.reasons.insert(skin.reasons.end(), again.reasons.begin(), again.reasons.end());
  skin.errors = std::move(again.errors);
  return held;
}

}  // namespace clipmill::stages::tet_bake
