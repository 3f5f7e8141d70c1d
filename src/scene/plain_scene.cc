// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/plain_scene.h"

#include <cmath>
#include <memory>
#include <set>

#include "anim/pose.h"
#include "core/math.h"
#include "core/to_size.h"
#include "scene/scale_helpers.h"
#include "scene/view_axes.h"

namespace clipmill {
namespace {

constexpr double kSmallestShear = 1e-6;

bool isIdentity(const Affine& map) {
  return map.linear == Mat3(1.0) && map.translation == Vec3(0.0);
}

// Roots at the origin and do nothing but show skinned meshes: skinning does not look at
// their position, so that they need not be rotated.
std::vector<bool> showsOnlySkins(const Scene& scene) {
  std::vector<bool> shows(scene.skeleton.size(), false);
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.skin >= 0) shows[toSize(mesh.node)] = true;
  }
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.skin < 0) shows[toSize(mesh.node)] = false;
  }
  for (const Skin& skin : scene.skins) {
    for (const int joint : skin.joints) shows[toSize(joint)] = false;
  }
  for (std::size_t n = 0; n < shows.size(); ++n) {
    const Node& node = scene.skeleton.nodes[n];
    if (node.parent >= 0) shows[toSize(node.parent)] = false;
    if (node.parent >= 0 || !(node.rest == Transform{})) shows[n] = false;
    for (const Clip& clip : scene.clips) {
      if (clip.source && clip.animated.any(static_cast<int>(n))) shows[n] = false;
    }
  }
  return shows;
}

// From poses of a scene to poses of its plain form.
class PlainPoser {
 public:
  explicit PlainPoser(const Scene& scene)
      : skeleton_(scene.skeleton),
        metric_from_file_(scene.metric_from_file),
        metres_per_unit_(lengthOf(metric_from_file_.linear[0])),
        rotation_(rotationOf(metric_from_file_)),
        inherits_all_(inheritsAll(skeleton_)),
        stays_(showsOnlySkins(scene)) {}

  const Skeleton& skeleton() const { return skeleton_; }
  double metresPerUnit() const { return metres_per_unit_; }

  // `plain` gets one Transform a node; `worlds` is scratch. Nodes whose position among the others
  // needs a shear are added to `sheared`, if given.
  void convert(std::span<const Transform> locals, std::vector<Transform>& plain,
               std::vector<Affine>& worlds, std::set<int>* sheared = nullptr) const {
    plain.assign(locals.begin(), locals.end());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (stays_[i]) continue;
      if (skeleton_.nodes[i].parent >= 0) {
        plain[i].translation *= metres_per_unit_;
      } else {
        plain[i].translation = transformPoint(metric_from_file_, locals[i].translation);
        plain[i].rotation = rotation_ * normalizedOrIdentity(locals[i].rotation);
      }
    }
    if (!inherits_all_) convertInherited(locals, plain, worlds, sheared);
  }

 private:
  void convertInherited(std::span<const Transform> locals, std::vector<Transform>& plain,
                        std::vector<Affine>& worlds, std::set<int>* sheared) const {
    computeWorlds(skeleton_, locals, metric_from_file_, worlds);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const Node& node = skeleton_.nodes[i];
      if (node.parent < 0 || node.inherit == InheritScale::kAll) continue;
      const Affine& above = worlds[toSize(node.parent)];
      double shear = 0.0;
      const Transform local = decompose(inverse(above) * worlds[i], &shear);
      if (!isFinite(local.translation) || !isFinite(local.rotation)) continue;  // nothing is seen
      plain[i].rotation = local.rotation;
      plain[i].scale = local.scale;
      if (sheared && shear > kSmallestShear) sheared->insert(static_cast<int>(i));
    }
  }

  Skeleton skeleton_;
  Affine metric_from_file_;
  double metres_per_unit_;
  Quat rotation_;
  bool inherits_all_;
  std::vector<bool> stays_;
};

class PlainCursor : public PoseCursor {
 public:
  PlainCursor(std::shared_ptr<const PlainPoser> poser, const TrackMask& animated,
              std::unique_ptr<PoseCursor> source)
      : poser_(std::move(poser)),
        animated_(animated),
        source_(std::move(source)),
        pose_(restPose(poser_->skeleton())) {}

  void sample(double time_s, PoseView pose) override {
    source_->sample(time_s, pose_.view());
    poser_->convert(pose_.locals, plain_, worlds_);
    for (std::size_t i = 0; i < plain_.size(); ++i) {
      if (animated_.any(static_cast<int>(i))) pose.locals[i] = plain_[i];
    }
    for (std::size_t w = 0; w < pose_.weights.size(); ++w) pose.weights[w] = pose_.weights[w];
  }

 private:
  std::shared_ptr<const PlainPoser> poser_;
  const TrackMask& animated_;
  std::unique_ptr<PoseCursor> source_;
  Pose pose_;
  std::vector<Transform> plain_;
  std::vector<Affine> worlds_;
};

class PlainSource : public PoseSource {
 public:
  PlainSource(std::shared_ptr<const PlainPoser> poser, TrackMask animated,
              std::shared_ptr<const PoseSource> source)
      : poser_(std::move(poser)), animated_(std::move(animated)), source_(std::move(source)) {}
  std::unique_ptr<PoseCursor> cursor() const override {
    return std::make_unique<PlainCursor>(poser_, animated_, source_->cursor());
  }

 private:
  std::shared_ptr<const PlainPoser> poser_;
  TrackMask animated_;
  std::shared_ptr<const PoseSource> source_;
};

