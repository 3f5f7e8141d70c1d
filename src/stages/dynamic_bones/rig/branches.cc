// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/branches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "anim/pose.h"
#include "core/math.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

constexpr double kMaxRingGap_rad = 100.0 * kDegree;

int nodeOf(const Rig& rig, const Bone& bone) {
  const Joint& joint = rig.joints[toSize(bone.joint)];
  return rig.slots[toSize(joint.slot)].node;
}

// Bones at which the branches of a chain start.
std::vector<std::size_t> firstBones(const Rig& rig, const RestBones& rest, int chain) {
  std::vector<std::size_t> first;
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    if (rig.bones[b].chain == chain && rest.parents[b] < 0) first.push_back(b);
  }
  while (first.size() == 1) {
    const std::vector<std::size_t> next = rest.children[first.front()];
    first = next;
  }
  return first;
}

// Length from each bone's head to the farthest tip below it.
std::vector<double> lengthsBelow(const RestBones& rest) {
  std::vector<double> below_m(rest.ends.size(), 0.0);
  for (std::size_t b = below_m.size(); b-- > 0;) {
    for (std::size_t child : rest.children[b]) {
      below_m[b] = std::max(below_m[b], below_m[child]);
    }
    below_m[b] += lengthOf(rest.ends[b] - rest.heads[b]);
  }
  return below_m;
}

std::vector<std::size_t> branchFrom(const RestBones& rest, const std::vector<double>& below_m,
                                    std::size_t first) {
  std::vector<std::size_t> branch = {first};
  while (!rest.children[branch.back()].empty()) {
    const auto& children = rest.children[branch.back()];
    branch.push_back(
        *std::max_element(children.begin(), children.end(),
                          [&](std::size_t a, std::size_t b) { return below_m[a] < below_m[b]; }));
  }
  return branch;
}

bool isAbove(const Skeleton& skeleton, int ancestor, int node) {
  while (node > ancestor) node = skeleton.nodes[toSize(node)].parent;
  return node == ancestor;
}

// The node that all of the bones hang on: their joint where they share one, else the nearest node
// above all their joints; -1 for none.
int commonJointOf(const Skeleton& skeleton, const Rig& rig, const std::vector<std::size_t>& bones) {
  int common = nodeOf(rig, rig.bones[bones.front()]);
  for (std::size_t b : bones) {
    const int node = nodeOf(rig, rig.bones[b]);
    while (common >= 0 && !isAbove(skeleton, common, node)) {
      common = skeleton.nodes[toSize(common)].parent;
    }
  }
  return common;
}

// Some unit vector normal to the unit vector `axis`.
Vec3 normalTo(const Vec3& axis) {
  const Vec3 size = glm::abs(axis);
  const Vec3 other = size.x <= size.y && size.x <= size.z   ? Vec3(1, 0, 0)
                     : size.y <= size.x && size.y <= size.z ? Vec3(0, 1, 0)
                                                            : Vec3(0, 0, 1);
  return unitOrZero(glm::cross(axis, other));
}

// Branches in the order of their angle about an axis, and the gaps between them.
struct AngularOrder {
  std::vector<std::size_t> order;
  std::vector<double> gaps_rad;  // gaps_rad[i]: from order[i] to the next, around the circle
};

AngularOrder orderAbout(const Vec3& axis, const std::vector<Vec3>& offsets) {
  const Vec3 u = normalTo(axis);
  const Vec3 v = glm::cross(axis, u);
  std::vector<std::pair<double, std::size_t>> angles;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const double angle = portable::atan2(glm::dot(offsets[i], v), glm::dot(offsets[i], u));
    angles.push_back({std::isfinite(angle) ? angle : 0.0, i});
  }
  std::sort(angles.begin(), angles.end());
  AngularOrder angular;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const bool is_last = i + 1 == angles.size();
    const double next = is_last ? angles.front().first + 2.0 * kPi : angles[i + 1].first;
    angular.order.push_back(angles[i].second);
    angular.gaps_rad.push_back(next - angles[i].first);
  }
  return angular;
}

