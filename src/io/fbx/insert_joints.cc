// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/insert_joints.h"

#include <algorithm>

#include "anim/pose.h"
#include "core/to_size.h"
#include "io/fbx/file_builder.h"
#include "io/fbx/new_curve.h"
#include "io/fbx/patch_objects.h"
#include "io/fbx/write_nodes.h"

namespace clipmill::io::fbx {
namespace {

class JointInserter {
 public:
  JointInserter(const Document& document, const ReadScene& read, const JointInsertion& insertion)
      : document_(document),
        read_(read),
        insertion_(insertion),
        known_(read.scene.skeleton.size()),
        objects_(document) {
    computeWorlds(skeleton(), restPose(skeleton()).locals, {}, worlds_);
    for (const InsertedJoint& joint : insertion.joints) {
      const Affine above = joint.parent < 0 ? Affine() : worlds_[toSize(joint.parent)];
      worlds_.push_back(above * toAffine(joint.rest));
    }
  }

  Result<Bytes> insert() {
    for (std::size_t j = 0; j < insertion_.joints.size(); ++j) {
      addModel(j);
      for (const int node : insertion_.joints[j].adopted) reconnect(node, ids_[j]);
    }
    for (const Object& object : document_.objects) {
      if (object.type == "Pose" && object.subtype == "BindPose") addToPose(object.element);
    }
    objects_.finish(edits_);
    return writeTree(*document_.tree, edits_);
  }

 private:
  const Skeleton& skeleton() const { return read_.scene.skeleton; }

  std::int64_t idOf(int node) const {
    if (node < 0) return 0;  // the scene
    const auto n = toSize(node);
    return n < known_ ? document_.object(read_.nodes.object_of_node[n]).id : ids_[n - known_];
  }

  // Blender gives a bone the mean distance of its children as length along y, and connects a child
  // that is exactly there. Connected bones have no translation.
  bool wouldConnect(std::size_t joint) const {
    constexpr double kSame = 1e-4;
    const int self = static_cast<int>(known_ + joint);
    std::vector<Vec3> children;
    for (const int node : insertion_.joints[joint].adopted) {
      children.push_back(skeleton().nodes[toSize(node)].rest.translation);
    }
    for (const InsertedJoint& other : insertion_.joints) {
      if (other.parent == self) children.push_back(other.rest.translation);
    }
    double mean = 0.0;
    for (const Vec3& child : children)
      mean += glm::length(child) / static_cast<double>(children.size());
    return mean > 0.0 && std::any_of(children.begin(), children.end(), [&](const Vec3& child) {
             return distance(child, Vec3(0.0, mean, 0.0)) < kSame * mean;
           });
  }

  std::int64_t add(const char* type, const std::string& name, const char* subtype,
                   std::vector<NewElement> children) {
    const std::int64_t id = objects_.newId();
    objects_.add({type,
                  {id, classedName(objectName(name), type), std::string(subtype)},
                  std::move(children),
                  true});
    return id;
  }

  void addModel(std::size_t j) {
    const InsertedJoint& joint = insertion_.joints[j];
    const bool is_limb = !wouldConnect(j);
    Node node;
    node.name = joint.name;
    node.rest = joint.rest;
    const std::int64_t id =
        add("Model", joint.name, is_limb ? "LimbNode" : "Null", modelElements(node));
    ids_.push_back(id);
    objects_.connect(id, idOf(joint.parent));
    if (!is_limb) return;
    objects_.connect(add("NodeAttribute", joint.name, "LimbNode", limbElements()), id);
  }

  void reconnect(int node, std::int64_t parent) {
    const int object = read_.nodes.object_of_node[toSize(node)];
    for (const int c : document_.parents[toSize(object)]) {
      const Connection& connection = document_.connections[toSize(c)];
      const bool leads_up =
          connection.parent < 0 || document_.object(connection.parent).type == "Model";
      if (!leads_up || !connection.property.empty()) continue;
      edits_.values[connection.element.index()] = {std::string("OO"), idOf(node), parent};
    }
  }

  void addToPose(const Element& pose) {
    bool has_anchor = false;
    for (const Element entry : pose.children()) {
      const auto node = entry.name() == "PoseNode" ? entry.child("Node") : std::nullopt;
      has_anchor = has_anchor || (node && node->integer(0) == idOf(insertion_.anchor));
    }
    if (!has_anchor) return;
    std::vector<NewElement>& entries = edits_.appended[pose.index()];
    for (std::size_t j = 0; j < ids_.size(); ++j) {
      entries.push_back(
          block("PoseNode", {leaf("Node", ids_[j]), matrixElement("Matrix", worlds_[known_ + j])}));
    }
    if (const auto count = pose.child("NbPoseNodes")) {
      changeCount(*count, std::ssize(ids_), edits_);
    }
  }

  const Document& document_;
  const ReadScene& read_;
  const JointInsertion& insertion_;
  std::size_t known_;
  NewObjects objects_;
  TreeEdits edits_;
  std::vector<Affine> worlds_;  // at rest, of the nodes and the new joints
  std::vector<std::int64_t> ids_;
};

}  // namespace

Result<Bytes> insertJoints(const Document& document, const ReadScene& read,
                           const JointInsertion& insertion) {
  CLIPMILL_CHECK(document.checkGrowth());
  return JointInserter(document, read, insertion).insert();
}

}  // namespace clipmill::io::fbx
