// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/conversion_loss.h"

#include "core/to_size.h"
#include "io/fbx/read_custom.h"
#include "io/fbx/read_views.h"

namespace clipmill::io::fbx {
namespace {

struct Kind {
  std::string_view type, subtype;  // an empty subtype matches all
  const char* code;
  const char* text;
};

constexpr Kind kKinds[] = {
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

// Whether a Model above it is hidden, with all below.
bool isBelowHidden(const Document& document, int model) {
  // Models may hang in a circle.
  for (std::size_t steps = 0; model >= 0 && steps < document.objects.size(); ++steps) {
    model = document.parentOf(model, "Model");
    if (model >= 0 && isHidden(document, model)) return true;
  }
  return false;
}

void countProperties(const Document& document, int model, Warnings& losses) {
  const Object& object = document.object(model);
  for (const std::string& name : customPropertiesOf(object).dropped) {
    losses.add("user_property",
               "user properties of other types than numbers, texts and vectors are dropped",
               object.name + ": " + name);
  }
  const Properties properties = document.properties(model);
  if (properties.number("Show").value_or(1.0) == 0.0 && !isHidden(document, model)) {
    losses.add("visibility", "a hidden node with others below it is visible after the conversion",
               object.name);
  }
  if (properties.number("Visibility Inheritance").value_or(1.0) == 0.0 &&
      isBelowHidden(document, model)) {
    losses.add("visibility", "a visible node below a hidden one is hidden after the conversion",
               object.name);
  }
}

// Those of the first set are carried. Binormals go with tangents, as their sides.
void countTangents(const Object& object, Warnings& losses) {
  std::size_t tangents = 0;
  for (const Element child : object.element.children()) {
    if (child.name() != "LayerElementTangent") continue;
    if (!object.element.child("LayerElementNormal")) {
      losses.add("tangents", "tangents without normals are dropped", object.name);
    } else if (tangents > 0) {
      losses.add("tangents", "tangents of further sets of texture coordinates are dropped",
                 object.name);
    }
    ++tangents;
  }
  if (tangents == 0 && object.element.child("LayerElementBinormal")) {
    losses.add("tangents", "binormals without tangents are dropped", object.name);
  }
}

void countViews(const Document& document, int model, Warnings& losses) {
  const int light = viewAttributeOf(document, model, "Light");
  if (light >= 0 && !isCarriedLight(document, light)) {
    losses.add("light", "area and volume lights are dropped", document.object(model).name);
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
  for (std::size_t o = 0; o < document.objects.size(); ++o) {
    const Object& object = document.objects[o];
    for (const Kind& kind : kKinds) {
      if (object.type == kind.type && (kind.subtype.empty() || object.subtype == kind.subtype)) {
        losses.add(kind.code, kind.text, object.name);
      }
    }
    if (object.type == "Model") {
      countProperties(document, static_cast<int>(o), losses);
      countViews(document, static_cast<int>(o), losses);
    }
    if (object.type == "Geometry" || object.type == "Model") countTangents(object, losses);
  }
  for (const Connection& connection : document.connections) {
    if (connection.property == "LookAtProperty") {
      losses.add("camera_target", "targets of cameras and lights are dropped; rotations stay",
                 document.object(connection.child).name);
    }
    if (connection.property.empty() || isCarried(connection.property)) continue;
    if (document.object(connection.child).type != "AnimationCurveNode") continue;
    if (document.children[toSize(connection.child)].empty()) continue;
    losses.add("animated_property", "curves on other properties are dropped", connection.property);
  }
  return losses;
}

}  // namespace clipmill::io::fbx
