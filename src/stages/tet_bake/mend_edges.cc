// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/mend_edges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/tet_bake/fade_shares.h"
#include "stages/tet_bake/kept_clip.h"
#include "stages/tet_bake/limb_state.h"
#include "stages/tet_bake/surface/sliding_surface.h"

namespace clipmill::stages::tet_bake {
namespace {

// A region strained to twice the limit is as bad as this many flipped edges.
constexpr double kFlipsOfStrain = 20.0;
// Amounts of a slide that are measured; those between are interpolated.
constexpr std::array kAmounts = {0.25, 0.5, 0.75, 1.0};
constexpr int kMaxUnfoldings = 4;
constexpr int kUnfoldPasses = 10;
// What is smoothed about a flipped edge: this at its points, less from edge to edge, at most all.
constexpr double kAmountAtFlip = 1.6, kAmountStep = 0.3;
constexpr int kRings = 5;
constexpr double kMendFade_s = 0.1;
constexpr std::size_t kMendedFramesPerBlock = 2;

using ClipQuality = std::vector<std::vector<RegionQuality>>;  // by frame and region
// By frame and point, 0..1; no points where nothing moves.
using PointAmounts = std::vector<std::vector<double>>;
// Where the points of a surface would move to, relative to where they are.
using PathsOf = std::function<std::vector<Vec3>(const BakedSurface& surface)>;

class EdgeMending {
 public:
  EdgeMending(const Scene& scene, const BakeRig& rig, const SkinTools& tools, const Motion& motion,
              std::size_t index, int threads, ClipBaker& baker, Baked& baked)
      : scene_(scene),
        rig_(rig),
        tools_(tools),
        motion_(motion),
        index_(index),
        threads_(threads),
        baker_(baker),
        baked_(baked),
        sliding_(rig.surface) {}

  void run() {
    judge();
    if (fault_ == 0.0) return;
    const KeptClip kept(baked_, baked_.start[index_], frameCount());
    const double fault_before = fault_;
    if (slide()) judge();
    unfoldAll();
    if (fault_ < fault_before) return;
    kept.putBack(baked_.start[index_], baked_);
    judge();
    unfoldAll();
  }

 private:
  std::size_t frameCount() const { return motion_.grid.frame_count; }

  BakedSurface surfaceAt(std::size_t frame) const {
    return bakedSurface(scene_, rig_, motion_, baked_, index_, frame);
  }

  template <class Body>
  void forFrames(const Body& body) const {
    parallelFor(frameCount(), kMendedFramesPerBlock, threads_,
                [&](std::size_t start, std::size_t end) {
                  for (std::size_t f = start; f < end; ++f) body(f);
                });
  }

  // Measures the surface as it is.
  void judge() {
    quality_.assign(frameCount(), {});
    forFrames([&](std::size_t f) {
      const BakedSurface surface = surfaceAt(f);
      quality_[f] = rig_.quality.measure(surface.plain, surface.solved);
    });
    worse_ = worseFrames(quality_, rig_.regions.size(), kMendLimits);
    fault_ = 0.0;
    limit_ = stretchLimit(quality_, kMendLimits);
    for (std::size_t r = 0; r < worse_.size(); ++r) {
      for (std::size_t f = 0; f < frameCount(); ++f) {
        const RegionQuality& region = quality_[f][r];
        if (worse_[r][f] == WorseBy::kStretch) {
          fault_ += kFlipsOfStrain * std::max(region.baked_stretch / limit_ - 1.0, 0.0);
        } else if (worse_[r][f] == WorseBy::kFolds) {
          fault_ += static_cast<double>(region.baked_folds - region.skinned_folds);
        }
      }
    }
  }

  // False if no region is strained.
  bool slide() {
    PointAmounts amounts(frameCount());
    forFrames([&](std::size_t f) { amounts[f] = slideAmounts(f); });
    return move(amounts,
                [&](const BakedSurface& surface) { return sliding_.slides(surface.solved); });
  }

  std::vector<double> slideAmounts(std::size_t f) const {
    std::vector<std::size_t> left;
    for (std::size_t r = 0; r < worse_.size(); ++r) {
      if (quality_[f][r].baked_stretch > limit_) left.push_back(r);
    }
    if (left.empty()) return {};
    const BakedSurface surface = surfaceAt(f);
    const std::vector<Vec3> slides = sliding_.slides(surface.solved);
    std::vector<RegionQuality> last = quality_[f];
    std::vector<double> by_region(worse_.size(), 0.0);
    double last_amount = 0.0;
    for (const double amount : kAmounts) {
      std::vector<Vec3> at = surface.solved;
      for (std::size_t p = 0; p < at.size(); ++p) at[p] += slides[p] * (amount * shareOf(p));
      const std::vector<RegionQuality> now = rig_.quality.measure(surface.plain, at);
      std::erase_if(left, [&](std::size_t r) {
        const double fall = last[r].baked_stretch - now[r].baked_stretch;
        if (!(fall > 0.0)) return true;
        const double part = std::min(1.0, (last[r].baked_stretch - limit_) / fall);
        by_region[r] = last_amount + part * (amount - last_amount);
        return now[r].baked_stretch <= limit_;
      });
      last = now;
      last_amount = amount;
    }
    return spread(by_region);
  }

  std::vector<double> spread(std::span<const double> by_region) const {
    std::vector<double> amounts(rig_.surface.pointCount(), 0.0);
    for (std::size_t r = 0; r < by_region.size(); ++r) {
      const MorphRegion& region = rig_.regions[r];
      for (std::size_t i = 0; by_region[r] > 0.0 && i < region.points.size(); ++i) {
        amounts[region.points[i]] += by_region[r] * region.shares[i];
      }
    }
    return amounts;
  }

