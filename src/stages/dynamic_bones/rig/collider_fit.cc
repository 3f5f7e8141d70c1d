// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/collider_fit.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>
#include <string>

#include "anim/pose.h"
#include "core/to_size.h"
#include "mesh/skinning.h"
#include "stages/dynamic_bones/colliders/capsule_fit.h"
#include "stages/dynamic_bones/rig/rig.h"

namespace clipmill::stages::dynamic_bones {
namespace {

using Role = humanoid::HumanoidRole;

// Fewer vertices do not define a shape.
constexpr std::size_t kMinVertices = 12;
// In a skeleton without a humanoid map, a bone with a thinner capsule is no obstacle.
constexpr double kMinRadius_m = 1e-3;

// A character is about this many times as tall as its legs are long from hip to ankle, and as its
// trunk is from hips to head.
constexpr double kHeightOverLegs = 2.1;
constexpr double kHeightOverTrunk = 3.0;
constexpr double kHeight_m = 1.7;  // where neither is known

// A part of the body: its bone, the roles of which the first that there is ends it, and its radii
// and length as shares of the character's height, for bones without skin.
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

// The character in its rest pose, in metric space.
struct RestBody {
  const Scene& scene;
  std::vector<Affine> worlds;               // one per node
  std::vector<std::vector<Vec3>> vertices;  // of each node that owns some

  Vec3 positionOf(int node) const { return worlds[toSize(node)].translation; }
  std::span<const Vec3> verticesOf(int node) const { return vertices[toSize(node)]; }
};

// The node that moves a vertex most; of equal ones the first.
int strongestNode(const SkinnedMesh& mesh, const Skin& skin, std::size_t vertex) {
  int node = -1;
  double most = 0.0;
  for (std::size_t i = mesh.influence_start[vertex]; i < mesh.influence_start[vertex + 1]; ++i) {
    const Influence& influence = mesh.influences[i];
    if (influence.weight <= most) continue;
    most = influence.weight;
    node = skin.joints[influence.joint];
  }
  return node;
}

// Adds all vertices to the nodes that own them: owner[node] is the node itself or one above it, -1
// for none. Meshes without a skin count where nothing has one: otherwise they are props.
void collectVertices(const std::vector<int>& owner, RestBody& body) {
  const Scene& scene = body.scene;
  const Pose rest = restPose(scene.skeleton);
  const bool any_skin = std::any_of(scene.meshes.begin(), scene.meshes.end(),
                                    [](const SkinnedMesh& mesh) { return mesh.skin >= 0; });
  PosedVertices posed;
  for (const SkinnedMesh& mesh : scene.meshes) {
    const Skin* skin = mesh.skin >= 0 ? &scene.skins[toSize(mesh.skin)] : nullptr;
    if (mesh.node < 0 || (any_skin && !skin)) continue;
    const Node& node = scene.skeleton.nodes[toSize(mesh.node)];
    const auto weights =
        std::span(rest.weights).subspan(toSize(node.weights_start), toSize(node.weights_count));
    poseMesh(mesh, skin, body.worlds, weights, posed);
    for (std::size_t v = 0; v < posed.positions.size(); ++v) {
      const int strongest = skin ? strongestNode(mesh, *skin, v) : mesh.node;
      const int own = strongest < 0 ? -1 : owner[toSize(strongest)];
      if (own < 0 || !isFinite(posed.positions[v])) continue;
      body.vertices[toSize(own)].push_back(posed.positions[v]);
    }
  }
}

// The owner of the vertices of each node: the nearest node at or above it of `owns`, unless it is
// simulated.
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
      owner[i] = owner[toSize(parent)];
    }
  }
  return owner;
}

RestBody restBodyOf(const Scene& scene, const std::vector<bool>& owns,
                    const std::vector<bool>& swings) {
  RestBody body{scene, {}, std::vector<std::vector<Vec3>>(scene.skeleton.size())};
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file,
                body.worlds);
  collectVertices(ownersOf(scene.skeleton, owns, swings), body);
  return body;
}

// Reference to a node in settings: its name if it is unique, else its path.
std::string referenceTo(const Skeleton& skeleton, int node) {
  const std::string& name = skeleton.nodes[toSize(node)].name;
  const auto count = std::count_if(skeleton.nodes.begin(), skeleton.nodes.end(),
                                   [&](const Node& other) { return other.name == name; });
  return count == 1 && !name.empty() ? name : pathOf(skeleton, node);
}

ColliderSettings settingsOf(const RestBody& body, int node, const std::string& name,
                            const Taper& taper) {
  const Affine& world = body.worlds[toSize(node)];
  const Quat own_from_world = glm::conjugate(rotationOf(world));
  const Vec3 head = own_from_world * (taper.head - world.translation);
  const Vec3 tail = own_from_world * (taper.at(1.0) - world.translation);
  ColliderSettings settings;
  settings.node = referenceTo(body.scene.skeleton, node);
  settings.name = kFittedPrefix + name;
  settings.shape = taper.length_m > 0.0 ? ColliderShape::kCapsule : ColliderShape::kSphere;
  settings.offset_m = {head.x, head.y, head.z};
  settings.tail_m = {tail.x, tail.y, tail.z};
  settings.radius_m = taper.head_radius_m;
  if (settings.shape == ColliderShape::kCapsule) settings.tail_radius_m = taper.radiusAt(1.0);
  return settings;
}

bool isUsable(const RestBody& body, int node) {
  const Affine& world = body.worlds[toSize(node)];
  return isFinite(world.translation) && isFinite(rotationOf(world));
}

