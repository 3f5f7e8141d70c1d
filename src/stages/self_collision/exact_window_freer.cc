// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_window_freer.h"

#include <algorithm>
#include <utility>

namespace clipmill::collision {
namespace {

constexpr double kUsedUp = 0.98;  // of the largest amount of a layer

}  // namespace

bool WindowFreer::Tried::isBetterThan(const Tried& other) const {
  if (!layer || !other.layer) return layer.has_value();
  if (stuck != other.stuck) return stuck < other.stuck;
  if (isSmooth() != other.isSmooth()) return isSmooth();
  return roughness < other.roughness;
}

// True where a layer that is there was enough.
bool WindowFreer::raiseLayer(const PairGroup& group, std::size_t group_index,
                             const std::vector<std::size_t>& samples) {
  for (std::size_t i = stack_.layers().size(); i-- > 0;) {
    Layer& layer = stack_.layers()[i];
    const bool covers = std::all_of(samples.begin(), samples.end(), [&](std::size_t sample) {
      return layer.isActive(sample) && layer.amounts[sample] < kUsedUp * layer.mode.most;
    });
    if (layer.group != group_index || !covers) continue;
    const std::vector<double> before = layer.required;
    if (solver_.require(group, i, samples, true) == 0) {
      stack_.shape(i);
      return true;
    }
    layer.required = before;
  }
  return false;
}

// The first that gets the group free with no limb too rough; else, of those that get it as free,
// the smoothest. Of arms as one only smooth ones.
WindowFreer::Tried WindowFreer::bestOf(std::vector<Mode> modes, const PairGroup& group,
                                       std::size_t group_index,
                                       const std::vector<std::size_t>& samples) {
  Tried best;
  for (Mode& mode : modes) {
    Layer layer;
    layer.group = group_index;
    layer.mode = std::move(mode);
    layer.required.assign(solver_.sampleCount(), 0.0);
    layer.amounts = layer.required;
    const std::size_t index = stack_.layers().size();
    stack_.layers().push_back(std::move(layer));
    Tried tried;
    tried.stuck = solver_.require(group, index, samples, false);
    tried.roughness = stack_.shape(index);
    tried.layer = std::move(stack_.layers().back());
    stack_.layers().pop_back();
    const bool may_be_rough = group.links.empty();
    if (!may_be_rough && !tried.isSmooth()) continue;
    if (tried.isBetterThan(best)) best = std::move(tried);
    if (best.isGood()) break;
  }
  return best;
}

void WindowFreer::free(const PairGroup& group, std::size_t group_index,
                       const std::vector<std::size_t>& samples) {
  if (raiseLayer(group, group_index, samples)) return;
  const bool are_one = !group.links.empty();
  Tried best;
  if (!are_one) best = bestOf(solver_.chooseModes(group, samples), group, group_index, samples);
  if (are_one || !best.isSmooth()) {
    Tried pushed = bestOf(solver_.choosePushes(group, samples), group, group_index, samples);
    if (pushed.isBetterThan(best)) best = std::move(pushed);
  }
  if (!best.layer) return;
  const std::vector<double>& required = best.layer->required;
  const bool is_free_meanwhile = *std::max_element(required.begin(), required.end()) <= 0.0;
  if (!is_free_meanwhile) stack_.layers().push_back(std::move(*best.layer));
}

}  // namespace clipmill::collision
