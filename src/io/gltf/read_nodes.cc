// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/custom_properties.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/read_parts.h"

namespace clipmill::io::gltf {
namespace {

// Exporters round: a quaternion may be so much longer or shorter than 1.
constexpr double kUnitTolerance = 1e-3;
// A matrix whose columns lean by more than this cosine is no translation, rotation and scale.
constexpr double kShearTolerance = 1e-4;

struct Hierarchy {
  std::vector<int> parent;  // by glTF node index
  std::vector<std::vector<int>> children;
};

Result<Hierarchy> readHierarchy(const Json& nodes) {
  Hierarchy hierarchy{std::vector<int>(nodes.size(), -1),
                      std::vector<std::vector<int>>(nodes.size())};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Fields node(nodes[i], elementLocation("nodes", i));
    hierarchy.children[i] = node.indices("children", nodes.size());
    for (int child : hierarchy.children[i]) {
      int& parent = hierarchy.parent[toSize(child)];
      if (parent >= 0) node.fail("shares child " + std::to_string(child) + " with another node");
      parent = static_cast<int>(i);
    }
    CLIPMILL_CHECK(node.status());
  }
  return hierarchy;
}

// glTF node indices, every parent before its children; shorter than the nodes where some form a
// cycle, for then no root leads to them.
std::vector<int> parentFirst(const Hierarchy& hierarchy) {
  std::vector<int> order, open;
  for (std::size_t i = hierarchy.parent.size(); i-- > 0;) {
    if (hierarchy.parent[i] < 0) open.push_back(static_cast<int>(i));
  }
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    order.push_back(node);
    const auto& children = hierarchy.children[toSize(node)];
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  return order;
}

Transform restOf(Fields& node, Warnings& warnings) {
  Transform rest;
  if (const auto m = node.numbers("matrix", 16)) {
    const auto& v = *m;
    const Affine map{Mat3(v[0], v[1], v[2], v[4], v[5], v[6], v[8], v[9], v[10]),
                     Vec3(v[12], v[13], v[14])};
    double shear = 0.0;
    rest = decompose(map, &shear);
    if (!isFinite(rest.translation) || !isFinite(rest.rotation) || !isFinite(rest.scale)) {
      node.fail("'matrix' has values that are too large");
    }
    if (shear > kShearTolerance) {
      warnings.add("matrix_with_shear", "a node's matrix has shear, which is dropped",
                   node.location());
    }
    return rest;
  }
  if (const auto t = node.numbers("translation", 3))
    rest.translation = Vec3((*t)[0], (*t)[1], (*t)[2]);
  if (const auto r = node.numbers("rotation", 4)) {
    const Quat rotation((*r)[3], (*r)[0], (*r)[1], (*r)[2]);
    if (std::abs(std::sqrt(glm::dot(rotation, rotation)) - 1.0) > kUnitTolerance) {
      warnings.add("rotation_not_unit", "a quaternion is not of length 1; it is normalised",
                   node.location());
    }
    rest.rotation = normalizedOrIdentity(rotation);
  }
  if (const auto s = node.numbers("scale", 3)) rest.scale = Vec3((*s)[0], (*s)[1], (*s)[2]);
  return rest;
}

// The node's own weights, or its mesh's, or zeros: as many as the mesh has morph targets.
Result<std::vector<double>> restWeights(const Document& document, AccessorReader& accessors,
                                        Fields& node) {
  Fields root(*document.json, "");
  const Json& meshes = root.array("meshes");
  const int mesh = node.index("mesh", meshes.size());
  CLIPMILL_CHECK(node.status());
  if (mesh < 0) return std::vector<double>();
  const std::size_t i = toSize(mesh);
  Fields mesh_fields(meshes[i], elementLocation("meshes", i));
  std::vector<double> weights =
      node.has("weights") ? node.allNumbers("weights") : mesh_fields.allNumbers("weights");
  CLIPMILL_CHECK(node.status());
  CLIPMILL_CHECK(mesh_fields.status());
  const std::size_t count = morphTargetCount(meshes[i]);
  CLIPMILL_CHECK(accessors.charge(static_cast<double>(count) * sizeof(double)));
  weights.resize(count, 0.0);
  return weights;
}

}  // namespace

