// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/surface/separate_bodies.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/disjoint_sets.h"

namespace clipmill::stages::tet_bake {
namespace {

// Nodes that move a point by less do not make bodies one.
constexpr double kMinSharedWeight = 0.02;

struct Body {
  SolidSurface solid;
  std::set<std::uint32_t> nodes;
};

class BodyFinder {
 public:
  BodyFinder(const SkinSurface& surface, const SolidSurface& solid)
      : surface_(surface), sets_(surface.bind_world_from_node.size()) {
    for (std::size_t t = 0; t + 3 <= solid.triangles.size(); t += 3) {
      const std::uint32_t first = nodeOf(solid.triangles[t]);
      for (std::size_t i = 0; i < 3; ++i) {
        forNodes(solid.triangles[t + i], [&](std::uint32_t node) { sets_.unite(first, node); });
      }
    }
  }

  std::vector<Body> find(const SolidSurface& solid) {
    add(solid.triangles, &SolidSurface::triangles);
    add(solid.outward, &SolidSurface::outward);
    return std::move(bodies_);
  }

 private:
  std::uint32_t nodeOf(std::uint32_t point) const {
    return dominantNode(surface_.influencesOf(point));
  }

  template <class Use>
  void forNodes(std::uint32_t point, const Use& use) const {
    use(nodeOf(point));
    for (const Influence& influence : surface_.influencesOf(point)) {
      if (influence.weight >= kMinSharedWeight) use(influence.joint);
    }
  }

  void add(const std::vector<std::uint32_t>& triangles,
           std::vector<std::uint32_t> SolidSurface::*which) {
    for (std::size_t t = 0; t + 3 <= triangles.size(); t += 3) {
      const std::uint32_t set = sets_.find(nodeOf(triangles[t]));
      const auto [position, is_new] = body_of_set_.emplace(set, bodies_.size());
      if (is_new) bodies_.emplace_back();
      Body& body = bodies_[position->second];
      for (std::size_t i = 0; i < 3; ++i) {
        (body.solid.*which).push_back(triangles[t + i]);
        forNodes(triangles[t + i], [&](std::uint32_t node) { body.nodes.insert(node); });
      }
    }
  }

  const SkinSurface& surface_;
  DisjointSets sets_;
  std::map<std::uint32_t, std::size_t> body_of_set_;
  std::vector<Body> bodies_;
};

bool bends(const Body& body) { return body.nodes.size() > 1; }

}  // namespace

std::vector<SolidSurface> separateBodies(SkinSurface& surface, const SolidSurface& solid) {
  std::vector<Body> bodies = BodyFinder(surface, solid).find(solid);
  const auto isOfUse = [](const Body& body) { return bends(body) && !body.solid.outward.empty(); };
  const bool takes_all = std::none_of(bodies.begin(), bodies.end(), isOfUse);
  std::vector<SolidSurface> result;
  for (Body& body : bodies) {
    if (isOfUse(body) || (takes_all && !body.solid.outward.empty())) {
      result.push_back(std::move(body.solid));
      continue;
    }
    for (const std::uint32_t point : body.solid.triangles) surface.share[point] = 0.0;
  }
  return result;
}

}  // namespace clipmill::stages::tet_bake
