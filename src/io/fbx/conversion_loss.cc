// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/conversion_loss.h"

#include <algorithm>

#include "core/to_size.h"

namespace clipmill::io::fbx {
namespace {

struct Kind {
  std::string_view type, subtype;  // an empty subtype matches all
  const char* code;
  const char* text;
};

constexpr Kind kKinds[] = {
    {"NodeAttribute", "Camera", "camera", "cameras are dropped"},
    {"NodeAttribute", "Light", "light", "lights are dropped"},
    {"Model", "Camera", "camera", "cameras are dropped"},
    {"Model", "Light", "light", "lights are dropped"},
    {"Constraint", "", "constraint", "constraints are dropped; their result is baked"},
    {"Geometry", "NurbsCurve", "curve_geometry", "curves and patches are dropped"},
    {"Geometry", "NurbsSurface", "curve_geometry", "curves and patches are dropped"},
    {"Geometry", "Line", "curve_geometry", "curves and patches are dropped"},
    {"Deformer", "VertexCacheDeformer", "vertex_cache", "vertex caches are dropped"},
    {"Character", "", "character_rig", "character definitions are dropped"},
    {"ControlSetPlug", "", "character_rig", "character definitions are dropped"},
    {"DisplayLayer", "", "display_layer", "display layers are dropped"},
    {"CollectionExclusive", "", "display_layer", "display layers are dropped"},
    {"SelectionNode", "", "selection_set", "selection sets are dropped"},
};

// Layers of a mesh, of which a scene stores the first `kept` ones.
struct Layer {
  std::string_view element, code, text;
  std::size_t kept;
};

constexpr Layer kLayers[] = {
    {"LayerElementUV", "uv_set", "a mesh has more than one UV set; only the first one is kept", 1},
    {"LayerElementColor", "color_set",
     "a mesh has more than one set of vertex colors; only the first one is kept", 1},
    {"LayerElementTangent", "tangents", "tangents of vertices are dropped", 0},
    {"LayerElementBinormal", "tangents", "tangents of vertices are dropped", 0},
};

void countProperties(const Object& object, Warnings& losses) {
  const auto modern = object.element.child("Properties70");
  const auto block = modern ? modern : object.element.child("Properties60");
  if (!block) return;
  const std::size_t flags_at = modern ? 3 : 2, value_at = flags_at + 1;
  for (const Element property : block->children()) {
    const std::string name = property.text(0).value_or("");
    if (property.text(flags_at).value_or("").find('U') != std::string::npos) {
      losses.add("user_property", "user properties are dropped", object.name + ": " + name);
    }
    if ((name == "Visibility" || name == "Show") && property.number(value_at) == 0.0) {
      losses.add("visibility", "a hidden node is visible after the conversion", object.name);
    }
  }
}

void countLayers(const Object& object, Warnings& losses) {
  for (const Layer& layer : kLayers) {
    std::size_t count = 0;
    for (const Element child : object.element.children()) {
      if (child.name() == layer.element) ++count;
    }
    if (count > layer.kept) losses.add(layer.code, layer.text, object.name, count - layer.kept);
  }
}

bool isCarried(const std::string& property) {
  return property.starts_with("Lcl ") || property == "DeformPercent" || property == "Weight" ||
         property.starts_with("Rotation") || property.starts_with("Scaling") ||
         property == "PreRotation" || property == "PostRotation";
}

}  // namespace

Warnings conversionLossOf(const Document& document) {
  Warnings losses;
  for (const Object& object : document.objects) {
    for (const Kind& kind : kKinds) {
      if (object.type == kind.type && (kind.subtype.empty() || object.subtype == kind.subtype)) {
        losses.add(kind.code, kind.text, object.name);
      }
    }
    if (object.type == "Model") countProperties(object, losses);
    if (object.type == "Geometry" || object.type == "Model") countLayers(object, losses);
  }
  for (const Connection& connection : document.connections) {
    if (connection.property.empty() || isCarried(connection.property)) continue;
    if (document.object(connection.child).type != "AnimationCurveNode") continue;
    if (document.children[toSize(connection.child)].empty()) continue;
    losses.add("animated_property", "curves on other properties are dropped", connection.property);
  }
  return losses;
}

}  // namespace clipmill::io::fbx
