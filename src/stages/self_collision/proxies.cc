// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/proxies.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "anim/pose.h"
#include "core/to_size.h"
#include "retarget/rest_alignment.h"

namespace clipmill::stages::self_collision {
namespace {

constexpr double kMinWeight = 1e-3;

struct PartRole {
  Region region = Region::kOther;
  Side side = Side::kLeft;
};

PartRole partRoleOf(humanoid::HumanoidRole role) {
  using enum humanoid::HumanoidRole;
  switch (role) {
    case kHips:
    case kSpine:
    case kChest:
    case kUpperChest:
    case kLeftShoulder:
    case kRightShoulder:
      return {Region::kTrunk, Side::kLeft};
    case kLeftUpperArm:
      return {Region::kUpperArm, Side::kLeft};
    case kRightUpperArm:
      return {Region::kUpperArm, Side::kRight};
    case kLeftLowerArm:
    case kLeftHand:
      return {Region::kForearm, Side::kLeft};
    case kRightLowerArm:
    case kRightHand:
      return {Region::kForearm, Side::kRight};
    case kLeftUpperLeg:
    case kLeftLowerLeg:
      return {Region::kLeg, Side::kLeft};
    case kRightUpperLeg:
    case kRightLowerLeg:
      return {Region::kLeg, Side::kRight};
    case kLeftFoot:
    case kLeftToes:
      return {Region::kFoot, Side::kLeft};
    case kRightFoot:
    case kRightToes:
      return {Region::kFoot, Side::kRight};
    default:
      return {};
  }
}

// Of every node: that of the nearest node at or above it that has a humanoid role.
std::vector<PartRole> partRolesOf(const Skeleton& skeleton, const humanoid::HumanoidMap& map) {
  std::vector<PartRole> part_roles(skeleton.size());
  std::vector<bool> has_role(skeleton.size(), false);
  for (std::size_t r = 0; r < humanoid::kHumanoidRoleCount; ++r) {
    if (map.nodes[r] < 0) continue;
    has_role[toSize(map.nodes[r])] = true;
    part_roles[toSize(map.nodes[r])] = partRoleOf(static_cast<humanoid::HumanoidRole>(r));
  }
  for (std::size_t i = 0; i < part_roles.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    if (!has_role[i] && parent >= 0) part_roles[i] = part_roles[toSize(parent)];
  }
  return part_roles;
}

// A joint that moves a vertex.
struct WeightedJoint {
  int node = 0;
  double weight = 0.0;
  Vec3 position{0.0};  // of the vertex in the space of the node, in the bind pose
};

// Strongest first; of equal ones in the order of the file. Weights sum to 1.
std::vector<WeightedJoint> jointsOf(const SkinnedMesh& mesh, const Skin& skin, std::size_t vertex) {
  std::vector<WeightedJoint> joints;
  double sum = 0.0;
  for (std::size_t i = mesh.influence_start[vertex]; i < mesh.influence_start[vertex + 1]; ++i) {
    const Influence& influence = mesh.influences[i];
    if (!(influence.weight >= kMinWeight)) continue;
    joints.push_back(
        {skin.joints[influence.joint], influence.weight,
         transformPoint(skin.joint_from_bind[influence.joint], mesh.positions[vertex])});
    sum += influence.weight;
  }
  for (WeightedJoint& joint : joints) joint.weight /= sum;
  std::stable_sort(
      joints.begin(), joints.end(),
      [](const WeightedJoint& a, const WeightedJoint& b) { return a.weight > b.weight; });
  return joints;
}

bool isUsable(const std::vector<WeightedJoint>& joints) {
  return !joints.empty() &&
         std::all_of(joints.begin(), joints.end(),
                     [](const WeightedJoint& joint) { return isFinite(joint.position); });
}

// The bone at whose joint a vertex with several influences is.
int jointOf(const Skeleton& skeleton, const std::vector<WeightedJoint>& joints) {
  const int first = joints[0].node, second = joints[1].node;
  return isAtOrBelow(skeleton, second, first) ? second : first;
}

using VerticesOfNodes = std::map<int, std::vector<std::vector<WeightedJoint>>>;

// The vertices of all skins, sorted into bones and joints.
struct CutSkin {
  VerticesOfNodes rigid, joints;
};

CutSkin cutSkin(const Scene& scene) {
  CutSkin cut;
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.skin < 0 || mesh.influence_start.empty()) continue;
    const Skin& skin = scene.skins[toSize(mesh.skin)];
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      std::vector<WeightedJoint> joints = jointsOf(mesh, skin, v);
      if (!isUsable(joints)) continue;
      if (joints.size() == 1) {
        cut.rigid[joints[0].node].push_back(std::move(joints));
      } else {
        cut.joints[jointOf(scene.skeleton, joints)].push_back(std::move(joints));
      }
    }
  }
  return cut;
}

