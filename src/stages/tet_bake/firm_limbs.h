// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <map>
#include <span>

#include "anim/motion.h"
#include "core/result.h"
#include "scene/scene.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/clip_baker.h"

/// Limbs that need firmer tissue to keep their volume.
namespace clipmill::stages::tet_bake {

/// Sets TetMesh::firmness about these joints (indices in Skeleton::nodes): of the tetrahedra with a
/// corner that the joint moves, or that the bone above it moves within three radii of the limb from
/// the joint. Where limbs meet the larger value counts.
void makeFirm(const Scene& scene, const BakeRig& rig, const std::map<int, double>& firmness,
              TetMesh& mesh);

/// Fills the limbs of clips (fillLimbs()). Where a limb, in its worst frame, still has less volume
/// than the worst limb of dual quaternion skinning has in the clip, the clip is solved again with
/// tissue of a Poisson's ratio of 0.495 about such limbs, or 0.49 where that does not serve, and
/// then filled. It keeps the new surface where its worst limb has more volume and no more than a
/// tenth of its frames become worse than plain skinning (worseBy()); else what it had. Bakes to
/// helper joints, which follow firm tissue better than widened skin, are solved before anything is
/// filled. Clips are smoothed before and after. For SolveMethod::kNeoHookean; others stay as they
/// are. Needs Baked::limb_goals. Errors: those of solveEquilibria().
Status solveFirmLimbs(const Scene& scene, const BakeRig& rig, std::span<const Motion> motions,
                      const TetBakeSettings& settings, int threads, std::deque<ClipBaker>& bakers,
                      Baked& baked);

}  // namespace clipmill::stages::tet_bake
