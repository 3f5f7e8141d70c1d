// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/skin_masks.h"

#include <algorithm>
#include <set>
#include <string>

#include "core/text.h"
#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

// Edges over which a mask of a mesh or material fades.
constexpr int kMaskFadeSteps = 4;
// A smaller share is rounding of a sum of shares.
constexpr double kNoShownShare = 1e-9;

// The names that a mask of a mesh may mean: that of the mesh and that of its node.
std::vector<std::string> namesOfMesh(const Scene& scene, const SkinnedMesh& mesh) {
  std::vector<std::string> names = {mesh.name};
  if (mesh.node >= 0) names.push_back(scene.skeleton.nodes[toSize(mesh.node)].name);
  return names;
}

bool hasMeshName(const Scene& scene, const SkinnedMesh& mesh, const std::string& pattern) {
  const std::vector<std::string> names = namesOfMesh(scene, mesh);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return matchesGlob(pattern, name); });
}

int materialOfTriangle(const SkinnedMesh& mesh, std::size_t triangle) {
  return mesh.triangle_materials.empty() ? mesh.material : mesh.triangle_materials[triangle];
}

bool hasMaterialName(const Scene& scene, int material, const std::string& pattern) {
  return material >= 0 && matchesGlob(pattern, scene.materials[toSize(material)].name);
}

Status checkName(const std::string& where, const std::string& pattern, const char* kind,
                 const std::vector<std::string>& names) {
  if (std::any_of(names.begin(), names.end(),
                  [&](const std::string& name) { return matchesGlob(pattern, name); })) {
    return {};
  }
  const auto nearest = nearestWord(pattern, names);
  return Error{ErrorCode::kNotFound, where,
               "no " + std::string(kind) + " of the skin matches '" + pattern + "'",
               nearest ? "did you mean '" + *nearest + "'?"
                       : "list meshes and materials with 'clipmill info'"};
}

// 1 for the points of a mask's meshes and materials.
std::vector<double> markedPoints(const Scene& scene, const SkinSurface& surface,
                                 const SkinNames& names) {
  std::vector<double> marked(surface.pointCount(), 0.0);
  const auto mark = [&](std::uint32_t point) {
    if (point != kNoPoint) marked[point] = 1.0;
  };
  for (const SurfacePart& part : surface.parts) {
    const SkinnedMesh& mesh = scene.meshes[part.mesh];
    if (names.mesh && !hasMeshName(scene, mesh, *names.mesh)) continue;
    if (!names.material) {
      std::for_each(part.point_of_vertex.begin(), part.point_of_vertex.end(), mark);
      continue;
    }
    for (std::size_t t = 0; t + 3 <= mesh.triangles.size(); t += 3) {
      if (!hasMaterialName(scene, materialOfTriangle(mesh, t / 3), *names.material)) continue;
      for (std::size_t i = 0; i < 3; ++i) mark(part.point_of_vertex[mesh.triangles[t + i]]);
    }
  }
  return marked;
}

void fadeAlongEdges(const SkinSurface& surface, std::vector<double>& marked) {
  for (int step = 0; step < kMaskFadeSteps; ++step) {
    const std::vector<double> before = marked;
    for (std::size_t t = 0; t < surface.triangles.size(); t += 3) {
      const std::uint32_t* p = &surface.triangles[t];
      const double most = std::max({before[p[0]], before[p[1]], before[p[2]]});
      for (std::size_t i = 0; i < 3; ++i) {
        marked[p[i]] = std::max(marked[p[i]], most - 1.0 / kMaskFadeSteps);
      }
    }
  }
}

std::vector<double> sharesOfJoint(const Scene& scene, std::size_t point_count,
                                  std::span<const MorphRegion> regions,
                                  const std::string& pattern) {
  const std::vector<int> nodes = findNodes(scene.skeleton, pattern);
  std::vector<double> shares(point_count, 0.0);
  for (const MorphRegion& region : regions) {
    if (!std::binary_search(nodes.begin(), nodes.end(), region.node)) continue;
    for (std::size_t i = 0; i < region.points.size(); ++i) {
      shares[region.points[i]] += region.shares[i];
    }
  }
  return shares;
}

}  // namespace

Status checkSkinNames(const Scene& scene, const SkinNames& names, const std::string& kind) {
  std::vector<std::string> meshes;
  std::set<int> materials;
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.skin < 0) continue;
    for (std::string& name : namesOfMesh(scene, mesh)) meshes.push_back(std::move(name));
    if (mesh.triangle_materials.empty()) materials.insert(mesh.material);
    materials.insert(mesh.triangle_materials.begin(), mesh.triangle_materials.end());
  }
  std::vector<std::string> material_names;
  for (const int material : materials) {
    if (material >= 0) material_names.push_back(scene.materials[toSize(material)].name);
  }
  if (!names.joint && !names.mesh && !names.material) {
    return Error{ErrorCode::kRecipe, kind, "has no joint, mesh or material",
                 "name what the " + kind + " holds for"};
  }
  if (names.joint && findNodes(scene.skeleton, *names.joint).empty()) {
    return noSuchNode(scene.skeleton, *names.joint, kind);
  }
  if (names.mesh) CLIPMILL_CHECK(checkName(kind, *names.mesh, "mesh", meshes));
  if (names.material) {
    CLIPMILL_CHECK(checkName(kind, *names.material, "material", material_names));
  }
  return {};
}

std::vector<double> sharesOfMeshes(const Scene& scene, const SkinSurface& surface,
                                   const SkinNames& names) {
  std::vector<double> marked = markedPoints(scene, surface, names);
  fadeAlongEdges(surface, marked);
  return marked;
}

Status checkMasks(const Scene& scene, std::span<const MaskSettings> masks) {
  for (const MaskSettings& mask : masks) {
    CLIPMILL_CHECK(checkSkinNames(scene, {mask.joint, mask.mesh, mask.material}, "mask"));
  }
  return {};
}

std::vector<double> shownShares(const Scene& scene, const SkinSurface& surface,
                                std::span<const MorphRegion> regions,
                                std::span<const MaskSettings> masks) {
  std::vector<double> shown(surface.pointCount(), 1.0);
  for (const MaskSettings& mask : masks) {
    std::vector<double> marked =
        sharesOfMeshes(scene, surface, {mask.joint, mask.mesh, mask.material});
    if (mask.joint) {
      const auto shares = sharesOfJoint(scene, surface.pointCount(), regions, *mask.joint);
      for (std::size_t p = 0; p < marked.size(); ++p) marked[p] *= shares[p];
    }
    for (std::size_t p = 0; p < marked.size(); ++p) {
      shown[p] = std::min(shown[p], 1.0 - mask.stiffness * marked[p]);
      if (shown[p] < kNoShownShare) shown[p] = 0.0;
    }
  }
  const bool is_all =
      std::all_of(shown.begin(), shown.end(), [](double share) { return share == 1.0; });
  return is_all ? std::vector<double>{} : shown;
}

void dropLeftOut(std::span<const double> shown, std::vector<MorphRegion>& regions) {
  if (shown.empty()) return;
  for (MorphRegion& region : regions) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < region.points.size(); ++i) {
      if (shown[region.points[i]] == 0.0) continue;
      region.points[kept] = region.points[i];
      region.shares[kept++] = region.shares[i];
    }
    region.points.resize(kept);
    region.shares.resize(kept);
  }
  std::erase_if(regions, [](const MorphRegion& region) { return region.points.empty(); });
}

}  // namespace clipmill::stages::tet_bake
