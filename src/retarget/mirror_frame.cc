// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/mirror_frame.h"

#include <cmath>
#include <utility>
#include <vector>

#include "core/to_size.h"
#include "retarget/counterparts.h"
#include "scene/bind_pose.h"

namespace clipmill::retarget {
namespace {

// Nodes that have a counterpart; those of the middle are their own.
std::vector<std::size_t> sidedNodes(std::span<const int> counterparts) {
  std::vector<std::size_t> nodes;
  for (std::size_t n = 0; n < counterparts.size(); ++n) {
    if (counterparts[n] >= 0) nodes.push_back(n);
  }
  return nodes;
}

Vec3 middleOf(std::span<const std::size_t> nodes, const RestPose& rest) {
  Vec3 sum(0.0);
  for (const std::size_t n : nodes) sum += rest.worlds[n].translation;
  return nodes.empty() ? sum : sum / static_cast<double>(nodes.size());
}

// See MirrorFrame::asymmetry.
double asymmetryOf(std::span<const int> counterparts, const RestPose& rest,
                   const Mat3& reflection) {
  const std::vector<std::size_t> nodes = sidedNodes(counterparts);
  const Vec3 middle = middleOf(nodes, rest);
  double apart_m = 0.0, extent_m2 = 0.0;
  for (const std::size_t n : nodes) {
    const Vec3 own = rest.worlds[n].translation - middle;
    apart_m += lengthOf(reflection * own - (rest.positionOf(counterparts[n]) - middle));
    extent_m2 += glm::dot(own, own);
  }
  const auto count = static_cast<double>(nodes.size());
  return extent_m2 > 0.0 ? apart_m / count / std::sqrt(extent_m2 / count) : 0.0;
}

// Local transforms of nodes that are there, in metric space.
std::vector<Transform> localsOf(const Scene& scene, std::span<const Affine> worlds) {
  std::vector<Transform> locals;
  for (std::size_t n = 0; n < worlds.size(); ++n) {
    const int parent = scene.skeleton.nodes[n].parent;
    const Affine& above = parent < 0 ? scene.metric_from_file : worlds[toSize(parent)];
    locals.push_back(decompose(inverse(above) * worlds[n]));
  }
  return locals;
}

// The topmost node in the middle, as the hips are; the middle of all without one.
Vec3 pivotOf(std::span<const int> counterparts, const RestPose& rest) {
  for (std::size_t n = 0; n < counterparts.size(); ++n) {
    if (counterparts[n] == static_cast<int>(n)) return rest.worlds[n].translation;
  }
  return middleOf(sidedNodes(counterparts), rest);
}

// The pose in which the skins were bound, rotated about its pivot until its sides are level.
RestPose levelBindPose(const Scene& scene, std::span<const int> counterparts) {
  std::vector<Affine> worlds = findBindPose(scene).world_from_node;
  const RestPose bound(scene, localsOf(scene, worlds));
  const Vec3 across = acrossOf(counterparts, bound, Vec3(1.0));
  const Vec3 level = across - reflectionOfSides(counterparts, bound) * across;
  const Vec3 pivot = pivotOf(counterparts, bound);
  const Mat3 rotation = glm::mat3_cast(rotationBetween(across, level));
  const Affine about{rotation, pivot - rotation * pivot};
  for (Affine& world : worlds) world = about * world;
  return RestPose(scene, localsOf(scene, worlds));
}

}  // namespace

MirrorFrame mirrorFrameOf(const Scene& scene, std::span<const int> counterparts) {
  constexpr double kSymmetric = 0.01;
  const auto frameOf = [&](RestPose rest) {
    const Mat3 reflection = reflectionOfSides(counterparts, rest);
    const double asymmetry = asymmetryOf(counterparts, rest, reflection);
    return MirrorFrame{std::move(rest), reflection, asymmetry};
  };
  MirrorFrame stored = frameOf(RestPose(scene));
  if (stored.asymmetry <= kSymmetric) return stored;
  MirrorFrame bound = frameOf(levelBindPose(scene, counterparts));
  return bound.asymmetry < 0.5 * stored.asymmetry ? bound : stored;
}

}  // namespace clipmill::retarget
