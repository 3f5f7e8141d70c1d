// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/write_nodes.h"

#include "core/to_size.h"
#include "io/fbx/new_curve.h"

namespace clipmill::io::fbx {
namespace {

const char* subtypeOf(ModelKind kind) {
  switch (kind) {
    case ModelKind::kLimb:
      return "LimbNode";
    case ModelKind::kMesh:
      return "Mesh";
    case ModelKind::kCamera:
      return "Camera";
    case ModelKind::kLight:
      return "Light";
    case ModelKind::kNull:
      break;
  }
  return "Null";
}

std::int32_t inheritType(InheritScale inherit) {
  switch (inherit) {
    case InheritScale::kComponentwise:
      return 0;
    case InheritScale::kSkipParent:
      return 2;
    case InheritScale::kAll:
      break;
  }
  return 1;
}

NewElement vectorProperty(const std::string& name, const Vec3& v) {
  return propertyElement(name, name, "", "A", {v.x, v.y, v.z});
}

std::vector<char> nodesWithVertices(const Scene& scene) {
  std::vector<char> has_vertices(scene.skeleton.size(), 0);
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.skin < 0) continue;
    const Skin& skin = scene.skins[toSize(mesh.skin)];
    for (const Influence& influence : mesh.influences) {
      if (!(influence.weight > 0.0)) continue;
      has_vertices[toSize(skin.joints[influence.joint])] = 1;
    }
  }
  return has_vertices;
}

// A topmost joint without vertices and with a single child represents the whole skeleton. As a limb
// it would remove the translation of its child in Blender, which connects a bone to the end of its
// parent where both coincide; as a Null it becomes the armature.
void freeRoots(const Scene& scene, std::vector<ModelKind>& kinds) {
  const std::vector<Node>& nodes = scene.skeleton.nodes;
  const std::vector<char> has_vertices = nodesWithVertices(scene);
  std::vector<int> limbs_below(nodes.size(), 0);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].parent < 0 || kinds[n] != ModelKind::kLimb) continue;
    ++limbs_below[toSize(nodes[n].parent)];
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const int parent = nodes[n].parent;
    const bool is_top = parent < 0 || kinds[toSize(parent)] != ModelKind::kLimb;
    if (kinds[n] == ModelKind::kLimb && is_top && !has_vertices[n] && limbs_below[n] == 1) {
      kinds[n] = ModelKind::kNull;
    }
  }
}

NewElement customElement(const CustomProperty& property) {
  const auto element = [&](const char* type, const char* label, const char* flags,
                           std::vector<NewValue> values) {
    return propertyElement(property.name, type, label, flags, std::move(values));
  };
  if (const auto* v = std::get_if<Vec3>(&property.value)) {
    return element("Vector3D", "Vector", "AU", {v->x, v->y, v->z});
  }
  if (const auto* b = std::get_if<bool>(&property.value)) {
    return element("bool", "", "AU", {std::int32_t{*b}});
  }
  if (const auto* text = std::get_if<std::string>(&property.value)) {
    return element("KString", "", "U", {*text});
  }
  if (const auto* i = std::get_if<std::int64_t>(&property.value)) {
    const auto narrow = static_cast<std::int32_t>(*i);
    if (narrow == *i) return element("int", "Integer", "AU", {narrow});
    return element("double", "Number", "AU", {static_cast<double>(*i)});
  }
  return element("double", "Number", "AU", {std::get<double>(property.value)});
}

std::vector<ModelKind> kindsOfJointsAndMeshes(const Scene& scene) {
  const std::vector<Node>& nodes = scene.skeleton.nodes;
  const bool is_bare = scene.skins.empty() && scene.meshes.empty();
  std::vector<ModelKind> kinds(nodes.size(), is_bare ? ModelKind::kLimb : ModelKind::kNull);
  if (is_bare) return kinds;
  std::vector<char> is_joint(nodes.size(), 0), has_joint_above(nodes.size(), 0),
      has_joint_below(nodes.size(), 0);
  for (const Skin& skin : scene.skins) {
    for (const int joint : skin.joints) is_joint[toSize(joint)] = 1;
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].parent < 0) continue;
    const auto parent = toSize(nodes[n].parent);
    has_joint_above[n] = is_joint[parent] || has_joint_above[parent];
  }
  for (std::size_t n = nodes.size(); n-- > 0;) {
    if (nodes[n].parent < 0) continue;
    const auto parent = toSize(nodes[n].parent);
    if (is_joint[n] || has_joint_below[n]) has_joint_below[parent] = 1;
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (is_joint[n] || (has_joint_above[n] && has_joint_below[n])) kinds[n] = ModelKind::kLimb;
  }
  freeRoots(scene, kinds);
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.triangles.empty()) continue;
    kinds[toSize(mesh.node)] = ModelKind::kMesh;
  }
  return kinds;
}

}  // namespace

std::vector<ModelKind> modelKinds(const Scene& scene) {
  std::vector<ModelKind> kinds = kindsOfJointsAndMeshes(scene);
  for (const SceneCamera& camera : scene.cameras) kinds[toSize(camera.node)] = ModelKind::kCamera;
  for (const SceneLight& light : scene.lights) kinds[toSize(light.node)] = ModelKind::kLight;
  return kinds;
}

std::vector<NewElement> modelElements(const Node& node) {
  std::vector<NewElement> properties = {
      boolProperty("RotationActive", true),
      enumProperty("InheritType", inheritType(node.inherit)),
      propertyElement("DefaultAttributeIndex", "int", "Integer", "", {std::int32_t{0}}),
      vectorProperty("Lcl Translation", node.rest.translation),
      vectorProperty("Lcl Rotation", toEuler(node.rest.rotation, EulerOrder::kXyz)),
      vectorProperty("Lcl Scaling", node.rest.scale),
  };
  if (!node.is_visible) {
    properties.push_back(propertyElement("Visibility", "Visibility", "", "A", {0.0}));
  }
  for (const CustomProperty& property : node.custom) properties.push_back(customElement(property));
  return {leaf("Version", std::int32_t{232}), block("Properties70", std::move(properties)),
          leaf("Shading", Word{'T'}), leaf("Culling", std::string("CullingOff"))};
}

std::vector<NewElement> limbElements() {
  std::vector<NewElement> properties = {propertyElement("Size", "double", "Number", "", {1.0})};
  return {block("Properties70", std::move(properties)), leaf("TypeFlags", std::string("Skeleton"))};
}

WrittenIds writeNodes(const Scene& scene, FileBuilder& file) {
  WrittenIds ids;
  ids.kinds = modelKinds(scene);
  ids.channels.assign(scene.skeleton.rest_weights.size(), 0);
  for (std::size_t n = 0; n < scene.skeleton.size(); ++n) {
    const Node& node = scene.skeleton.nodes[n];
    const std::int64_t id =
        file.add("Model", node.name, "Model", subtypeOf(ids.kinds[n]), modelElements(node));
    ids.models.push_back(id);
    file.connect(id, node.parent < 0 ? 0 : ids.models[toSize(node.parent)]);
    if (ids.kinds[n] != ModelKind::kLimb) continue;
    file.connect(file.add("NodeAttribute", node.name, "NodeAttribute", "LimbNode", limbElements()),
                 id);
  }
  return ids;
}

}  // namespace clipmill::io::fbx
