// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/collider_fit.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>
#include <string>

#include "anim/pose.h"
#include "mesh/skinning.h"
#include "stages/dynamic_bones/colliders/capsule_fit.h"
#include "stages/dynamic_bones/rig/rig.h"

namespace clipmill::bones {
namespace {

using Role = HumanoidRole;

// Fewer vertices do not tell a shape.
constexpr std::size_t kEnoughVertices = 12;
// A bone of a skeleton without a map whose capsule would be thinner than this is no obstacle.
constexpr double kThinnest_m = 1e-3;

// A figure is about this many times as tall as its legs are long from hip to ankle, and as its
// trunk is from hips to head.
constexpr double kHeightOverLegs = 2.1;
constexpr double kHeightOverTrunk = 3.0;
constexpr double kHeight_m = 1.7;  // where neither is known

// A part of the body: its bone, the roles of which the first that there is ends it, and its radii
// and length as shares of the figure's height, for bones without skin.
struct BodyPart {
  Role role;
  std::initializer_list<Role> ends;
  double head_radius = 0.0, tail_radius = 0.0;
  double length = 0.0;  // where none of `ends` is there
};

std::span<const BodyPart> bodyParts() {
  static const BodyPart parts[] = {
      {Role::kHips, {Role::kSpine}, 0.075, 0.075, 0.0},
      {Role::kSpine, {Role::kChest, Role::kUpperChest, Role::kNeck, Role::kHead}, .07, .07, .07},
      {Role::kChest, {Role::kUpperChest, Role::kNeck, Role::kHead}, 0.070, 0.075, 0.10},
      {Role::kUpperChest, {Role::kNeck, Role::kHead}, 0.075, 0.060, 0.10},
      {Role::kNeck, {Role::kHead}, 0.032, 0.030, 0.05},
      {Role::kHead, {}, 0.060, 0.060, 0.06},
      {Role::kLeftUpperArm, {Role::kLeftLowerArm}, 0.030, 0.024, 0.16},
      {Role::kLeftLowerArm, {Role::kLeftHand}, 0.024, 0.018, 0.14},
      {Role::kLeftHand, {}, 0.022, 0.018, 0.07},
      {Role::kRightUpperArm, {Role::kRightLowerArm}, 0.030, 0.024, 0.16},
      {Role::kRightLowerArm, {Role::kRightHand}, 0.024, 0.018, 0.14},
      {Role::kRightHand, {}, 0.022, 0.018, 0.07},
      {Role::kLeftUpperLeg, {Role::kLeftLowerLeg}, 0.050, 0.034, 0.24},
      {Role::kLeftLowerLeg, {Role::kLeftFoot}, 0.034, 0.022, 0.23},
      {Role::kLeftFoot, {Role::kLeftToes}, 0.025, 0.020, 0.0},
      {Role::kRightUpperLeg, {Role::kRightLowerLeg}, 0.050, 0.034, 0.24},
      {Role::kRightLowerLeg, {Role::kRightFoot}, 0.034, 0.022, 0.23},
      {Role::kRightFoot, {Role::kRightToes}, 0.025, 0.020, 0.0},
  };
  return parts;
}

// The file at rest, in metric space.
struct Figure {
  const Scene& scene;
  std::vector<Affine> worlds;               // one a node
  std::vector<std::vector<Vec3>> vertices;  // of each node that owns some

