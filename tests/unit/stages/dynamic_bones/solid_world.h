// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/portable_math.h"
#include "stages/dynamic_bones/colliders/contact.h"

/// Solids and bones for tests of contacts.
namespace clipmill::test {

using namespace stages::dynamic_bones;

/// Solids with their motion in one step.
class SolidWorld {
 public:
  void add(const Solid& solid, const RigidPose& before, const RigidPose& now) {
    solids_.push_back(std::make_unique<Solid>(solid));
    moving_.push_back(std::make_unique<MovingSolid>());
    MovingSolid& moving = *moving_.back();
    moving.solid = solids_.back().get();
    moving.before = before;
    moving.now = now;
    encloseMotion(moving);
    pointers_.push_back(&moving);
  }
  void add(const Solid& solid) { add(solid, RigidPose(), RigidPose()); }
  ContactResult resolve(const BoneStep& bone) const { return resolveContacts(pointers_, bone); }
  double penetration(const BoneStep& bone, const Vec3& end) const {
    double max_depth = -1e9;
    for (const MovingSolid* moving : pointers_) {
      max_depth = std::max(
          max_depth, stages::dynamic_bones::penetration(*moving->solid, moving->now, bone.head, end,
                                                        bone.head_radius_m, bone.end_radius_m));
    }
    return max_depth;
  }
  const std::vector<const MovingSolid*>& moving() const { return pointers_; }

 private:
  std::vector<std::unique_ptr<Solid>> solids_;
  std::vector<std::unique_ptr<MovingSolid>> moving_;
  std::vector<const MovingSolid*> pointers_;
};

inline Solid sphereAt(const Vec3& center, double radius_m) {
  Solid solid;
  solid.head = center;
  solid.head_radius_m = radius_m;
  return solid;
}

inline Solid capsuleAt(const Vec3& head, const Vec3& tail, double head_radius_m,
                       double tail_radius_m) {
  Solid solid = sphereAt(head, head_radius_m);
  solid.shape = stages::dynamic_bones::ColliderShape::kCapsule;
  solid.tail = tail;
  solid.tail_radius_m = tail_radius_m;
  return solid;
}

inline Solid planeAt(const Vec3& point, const Vec3& normal) {
  Solid solid;
  solid.shape = stages::dynamic_bones::ColliderShape::kPlane;
  solid.head = point;
  solid.normal = normal;
  return solid;
}

inline Solid boxAt(const Vec3& center, const Vec3& half_size) {
  Solid solid;
  solid.shape = stages::dynamic_bones::ColliderShape::kBox;
  solid.head = center;
  solid.half_size = half_size;
  return solid;
}

/// A bone that rests at `before` and that forces take to `end`, both at the same length.
inline BoneStep boneStep(const Vec3& head, const Vec3& before, const Vec3& end,
                         double radius_m = 0.0) {
  BoneStep bone;
  bone.head_before = bone.head = head;
  bone.end_before = before;
  bone.end = end;
  bone.length_m = glm::length(end - head);
  bone.head_radius_m = bone.end_radius_m = radius_m;
  return bone;
}

inline Vec3 inXY(double angle_rad) {
  return Vec3(portable::cos(angle_rad), portable::sin(angle_rad), 0);
}

inline RigidPose at(const Vec3& position) { return {kIdentityRotation, position}; }

}  // namespace clipmill::test
