// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/size_estimate.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/math.h"
#include "core/text.h"
#include "core/units.h"
#include "scene/skin_surface.h"
#include "stages/tet_bake/drivers/region_joints.h"
#include "stages/tet_bake/morphs/make_morphs.h"
#include "stages/tet_bake/morphs/morph_fit.h"
#include "stages/tet_bake/morphs/morph_regions.h"
#include "stages/tet_bake/skin_masks.h"
#include "stages/tet_bake/surface/bones.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kBytesInMegabyte = 1e6;
// A joint that bends less needs no correction to speak of.
constexpr double kLeastBend_rad = 5.0 * kDegree;

// How many vertices of the file show a point: several at seams of texture coordinates.
std::vector<std::size_t> verticesOfPoints(const SkinSurface& surface) {
  std::vector<std::size_t> counts(surface.pointCount(), 0);
  for (const SurfacePart& part : surface.parts) {
    for (const std::uint32_t point : part.point_of_vertex) {
      if (point != kNoPoint) ++counts[point];
    }
  }
  return counts;
}

double sumAt(const std::vector<std::uint32_t>& points, const std::vector<std::size_t>& counts) {
  std::size_t sum = 0;
  for (const std::uint32_t point : points) sum += counts[point];
  return static_cast<double>(sum);
}

// All points of the regions, each once.
std::vector<std::uint32_t> pointsOf(const std::vector<MorphRegion>& regions) {
  std::vector<std::uint32_t> points;
  for (const MorphRegion& region : regions) {
    points.insert(points.end(), region.points.begin(), region.points.end());
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

// Whether the joint is rotated from the bind pose in a frame, so that its skin needs corrections.
bool bends(const BindRotations& bind, std::span<const Motion> motions, int node) {
  for (const Motion& motion : motions) {
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      const Quat rotation = bind.relative(node, motion.localsOf(f));
      if (angleBetween(rotation, kIdentityRotation) > kLeastBend_rad) return true;
    }
  }
  return false;
}

// The vertices about a joint that bends, on average; about any joint where none does.
double meanVertices(std::span<const MorphRegion> regions, const std::vector<std::size_t>& vertices,
                    const BindRotations& bind, std::span<const Motion> motions) {
  double all = 0.0, of_bent = 0.0, bent = 0.0;
  for (const MorphRegion& region : regions) {
    const double count = sumAt(region.points, vertices);
    all += count;
    if (!bends(bind, motions, region.node)) continue;
    of_bent += count;
    ++bent;
  }
  return bent > 0.0 ? of_bent / bent : all / static_cast<double>(regions.size());
}

}  // namespace

Result<MorphSizeEstimate> estimateMorphSize(const Scene& scene, std::span<const Motion> motions,
                                            const TetBakeSettings& settings) {
  Warnings warnings;  // those of the bake itself
  CLIPMILL_TRY(const SkinSurface surface, makeSkinSurface(scene, warnings));
  std::vector<MorphRegion> regions = findRegions(surface, scene.skeleton);
  dropLeftOut(shownShares(scene, surface, regions, settings.mask), regions);
  MorphSizeEstimate estimate;
  if (regions.empty()) return estimate;

  const std::vector<std::size_t> vertices = verticesOfPoints(surface);
  const auto bytes = static_cast<double>(
      bytesPerVertex(settings.deltas == TetBakeDeltas::kInt16, hasNormals(settings)));
  const double of_all = bytes * sumAt(pointsOf(regions), vertices);
  double of_regions = 0.0;
  for (const MorphRegion& region : regions) of_regions += bytes * sumAt(region.points, vertices);

  constexpr std::size_t kPerRegion = MorphFitSettings().max_per_region;
  const std::size_t limit = maxMorphs(settings);
  const std::size_t base = hasPositiveWeights(settings) && limit != 1 ? 1 : 0;
  const double base_bytes = static_cast<double>(base) * of_all;
  estimate.max_targets = base + kPerRegion * regions.size();
  estimate.max_bytes = base_bytes + static_cast<double>(kPerRegion) * of_regions;
  if (limit == 0) return estimate;

  // fitMorphs() gives fewer targets no more vertices.
  estimate.max_targets = std::min(estimate.max_targets, limit);
  const auto others = static_cast<double>(estimate.max_targets - base);
  estimate.max_bytes = std::min(estimate.max_bytes, base_bytes + others * of_all);
  const BindRotations bind(scene, findBones(surface, scene.skeleton));
  estimate.likely_bytes =
      base_bytes + others * bytes * meanVertices(regions, vertices, bind, motions);
  return estimate;
}

std::string textOf(const MorphSizeEstimate& estimate) {
  const auto megabytes = [](double bytes) {
    return fixedText(bytes / kBytesInMegabyte, 2) + " MB";
  };
  std::string text = "at most " + counted(estimate.max_targets, "morph target") + " of at most " +
                     megabytes(estimate.max_bytes) + " in a GLB";
  if (!estimate.likely_bytes) return text;
  return text + ", about " + megabytes(*estimate.likely_bytes) +
         " if each moves the skin of one joint";
}

}  // namespace clipmill::stages::tet_bake
