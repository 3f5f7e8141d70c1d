// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/vrm_face.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/to_size.h"

namespace clipmill::io::gltf {
namespace {

// The names of VRM 1.0 for presets of VRM 0.x (VRMC_vrm 1.0, expressions).
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kPresetsOfVrm0 = {{
    {"neutral", "neutral"},
    {"a", "aa"},
    {"i", "ih"},
    {"u", "ou"},
    {"e", "ee"},
    {"o", "oh"},
    {"blink", "blink"},
    {"joy", "happy"},
    {"angry", "angry"},
    {"sorrow", "sad"},
    {"fun", "relaxed"},
    {"lookup", "lookUp"},
    {"lookdown", "lookDown"},
    {"lookleft", "lookLeft"},
    {"lookright", "lookRight"},
    {"blink_l", "blinkLeft"},
    {"blink_r", "blinkRight"},
}};

constexpr double kDefaultEyes_deg = 10.0;

// Takes over expressions one by one; each name counts once.
class FaceReader {
 public:
  FaceReader(const std::vector<int>& node_of_source, Scene& scene)
      : node_of_source_(node_of_source), scene_(scene) {}

  // Skeleton index of the node that a required member names; -1 with a fault of `fields`.
  int node(Fields& fields, const char* key) const {
    const int source = fields.requiredIndex(key, node_of_source_.size());
    const int node = source < 0 ? -1 : node_of_source_[toSize(source)];
    if (source >= 0 && node < 0) fields.fail("the node is in no scene");
    return node;
  }

  void bind(Fields& fields, int node, const char* index_key, double weight,
            Expression& expression) {
    const auto morph = static_cast<int>(fields.requiredInteger(index_key, 0, kMostMorphs));
    if (node >= 0 && morph >= scene_.skeleton.nodes[toSize(node)].weights_count) {
      fields.fail("the node has no such morph");
    }
    leaveOut(fields.status());
    if (fields.status()) expression.binds.push_back({node, morph, weight});
  }

  void add(Expression expression, const std::string& location) {
    if (names_.insert(expression.name).second) {
      scene_.face.expressions.push_back(std::move(expression));
    } else {
      leaveOut(Error{ErrorCode::kMalformed, location,
                     "'" + expression.name + "' is the name of another expression", ""});
    }
  }

  void leaveOut(const Status& fault) {
    if (fault) return;
    scene_.warnings.add("expression_left_out",
                        "an expression, or a part of it, is invalid and is ignored",
                        describe(fault.error()));
  }

  void warnOfMaterials(const std::string& location) {
    scene_.warnings.add("expression_material_ignored",
                        "an expression changes materials, which clips cannot animate", location);
  }

  Scene& scene() { return scene_; }

 private:
  static constexpr std::int64_t kMostMorphs = 1 << 20;

