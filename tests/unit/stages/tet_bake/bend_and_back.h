// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "anim/motion.h"
#include "anim/pose.h"
#include "core/math.h"
#include "stages/tet_bake/bake.h"

/// A limb that bends for a moment, before its bake.
namespace clipmill::test {

inline constexpr std::size_t kBendFrames = 5;

// From rest to `angle_deg` and back to rest.
inline Motion bendAndBack(const Scene& scene, double angle_deg) {
  Motion motion;
  motion.clip_name = "Bend";
  motion.grid = makeGrid(0.0, (kBendFrames - 1) / 30.0, 30.0);
  motion.node_count = scene.skeleton.size();
  motion.modified = TrackMask(motion.node_count);
  for (const double share : {0.0, 0.5, 1.0, 0.5, 0.0}) {
    std::vector<Transform> locals = restPose(scene.skeleton).locals;
    locals[1].rotation = rotationAbout(Vec3(1, 0, 0), angle_deg * share * kDegree);
    motion.locals.insert(motion.locals.end(), locals.begin(), locals.end());
  }
  return motion;
}

inline stages::tet_bake::Baked emptyBake(std::size_t points) {
  return {stages::tet_bake::PointDisplacements(points, kBendFrames),
          stages::tet_bake::PointDisplacements(points, kBendFrames),
          std::vector<stages::tet_bake::BakedFrame>(kBendFrames),
          {0, kBendFrames},
          {},
          {}};
}

}  // namespace clipmill::test
