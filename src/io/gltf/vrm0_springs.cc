// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The secondaryAnimation of VRM 0.x, with the names and the hands of its schema.
#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/vrm_springs.h"

namespace clipmill::io::gltf {
namespace {

constexpr const char* kLocation = "extensions.VRM.secondaryAnimation";
constexpr double kTailLength_m = 0.07;  // of the virtual tip behind a leaf
constexpr double kHuge = 1e9;

std::string locationIn(const char* array, std::size_t index) {
  return std::string(kLocation) + "." + elementLocation(array, index);
}

Vec3 vectorFromObject(Fields& fields, const char* key, const Vec3& fallback) {
  if (!fields.has(key)) return fallback;
  Fields vector(fields.object(key), fields.location());
  const Vec3 result(vector.number("x", 0.0), vector.number("y", 0.0), vector.number("z", 0.0));
  if (!vector.status()) fields.fail(std::string("'") + key + "' is not three finite numbers");
  return result;
}

// What all joints of one group share.
struct BoneGroup {
  SpringJoint joint;
  std::string name;
  int center = -1;
  std::vector<int> roots;
  std::vector<int> collider_groups;
};

Result<BoneGroup> readBoneGroup(const Json& json, const std::string& location,
                                SpringCollector& springs) {
  Fields fields(json, location);
  // The schema's own spelling; some tools have corrected it.
  const char* stiffness = fields.has("stiffiness") ? "stiffiness" : "stiffness";
  BoneGroup group;
  group.name = fields.text("comment", "");
  group.joint.stiffness = springs.bounded(fields.number(stiffness, 1.0), 0.0, kHuge, location);
  group.joint.gravity_power =
      springs.bounded(fields.number("gravityPower", 0.0), -kHuge, kHuge, location);
  group.joint.gravity_dir = vectorFromObject(fields, "gravityDir", Vec3(0, -1, 0));
  // The schema has no values for absent members; these are those of a new component.
  group.joint.drag = springs.bounded(fields.number("dragForce", 0.4), 0.0, 1.0, location);
  group.joint.hit_radius = springs.bounded(fields.number("hitRadius", 0.02), 0.0, kHuge, location);
  group.center = springs.optionalNode(fields, "center");
  group.roots = springs.nodes(fields, "bones");
  group.collider_groups = springs.groups(fields, "colliderGroups");
  CLIPMILL_CHECK(fields.status());
  return group;
}

// The chains below the roots of a group.
class GroupWalk {
 public:
  GroupWalk(const std::vector<std::vector<int>>& children, SpringCollector& springs)
      : children_(children), springs_(springs) {}

  Status addRoot(int root, const BoneGroup& group, const std::string& location) {
    std::vector<int> starts = {root};
    while (!starts.empty()) {
      const int start = starts.back();
      starts.pop_back();
      if (isTaken(start, location)) continue;
      CLIPMILL_CHECK(springs_.addChain(chainFrom(start, group, location, starts), location));
    }
    return {};
  }

 private:
  // A root below another one, or a group that names a node of an earlier group.
  bool isTaken(int node, const std::string& location) {
    if (!springs_.isTaken(node)) return false;
    springs_.leaveOut(
        "spring",
        Error{ErrorCode::kMalformed, location,
              "node '" + pathOf(springs_.skeleton(), node) + "' is a joint of another spring", ""});
    return true;
  }

  SpringChain chainFrom(int start, const BoneGroup& group, const std::string& location,
                        std::vector<int>& starts) {
    SpringChain chain;
    chain.name = group.name;
    chain.collider_groups = group.collider_groups;
    chain.center = group.center;
    chain.tail_length_m = kTailLength_m;
    for (int node = start; node >= 0;) {
      SpringJoint joint = group.joint;
      joint.node = node;
      chain.joints.push_back(joint);
      const std::vector<int>& below = children_[toSize(node)];
      if (below.size() > 1) starts.insert(starts.end(), below.rbegin(), below.rend() - 1);
      node = below.empty() || isTaken(below.front(), location) ? -1 : below.front();
    }
    return chain;
  }

  const std::vector<std::vector<int>>& children_;
  SpringCollector& springs_;
};

// Faulty colliders are left out of their group; a faulty group stays as an empty one, so that the
// numbers of the others hold.
void readGroup(const Json& json, const std::string& location, SpringCollector& springs) {
  SpringColliderGroup group;
  Fields fields(json, location);
  const int node = springs.node(fields, "node");
  const Json& colliders = fields.array("colliders");
  springs.leaveOut("collider_group", fields.status());
  for (std::size_t i = 0; node >= 0 && i < colliders.size(); ++i) {
    Fields sphere(colliders[i], location + "." + elementLocation("colliders", i));
    SpringCollider collider;
    collider.node = node;
    collider.offset = vectorFromObject(sphere, "offset", Vec3(0.0)) * Vec3(1, 1, -1);
    collider.radius = sphere.number("radius", 0.0);
    if (collider.radius < 0.0) sphere.fail("'radius' is below 0");
    springs.leaveOut("collider", sphere.status());
    if (!sphere.status()) continue;
    group.colliders.push_back(static_cast<int>(springs.setup().colliders.size()));
    springs.setup().colliders.push_back(collider);
  }
  springs.setup().groups.push_back(std::move(group));
}

}  // namespace

Status readVrm0Springs(const Json& secondary_animation, SpringCollector& springs) {
  Fields fields(secondary_animation, kLocation);
  const Json& collider_groups = fields.array("colliderGroups");
  const Json& bone_groups = fields.array("boneGroups");
  springs.leaveOut("spring", fields.status());
  springs.setup().kind = SpringSetup::Kind::kVrm0;
  for (std::size_t i = 0; i < collider_groups.size(); ++i) {
    readGroup(collider_groups[i], locationIn("colliderGroups", i), springs);
  }
  const std::vector<std::vector<int>> children = childrenOf(springs.skeleton());
  GroupWalk walk(children, springs);
  for (std::size_t i = 0; i < bone_groups.size(); ++i) {
    const std::string location = locationIn("boneGroups", i);
    const auto group = readBoneGroup(bone_groups[i], location, springs);
    if (!group) {
      springs.leaveOut("spring", group.error());
      continue;
    }
    for (int root : group->roots) CLIPMILL_CHECK(walk.addRoot(root, *group, location));
  }
  return {};
}

}  // namespace clipmill::io::gltf
