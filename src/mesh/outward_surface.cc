// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/outward_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/parallel.h"
#include "core/to_size.h"
#include "mesh/triangle_bvh.h"
#include "mesh/weld.h"

namespace clipmill {
namespace {

// A component whose mean winding number is this far below 0 faces inward; nearer to it nothing
// decides.
constexpr double kInwardWinding = 0.02;

// So many triangles of a component are asked.
constexpr std::size_t kMaxVoters = 256;
constexpr std::size_t kVotersPerBlock = 16;

// The winding number on a triangle is the mean of those at this share of its size before and behind
// it.
constexpr double kVoterOffset = 1e-3;

struct Edge {
  std::uint32_t low, high;  // vertices
  std::uint32_t triangle;
  bool is_forward;  // the triangle passes it from low to high
};

bool isBefore(const Edge& a, const Edge& b) {
  return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
}

bool isSameEdge(const Edge& a, const Edge& b) { return a.low == b.low && a.high == b.high; }

// The edges of all triangles, those at one edge in a row.
std::vector<Edge> sortedEdges(std::span<const std::uint32_t> triangles) {
  std::vector<Edge> edges;
  edges.reserve(triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const std::uint32_t from = triangles[i];
    const std::uint32_t to = triangles[i % 3 == 2 ? i - 2 : i + 1];
    if (from == to) continue;
    edges.push_back(
        {std::min(from, to), std::max(from, to), static_cast<std::uint32_t>(i / 3), from < to});
  }
  std::sort(edges.begin(), edges.end(), isBefore);
  return edges;
}

// Calls visit(edges with the same ends) for each.
template <class Visit>
void forEachEdge(const std::vector<Edge>& edges, Visit&& visit) {
  for (std::size_t start = 0; start < edges.size();) {
    std::size_t end = start + 1;
    while (end < edges.size() && isSameEdge(edges[start], edges[end])) ++end;
    visit(std::span(edges).subspan(start, end - start));
    start = end;
  }
}

std::vector<std::uint32_t> welded(std::span<const Vec3> positions,
                                  std::span<const std::uint32_t> triangles) {
  const std::vector<std::uint32_t> first = firstAtPosition(positions);
  std::vector<std::uint32_t> result;
  result.reserve(triangles.size());
  for (const std::uint32_t index : triangles) result.push_back(first[index]);
  return result;
}

// Indices among `triangles` (welded) of those that stay, ascending.
std::vector<std::uint32_t> distinctTriangles(std::span<const std::uint32_t> triangles) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  std::vector<Key> keys;
  for (std::uint32_t t = 0; t < triangles.size() / 3; ++t) {
    std::array<std::uint32_t, 3> c = {triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]};
    std::sort(c.begin(), c.end());
    if (c[0] != c[1] && c[1] != c[2]) keys.emplace_back(c[0], c[1], c[2], t);
  }
  std::sort(keys.begin(), keys.end());
  const auto cornersOf = [](const Key& key) {
    return std::make_tuple(std::get<0>(key), std::get<1>(key), std::get<2>(key));
  };
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && cornersOf(keys[i]) == cornersOf(keys[i - 1])) continue;
    kept.push_back(std::get<3>(keys[i]));
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

// Which triangles face which along edges.
class Neighbours {
 public:
  struct Neighbour {
    std::uint32_t triangle;
    bool faces_opposite;
  };

  explicit Neighbours(std::span<const std::uint32_t> triangles) : links_(triangles.size() / 3) {
    forEachEdge(sortedEdges(triangles), [&](std::span<const Edge> edges) {
      // Of more than two the file knows best which belong together.
      const bool is_plain = edges.size() == 2;
      for (std::size_t i = 1; i < edges.size(); ++i) {
        const Edge &a = edges[i - 1], &b = edges[i];
        link(a.triangle, b.triangle, is_plain && a.is_forward == b.is_forward);
      }
    });
  }
  std::span<const Neighbour> of(std::uint32_t triangle) const { return links_[triangle]; }

 private:
  void link(std::uint32_t a, std::uint32_t b, bool faces_opposite) {
    links_[a].push_back({b, faces_opposite});
    links_[b].push_back({a, faces_opposite});
  }

  std::vector<std::vector<Neighbour>> links_;
};

// Components of triangles (welded) and which triangles are to be flipped.
class Components {
 public:
  explicit Components(std::span<const std::uint32_t> triangles)
      : neighbours_(triangles),
        component_(triangles.size() / 3, kNone),
        flipped_(component_.size()) {
    for (std::uint32_t t = 0; t < component_.size(); ++t) {
      if (component_[t] == kNone) flood(t);
    }
  }

