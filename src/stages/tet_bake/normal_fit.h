// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/morphs/morph_fit.h"

namespace clipmill::stages::tet_bake {

/// Changes of the normals of a fitted morph at weight 1, one per point of it. Those of the surface
/// at rest have length 1.
using MorphNormals = std::vector<Vec3>;

/// Normals that players show: the blend of the bones times (normal + sum of weight * change). The
/// changes with the least sum of squares over all frames of the distance, before skinning, from
/// the geometric normals of the skin with its morphs. One list per fitted morph. The same for any
/// number of threads.
std::vector<MorphNormals> fitNormals(const Scene& scene, const BakeRig& rig,
                                     std::span<const Motion> motions, const Baked& baked,
                                     std::span<const FittedMorph> fitted, int threads);

/// Squares of the angles between shown and geometric normals, radians, summed over the points of a
/// region and the frames of a clip.
struct NormalErrors {
  double skinned = 0.0;  ///< Plain skinning.
  double morphed = 0.0;
  double count = 0.0;
};

/// One per region, then that of all points that the bake moves.
std::vector<NormalErrors> measureNormals(const Scene& scene, const BakeRig& rig,
                                         const Motion& motion, const Baked& baked,
                                         std::size_t index, std::span<const MorphRegion> regions,
                                         std::span<const FittedMorph> fitted,
                                         std::span<const MorphNormals> normals, int threads);

/// Adds the root mean square of the angles between shown and geometric normals to the metrics, with
/// plain skinning and with morphs.
void reportNormals(const NormalErrors& errors, StageResult& result);

}  // namespace clipmill::stages::tet_bake
