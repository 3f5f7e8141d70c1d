// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/vrm.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/vrm_face.h"
#include "io/gltf/vrm_springs.h"

namespace clipmill::io::gltf {
namespace {

// VRM 1.0 gave the bones of the thumb other names (VRMC_vrm 1.0, humanoid).
std::string roleOfVrm0(std::string role) {
  const auto renamed = [&](const char* old_end, const char* new_end) {
    if (!role.ends_with(old_end)) return false;
    role.replace(role.size() - std::string_view(old_end).size(), std::string::npos, new_end);
    return true;
  };
  if (!renamed("ThumbProximal", "ThumbMetacarpal")) {
    renamed("ThumbIntermediate", "ThumbProximal");
  }
  return role;
}

// Roles of nodes; each role and each node counts once.
class RoleReader {
 public:
  RoleReader(const std::vector<int>& node_of_source, Scene& scene)
      : node_of_source_(node_of_source), scene_(scene), has_role_(scene.skeleton.size(), false) {}

  // VRMC_vrm and VRMC_vrm_animation: {"hips": {"node": 3}, ..}.
  void readObject(const Json& extension, const std::string& location) {
    Fields fields(extension, location);
    Fields humanoid(fields.object("humanoid"), location + ".humanoid");
    const Json& bones = humanoid.object("humanBones");
    warnOf(fields.status());
    warnOf(humanoid.status());
    for (const auto& [role, bone] : bones.items()) add(bone, role, location + "." + role);
  }

  // VRM 0.x: [{"bone": "hips", "node": 3}, ..].
  void readArray(const Json& extension, const std::string& location) {
    Fields fields(extension, location);
    Fields humanoid(fields.object("humanoid"), location + ".humanoid");
    const Json& bones = humanoid.array("humanBones");
    warnOf(fields.status());
    warnOf(humanoid.status());
    for (std::size_t i = 0; i < bones.size(); ++i) {
      Fields bone(bones[i], location + "." + elementLocation("humanBones", i));
      const std::string role = bone.requiredText("bone");
      warnOf(bone.status());
      if (bone.status()) add(bones[i], roleOfVrm0(role), bone.location());
    }
  }

 private:
  void add(const Json& bone, const std::string& role, const std::string& location) {
    Fields fields(bone, location);
    const int source = fields.requiredIndex("node", node_of_source_.size());
    const int node = source < 0 ? -1 : node_of_source_[toSize(source)];
    if (std::any_of(scene_.humanoid.begin(), scene_.humanoid.end(),
                    [&](const DeclaredRole& given) { return given.role == role; })) {
      fields.fail("'" + role + "' is assigned to another node");
    }
    if (node >= 0 && has_role_[toSize(node)]) {
      fields.fail("the node has another role");
    }
    if (scene_.humanoid.size() == kMostRoles) fields.fail("exceeds the number of roles");
    warnOf(fields.status());
    if (!fields.status()) return;
    has_role_[toSize(node)] = true;
    scene_.humanoid.push_back({role, node});
  }

  void warnOf(const Status& fault) {
    if (fault) return;
    scene_.warnings.add("humanoid_role_left_out", "a humanoid role is invalid and is ignored",
                        describe(fault.error()));
  }

  // More than any version of the format knows; bounds the search for doubles.
  static constexpr std::size_t kMostRoles = 256;

  const std::vector<int>& node_of_source_;
  Scene& scene_;
  std::vector<bool> has_role_;
};

// Expressions and gaze, and the direction in which the T-pose faces. Of files with several versions
// the newest counts.
void readFace(const Json& root, Fields& extensions, const std::vector<int>& node_of_source,
              Scene& scene) {
  const Vec3 forward(0.0, 0.0, 1.0);
  if (extensions.has("VRMC_vrm_animation")) {
    readAnimationFace(extensions.anything("VRMC_vrm_animation"), node_of_source, scene);
    scene.face.is_animation = true;
    scene.t_pose_front = forward;
  } else if (extensions.has("VRMC_vrm")) {
    readVrm1Face(extensions.anything("VRMC_vrm"), node_of_source, scene);
    scene.t_pose_front = forward;
  } else if (extensions.has("VRM")) {
    readVrm0Face(extensions.anything("VRM"), root, node_of_source, scene);
    scene.t_pose_front = -forward;
  }
}

}  // namespace

Status readVrm(const Document& document, const std::vector<int>& node_of_source,
               AccessorReader& accessors, Scene& scene) {
  Fields root(*document.json, "");
  Fields extensions(root.object("extensions"), "extensions");
  RoleReader roles(node_of_source, scene);
  for (const char* name : {"VRMC_vrm", "VRMC_vrm_animation"}) {
    const std::string location = std::string("extensions.") + name;
    if (extensions.has(name)) roles.readObject(extensions.anything(name), location);
  }
  const Json& vrm0 = extensions.anything("VRM");
  if (extensions.has("VRM")) roles.readArray(vrm0, "extensions.VRM");
  readFace(*document.json, extensions, node_of_source, scene);

  SpringCollector springs(node_of_source, accessors, scene);
  if (extensions.has("VRMC_springBone")) {
    return readVrm1Springs(extensions.anything("VRMC_springBone"), springs);
  }
  Fields vrm0_fields(vrm0, "extensions.VRM");
  if (!vrm0_fields.has("secondaryAnimation")) return {};
  return readVrm0Springs(vrm0_fields.anything("secondaryAnimation"), springs);
}

}  // namespace clipmill::io::gltf