  /// Triangles of each component.
  const std::vector<std::vector<std::uint32_t>>& members() const { return members_; }
  const std::vector<std::uint32_t>& component() const { return component_; }
  bool isFlipped(std::uint32_t triangle) const { return flipped_[triangle] != 0; }
  void flip(std::size_t component) {
    for (const std::uint32_t t : members_[component]) flipped_[t] ^= 1;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  void flood(std::uint32_t first) {
    const auto number = static_cast<std::uint32_t>(members_.size());
    members_.push_back({first});
    component_[first] = number;
    std::size_t flipped = 0;
    for (std::size_t i = 0; i < members_.back().size(); ++i) {
      const std::uint32_t t = members_.back()[i];
      flipped += flipped_[t];
      for (const auto& [next, faces_opposite] : neighbours_.of(t)) {
        if (component_[next] != kNone) continue;
        component_[next] = number;
        flipped_[next] = static_cast<char>(flipped_[t] ^ (faces_opposite ? 1 : 0));
        members_.back().push_back(next);
      }
    }
    if (2 * flipped > members_.back().size()) flip(number);
  }

  Neighbours neighbours_;
  std::vector<std::uint32_t> component_;
  std::vector<char> flipped_;
  std::vector<std::vector<std::uint32_t>> members_;
};

// Mean over the area of a surface of its winding number there.
double meanWinding(std::span<const Vec3> positions, std::span<const std::uint32_t> triangles,
                   int threads) {
  const TriangleBvh tree(positions, triangles);
  const std::size_t count = triangles.size() / 3;
  const std::size_t step = std::max<std::size_t>(1, count / kMaxVoters);
  struct Voter {
    double area = 0.0, winding = 0.0;
  };
  std::vector<Voter> voters((count + step - 1) / step);
  const auto ask = [&](std::size_t voter) {
    const std::uint32_t* corners = &triangles[3 * step * voter];
    const Vec3 &a = positions[corners[0]], &b = positions[corners[1]], &c = positions[corners[2]];
    const Vec3 normal = glm::cross(b - a, c - a);
    const double area = std::sqrt(glm::dot(normal, normal));
    if (!(area > 0.0)) return;
    const Vec3 middle = (a + b + c) / 3.0, offset = normal * (kVoterOffset / std::sqrt(area));
    voters[voter] = {area,
                     tree.windingNumber(middle + offset) + tree.windingNumber(middle - offset)};
  };
  parallelFor(voters.size(), kVotersPerBlock, threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t voter = start; voter < end; ++voter) ask(voter);
  });
  double sum = 0.0, area_sum = 0.0;
  for (const Voter& voter : voters) {
    sum += 0.5 * voter.area * voter.winding;
    area_sum += voter.area;
  }
  return area_sum > 0.0 ? sum / area_sum : 0.0;
}

std::uint32_t rootOf(std::vector<std::uint32_t>& parents, std::uint32_t i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

}  // namespace

OutwardSurface orientOutward(std::span<const Vec3> positions,
                             std::span<const std::uint32_t> triangles, int threads) {
  const std::vector<std::uint32_t> all = welded(positions, triangles);
  OutwardSurface surface;
  surface.source = distinctTriangles(all);
  surface.dropped_count = triangles.size() / 3 - surface.source.size();
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t t : surface.source) {
    kept.insert(kept.end(), all.begin() + 3 * t, all.begin() + 3 * t + 3);
  }
  Components components(kept);
  const auto appendTo = [&](std::vector<std::uint32_t>& list, std::uint32_t kept_triangle) {
    const std::size_t start = 3 * toSize(surface.source[kept_triangle]);
    const std::size_t flip = components.isFlipped(kept_triangle) ? 1 : 0;
    list.insert(list.end(),
                {triangles[start], triangles[start + 1 + flip], triangles[start + 2 - flip]});
  };
  for (std::size_t c = 0; c < components.members().size(); ++c) {
    std::vector<std::uint32_t> own;
    for (const std::uint32_t t : components.members()[c]) appendTo(own, t);
    const double winding = meanWinding(positions, own, threads);
    if (winding < -kInwardWinding) components.flip(c);
    surface.fullness.push_back(std::min(1.0, 2.0 * std::abs(winding)));
  }
  surface.component = components.component();
  for (std::uint32_t t = 0; t < surface.source.size(); ++t) {
    appendTo(surface.triangles, t);
    surface.flipped_count += components.isFlipped(t) ? 1 : 0;
  }
  return surface;
}

Vec3 HoleCaps::middleOf(std::span<const std::uint32_t> rim, std::span<const Vec3> positions) {
  Vec3 sum(0.0);
  for (const std::uint32_t vertex : rim) sum += positions[vertex];
  return sum / static_cast<double>(std::max<std::size_t>(1, rim.size()));
}

HoleCaps capHoles(std::span<const Vec3> positions, std::span<const std::uint32_t> triangles) {
  // How often an edge is passed forward more than backward.
  struct RimEdge {
    std::uint32_t low, high;
    int excess;
  };
  std::vector<RimEdge> rim_edges;
  std::vector<std::uint32_t> parents(positions.size());
  std::iota(parents.begin(), parents.end(), 0u);
  forEachEdge(sortedEdges(welded(positions, triangles)), [&](std::span<const Edge> edges) {
    int excess = 0;
    for (const Edge& edge : edges) excess += edge.is_forward ? 1 : -1;
    if (excess == 0) return;
    const std::uint32_t low = edges.front().low, high = edges.front().high;
    rim_edges.push_back({low, high, excess});
    const std::uint32_t a = rootOf(parents, low), b = rootOf(parents, high);
    parents[std::max(a, b)] = std::min(a, b);
  });

  HoleCaps caps;
  std::vector<std::uint32_t> rim_of(positions.size());  // of root vertices, from 1 on
  for (const RimEdge& edge : rim_edges) {
    std::uint32_t& rim = rim_of[rootOf(parents, edge.low)];
    if (rim == 0) {
      caps.rims.emplace_back();
      rim = static_cast<std::uint32_t>(caps.rims.size());
    }
    std::vector<std::uint32_t>& vertices = caps.rims[rim - 1];
    vertices.insert(vertices.end(), {edge.low, edge.high});
    const auto middle = static_cast<std::uint32_t>(positions.size() + rim - 1);
    const bool is_forward = edge.excess > 0;
    for (int i = 0; i < std::abs(edge.excess); ++i) {
      caps.triangles.insert(caps.triangles.end(), {is_forward ? edge.high : edge.low,
                                                   is_forward ? edge.low : edge.high, middle});
    }
  }
  for (std::vector<std::uint32_t>& rim : caps.rims) {
    std::sort(rim.begin(), rim.end());
    rim.erase(std::unique(rim.begin(), rim.end()), rim.end());
  }
  return caps;
}

}  // namespace clipmill
