// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/skin_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/to_size.h"
#include "humanoid/joint_layout.h"
#include "mesh/ray_triangle.h"

namespace clipmill::retarget {
namespace {

using humanoid::BodyPart;
using humanoid::HumanoidRole;

// The joints from and to which the bone of a part goes.
struct PartBone {
  BodyPart part;
  HumanoidRole from, to;
};
constexpr PartBone kPartBones[] = {
    {BodyPart::kTrunk, HumanoidRole::kHips, HumanoidRole::kNeck},
    {BodyPart::kLeftUpperArm, HumanoidRole::kLeftUpperArm, HumanoidRole::kLeftLowerArm},
    {BodyPart::kRightUpperArm, HumanoidRole::kRightUpperArm, HumanoidRole::kRightLowerArm},
    {BodyPart::kLeftForearm, HumanoidRole::kLeftLowerArm, HumanoidRole::kLeftHand},
    {BodyPart::kRightForearm, HumanoidRole::kRightLowerArm, HumanoidRole::kRightHand},
    {BodyPart::kLeftThigh, HumanoidRole::kLeftUpperLeg, HumanoidRole::kLeftLowerLeg},
    {BodyPart::kRightThigh, HumanoidRole::kRightUpperLeg, HumanoidRole::kRightLowerLeg},
    {BodyPart::kLeftShin, HumanoidRole::kLeftLowerLeg, HumanoidRole::kLeftFoot},
    {BodyPart::kRightShin, HumanoidRole::kRightLowerLeg, HumanoidRole::kRightFoot},
};
constexpr double kLeast_m = 1e-9;
// Of the length of a forearm: a hand reaches no farther beyond the wrist and away from the bone.
// What does is held in it, such as a whip with joints.
constexpr double kMostHand = 1.5;

}  // namespace

Vec3 positionOf(const SkinPoint& point, std::span<const Vec3> positions_m) {
  Vec3 sum(0.0);
  for (const VertexShare& share : point) sum += share.weight * positions_m[share.vertex];
  return sum;
}

void addPoint(const SkinPoint& point, double weight, SkinPoint& sum) {
  for (const VertexShare& share : point) sum.push_back({share.vertex, share.weight * weight});
}

void mergeVertices(SkinPoint& point) {
  std::stable_sort(point.begin(), point.end(),
                   [](const VertexShare& a, const VertexShare& b) { return a.vertex < b.vertex; });
  SkinPoint merged;
  for (const VertexShare& share : point) {
    if (!merged.empty() && merged.back().vertex == share.vertex) {
      merged.back().weight += share.weight;
    } else {
      merged.push_back(share);
    }
  }
  point = std::move(merged);
}

SkinRegions::SkinRegions(const Scene& scene, const humanoid::HumanoidMap& map,
                         std::shared_ptr<const penetration::BodySkin> skin)
    : skin_(std::move(skin)) {
  const std::vector<Affine> metric_worlds = humanoid::boundWorlds(scene);
  bound_m_ = penetration::boundPose(scene, *skin_).positions_m;
  const auto axes = humanoid::bodyAxes(map, metric_worlds);
  if (!axes) return;
  const auto positionOfRole = [&](HumanoidRole role) {
    return metric_worlds[toSize(map[role])].translation;
  };
  const bool has_head = map[HumanoidRole::kHead] >= 0, has_neck = map[HumanoidRole::kNeck] >= 0;
  for (const PartBone& bone : kPartBones) {
    const bool is_trunk = bone.part == BodyPart::kTrunk;
    const HumanoidRole to = is_trunk && !has_neck ? HumanoidRole::kHead : bone.to;
    if (map[bone.from] < 0 || map[to] < 0) continue;
    addBone(bone.part, positionOfRole(bone.from), positionOfRole(to), axes->forward);
  }
  if (!has_head && !has_neck) return;
  const Vec3 head = positionOfRole(has_head ? HumanoidRole::kHead : HumanoidRole::kNeck);
  double top_m = 0.0;
  const auto range = skin_->verticesOf(BodyPart::kHead);
  for (std::size_t v = range.start; v < range.end; ++v) {
    top_m = std::max(top_m, glm::dot(bound_m_[v] - head, axes->up));
  }
  addBone(BodyPart::kHead, head, head + axes->up * top_m, axes->forward);
}

void SkinRegions::addBone(BodyPart part, const Vec3& origin, const Vec3& end, const Vec3& forward) {
  Bone bone;
  bone.origin = origin;
  bone.length_m = lengthOf(end - origin);
  bone.axis = unitOrZero(end - origin);
  bone.forward = unitOrZero(forward - bone.axis * glm::dot(bone.axis, forward));
  bone.side = glm::cross(bone.axis, bone.forward);
  const auto range = skin_->verticesOf(part);
  if (!(bone.length_m > kLeast_m) || bone.forward == Vec3(0.0) || range.count() == 0) return;
  const bool is_forearm = part == BodyPart::kLeftForearm || part == BodyPart::kRightForearm;
  const double max_m = is_forearm ? kMostHand * bone.length_m : HUGE_VAL;
  const auto isHeld = [&](std::uint32_t v) {
    const Vec3 offset = bound_m_[v] - origin;
    const double along_m = glm::dot(offset, bone.axis);
    return along_m > bone.length_m + max_m || lengthOf(offset - bone.axis * along_m) > max_m;
  };
  bone.high_m = bone.length_m;
  for (std::size_t v = range.start; v < range.end; ++v) {
    if (isHeld(static_cast<std::uint32_t>(v))) continue;
    const Vec3 offset = bound_m_[v] - origin;
    const double along_m = glm::dot(offset, bone.axis);
    bone.low_m = std::min(bone.low_m, along_m);
    bone.high_m = std::max(bone.high_m, along_m);
    bone.radius_m += lengthOf(offset - bone.axis * along_m) / static_cast<double>(range.count());
  }
  const std::vector<std::uint32_t>& triangles = skin_->triangles();
  for (std::size_t t = 0; t + 2 < triangles.size(); t += 3) {
    const std::array<std::uint32_t, 3> corners{triangles[t], triangles[t + 1], triangles[t + 2]};
    const bool is_in = std::all_of(corners.begin(), corners.end(), [&](std::uint32_t v) {
      return v >= range.start && v < range.end && !isHeld(v);
    });
    if (is_in) bone.triangles.push_back(corners);
  }
  bones_[toSize(part)] = std::move(bone);
}

std::optional<SkinRegions::Location> SkinRegions::locationOf(std::uint32_t vertex) const {
  const BodyPart part = skin_->partOf(vertex);
  if (part == BodyPart::kCount || !bones_[toSize(part)]) return std::nullopt;
  const Bone& bone = *bones_[toSize(part)];
  const Vec3 offset = bound_m_[vertex] - bone.origin;
  const double along_m = glm::dot(offset, bone.axis);
  Location location;
  location.along = along_m / bone.length_m;
  if (along_m < 0.0) location.along = along_m / -bone.low_m;
  if (along_m > bone.length_m) {
    location.along = 1.0 + (along_m - bone.length_m) / (bone.high_m - bone.length_m);
  }
  const double x = glm::dot(offset, bone.forward), y = glm::dot(offset, bone.side);
  const double radius_m = std::sqrt(x * x + y * y);
  if (radius_m > kLeast_m) location.direction = {x / radius_m, y / radius_m};
  return location;
}

double SkinRegions::distanceAlong_m(const Bone& bone, double along) const {
  if (along < 0.0) return -along * bone.low_m;
  if (along > 1.0) return bone.length_m + (along - 1.0) * (bone.high_m - bone.length_m);
  return along * bone.length_m;
}

std::optional<SkinPoint> SkinRegions::outermostHit(const Bone& bone,
                                                   const Location& location) const {
  const Vec3 origin = bone.origin + bone.axis * distanceAlong_m(bone, location.along);
  const Vec3 direction = bone.forward * location.direction[0] + bone.side * location.direction[1];
  std::optional<SkinPoint> found;
  double distance_m = -1.0;
  for (const std::array<std::uint32_t, 3>& triangle : bone.triangles) {
    const auto hit = rayHit(origin, direction,
                            {bound_m_[triangle[0]], bound_m_[triangle[1]], bound_m_[triangle[2]]});
    if (!hit || !(hit->distance > distance_m)) continue;
    distance_m = hit->distance;
    found = SkinPoint{};
    for (int i = 0; i < 3; ++i) found->push_back({triangle[toSize(i)], hit->barycentric[i]});
  }
  return found;
}

std::optional<SkinPoint> SkinRegions::nearestVertex(BodyPart part, const Bone& bone,
                                                    const Location& location) const {
  const auto range = skin_->verticesOf(part);
  const double wanted_m = distanceAlong_m(bone, location.along);
  std::optional<SkinPoint> found;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t v = range.start; v < range.end; ++v) {
    const Vec3 offset = bound_m_[v] - bone.origin;
    const double along_m = glm::dot(offset, bone.axis) - wanted_m;
    const double x = glm::dot(offset, bone.forward), y = glm::dot(offset, bone.side);
    const double radius_m = std::max(kLeast_m, std::sqrt(x * x + y * y));
    // The chord of the angle between the directions.
    const double cosine = (x * location.direction[0] + y * location.direction[1]) / radius_m;
    const double miss =
        along_m * along_m + bone.radius_m * bone.radius_m * std::max(0.0, 2.0 - 2.0 * cosine);
    if (!(miss < least)) continue;
    least = miss;
    found = SkinPoint{{static_cast<std::uint32_t>(v), 1.0}};
  }
  return found;
}

std::optional<SkinPoint> SkinRegions::pointAt(BodyPart part, const Location& location) const {
  if (part == BodyPart::kCount || !bones_[toSize(part)]) return std::nullopt;
  const Bone& bone = *bones_[toSize(part)];
  auto hit = outermostHit(bone, location);
  return hit ? hit : nearestVertex(part, bone, location);
}

const std::optional<SkinPoint>& SkinMap::pointOf(std::uint32_t source_vertex) {
  Entry& entry = points_[source_vertex];
  if (!entry.is_known) {
    entry.is_known = true;
    if (const auto location = source_.locationOf(source_vertex)) {
      entry.point = target_.pointAt(source_.skin().partOf(source_vertex), *location);
    }
  }
  return entry.point;
}

std::optional<SkinPoint> SkinMap::pointOf(const SkinPoint& source_point) {
  SkinPoint sum;
  for (const VertexShare& share : source_point) {
    const std::optional<SkinPoint>& point = pointOf(share.vertex);
    if (!point) return std::nullopt;
    addPoint(*point, share.weight, sum);
  }
  mergeVertices(sum);
  return sum;
}

}  // namespace clipmill::retarget