  Vec3 positionOf(int node) const { return worlds[static_cast<std::size_t>(node)].translation; }
  std::span<const Vec3> verticesOf(int node) const {
    return vertices[static_cast<std::size_t>(node)];
  }
};

// The node that moves a vertex most; of equal ones the first.
int strongestNode(const SkinnedMesh& mesh, const Skin& skin, std::size_t vertex) {
  int node = -1;
  double most = 0.0;
  for (std::size_t i = mesh.influence_begin[vertex]; i < mesh.influence_begin[vertex + 1]; ++i) {
    const Influence& influence = mesh.influences[i];
    if (influence.weight <= most) continue;
    most = influence.weight;
    node = skin.joints[influence.joint];
  }
  return node;
}

// Adds all vertices to the nodes that own them: owner[node] is the node itself or one above it, -1
// for none. Meshes without a skin count where nothing has one: else they are things that are
// carried.
void collectVertices(const std::vector<int>& owner, Figure& figure) {
  const Scene& scene = figure.scene;
  const Pose rest = restPose(scene.skeleton);
  const bool any_skin = std::any_of(scene.meshes.begin(), scene.meshes.end(),
                                    [](const SkinnedMesh& mesh) { return mesh.skin >= 0; });
  PosedVertices posed;
  for (const SkinnedMesh& mesh : scene.meshes) {
    const Skin* skin = mesh.skin >= 0 ? &scene.skins[static_cast<std::size_t>(mesh.skin)] : nullptr;
    if (mesh.node < 0 || (any_skin && !skin)) continue;
    const Node& node = scene.skeleton.nodes[static_cast<std::size_t>(mesh.node)];
    const auto weights = std::span(rest.weights)
                             .subspan(static_cast<std::size_t>(node.weights_begin),
                                      static_cast<std::size_t>(node.weights_count));
    poseMesh(mesh, skin, figure.worlds, weights, posed);
    for (std::size_t v = 0; v < posed.positions.size(); ++v) {
      const int strongest = skin ? strongestNode(mesh, *skin, v) : mesh.node;
      const int own = strongest < 0 ? -1 : owner[static_cast<std::size_t>(strongest)];
      if (own < 0 || !isFinite(posed.positions[v])) continue;
      figure.vertices[static_cast<std::size_t>(own)].push_back(posed.positions[v]);
    }
  }
}

// Who owns the vertices of each node: the nearest at or above it of `owns`, unless it swings.
std::vector<int> ownersOf(const Skeleton& skeleton, const std::vector<bool>& owns,
                          const std::vector<bool>& swings) {
  std::vector<int> owner(skeleton.size(), -1);
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    const bool swinging = i < swings.size() && swings[i];
    if (swinging) continue;
    if (owns[i]) {
      owner[i] = static_cast<int>(i);
    } else if (parent >= 0) {
      owner[i] = owner[static_cast<std::size_t>(parent)];
    }
  }
  return owner;
}

Figure figureOf(const Scene& scene, const std::vector<bool>& owns,
                const std::vector<bool>& swings) {
  Figure figure{scene, {}, std::vector<std::vector<Vec3>>(scene.skeleton.size())};
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file,
                figure.worlds);
  collectVertices(ownersOf(scene.skeleton, owns, swings), figure);
  return figure;
}

// What names a node in settings: its name where no other has it, else its path.
std::string referenceTo(const Skeleton& skeleton, int node) {
  const std::string& name = skeleton.nodes[static_cast<std::size_t>(node)].name;
  const auto count = std::count_if(skeleton.nodes.begin(), skeleton.nodes.end(),
                                   [&](const Node& other) { return other.name == name; });
  return count == 1 && !name.empty() ? name : pathOf(skeleton, node);
}

ColliderSettings settingsOf(const Figure& figure, int node, const std::string& name,
                            const Taper& taper) {
  const Affine& world = figure.worlds[static_cast<std::size_t>(node)];
  const Quat own_from_world = glm::conjugate(rotationOf(world));
  const Vec3 head = own_from_world * (taper.head - world.translation);
  const Vec3 tail = own_from_world * (taper.at(1.0) - world.translation);
  ColliderSettings settings;
  settings.node = referenceTo(figure.scene.skeleton, node);
  settings.name = kFittedPrefix + name;
  settings.shape = taper.length_m > 0.0 ? ColliderShape::kCapsule : ColliderShape::kSphere;
  settings.offset_m = {head.x, head.y, head.z};
  settings.tail_m = {tail.x, tail.y, tail.z};
  settings.radius_m = taper.head_radius_m;
  if (settings.shape == ColliderShape::kCapsule) settings.tail_radius_m = taper.radiusAt(1.0);
  return settings;
}

bool isUsable(const Figure& figure, int node) {
  const Affine& world = figure.worlds[static_cast<std::size_t>(node)];
  return isFinite(world.translation) && isFinite(rotationOf(world));
}

// Of a capsule along the bone and one along the main axis of its vertices the closer one; it begins
// with the end that is nearer to the head.
Taper closerCapsule(const Vec3& head, const Vec3& tail, std::span<const Vec3> points) {
  Taper through = capsuleThrough(points);
  const Vec3 far_end = through.at(1.0);
  if (glm::length(far_end - head) < glm::length(through.head - head)) {
    through = Taper(far_end, through.head, through.radiusAt(1.0), through.head_radius_m);
  }
  if (tail == head) return through;
  const Taper along = capsuleAlong(head, tail, points);
  return meanDistance(along, points) <= meanDistance(through, points) ? along : through;
}

double distanceOf(const Figure& figure, int a, int b) {
  return a < 0 || b < 0 ? 0.0 : glm::length(figure.positionOf(a) - figure.positionOf(b));
}

double heightOf(const Figure& figure, const HumanoidMap& map) {
  const double legs_m = distanceOf(figure, map[Role::kLeftUpperLeg], map[Role::kLeftLowerLeg]) +
                        distanceOf(figure, map[Role::kLeftLowerLeg], map[Role::kLeftFoot]);
  if (legs_m > 0.0) return kHeightOverLegs * legs_m;
  const double trunk_m = distanceOf(figure, map[Role::kHips], map[Role::kHead]);
  return trunk_m > 0.0 ? kHeightOverTrunk * trunk_m : kHeight_m;
}

