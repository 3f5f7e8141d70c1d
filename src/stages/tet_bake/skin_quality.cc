// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/skin_quality.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr std::uint32_t kNoRegion = ~std::uint32_t{0};
// Triangles whose normals have a smaller cosine are flipped against each other; at rest above 0.
constexpr double kFoldCosine = -0.5;
constexpr double kFoldShare = 0.01;
constexpr std::size_t kFewFolds = 2;
// Skin that keeps its volume in a fold bulges, and a bulge stretches it: only what is far more than
// that is a fault.
constexpr double kStretchShare = 2.0;
constexpr double kSmallStretch = 0.1;
constexpr double kGluedShare = 0.05;
constexpr std::size_t kFewGlued = 2;

// Cosine between two triangles at the edge from a to b.
double cosineAcross(const Vec3& a, const Vec3& b, const Vec3& left, const Vec3& right) {
  const Vec3 n = glm::cross(b - a, left - a), m = glm::cross(right - a, b - a);
  const double product = std::sqrt(glm::dot(n, n) * glm::dot(m, m));
  return product > 0.0 ? glm::dot(n, m) / product : 1.0;
}

// Whether that is below kFoldCosine; without a root for edges that bend by less than a right angle.
bool isFoldedAt(const Vec3& a, const Vec3& b, const Vec3& left, const Vec3& right) {
  const Vec3 n = glm::cross(b - a, left - a), m = glm::cross(right - a, b - a);
  const double product = glm::dot(n, m);
  return product < 0.0 && product < kFoldCosine * std::sqrt(glm::dot(n, n) * glm::dot(m, m));
}

std::vector<std::uint32_t> strongestRegions(std::size_t point_count,
                                            std::span<const MorphRegion> regions) {
  std::vector<std::uint32_t> region_of(point_count, kNoRegion);
  std::vector<double> most(point_count, 0.0);
  for (std::uint32_t r = 0; r < regions.size(); ++r) {
    for (std::size_t i = 0; i < regions[r].points.size(); ++i) {
      const std::uint32_t point = regions[r].points[i];
      if (!(regions[r].shares[i] > most[point])) continue;
      most[point] = regions[r].shares[i];
      region_of[point] = r;
    }
  }
  return region_of;
}

// Flipped edges of all regions in the worst frame of a clip with plain skinning.
std::size_t mostFolds(std::span<const std::vector<RegionQuality>> clip) {
  std::size_t most = 0;
  for (const std::vector<RegionQuality>& frame : clip) {
    std::size_t folds = 0;
    for (const RegionQuality& region : frame) folds += region.skinned_folds;
    most = std::max(most, folds);
  }
  return most;
}

}  // namespace

SkinQuality::SkinQuality(const SkinSurface& surface, std::span<const MorphRegion> regions,
                         std::span<const NearPair> pairs)
    : region_count_(regions.size()),
      pairs_(pairs.begin(), pairs.end()),
      region_of_point_(strongestRegions(surface.pointCount(), regions)) {
  struct Sides {
    std::array<std::uint32_t, 2> opposite{};
    int count = 0;
  };
  std::map<std::array<std::uint32_t, 2>, Sides> sides;
  for (std::size_t t = 0; t + 3 <= surface.triangles.size(); t += 3) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = surface.triangles[t + i], b = surface.triangles[t + (i + 1) % 3];
      Sides& of = sides[{std::min(a, b), std::max(a, b)}];
      if (of.count < 2) of.opposite[toSize(of.count)] = surface.triangles[t + (i + 2) % 3];
      ++of.count;
    }
  }
  const std::vector<Vec3>& at = surface.positions;
  for (const auto& [ends, of] : sides) {
    Edge edge;
    edge.a = ends[0];
    edge.b = ends[1];
    edge.region = region_of_point_[edge.a];
    edge.rest_m = glm::distance(at[edge.a], at[edge.b]);
    if (edge.region == kNoRegion || !(edge.rest_m > 0.0)) continue;
    if (of.count == 2) {
      edge.left = of.opposite[0];
      edge.right = of.opposite[1];
      edge.can_fold = cosineAcross(at[edge.a], at[edge.b], at[edge.left], at[edge.right]) > 0.0;
    }
    edges_.push_back(edge);
  }
}

bool SkinQuality::isFolded(const Edge& edge, std::span<const Vec3> at) {
  return edge.can_fold && isFoldedAt(at[edge.a], at[edge.b], at[edge.left], at[edge.right]);
}

std::vector<std::uint32_t> SkinQuality::newFolds(std::span<const Vec3> skinned,
                                                 std::span<const Vec3> baked) const {
  std::vector<std::uint32_t> points;
  for (const Edge& edge : edges_) {
    if (!isFolded(edge, baked) || isFolded(edge, skinned)) continue;
    points.push_back(edge.a);
    points.push_back(edge.b);
  }
  return points;
}

