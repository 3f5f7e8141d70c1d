// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morphs/pose_nearness.h"

#include <algorithm>
#include <map>

#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

// Gaussian sigma of the angle by which two poses differ.
constexpr double kSamePose_rad = 15.0 * kDegree;
// Bones that move less than this part of a region do not count for its pose.
constexpr double kMinPart = 0.05;

// The nodes that move a region, the one that moves most of it first.
std::vector<std::uint32_t> nodesOf(const SkinSurface& surface, const MorphRegion& region) {
  std::map<std::uint32_t, double> weights;
  double sum = 0.0;
  for (std::size_t i = 0; i < region.points.size(); ++i) {
    for (const Influence& influence : surface.influencesOf(region.points[i])) {
      weights[influence.joint] += influence.weight * region.shares[i];
      sum += influence.weight * region.shares[i];
    }
  }
  std::vector<std::uint32_t> nodes;
  for (const auto& [node, weight] : weights) {
    if (weight >= kMinPart * sum) nodes.push_back(node);
  }
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return weights[a] > weights[b]; });
  return nodes;
}

// The pose of a region in one frame: the rotations of its bones relative to the first.
std::vector<Quat> poseOf(std::span<const std::uint32_t> nodes, std::span<const Affine> worlds) {
  std::vector<Quat> pose;
  for (const std::uint32_t node : nodes) {
    pose.push_back(normalizedOrIdentity(rotationOf(worlds[node])));
  }
  for (std::size_t n = 1; n < pose.size(); ++n) pose[n] = glm::conjugate(pose[0]) * pose[n];
  return pose;
}

}  // namespace

PoseAngles::PoseAngles(const SkinSurface& surface, std::span<const MorphRegion> regions,
                       std::span<const std::vector<Affine>> worlds)
    : frame_count_(worlds.size()) {
  for (const MorphRegion& region : regions) {
    const std::vector<std::uint32_t> nodes = nodesOf(surface, region);
    std::vector<std::vector<Quat>>& poses = poses_.emplace_back();
    for (const std::vector<Affine>& frame : worlds) poses.push_back(poseOf(nodes, frame));
  }
}

double PoseAngles::between(std::size_t region, std::size_t a, std::size_t b) const {
  const std::vector<Quat>&from = poses_[region][a], &to = poses_[region][b];
  double most = 0.0;
  for (std::size_t n = 1; n < from.size(); ++n) most = std::max(most, angleBetween(from[n], to[n]));
  return most;
}

PoseNearness::PoseNearness(const SkinSurface& surface, std::span<const MorphRegion> regions,
                           const PoseAngles& angles, std::size_t reach)
    : reach_(reach), frame_count_(angles.frameCount()), shares_(surface.pointCount()) {
  for (std::size_t r = 0; r < regions.size(); ++r) addRegion(regions[r], r, angles);
}

void PoseNearness::addRegion(const MorphRegion& region, std::size_t index,
                             const PoseAngles& angles) {
  for (std::size_t i = 0; i < region.points.size(); ++i) {
    shares_[region.points[i]].emplace_back(static_cast<std::uint32_t>(index), region.shares[i]);
  }
  const auto last = static_cast<std::ptrdiff_t>(frame_count_) - 1;
  // Beyond an end the angle is that to the end plus that from it back into the clip.
  const auto angleTo = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
    const auto between = [&](std::ptrdiff_t a, std::ptrdiff_t b) {
      return angles.between(index, toSize(a), toSize(b));
    };
    if (to < 0) return between(from, 0) + between(0, std::min(-to, last));
    if (to > last) return between(from, last) + between(last, std::max(2 * last - to, {}));
    return between(from, to);
  };
  std::vector<double> nearness;
  for (std::ptrdiff_t f = 0; f <= last; ++f) {
    for (std::ptrdiff_t k = 1; k <= static_cast<std::ptrdiff_t>(reach_); ++k) {
      const double x = std::max(angleTo(f, f - k), angleTo(f, f + k)) / kSamePose_rad;
      nearness.push_back(portable::exp(-0.5 * x * x));
    }
  }
  regions_.push_back(std::move(nearness));
}

void PoseNearness::of(std::size_t point, std::span<double> nearness) const {
  const auto& shares = shares_[point];
  std::fill(nearness.begin(), nearness.end(), shares.empty() ? 1.0 : 0.0);
  for (const auto& [region, share] : shares) {
    const std::vector<double>& own = regions_[region];
    for (std::size_t i = 0; i < nearness.size(); ++i) nearness[i] += share * own[i];
  }
}

}  // namespace clipmill::stages::tet_bake
