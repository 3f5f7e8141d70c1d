// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/lost.h"

#include <algorithm>

namespace clipmill::fbx {
namespace {

struct Kind {
  std::string_view type, subtype;  // an empty subtype stands for all
  const char* code;
  const char* text;
};

constexpr Kind kKinds[] = {
    {"NodeAttribute", "Camera", "camera", "cameras are not carried over"},
    {"NodeAttribute", "Light", "light", "lights are not carried over"},
    {"Model", "Camera", "camera", "cameras are not carried over"},
    {"Model", "Light", "light", "lights are not carried over"},
    {"Constraint", "", "constraint", "constraints are not carried over; their result is baked"},
    {"Geometry", "NurbsCurve", "curve_geometry", "curves and patches are not carried over"},
    {"Geometry", "NurbsSurface", "curve_geometry", "curves and patches are not carried over"},
    {"Geometry", "Line", "curve_geometry", "curves and patches are not carried over"},
    {"Deformer", "VertexCacheDeformer", "vertex_cache", "vertex caches are not carried over"},
    {"Character", "", "character_rig", "character definitions are not carried over"},
    {"ControlSetPlug", "", "character_rig", "character definitions are not carried over"},
    {"DisplayLayer", "", "display_layer", "display layers are not carried over"},
    {"CollectionExclusive", "", "display_layer", "display layers are not carried over"},
    {"SelectionNode", "", "selection_set", "selection sets are not carried over"},
};

void countUserProperties(const Object& object, Warnings& lost) {
  const auto modern = object.element.child("Properties70");
  const auto block = modern ? modern : object.element.child("Properties60");
  if (!block) return;
  const std::size_t flags_at = modern ? 3 : 2;
  for (const Element property : block->children()) {
    const std::string flags = property.text(flags_at).value_or("");
    if (flags.find('U') == std::string::npos) continue;
    lost.add("user_property", "properties added by users are not carried over",
             object.name + ": " + property.text(0).value_or(""));
  }
}

void countLayers(const Object& object, Warnings& lost) {
  std::size_t uv_sets = 0;
  for (const Element child : object.element.children()) {
    if (child.name() == "LayerElementUV") ++uv_sets;
  }
  if (uv_sets > 1) {
    lost.add("uv_set", "a mesh has more than one UV set; the first is carried over", object.name,
             uv_sets - 1);
  }
}

bool isCarried(const std::string& property) {
  return property.starts_with("Lcl ") || property == "DeformPercent" || property == "Weight" ||
         property.starts_with("Rotation") || property.starts_with("Scaling") ||
         property == "PreRotation" || property == "PostRotation";
}

}  // namespace

Warnings lostInScene(const Document& document) {
  Warnings lost;
  for (const Object& object : document.objects) {
    for (const Kind& kind : kKinds) {
      if (object.type == kind.type && (kind.subtype.empty() || object.subtype == kind.subtype)) {
        lost.add(kind.code, kind.text, object.name);
      }
    }
    if (object.type == "Model") countUserProperties(object, lost);
    if (object.type == "Geometry" || object.type == "Model") countLayers(object, lost);
  }
  for (const Connection& connection : document.connections) {
    if (connection.property.empty() || isCarried(connection.property)) continue;
    if (document.object(connection.child).type != "AnimationCurveNode") continue;
    if (document.children[static_cast<std::size_t>(connection.child)].empty()) continue;
    lost.add("animated_property", "curves on other properties are not carried over",
             connection.property);
  }
  return lost;
}

}  // namespace clipmill::fbx