std::size_t morphTargetCount(const Json& mesh) {
  const auto primitives = mesh.find("primitives");
  if (primitives == mesh.end() || !primitives->is_array() || primitives->empty()) return 0;
  const Json& first = primitives->front();
  if (!first.is_object()) return 0;
  const auto targets = first.find("targets");
  return targets != first.end() && targets->is_array() ? targets->size() : 0;
}

Status readNodes(const Document& document, AccessorReader& accessors, Scene& scene,
                 std::vector<int>& node_of_source) {
  Fields root(*document.json, "");
  const Json& nodes = root.array("nodes");
  CLIPMILL_CHECK(root.status());
  CLIPMILL_TRY(const Hierarchy hierarchy, readHierarchy(nodes));
  const std::vector<int> order = parentFirst(hierarchy);
  if (order.size() < nodes.size()) {
    return Error{ErrorCode::kMalformed, "nodes", "contain a cycle: a node is its own ancestor", ""};
  }
  node_of_source.assign(nodes.size(), -1);
  for (int source : order) {
    const std::size_t i = toSize(source);
    Fields fields(nodes[i], elementLocation("nodes", i));
    Node node;
    node.name = fields.text("name", "#" + std::to_string(source));
    node.source_id = source;
    const int parent = hierarchy.parent[i];
    node.parent = parent < 0 ? -1 : node_of_source[toSize(parent)];
    node.rest = restOf(fields, scene.warnings);
    CLIPMILL_TRY(const std::vector<double> weights, restWeights(document, accessors, fields));
    node.weights_start = static_cast<int>(scene.skeleton.rest_weights.size());
    node.weights_count = static_cast<int>(weights.size());
    scene.skeleton.rest_weights.insert(scene.skeleton.rest_weights.end(), weights.begin(),
                                       weights.end());
    CLIPMILL_CHECK(fields.status());
    readNodeExtras(nodes[i], node);
    node_of_source[i] = static_cast<int>(scene.skeleton.nodes.size());
    scene.skeleton.nodes.push_back(std::move(node));
  }
  return {};
}

Status readSkins(const Document& document, const std::vector<int>& node_of_source,
                 AccessorReader& accessors, Scene& scene) {
  Fields root(*document.json, "");
  const Json& skins = root.array("skins");
  CLIPMILL_CHECK(root.status());
  for (std::size_t i = 0; i < skins.size(); ++i) {
    Fields fields(skins[i], elementLocation("skins", i));
    Skin skin;
    skin.name = fields.text("name", "");
    for (int joint : fields.indices("joints", node_of_source.size())) {
      skin.joints.push_back(node_of_source[toSize(joint)]);
    }
    const int matrices = fields.index("inverseBindMatrices", accessors.count());
    CLIPMILL_CHECK(fields.status());
    CLIPMILL_CHECK(accessors.charge(static_cast<double>(skin.joints.size()) *
                                    static_cast<double>(sizeof(int) + sizeof(Affine))));
    skin.joint_from_bind.resize(skin.joints.size());
    if (matrices >= 0) {
      auto accessor = accessors.read(matrices, 16);
      if (!accessor) return within(fields.location(), accessor.error());
      if (accessor->count < skin.joints.size()) {
        fields.fail("has " + std::to_string(skin.joints.size()) + " joints but only " +
                    std::to_string(accessor->count) + " inverse bind matrices");
        return fields.status();
      }
      for (std::size_t j = 0; j < skin.joints.size(); ++j) {
        const double* v = &accessor->values[j * 16];
        skin.joint_from_bind[j] = {Mat3(v[0], v[1], v[2], v[4], v[5], v[6], v[8], v[9], v[10]),
                                   Vec3(v[12], v[13], v[14])};
      }
    }
    scene.skins.push_back(std::move(skin));
  }
  return {};
}

}  // namespace clipmill::io::gltf
