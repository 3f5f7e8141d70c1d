// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/surface/limb_parts.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "core/disjoint_sets.h"
#include "core/to_size.h"
#include "mesh/triangle_bvh.h"
#include "mesh/weld.h"
#include "stages/tet_bake/surface/near_pairs.h"

namespace clipmill::stages::tet_bake {
namespace {

// Distance below which skin is near, as a share of the largest extent of the character.
constexpr double kNearShare = 0.025;
// Skin nearer to the rest than this along the surface, in those distances, is connected to it.
constexpr double kConnected = 2.0;
// Branches with less of the skin of a body are details.
constexpr double kMinBranchArea = 0.002;

using TrianglePoints = std::array<std::uint32_t, 3>;
using NodeWeights = std::map<std::uint32_t, double>;

double triangleArea(const SkinSurface& surface, const TrianglePoints& points) {
  const Vec3& a = surface.positions[points[0]];
  const Vec3 normal =
      glm::cross(surface.positions[points[1]] - a, surface.positions[points[2]] - a);
  return 0.5 * glm::length(normal);
}

NodeWeights nodeWeightsOf(const SkinSurface& surface, const TrianglePoints& points) {
  NodeWeights weights;
  for (const std::uint32_t point : points) {
    for (const Influence& influence : surface.influencesOf(point)) {
      weights[influence.joint] += influence.weight / 3.0;
    }
  }
  return weights;
}

std::uint32_t strongestOf(const NodeWeights& weights) {
  const auto most =
      std::max_element(weights.begin(), weights.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == weights.end() ? 0 : most->first;
}

std::vector<TrianglePoints> trianglesOf(const std::vector<std::uint32_t>& indices) {
  std::vector<TrianglePoints> triangles;
  for (std::size_t t = 0; t + 3 <= indices.size(); t += 3) {
    triangles.push_back({indices[t], indices[t + 1], indices[t + 2]});
  }
  return triangles;
}

// Neighbours along the edges of triangles, with vertices at one position as one.
class SurfaceGraph {
 public:
  SurfaceGraph(const SkinSurface& surface, const std::vector<std::uint32_t>& first,
               const std::vector<TrianglePoints>& triangles)
      : surface_(surface), start_(surface.pointCount() + 1, 0) {
    std::vector<std::uint64_t> edges;
    for (const TrianglePoints& points : triangles) {
      for (const std::uint64_t a : points) {
        for (const std::uint64_t b : points) {
          if (first[a] != first[b]) edges.push_back(std::uint64_t{first[a]} << 32 | first[b]);
        }
      }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (const std::uint64_t edge : edges) {
      ++start_[(edge >> 32) + 1];
      neighbours_.push_back(static_cast<std::uint32_t>(edge));
    }
    for (std::size_t p = 1; p < start_.size(); ++p) start_[p] += start_[p - 1];
  }

  // Which points are farther than `reach_m` from all sources.
  std::vector<char> isFarFrom(const std::vector<std::uint32_t>& sources, double reach_m) const {
    using Entry = std::pair<double, std::uint32_t>;
    std::vector<double> distance(surface_.pointCount(), std::numeric_limits<double>::infinity());
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    for (const std::uint32_t source : sources) {
      distance[source] = 0.0;
      queue.emplace(0.0, source);
    }
    while (!queue.empty()) {
      const auto [path, point] = queue.top();
      queue.pop();
      if (path > distance[point]) continue;
      for (std::size_t i = start_[point]; i < start_[point + 1]; ++i) {
        const std::uint32_t next = neighbours_[i];
        const double further =
            path + glm::distance(surface_.positions[next], surface_.positions[point]);
        if (!(further < distance[next]) || further > reach_m) continue;
        distance[next] = further;
        queue.emplace(further, next);
      }
    }
    std::vector<char> is_far;
    for (const double path : distance) is_far.push_back(path > reach_m ? 1 : 0);
    return is_far;
  }

 private:
  const SkinSurface& surface_;
  std::vector<std::size_t> start_;
  std::vector<std::uint32_t> neighbours_;
};

// Finds the limbs of one body that have to be parts.
class LimbFinder {
 public:
  LimbFinder(const SkinSurface& surface, const std::vector<std::uint32_t>& first,
             const SolidSurface& body, std::span<const int> node_above, double near_m)
      : surface_(surface),
        first_(first),
        above_(node_above),
        near_m_(near_m),
        triangles_(trianglesOf(body.outward)),
        graph_(surface, first, triangles_) {
    for (const TrianglePoints& points : triangles_) {
      weights_.push_back(nodeWeightsOf(surface, points));
      nodes_.push_back(strongestOf(weights_.back()));
    }
    part_.assign(triangles_.size(), -1);
  }

  // The nodes at the top of the limbs, smaller limbs first.
  std::vector<int> find() {
    std::vector<int> limbs;
    for (const int limb : candidates()) {
      const std::vector<char> is_in = isIn(limb);
      if (!isNearOthers(is_in)) continue;
      limbs.push_back(limb);
      for (std::size_t t = 0; t < part_.size(); ++t) {
        if (is_in[t] && part_[t] < 0) part_[t] = limb;
      }
    }
    return limbs;
  }

 private:
  // Nodes below branches of the skeleton with enough skin, those with less skin first.
  std::vector<int> candidates() const {
    std::map<int, double> areas;
    double whole = 0.0;
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      const double area = triangleArea(surface_, triangles_[t]);
      whole += area;
      for (int n = static_cast<int>(nodes_[t]); n >= 0; n = above_[toSize(n)]) areas[n] += area;
    }
    std::map<int, std::vector<int>> below;
    for (const auto& [node, area] : areas) {
      if (area > kMinBranchArea * whole) below[above_[toSize(node)]].push_back(node);
    }
    std::vector<std::pair<double, int>> found;
    for (const auto& [node, children] : below) {
      if (children.size() < 2) continue;
      for (const int child : children) found.emplace_back(areas[child], child);
    }
    std::sort(found.begin(), found.end());
    std::vector<int> nodes;
    for (const auto& [area, node] : found) nodes.push_back(node);
    return nodes;
  }

  std::vector<char> isIn(int limb) const {
    std::vector<char> is_in;
    for (const std::uint32_t node : nodes_) {
      int n = static_cast<int>(node);
      while (n >= 0 && n != limb) n = above_[toSize(n)];
      is_in.push_back(n == limb ? 1 : 0);
    }
    return is_in;
  }

  // Whether the limb is near skin of the same part so far, and far from it along the surface.
  bool isNearOthers(const std::vector<char>& is_in) const {
    const std::vector<char> is_far = graph_.isFarFrom(rimOf(is_in), kConnected * near_m_);
    std::vector<std::uint32_t> others, source;
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      if (is_in[t] || part_[t] >= 0 || !isFar(is_far, t)) continue;
      others.insert(others.end(), triangles_[t].begin(), triangles_[t].end());
      source.push_back(static_cast<std::uint32_t>(t));
    }
    if (others.empty()) return false;
    const TriangleBvh bvh(surface_.positions, others, TriangleBvh::Use::kDistances);
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      if (!is_in[t] || part_[t] >= 0 || !isFar(is_far, t)) continue;
      const TrianglePoints& points = triangles_[t];
      const Vec3 middle = (surface_.positions[points[0]] + surface_.positions[points[1]] +
                           surface_.positions[points[2]]) /
                          3.0;
      const NearestPoint nearest = bvh.nearest(middle, near_m_);
      if (!(nearest.distance < near_m_)) continue;
      if (!areJoined(influencesOf(t), influencesOf(source[nearest.triangle]), above_, 1))
        return true;
    }
    return false;
  }

