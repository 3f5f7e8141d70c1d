// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/fill_limbs.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/to_size.h"
#include "mesh/weld.h"
#include "stages/tet_bake/kept_clip.h"
#include "stages/tet_bake/limb_state.h"
#include "stages/tet_bake/surface/sliding_surface.h"

namespace clipmill::stages::tet_bake {
namespace {

// What is widened, in radii of the limb from its joint, and by how much of the radius at most.
constexpr double kReach = 3.0;
constexpr double kMaxWidening = 0.1;
// Limbs keep nine tenths of their volume, and what the fit of morphs loses of so much filling,
// where that makes nothing worse.
constexpr double kLeastVolume = 0.93;
// Beyond the volume of dual quaternion skinning: the fit of morphs loses up to 1.2 %.
constexpr double kFillMargin = 0.02;
// Volume is cubic in the factor, and nearly linear: few secants come within this share of it.
constexpr int kSecants = 4;
constexpr double kFilled = 1e-9;
constexpr std::size_t kFramesPerBlock = 4;

// The points of a limb, and how far each moves for a factor of 1 m.
struct Widening {
  std::size_t limb = 0;
  double max_m = 0.0;
  std::vector<double> shares;  // one per point of the surface
};

Widening wideningOf(const Scene& scene, const BakeRig& rig, std::size_t limb) {
  const std::size_t node = toSize(rig.limbs.nodeOf(limb));
  const int above = skinnedAbove(scene.skeleton, rig.bones, node);
  const double radius_m =
      std::max(rig.bones[node].radius_m, above < 0 ? 0.0 : rig.bones[toSize(above)].radius_m);
  const Vec3 joint_m = rig.surface.bind_world_from_node[node].translation;
  Widening widening{limb, kMaxWidening * radius_m, {}};
  for (std::size_t p = 0; p < rig.surface.pointCount(); ++p) {
    const auto influences = rig.surface.influencesOf(p);
    double weight = weightOf(influences, static_cast<std::uint32_t>(node));
    if (above >= 0) weight += weightOf(influences, static_cast<std::uint32_t>(above));
    const double distance = glm::distance(rig.surface.positions[p], joint_m) / (kReach * radius_m);
    const double near = std::max(1.0 - distance * distance, 0.0);
    widening.shares.push_back(rig.surface.share[p] * weight * near * near);
  }
  return widening;
}

// Widens one limb to a share of its volume at rest, as far as it may be.
void widen(const BakeRig& rig, const Widening& widening, std::span<const Vec3> normals,
           double wanted, std::vector<Vec3>& positions) {
  const std::vector<Vec3> start = positions;
  double factor_m = 0.0, next_m = 0.1 * widening.max_m,
         volume = rig.limbs.share(widening.limb, start);
  if (volume >= wanted) return;
  // Above it too, so that a frame that misses little moves little.
  for (int i = 0; i < kSecants && std::abs(wanted - volume) > kFilled; ++i) {
    for (std::size_t p = 0; p < positions.size(); ++p) {
      if (widening.shares[p] > 0.0)
        positions[p] = start[p] + normals[p] * (next_m * widening.shares[p]);
    }
    const double widened = rig.limbs.share(widening.limb, positions);
    const double slope = (widened - volume) / (next_m - factor_m);
    if (slope == 0.0 || !std::isfinite(slope)) break;
    factor_m = next_m;
    volume = widened;
    next_m = std::clamp(factor_m + (wanted - volume) / slope, -widening.max_m, widening.max_m);
    if (next_m == factor_m) break;
  }
}

// Widens the limbs of a clip in all frames in which they have less than `wanted`.
class LimbFill {
 public:
  LimbFill(const Scene& scene, const BakeRig& rig, const Motion& motion, std::size_t index,
           int threads, ClipBaker& baker, Baked& baked)
      : scene_(scene),
        rig_(rig),
        motion_(motion),
        index_(index),
        threads_(threads),
        baker_(baker),
        baked_(baked),
        first_(firstAtPosition(rig.surface.positions)),
        before_(worstLimbState(scene, rig, motion, baked, index, threads)) {}

  // False, and the clip is as before, if more frames of its regions would be worse than plain
  // skinning.
  bool fill(double wanted) {
    std::vector<Widening> widenings;
    for (const std::size_t limb : limbsBelow(before_, wanted)) {
      widenings.push_back(wideningOf(scene_, rig_, limb));
    }
    if (widenings.empty()) return true;
    const KeptClip kept(baked_, baked_.start[index_], motion_.grid.frame_count);
    parallelFor(motion_.grid.frame_count, kFramesPerBlock, threads_,
                [&](std::size_t start, std::size_t end) {
                  for (std::size_t f = start; f < end; ++f) fillFrame(f, widenings, wanted);
                });
    const LimbState now = worstLimbState(scene_, rig_, motion_, baked_, index_, threads_);
    if (now.worse_frames <= before_.worse_frames) return true;
    kept.putBack(baked_.start[index_], baked_);
    return false;
  }

 private:
  void fillFrame(std::size_t frame, std::span<const Widening> widenings, double wanted) {
    const BakedSurface surface = bakedSurface(scene_, rig_, motion_, baked_, index_, frame);
    std::vector<Vec3> positions = surface.solved;
    const std::vector<Vec3> normals = normalsAcrossSeams(rig_.surface.triangles, first_, positions);
    for (const Widening& widening : widenings) widen(rig_, widening, normals, wanted, positions);
    for (std::size_t p = 0; p < positions.size(); ++p) positions[p] -= surface.solved[p];
    baker_.shift(frame, surface.pose, positions);
  }

  const Scene& scene_;
  const BakeRig& rig_;
  const Motion& motion_;
  std::size_t index_;
  int threads_;
  ClipBaker& baker_;
  Baked& baked_;
  std::vector<std::uint32_t> first_;  // of each point, the first one at its position
  LimbState before_;
};

}  // namespace

double wantedVolume(const LimbGoal& goal) {
  return std::max(goal.wanted(kFillMargin), kLeastVolume);
}

void fillLimbs(const Scene& scene, const BakeRig& rig, const Motion& motion, std::size_t index,
               int threads, ClipBaker& baker, Baked& baked) {
  LimbFill limbs(scene, rig, motion, index, threads, baker, baked);
  const LimbGoal& goal = baked.limb_goals[index];
  if (!limbs.fill(wantedVolume(goal))) limbs.fill(goal.wanted(kFillMargin));
}

}  // namespace clipmill::stages::tet_bake