  void unfoldAll() {
    for (int round = 0; round < kMaxUnfoldings && fault_ > 0.0; ++round) {
      const KeptClip kept(baked_, baked_.start[index_], frameCount());
      const double fault_before = fault_;
      if (!unfold()) return;
      judge();
      if (fault_ < fault_before) continue;
      kept.putBack(baked_.start[index_], baked_);
      judge();
      return;
    }
  }

  // False if no edges have to be unfolded.
  bool unfold() {
    PointAmounts amounts(frameCount());
    for (std::size_t f = 0; f < frameCount(); ++f) {
      const bool is_folded = std::any_of(worse_.begin(), worse_.end(), [&](const auto& region) {
        return region[f] == WorseBy::kFolds;
      });
      if (!is_folded) continue;
      const BakedSurface surface = surfaceAt(f);
      amounts[f] = amountsAbout(rig_.quality.newFolds(surface.plain, surface.solved));
    }
    return move(amounts, [&](const BakedSurface& surface) { return smoothingPaths(surface); });
  }

  std::vector<Vec3> smoothingPaths(const BakedSurface& surface) const {
    std::vector<Vec3> correction(surface.solved.size());
    for (std::size_t p = 0; p < correction.size(); ++p) {
      correction[p] = surface.solved[p] - surface.plain[p];
    }
    std::vector<Vec3> paths = correction;
    tools_.smoother.smooth(kUnfoldPasses, paths);
    for (std::size_t p = 0; p < paths.size(); ++p) paths[p] -= correction[p];
    return paths;
  }

  std::vector<double> amountsAbout(std::span<const std::uint32_t> points) const {
    const std::vector<std::uint32_t>& triangles = rig_.surface.triangles;
    std::vector<double> amounts(rig_.surface.pointCount(), 0.0);
    for (const std::uint32_t p : points) amounts[p] = kAmountAtFlip;
    for (int ring = 0; ring < kRings; ++ring) {
      std::vector<double> wider = amounts;
      for (std::size_t t = 0; t + 3 <= triangles.size(); t += 3) {
        double largest = 0.0;
        for (std::size_t i = 0; i < 3; ++i) largest = std::max(largest, amounts[triangles[t + i]]);
        for (std::size_t i = 0; i < 3; ++i) {
          double& own = wider[triangles[t + i]];
          own = std::max(own, largest - kAmountStep);
        }
      }
      amounts = std::move(wider);
    }
    for (double& amount : amounts) amount = std::min(amount, 1.0);
    return amounts;
  }

  // Moves the points of each frame by their amounts, faded over time. False if all are 0.
  bool move(PointAmounts& amounts, const PathsOf& paths_of) {
    if (std::all_of(amounts.begin(), amounts.end(),
                    [](const std::vector<double>& frame) { return frame.empty(); })) {
      return false;
    }
    fade(amounts);
    forFrames([&](std::size_t f) {
      const std::vector<double>& own = amounts[f];
      if (std::all_of(own.begin(), own.end(), [](double amount) { return amount == 0.0; })) return;
      const BakedSurface surface = surfaceAt(f);
      std::vector<Vec3> paths = paths_of(surface);
      for (std::size_t p = 0; p < paths.size(); ++p) paths[p] *= own[p] * shareOf(p);
      baker_.shift(f, surface.pose, paths);
    });
    return true;
  }

  void fade(PointAmounts& amounts) const {
    const auto radius =
        std::max<std::size_t>(1, toSize(std::lround(kMendFade_s * motion_.grid.fps)));
    const bool is_cycle = haveSameEnds(scene_, rig_, motion_);
    PointAmounts faded(frameCount(), std::vector<double>(rig_.surface.pointCount(), 0.0));
    std::vector<double> kept(frameCount());
    for (std::size_t p = 0; p < rig_.surface.pointCount(); ++p) {
      for (std::size_t f = 0; f < frameCount(); ++f) {
        kept[f] = amounts[f].empty() ? 1.0 : 1.0 - amounts[f][p];
      }
      if (std::all_of(kept.begin(), kept.end(), [](double share) { return share == 1.0; }))
        continue;
      const std::vector<double> shares = fadedShares(kept, radius, is_cycle);
      for (std::size_t f = 0; f < frameCount(); ++f) faded[f][p] = 1.0 - shares[f];
    }
    amounts = std::move(faded);
  }

  // The share that masks and thin sheets leave to a point.
  double shareOf(std::size_t point) const {
    const double shown = rig_.shown_shares.empty() ? 1.0 : rig_.shown_shares[point];
    return shown * rig_.surface.share[point];
  }

  const Scene& scene_;
  const BakeRig& rig_;
  const SkinTools& tools_;
  const Motion& motion_;
  std::size_t index_;
  int threads_;
  ClipBaker& baker_;
  Baked& baked_;
  SlidingSurface sliding_;
  ClipQuality quality_;
  std::vector<std::vector<WorseBy>> worse_;  // by region and frame
  double limit_ = 0.0;                       // strain of a region
  // Of all frames: flipped edges that are too many, and strain above its limit.
  double fault_ = 0.0;
};

}  // namespace

void mendEdges(const Scene& scene, const BakeRig& rig, const SkinTools& tools, const Motion& motion,
               std::size_t index, int threads, ClipBaker& baker, Baked& baked) {
  EdgeMending(scene, rig, tools, motion, index, threads, baker, baked).run();
}

}  // namespace clipmill::stages::tet_bake
