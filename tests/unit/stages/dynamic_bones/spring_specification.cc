// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/spring_specification.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/to_size.h"

namespace clipmill::test {
namespace {

// The shortest rotation between two unit vectors that are not opposite.
Quat fromTo(const Vec3& a, const Vec3& b) {
  const Vec3 axis = glm::cross(a, b);
  return glm::normalize(Quat(1.0 + glm::dot(a, b), axis.x, axis.y, axis.z));
}

Vec3 coneLimit(Vec3 v, double angle) {
  if (v.y >= std::cos(angle)) return v;
  const double scale = std::sin(angle) / std::hypot(v.x, v.z);
  return {v.x * scale, std::cos(angle), v.z * scale};
}

Vec3 hingeLimit(Vec3 v, double angle) {
  v = glm::normalize(Vec3(0, v.y, v.z));
  if (v.y >= std::cos(angle)) return v;
  return {0, std::cos(angle), v.z < 0 ? -std::sin(angle) : std::sin(angle)};
}

Vec3 sphericalLimit(const Vec3& v, double max_pitch, double max_yaw) {
  const double pitch = std::clamp(std::atan2(v.z, v.y), -max_pitch, max_pitch);
  const double yaw = std::clamp(std::asin(std::clamp(v.x, -1.0, 1.0)), -max_yaw, max_yaw);
  return {std::sin(yaw), std::cos(yaw) * std::cos(pitch), std::cos(yaw) * std::sin(pitch)};
}

struct Collision {
  Vec3 direction;
  double distance;
};

// Distance of the joint's surface from the collider's, and where it is pushed if that is negative.
Collision collide(const SpringCollider& collider, const Affine& world, const Vec3& tail,
                  double joint_radius) {
  const Vec3 offset = transformPoint(world, collider.offset);
  Vec3 delta = tail - offset;
  if (collider.kind == SpringCollider::Kind::kPlane) {
    const Vec3 normal =
        glm::normalize(glm::transpose(glm::inverse(world.linear)) * collider.normal);
    return {normal, glm::dot(delta, normal) - joint_radius};
  }
  if (collider.kind == SpringCollider::Kind::kCapsule) {
    const Vec3 path = transformPoint(world, collider.tail) - offset;
    const double along = glm::dot(path, delta), square = glm::dot(path, path);
    if (along > square) {
      delta -= path;
    } else if (along >= 0.0) {
      delta -= path * (along / square);
    }
  }
  const double length = glm::length(delta);
  if (collider.inside) return {-delta / length, collider.radius - joint_radius - length};
  return {delta / length, length - collider.radius - joint_radius};
}

}  // namespace

SpringSpecification::SpringSpecification(const SpringSetup& springs, const Scene& scene)
    : springs_(springs), scene_(scene) {
  pose(restPose(scene.skeleton).locals);
  for (const SpringChain& chain : springs.chains) {
    for (std::size_t i = 0; i + 1 < chain.joints.size(); ++i) addJoint(chain, i, worlds_);
    if (chain.tail_length_m > 0.0) addJoint(chain, chain.joints.size() - 1, worlds_);
  }
}

void SpringSpecification::addJoint(const SpringChain& chain, std::size_t index,
                                   const std::vector<Affine>& worlds) {
  Joint joint;
  joint.settings = chain.joints[index];
  joint.node = joint.settings.node;
  joint.chain = &chain;
  const std::size_t node = toSize(joint.node);
  joint.parent = scene_.skeleton.nodes[node].parent;
  joint.initial = scene_.skeleton.nodes[node].rest;
  if (index + 1 < chain.joints.size()) {
    const Vec3 end = worlds[toSize(chain.joints[index + 1].node)].translation;
    joint.bone_axis = glm::normalize(transformPoint(inverse(worlds[node]), end));
    joint.bone_length = glm::length(end - worlds[node].translation);
  } else {
    joint.bone_axis = glm::normalize(joint.initial.translation);
    joint.bone_length = chain.tail_length_m;
  }
  joints_.push_back(joint);
}

void SpringSpecification::pose(const std::vector<Transform>& locals) {
  computeWorlds(scene_.skeleton, locals, scene_.metric_from_file, worlds_);
}

Affine SpringSpecification::parentWorld(const Joint& joint) const {
  return joint.parent < 0 ? scene_.metric_from_file : worlds_[toSize(joint.parent)];
}

Affine SpringSpecification::centerWorld(const Joint& joint) const {
  const int center = joint.chain->center;
  return center < 0 ? Affine{} : worlds_[toSize(center)];
}

Vec3 SpringSpecification::afterLimit(const Joint& joint, const Vec3& head, const Vec3& tail) const {
  const AngleLimit& limit = joint.settings.limit;
  if (limit.kind == AngleLimit::Kind::kNone) return tail;
  const Quat axes = rotationOf(parentWorld(joint)) * joint.initial.rotation *
                    fromTo(Vec3(0, 1, 0), joint.bone_axis) * limit.rotation;
  Vec3 direction = glm::inverse(axes) * glm::normalize(tail - head);
  if (limit.kind == AngleLimit::Kind::kCone) direction = coneLimit(direction, limit.angle_rad);
  if (limit.kind == AngleLimit::Kind::kHinge) direction = hingeLimit(direction, limit.angle_rad);
  if (limit.kind == AngleLimit::Kind::kPlanar) direction = hingeLimit(direction, kPi);
  if (limit.kind == AngleLimit::Kind::kSpherical) {
    direction = sphericalLimit(direction, limit.angle_rad, limit.yaw_rad);
  }
  return head + axes * direction * joint.bone_length;
}

Vec3 SpringSpecification::afterColliders(const Joint& joint, const Vec3& head, Vec3 tail) const {
  for (int group : joint.chain->collider_groups) {
    for (int index : springs_.groups[toSize(group)].colliders) {
      const SpringCollider& collider = springs_.colliders[toSize(index)];
      const Affine& world = worlds_[toSize(collider.node)];
      const auto [direction, distance] = collide(collider, world, tail, joint.settings.hit_radius);
      if (distance >= 0.0) continue;
      tail -= direction * distance;
      tail = head + glm::normalize(tail - head) * joint.bone_length;
      tail = afterLimit(joint, head, tail);
    }
  }
  return tail;
}

void SpringSpecification::start(std::vector<Transform>& locals) {
  for (const Joint& joint : joints_) {
    locals[toSize(joint.node)].rotation = joint.initial.rotation;
  }
  pose(locals);
  for (Joint& joint : joints_) {
    const Affine& world = worlds_[toSize(joint.node)];
    const Vec3 tail = world.translation + rotationOf(world) * joint.bone_axis * joint.bone_length;
    joint.current_tail = joint.previous_tail = transformPoint(inverse(centerWorld(joint)), tail);
  }
}

void SpringSpecification::update(std::vector<Transform>& locals, double delta_time_s) {
  for (Joint& joint : joints_) {
    pose(locals);
    Transform& local = locals[toSize(joint.node)];
    const Affine parent = parentWorld(joint), center = centerWorld(joint);
    const Vec3 head = transformPoint(parent, local.translation);
    const Vec3 current = transformPoint(center, joint.current_tail);
    const Vec3 previous = transformPoint(center, joint.previous_tail);
    const SpringJoint& settings = joint.settings;
    const Vec3 rest = rotationOf(parent) * joint.initial.rotation * joint.bone_axis;

    Vec3 next = current + (current - previous) * (1.0 - settings.drag) +
                rest * (delta_time_s * settings.stiffness) +
                settings.gravity_dir * (delta_time_s * settings.gravity_power);
    next = head + glm::normalize(next - head) * joint.bone_length;
    next = afterLimit(joint, head, next);
    next = afterColliders(joint, head, next);

    joint.previous_tail = joint.current_tail;
    joint.current_tail = transformPoint(inverse(center), next);
    const Affine rest_world = parent * toAffine(joint.initial);
    const Vec3 to = glm::normalize(transformPoint(inverse(rest_world), next));
    local.rotation = joint.initial.rotation * fromTo(joint.bone_axis, to);
  }
}

}  // namespace clipmill::test
