// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/face_shapes.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "core/text.h"

namespace clipmill {
namespace {

constexpr std::array<std::string_view, 52> kShapes = {
    "browDownLeft",      "browDownRight",      "browInnerUp",         "browOuterUpLeft",
    "browOuterUpRight",  "cheekPuff",          "cheekSquintLeft",     "cheekSquintRight",
    "eyeBlinkLeft",      "eyeBlinkRight",      "eyeLookDownLeft",     "eyeLookDownRight",
    "eyeLookInLeft",     "eyeLookInRight",     "eyeLookOutLeft",      "eyeLookOutRight",
    "eyeLookUpLeft",     "eyeLookUpRight",     "eyeSquintLeft",       "eyeSquintRight",
    "eyeWideLeft",       "eyeWideRight",       "jawForward",          "jawLeft",
    "jawOpen",           "jawRight",           "mouthClose",          "mouthDimpleLeft",
    "mouthDimpleRight",  "mouthFrownLeft",     "mouthFrownRight",     "mouthFunnel",
    "mouthLeft",         "mouthLowerDownLeft", "mouthLowerDownRight", "mouthPressLeft",
    "mouthPressRight",   "mouthPucker",        "mouthRight",          "mouthRollLower",
    "mouthRollUpper",    "mouthShrugLower",    "mouthShrugUpper",     "mouthSmileLeft",
    "mouthSmileRight",   "mouthStretchLeft",   "mouthStretchRight",   "mouthUpperUpLeft",
    "mouthUpperUpRight", "noseSneerLeft",      "noseSneerRight",      "tongueOut"};

bool endsWithSide(const std::string& name, std::string_view side) {
  return name.size() > side.size() && name.ends_with(side);
}

// Letters and digits, small, with one letter for the side.
std::string plainName(std::string_view name) {
  const std::size_t point = name.rfind('.');
  if (point != std::string_view::npos) name.remove_prefix(point + 1);
  std::string plain;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      plain += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      plain += c;
    }
  }
  if (endsWithSide(plain, "left")) plain.replace(plain.size() - 4, 4, "l");
  if (endsWithSide(plain, "right")) plain.replace(plain.size() - 5, 5, "r");
  return plain;
}

const std::map<std::string, std::string_view>& shapesByPlainName() {
  static const std::map<std::string, std::string_view> shapes = [] {
    std::map<std::string, std::string_view> by_name;
    for (const std::string_view shape : kShapes) by_name.emplace(plainName(shape), shape);
    return by_name;
  }();
  return shapes;
}

using Binds = std::map<std::string_view, std::vector<MorphBind>>;

// The morph targets that `shapeOf` names, by shape.
template <class ShapeOf>
Binds bindsOf(const Scene& scene, const ShapeOf& shapeOf) {
  Binds binds;
  for (const SkinnedMesh& mesh : scene.meshes) {
    for (std::size_t m = 0; m < mesh.morphs.size(); ++m) {
      const auto shape = shapeOf(mesh.morphs[m].name);
      if (!shape) continue;
      std::vector<MorphBind>& list = binds[*shape];
      const int morph = static_cast<int>(m);
      const bool is_known = std::any_of(list.begin(), list.end(), [&](const MorphBind& bind) {
        return bind.node == mesh.node && bind.morph == morph;  // another primitive of the mesh
      });
      if (!is_known) list.push_back({mesh.node, morph, 1.0});
    }
  }
  return binds;
}

void addExpression(std::string_view shape, std::vector<MorphBind> binds, Scene& scene) {
  Expression expression;
  expression.name = shape;
  expression.is_custom = true;
  expression.binds = std::move(binds);
  scene.face.expressions.push_back(std::move(expression));
}

// The expression with that shape: exactly, or in another spelling; null for none.
const Expression* expressionOf(const Scene& scene, std::string_view shape) {
  for (const Expression& expression : scene.face.expressions) {
    if (expression.name == shape) return &expression;
  }
  for (const Expression& expression : scene.face.expressions) {
    if (faceShapeOf(expression.name) == shape) return &expression;
  }
  return nullptr;
}

}  // namespace

std::span<const std::string_view> faceShapeNames() { return kShapes; }

std::optional<std::string_view> faceShapeOf(std::string_view name) {
  const auto found = shapesByPlainName().find(plainName(name));
  if (found == shapesByPlainName().end()) return std::nullopt;
  return found->second;
}

bool isFaceAlone(const Scene& scene) {
  return scene.face.is_animation && scene.humanoid.empty() && !scene.face.expressions.empty();
}

bool isFacePair(std::string_view pair) {
  const std::size_t equals = pair.find('=');
  return equals != std::string_view::npos &&
         faceShapeOf(trimmed(pair.substr(0, equals))).has_value();
}

Status addFaceShapes(Scene& scene, std::span<const std::string> pairs) {
  Binds binds = bindsOf(scene, faceShapeOf);
  for (const std::string& pair : pairs) {
    if (!isFacePair(pair)) continue;
    const std::size_t equals = pair.find('=');
    const std::string_view shape = *faceShapeOf(trimmed(pair.substr(0, equals)));
    const std::string morph(trimmed(std::string_view(pair).substr(equals + 1)));
    Binds given = bindsOf(scene, [&](const std::string& name) {
      return name == morph ? std::optional(shape) : std::nullopt;
    });
    if (given.empty()) {
      return Error{ErrorCode::kNotFound, "map '" + pair + "'",
                   "no mesh has the morph target '" + morph + "'",
                   "see the morph targets of the file in a viewer"};
    }
    binds[shape] = std::move(given[shape]);
  }
  for (const std::string_view shape : kShapes) {
    const Expression* known = expressionOf(scene, shape);
    if (known && known->name == shape) continue;
    if (known) {
      Expression copy = *known;
      copy.name = shape;
      scene.face.expressions.push_back(std::move(copy));
    } else if (binds.count(shape) > 0) {
      addExpression(shape, std::move(binds[shape]), scene);
    }
  }
  return {};
}

}  // namespace clipmill
