// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morph_gate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/parallel.h"
#include "stages/tet_bake/bake_report.h"
#include "stages/tet_bake/volume.h"

namespace clipmill::tet_bake {
namespace {

constexpr std::size_t kFramesPerBlock = 4;
// Volumes that differ by less are alike.
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
  ClipGate(const Scene& scene, const BakeRig& rig, const Motion& motion, const Baked& baked,
           std::size_t begin, std::span<FittedMorph> fitted)
      : scene_(scene),
        rig_(rig),
        motion_(motion),
        baked_(baked),
        begin_(begin),
        fitted_(fitted),
        volumes_(rig.surface, scene.skeleton) {
    const bool is_whole = !fitted.empty() && fitted.front().node < 0;
    if (is_whole) {
      regions_ = {wholeRegion(rig.surface)};
      regions_.front().node = -1;
    } else {
      regions_ = rig.regions;
    }
  }

  // The joints that are worse than plain skinning now.
  std::vector<int> worseJoints(int threads) const {
    std::vector<FrameLeft> frames(motion_.grid.frame_count);
    parallelFor(frames.size(), kFramesPerBlock, threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t f = begin; f < end; ++f) frames[f] = leftAt(f);
    });
    std::set<int> worse;
    const auto total = [&](const std::vector<Left> FrameLeft::*which, std::size_t i) {
      Left sum;
      for (const FrameLeft& frame : frames) sum.add((frame.*which)[i]);
      return sum;
    };
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      const Left left = total(&FrameLeft::regions, r);
      if (left.morphed > left.skinned) worse.insert(regions_[r].node);
    }
    const double margin = kSameVolume * static_cast<double>(frames.size());
    for (std::size_t limb = 0; limb < volumes_.limbCount(); ++limb) {
      const Left left = total(&FrameLeft::limbs, limb);
      if (left.morphed > left.skinned + margin) worse.insert(volumes_.nodeOf(limb));
    }
    return {worse.begin(), worse.end()};
  }

  // True if that changes anything.
  bool silence(int node) {
    bool had_weight = false;
    for (FittedMorph& morph : fitted_) {
      if (morph.node != node) continue;
      const auto first = morph.weights.begin() + static_cast<std::ptrdiff_t>(begin_);
      const auto last = first + static_cast<std::ptrdiff_t>(motion_.grid.frame_count);
      had_weight = had_weight || std::any_of(first, last, [](double w) { return w != 0.0; });
      std::fill(first, last, 0.0);
    }
    return had_weight;
  }

 private:
  FrameLeft leftAt(std::size_t frame) const {
    const std::size_t column = begin_ + frame;
    const MorphedSkin skin = skinAt(scene_, rig_, motion_, frame, fitted_, column);
    FrameLeft left{std::vector<Left>(regions_.size()), std::vector<Left>(volumes_.limbCount())};
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      for (std::size_t i = 0; i < regions_[r].points.size(); ++i) {
        const std::uint32_t point = regions_[r].points[i];
        const Vec3 wanted = baked_.world.at(point, column);
        const Vec3 rest = wanted - (skin.morphed[point] - skin.plain[point]);
        const double share = regions_[r].shares[i];
        left.regions[r].add({share * glm::dot(wanted, wanted), share * glm::dot(rest, rest)});
      }
    }
    for (std::size_t limb = 0; limb < volumes_.limbCount(); ++limb) {
      left.limbs[limb] = {std::abs(volumes_.share(limb, skin.plain) - 1.0),
                          std::abs(volumes_.share(limb, skin.morphed) - 1.0)};
    }
    return left;
  }

  const Scene& scene_;
  const BakeRig& rig_;
  const Motion& motion_;
  const Baked& baked_;
  std::size_t begin_;
  std::span<FittedMorph> fitted_;
  LimbVolumes volumes_;
  std::vector<MorphRegion> regions_;
};

}  // namespace

std::vector<int> gateMorphs(const Scene& scene, const BakeRig& rig, const Motion& motion,
                            const Baked& baked, std::size_t index, std::span<FittedMorph> fitted,
                            int threads) {
  std::vector<int> gated;
  if (fitted.empty()) return gated;
  ClipGate gate(scene, rig, motion, baked, baked.begin[index], fitted);
  // Where shares overlap, a joint may be worse only without the morphs of its neighbour.
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const int node : gate.worseJoints(threads)) {
      if (!gate.silence(node)) continue;
      gated.push_back(node);
      is_changed = true;
    }
  }
  return gated;
}

}  // namespace clipmill::tet_bake
