// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/tet_bake/bake.h"

/// The volume that limbs have in a bake, and with skinning alone.
namespace clipmill::stages::tet_bake {

/// The surface of one frame of a bake, or the worst of several, in the pose without joint scales:
/// a scaled limb is judged as the same one without a scale. One volume per limb of BakeRig::limbs,
/// relative to rest.
struct LimbState {
  std::vector<double> volumes;   ///< At most 1.
  std::size_t worse_frames = 0;  ///< Of all regions: frames worse than plain skinning (worseBy()).
};

/// A posed surface without joint scales, metric world: with plain skinning, and as baked.
struct BakedSurface {
  UnscaledPose pose;
  std::vector<Vec3> plain, solved;
};

/// The surface of a frame of the clip `index`.
BakedSurface bakedSurface(const Scene& scene, const BakeRig& rig, const Motion& motion,
                          const Baked& baked, std::size_t index, std::size_t frame);

/// The worst of all frames of the clip `index`.
LimbState worstLimbState(const Scene& scene, const BakeRig& rig, const Motion& motion,
                         const Baked& baked, std::size_t index, int threads);

/// What skinning alone has in a clip.
LimbGoal limbGoal(const Scene& scene, const BakeRig& rig, const Motion& motion, int threads);

/// Whether all joints that bend the skin have the same pose at both ends of a clip.
bool haveSameEnds(const Scene& scene, const BakeRig& rig, const Motion& motion);

/// Limbs with less volume than `wanted`.
std::vector<std::size_t> limbsBelow(const LimbState& state, double wanted);

}  // namespace clipmill::stages::tet_bake
