// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/skin/skin_measures.h"

#include <algorithm>
#include <limits>

#include "anim/pose.h"

namespace clipmill::stages::dynamic_bones {

namespace {

// A measure at work.
struct SkinCount {
  std::size_t vertices = 0, penetrating = 0;
  double depth_m = 0.0;

  void add(double vertex_depth_m) {
    ++penetrating;
    depth_m = std::max(depth_m, vertex_depth_m);
  }
  SkinMeasure over(std::size_t frames) const {
    const std::size_t count = vertices * frames;
    const double share =
        count > 0 ? static_cast<double>(penetrating) / static_cast<double>(count) : 0.0;
    return {share, depth_m};
  }
};

}  // namespace

SkinMeasures measureSkin(const ChainSkin& skin, const Scene& scene, const Motion& motion) {
  SkinCount all, movable;
  for (const ChainSkin::FreeVertex& of : skin.free_vertices) {
    ++all.vertices;
    if (of.is_movable) ++movable.vertices;
  }
  std::vector<ClosedSurface::Posed> surfaces(skin.surfaces.begin(), skin.surfaces.end());
  std::vector<Affine> worlds;
  std::vector<Vec3> body_m, strips_m;
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
      // Only a larger depth than the largest one so far is of interest.
      const double largest_m = of.is_movable ? movable.depth_m : all.depth_m;
      const NearestPoint out =
          surface.outer().nearest(at_m, std::numeric_limits<double>::infinity(), largest_m);
      all.add(out.distance);
      if (of.is_movable) movable.add(out.distance);
    }
  }
  return {all.over(motion.grid.frame_count), movable.over(motion.grid.frame_count)};
}

}  // namespace clipmill::stages::dynamic_bones
