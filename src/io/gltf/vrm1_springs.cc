// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// VRMC_springBone 1.0 and 1.0-beta, VRMC_springBone_extended_collider, and the draft
// VRMC_springBone_limit.
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/vrm_springs.h"

namespace clipmill::io::gltf {
namespace {

constexpr const char* kVrm1Location = "extensions.VRMC_springBone";

Vec3 vectorFromArray(Fields& fields, const char* key, const Vec3& fallback) {
  const auto numbers = fields.numbers(key, 3);
  return numbers ? Vec3((*numbers)[0], (*numbers)[1], (*numbers)[2]) : fallback;
}

const Json& extensionOf(Fields& fields, const char* name) {
  Fields extensions(fields.object("extensions"), fields.location());
  return extensions.anything(name);
}

class ShapeReader {
 public:
  // Reads the shape that an object holds, plain or extended. False where it holds none; faults go
  // to `status`.
  bool read(const Json& json, const std::string& location, SpringCollider& collider,
            Status& status) {
    Fields shape(json, location);
    bool found = true;
    if (shape.has("sphere")) {
      readRound(shape.object("sphere"), location, SpringCollider::Kind::kSphere, collider);
    } else if (shape.has("capsule")) {
      readRound(shape.object("capsule"), location, SpringCollider::Kind::kCapsule, collider);
    } else if (shape.has("plane")) {
      readPlane(shape.object("plane"), location, collider);
    } else if (shape.has("palne")) {  // A misspelling in the extension's own example.
      readPlane(shape.object("palne"), location, collider);
    } else {
      found = false;
    }
    status = shape.status() ? status_ : shape.status();
    return found;
  }

 private:
  void readRound(const Json& json, const std::string& location, SpringCollider::Kind kind,
                 SpringCollider& collider) {
    Fields fields(json, location);
    collider.kind = kind;
    collider.offset = vectorFromArray(fields, "offset", Vec3(0.0));
    collider.tail = vectorFromArray(fields, "tail", Vec3(0.0));
    collider.radius = fields.number("radius", 0.0);
    collider.inside = fields.boolean("inside", false);
    if (collider.radius < 0.0) fields.fail("'radius' is below 0");
    status_ = fields.status();
  }

  void readPlane(const Json& json, const std::string& location, SpringCollider& collider) {
    Fields fields(json, location);
    collider.kind = SpringCollider::Kind::kPlane;
    collider.offset = vectorFromArray(fields, "offset", Vec3(0.0));
    const Vec3 normal = vectorFromArray(fields, "normal", Vec3(0, 0, 1));
    const double length = std::sqrt(glm::dot(normal, normal));
    if (!(length > 0.0) || !std::isfinite(length)) fields.fail("'normal' has no direction");
    if (fields.status()) collider.normal = normal / length;
    status_ = fields.status();
  }