  std::vector<Influence> influencesOf(std::size_t t) const {
    std::vector<Influence> influences;
    for (const auto& [node, weight] : weights_[t]) influences.push_back({node, weight});
    return influences;
  }

  bool isFar(const std::vector<char>& is_far, std::size_t t) const {
    return std::all_of(triangles_[t].begin(), triangles_[t].end(),
                       [&](std::uint32_t point) { return is_far[first_[point]] != 0; });
  }

  // Points of triangles on both sides.
  std::vector<std::uint32_t> rimOf(const std::vector<char>& is_in) const {
    std::vector<char> sides(surface_.pointCount(), 0);
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      for (const std::uint32_t point : triangles_[t]) {
        sides[first_[point]] = static_cast<char>(sides[first_[point]] | (is_in[t] ? 1 : 2));
      }
    }
    std::vector<std::uint32_t> rim;
    for (std::uint32_t p = 0; p < sides.size(); ++p) {
      if (sides[p] == 3) rim.push_back(p);
    }
    return rim;
  }

  const SkinSurface& surface_;
  const std::vector<std::uint32_t>& first_;
  std::span<const int> above_;
  double near_m_;
  std::vector<TrianglePoints> triangles_;
  SurfaceGraph graph_;
  std::vector<NodeWeights> weights_;
  std::vector<std::uint32_t> nodes_;
  std::vector<int> part_;  // of each triangle so far, -1 for the rest of the body
};