// Normal of the plane in which the offsets spread: cross products with the longest one, all taken
// with the sign of the largest of them.
Vec3 planeNormal(const std::vector<Vec3>& offsets) {
  const auto shorter = [](const Vec3& a, const Vec3& b) { return glm::dot(a, a) < glm::dot(b, b); };
  const Vec3 longest = *std::max_element(offsets.begin(), offsets.end(), shorter);
  std::vector<Vec3> normals;
  for (const Vec3& offset : offsets) normals.push_back(glm::cross(longest, offset));
  const Vec3 largest = *std::max_element(normals.begin(), normals.end(), shorter);
  Vec3 sum(0.0);
  for (const Vec3& normal : normals) sum += glm::dot(normal, largest) < 0.0 ? -normal : normal;
  return unitOrZero(sum);
}

AngularOrder orderBranches(const RestBones& rest,
                           const std::vector<std::vector<std::size_t>>& branches,
                           const Vec3& center) {
  std::vector<Vec3> offsets;
  Vec3 direction(0.0);
  for (const auto& branch : branches) {
    offsets.push_back(rest.ends[branch.front()] - center);
    direction += unitOrZero(rest.ends[branch.back()] - rest.heads[branch.front()]);
  }
  AngularOrder best;
  double best_gap_rad = -1.0;
  for (const Vec3& axis : {unitOrZero(direction), planeNormal(offsets)}) {
    const AngularOrder angular = orderAbout(axis, offsets);
    const double gap_rad = *std::min_element(angular.gaps_rad.begin(), angular.gaps_rad.end());
    // A difference by rounding does not favor the second axis.
    if (gap_rad <= best_gap_rad + kDegree) continue;
    best = angular;
    best_gap_rad = gap_rad;
  }
  return best;
}

Vec3 centerOf(const Scene& scene, const Rig& rig, const RestBones& rest,
              const std::vector<std::size_t>& first) {
  const int common = commonJointOf(scene.skeleton, rig, first);
  if (common >= 0) {
    std::vector<Affine> worlds;
    computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds);
    return worlds[toSize(common)].translation;
  }
  Vec3 sum(0.0);
  for (std::size_t b : first) sum += rest.heads[b];
  return sum / static_cast<double>(first.size());
}

}  // namespace

RestBones restBonesOf(const Scene& scene, const Rig& rig) {
  const Skeleton& skeleton = scene.skeleton;
  std::vector<Affine> worlds;
  computeWorlds(skeleton, restPose(skeleton).locals, scene.metric_from_file, worlds);
  std::vector<int> bone_to(skeleton.size(), -1);
  RestBones rest;
  rest.children.resize(rig.bones.size());
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const Bone& bone = rig.bones[b];
    const int node = nodeOf(rig, bone);
    const Affine& world = worlds[toSize(node)];
    rest.heads.push_back(world.translation);
    rest.ends.push_back(bone.tail_node < 0 ? transformPoint(world, bone.tip_offset)
                                           : worlds[toSize(bone.tail_node)].translation);
    // Between the end of a bone and the next joint there may be nodes that follow rigidly.
    int above = node;
    while (above >= 0 && bone_to[toSize(above)] < 0) {
      above = skeleton.nodes[toSize(above)].parent;
    }
    int parent = above < 0 ? -1 : bone_to[toSize(above)];
    if (parent >= 0 && rig.bones[toSize(parent)].chain != bone.chain) parent = -1;
    rest.parents.push_back(parent);
    if (parent >= 0) rest.children[toSize(parent)].push_back(b);
    if (bone.tail_node >= 0) {
      bone_to[toSize(bone.tail_node)] = static_cast<int>(b);
    }
  }
  return rest;
}

BranchRow findBranches(const Scene& scene, const Rig& rig, const RestBones& rest, int chain,
                       CrossShape shape) {
  const std::vector<std::size_t> first = firstBones(rig, rest, chain);
  if (first.size() < 2) return {};
  const std::vector<double> below_m = lengthsBelow(rest);
  std::vector<std::vector<std::size_t>> found;
  for (std::size_t b : first) found.push_back(branchFrom(rest, below_m, b));
  const AngularOrder angular = orderBranches(rest, found, centerOf(scene, rig, rest, first));
  const auto widest = std::max_element(angular.gaps_rad.begin(), angular.gaps_rad.end());
  BranchRow row;
  row.is_ring = found.size() >= 3 && (shape == CrossShape::kRing ||
                                      (shape == CrossShape::kAuto && *widest < kMaxRingGap_rad));
  const auto start = toSize(widest - angular.gaps_rad.begin()) + 1;
  for (std::size_t i = 0; i < found.size(); ++i) {
    row.branches.push_back(found[angular.order[(start + i) % found.size()]]);
  }
  return row;
}

}  // namespace clipmill::stages::dynamic_bones
