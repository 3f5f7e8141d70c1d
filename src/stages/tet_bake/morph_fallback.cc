// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morph_fallback.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace clipmill::stages::tet_bake {
namespace {

// Normals that are off by less more than those of plain skinning are as good.
constexpr double kSameNormalShare = 1.01;
constexpr double kSameNormal_rad = 0.05 * kDegree;

// Strain that mendEdges() cannot lower, and that of swinging tissue, is worth this much.
constexpr ClipLimits kMorphLimits = {
    .stretch_share = 1.25, .free_stretch = 0.1, .folds_share = 1.0};

// The weights of morphs in one clip, as they were at first.
class ClipWeights {
 public:
  ClipWeights(std::span<FittedMorph> fitted, std::size_t start, std::size_t frames)
      : fitted_(fitted), start_(start) {
    for (const FittedMorph& morph : fitted) {
      const auto own = std::span(morph.weights).subspan(start, frames);
      first_.emplace_back(own.begin(), own.end());
    }
  }

  // Scales the weights of a joint's morphs. True if any was not 0 before.
  bool show(int node, std::span<const double> shares) {
    bool had_weight = false;
    for (std::size_t m = 0; m < fitted_.size(); ++m) {
      if (fitted_[m].node != node) continue;
      for (std::size_t f = 0; f < shares.size(); ++f) {
        double& weight = fitted_[m].weights[start_ + f];
        had_weight = had_weight || weight != 0.0;
        weight = shares[f] * first_[m][f];
      }
    }
    return had_weight;
  }

 private:
  std::span<FittedMorph> fitted_;
  std::size_t start_;
  std::vector<std::vector<double>> first_;
};

}  // namespace

FallbackSkin applyMorphFallback(const Scene& scene, const BakeRig& rig, const Motion& motion,
                                const Baked& baked, std::size_t index, MorphFit& fit, int threads) {
  if (fit.morphs.empty()) {
    return {{}, measureClip(scene, rig, motion, baked, index, fit.morphs, threads)};
  }
  const std::size_t start = baked.start[index];
  SkinFallback fallback;
  fallback.regions = rig.regionsOf(fit);
  fallback.quality = fit.isWhole() ? &rig.whole_quality : &rig.quality;
  // What morphs of the whole skin leave out for one limb, all others lose.
  if (!fit.isWhole()) fallback.limits = kMorphLimits;
  fallback.skin_of = [&](std::size_t frame) {
    return skinAt(scene, rig, motion, frame, fit.morphs, start + frame);
  };
  ClipWeights weights(fit.morphs, start, motion.grid.frame_count);
  fallback.show = [&](int node, std::span<const double> shares) {
    return weights.show(node, shares);
  };
  return applySkinFallback(scene, rig, motion, baked, index, fallback, threads);
}

std::size_t leaveWorseNormals(const Scene& scene, const BakeRig& rig, const Motion& motion,
                              const Baked& baked, std::size_t index,
                              std::span<const NormalErrors> errors, MorphFit& fit,
                              FallbackSkin& skin, int threads) {
  std::size_t held = 0;
  ClipWeights weights(fit.morphs, baked.start[index], motion.grid.frame_count);
  const std::vector<double> nothing(motion.grid.frame_count, 0.0);
  const auto regions = rig.regionsOf(fit);
  for (std::size_t r = 0; r < regions.size(); ++r) {
    const double count = std::max(errors[r].count, 1.0);
    const double skinned = std::sqrt(errors[r].skinned / count);
    const double morphed = std::sqrt(errors[r].morphed / count);
    if (morphed <= kSameNormalShare * skinned + kSameNormal_rad) continue;
    if (!weights.show(regions[r].node, nothing)) continue;
    skin.nodes.push_back(regions[r].node);
    skin.reasons.push_back(WorseBy::kNormals);
    ++held;
  }
  if (held == 0) return 0;
  mergeFallback(applyMorphFallback(scene, rig, motion, baked, index, fit, threads), skin);
  return held;
}

}  // namespace clipmill::stages::tet_bake
