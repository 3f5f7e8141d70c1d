// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morphs/positive_weights.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace clipmill::stages::tet_bake {
namespace {

// Where weights lie: from `least`, 0 or below, over no less than 1. Less would make small changes
// of a weight large ones, which take more keys.
struct WeightRange {
  double least = 0.0, size = 1.0;
};

WeightRange rangeOf(const std::vector<double>& weights) {
  WeightRange range;
  if (weights.empty()) return range;
  const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
  range.least = std::min(*least, 0.0);
  range.size = std::max(*most - range.least, 1.0);
  return range;
}

void addTimes(const std::vector<Vec3>& deltas, double factor, std::vector<Vec3>& sum) {
  sum.resize(deltas.size(), Vec3(0.0));
  for (std::size_t v = 0; v < deltas.size(); ++v) sum[v] += deltas[v] * factor;
}

// The bases of all nodes that need one, by node.
std::map<int, AddedMorph> basesOf(const NodeMorphs& morphs, std::span<const WeightRange> ranges) {
  std::map<int, AddedMorph> bases;
  for (std::size_t m = 0; m < morphs.morphs.size(); ++m) {
    const AddedMorph& morph = morphs.morphs[m];
    const double least = ranges[morphs.row[m]].least;
    if (least == 0.0) continue;
    AddedMorph& base = bases[morph.node];
    base.node = morph.node;
    base.name = kBaseName;
    addTimes(morph.position_deltas, least, base.position_deltas);
    addTimes(morph.normal_deltas, least, base.normal_deltas);
  }
  return bases;
}

void stretch(AddedMorph& morph, double size) {
  for (std::vector<Vec3>* deltas : {&morph.position_deltas, &morph.normal_deltas}) {
    for (Vec3& delta : *deltas) delta *= size;
  }
}

}  // namespace

void makeWeightsPositive(NodeMorphs& morphs) {
  std::vector<WeightRange> ranges;
  for (const std::vector<double>& weights : morphs.weights) ranges.push_back(rangeOf(weights));
  std::map<int, AddedMorph> bases = basesOf(morphs, ranges);
  for (std::size_t m = 0; m < morphs.morphs.size(); ++m) {
    stretch(morphs.morphs[m], ranges[morphs.row[m]].size);
  }
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    for (double& weight : morphs.weights[r]) weight = (weight - ranges[r].least) / ranges[r].size;
  }
  if (bases.empty()) return;
  morphs.weights.emplace_back(morphs.weights.front().size(), 1.0);
  for (auto& [node, base] : bases) {
    morphs.morphs.push_back(std::move(base));
    morphs.row.push_back(morphs.weights.size() - 1);
  }
}

std::size_t clampNegativeWeights(std::span<FittedMorph> fitted) {
  std::size_t cut = 0;
  for (FittedMorph& morph : fitted) {
    for (double& weight : morph.weights) {
      if (weight >= 0.0) continue;
      weight = 0.0;
      ++cut;
    }
  }
  return cut;
}

}  // namespace clipmill::stages::tet_bake
