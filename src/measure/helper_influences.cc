// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "measure/helper_influences.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/to_size.h"

namespace clipmill::measure {
namespace {

// Whether a name is that of a helper of one of `joints`.
bool isHelperName(std::string_view name, const std::set<std::string_view>& joints) {
  for (const std::string_view prefix : {kBakePrefix, kTwistPrefix}) {
    if (!name.starts_with(prefix) || name.size() <= prefix.size() || name[prefix.size()] != '_') {
      continue;
    }
    const std::string_view rest = name.substr(prefix.size() + 1);
    const std::size_t end = rest.find_last_not_of("0123456789");
    const bool has_number = end != std::string_view::npos && end + 1 < rest.size();
    if (has_number && rest[end] == '_' && joints.count(rest.substr(0, end)) > 0) return true;
  }
  return false;
}

// The parent joint of each helper in a skeleton; the node itself for all others.
std::vector<std::uint32_t> ownersIn(const Skeleton& skeleton) {
  std::set<std::string_view> names;
  std::vector<char> has_child(skeleton.size(), 0);
  for (const Node& node : skeleton.nodes) {
    names.insert(node.name);
    if (node.parent >= 0) has_child[toSize(node.parent)] = 1;
  }
  std::vector<std::uint32_t> owners;
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    const Node& node = skeleton.nodes[n];
    const bool is_helper = node.parent >= 0 && !has_child[n] && isHelperName(node.name, names);
    owners.push_back(static_cast<std::uint32_t>(is_helper ? node.parent : static_cast<int>(n)));
  }
  return owners;
}

}  // namespace

void mergeHelperInfluences(const Skeleton& skeleton, SkinSurface& surface) {
  const std::vector<std::uint32_t> owners = ownersIn(skeleton);
  std::vector<Influence> influences;
  std::vector<std::size_t> start = {0};
  for (std::size_t p = 0; p < surface.pointCount(); ++p) {
    std::map<std::uint32_t, double> weights;
    for (const Influence& influence : surface.influencesOf(p)) {
      weights[owners[influence.joint]] += influence.weight;
    }
    for (const auto& [node, weight] : weights) influences.push_back({node, weight});
    start.push_back(influences.size());
  }
  surface.influences = std::move(influences);
  surface.influence_start = std::move(start);
}

}  // namespace clipmill::measure
