// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/unity/colliders.h"

#include <algorithm>

namespace clipmill::stages::dynamic_bones::unity {

Colliders::Colliders(const std::vector<Object>& objects, const Hierarchy& hierarchy, Notes& notes,
                     std::vector<ColliderSettings>& settings)
    : hierarchy_(hierarchy), notes_(notes), settings_(settings) {
  for (const Object& object : objects) {
    if (object.class_id == kMonoBehaviour) read(object);
  }
}

const std::vector<std::string>& Colliders::namesOf(const std::string& id) const {
  static const std::vector<std::string> none;
  const auto found = names_of_id_.find(id);
  return found == names_of_id_.end() ? none : found->second;
}

void Colliders::read(const Object& object) {
  switch (kindOf(object.fields)) {
    case Kind::kDynamicCollider:
      return readDynamic(object);
    case Kind::kPhysCollider:
      return readPhys(object);
    case Kind::kVrmColliders:
      return readVrm(object);
    default:
      return;
  }
}

// Numbers of `collider` are still in units of the node, x is already negated.
void Colliders::add(const std::string& id, int node, ColliderSettings collider, const Vec3& offset,
                    const std::optional<Vec3>& tail) {
  if (node < 0) return notes_.count("collider on a node that is not in the file: left out");
  collider.node = hierarchy_.globOf(node);
  if (collider.node.empty()) {
    return notes_.count("collider on a node without a unique name or path: left out");
  }
  const Vec3 scale = hierarchy_.scaleOf(node);
  collider.offset_m = listOf(offset * scale);
  if (tail) collider.tail_m = listOf(*tail * scale);
  collider.radius_m = std::max(collider.radius_m * largest(scale), 0.0);
  if (collider.tail_radius_m) *collider.tail_radius_m *= largest(scale);
  collider.name = "unity_collider_" + std::to_string(settings_.size());
  if (!dynamic_bones::isWithinBounds(collider)) {
    return notes_.count("collider with values that are too large: left out");
  }
  names_of_id_[id].push_back(collider.name);
  settings_.push_back(std::move(collider));
}

// m_Height is from end to end; the ends lie along one axis, the second with m_Radius2.
void Colliders::readDynamic(const Object& object) {
  const Value& fields = object.fields;
  const int node = hierarchy_.nodeOf(object.id);
  const int axis = std::clamp(static_cast<int>(fields["m_Direction"].number()), 0, 2);
  const Vec3 center = fields["m_Center"].vector();
  ColliderSettings collider;
  collider.inside = fields["m_Bound"].number() == 1.0;
  Vec3 direction(0.0);
  direction[axis] = 1.0;
  if (!fields.has("m_Radius")) {
    collider.shape = ColliderShape::kPlane;
    collider.normal = listOf(mirrored(collider.inside ? -direction : direction));
    collider.inside = false;
    return add(object.id, node, collider, mirrored(center), std::nullopt);
  }
  collider.radius_m = fields["m_Radius"].number();
  const double second = fields["m_Radius2"].number();
  const double tail_radius = second > 0.0 ? second : collider.radius_m;
  const double half_m = 0.5 * fields["m_Height"].number();
  if (half_m <= std::max(collider.radius_m, tail_radius)) {
    collider.radius_m = std::max(collider.radius_m, tail_radius);
    return add(object.id, node, collider, mirrored(center), std::nullopt);
  }
  collider.shape = ColliderShape::kCapsule;
  if (tail_radius != collider.radius_m) collider.tail_radius_m = tail_radius;
  add(object.id, node, collider, mirrored(center + direction * (half_m - collider.radius_m)),
      mirrored(center - direction * (half_m - tail_radius)));
}

void Colliders::readPhys(const Object& object) {
  const Value& fields = object.fields;
  const std::string root = fields["rootTransform"].fileId();
  const int node = hierarchy_.nodeOf(root.empty() ? object.id : root);
  const Vec3 center = fields["position"].vector();
  const Vec3 up = fields["rotation"].quaternion() * Vec3(0, 1, 0);
  ColliderSettings collider;
  collider.inside = fields["insideBounds"].number() == 1.0;
  collider.radius_m = fields["radius"].number();
  const double half_m = 0.5 * fields["height"].number() - collider.radius_m;
  const int shape = static_cast<int>(std::clamp(fields["shapeType"].number(), 0.0, 2.0));
  if (shape == 2) {
    collider.shape = ColliderShape::kPlane;
    collider.normal = listOf(mirrored(up));
    collider.inside = false;
  }
  if (shape == 1 && half_m > 0.0) {
    collider.shape = ColliderShape::kCapsule;
    return add(object.id, node, collider, mirrored(center + up * half_m),
               mirrored(center - up * half_m));
  }
  add(object.id, node, collider, mirrored(center), std::nullopt);
}

// UniVRM negates z where the others negate x.
void Colliders::readVrm(const Object& object) {
  const int node = hierarchy_.nodeOf(object.id);
  for (const Value& sphere : object.fields["Colliders"].items) {
    ColliderSettings collider;
    collider.radius_m = sphere["Radius"].number();
    add(object.id, node, collider, sphere["Offset"].vector() * Vec3(1, 1, -1), std::nullopt);
  }
}

}  // namespace clipmill::stages::dynamic_bones::unity