// The direction in which a last bone goes on: that of the bone to it.
Vec3 onwardFrom(const Figure& figure, int node) {
  const int parent = figure.scene.skeleton.nodes[static_cast<std::size_t>(node)].parent;
  if (parent < 0) return Vec3(0, 1, 0);
  const Vec3 way = figure.positionOf(node) - figure.positionOf(parent);
  const double length = glm::length(way);
  return length > 0.0 ? way / length : Vec3(0, 1, 0);
}

int endOf(const BodyPart& part, const HumanoidMap& map) {
  for (const Role role : part.ends) {
    if (map[role] >= 0) return map[role];
  }
  return -1;
}

// A body part as it is on a figure of that height.
Taper proportioned(const Figure& figure, const BodyPart& part, int node, int end, double height_m) {
  const Vec3 head = figure.positionOf(node);
  const Vec3 tail = end >= 0 && part.role != Role::kHips  // the pelvis lies about its joint
                        ? figure.positionOf(end)
                        : head + onwardFrom(figure, node) * (part.length * height_m);
  const double head_radius_m = part.head_radius * height_m;
  if (part.role == Role::kHead) return Taper(tail, tail, head_radius_m, head_radius_m);
  return Taper(head, tail, head_radius_m, part.tail_radius * height_m);
}

Taper fitted(const Figure& figure, const BodyPart& part, int node, int end, double height_m) {
  const std::span<const Vec3> points = figure.verticesOf(node);
  if (points.size() < kEnoughVertices) return proportioned(figure, part, node, end, height_m);
  if (part.role == Role::kHead) return sphereThrough(points);
  const Vec3 head = figure.positionOf(node);
  return closerCapsule(head, end >= 0 ? figure.positionOf(end) : head, points);
}

std::vector<ColliderSettings> fitBody(const Scene& scene, const HumanoidMap& map,
                                      const std::vector<bool>& swings) {
  std::vector<bool> owns(scene.skeleton.size(), false);
  for (const BodyPart& part : bodyParts()) {
    if (map[part.role] >= 0) owns[static_cast<std::size_t>(map[part.role])] = true;
  }
  const Figure figure = figureOf(scene, owns, swings);
  const double height_m = heightOf(figure, map);
  std::vector<ColliderSettings> all;
  for (const BodyPart& part : bodyParts()) {
    const int node = map[part.role];
    if (node < 0 || !isUsable(figure, node)) continue;
    if (static_cast<std::size_t>(node) < swings.size() && swings[static_cast<std::size_t>(node)]) {
      continue;
    }
    const Taper taper = fitted(figure, part, node, endOf(part, map), height_m);
    all.push_back(settingsOf(figure, node, humanoidRoleName(part.role), taper));
  }
  return all;
}

// The far end of a bone without a role: the middle of its child joints.
Vec3 middleOfChildren(const Figure& figure, const std::vector<int>& children,
                      const std::vector<bool>& is_joint, int node) {
  Vec3 sum(0.0);
  double count = 0.0;
  for (const int child : children) {
    if (!is_joint[static_cast<std::size_t>(child)]) continue;
    sum += figure.positionOf(child);
    count += 1.0;
  }
  return count > 0.0 ? sum / count : figure.positionOf(node);
}

std::vector<ColliderSettings> fitJoints(const Scene& scene, const std::vector<bool>& swings) {
  std::vector<bool> is_joint(scene.skeleton.size(), false);
  for (const Skin& skin : scene.skins) {
    for (const int joint : skin.joints) is_joint[static_cast<std::size_t>(joint)] = true;
  }
  const Figure figure = figureOf(scene, is_joint, swings);
  const std::vector<std::vector<int>> children = childrenOf(scene.skeleton);
  std::vector<ColliderSettings> all;
  for (std::size_t i = 0; i < scene.skeleton.size(); ++i) {
    const int node = static_cast<int>(i);
    const std::span<const Vec3> points = figure.verticesOf(node);
    if (points.size() < kEnoughVertices || !isUsable(figure, node)) continue;
    const Vec3 tail = middleOfChildren(figure, children[i], is_joint, node);
    const Taper taper = closerCapsule(figure.positionOf(node), tail, points);
    if (std::max(taper.head_radius_m, taper.radiusAt(1.0)) < kThinnest_m) continue;
    all.push_back(settingsOf(figure, node, referenceTo(scene.skeleton, node), taper));
  }
  return all;
}

}  // namespace

std::vector<ColliderSettings> fitColliders(const Scene& scene, const HumanoidMap& map,
                                           const std::vector<bool>& swings) {
  const bool is_human = map.origin != HumanoidMap::Origin::kNone;
  return is_human ? fitBody(scene, map, swings) : fitJoints(scene, swings);
}

}  // namespace clipmill::bones
