// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/limb_state.h"

#include <algorithm>

#include "core/parallel.h"
#include "stages/tet_bake/binding/tet_binding.h"
#include "stages/tet_bake/morphs/pose_nearness.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr std::size_t kFramesPerBlock = 4;

LimbState stateAt(const BakeRig& rig, const BakedSurface& surface) {
  LimbState state;
  for (std::size_t limb = 0; limb < rig.limbs.limbCount(); ++limb) {
    state.volumes.push_back(std::min(rig.limbs.share(limb, surface.solved), 1.0));
  }
  for (const RegionQuality& quality : rig.quality.measure(surface.plain, surface.solved)) {
    if (worseBy(quality) != WorseBy::kNothing) ++state.worse_frames;
  }
  return state;
}

LimbGoal goalAt(const Scene& scene, const BakeRig& rig, const Motion& motion, std::size_t frame) {
  const std::vector<Affine> pose =
      rig.scales.remove(worldsAt(scene, rig, motion, frame)).world_from_bind;
  std::vector<Vec3> plain(rig.surface.pointCount()), dual(plain);
  skinSurface(rig.surface, pose, plain);
  skinSurfaceByDualQuaternions(rig.surface, pose, dual);
  LimbGoal goal;
  for (std::size_t limb = 0; limb < rig.limbs.limbCount(); ++limb) {
    goal.dual = std::min(goal.dual, rig.limbs.share(limb, dual));
    goal.plain = std::min(goal.plain, rig.limbs.share(limb, plain));
  }
  return goal;
}

}  // namespace

BakedSurface bakedSurface(const Scene& scene, const BakeRig& rig, const Motion& motion,
                          const Baked& baked, std::size_t index, std::size_t frame) {
  BakedSurface surface;
  surface.pose = rig.scales.remove(worldsAt(scene, rig, motion, frame));
  surface.plain.resize(rig.surface.pointCount());
  skinSurface(rig.surface, surface.pose.world_from_bind, surface.plain);
  surface.solved = surface.plain;
  for (std::size_t p = 0; p < surface.solved.size(); ++p) {
    const Vec3 path = baked.world.at(p, baked.start[index] + frame);
    if (path == Vec3(0.0)) continue;
    surface.solved[p] +=
        surface.pose.has_scale
            ? glm::inverse(surface.pose.stretchOf(rig.surface.influencesOf(p))) * path
            : path;
  }
  return surface;
}

LimbState worstLimbState(const Scene& scene, const BakeRig& rig, const Motion& motion,
                         const Baked& baked, std::size_t index, int threads) {
  std::vector<LimbState> frames(motion.grid.frame_count);
  parallelFor(frames.size(), kFramesPerBlock, threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t f = start; f < end; ++f) {
      frames[f] = stateAt(rig, bakedSurface(scene, rig, motion, baked, index, f));
    }
  });
  LimbState worst;
  worst.volumes.assign(rig.limbs.limbCount(), 1.0);
  for (const LimbState& frame : frames) {
    for (std::size_t limb = 0; limb < worst.volumes.size(); ++limb) {
      worst.volumes[limb] = std::min(worst.volumes[limb], frame.volumes[limb]);
    }
    worst.worse_frames += frame.worse_frames;
  }
  return worst;
}

LimbGoal limbGoal(const Scene& scene, const BakeRig& rig, const Motion& motion, int threads) {
  if (rig.limbs.limbCount() == 0) return {};
  std::vector<LimbGoal> frames(motion.grid.frame_count);
  parallelFor(frames.size(), kFramesPerBlock, threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t f = start; f < end; ++f) frames[f] = goalAt(scene, rig, motion, f);
  });
  LimbGoal least;
  for (const LimbGoal& frame : frames) {
    least.dual = std::min(least.dual, frame.dual);
    least.plain = std::min(least.plain, frame.plain);
  }
  return least;
}

bool haveSameEnds(const Scene& scene, const BakeRig& rig, const Motion& motion) {
  const std::vector<std::vector<Affine>> worlds = {
      worldsAt(scene, rig, motion, 0), worldsAt(scene, rig, motion, motion.grid.frame_count - 1)};
  const PoseAngles ends(rig.surface, rig.regions, worlds);
  for (std::size_t r = 0; r < rig.regions.size(); ++r) {
    if (ends.between(r, 0, 1) >= kSameEnds_rad) return false;
  }
  return true;
}

std::vector<std::size_t> limbsBelow(const LimbState& state, double wanted) {
  std::vector<std::size_t> limbs;
  for (std::size_t limb = 0; limb < state.volumes.size(); ++limb) {
    if (state.volumes[limb] < wanted) limbs.push_back(limb);
  }
  return limbs;
}

}  // namespace clipmill::stages::tet_bake
