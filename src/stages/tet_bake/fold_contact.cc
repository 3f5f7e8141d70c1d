// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/fold_contact.h"

#include <algorithm>

#include "core/parallel.h"
#include "stages/tet_bake/limb_state.h"

namespace clipmill::stages::tet_bake {
namespace {

// Of the depth with plain skinning: so much less is asked for, because the fit of morphs adds to
// it; but no more than the bake moves a point.
constexpr double kLessDepth = 0.1;
// The most of it for a point that is within other skin at rest: nobody sees it there, and a longer
// path would need morphs of its own.
constexpr double kMaxLessAtRest_m = 5e-4;
// Paths are averaged with those around them in every round.
constexpr int kPathPasses = 2;
constexpr int kContactRounds = 6;
// What is left of a path and not seen.
constexpr double kDone_m = 1e-5;
// Paths about flipped edges are shortened to this share of theirs, so many times.
constexpr double kYieldAtFlip = 0.5;
constexpr int kYieldRounds = 4;
constexpr std::size_t kContactFramesPerBlock = 2;

class FrameContact {
 public:
  FrameContact(const BakeRig& rig, const SkinTools& tools, const BakedSurface& surface)
      : rig_(rig), tools_(tools), surface_(surface), at_(surface.solved) {}

  // From the solved surface to one in contact; empty where nothing has to move.
  std::vector<Vec3> paths() {
    overlaps_ = rig_.overlap.measure(at_);
    findAllowed();
    bool has_moved = false;
    for (int round = 0; round < kContactRounds && step(); ++round) {
      has_moved = true;
      if (round + 1 < kContactRounds) overlaps_ = rig_.overlap.measureAgain(at_, overlaps_);
    }
    if (!has_moved) return {};
    yieldAboutFlips();
    for (std::size_t p = 0; p < at_.size(); ++p) at_[p] -= surface_.solved[p];
    return std::move(at_);
  }

 private:
  // Paths that flip edges are shortened, with those around them.
  void yieldAboutFlips() {
    const std::size_t before = rig_.quality.newFolds(surface_.plain, surface_.solved).size();
    for (int round = 0; round < kYieldRounds; ++round) {
      const std::vector<std::uint32_t> flips = rig_.quality.newFolds(surface_.plain, at_);
      if (flips.size() <= before) return;
      std::vector<double> shares(at_.size(), 1.0);
      for (const std::uint32_t p : flips) shares[p] = kYieldAtFlip;
      spreadYield(shares);
      for (std::size_t p = 0; p < at_.size(); ++p) {
        at_[p] = surface_.solved[p] + shares[p] * (at_[p] - surface_.solved[p]);
      }
    }
  }

  // Half as much to the next points.
  void spreadYield(std::vector<double>& shares) const {
    const std::vector<std::uint32_t>& triangles = rig_.surface.triangles;
    const std::vector<double> at_flips = shares;
    for (std::size_t t = 0; t + 3 <= triangles.size(); t += 3) {
      double least = 1.0;
      for (std::size_t i = 0; i < 3; ++i) least = std::min(least, at_flips[triangles[t + i]]);
      for (std::size_t i = 0; i < 3; ++i) {
        double& own = shares[triangles[t + i]];
        own = std::min(own, 0.5 * (1.0 + least));
      }
    }
  }

  void findAllowed() {
    const std::vector<Overlap> plain = rig_.overlap.measureThose(surface_.plain, overlaps_);
    for (std::size_t p = 0; p < plain.size(); ++p) {
      const double own_m = correction(p);
      double less_m = std::min(kLessDepth * plain[p].depth_m, own_m);
      if (rig_.overlap.isWithinAtRest(p)) less_m = std::min(less_m, kMaxLessAtRest_m);
      // What the bake adds to the depth is no more than both sides are corrected.
      double others_m = 0.0;
      for (const std::uint32_t other : overlaps_[p].others) {
        others_m = std::max(others_m, correction(other));
      }
      allowed_m_.push_back(
          std::max(plain[p].depth_m - less_m, overlaps_[p].depth_m - own_m - others_m));
    }
  }

  double correction(std::size_t point) const {
    return glm::distance(surface_.solved[point], surface_.plain[point]);
  }

  // One round. False if no point is too far within other skin.
  bool step() {
    std::vector<Vec3> steps(at_.size(), Vec3(0.0));
    bool has_any = false;
    for (std::size_t p = 0; p < at_.size(); ++p) {
      const double excess_m = overlaps_[p].depth_m - allowed_m_[p];
      if (!(excess_m > kDone_m)) {
        overlaps_[p] = {};
        continue;
      }
      steps[p] = overlaps_[p].out * (excess_m * shareOf(p));
      has_any = true;
    }
    if (!has_any) return false;
    tools_.smoother.smooth(kPathPasses, steps);
    for (std::size_t p = 0; p < at_.size(); ++p) at_[p] += steps[p];
    return true;
  }

  // What masks, thin sheets and limbs that are too thin for the cells leave to a point.
  double shareOf(std::size_t point) const {
    const std::vector<double>& cells = rig_.lattice.cell_shares;
    const double shown = rig_.shown_shares.empty() ? 1.0 : rig_.shown_shares[point];
    return shown * rig_.surface.share[point] * (cells.empty() ? 1.0 : cells[point]);
  }

  const BakeRig& rig_;
  const SkinTools& tools_;
  const BakedSurface& surface_;
  std::vector<Vec3> at_;
  std::vector<Overlap> overlaps_;
  std::vector<double> allowed_m_;
};

}  // namespace

void separateFolds(const Scene& scene, const BakeRig& rig, const SkinTools& tools,
                   const Motion& motion, std::size_t index, std::size_t step, int threads,
                   ClipBaker& baker, Baked& baked) {
  const std::size_t last = motion.grid.frame_count - 1;
  parallelFor((last + step - 1) / step + 1, kContactFramesPerBlock, threads,
              [&](std::size_t start, std::size_t end) {
                for (std::size_t i = start; i < end; ++i) {
                  const std::size_t f = std::min(i * step, last);
                  const BakedSurface surface = bakedSurface(scene, rig, motion, baked, index, f);
                  const std::vector<Vec3> paths = FrameContact(rig, tools, surface).paths();
                  if (!paths.empty()) baker.shift(f, surface.pose, paths);
                }
              });
}

}  // namespace clipmill::stages::tet_bake
