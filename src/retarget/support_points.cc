// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/support_points.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "anim/pose.h"
#include "core/to_size.h"

namespace clipmill::retarget {
namespace {

using Role = humanoid::HumanoidRole;

// A vertex belongs to a part that carries so much of it.
constexpr double kOwnWeight = 0.5;

constexpr Role kTrunkParts[] = {Role::kHips,       Role::kSpine, Role::kChest,
                                Role::kUpperChest, Role::kNeck,  Role::kHead};
constexpr Role kLimbParts[] = {Role::kLeftUpperArm,  Role::kLeftLowerArm,  Role::kLeftHand,
                               Role::kRightUpperArm, Role::kRightLowerArm, Role::kRightHand,
                               Role::kLeftUpperLeg,  Role::kLeftLowerLeg,  Role::kRightUpperLeg,
                               Role::kRightLowerLeg};

}  // namespace

SupportPoints SupportPoints::ofFoot(const Scene& scene, const humanoid::HumanoidMap& map,
                                    locomotion::BodySide side) {
  SupportPoints points;
  const int foot = map[side == locomotion::BodySide::kLeft ? Role::kLeftFoot : Role::kRightFoot];
  if (foot < 0) return points;
  std::vector<bool> is_foot(scene.skeleton.size(), false);
  for (std::size_t n = 0; n < is_foot.size(); ++n) {
    const int parent = scene.skeleton.nodes[n].parent;
    is_foot[n] = static_cast<int>(n) == foot || (parent >= 0 && is_foot[toSize(parent)]);
  }
  points.addMeshes(scene, is_foot);
  if (!points.has_skin_) points.addMarks(scene, map, side);
  return points;
}

SupportPoints SupportPoints::ofTrunk(const Scene& scene, const humanoid::HumanoidMap& map) {
  return ofRoles(scene, map, kTrunkParts);
}

SupportPoints SupportPoints::ofBody(const Scene& scene, const humanoid::HumanoidMap& map) {
  std::vector<Role> roles(std::begin(kTrunkParts), std::end(kTrunkParts));
  roles.insert(roles.end(), std::begin(kLimbParts), std::end(kLimbParts));
  return ofRoles(scene, map, roles);
}

SupportPoints SupportPoints::ofRoles(const Scene& scene, const humanoid::HumanoidMap& map,
                                     std::span<const Role> roles) {
  SupportPoints points;
  std::vector<bool> is_part(scene.skeleton.size(), false);
  for (const Role role : roles) {
    if (map[role] >= 0) is_part[toSize(map[role])] = true;
  }
  points.addMeshes(scene, is_part);
  return points;
}

void SupportPoints::addMeshes(const Scene& scene, const std::vector<bool>& is_part) {
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.skin >= 0 && !mesh.influence_start.empty()) {
      addSkinned(scene, mesh, is_part);
    } else if (mesh.node >= 0 && is_part[toSize(mesh.node)]) {
      for (const Vec3& position : mesh.positions) {
        if (isFinite(position)) addPoint(mesh.node, position);
      }
    }
  }
  has_skin_ = !points_.empty();
}

void SupportPoints::addSkinned(const Scene& scene, const SkinnedMesh& mesh,
                               const std::vector<bool>& is_part) {
  const Skin& skin = scene.skins[toSize(mesh.skin)];
  const std::size_t first = joints_.size();
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    joints_.push_back({skin.joints[j], skin.joint_from_bind[j]});
  }
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
    const std::size_t start = mesh.influence_start[v], end = mesh.influence_start[v + 1];
    double weight = 0.0;
    for (std::size_t i = start; i < end; ++i) {
      const Influence& influence = mesh.influences[i];
      if (is_part[toSize(skin.joints[influence.joint])]) weight += influence.weight;
    }
    if (!(weight >= kOwnWeight) || !isFinite(mesh.positions[v])) continue;
    for (std::size_t i = start; i < end; ++i) {
      influences_.push_back({first + mesh.influences[i].joint, mesh.influences[i].weight});
    }
    points_.push_back({mesh.positions[v], influences_.size()});
  }
}

void SupportPoints::addMarks(const Scene& scene, const humanoid::HumanoidMap& map,
                             locomotion::BodySide side) {
  std::vector<Affine> rest;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, rest);
  for (const locomotion::FootMarks& marks : locomotion::footMarks(scene, map)) {
    if (marks.side != side) continue;
    addPoint(marks.heel.node, marks.heel.offset);
    const Affine& ball_world = rest[toSize(marks.ball.node)];
    const double sole_m = transformPoint(rest[toSize(marks.heel.node)], marks.heel.offset).y;
    Vec3 ball_m = transformPoint(ball_world, marks.ball.offset);
    ball_m.y = std::min(ball_m.y, sole_m);
    const Vec3 offset = transformPoint(inverse(ball_world), ball_m);
    if (isFinite(offset)) addPoint(marks.ball.node, offset);
  }
}

void SupportPoints::addPoint(int node, const Vec3& offset) {
  if (joints_.empty() || joints_.back().node != node) joints_.push_back({node, Affine{}});
  influences_.push_back({joints_.size() - 1, 1.0});
  points_.push_back({offset, influences_.size()});
}

double SupportPoints::lowest_m(std::span<const Affine> worlds) const {
  // Heights alone: of each map the row of y.
  std::vector<Vec4> rows;
  rows.reserve(joints_.size());
  for (const Joint& joint : joints_) {
    const Affine map = worlds[toSize(joint.node)] * joint.joint_from_point;
    rows.emplace_back(map.linear[0].y, map.linear[1].y, map.linear[2].y, map.translation.y);
  }
  double lowest = HUGE_VAL;
  std::size_t i = 0;
  for (const Point& point : points_) {
    const Vec4 at(point.position, 1.0);
    double height = 0.0;
    for (; i < point.influences_end; ++i) {
      height += influences_[i].weight * glm::dot(rows[influences_[i].joint], at);
    }
    lowest = std::min(lowest, height);
  }
  return lowest;
}

}  // namespace clipmill::retarget