// Cuts bodies at their limbs.
class BodyCutter {
 public:
  BodyCutter(const SkinSurface& surface, const std::vector<std::uint32_t>& first,
             std::span<const int> node_above, PartedSkin& skin)
      : first_(first), above_(node_above), point_count_(surface.pointCount()), skin_(skin) {}

  std::vector<BodyPart> cut(const SolidSurface& body, const std::vector<int>& limbs) {
    limbs_ = limbs;
    std::map<int, BodyPart> parts;  // by the limb; -1 for the rest
    share(body.triangles, &SolidSurface::triangles, parts);
    share(body.outward, &SolidSurface::outward, parts);
    for (const int limb : limbs) addWall(body.outward, limb, parts);
    std::vector<BodyPart> result;
    for (auto& [limb, part] : parts) {
      if (!part.solid.triangles.empty() || !part.walls.empty()) result.push_back(std::move(part));
    }
    return result;
  }

 private:
  // The lowest limb that a node is in, from it upwards; -1 for none.
  int limbOf(int node) const {
    while (node >= 0 && std::find(limbs_.begin(), limbs_.end(), node) == limbs_.end()) {
      node = above_[toSize(node)];
    }
    return node;
  }

  bool isBelow(int node, int limb) const {
    while (node >= 0 && node != limb) node = above_[toSize(node)];
    return node == limb;
  }

  int strongest(const TrianglePoints& points) const {
    return static_cast<int>(strongestOf(nodeWeightsOf(skin_.surface, points)));
  }

  void share(const std::vector<std::uint32_t>& triangles,
             std::vector<std::uint32_t> SolidSurface::*which,
             std::map<int, BodyPart>& parts) const {
    for (const TrianglePoints& points : trianglesOf(triangles)) {
      std::vector<std::uint32_t>& list = parts[limbOf(strongest(points))].solid.*which;
      list.insert(list.end(), points.begin(), points.end());
    }
  }

  struct RimEdge {
    int count = 0;  // of the limb's triangles, against the direction
    bool is_shared = false;
    std::array<std::uint32_t, 2> points{};  // of the limb
  };

