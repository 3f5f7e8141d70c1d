// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/levers.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"

namespace clipmill {
namespace {

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

double largestColumn(const Mat3& m) {
  return std::max({lengthOf(m[0]), lengthOf(m[1]), lengthOf(m[2])});
}

// Distance from every node's origin to its farthest tip in one pose, measured along the bones.
std::vector<double> reachBelow(const Skeleton& skeleton, std::span<const double> tip_reach,
                               const std::vector<Affine>& worlds) {
  std::vector<double> reach(skeleton.size(), 0.0);
  for (std::size_t i = skeleton.size(); i-- > 0;) {
    if (!tip_reach.empty()) {
      reach[i] = std::max(reach[i], tip_reach[i] * largestColumn(worlds[i].linear));
    }
    const int parent = skeleton.nodes[i].parent;
    if (parent < 0) continue;
    const std::size_t p = static_cast<std::size_t>(parent);
    reach[p] =
        std::max(reach[p], lengthOf(worlds[i].translation - worlds[p].translation) + reach[i]);
  }
  return reach;
}

}  // namespace

std::vector<Levers> leversOf(const Skeleton& skeleton, const Motion& motion,
                             std::span<const double> tip_reach) {
  std::vector<Levers> levers(skeleton.size());
  std::vector<Affine> worlds;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    const auto locals = motion.localsOf(frame);
    computeWorlds(skeleton, locals, {}, worlds);
    const std::vector<double> reach = reachBelow(skeleton, tip_reach, worlds);
    for (std::size_t i = 0; i < skeleton.size(); ++i) {
      const int parent = skeleton.nodes[i].parent;
      const double parent_scale =
          parent < 0 ? 1.0 : largestColumn(worlds[static_cast<std::size_t>(parent)].linear);
      const Vec3& s = locals[i].scale;
      const double scale = std::max({std::abs(s.x), std::abs(s.y), std::abs(s.z)});
      Levers& lever = levers[i];
      lever.translation = std::max(lever.translation, parent_scale);
      lever.rotation = std::max(lever.rotation, reach[i]);
      if (scale > 0.0) lever.scale = std::max(lever.scale, reach[i] / scale);
    }
  }
  return levers;
}

std::vector<double> mostAlongChains(const Skeleton& skeleton, std::span<const double> own) {
  std::vector<double> above(skeleton.size(), 0.0), below(skeleton.size(), 0.0);
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    above[i] = own[i] + (parent < 0 ? 0.0 : above[static_cast<std::size_t>(parent)]);
  }
  for (std::size_t i = skeleton.size(); i-- > 0;) {
    const int parent = skeleton.nodes[i].parent;
    if (parent < 0) continue;
    double& deepest = below[static_cast<std::size_t>(parent)];
    deepest = std::max(deepest, own[i] + below[i]);
  }
  for (std::size_t i = 0; i < skeleton.size(); ++i) above[i] += below[i];
  return above;
}

}  // namespace clipmill
