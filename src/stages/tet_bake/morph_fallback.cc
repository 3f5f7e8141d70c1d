// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morph_fallback.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "measure/joint_volumes.h"

namespace clipmill::stages::tet_bake {
namespace {

// A change of volume below this share is invisible.
constexpr double kSameVolume = 0.02;

double awayFromRest(const std::vector<double>& shares) {
  double sum = 0.0;
  for (const double share : shares) sum += std::abs(share - 1.0);
  return sum;
}

// The joints that are worse than plain skinning.
std::vector<int> worseJoints(const ClipErrors& errors, std::span<const MorphRegion> regions,
                             const measure::JointVolumes& volumes) {
  std::set<int> worse;
  for (std::size_t r = 0; r < regions.size(); ++r) {
    const RegionErrors& left = errors.regions[r];
    if (left.morphed > left.skinned) worse.insert(regions[r].node);
  }
  for (std::size_t limb = 0; limb < volumes.limbCount(); ++limb) {
    const LimbSeries& series = errors.limbs[limb];
    const double margin = kSameVolume * static_cast<double>(series.skinned.size());
    if (awayFromRest(series.morphed) > awayFromRest(series.skinned) + margin) {
      worse.insert(volumes.nodeOf(limb));
    }
  }
  return {worse.begin(), worse.end()};
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

FallbackSkin applySkinFallback(const Scene& scene, const BakeRig& rig, const Motion& motion,
                               const Baked& baked, std::size_t index, const SkinFallback& fallback,
                               int threads) {
  FallbackSkin result;
  const auto measure = [&] {
    return measureSkin(scene, rig, motion, baked, index, fallback.skin_of, threads,
                       fallback.regions);
  };
  result.errors = measure();
  // Where shares overlap, a joint may become worse once its neighbour is reset.
  while (true) {
    const std::size_t before = result.nodes.size();
    for (const int node : worseJoints(result.errors, fallback.regions, rig.limbs)) {
      if (fallback.leave_to_skin(node)) result.nodes.push_back(node);
    }
    if (result.nodes.size() == before) return result;
    result.errors = measure();
  }
}

FallbackSkin applyMorphFallback(const Scene& scene, const BakeRig& rig, const Motion& motion,
                                const Baked& baked, std::size_t index,
                                std::span<FittedMorph> fitted, int threads) {
  if (fitted.empty()) {
    return {{}, measureClip(scene, rig, motion, baked, index, fitted, threads)};
  }
  const std::size_t start = baked.start[index];
  SkinFallback fallback;
  if (fitted.front().node < 0) {
    fallback.regions = {wholeRegion(rig.surface)};
    fallback.regions.front().node = -1;
  } else {
    fallback.regions = rig.regions;
  }
  fallback.skin_of = [&](std::size_t frame) {
    return skinAt(scene, rig, motion, frame, fitted, start + frame);
  };
  fallback.leave_to_skin = [&](int node) {
    return clearWeights(fitted, node, start, motion.grid.frame_count);
  };
  return applySkinFallback(scene, rig, motion, baked, index, fallback, threads);
}

}  // namespace clipmill::stages::tet_bake