  // Edges between the limb's triangles, with all that hangs on it, and others.
  std::map<std::array<std::uint32_t, 2>, RimEdge> rimOf(const std::vector<std::uint32_t>& outward,
                                                        int limb) const {
    std::map<std::array<std::uint32_t, 2>, RimEdge> edges;
    for (const TrianglePoints& points : trianglesOf(outward)) {
      const bool is_in = isBelow(strongest(points), limb);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t a = points[i], b = points[(i + 1) % 3];
        const std::uint32_t wa = first_[a], wb = first_[b];
        if (wa == wb) continue;
        RimEdge& edge = edges[{std::min(wa, wb), std::max(wa, wb)}];
        if (!is_in) {
          edge.is_shared = true;
          continue;
        }
        edge.count += wa < wb ? 1 : -1;
        edge.points = wa < wb ? std::array{a, b} : std::array{b, a};
      }
    }
    std::erase_if(edges, [](const auto& entry) {
      return entry.second.count == 0 || !entry.second.is_shared;
    });
    return edges;
  }

  // A fan over each connected rim, closing the limb; reversed it closes the part that it hangs on.
  void addWall(const std::vector<std::uint32_t>& outward, int limb,
               std::map<int, BodyPart>& parts) {
    const auto rim = rimOf(outward, limb);
    DisjointSets sets(point_count_);
    for (const auto& [ends, edge] : rim) sets.unite(ends[0], ends[1]);
    std::map<std::uint32_t, std::vector<RimEdge>> rims;
    for (const auto& [ends, edge] : rim) rims[sets.find(ends[0])].push_back(edge);
    const int above = limbOf(above_[toSize(limb)]);
    for (const auto& [name, edges] : rims) {
      const std::uint32_t middle = addMiddle(edges);
      for (const RimEdge& edge : edges) {
        for (int i = 0; i < std::abs(edge.count); ++i) {
          // The limb passes the edge from a to b, so the wall passes it from b to a.
          const std::uint32_t a = edge.points[edge.count > 0 ? 0 : 1];
          const std::uint32_t b = edge.points[edge.count > 0 ? 1 : 0];
          const std::uint32_t number = wall_count_++;
          for (const bool is_reversed : {false, true}) {
            BodyPart& part = parts[is_reversed ? above : limb];
            part.walls.insert(part.walls.end(), {b, a, middle});
            part.wall_of.push_back(number);
            part.is_reversed.push_back(is_reversed ? 1 : 0);
          }
        }
      }
    }
  }

  // The mean of the edges, by their lengths, with the mean of their weights.
  std::uint32_t addMiddle(const std::vector<RimEdge>& edges) {
    SkinSurface& surface = skin_.surface;
    Vec3 sum(0.0);
    double length = 0.0;
    NodeWeights weights;
    for (const RimEdge& edge : edges) {
      const double half =
          std::numeric_limits<double>::min() +
          0.5 * glm::distance(surface.positions[edge.points[0]], surface.positions[edge.points[1]]);
      for (const std::uint32_t point : edge.points) {
        sum += surface.positions[point] * half;
        for (const Influence& influence : surface.influencesOf(point)) {
          weights[influence.joint] += influence.weight * half;
        }
      }
      length += 2.0 * half;
    }
    const auto middle = static_cast<std::uint32_t>(surface.pointCount());
    surface.positions.push_back(sum / length);
    for (const auto& [node, weight] : weights) {
      surface.influences.push_back({node, weight / length});
    }
    surface.influence_start.push_back(surface.influences.size());
    surface.share.push_back(0.0);
    return middle;
  }

  const std::vector<std::uint32_t>& first_;
  std::span<const int> above_;
  std::size_t point_count_;
  PartedSkin& skin_;
  std::vector<int> limbs_;
  std::uint32_t wall_count_ = 0;
};

}  // namespace

PartedSkin partLimbs(const SkinSurface& surface, std::vector<SolidSurface> bodies,
                     std::span<const int> node_above) {
  PartedSkin skin;
  skin.surface = surface;
  const std::vector<std::uint32_t> first = firstAtPosition(surface.positions);
  Box box;
  for (const SolidSurface& body : bodies) {
    for (const std::uint32_t point : body.triangles) box.add(surface.positions[point]);
  }
  const Vec3 extent = box.high - box.low;
  const double near_m = kNearShare * std::max({extent.x, extent.y, extent.z});
  BodyCutter cutter(surface, first, node_above, skin);
  for (SolidSurface& body : bodies) {
    std::vector<int> limbs;
    if (!node_above.empty()) limbs = LimbFinder(surface, first, body, node_above, near_m).find();
    if (limbs.empty()) {
      std::vector<BodyPart> whole(1);
      whole[0].solid = std::move(body);
      skin.bodies.push_back(std::move(whole));
    } else {
      skin.bodies.push_back(cutter.cut(body, limbs));
    }
  }
  return skin;
}

}  // namespace clipmill::stages::tet_bake