// A node that skips scales converts the scales above it to its own as it moves.
TrackMask plainMask(const Skeleton& skeleton, const Clip& clip,
                    const std::vector<bool>& is_rewritten) {
  TrackMask mask = clip.animated;
  std::vector<bool> scaled_above(skeleton.size(), false);
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    if (node.parent < 0) continue;
    const auto p = toSize(node.parent);
    scaled_above[i] = scaled_above[p] || clip.animated.has(node.parent, TrackPath::kScale);
    const int n = static_cast<int>(i);
    if (node.inherit == InheritScale::kAll) continue;
    if (scaled_above[i] || (is_rewritten[i] && mask.any(n))) {
      mask.set(n, TrackPath::kRotation);
      mask.set(n, TrackPath::kScale);
    }
  }
  return mask;
}

void scaleMeshes(double factor, Scene& scene) {
  for (SkinnedMesh& mesh : scene.meshes) {
    for (Vec3& position : mesh.positions) position *= factor;
    for (MorphTarget& morph : mesh.morphs) {
      for (Vec3& delta : morph.position_deltas) delta *= factor;
    }
  }
  for (Skin& skin : scene.skins) {
    for (Affine& map : skin.joint_from_bind) map.translation *= factor;
  }
}

std::set<int> shearedNodes(const PlainPoser& poser, const std::vector<Clip>& clips) {
  std::set<int> sheared;
  Pose pose = restPose(poser.skeleton());
  std::vector<Transform> plain;
  std::vector<Affine> worlds;
  poser.convert(pose.locals, plain, worlds, &sheared);
  for (const Clip& clip : clips) {
    if (!clip.source) continue;
    const auto cursor = clip.source->cursor();
    for (const double part : {0.0, 0.5, 1.0}) {
      pose = restPose(poser.skeleton());
      cursor->sample(clip.start_s + part * (clip.end_s - clip.start_s), pose.view());
      poser.convert(pose.locals, plain, worlds, &sheared);
    }
  }
  return sheared;
}

// Puts the scales that shears come from into nodes of their own.
Scene withoutShears(const Scene& scene) {
  std::set<int> scaled;
  for (const int node : shearedNodes(PlainPoser(scene), scene.clips)) {
    scaled.insert(scene.skeleton.nodes[toSize(node)].parent);
  }
  if (scaled.empty()) return scene;
  Scene helped = withScaleHelpers(scene, scaled);
  for (const int node : scaled) {
    helped.warnings.add(
        "scale_helper",
        "a node has a new helper node for its scale, which its children do not inherit",
        pathOf(scene.skeleton, node));
  }
  return helped;
}

// `scene` in metres and with plain hierarchy, whatever shear that costs.
Scene flattened(const Scene& scene) {
  const auto poser = std::make_shared<const PlainPoser>(scene);
  Scene plain = scene;
  plain.metric_from_file = {};
  std::vector<Transform> rest;
  std::vector<Affine> worlds;
  poser->convert(restPose(scene.skeleton).locals, rest, worlds);
  std::vector<bool> is_rewritten(scene.skeleton.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    Node& node = plain.skeleton.nodes[i];
    is_rewritten[i] = rest[i].scale != node.rest.scale;
    node.rest = rest[i];
    node.inherit = InheritScale::kAll;
    node.euler.reset();
  }
  scaleMeshes(poser->metresPerUnit(), plain);
  scaleViews(poser->metresPerUnit(), plain);
  for (Clip& clip : plain.clips) {
    if (!clip.source) continue;
    clip.animated = plainMask(scene.skeleton, clip, is_rewritten);
    clip.source = std::make_shared<PlainSource>(poser, clip.animated, clip.source);
  }
  if (inheritsAll(scene.skeleton)) return plain;
  for (const int node : shearedNodes(*poser, scene.clips)) {
    plain.warnings.add("inherited_shear",
                       "a node inherits non-uniform scales as a shear, which is dropped",
                       pathOf(scene.skeleton, node));
  }
  return plain;
}

}  // namespace

Scene plainScene(const Scene& scene) {
  if (!inheritsAll(scene.skeleton)) return flattened(withoutShears(scene));
  if (!isIdentity(scene.metric_from_file)) return flattened(scene);
  Scene plain = scene;
  for (Node& node : plain.skeleton.nodes) node.euler.reset();
  return plain;
}

std::vector<Track> plainTracks(const Scene& scene, std::vector<Track> tracks) {
  const Affine& metric = scene.metric_from_file;
  if (isIdentity(metric)) return tracks;
  const double metres_per_unit = lengthOf(metric.linear[0]);
  const Quat rotation = rotationOf(metric);
  const std::vector<bool> stays = showsOnlySkins(scene);
  for (Track& track : tracks) {
    if (stays[toSize(track.node)]) continue;
    const bool is_root = scene.skeleton.nodes[toSize(track.node)].parent < 0;
    const bool is_cubic = track.interpolation == Interpolation::kCubicSpline;
    const auto width = toSize(track.width);
    for (std::size_t i = 0, part = 0; i + width <= track.values.size(); i += width, ++part) {
      double* v = &track.values[i];
      if (track.path == TrackPath::kTranslation) {
        const bool is_tangent = is_cubic && part % 3 != 1;
        const Vec3 from(v[0], v[1], v[2]);
        const Vec3 moved = is_root ? transformVector(metric, from) : from * metres_per_unit;
        const Vec3 to = is_root && !is_tangent ? moved + metric.translation : moved;
        for (int axis = 0; axis < 3; ++axis) v[axis] = to[axis];
      } else if (track.path == TrackPath::kRotation && is_root) {
        const Quat to = rotation * Quat(v[3], v[0], v[1], v[2]);
        v[0] = to.x, v[1] = to.y, v[2] = to.z, v[3] = to.w;
      }
    }
  }
  return tracks;
}

}  // namespace clipmill