std::vector<RegionQuality> SkinQuality::measure(std::span<const Vec3> skinned,
                                                std::span<const Vec3> baked) const {
  std::vector<RegionQuality> results(region_count_);
  std::vector<double> squares_m2(region_count_, 0.0);
  const auto strain = [](const Edge& edge, std::span<const Vec3> at) {
    const double change_m = glm::distance(at[edge.a], at[edge.b]) - edge.rest_m;
    return change_m * change_m;
  };
  for (const Edge& edge : edges_) {
    RegionQuality& result = results[edge.region];
    ++result.edges;
    squares_m2[edge.region] += edge.rest_m * edge.rest_m;
    result.skinned_stretch += strain(edge, skinned);
    result.baked_stretch += strain(edge, baked);
    result.skinned_folds += isFolded(edge, skinned) ? 1 : 0;
    result.baked_folds += isFolded(edge, baked) ? 1 : 0;
  }
  for (std::size_t r = 0; r < results.size(); ++r) {
    if (!(squares_m2[r] > 0.0)) continue;
    results[r].skinned_stretch = std::sqrt(results[r].skinned_stretch / squares_m2[r]);
    results[r].baked_stretch = std::sqrt(results[r].baked_stretch / squares_m2[r]);
  }
  for (const NearPair& pair : pairs_) {
    const int gluing = gluingOf(pair, skinned, baked);
    if (gluing == 0) continue;
    // A pair of two regions counts in both.
    const std::uint32_t first = region_of_point_[pair.a], second = region_of_point_[pair.b];
    for (const std::uint32_t region : {first, second}) {
      if (region != kNoRegion) {
        ++results[region].gluing.opened;
        results[region].gluing.glued += gluing == 3 ? 1 : 0;
      }
      if (first == second) break;
    }
  }
  return results;
}

const char* nameOf(WorseBy reason) {
  switch (reason) {
    case WorseBy::kGluing:
      return "gluing";
    case WorseBy::kFolds:
      return "flipped triangles";
    case WorseBy::kStretch:
      return "edge stretch";
    case WorseBy::kVolume:
      return "limb volume";
    case WorseBy::kSurface:
      return "distance from the solved surface";
    case WorseBy::kNormals:
      return "normals";
    case WorseBy::kNothing:
      break;
  }
  return "nothing";
}

WorseBy worseBy(const RegionQuality& quality) {
  const auto share = [](double part, std::size_t of) {
    return static_cast<std::size_t>(part * static_cast<double>(of));
  };
  if (quality.gluing.glued > kFewGlued + share(kGluedShare, quality.gluing.opened)) {
    return WorseBy::kGluing;
  }
  if (quality.baked_folds > quality.skinned_folds + kFewFolds + share(kFoldShare, quality.edges)) {
    return WorseBy::kFolds;
  }
  if (quality.baked_stretch > kStretchShare * quality.skinned_stretch + kSmallStretch) {
    return WorseBy::kStretch;
  }
  return WorseBy::kNothing;
}

double stretchLimit(std::span<const std::vector<RegionQuality>> clip, const ClipLimits& limits) {
  double largest = 0.0;
  for (const std::vector<RegionQuality>& frame : clip) {
    for (const RegionQuality& region : frame) largest = std::max(largest, region.skinned_stretch);
  }
  return std::max(limits.stretch_share * largest, limits.free_stretch);
}

std::vector<std::vector<WorseBy>> worseFrames(std::span<const std::vector<RegionQuality>> clip,
                                              std::size_t region_count,
                                              const std::optional<ClipLimits>& limits) {
  std::vector<std::vector<WorseBy>> worse(region_count,
                                          std::vector<WorseBy>(clip.size(), WorseBy::kNothing));
  for (std::size_t f = 0; f < clip.size(); ++f) {
    for (std::size_t r = 0; r < clip[f].size(); ++r) worse[r][f] = worseBy(clip[f][r]);
  }
  if (!limits) return worse;
  const double stretch_limit = stretchLimit(clip, *limits);
  const double fold_limit = limits->folds_share * static_cast<double>(mostFolds(clip));
  for (std::size_t f = 0; f < clip.size(); ++f) {
    std::size_t folds = 0;
    for (const RegionQuality& region : clip[f]) folds += region.baked_folds;
    for (std::size_t r = 0; r < clip[f].size(); ++r) {
      const RegionQuality& region = clip[f][r];
      if (worse[r][f] != WorseBy::kNothing) continue;
      if (static_cast<double>(folds) > fold_limit && region.baked_folds > region.skinned_folds) {
        worse[r][f] = WorseBy::kFolds;
      } else if (region.baked_stretch > stretch_limit) {
        worse[r][f] = WorseBy::kStretch;
      }
    }
  }
  return worse;
}

}  // namespace clipmill::stages::tet_bake
