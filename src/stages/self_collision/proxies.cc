// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/proxies.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "anim/pose.h"
#include "scene/rest_alignment.h"

namespace clipmill::collision {
namespace {

constexpr double kLeastWeight = 1e-3;

struct Place {
  Region region = Region::kOther;
  Side side = Side::kLeft;
};

Place placeOfRole(HumanoidRole role) {
  using enum HumanoidRole;
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

// Of every node: that of the nearest node at or above it which plays a role.
std::vector<Place> placesOf(const Skeleton& skeleton, const HumanoidMap& map) {
  std::vector<Place> places(skeleton.size());
  std::vector<bool> has_role(skeleton.size(), false);
  for (std::size_t r = 0; r < kHumanoidRoleCount; ++r) {
    if (map.nodes[r] < 0) continue;
    has_role[static_cast<std::size_t>(map.nodes[r])] = true;
    places[static_cast<std::size_t>(map.nodes[r])] = placeOfRole(static_cast<HumanoidRole>(r));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    if (!has_role[i] && parent >= 0) places[i] = places[static_cast<std::size_t>(parent)];
  }
  return places;
}

// What moves a vertex.
struct Mover {
  int node = 0;
  double weight = 0.0;
  Vec3 place{0.0};  // of the vertex in the space of the node, as bound
};

// Strongest first; of equal ones in the order of the file. Weights sum to 1.
std::vector<Mover> moversOf(const SkinnedMesh& mesh, const Skin& skin, std::size_t vertex) {
  std::vector<Mover> movers;
  double sum = 0.0;
  for (std::size_t i = mesh.influence_begin[vertex]; i < mesh.influence_begin[vertex + 1]; ++i) {
    const Influence& influence = mesh.influences[i];
    if (!(influence.weight >= kLeastWeight)) continue;
    movers.push_back(
        {skin.joints[influence.joint], influence.weight,
         transformPoint(skin.joint_from_bind[influence.joint], mesh.positions[vertex])});
    sum += influence.weight;
  }
  for (Mover& mover : movers) mover.weight /= sum;
  std::stable_sort(movers.begin(), movers.end(),
                   [](const Mover& a, const Mover& b) { return a.weight > b.weight; });
  return movers;
}

bool isUsable(const std::vector<Mover>& movers) {
  return !movers.empty() && std::all_of(movers.begin(), movers.end(),
                                        [](const Mover& mover) { return isFinite(mover.place); });
}

// The bone whose joint a vertex with several influences is at.
int jointOf(const Skeleton& skeleton, const std::vector<Mover>& movers) {
  const int first = movers[0].node, second = movers[1].node;
  return isAtOrBelow(skeleton, second, first) ? second : first;
}

using VerticesOfNodes = std::map<int, std::vector<std::vector<Mover>>>;

// The vertices of all skins, sorted into bones and joints.
struct CutSkin {
  VerticesOfNodes rigid, joints;
};

CutSkin cutSkin(const Scene& scene) {
  CutSkin cut;
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.skin < 0 || mesh.influence_begin.empty()) continue;
    const Skin& skin = scene.skins[static_cast<std::size_t>(mesh.skin)];
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      std::vector<Mover> movers = moversOf(mesh, skin, v);
      if (!isUsable(movers)) continue;
      if (movers.size() == 1) {
        cut.rigid[movers[0].node].push_back(std::move(movers));
      } else {
        cut.joints[jointOf(scene.skeleton, movers)].push_back(std::move(movers));
      }
    }
  }
  return cut;
}

// The first level: about all parts, from their own spheres.
Sphere sphereAround(std::span<const Sphere> spheres) {
  Sphere whole;
  if (spheres.empty()) return whole;
  for (const Sphere& sphere : spheres) whole.center += sphere.center;
  whole.center /= static_cast<double>(spheres.size());
  for (const Sphere& sphere : spheres) {
    const Vec3 way = sphere.center - whole.center;
    whole.radius = std::max(whole.radius, std::sqrt(glm::dot(way, way)) + sphere.radius);
  }
  return whole;
}

}  // namespace