  Status status_;
};

Result<SpringCollider> readCollider(const Json& json, const std::string& location,
                                    SpringCollector& springs) {
  Fields fields(json, location);
  SpringCollider collider;
  collider.node = springs.node(fields, "node");
  Fields extended(extensionOf(fields, "VRMC_springBone_extended_collider"), location);
  Status fault;
  bool found = ShapeReader().read(extended.object("shape"), location, collider, fault);
  CLIPMILL_CHECK(extended.status());
  if (!found) found = ShapeReader().read(fields.object("shape"), location, collider, fault);
  if (!found) fields.fail("has an unknown shape");
  CLIPMILL_CHECK(fields.status());
  CLIPMILL_CHECK(fault);
  return collider;
}

Quat limitRotation(Fields& fields) {
  const auto q = fields.numbers("rotation", 4);
  return q ? normalizedOrIdentity(Quat((*q)[3], (*q)[0], (*q)[1], (*q)[2])) : kIdentityRotation;
}

Result<AngleLimit> readLimit(const Json& json, const std::string& location,
                             SpringCollector& springs) {
  Fields extension(json, location);
  Fields limit(extension.object("limit"), location);
  CLIPMILL_CHECK(extension.status());
  AngleLimit result;
  const auto readOne = [&](const char* kind, const char* angle) -> Status {
    Fields fields(limit.object(kind), location);
    result.angle_rad = springs.bounded(fields.number(angle, kPi), 0.0, kPi, location);
    result.yaw_rad = springs.bounded(fields.number("yaw", kPi / 2.0), 0.0, kPi / 2.0, location);
    result.rotation = limitRotation(fields);
    CLIPMILL_CHECK(limit.status());
    return fields.status();
  };
  if (limit.has("cone")) {
    result.kind = AngleLimit::Kind::kCone;
    CLIPMILL_CHECK(readOne("cone", "angle"));
  } else if (limit.has("hinge")) {
    result.kind = AngleLimit::Kind::kHinge;
    CLIPMILL_CHECK(readOne("hinge", "angle"));
  } else if (limit.has("spherical")) {
    result.kind = AngleLimit::Kind::kSpherical;
    CLIPMILL_CHECK(readOne("spherical", "pitch"));
  }
  return result;
}

Result<SpringJoint> readJoint(const Json& json, const std::string& location,
                              SpringCollector& springs) {
  constexpr double kMaxValue = 1e9;
  Fields fields(json, location);
  SpringJoint joint;
  joint.node = springs.node(fields, "node");
  joint.stiffness = springs.bounded(fields.number("stiffness", 1.0), 0.0, kMaxValue, location);
  joint.gravity_power =
      springs.bounded(fields.number("gravityPower", 0.0), -kMaxValue, kMaxValue, location);
  joint.gravity_dir = vectorFromArray(fields, "gravityDir", Vec3(0, -1, 0));
  joint.drag = springs.bounded(fields.number("dragForce", 0.5), 0.0, 1.0, location);
  joint.hit_radius = springs.bounded(fields.number("hitRadius", 0.0), 0.0, kMaxValue, location);
  const Json& limit = extensionOf(fields, "VRMC_springBone_limit");
  CLIPMILL_CHECK(fields.status());
  CLIPMILL_TRY(joint.limit, readLimit(limit, location, springs));
  return joint;
}

Result<SpringChain> readChain(const Json& json, const std::string& location,
                              SpringCollector& springs) {
  Fields fields(json, location);
  SpringChain chain;
  chain.name = fields.text("name", "");
  chain.center = springs.optionalNode(fields, "center");
  chain.collider_groups = springs.groups(fields, "colliderGroups");
  const Json& joints = fields.array("joints");
  CLIPMILL_CHECK(fields.status());
  for (std::size_t i = 0; i < joints.size(); ++i) {
    CLIPMILL_TRY(SpringJoint joint,
                 readJoint(joints[i], location + "." + elementLocation("joints", i), springs));
    chain.joints.push_back(joint);
  }
  return chain;
}

std::string vrm1Location(const char* array, std::size_t index) {
  return std::string(kVrm1Location) + "." + elementLocation(array, index);
}

// The index that each collider of the file has in the setup; -1 for those left out.
std::vector<int> readColliders(const Json& colliders, SpringCollector& springs) {
  std::vector<int> index_of(colliders.size(), -1);
  for (std::size_t i = 0; i < colliders.size(); ++i) {
    const auto collider = readCollider(colliders[i], vrm1Location("colliders", i), springs);
    if (!collider) {
      springs.leaveOut("collider", collider.error());
      continue;
    }
    index_of[i] = static_cast<int>(springs.setup().colliders.size());
    springs.setup().colliders.push_back(*collider);
  }
  return index_of;
}

// A faulty group stays as an empty one, so that the numbers of the others hold.
void readGroups(const Json& groups, const std::vector<int>& collider_of_source,
                SpringCollector& springs) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Fields fields(groups[i], vrm1Location("colliderGroups", i));
    SpringColliderGroup group;
    group.name = fields.text("name", "");
    for (int source : fields.indices("colliders", collider_of_source.size())) {
      const int index = collider_of_source[toSize(source)];
      if (index >= 0) group.colliders.push_back(index);
    }
    springs.leaveOut("collider_group", fields.status());
    springs.setup().groups.push_back(std::move(group));
  }
}

}  // namespace

Status readVrm1Springs(const Json& extension, SpringCollector& springs) {
  Fields fields(extension, kVrm1Location);
  const Json& chains = fields.array("springs");
  const std::vector<int> collider_of_source = readColliders(fields.array("colliders"), springs);
  readGroups(fields.array("colliderGroups"), collider_of_source, springs);
  springs.setup().kind = SpringSetup::Kind::kVrm1;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    auto chain = readChain(chains[i], vrm1Location("springs", i), springs);
    if (!chain) {
      springs.leaveOut("spring", chain.error());
      continue;
    }
    CLIPMILL_CHECK(springs.addChain(std::move(*chain), vrm1Location("springs", i)));
  }
  springs.leaveOut("spring", fields.status());
  return {};
}

}  // namespace clipmill::io::gltf
