// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/surface/bones.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

// Bones with less of the skin than this are details (fingers, faces), no limbs.
constexpr double kLimbAreaShare = 0.02;
// Positions nearer than this share of the size of the surface are one.
constexpr double kNoLength = 1e-6;

Vec3 nearestOnSegment(const Vec3& point, const Vec3& from, const Vec3& to) {
  const Vec3 path = to - from;
  const double square = glm::dot(path, path);
  const double along =
      square > 0.0 ? std::clamp(glm::dot(point - from, path) / square, 0.0, 1.0) : 0.0;
  return from + along * path;
}

class BoneFinder {
 public:
  BoneFinder(const SkinSurface& surface, const Skeleton& skeleton)
      : surface_(surface),
        skeleton_(skeleton),
        bones_(skeleton.size()),
        points_(skeleton.size()),
        areas_(pointAreas(surface)) {
    for (const Influence& influence : surface.influences) {
      bones_[influence.joint].moves_skin = true;
    }
    Vec3 low(std::numeric_limits<double>::infinity()), high = -low;
    for (std::size_t p = 0; p < surface.pointCount(); ++p) {
      points_[dominantNode(surface.influencesOf(p))].push_back(p);
      low = glm::min(low, surface.positions[p]);
      high = glm::max(high, surface.positions[p]);
    }
    no_length_m_ = surface.pointCount() > 0 ? kNoLength * glm::length(high - low) : 0.0;
  }

  std::vector<BakeBone> find() {
    layBetweenNodes();
    for (std::size_t n = 0; n < bones_.size(); ++n) {
      if (!bones_[n].moves_skin) continue;
      if (bones_[n].segments.empty()) layToSkin(n);
      measure(n);
    }
    return std::move(bones_);
  }

 private:
  Vec3 positionOf(std::size_t node) const {
    return surface_.bind_world_from_node[node].translation;
  }

  void layBetweenNodes() {
    for (std::size_t n = 0; n < bones_.size(); ++n) {
      const int above = bones_[n].moves_skin ? skinnedAbove(skeleton_, bones_, n) : -1;
      if (above < 0) continue;
      const Vec3 head = positionOf(toSize(above));
      if (glm::length(positionOf(n) - head) > no_length_m_) {
        bones_[toSize(above)].segments.emplace_back(head, positionOf(n));
      }
    }
  }

  void layToSkin(std::size_t n) {
    const Vec3 head = positionOf(n);
    Vec3 tail = head;
    Vec3 mean(0.0);
    for (const std::size_t p : points_[n]) mean += surface_.positions[p];
    if (!points_[n].empty()) {
      const Vec3 path = mean / static_cast<double>(points_[n].size()) - head;
      const double length = glm::length(path);
      const Vec3 direction = length > no_length_m_ ? path / length : Vec3(0.0);
      double reach = 0.0;
      for (const std::size_t p : points_[n]) {
        reach = std::max(reach, glm::dot(surface_.positions[p] - head, direction));
      }
      tail = head + reach * direction;
    }
    bones_[n].segments.emplace_back(head, tail);
  }

  void measure(std::size_t n) {
    BakeBone& bone = bones_[n];
    double sum = 0.0;
    for (const std::size_t p : points_[n]) {
      bone.area_m2 += areas_[p];
      sum += areas_[p] * bone.distanceTo(surface_.positions[p]);
    }
    if (bone.area_m2 > 0.0) {
      bone.radius_m = sum / bone.area_m2;
    } else if (const int above = skinnedAbove(skeleton_, bones_, n); above >= 0) {
      bone.radius_m = bones_[toSize(above)].radius_m;
    }
  }

  const SkinSurface& surface_;
  const Skeleton& skeleton_;
  std::vector<BakeBone> bones_;
  std::vector<std::vector<std::size_t>> points_;  // that follow the node most
  std::vector<double> areas_;
  double no_length_m_ = 0.0;
};

}  // namespace

std::optional<Vec3> BakeBone::nearestPoint(const Vec3& point) const {
  std::optional<Vec3> nearest;
  for (const auto& [from, to] : segments) {
    const Vec3 candidate = nearestOnSegment(point, from, to);
    if (!nearest || glm::length(point - candidate) < glm::length(point - *nearest)) {
      nearest = candidate;
    }
  }
  return nearest;
}

double BakeBone::distanceTo(const Vec3& point) const {
  const std::optional<Vec3> nearest = nearestPoint(point);
  return nearest ? glm::length(point - *nearest) : std::numeric_limits<double>::infinity();
}

std::vector<double> pointAreas(const SkinSurface& surface) {
  std::vector<double> areas(surface.pointCount(), 0.0);
  for (std::size_t t = 0; t + 3 <= surface.triangles.size(); t += 3) {
    const Vec3& a = surface.positions[surface.triangles[t]];
    const Vec3& b = surface.positions[surface.triangles[t + 1]];
    const Vec3& c = surface.positions[surface.triangles[t + 2]];
    const double third = glm::length(glm::cross(b - a, c - a)) / 6.0;
    for (std::size_t i = 0; i < 3; ++i) areas[surface.triangles[t + i]] += third;
  }
  return areas;
}

int skinnedAbove(const Skeleton& skeleton, const std::vector<BakeBone>& bones, std::size_t node) {
  int above = skeleton.nodes[node].parent;
  while (above >= 0 && !bones[toSize(above)].moves_skin) {
    above = skeleton.nodes[toSize(above)].parent;
  }
  return above;
}

std::vector<BakeBone> findBones(const SkinSurface& surface, const Skeleton& skeleton) {
  return BoneFinder(surface, skeleton).find();
}

double thinnestLimb_m(const std::vector<BakeBone>& bones) {
  double area_m2 = 0.0;
  for (const BakeBone& bone : bones) area_m2 += bone.area_m2;
  double thinnest = 0.0;
  for (const BakeBone& bone : bones) {
    if (!(bone.area_m2 > kLimbAreaShare * area_m2) || !(bone.radius_m > 0.0)) continue;
    if (thinnest == 0.0 || 2.0 * bone.radius_m < thinnest) thinnest = 2.0 * bone.radius_m;
  }
  return thinnest;
}

}  // namespace clipmill::stages::tet_bake
