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

namespace clipmill::tet_bake {

/// What a gate did, and how the skin is then.
struct GatedSkin {
  std::vector<int> nodes;  ///< That it left to plain skinning.
  ClipErrors errors;
};

/// Sees to it that morphs make no clip worse than plain skinning: where a joint's part of the skin
/// is farther from the solved surface over the clip `index` of a bake (mean square), or the volume
/// about the joint is farther from that at rest by more than 2 percent of it (mean of its frames),
/// the weights of that joint become 0 in the whole clip, so that nothing jumps. Returns these
/// joints, indices in Skeleton::nodes, -1 for morphs of the whole surface. Touches no other clip's
/// weights.
GatedSkin gateMorphs(const Scene& scene, const BakeRig& rig, const Motion& motion,
                     const Baked& baked, std::size_t index, std::span<FittedMorph> fitted,
                     int threads);

/// What a gate looks at, and how it closes.
struct SkinGate {
  std::vector<MorphRegion> regions;
  SkinOfFrame skin_of;                          ///< As it is now.
  std::function<bool(int node)> leave_to_skin;  ///< Leaves a joint of the clip to plain skinning;
                                                ///< true if that changes anything.
};

/// gateMorphs() for whatever moves the skin.
GatedSkin gateSkin(const Scene& scene, const BakeRig& rig, const Motion& motion, const Baked& baked,
                   std::size_t index, const SkinGate& gate, int threads);

}  // namespace clipmill::tet_bake