  const std::vector<int>& node_of_source_;
  Scene& scene_;
  std::set<std::string> names_;
};

ExpressionOverride overrideOf(Fields& fields, const char* key) {
  const std::string text = fields.text(key, "none");
  if (text == "block") return ExpressionOverride::kBlock;
  return text == "blend" ? ExpressionOverride::kBlend : ExpressionOverride::kNone;
}

// -- VRM 1.0 and VRMA

// Calls `read` with every expression of {"preset": {..}, "custom": {..}}.
template <typename Read>
void forEachExpression(const Json& extension, const std::string& location, FaceReader& face,
                       Read read) {
  Fields fields(extension, location);
  Fields expressions(fields.object("expressions"), location + ".expressions");
  for (const char* group : {"preset", "custom"}) {
    const Json& members = expressions.object(group);
    for (const auto& [name, json] : members.items()) {
      Fields expression(json, expressions.location() + "." + group + "." + name);
      read(name, std::string_view(group) == "custom", expression);
      face.leaveOut(expression.status());
    }
  }
  face.leaveOut(fields.status());
  face.leaveOut(expressions.status());
}

void readExpression1(const std::string& name, bool is_custom, Fields& fields, FaceReader& face) {
  Expression expression{name, is_custom, fields.boolean("isBinary", false)};
  expression.blink = overrideOf(fields, "overrideBlink");
  expression.look = overrideOf(fields, "overrideLookAt");
  expression.mouth = overrideOf(fields, "overrideMouth");
  const Json& binds = fields.array("morphTargetBinds");
  for (std::size_t i = 0; i < binds.size(); ++i) {
    Fields bind(binds[i], fields.location() + "." + elementLocation("morphTargetBinds", i));
    const int node = face.node(bind, "node");
    face.bind(bind, node, "index", bind.number("weight", 1.0), expression);
  }
  if (!fields.array("materialColorBinds").empty() ||
      !fields.array("textureTransformBinds").empty()) {
    face.warnOfMaterials(fields.location());
  }
  if (fields.status()) face.add(std::move(expression), fields.location());
}

// `unit` is that of the output: degrees of eyes, or weights.
GazeRange rangeOf(Fields& owner, const char* key, const char* input_key, const char* output_key,
                  bool is_eyes) {
  constexpr double kLeastInput_deg = 0.01;
  Fields fields(owner.object(key), owner.location() + "." + key);
  const double input_deg = fields.number(input_key, 90.0);
  const double output = fields.number(output_key, is_eyes ? kDefaultEyes_deg : 1.0);
  if (!fields.status()) owner.fail(fields.status().error().message);
  return {std::max(input_deg, kLeastInput_deg) * kDegree, is_eyes ? output * kDegree : output};
}

Vec3 offsetOf(Fields& fields) {
  const auto numbers = fields.numbers("offsetFromHeadBone", 3);
  return numbers ? Vec3((*numbers)[0], (*numbers)[1], (*numbers)[2]) : Gaze().offset_from_head;
}

// Whether `owner` has an object `key`, which declares how eyes follow a gaze; a fault is warned of.
bool hasGaze(Fields& owner, const char* key, FaceReader& face) {
  if (!owner.has(key)) return false;
  owner.object(key);
  face.leaveOut(owner.status());
  return owner.status().ok();
}

void takeGaze(const Gaze& gaze, const Status& status, FaceReader& face) {
  face.leaveOut(status);
  if (status) face.scene().face.gaze = gaze;
}

// -- VRM 0.x

std::string presetOfVrm0(const std::string& preset) {
  for (const auto& [old_name, name] : kPresetsOfVrm0) {
    if (old_name == preset) return std::string(name);
  }
  return "";
}

// Nodes that show each mesh.
std::vector<std::vector<int>> nodesOfMeshes(const Json& root,
                                            const std::vector<int>& node_of_source) {
  Fields fields(root, "");
  std::vector<std::vector<int>> nodes(fields.array("meshes").size());
  const Json& all = fields.array("nodes");
  for (std::size_t n = 0; n < all.size(); ++n) {
    Fields node(all[n], elementLocation("nodes", n));
    const int mesh = node.index("mesh", nodes.size());
    if (mesh >= 0 && node_of_source[n] >= 0) nodes[toSize(mesh)].push_back(node_of_source[n]);
  }
  return nodes;
}

void readExpression0(Fields& fields, const std::vector<std::vector<int>>& nodes_of_mesh,
                     FaceReader& face) {
  constexpr double kPercent = 0.01;
  Expression expression;
  expression.name = presetOfVrm0(fields.text("presetName", ""));
  expression.is_custom = expression.name.empty();
  if (expression.is_custom) expression.name = fields.requiredText("name");
  expression.is_binary = fields.boolean("isBinary", false);
  const Json& binds = fields.array("binds");
  for (std::size_t i = 0; i < binds.size(); ++i) {
    Fields bind(binds[i], fields.location() + "." + elementLocation("binds", i));
    const int mesh = bind.requiredIndex("mesh", nodes_of_mesh.size());
    const double weight = kPercent * bind.number("weight", 100.0);
    if (mesh < 0) face.leaveOut(bind.status());
    if (mesh < 0) continue;
    for (const int node : nodes_of_mesh[toSize(mesh)]) {
      face.bind(bind, node, "index", weight, expression);
    }
  }
  if (!fields.array("materialValues").empty()) face.warnOfMaterials(fields.location());
  if (fields.status()) face.add(std::move(expression), fields.location());
}

void readGaze0(Fields& fields, FaceReader& face) {
  Gaze gaze;
  const bool is_eyes = fields.text("lookAtTypeName", "Bone") != "BlendShape";
  gaze.kind = is_eyes ? Gaze::Kind::kEyes : Gaze::Kind::kExpressions;
  const auto range = [&](const char* key) {
    return rangeOf(fields, key, "xRange", "yRange", is_eyes);
  };
  gaze.inner = range("lookAtHorizontalInner");
  gaze.outer = range("lookAtHorizontalOuter");
  gaze.down = range("lookAtVerticalDown");
  gaze.up = range("lookAtVerticalUp");
  if (fields.has("firstPersonBoneOffset")) {
    Fields offset(fields.object("firstPersonBoneOffset"), fields.location());
    // Left-handed in the file.
    gaze.offset_from_head =
        Vec3(offset.number("x", 0.0), offset.number("y", 0.06), -offset.number("z", 0.0));
    if (!offset.status()) fields.fail(offset.status().error().message);
  }
  takeGaze(gaze, fields.status(), face);
}

}  // namespace

void readVrm1Face(const Json& extension, const std::vector<int>& node_of_source, Scene& scene) {
  const std::string location = "extensions.VRMC_vrm";
  FaceReader face(node_of_source, scene);
  forEachExpression(extension, location, face,
                    [&](const std::string& name, bool is_custom, Fields& fields) {
                      readExpression1(name, is_custom, fields, face);
                    });
  Fields root(extension, location);
  if (!hasGaze(root, "lookAt", face)) return;
  Fields fields(root.object("lookAt"), location + ".lookAt");
  const bool is_eyes = fields.text("type", "bone") != "expression";
  const auto range = [&](const char* key) {
    return rangeOf(fields, key, "inputMaxValue", "outputScale", is_eyes);
  };
  Gaze gaze;
  gaze.kind = is_eyes ? Gaze::Kind::kEyes : Gaze::Kind::kExpressions;
  gaze.inner = range("rangeMapHorizontalInner");
  gaze.outer = range("rangeMapHorizontalOuter");
  gaze.down = range("rangeMapVerticalDown");
  gaze.up = range("rangeMapVerticalUp");
  gaze.offset_from_head = offsetOf(fields);
  takeGaze(gaze, fields.status(), face);
}

void readAnimationFace(const Json& extension, const std::vector<int>& node_of_source,
                       Scene& scene) {
  const std::string location = "extensions.VRMC_vrm_animation";
  FaceReader face(node_of_source, scene);
  forEachExpression(extension, location, face,
                    [&](const std::string& name, bool is_custom, Fields& fields) {
                      Expression expression{name, is_custom};
                      expression.weight_node = face.node(fields, "node");
                      if (fields.status()) face.add(std::move(expression), fields.location());
                    });
  Fields root(extension, location);
  if (!hasGaze(root, "lookAt", face)) return;
  Fields fields(root.object("lookAt"), location + ".lookAt");
  Gaze gaze;
  gaze.kind = Gaze::Kind::kNode;
  gaze.node = face.node(fields, "node");
  gaze.offset_from_head = offsetOf(fields);
  takeGaze(gaze, fields.status(), face);
}

void readVrm0Face(const Json& extension, const Json& root, const std::vector<int>& node_of_source,
                  Scene& scene) {
  const std::string location = "extensions.VRM";
  FaceReader face(node_of_source, scene);
  Fields fields(extension, location);
  Fields master(fields.object("blendShapeMaster"), location + ".blendShapeMaster");
  const Json& groups = master.array("blendShapeGroups");
  const auto nodes_of_mesh = nodesOfMeshes(root, node_of_source);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Fields group(groups[i], master.location() + "." + elementLocation("blendShapeGroups", i));
    readExpression0(group, nodes_of_mesh, face);
    face.leaveOut(group.status());
  }
  face.leaveOut(master.status());
  if (!hasGaze(fields, "firstPerson", face)) return;
  Fields first_person(fields.object("firstPerson"), location + ".firstPerson");
  readGaze0(first_person, face);
}

}  // namespace clipmill::io::gltf
