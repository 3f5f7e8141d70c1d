// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/surface/near_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <unordered_map>
#include <utility>

#include "core/parallel.h"
#include "core/to_size.h"
#include "mesh/triangle_bvh.h"
#include "mesh/weld.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kPairReach = 0.025;
constexpr double kPairFarAlong = 3.0;
constexpr double kPairWeight = 0.1;
constexpr int kPairSteps = 2;
constexpr double kPairOpened = 0.25;
constexpr double kPairGlued = 0.5;
constexpr std::size_t kMaxPairs = 2000;
constexpr std::size_t kPairsPerBlock = 32;

class PairFinder {
 public:
  PairFinder(const SkinSurface& surface, std::span<const int> node_above)
      : surface_(surface),
        node_above_(node_above),
        first_(firstAtPosition(surface.positions)),
        neighbours_(surface.pointCount()) {
    Box box;
    std::vector<char> is_used(surface.pointCount(), 0);
    for (std::size_t t = 0; t + 3 <= surface.triangles.size(); t += 3) {
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t a = surface.triangles[t + i];
        const std::uint32_t b = surface.triangles[t + (i + 1) % 3];
        neighbours_[first_[a]].push_back(first_[b]);
        neighbours_[first_[b]].push_back(first_[a]);
        if (surface.share[a] > 0.0 && !is_used[a]) {
          is_used[a] = 1;
          box.add(surface.positions[a]);
          points_.push_back(a);
        }
      }
    }
    std::sort(points_.begin(), points_.end());
    const Vec3 extent = points_.empty() ? Vec3(0.0) : box.high - box.low;
    reach_m_ = kPairReach * std::max({extent.x, extent.y, extent.z});
    if (!(reach_m_ > 0.0)) points_.clear();
    for (const std::uint32_t point : points_) cells_[keyOf(cellOf(point))].push_back(point);
  }

  std::vector<NearPair> find(int threads) const {
    std::vector<NearPair> candidates(points_.size());
    parallelFor(points_.size(), kPairsPerBlock, threads, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) candidates[i] = nearestOf(points_[i]);
    });
    std::erase_if(candidates, [](const NearPair& pair) { return pair.a == pair.b; });
    // Evenly spread, so that a few seconds do for any mesh.
    const std::size_t step = candidates.size() / (2 * kMaxPairs) + 1;
    std::vector<NearPair> sparse;
    for (std::size_t i = 0; i < candidates.size(); i += step) sparse.push_back(candidates[i]);
    std::vector<char> is_far(sparse.size(), 0);
    parallelFor(sparse.size(), kPairsPerBlock, threads, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) is_far[i] = isFarAlong(sparse[i]) ? 1 : 0;
    });
    std::vector<NearPair> pairs;
    for (std::size_t i = 0; i < sparse.size(); ++i) {
      if (is_far[i]) pairs.push_back(sparse[i]);
    }
    return pairs;
  }

 private:
  using Cell = std::array<std::int64_t, 3>;

  Cell cellOf(std::uint32_t point) const {
    const Vec3 scaled = surface_.positions[point] / reach_m_;
    return {static_cast<std::int64_t>(std::floor(scaled.x)),
            static_cast<std::int64_t>(std::floor(scaled.y)),
            static_cast<std::int64_t>(std::floor(scaled.z))};
  }

  static std::uint64_t keyOf(const Cell& cell) {
    std::uint64_t key = 0;
    for (const std::int64_t x : cell) key = key << 21 | (static_cast<std::uint64_t>(x) & 0x1fffff);
    return key;
  }

  // The nearest point that other nodes move; the point itself where none is near.
  NearPair nearestOf(std::uint32_t point) const {
    NearPair best{point, point, reach_m_, reach_m_};
    const Cell cell = cellOf(point);
    for (std::int64_t x = -1; x <= 1; ++x) {
      for (std::int64_t y = -1; y <= 1; ++y) {
        for (std::int64_t z = -1; z <= 1; ++z) {
          const auto found = cells_.find(keyOf({cell[0] + x, cell[1] + y, cell[2] + z}));
          if (found == cells_.end()) continue;
          for (const std::uint32_t other : found->second) {
            const double distance_m =
                glm::distance(surface_.positions[point], surface_.positions[other]);
            if (!(distance_m < best.rest_m) || first_[other] == first_[point]) continue;
            if (areJoined(surface_.influencesOf(point), surface_.influencesOf(other), node_above_,
                          kPairSteps)) {
              continue;
            }
            best.b = other;
            best.rest_m = distance_m;
          }
        }
      }
    }
    return best;
  }

  bool isFarAlong(const NearPair& pair) const {
    using Entry = std::pair<double, std::uint32_t>;
    const std::uint32_t wanted = first_[pair.b];
    std::unordered_map<std::uint32_t, double> distance{{first_[pair.a], 0.0}};
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    queue.emplace(0.0, first_[pair.a]);
    while (!queue.empty()) {
      const auto [path, point] = queue.top();
      queue.pop();
      if (point == wanted) return false;
      if (path > distance[point]) continue;
      for (const std::uint32_t next : neighbours_[point]) {
        const double further =
            path + glm::distance(surface_.positions[next], surface_.positions[point]);
        if (further > kPairFarAlong * reach_m_) continue;
        const auto [known, is_new] = distance.try_emplace(next, further);
        if (!is_new && !(further < known->second)) continue;
        known->second = further;
        queue.emplace(further, next);
      }
    }
    return true;
  }

  const SkinSurface& surface_;
  std::span<const int> node_above_;
  std::vector<std::uint32_t> first_;
  std::vector<std::vector<std::uint32_t>> neighbours_;
  std::vector<std::uint32_t> points_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;  // looked up alone
  double reach_m_ = 0.0;
};

}  // namespace

bool areJoined(std::span<const Influence> a, std::span<const Influence> b,
               std::span<const int> node_above, int steps) {
  const auto isAbove = [&](std::uint32_t upper, std::uint32_t lower) {
    int node = static_cast<int>(lower);
    for (int step = 0; step < steps && node >= 0; ++step) {
      node = toSize(node) < node_above.size() ? node_above[toSize(node)] : -1;
      if (node == static_cast<int>(upper)) return true;
    }
    return false;
  };
  for (const Influence& of_a : a) {
    if (!(of_a.weight > kPairWeight)) continue;
    for (const Influence& of_b : b) {
      if (!(of_b.weight > kPairWeight)) continue;
      if (of_a.joint == of_b.joint || isAbove(of_a.joint, of_b.joint) ||
          isAbove(of_b.joint, of_a.joint)) {
        return true;
      }
    }
  }
  return false;
}

std::vector<NearPair> findNearPairs(const SkinSurface& surface, std::span<const int> node_above,
                                    int threads) {
  return PairFinder(surface, node_above).find(threads);
}

int gluingOf(const NearPair& pair, std::span<const Vec3> skinned, std::span<const Vec3> baked) {
  const double opened_m = glm::distance(skinned[pair.a], skinned[pair.b]) - pair.rest_m;
  if (!(opened_m > kPairOpened * pair.reach_m)) return 0;
  const double baked_m = glm::distance(baked[pair.a], baked[pair.b]) - pair.rest_m;
  return baked_m < kPairGlued * opened_m ? 3 : 1;
}

}  // namespace clipmill::stages::tet_bake
