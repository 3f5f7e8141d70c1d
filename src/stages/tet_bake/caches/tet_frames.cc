// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/caches/tet_frames.h"

#include <algorithm>
#include <cmath>

#include "mesh/tet_motion.h"
#include "stages/tet_bake/caches/caches.h"

namespace clipmill::stages::tet_bake {
namespace {

TetMotion motionOf(const TetMesh& mesh, const Motion& motion) {
  TetMotion tets{motion.clip_name,
                 motion.grid.start_s,
                 motion.grid.end_s,
                 motion.grid.fps,
                 mesh.positions,
                 mesh.tets,
                 {}};
  for (const Tet& tet : mesh.tets) {
    tets.is_held.push_back(std::all_of(tet.begin(), tet.end(), [&](std::uint32_t corner) {
      return std::isinf(mesh.hold[corner]);
    }));
  }
  return tets;
}

}  // namespace

Status addTetFiles(const BakeRig& rig, std::span<const Motion> motions, const Baked& baked,
                   Additions& additions) {
  for (std::size_t m = 0; m < motions.size(); ++m) {
    const auto frames =
        std::span(baked.corners).subspan(baked.start[m], baked.start[m + 1] - baked.start[m]);
    CLIPMILL_TRY(Bytes file, tetMotionFile(motionOf(rig.lattice.mesh, motions[m]), frames));
    additions.files.push_back({clipSuffix(motions[m]) + kTetMotionEnding, std::move(file)});
  }
  return {};
}

}  // namespace clipmill::stages::tet_bake