// The first level: around all parts, from their own spheres.
Sphere sphereAround(std::span<const Sphere> spheres) {
  Sphere whole;
  if (spheres.empty()) return whole;
  for (const Sphere& sphere : spheres) whole.center += sphere.center;
  whole.center /= static_cast<double>(spheres.size());
  for (const Sphere& sphere : spheres) {
    const Vec3 offset = sphere.center - whole.center;
    whole.radius = std::max(whole.radius, std::sqrt(glm::dot(offset, offset)) + sphere.radius);
  }
  return whole;
}

}  // namespace

Proxies::Proxies(const Scene& scene, const humanoid::HumanoidMap& map) : scene_(&scene) {
  const std::vector<PartRole> part_roles = partRolesOf(scene.skeleton, map);
  const CutSkin cut = cutSkin(scene);
  first_share_ = {0};
  const auto addPart = [&](int node, const std::vector<std::vector<WeightedJoint>>& vertices,
                           bool is_joint) {
    const PartRole& part_role = part_roles[toSize(node)];
    parts_.push_back({node, part_role.region, part_role.side, is_joint});
    first_point_.push_back(first_share_.size() - 1);
    for (const std::vector<WeightedJoint>& joints : vertices) {
      for (const WeightedJoint& joint : joints) {
        shares_.push_back({joint.node, joint.weight, joint.weight * joint.position});
      }
      first_share_.push_back(shares_.size());
    }
  };
  for (const auto& [node, vertices] : cut.rigid) {
    addPart(node, vertices, false);
    std::vector<Vec3> points;
    for (const std::vector<WeightedJoint>& joints : vertices) points.push_back(joints[0].position);
    boxes_.push_back(fitObb(points));
  }
  for (const auto& [node, vertices] : cut.joints) addPart(node, vertices, true);
  first_point_.push_back(first_share_.size() - 1);
  PosedParts bound;
  bound.worlds = retarget::RestPose(scene).worlds;
  refit(bound);
  listTests(bound);
}

void Proxies::listTests(const PosedParts& bound) {
  using enum Region;
  for (Side side : kSides) {
    addTests(kForearm, side, kTrunk, Side::kLeft, bound, arm_trunk_[toSize(side)]);
  }
  for (Region left : {kUpperArm, kForearm}) {
    for (Region right : {kUpperArm, kForearm}) {
      addTests(left, Side::kLeft, right, Side::kRight, bound, arm_arm_);
    }
  }
  for (const auto& [left, right] : {std::pair(kLeg, kLeg), {kLeg, kFoot}, {kFoot, kLeg}}) {
    addTests(left, Side::kLeft, right, Side::kRight, bound, leg_leg_);
  }
  addTests(kFoot, Side::kLeft, kFoot, Side::kRight, bound, foot_foot_);
}

void Proxies::addTests(Region a_region, Side a_side, Region b_region, Side b_side,
                       const PosedParts& bound, TestList& tests) {
  const auto isOf = [&](const Part& part, Region region, Side side) {
    return part.region == region && part.side == side;
  };
  const auto nameOf = [&](const Part& part) {
    const Node& node = scene_->skeleton.nodes[toSize(part.node)];
    return part.is_joint ? "joint of " + node.name : node.name;
  };
  for (std::uint32_t a = 0; a < parts_.size(); ++a) {
    if (!isOf(parts_[a], a_region, a_side)) continue;
    for (std::uint32_t b = 0; b < parts_.size(); ++b) {
      if (!isOf(parts_[b], b_region, b_side)) continue;
      if (overlaps({a, b}, bound)) {
        overlaps_at_rest_.push_back(nameOf(parts_[a]) + " - " + nameOf(parts_[b]));
      } else {
        tests.push_back({a, b});
      }
    }
  }
}