Proxies::Proxies(const Scene& scene, const HumanoidMap& map) : scene_(&scene) {
  const std::vector<Place> places = placesOf(scene.skeleton, map);
  const CutSkin cut = cutSkin(scene);
  first_share_ = {0};
  const auto addPart = [&](int node, const std::vector<std::vector<Mover>>& vertices, bool joint) {
    const Place& place = places[static_cast<std::size_t>(node)];
    parts_.push_back({node, place.region, place.side, joint});
    first_point_.push_back(first_share_.size() - 1);
    for (const std::vector<Mover>& movers : vertices) {
      for (const Mover& mover : movers) {
        shares_.push_back({mover.node, mover.weight, mover.weight * mover.place});
      }
      first_share_.push_back(shares_.size());
    }
  };
  for (const auto& [node, vertices] : cut.rigid) {
    addPart(node, vertices, false);
    std::vector<Vec3> points;
    for (const std::vector<Mover>& movers : vertices) points.push_back(movers[0].place);
    boxes_.push_back(fitObb(points));
  }
  for (const auto& [node, vertices] : cut.joints) addPart(node, vertices, true);
  first_point_.push_back(first_share_.size() - 1);
  PosedParts bound;
  bound.worlds = RestFigure(scene).worlds;
  refit(bound);
  listTests(bound);
}

void Proxies::listTests(const PosedParts& bound) {
  using enum Region;
  for (Side side : kSides) {
    addTests(kForearm, side, kTrunk, Side::kLeft, bound,
             arm_trunk_[static_cast<std::size_t>(side)]);
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
    const Node& node = scene_->skeleton.nodes[static_cast<std::size_t>(part.node)];
    return part.is_joint ? "joint of " + node.name : node.name;
  };
  for (std::uint32_t a = 0; a < parts_.size(); ++a) {
    if (!isOf(parts_[a], a_region, a_side)) continue;
    for (std::uint32_t b = 0; b < parts_.size(); ++b) {
      if (!isOf(parts_[b], b_region, b_side)) continue;
      if (overlaps({a, b}, bound)) {
        touching_at_rest_.push_back(nameOf(parts_[a]) + " - " + nameOf(parts_[b]));
      } else {
        tests.push_back({a, b});
      }
    }
  }
}

Swing Proxies::swingOf(int node) const {
  Swing swing;
  swing.node = node;
  if (node < 0) return swing;
  const Skeleton& skeleton = scene_->skeleton;
  std::vector<bool> goes_along(skeleton.size(), false);
  for (std::size_t i = static_cast<std::size_t>(node); i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    goes_along[i] = static_cast<int>(i) == node ||
                    (parent >= 0 && goes_along[static_cast<std::size_t>(parent)]);
    if (goes_along[i]) swing.nodes.push_back(static_cast<int>(i));
  }
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    std::size_t along = 0;
    const std::size_t begin = first_share_[first_point_[part]];
    const std::size_t end = first_share_[first_point_[part + 1]];
    for (std::size_t s = begin; s < end; ++s) {
      along += goes_along[static_cast<std::size_t>(shares_[s].node)] ? 1 : 0;
    }
    if (along == end - begin) swing.parts.push_back(part);
    if (along > 0 && along < end - begin) swing.torn_parts.push_back(part);
  }
  return swing;
}

void Proxies::pointsOf(std::size_t part, std::span<const Affine> worlds,
                       std::vector<Vec3>& points) const {
  points.clear();
  for (std::size_t p = first_point_[part]; p < first_point_[part + 1]; ++p) {
    Vec3 point(0.0);
    for (std::size_t s = first_share_[p]; s < first_share_[p + 1]; ++s) {
      const Affine& world = worlds[static_cast<std::size_t>(shares_[s].node)];
      point += world.linear * shares_[s].weighted_place + world.translation * shares_[s].weight;
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
      posed.boxes[i] = carried(posed.worlds[static_cast<std::size_t>(parts_[i].node)], boxes_[i]);
      posed.spheres[i] = collision::sphereAround(posed.boxes[i]);
    }
  }
  posed.whole = sphereAround(posed.spheres);
}

void Proxies::pose(std::span<const Transform> locals, PosedParts& posed) const {
  computeWorlds(scene_->skeleton, locals, scene_->metric_from_file, posed.worlds);
  refit(posed);
}

void Proxies::turn(const Swing& swing, const Quat& world_turn, PosedParts& posed) const {
  const Mat3 turn = glm::mat3_cast(normalizedOrIdentity(world_turn));
  const Vec3 pivot = posed.worlds[static_cast<std::size_t>(swing.node)].translation;
  const auto turned = [&](const Vec3& point) { return pivot + turn * (point - pivot); };
  for (int node : swing.nodes) {
    Affine& world = posed.worlds[static_cast<std::size_t>(node)];
    world = {turn * world.linear, turned(world.translation)};
  }
  for (std::uint32_t part : swing.parts) {
    posed.spheres[part].center = turned(posed.spheres[part].center);
    if (part >= boxes_.size()) continue;
    posed.boxes[part].center = posed.spheres[part].center;
    posed.boxes[part].axes = turn * posed.boxes[part].axes;
  }
  for (std::uint32_t part : swing.torn_parts) fitJoint(part, posed);
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

}  // namespace clipmill::collision
