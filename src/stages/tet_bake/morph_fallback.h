// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/bake_report.h"
#include "stages/tet_bake/morphs/morph_fit.h"
#include "stages/tet_bake/normal_fit.h"

namespace clipmill::stages::tet_bake {

/// The result of a fallback.
struct FallbackSkin {
  std::vector<int> nodes;  ///< Joints that keep plain skinning.
  ClipErrors errors;
  std::vector<WorseBy> reasons = {};  ///< One per node.
  NormalErrors normals = {};          ///< Of all points, if they were measured.
};

/// Warnings that name the joints and the reasons.
void reportHeldBack(const FallbackSkin& skin, const Motion& motion, const Skeleton& skeleton,
                    Warnings& warnings);

/// Keeps plain skinning where morphs are worse. The weights of a joint become 0 in the whole clip
/// `index` of a bake, so that nothing jumps, where its part of the skin is farther from the solved
/// surface over the clip (mean square), or is worse in any frame by worseBy(), or where the volume
/// about the joint is less than that of plain skinning, or bulges more, by 2 percent on average
/// over the clip or by 10 percent in a frame. Returns these joints, indices in Skeleton::nodes, -1
/// for morphs of the whole surface. Weights of other clips are not modified.
FallbackSkin applyMorphFallback(const Scene& scene, const BakeRig& rig, const Motion& motion,
                                const Baked& baked, std::size_t index,
                                std::span<FittedMorph> fitted, int threads);

/// Keeps plain skinning in a clip where the normals of a region are worse (measureNormals() of
/// `regions`), by more than 1 % and a twentieth of a degree. Returns how many joints that are.
std::size_t leaveWorseNormals(const Scene& scene, const BakeRig& rig, const Motion& motion,
                              const Baked& baked, std::size_t index,
                              std::span<const MorphRegion> regions,
                              std::span<const NormalErrors> errors, std::span<FittedMorph> fitted,
                              FallbackSkin& skin, int threads);

/// The skin that a fallback measures, and how it resets a joint.
struct SkinFallback {
  std::vector<MorphRegion> regions;
  SkinOfFrame skin_of;                          ///< Its current state.
  std::function<bool(int node)> leave_to_skin;  ///< Resets a joint of the clip to plain skinning;
                                                ///< true if that changes anything.
  const SkinQuality* quality = nullptr;         ///< Of the regions; none: not measured.
};

/// applyMorphFallback() for whatever moves the skin.
FallbackSkin applySkinFallback(const Scene& scene, const BakeRig& rig, const Motion& motion,
                               const Baked& baked, std::size_t index, const SkinFallback& fallback,
                               int threads);

}  // namespace clipmill::stages::tet_bake