// Of a capsule along the bone and one along the main axis of its vertices the closer one; it starts
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

double distanceOf(const RestBody& body, int a, int b) {
  return a < 0 || b < 0 ? 0.0 : glm::length(body.positionOf(a) - body.positionOf(b));
}

double heightOf(const RestBody& body, const humanoid::HumanoidMap& map) {
  const double legs_m = distanceOf(body, map[Role::kLeftUpperLeg], map[Role::kLeftLowerLeg]) +
                        distanceOf(body, map[Role::kLeftLowerLeg], map[Role::kLeftFoot]);
  if (legs_m > 0.0) return kHeightOverLegs * legs_m;
  const double trunk_m = distanceOf(body, map[Role::kHips], map[Role::kHead]);
  return trunk_m > 0.0 ? kHeightOverTrunk * trunk_m : kHeight_m;
}

// The direction in which a last bone continues: that of the bone to it.
Vec3 onwardFrom(const RestBody& body, int node) {
  const int parent = body.scene.skeleton.nodes[toSize(node)].parent;
  if (parent < 0) return Vec3(0, 1, 0);
  const Vec3 path = body.positionOf(node) - body.positionOf(parent);
  const double length = glm::length(path);
  return length > 0.0 ? path / length : Vec3(0, 1, 0);
}

int endOf(const BodyPart& part, const humanoid::HumanoidMap& map) {
  for (const Role role : part.ends) {
    if (map[role] >= 0) return map[role];
  }
  return -1;
}

// A body part as it is on a character of that height.
Taper proportioned(const RestBody& body, const BodyPart& part, int node, int end, double height_m) {
  const Vec3 head = body.positionOf(node);
  const Vec3 tail = end >= 0 && part.role != Role::kHips  // the pelvis surrounds its joint
                        ? body.positionOf(end)
                        : head + onwardFrom(body, node) * (part.length * height_m);
  const double head_radius_m = part.head_radius * height_m;
  if (part.role == Role::kHead) return Taper(tail, tail, head_radius_m, head_radius_m);
  return Taper(head, tail, head_radius_m, part.tail_radius * height_m);
}

Taper fitted(const RestBody& body, const BodyPart& part, int node, int end, double height_m) {
  const std::span<const Vec3> points = body.verticesOf(node);
  if (points.size() < kMinVertices) return proportioned(body, part, node, end, height_m);
  if (part.role == Role::kHead) return sphereThrough(points);
  const Vec3 head = body.positionOf(node);
  return closerCapsule(head, end >= 0 ? body.positionOf(end) : head, points);
}

std::vector<ColliderSettings> fitBody(const Scene& scene, const humanoid::HumanoidMap& map,
                                      const std::vector<bool>& swings) {
  std::vector<bool> owns(scene.skeleton.size(), false);
  for (const BodyPart& part : bodyParts()) {
    if (map[part.role] >= 0) owns[toSize(map[part.role])] = true;
  }
  const RestBody body = restBodyOf(scene, owns, swings);
  const double height_m = heightOf(body, map);
  std::vector<ColliderSettings> all;
  for (const BodyPart& part : bodyParts()) {
    const int node = map[part.role];
    if (node < 0 || !isUsable(body, node)) continue;
    if (toSize(node) < swings.size() && swings[toSize(node)]) {
      continue;
    }
    const Taper taper = fitted(body, part, node, endOf(part, map), height_m);
    all.push_back(settingsOf(body, node, humanoid::humanoidRoleName(part.role), taper));
  }
  return all;
}

// The far end of a bone without a role: the middle of its child joints.
Vec3 middleOfChildren(const RestBody& body, const std::vector<int>& children,
                      const std::vector<bool>& is_joint, int node) {
  Vec3 sum(0.0);
  double count = 0.0;
  for (const int child : children) {
    if (!is_joint[toSize(child)]) continue;
    sum += body.positionOf(child);
    count += 1.0;
  }
  return count > 0.0 ? sum / count : body.positionOf(node);
}

std::vector<ColliderSettings> fitJoints(const Scene& scene, const std::vector<bool>& swings) {
  std::vector<bool> is_joint(scene.skeleton.size(), false);
  for (const Skin& skin : scene.skins) {
    for (const int joint : skin.joints) is_joint[toSize(joint)] = true;
  }
  const RestBody body = restBodyOf(scene, is_joint, swings);
  const std::vector<std::vector<int>> children = childrenOf(scene.skeleton);
  std::vector<ColliderSettings> all;
  for (std::size_t i = 0; i < scene.skeleton.size(); ++i) {
    const int node = static_cast<int>(i);
    const std::span<const Vec3> points = body.verticesOf(node);
    if (points.size() < kMinVertices || !isUsable(body, node)) continue;
    const Vec3 tail = middleOfChildren(body, children[i], is_joint, node);
    const Taper taper = closerCapsule(body.positionOf(node), tail, points);
    if (std::max(taper.head_radius_m, taper.radiusAt(1.0)) < kMinRadius_m) continue;
    all.push_back(settingsOf(body, node, referenceTo(scene.skeleton, node), taper));
  }
  return all;
}

}  // namespace

std::vector<ColliderSettings> fitColliders(const Scene& scene, const humanoid::HumanoidMap& map,
                                           const std::vector<bool>& swings) {
  const bool is_human = map.origin != humanoid::HumanoidMap::Origin::kNone;
  return is_human ? fitBody(scene, map, swings) : fitJoints(scene, swings);
}

}  // namespace clipmill::stages::dynamic_bones
