// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/scale_helpers.h"

#include <algorithm>
#include <memory>

#include "anim/pose.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

constexpr int kNone = -1;

// Where the nodes of a skeleton went in the one with helpers.
struct Layout {
  Skeleton old_skeleton;
  std::vector<int> node_of;    // of every old node: its new index
  std::vector<int> helper_of;  // of every old node: the index of its helper, or kNone
  std::size_t size = 0;

  int newNodeOf(int old_node) const {
    const auto n = toSize(old_node);
    return helper_of[n] == kNone ? node_of[n] : helper_of[n];
  }

  // From a pose of the old skeleton to one of the new.
  void convert(std::span<const Transform> locals, std::vector<Transform>& converted) const {
    converted.resize(size);
    for (std::size_t n = 0; n < node_of.size(); ++n) {
      Transform local = locals[n];
      if (helper_of[n] != kNone) {
        Transform& helper = converted[toSize(helper_of[n])];
        helper = {};
        helper.scale = local.scale;
        local.scale = Vec3(1.0);
      }
      // The scale of a parent with a helper is not above those that skip it, but it moves them all
      // the same, and scales those that take scales over axis by axis.
      const Node& node = old_skeleton.nodes[n];
      if (skipsScaleOf(node.parent, node)) {
        const Vec3& above = locals[toSize(node.parent)].scale;
        local.translation *= above;
        if (node.inherit == InheritScale::kComponentwise) local.scale *= above;
      }
      converted[toSize(node_of[n])] = local;
    }
  }

  // True for a child of a node with a helper that is not below the helper.
  bool skipsScaleOf(int parent, const Node& node) const {
    return parent >= 0 && node.inherit != InheritScale::kAll && helper_of[toSize(parent)] != kNone;
  }
};

Layout layoutOf(const Skeleton& skeleton, const std::set<int>& scaled) {
  Layout layout;
  layout.old_skeleton = skeleton;
  int next = 0;
  for (int n = 0; n < static_cast<int>(skeleton.size()); ++n) {
    layout.node_of.push_back(next++);
    layout.helper_of.push_back(scaled.contains(n) ? next++ : kNone);
  }
  layout.size = toSize(next);
  return layout;
}

Skeleton skeletonOf(const Layout& layout) {
  const std::vector<Node>& old_nodes = layout.old_skeleton.nodes;
  Skeleton skeleton;
  skeleton.rest_weights = layout.old_skeleton.rest_weights;
  int next_id = 0;
  for (const Node& node : old_nodes) next_id = std::max(next_id, node.source_id + 1);
  for (std::size_t n = 0; n < old_nodes.size(); ++n) {
    Node node = old_nodes[n];
    if (node.parent >= 0) {
      node.parent = layout.skipsScaleOf(node.parent, node) ? layout.node_of[toSize(node.parent)]
                                                           : layout.newNodeOf(node.parent);
    }
    if (layout.helper_of[n] == kNone) {
      skeleton.nodes.push_back(std::move(node));
      continue;
    }
    Node helper;
    helper.name = node.name + "_scale";
    helper.parent = layout.node_of[n];
    helper.source_id = next_id++;
    std::swap(helper.weights_start, node.weights_start);
    std::swap(helper.weights_count, node.weights_count);
    skeleton.nodes.push_back(std::move(node));
    skeleton.nodes.push_back(std::move(helper));
  }
  std::vector<Transform> rest;
  layout.convert(restPose(layout.old_skeleton).locals, rest);
  for (std::size_t n = 0; n < rest.size(); ++n) skeleton.nodes[n].rest = rest[n];
  return skeleton;
}

TrackMask maskOf(const Layout& layout, const TrackMask& animated) {
  TrackMask mask(layout.size);
  for (int n = 0; n < static_cast<int>(layout.node_of.size()); ++n) {
    const auto i = toSize(n);
    const Node& node = layout.old_skeleton.nodes[i];
    for (const TrackPath path : kTrackPaths) {
      if (!animated.has(n, path)) continue;
      const bool moves_on = path == TrackPath::kScale || path == TrackPath::kWeights;
      mask.set(moves_on ? layout.newNodeOf(n) : layout.node_of[i], path);
    }
    if (layout.skipsScaleOf(node.parent, node) && animated.has(node.parent, TrackPath::kScale)) {
      mask.set(layout.node_of[i], TrackPath::kTranslation);
      if (node.inherit == InheritScale::kComponentwise) {
        mask.set(layout.node_of[i], TrackPath::kScale);
      }
    }
  }
  return mask;
}

class HelperSource : public PoseSource {
 public:
  HelperSource(std::shared_ptr<const Layout> layout, TrackMask animated,
               std::shared_ptr<const PoseSource> source)
      : layout_(std::move(layout)), animated_(std::move(animated)), source_(std::move(source)) {}

  std::unique_ptr<PoseCursor> cursor() const override {
    class Cursor : public PoseCursor {
     public:
      explicit Cursor(const HelperSource& source)
          : layout_(source.layout_),
            animated_(source.animated_),
            source_(source.source_->cursor()),
            pose_(restPose(layout_->old_skeleton)) {}
      void sample(double time_s, PoseView pose) override {
        source_->sample(time_s, {pose_.locals, pose.weights});
        layout_->convert(pose_.locals, converted_);
        for (std::size_t n = 0; n < converted_.size(); ++n) {
          if (animated_.any(static_cast<int>(n))) pose.locals[n] = converted_[n];
        }
      }

     private:
      std::shared_ptr<const Layout> layout_;
      TrackMask animated_;
      std::unique_ptr<PoseCursor> source_;
      Pose pose_;
      std::vector<Transform> converted_;
    };
    return std::make_unique<Cursor>(*this);
  }

 private:
  std::shared_ptr<const Layout> layout_;
  TrackMask animated_;
  std::shared_ptr<const PoseSource> source_;
};

}  // namespace

Scene withScaleHelpers(const Scene& scene, const std::set<int>& scaled) {
  const auto layout = std::make_shared<const Layout>(layoutOf(scene.skeleton, scaled));
  Scene result = scene;
  result.skeleton = skeletonOf(*layout);
  for (SkinnedMesh& mesh : result.meshes) mesh.node = layout->newNodeOf(mesh.node);
  for (SceneCamera& camera : result.cameras) camera.node = layout->newNodeOf(camera.node);
  for (SceneLight& light : result.lights) light.node = layout->newNodeOf(light.node);
  for (Skin& skin : result.skins) {
    for (int& joint : skin.joints) joint = layout->newNodeOf(joint);
  }
  for (Clip& clip : result.clips) {
    if (!clip.source) continue;
    clip.animated = maskOf(*layout, clip.animated);
    clip.source = std::make_shared<HelperSource>(layout, clip.animated, clip.source);
  }
  return result;
}

}  // namespace clipmill
