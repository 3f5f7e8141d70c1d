// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tissue_regions.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/to_size.h"
#include "stages/tet_bake/binding/tet_weights.h"
#include "stages/tet_bake/skin_masks.h"
#include "stages/tet_bake/solve/dynamic_tissue.h"

namespace clipmill::stages::tet_bake {
namespace {

// Softness of the corners while regions are applied to it.
struct CornerTissue {
  std::vector<double> jiggle;
  std::vector<double> rate_per_s;  // 1 / settle_s: damping is proportional to it
};

SkinNames namesOf(const RegionSettings& region) {
  return {region.joint, region.mesh, region.material};
}

// Shares of points, continued to the corners as skin weights are: those of two joints here.
std::vector<double> cornerShares(const SkinSurface& surface, std::span<const SurfaceSample> samples,
                                 const TetMesh& mesh, std::span<const double> point_shares) {
  SkinSurface marked = surface;
  marked.influences.clear();
  marked.influence_start.assign(1, 0);
  for (const double share : point_shares) {
    marked.influences.push_back({0, 1.0 - share});
    marked.influences.push_back({1, share});
    marked.influence_start.push_back(marked.influences.size());
  }
  std::vector<double> shares;
  for (const auto& weights : cornerWeights(marked, samples, mesh, cornerGraph(mesh))) {
    shares.push_back(std::clamp(weightOf(weights, 1), 0.0, 1.0));
  }
  return shares;
}

double jointShare(const TetMesh& mesh, std::size_t corner, const std::vector<int>& nodes) {
  double share = 0.0;
  for (std::size_t i = mesh.influence_start[corner]; i < mesh.influence_start[corner + 1]; ++i) {
    const auto node = static_cast<int>(mesh.influences[i].joint);
    if (std::binary_search(nodes.begin(), nodes.end(), node)) share += mesh.influences[i].weight;
  }
  return std::min(share, 1.0);
}

std::vector<double> sharesOf(const Scene& scene, const SkinSurface& surface,
                             std::span<const SurfaceSample> samples, const RegionSettings& region,
                             const TetMesh& mesh) {
  std::vector<double> shares(mesh.vertexCount(), 1.0);
  if (region.mesh || region.material) {
    shares = cornerShares(surface, samples, mesh, sharesOfMeshes(scene, surface, namesOf(region)));
  }
  if (!region.joint) return shares;
  const std::vector<int> nodes = findNodes(scene.skeleton, *region.joint);
  for (std::size_t v = 0; v < shares.size(); ++v) shares[v] *= jointShare(mesh, v, nodes);
  return shares;
}

void blend(const RegionSettings& region, std::span<const double> shares, CornerTissue& tissue) {
  for (std::size_t v = 0; v < shares.size(); ++v) {
    if (region.jiggle) tissue.jiggle[v] += shares[v] * (*region.jiggle - tissue.jiggle[v]);
    if (region.settle_s) {
      tissue.rate_per_s[v] += shares[v] * (1.0 / *region.settle_s - tissue.rate_per_s[v]);
    }
  }
}

void setStiffness(std::span<const double> jiggle, double base, TetMesh& mesh) {
  mesh.stiffness.clear();
  for (const Tet& tet : mesh.tets) {
    double mean = 0.0;
    for (const std::uint32_t corner : tet) mean += 0.25 * jiggle[corner];
    mesh.stiffness.push_back(stiffnessOfJiggle(mean, base));
  }
  for (std::size_t v = 0; v < mesh.hold.size(); ++v) {
    if (std::isfinite(mesh.hold[v])) mesh.hold[v] *= stiffnessOfJiggle(jiggle[v], base);
  }
}

}  // namespace

Status checkRegions(const Scene& scene, std::span<const RegionSettings> regions) {
  for (const RegionSettings& region : regions) {
    CLIPMILL_CHECK(checkSkinNames(scene, namesOf(region), "region"));
    if (region.jiggle || region.settle_s) continue;
    return Error{ErrorCode::kRecipe, "region", "has no jiggle or settle_s",
                 "give the softness of the region"};
  }
  return {};
}

std::vector<double> applyRegions(const Scene& scene, const SkinSurface& surface,
                                 std::span<const SurfaceSample> samples,
                                 const TetBakeSettings& settings, TetMesh& mesh) {
  if (settings.region.empty()) return {};
  const double jiggle = settings.jiggle.value_or(kDefaultJiggle);
  const double settle_s = settings.settle_s.value_or(kDefaultSettle_s);
  CornerTissue tissue{std::vector<double>(mesh.vertexCount(), jiggle),
                      std::vector<double>(mesh.vertexCount(), 1.0 / settle_s)};
  for (const RegionSettings& region : settings.region) {
    blend(region, sharesOf(scene, surface, samples, region, mesh), tissue);
  }
  setStiffness(tissue.jiggle, jiggle, mesh);
  for (double& value : tissue.rate_per_s) value = 1.0 / value;
  return tissue.rate_per_s;
}

}  // namespace clipmill::stages::tet_bake
