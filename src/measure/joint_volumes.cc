// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "measure/joint_volumes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/to_size.h"

namespace clipmill::measure {
namespace {

// Two bones share a point where both move it by more than this.
constexpr double kSharedWeight = 0.1;
// Of the volume of a ball with the same area: a limb with less is no solid (a cylinder of eight
// radii has 0.64, a plate of 1 : 10 : 10 has 0.28).
constexpr double kMinCompactness = 0.1;
// Fans over holes may have at most so much of the area of the skin.
constexpr double kMaxCapShare = 1.0;

double signedVolume(const Vec3& origin, const Vec3& a, const Vec3& b, const Vec3& c) {
  return glm::dot(a - origin, glm::cross(b - origin, c - origin)) / 6.0;
}

// Volume of the triangles and their caps, about a point of theirs.
double cappedVolume(std::span<const Vec3> positions, std::span<const std::uint32_t> triangles,
                    const HoleCaps& caps) {
  if (triangles.empty()) return 0.0;
  const Vec3& origin = positions[triangles[0]];
  double volume = 0.0;
  for (std::size_t t = 0; t + 3 <= triangles.size(); t += 3) {
    volume += signedVolume(origin, positions[triangles[t]], positions[triangles[t + 1]],
                           positions[triangles[t + 2]]);
  }
  std::vector<Vec3> middles;
  for (const auto& rim : caps.rims) middles.push_back(HoleCaps::middleOf(rim, positions));
  const auto positionOf = [&](std::uint32_t index) {
    return index < positions.size() ? positions[index] : middles[index - positions.size()];
  };
  for (std::size_t t = 0; t + 3 <= caps.triangles.size(); t += 3) {
    volume += signedVolume(origin, positionOf(caps.triangles[t]), positionOf(caps.triangles[t + 1]),
                           positionOf(caps.triangles[t + 2]));
  }
  return volume;
}

double areaOfTriangle(const Vec3& a, const Vec3& b, const Vec3& c) {
  return 0.5 * glm::length(glm::cross(b - a, c - a));
}

// Whether triangles and their caps are a solid, of which a volume means something: parts that
// overlap, open shells and layers of cloth are none.
bool isSolid(std::span<const Vec3> positions, std::span<const std::uint32_t> triangles,
             const HoleCaps& caps, double volume_m3) {
  double area_m2 = 0.0, cap_m2 = 0.0;
  for (std::size_t t = 0; t + 3 <= triangles.size(); t += 3) {
    area_m2 += areaOfTriangle(positions[triangles[t]], positions[triangles[t + 1]],
                              positions[triangles[t + 2]]);
  }
  std::vector<Vec3> middles;
  for (const auto& rim : caps.rims) middles.push_back(HoleCaps::middleOf(rim, positions));
  const auto positionOf = [&](std::uint32_t index) {
    return index < positions.size() ? positions[index] : middles[index - positions.size()];
  };
  for (std::size_t t = 0; t + 3 <= caps.triangles.size(); t += 3) {
    cap_m2 += areaOfTriangle(positionOf(caps.triangles[t]), positionOf(caps.triangles[t + 1]),
                             positionOf(caps.triangles[t + 2]));
  }
  const double whole_m2 = area_m2 + cap_m2;
  const double ball_m3 = whole_m2 * std::sqrt(whole_m2) / (6.0 * std::sqrt(kPi));
  return cap_m2 <= kMaxCapShare * area_m2 && volume_m3 > kMinCompactness * ball_m3;
}

}  // namespace

double enclosedVolume(std::span<const Vec3> positions, std::span<const std::uint32_t> triangles) {
  return cappedVolume(positions, triangles, {});
}

JointVolumes::JointVolumes(const SkinSurface& surface, const Skeleton& skeleton)
    : JointVolumes(surface, skeleton,
                   orientOutward(surface.positions, surface.triangles).triangles) {}

JointVolumes::JointVolumes(const SkinSurface& surface, const Skeleton& skeleton,
                           std::span<const std::uint32_t> outward) {
  std::vector<char> moves_skin(skeleton.size(), 0);
  for (const Influence& influence : surface.influences) moves_skin[influence.joint] = 1;
  std::map<std::uint32_t, std::uint32_t> above;  // of each node that moves skin, the next one up
  for (std::uint32_t n = 0; n < skeleton.size(); ++n) {
    int parent = moves_skin[n] ? skeleton.nodes[n].parent : -1;
    while (parent >= 0 && !moves_skin[toSize(parent)]) {
      parent = skeleton.nodes[toSize(parent)].parent;
    }
    if (parent >= 0) above[n] = static_cast<std::uint32_t>(parent);
  }
  std::vector<char> is_shared(skeleton.size(), 0);
  for (std::size_t p = 0; p < surface.pointCount(); ++p) {
    if (!(surface.share[p] > 0.0)) continue;
    for (const Influence& influence : surface.influencesOf(p)) {
      const auto next = above.find(influence.joint);
      if (next == above.end() || influence.weight <= kSharedWeight) continue;
      if (weightOf(surface.influencesOf(p), next->second) > kSharedWeight) {
        is_shared[influence.joint] = 1;
      }
    }
  }
  // Each triangle once: a skin with two sides would have no volume.
  for (const auto& [node, parent] : above) {
    if (is_shared[node]) addLimb(surface, outward, parent, node);
  }
}

void JointVolumes::addLimb(const SkinSurface& surface, std::span<const std::uint32_t> triangles,
                           std::uint32_t above, std::uint32_t node) {
  Limb limb;
  limb.node = static_cast<int>(node);
  for (std::size_t t = 0; t + 3 <= triangles.size(); t += 3) {
    const std::uint32_t* corners = &triangles[t];
    const bool is_in = std::all_of(corners, corners + 3, [&](std::uint32_t point) {
      const std::uint32_t most = dominantNode(surface.influencesOf(point));
      return surface.share[point] > 0.0 && (most == above || most == node);
    });
    if (is_in) limb.triangles.insert(limb.triangles.end(), corners, corners + 3);
  }
  limb.caps = capHoles(surface.positions, limb.triangles);
  limb.rest_m3 = cappedVolume(surface.positions, limb.triangles, limb.caps);
  if (isSolid(surface.positions, limb.triangles, limb.caps, limb.rest_m3)) {
    limbs_.push_back(std::move(limb));
  } else {
    ++unmeasured_;
  }
}

double JointVolumes::share(std::size_t limb, std::span<const Vec3> positions) const {
  const Limb& of = limbs_[limb];
  return cappedVolume(positions, of.triangles, of.caps) / of.rest_m3;
}

}  // namespace clipmill::measure
