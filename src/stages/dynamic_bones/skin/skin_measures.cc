// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/skin/skin_measures.h"

#include <algorithm>
#include <limits>

#include "anim/pose.h"

namespace clipmill::stages::dynamic_bones {

SkinMeasures measureSkin(const ChainSkin& skin, const Scene& scene, const Motion& motion) {
  SkinMeasures measures;
  std::vector<ClosedSurface::Posed> surfaces(skin.surfaces.begin(), skin.surfaces.end());
  std::vector<Affine> worlds;
  std::vector<Vec3> body_m, strips_m;
  std::size_t inside_count = 0;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    computeWorlds(scene.skeleton, motion.localsOf(frame), scene.metric_from_file, worlds);
    poseSkin(scene, skin.body, worlds, body_m);
    poseSkin(scene, skin.strips, worlds, strips_m);
    for (ClosedSurface::Posed& surface : surfaces) surface.move(body_m);
    for (const ChainSkin::FreeVertex& of : skin.free_vertices) {
      ClosedSurface::Posed& surface = surfaces[of.surface];
      const Vec3& at_m = strips_m[of.vertex];
      if (!surface.box().holds(at_m)) continue;
      if (!(surface.closed().windingNumber(at_m) > kInsideWinding)) continue;
      ++inside_count;
      const NearestPoint out =
          surface.outer().nearest(at_m, std::numeric_limits<double>::infinity(), measures.depth_m);
      measures.depth_m = std::max(measures.depth_m, out.distance);
    }
  }
  const std::size_t count = skin.free_vertices.size() * motion.grid.frame_count;
  if (count > 0) {
    measures.penetrating_share = static_cast<double>(inside_count) / static_cast<double>(count);
  }
  return measures;
}

}  // namespace clipmill::stages::dynamic_bones
