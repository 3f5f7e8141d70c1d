// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// VRMC_vrm_animation 1.0.
#include <nlohmann/json.hpp>

#include "io/gltf/write_parts.h"

namespace clipmill::io::gltf {

void glb_writer::writeVrmAnimation(const Scene& scene, Extensions& extensions,
                                   nlohmann::ordered_json& root) {
  using GltfJson = nlohmann::ordered_json;
  GltfJson json = {{"specVersion", "1.0"}};
  GltfJson bones = GltfJson::object();
  for (const DeclaredRole& role : scene.humanoid) bones[role.role] = {{"node", role.node}};
  json["humanoid"]["humanBones"] = std::move(bones);
  for (const Expression& expression : scene.face.expressions) {
    if (expression.weight_node < 0) continue;
    const char* group = expression.is_custom ? "custom" : "preset";
    json["expressions"][group][expression.name] = {{"node", expression.weight_node}};
  }
  const Gaze& gaze = scene.face.gaze;
  if (gaze.kind == Gaze::Kind::kNode) {
    const Vec3& offset = gaze.offset_from_head;
    json["lookAt"] = {{"node", gaze.node}, {"offsetFromHeadBone", {offset.x, offset.y, offset.z}}};
  }
  root["extensions"]["VRMC_vrm_animation"] = std::move(json);
  extensions.insert({"VRMC_vrm_animation", false});
}

}  // namespace clipmill::io::gltf