Subtree Proxies::subtreeOf(int node) const {
  Subtree subtree;
  subtree.node = node;
  if (node < 0) return subtree;
  const Skeleton& skeleton = scene_->skeleton;
  std::vector<bool> is_below(skeleton.size(), false);
  for (std::size_t i = toSize(node); i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    is_below[i] = static_cast<int>(i) == node || (parent >= 0 && is_below[toSize(parent)]);
    if (is_below[i]) subtree.nodes.push_back(static_cast<int>(i));
  }
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    std::size_t count_below = 0;
    const std::size_t first = first_share_[first_point_[part]];
    const std::size_t end = first_share_[first_point_[part + 1]];
    for (std::size_t s = first; s < end; ++s) {
      count_below += is_below[toSize(shares_[s].node)] ? 1 : 0;
    }
    if (count_below == end - first) subtree.parts.push_back(part);
    if (count_below > 0 && count_below < end - first) subtree.split_parts.push_back(part);
  }
  return subtree;
}

void Proxies::pointsOf(std::size_t part, std::span<const Affine> worlds,
                       std::vector<Vec3>& points) const {
  points.clear();
  for (std::size_t p = first_point_[part]; p < first_point_[part + 1]; ++p) {
    Vec3 point(0.0);
    for (std::size_t s = first_share_[p]; s < first_share_[p + 1]; ++s) {
      const Affine& world = worlds[toSize(shares_[s].node)];
      point += world.linear * shares_[s].weighted_position + world.translation * shares_[s].weight;
    }
    points.push_back(point);
  }
}

void Proxies::fitJoint(std::size_t part, PosedParts& posed) const {
  pointsOf(part, posed.worlds, posed.points);
  posed.spheres[part] = fitSphere(posed.points);
}

void Proxies::refit(PosedParts& posed) const {
  posed.boxes.resize(boxes_.size());
  posed.spheres.resize(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].is_joint) {
      fitJoint(i, posed);
    } else {
      posed.boxes[i] = transformedBox(posed.worlds[toSize(parts_[i].node)], boxes_[i]);
      posed.spheres[i] = self_collision::sphereAround(posed.boxes[i]);
    }
  }
  posed.whole = sphereAround(posed.spheres);
}

void Proxies::pose(std::span<const Transform> locals, PosedParts& posed) const {
  computeWorlds(scene_->skeleton, locals, scene_->metric_from_file, posed.worlds);
  refit(posed);
}

void Proxies::rotate(const Subtree& subtree, const Quat& world_rotation, PosedParts& posed) const {
  const Mat3 rotate = glm::mat3_cast(normalizedOrIdentity(world_rotation));
  const Vec3 pivot = posed.worlds[toSize(subtree.node)].translation;
  const auto rotated = [&](const Vec3& point) { return pivot + rotate * (point - pivot); };
  for (int node : subtree.nodes) {
    Affine& world = posed.worlds[toSize(node)];
    world = {rotate * world.linear, rotated(world.translation)};
  }
  for (std::uint32_t part : subtree.parts) {
    posed.spheres[part].center = rotated(posed.spheres[part].center);
    if (part >= boxes_.size()) continue;
    posed.boxes[part].center = posed.spheres[part].center;
    posed.boxes[part].axes = rotate * posed.boxes[part].axes;
  }
  for (std::uint32_t part : subtree.split_parts) fitJoint(part, posed);
}

bool Proxies::overlaps(const PartsToTest& test, const PosedParts& posed) const {
  const Sphere &a = posed.spheres[test.a], &b = posed.spheres[test.b];
  if (!overlap(a, b)) return false;
  const bool a_is_box = test.a < boxes_.size(), b_is_box = test.b < boxes_.size();
  if (a_is_box && b_is_box) return overlap(posed.boxes[test.a], posed.boxes[test.b]);
  if (a_is_box) return overlap(b, posed.boxes[test.a]);
  return !b_is_box || overlap(a, posed.boxes[test.b]);
}

bool Proxies::anyOverlaps(const TestList& tests, const PosedParts& posed) const {
  return std::any_of(tests.begin(), tests.end(),
                     [&](const PartsToTest& test) { return overlaps(test, posed); });
}

}  // namespace clipmill::stages::self_collision
