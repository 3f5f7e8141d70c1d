// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/random_springs.h"

#include <cmath>
#include <string>
#include <vector>

#include "core/to_size.h"
#include "random.h"

namespace clipmill::test {
namespace {

int addNode(Scene& scene, const std::string& name, int parent, const Transform& rest) {
  Node node;
  node.name = name;
  node.parent = parent;
  node.source_id = static_cast<int>(scene.skeleton.size());
  node.rest = rest;
  scene.skeleton.nodes.push_back(node);
  return node.source_id;
}

SpringCollider randomCollider(test::Random& random, int node) {
  SpringCollider collider;
  collider.node = node;
  const int kind = random.index(5);
  collider.offset = random.vector(0.2);
  collider.tail = collider.offset + random.vector(0.2);
  collider.radius = random.number(0.05, 0.12);
  if (kind == 1 || kind == 3) collider.kind = SpringCollider::Kind::kCapsule;
  if (kind == 2 || kind == 3) {
    collider.inside = true;
    collider.radius = random.number(0.5, 0.7);
  }
  if (kind == 4) {
    collider.kind = SpringCollider::Kind::kPlane;
    collider.offset = random.vector(0.1) - Vec3(0, 0.5, 0);
    collider.normal = glm::normalize(Vec3(0, 1, 0) + random.vector(0.3));
  }
  return collider;
}

AngleLimit randomLimit(test::Random& random) {
  AngleLimit limit;
  if (random.isChance(0.6)) return limit;
  limit.kind = static_cast<AngleLimit::Kind>(1 + random.index(4));
  limit.angle_rad = random.number(0.1, 0.9);
  limit.yaw_rad = random.number(0.1, 0.5);
  limit.rotation = random.rotation(0.5);
  return limit;
}

}  // namespace

Scene randomScene(std::uint64_t seed, int chain_count) {
  test::Random random(seed);
  Scene scene;
  const int hips = addNode(scene, "hips", -1, {Vec3(0, 1, 0), random.rotation(3), Vec3(1.25)});
  const int chest =
      addNode(scene, "chest", hips, {Vec3(0, 0.3, 0), random.rotation(0.4), Vec3(1.0)});
  const int head =
      addNode(scene, "head", chest, {Vec3(0, 0.3, 0), random.rotation(0.4), Vec3(0.9)});
  SpringSetup& springs = scene.springs;
  springs.kind = SpringSetup::Kind::kVrm1;
  std::vector<int> hanging = {hips, chest, head};
  for (int c = 0; c < chain_count; ++c) {
    SpringChain chain;
    chain.name = "chain" + std::to_string(c);
    int parent = hanging[toSize(random.index(static_cast<int>(hanging.size())))];
    if (random.isChance(0.3)) chain.center = random.isChance(0.5) ? hips : -1;
    const int bones = 1 + random.index(6);
    for (int j = 0; j <= bones; ++j) {
      const bool skips = j > 0 && random.isChance(0.25);
      if (skips) {
        parent = addNode(scene, "between", parent,
                         {random.vector(0.05), random.rotation(0.5), Vec3(1.0)});
      }
      parent = addNode(scene, chain.name, parent,
                       {random.vector(0.1), random.rotation(1.0),
                        random.isChance(0.2) ? Vec3(random.number(0.7, 1.3)) : Vec3(1.0)});
      SpringJoint joint;
      joint.node = parent;
      joint.stiffness = random.number(0, 2);
      joint.gravity_power = random.number(0, 1);
      joint.gravity_dir = random.direction();
      joint.drag = random.number(0.1, 1);
      joint.hit_radius = random.number(0, 0.05);
      joint.limit = randomLimit(random);
      chain.joints.push_back(joint);
    }
    if (c == 0) hanging.push_back(chain.joints[0].node);
    for (int g = random.index(3); g > 0; --g) {
      chain.collider_groups.push_back(random.index(3));
    }
    if (random.isChance(0.2)) chain.tail_length_m = 0.07;
    springs.chains.push_back(chain);
  }
  // The first chain carries a collider that others avoid; itself it avoids none.
  springs.chains[0].collider_groups.clear();
  hanging = {hips, chest, head, springs.chains[0].joints[0].node};
  for (int g = 0; g < 3; ++g) {
    SpringColliderGroup group;
    for (int i = 0; i < 3; ++i) {
      group.colliders.push_back(static_cast<int>(springs.colliders.size()));
      springs.colliders.push_back(randomCollider(random, hanging[toSize(random.index(4))]));
    }
    springs.groups.push_back(group);
  }
  return scene;
}

void randomMotion(const Scene& scene, double t, PoseView pose) {
  pose.locals[0].translation = Vec3(0.2 * std::sin(5 * t), 1 + 0.05 * std::sin(9 * t), 0.3 * t);
  for (std::size_t n = 0; n < pose.locals.size(); ++n) {
    const double phase = static_cast<double>(n);
    pose.locals[n].rotation =
        scene.skeleton.nodes[n].rest.rotation *
        rotationAbout(Vec3(0, 0.6, 0.8), 0.7 * std::sin(3 * t + phase) - 0.7 * std::sin(phase));
  }
}

}  // namespace clipmill::test
