// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/skeleton_identity.h"

#include <algorithm>
#include <vector>

#include "anim/pose.h"
#include "core/math.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::retarget {
namespace {

constexpr double kSameShare = 1e-3;      // of the length of a bone
constexpr double kSameTransform = 1e-5;  // of nodes above the joints
constexpr std::size_t kFewestBones = 6;  // that agree
constexpr double kSameDirection_rad = 1.0 * kDegree;
constexpr double kOtherAxes_rad = 10.0 * kDegree;
constexpr double kNoLength = 1e-9;

double rotationBetweenRests(const Node& a, const Node& b) {
  return angleBetween(normalizedOrIdentity(a.rest.rotation), normalizedOrIdentity(b.rest.rotation));
}

bool hasSameTransform(const Node& a, const Node& b) {
  const double size = std::max(1.0, lengthOf(b.rest.translation));
  return a.inherit == b.inherit && rotationBetweenRests(a, b) <= kSameTransform &&
         lengthOf(a.rest.translation - b.rest.translation) <= kSameTransform * size &&
         lengthOf(a.rest.scale - b.rest.scale) <= kSameTransform;
}

// The pairs by source node, -1 for others.
class PairedNodes {
 public:
  PairedNodes(const Scene& source, std::span<const NodePair> pairs)
      : target_of_(source.skeleton.size(), -1) {
    for (const NodePair& pair : pairs) target_of_[toSize(pair.source)] = pair.target;
  }
  int targetOf(int source) const { return target_of_[toSize(source)]; }

 private:
  std::vector<int> target_of_;
};

// Whether what is above a pair is the same in both files up to a pair or the root.
bool hasSameParents(const Scene& source, const Scene& target, const PairedNodes& paired,
                    const NodePair& pair) {
  int s = source.skeleton.nodes[toSize(pair.source)].parent;
  int t = target.skeleton.nodes[toSize(pair.target)].parent;
  while (s >= 0 && t >= 0) {
    if (paired.targetOf(s) >= 0) return paired.targetOf(s) == t;
    if (!hasSameTransform(source.skeleton.nodes[toSize(s)], target.skeleton.nodes[toSize(t)])) {
      return false;
    }
    s = source.skeleton.nodes[toSize(s)].parent;
    t = target.skeleton.nodes[toSize(t)].parent;
  }
  return s < 0 && t < 0;
}

// The direction of a bone in the rest pose, seen from its root: independent of where that faces.
std::vector<Vec3> restPositions(const Scene& scene) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds);
  std::vector<Vec3> positions;
  for (const Affine& world : worlds) positions.push_back(world.translation);
  return positions;
}

// Whether joints have the same directions at rest with other axes: then locals differ in meaning.
bool haveOtherAxes(const Scene& source, const Scene& target, std::span<const NodePair> pairs) {
  const std::vector<Vec3> from = restPositions(source), to = restPositions(target);
  bool differ = false;
  for (const NodePair& pair : pairs) {
    const Node &a = source.skeleton.nodes[toSize(pair.source)],
               &b = target.skeleton.nodes[toSize(pair.target)];
    differ = differ || rotationBetweenRests(a, b) > kOtherAxes_rad;
    if (a.parent < 0 || b.parent < 0) continue;
    const Vec3 bone_a = from[toSize(pair.source)] - from[toSize(a.parent)],
               bone_b = to[toSize(pair.target)] - to[toSize(b.parent)];
    if (lengthOf(bone_a) < kNoLength || lengthOf(bone_b) < kNoLength) continue;
    const double cosine = glm::dot(bone_a, bone_b) / (lengthOf(bone_a) * lengthOf(bone_b));
    if (cosine < portable::cos(kSameDirection_rad)) return false;
  }
  return differ;
}

}  // namespace

bool hasBindPose(const Scene& scene, std::span<const int> nodes) {
  std::vector<bool> is_bound(scene.skeleton.size(), false);
  for (const Skin& skin : scene.skins) {
    for (const int joint : skin.joints) is_bound[toSize(joint)] = true;
  }
  const auto bound = std::count_if(nodes.begin(), nodes.end(),
                                   [&](int node) { return node >= 0 && is_bound[toSize(node)]; });
  const auto named = std::count_if(nodes.begin(), nodes.end(), [](int node) { return node >= 0; });
  return named > 0 && 2 * bound > named;
}

bool isSameSkeleton(const Scene& source, const TrackMask& animated, const Scene& target,
                    std::span<const NodePair> pairs) {
  const PairedNodes paired(source, pairs);
  std::size_t agreed = 0;
  for (const NodePair& pair : pairs) {
    if (!hasSameParents(source, target, paired, pair)) return false;
    const Node &a = source.skeleton.nodes[toSize(pair.source)],
               &b = target.skeleton.nodes[toSize(pair.target)];
    const bool may_move = animated.has(pair.source, TrackPath::kTranslation),
               may_scale = animated.has(pair.source, TrackPath::kScale);
    const double length = lengthOf(b.rest.translation);
    const double apart = lengthOf(a.rest.translation - b.rest.translation);
    const bool is_near = apart <= kSameShare * length || apart < kNoLength;
    const bool is_scaled = lengthOf(a.rest.scale - b.rest.scale) <= kSameShare;
    if (a.inherit != b.inherit || (!is_near && !may_move) || (!is_scaled && !may_scale)) {
      return false;
    }
    agreed += is_near && is_scaled ? 1 : 0;
  }
  return agreed >= kFewestBones && 2 * agreed > pairs.size() &&
         !haveOtherAxes(source, target, pairs);
}

}  // namespace clipmill::retarget
