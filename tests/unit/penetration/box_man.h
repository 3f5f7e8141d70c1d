// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "anim/pose.h"
#include "core/to_size.h"
#include "human_scene.h"
#include "mesh/make_surface.h"

/// A character of boxes that have no contact, and two balls for hands, so that what is
/// inside of it is known.
namespace clipmill::test {

struct BoxOfMan {
  humanoid::HumanoidRole role;
  Vec3 low, high;
};

inline Vec3 mirrored(const Vec3& v) { return Vec3(-v.x, v.y, v.z); }

/// Of the left side and the trunk.
inline std::vector<BoxOfMan> boxesOfMan() {
  using enum humanoid::HumanoidRole;
  std::vector<BoxOfMan> boxes = {
      {kSpine, Vec3(-0.15, 0.93, -0.1), Vec3(0.15, 1.45, 0.1)},
      {kHead, Vec3(-0.08, 1.5, -0.1), Vec3(0.08, 1.75, 0.1)},
  };
  const BoxOfMan left[] = {
      {kLeftUpperArm, Vec3(0.19, 1.38, -0.04), Vec3(0.45, 1.46, 0.04)},
      {kLeftLowerArm, Vec3(0.47, 1.39, -0.03), Vec3(0.69, 1.45, 0.03)},
      {kLeftUpperLeg, Vec3(0.03, 0.51, -0.07), Vec3(0.17, 0.91, 0.07)},
      {kLeftLowerLeg, Vec3(0.04, 0.11, -0.05), Vec3(0.16, 0.49, 0.05)},
      {kLeftFoot, Vec3(0.05, 0.0, -0.05), Vec3(0.15, 0.09, 0.15)},
  };
  const humanoid::HumanoidRole right[] = {kRightUpperArm, kRightLowerArm, kRightUpperLeg,
                                          kRightLowerLeg, kRightFoot};
  for (std::size_t i = 0; i < std::size(left); ++i) {
    const BoxOfMan& box = left[i];
    boxes.push_back(box);
    boxes.push_back({right[i], Vec3(-box.high.x, box.low.y, box.low.z),
                     Vec3(-box.low.x, box.high.y, box.high.z)});
  }
  return boxes;
}

constexpr double kHandRadius_m = 0.06;
inline Vec3 handPosition(bool is_left) { return Vec3(is_left ? 0.77 : -0.77, 1.42, 0.0); }

/// Appends a surface that `node` alone moves.
inline void addPiece(const Surface& piece, int node, SkinnedMesh& mesh) {
  const auto offset = static_cast<std::uint32_t>(mesh.positions.size());
  if (mesh.influence_start.empty()) mesh.influence_start.push_back(0);
  for (const Vec3& p : piece.positions) {
    mesh.positions.push_back(p);
    mesh.influences.push_back({static_cast<std::uint32_t>(node), 1.0});
    mesh.influence_start.push_back(mesh.influences.size());
  }
  for (const std::uint32_t index : piece.triangles) mesh.triangles.push_back(offset + index);
}

struct BoxMan : HumanScene {
  Pose pose;

  explicit BoxMan(const RoleNames& names = plainNames()) : HumanScene(humanScene(names)) {
    bindAll(scene);
    SkinnedMesh mesh;
    mesh.name = "Body";
    mesh.node = 0;
    mesh.skin = 0;
    for (const BoxOfMan& box : boxesOfMan()) {
      if (at(box.role) >= 0) addPiece(boxSurface(box.low, box.high), at(box.role), mesh);
    }
    for (const bool is_left : {true, false}) {
      const int hand =
          at(is_left ? humanoid::HumanoidRole::kLeftHand : humanoid::HumanoidRole::kRightHand);
      if (hand >= 0)
        addPiece(ballSurface(handPosition(is_left), kHandRadius_m, 16, 10), hand, mesh);
    }
    scene.meshes.push_back(mesh);
    pose = restPose(scene.skeleton);
  }

  humanoid::HumanoidMap map() const {
    humanoid::HumanoidMap map;
    map.nodes = nodes;
    map.origin = humanoid::HumanoidMap::Origin::kGiven;
    map.confidence = 1.0;
    return map;
  }
  Transform& local(humanoid::HumanoidRole role) { return pose.locals[toSize(at(role))]; }
  /// world_from_node in file space.
  std::vector<Affine> worlds() const {
    std::vector<Affine> result;
    computeWorlds(scene.skeleton, pose.locals, Affine{}, result);
    return result;
  }
  /// Where a position at rest goes with the joint of `role`.
  Vec3 carried(humanoid::HumanoidRole role, const Vec3& position) const {
    return transformPoint(worlds()[toSize(at(role))], position - restPosition(scene, at(role)));
  }
};

/// Distance to the surface of a box, negative inside.
inline double signedDistance(const Vec3& point, const Vec3& low, const Vec3& high) {
  const Vec3 q = glm::abs(point - 0.5 * (low + high)) - 0.5 * (high - low);
  const Vec3 out = glm::max(q, Vec3(0.0));
  return std::sqrt(glm::dot(out, out)) + std::min(0.0, std::max({q.x, q.y, q.z}));
}

}  // namespace clipmill::test
