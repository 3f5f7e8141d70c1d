// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/binding/tet_weights.h"

#include <algorithm>
#include <array>
#include <limits>

namespace clipmill::stages::tet_bake {
namespace {

constexpr std::size_t kMaxCornerInfluences = 8;
constexpr double kMinCornerWeight = 1e-3;
// Passes over the corners inside, each the mean of those around them: limbs are few cells thick.
constexpr int kSmoothingPasses = 6;
// What a sample without area counts for, of the mean sample: more than nothing.
constexpr double kMinAreaShare = 1e-6;

using Weights = std::vector<Influence>;

void add(std::span<const Influence> influences, double factor, Weights& sums) {
  for (const Influence& influence : influences) {
    const auto known = std::find_if(sums.begin(), sums.end(), [&](const Influence& sum) {
      return sum.joint == influence.joint;
    });
    if (known == sums.end()) {
      sums.push_back({influence.joint, influence.weight * factor});
    } else {
      known->weight += influence.weight * factor;
    }
  }
}

// The largest few, as shares of 1, nodes ascending.
void normalize(Weights& weights) {
  double sum = 0.0;
  for (const Influence& influence : weights) sum += influence.weight;
  std::sort(weights.begin(), weights.end(), [](const Influence& a, const Influence& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
  });
  while (weights.size() > 1 && (weights.size() > kMaxCornerInfluences ||
                                weights.back().weight < kMinCornerWeight * sum)) {
    weights.pop_back();
  }
  sum = 0.0;
  for (const Influence& influence : weights) sum += influence.weight;
  for (Influence& influence : weights) influence.weight /= sum;
  std::sort(weights.begin(), weights.end(),
            [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
}

class WeightSpreader {
 public:
  WeightSpreader(const SkinSurface& surface, const TetMesh& mesh, const CornerGraph& graph)
      : surface_(surface), mesh_(mesh), graph_(graph), weights_(mesh.vertexCount()) {}

  std::vector<Weights> spread(std::span<const SurfaceSample> samples) {
    gather(samples);
    std::vector<std::uint32_t> inner = growInwards();
    smooth(inner);
    for (std::uint32_t corner = 0; corner < weights_.size(); ++corner) {
      if (weights_[corner].empty()) weights_[corner] = ofNearestPoint(mesh_.positions[corner]);
    }
    return std::move(weights_);
  }

 private:
  void gather(std::span<const SurfaceSample> samples) {
    double area = 0.0;
    for (const SurfaceSample& sample : samples) area += sample.area_m2;
    const double mean = samples.empty() ? 0.0 : area / static_cast<double>(samples.size());
    const double least = mean > 0.0 ? kMinAreaShare * mean : 1.0;
    Weights blended;
    for (const SurfaceSample& sample : samples) {
      blended.clear();
      for (std::size_t i = 0; i < 3; ++i) {
        if (sample.point_weights[i] > 0.0) {
          add(surface_.influencesOf(sample.points[i]), sample.point_weights[i], blended);
        }
      }
      for (std::size_t k = 0; k < 4; ++k) {
        const double factor = sample.weights[k] * (sample.area_m2 + least);
        if (factor > 0.0) add(blended, factor, weights_[mesh_.tets[sample.tet][k]]);
      }
    }
    for (Weights& weights : weights_) {
      if (!weights.empty()) normalize(weights);
    }
  }

  // Layer by layer, each corner the mean of its neighbours of the layers before. Returns the
  // corners that got their weights here, layers in order.
  std::vector<std::uint32_t> growInwards() {
    std::vector<std::uint32_t> inner, layer;
    std::vector<char> is_queued(weights_.size(), 0);
    const auto queueAround = [&](std::uint32_t corner, std::vector<std::uint32_t>& queue) {
      for (const std::uint32_t neighbour : graph_.of(corner)) {
        if (!weights_[neighbour].empty() || is_queued[neighbour]) continue;
        is_queued[neighbour] = 1;
        queue.push_back(neighbour);
      }
    };
    for (std::uint32_t corner = 0; corner < weights_.size(); ++corner) {
      if (!weights_[corner].empty()) queueAround(corner, layer);
    }
    while (!layer.empty()) {
      std::vector<Weights> means;
      for (const std::uint32_t corner : layer) means.push_back(meanAround(corner));
      for (std::size_t i = 0; i < layer.size(); ++i) weights_[layer[i]] = std::move(means[i]);
      std::vector<std::uint32_t> next;
      for (const std::uint32_t corner : layer) queueAround(corner, next);
      inner.insert(inner.end(), layer.begin(), layer.end());
      layer = std::move(next);
    }
    return inner;
  }

  void smooth(const std::vector<std::uint32_t>& inner) {
    for (int pass = 0; pass < kSmoothingPasses; ++pass) {
      for (const std::uint32_t corner : inner) weights_[corner] = meanAround(corner);
    }
  }

  Weights meanAround(std::uint32_t corner) const {
    Weights mean;
    for (const std::uint32_t neighbour : graph_.of(corner)) add(weights_[neighbour], 1.0, mean);
    if (!mean.empty()) normalize(mean);
    return mean;
  }

  Weights ofNearestPoint(const Vec3& position) const {
    double nearest = std::numeric_limits<double>::infinity();
    Weights weights;
    for (std::size_t p = 0; p < surface_.pointCount(); ++p) {
      const Vec3 path = surface_.positions[p] - position;
      if (!(glm::dot(path, path) < nearest)) continue;
      nearest = glm::dot(path, path);
      const auto influences = surface_.influencesOf(p);
      weights.assign(influences.begin(), influences.end());
    }
    normalize(weights);
    return weights;
  }

  const SkinSurface& surface_;
  const TetMesh& mesh_;
  const CornerGraph& graph_;
  std::vector<Weights> weights_;
};

}  // namespace

CornerGraph cornerGraph(const TetMesh& mesh) {
  std::vector<std::uint64_t> edges;
  edges.reserve(12 * mesh.tets.size());
  for (const Tet& tet : mesh.tets) {
    for (const std::uint64_t a : tet) {
      for (const std::uint64_t b : tet) {
        if (a != b) edges.push_back(a << 32 | b);
      }
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  CornerGraph graph;
  graph.start.assign(mesh.vertexCount() + 1, 0);
  for (const std::uint64_t edge : edges) {
    ++graph.start[(edge >> 32) + 1];
    graph.neighbours.push_back(static_cast<std::uint32_t>(edge));
  }
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) graph.start[v + 1] += graph.start[v];
  return graph;
}

std::vector<std::vector<Influence>> cornerWeights(const SkinSurface& surface,
                                                  std::span<const SurfaceSample> samples,
                                                  const TetMesh& mesh, const CornerGraph& graph) {
  return WeightSpreader(surface, mesh, graph).spread(samples);
}

}  // namespace clipmill::stages::tet_bake
