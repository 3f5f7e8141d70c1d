// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morphs/morph_regions.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

// Steps over which shares spread: regions overlap by about as many triangles.
constexpr int kSpreadSteps = 8;
// Below this share a region ends; what is cut off goes to the others.
constexpr double kMinShare = 1e-3;
constexpr int kNoJoint = -1;

using Shares = std::vector<std::pair<int, double>>;  // by joint, ascending

// The points joined to each point by an edge of a triangle, ascending.
struct Neighbours {
  std::vector<std::size_t> start;
  std::vector<std::uint32_t> points;

  std::span<const std::uint32_t> of(std::size_t point) const {
    return std::span(points).subspan(start[point], start[point + 1] - start[point]);
  }
};

Neighbours pointNeighbours(const SkinSurface& surface) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::size_t t = 0; t < surface.triangles.size(); t += 3) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = surface.triangles[t + i], b = surface.triangles[t + (i + 1) % 3];
      edges.emplace_back(a, b);
      edges.emplace_back(b, a);
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  Neighbours neighbours;
  neighbours.start.assign(surface.pointCount() + 1, 0);
  for (const auto& [from, to] : edges) {
    ++neighbours.start[from + 1];
    neighbours.points.push_back(to);
  }
  std::partial_sum(neighbours.start.begin(), neighbours.start.end(), neighbours.start.begin());
  return neighbours;
}

int commonAncestor(const Skeleton& skeleton, int a, int b) {
  while (a >= 0 && !isAtOrBelow(skeleton, b, a)) {
    a = skeleton.nodes[toSize(a)].parent;
  }
  return a;
}

// The joint that bends a point, by the two nodes that move it most.
int jointOf(std::span<const Influence> influences, const Skeleton& skeleton) {
  if (influences.size() < 2) return kNoJoint;
  std::vector<Influence> strongest(influences.begin(), influences.end());
  std::stable_sort(strongest.begin(), strongest.end(),
                   [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
  const int a = static_cast<int>(strongest[0].joint), b = static_cast<int>(strongest[1].joint);
  if (isAtOrBelow(skeleton, a, b)) return a;
  if (isAtOrBelow(skeleton, b, a)) return b;
  const int common = commonAncestor(skeleton, a, b);
  return common >= 0 ? common : std::min(a, b);
}

// Points between joints go to the nearest along the surface, counted in edges.
void fillGaps(const Neighbours& neighbours, std::vector<int>& joints) {
  std::vector<std::uint32_t> front;
  for (std::uint32_t p = 0; p < joints.size(); ++p) {
    if (joints[p] != kNoJoint) front.push_back(p);
  }
  for (std::size_t i = 0; i < front.size(); ++i) {
    for (const std::uint32_t next : neighbours.of(front[i])) {
      if (joints[next] != kNoJoint) continue;
      joints[next] = joints[front[i]];
      front.push_back(next);
    }
  }
}

void normalise(Shares& shares) {
  std::erase_if(shares, [](const auto& share) { return share.second < kMinShare; });
  double sum = 0.0;
  for (const auto& [joint, share] : shares) sum += share;
  for (auto& [joint, share] : shares) share /= sum;
}

// Half of its own share and half of the mean of its neighbours.
std::vector<Shares> spread(const Neighbours& neighbours, const std::vector<Shares>& shares) {
  std::vector<Shares> result(shares.size());
  for (std::size_t p = 0; p < shares.size(); ++p) {
    const auto around = neighbours.of(p);
    if (shares[p].empty() || around.empty()) {
      result[p] = shares[p];
      continue;
    }
    std::map<int, double> sum;
    for (const auto& [joint, share] : shares[p]) sum[joint] += 0.5 * share;
    const double part = 0.5 / static_cast<double>(around.size());
    for (const std::uint32_t next : around) {
      for (const auto& [joint, share] : shares[next]) sum[joint] += part * share;
    }
    result[p].assign(sum.begin(), sum.end());
    normalise(result[p]);
  }
  return result;
}

}  // namespace

std::vector<MorphRegion> findRegions(const SkinSurface& surface, const Skeleton& skeleton) {
  std::vector<int> joints(surface.pointCount());
  for (std::size_t p = 0; p < joints.size(); ++p) {
    joints[p] = jointOf(surface.influencesOf(p), skeleton);
  }
  const Neighbours neighbours = pointNeighbours(surface);
  fillGaps(neighbours, joints);
  std::vector<Shares> shares(surface.pointCount());
  for (std::size_t p = 0; p < joints.size(); ++p) {
    if (joints[p] != kNoJoint) shares[p] = {{joints[p], 1.0}};
  }
  for (int step = 0; step < kSpreadSteps; ++step) shares = spread(neighbours, shares);
  std::map<int, MorphRegion> regions;
  for (std::uint32_t p = 0; p < shares.size(); ++p) {
    for (const auto& [joint, share] : shares[p]) {
      MorphRegion& region = regions[joint];
      region.node = joint;
      region.points.push_back(p);
      region.shares.push_back(share);
    }
  }
  std::vector<MorphRegion> result;
  for (auto& [joint, region] : regions) result.push_back(std::move(region));
  return result;
}

MorphRegion wholeRegion(const SkinSurface& surface) {
  MorphRegion region;
  region.node = -1;
  region.points.resize(surface.pointCount());
  std::iota(region.points.begin(), region.points.end(), 0u);
  region.shares.assign(surface.pointCount(), 1.0);
  return region;
}

}  // namespace clipmill::stages::tet_bake
