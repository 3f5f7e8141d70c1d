// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/drivers/region_joints.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "core/to_size.h"
#include "retarget/rest_alignment.h"
#include "scene/pose_driver.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr std::size_t kMaxRegionJoints = 8;
constexpr double kMinJointWeight = 0.1;
constexpr double kAnimated_rad = 0.5 * kDegree;

// Skin weights of a region by node.
std::vector<double> weightsByNode(const SkinSurface& surface, const MorphRegion& region,
                                  std::size_t node_count) {
  std::vector<double> weights(node_count, 0.0);
  for (std::size_t i = 0; i < region.points.size(); ++i) {
    for (const Influence& influence : surface.influencesOf(region.points[i])) {
      weights[influence.joint] += influence.weight * region.shares[i];
    }
  }
  return weights;
}

// 4 b (1 - b) by node, with b the share of the weights at or below it.
std::vector<double> bendWeights(const Skeleton& skeleton, std::span<const double> own) {
  std::vector<double> below(own.begin(), own.end());
  double total = 0.0;
  for (std::size_t n = skeleton.size(); n-- > 0;) {
    total += own[n];
    const int parent = skeleton.nodes[n].parent;
    if (parent >= 0) below[toSize(parent)] += below[n];
  }
  for (double& sum : below) {
    const double share = total > 0.0 ? sum / total : 0.0;
    sum = 4.0 * share * (1.0 - share);
  }
  return below;
}

// The nodes of each region and of those that share points with it.
std::vector<std::set<int>> nodesBeside(const SkinSurface& surface,
                                       std::span<const MorphRegion> regions) {
  std::vector<std::set<int>> at_point(surface.pointCount());
  for (const MorphRegion& region : regions) {
    for (const std::uint32_t point : region.points) at_point[point].insert(region.node);
  }
  std::vector<std::set<int>> beside;
  for (const MorphRegion& region : regions) {
    std::set<int>& nodes = beside.emplace_back();
    for (const std::uint32_t point : region.points) {
      nodes.insert(at_point[point].begin(), at_point[point].end());
    }
  }
  return beside;
}

// Along the longest segment of a bone; of a node without one, from its parent to it.
Vec3 boneDirection(const Skeleton& skeleton, const BakeBone& bone, std::size_t node,
                   std::span<const Vec3> positions) {
  Vec3 direction(0.0);
  for (const auto& [head, tail] : bone.segments) {
    if (lengthOf(tail - head) > lengthOf(direction)) direction = tail - head;
  }
  const int parent = skeleton.nodes[node].parent;
  if (direction == Vec3(0.0) && parent >= 0)
    direction = positions[node] - positions[toSize(parent)];
  const double length = lengthOf(direction);
  return length > 0.0 ? direction / length : Vec3(1.0, 0.0, 0.0);
}

}  // namespace

std::vector<std::vector<int>> jointsOfRegions(const SkinSurface& surface, const Skeleton& skeleton,
                                              std::span<const MorphRegion> regions,
                                              std::span<const char> is_animated) {
  const std::vector<std::set<int>> neighbours = nodesBeside(surface, regions);
  std::vector<std::vector<int>> result;
  for (std::size_t r = 0; r < regions.size(); ++r) {
    const std::vector<double> own = weightsByNode(surface, regions[r], skeleton.size());
    const std::vector<double> weights = bendWeights(skeleton, own);
    std::vector<int>& joints = result.emplace_back();
    for (std::size_t n = 0; n < skeleton.size(); ++n) {
      const int node = static_cast<int>(n);
      const bool bends = weights[n] >= kMinJointWeight && (own[n] > 0.0 || is_animated[n]);
      if (bends || neighbours[r].count(node) > 0) joints.push_back(node);
    }
    std::stable_sort(joints.begin(), joints.end(), [&](int a, int b) {
      const auto rank = [&](int node) {
        return node == regions[r].node ? 2.0 : weights[toSize(node)];
      };
      return rank(a) > rank(b);
    });
    if (joints.size() > kMaxRegionJoints) joints.resize(kMaxRegionJoints);
  }
  return result;
}

BindRotations::BindRotations(const Scene& scene, std::span<const BakeBone> bones) {
  const retarget::RestPose rest(scene);
  locals = rest.locals;
  axes = rest.axes;
  std::vector<Vec3> positions;
  for (const Affine& world : rest.worlds) positions.push_back(world.translation);
  for (std::size_t n = 0; n < axes.size(); ++n) {
    const Vec3 direction = boneDirection(scene.skeleton, bones[n], n, positions);
    bone_axes.push_back(glm::transpose(axes[n]) * direction);
  }
}

Quat BindRotations::relative(int node, std::span<const Transform> pose) const {
  return relativeRotation(locals[toSize(node)].rotation, pose[toSize(node)].rotation);
}

Quat BindRotations::local(int node, const Quat& rotation) const {
  return normalizedOrIdentity(locals[toSize(node)].rotation) * rotation;
}

std::vector<char> animatedNodes(const Skeleton& skeleton, std::span<const Motion> motions) {
  std::vector<char> is_animated(skeleton.size(), 0);
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    if (motions.empty()) break;
    const Quat first = normalizedOrIdentity(motions.front().localsOf(0)[n].rotation);
    for (const Motion& motion : motions) {
      for (std::size_t f = 0; f < motion.grid.frame_count && !is_animated[n]; ++f) {
        const Quat now = normalizedOrIdentity(motion.localsOf(f)[n].rotation);
        is_animated[n] = angleBetween(first, now) > kAnimated_rad;
      }
    }
  }
  return is_animated;
}

}  // namespace clipmill::stages::tet_bake
