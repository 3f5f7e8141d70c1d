// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/error_sensitivity.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/cancel.h"
#include "core/math.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

double largestColumn(const Mat3& m) {
  return std::max({lengthOf(m[0]), lengthOf(m[1]), lengthOf(m[2])});
}

// Distance from every node's origin to its farthest tip in one pose, measured along the bones.
std::vector<double> reachBelow(const Skeleton& skeleton, std::span<const double> shell_distances,
                               const std::vector<Affine>& worlds) {
  std::vector<double> reach(skeleton.size(), 0.0);
  for (std::size_t i = skeleton.size(); i-- > 0;) {
    if (!shell_distances.empty()) {
      reach[i] = std::max(reach[i], shell_distances[i] * largestColumn(worlds[i].linear));
    }
    const int parent = skeleton.nodes[i].parent;
    if (parent < 0) continue;
    const std::size_t p = toSize(parent);
    reach[p] =
        std::max(reach[p], lengthOf(worlds[i].translation - worlds[p].translation) + reach[i]);
  }
  return reach;
}

}  // namespace

std::vector<ErrorSensitivity> errorSensitivityOf(const Skeleton& skeleton, const Motion& motion,
                                                 std::span<const double> shell_distances) {
  std::vector<ErrorSensitivity> sensitivities(skeleton.size());
  std::vector<Affine> worlds;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    pollCancel();
    const auto locals = motion.localsOf(frame);
    computeWorlds(skeleton, locals, {}, worlds);
    const std::vector<double> reach = reachBelow(skeleton, shell_distances, worlds);
    for (std::size_t i = 0; i < skeleton.size(); ++i) {
      const int parent = skeleton.nodes[i].parent;
      const double parent_scale = parent < 0 ? 1.0 : largestColumn(worlds[toSize(parent)].linear);
      const Vec3& s = locals[i].scale;
      const double scale = std::max({std::abs(s.x), std::abs(s.y), std::abs(s.z)});
      ErrorSensitivity& sensitivity = sensitivities[i];
      sensitivity.translation = std::max(sensitivity.translation, parent_scale);
      sensitivity.rotation = std::max(sensitivity.rotation, reach[i]);
      if (scale > 0.0) sensitivity.scale = std::max(sensitivity.scale, reach[i] / scale);
    }
  }
  return sensitivities;
}

std::vector<double> mostAlongChains(const Skeleton& skeleton, std::span<const double> own) {
  std::vector<double> above(skeleton.size(), 0.0), below(skeleton.size(), 0.0);
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    above[i] = own[i] + (parent < 0 ? 0.0 : above[toSize(parent)]);
  }
  for (std::size_t i = skeleton.size(); i-- > 0;) {
    const int parent = skeleton.nodes[i].parent;
    if (parent < 0) continue;
    double& longest = below[toSize(parent)];
    longest = std::max(longest, own[i] + below[i]);
  }
  for (std::size_t i = 0; i < skeleton.size(); ++i) above[i] += below[i];
  return above;
}

}  // namespace clipmill
