// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morph_gate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "stages/tet_bake/surface/volume.h"

namespace clipmill::tet_bake {
namespace {

// A share of the volume at rest that nobody sees.
constexpr double kSameVolume = 0.02;

double awayFromRest(const std::vector<double>& shares) {
  double sum = 0.0;
  for (const double share : shares) sum += std::abs(share - 1.0);
  return sum;
}

// The joints that are worse than plain skinning.
std::vector<int> worseJoints(const ClipErrors& errors, std::span<const MorphRegion> regions,
                             const LimbVolumes& volumes) {
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

// Takes the weights of a joint's morphs in `frames` frames from `begin` on. True if there were any.
bool silence(std::span<FittedMorph> fitted, int node, std::size_t begin, std::size_t frames) {
  bool had_weight = false;
  for (FittedMorph& morph : fitted) {
    if (morph.node != node) continue;
    const auto first = morph.weights.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = first + static_cast<std::ptrdiff_t>(frames);
    had_weight = had_weight || std::any_of(first, last, [](double w) { return w != 0.0; });
    std::fill(first, last, 0.0);
  }
  return had_weight;
}

}  // namespace

GatedSkin gateSkin(const Scene& scene, const BakeRig& rig, const Motion& motion, const Baked& baked,
                   std::size_t index, const SkinGate& gate, int threads) {
  GatedSkin gated;
  const auto measure = [&] {
    return measureSkin(scene, rig, motion, baked, index, gate.skin_of, threads, gate.regions);
  };
  gated.errors = measure();
  // Where shares overlap, a joint may be worse only without what its neighbour does.
  while (true) {
    const std::size_t before = gated.nodes.size();
    for (const int node : worseJoints(gated.errors, gate.regions, rig.limbs)) {
      if (gate.leave_to_skin(node)) gated.nodes.push_back(node);
    }
    if (gated.nodes.size() == before) return gated;
    gated.errors = measure();
  }
}

GatedSkin gateMorphs(const Scene& scene, const BakeRig& rig, const Motion& motion,
                     const Baked& baked, std::size_t index, std::span<FittedMorph> fitted,
                     int threads) {
  if (fitted.empty()) {
    return {{}, measureClip(scene, rig, motion, baked, index, fitted, threads)};
  }
  const std::size_t begin = baked.begin[index];
  SkinGate gate;
  if (fitted.front().node < 0) {
    gate.regions = {wholeRegion(rig.surface)};
    gate.regions.front().node = -1;
  } else {
    gate.regions = rig.regions;
  }
  gate.skin_of = [&](std::size_t frame) {
    return skinAt(scene, rig, motion, frame, fitted, begin + frame);
  };
  gate.leave_to_skin = [&](int node) {
    return silence(fitted, node, begin, motion.grid.frame_count);
  };
  return gateSkin(scene, rig, motion, baked, index, gate, threads);
}

}  // namespace clipmill::tet_bake
