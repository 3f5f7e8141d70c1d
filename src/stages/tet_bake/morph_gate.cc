// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morph_gate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/parallel.h"
#include "stages/tet_bake/surface/volume.h"

namespace clipmill::tet_bake {
namespace {

constexpr std::size_t kFramesPerBlock = 4;
// A share of the volume at rest that nobody sees.
constexpr double kSameVolume = 0.02;

// Of one joint: what plain skinning and morphs leave.
struct Left {
  double skinned = 0.0, morphed = 0.0;

  void add(const Left& other) {
    skinned += other.skinned;
    morphed += other.morphed;
  }
};

// Of one frame: squares of distances, one a region, and parts of volumes, one a limb.
struct FrameLeft {
  std::vector<Left> regions, limbs;
};

class ClipGate {
 public:
  ClipGate(const BakeRig& rig, const Motion& motion, const Baked& baked, std::size_t begin,
           const SkinGate& gate)
      : frame_count_(motion.grid.frame_count),
        baked_(baked),
        begin_(begin),
        gate_(gate),
        volumes_(rig.limbs) {}

  // The joints that are worse than plain skinning now.
  std::vector<int> worseJoints(int threads) const {
    std::vector<FrameLeft> frames(frame_count_);
    parallelFor(frames.size(), kFramesPerBlock, threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t f = begin; f < end; ++f) frames[f] = leftAt(f);
    });
    std::set<int> worse;
    const auto total = [&](const std::vector<Left> FrameLeft::*which, std::size_t i) {
      Left sum;
      for (const FrameLeft& frame : frames) sum.add((frame.*which)[i]);
      return sum;
    };
    for (std::size_t r = 0; r < gate_.regions.size(); ++r) {
      const Left left = total(&FrameLeft::regions, r);
      if (left.morphed > left.skinned) worse.insert(gate_.regions[r].node);
    }
    const double margin = kSameVolume * static_cast<double>(frames.size());
    for (std::size_t limb = 0; limb < volumes_.limbCount(); ++limb) {
      const Left left = total(&FrameLeft::limbs, limb);
      if (left.morphed > left.skinned + margin) worse.insert(volumes_.nodeOf(limb));
    }
    return {worse.begin(), worse.end()};
  }

 private:
  FrameLeft leftAt(std::size_t frame) const {
    const MorphedSkin skin = gate_.skin_of(frame);
    FrameLeft left{std::vector<Left>(gate_.regions.size()),
                   std::vector<Left>(volumes_.limbCount())};
    for (std::size_t r = 0; r < gate_.regions.size(); ++r) {
      const MorphRegion& region = gate_.regions[r];
      for (std::size_t i = 0; i < region.points.size(); ++i) {
        const std::uint32_t point = region.points[i];
        const Vec3 wanted = baked_.world.at(point, begin_ + frame);
        const Vec3 rest = wanted - (skin.morphed[point] - skin.plain[point]);
        const double share = region.shares[i];
        left.regions[r].add({share * glm::dot(wanted, wanted), share * glm::dot(rest, rest)});
      }
    }
    for (std::size_t limb = 0; limb < volumes_.limbCount(); ++limb) {
      left.limbs[limb] = {std::abs(volumes_.share(limb, skin.plain) - 1.0),
                          std::abs(volumes_.share(limb, skin.morphed) - 1.0)};
    }
    return left;
  }

  std::size_t frame_count_;
  const Baked& baked_;
  std::size_t begin_;
  const SkinGate& gate_;
  const LimbVolumes& volumes_;
};

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

std::vector<int> gateSkin(const BakeRig& rig, const Motion& motion, const Baked& baked,
                          std::size_t index, const SkinGate& gate, int threads) {
  std::vector<int> gated;
  const ClipGate clip(rig, motion, baked, baked.begin[index], gate);
  // Where shares overlap, a joint may be worse only without what its neighbour does.
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const int node : clip.worseJoints(threads)) {
      if (!gate.leave_to_skin(node)) continue;
      gated.push_back(node);
      is_changed = true;
    }
  }
  return gated;
}

std::vector<int> gateMorphs(const Scene& scene, const BakeRig& rig, const Motion& motion,
                            const Baked& baked, std::size_t index, std::span<FittedMorph> fitted,
                            int threads) {
  if (fitted.empty()) return {};
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
  return gateSkin(rig, motion, baked, index, gate, threads);
}

}  // namespace clipmill::tet_bake
