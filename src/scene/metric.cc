// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/metric.h"

#include <cmath>
#include <utility>

namespace clipmill {
namespace {

bool isIdentity(const Affine& map) {
  return map.linear == Mat3(1.0) && map.translation == Vec3(0.0);
}

double scaleOf(const Affine& map) { return std::sqrt(glm::dot(map.linear[0], map.linear[0])); }

void scaleAll(std::vector<Vec3>& vectors, double factor) {
  for (Vec3& vector : vectors) vector *= factor;
}

// With M = metric_from_file and S = its scale alone, every world W becomes M W S^-1: a root's local
// map L becomes M L S^-1, any other one S L S^-1, a bind matrix B becomes S B S^-1, a vertex S v.
class Conversion {
 public:
  explicit Conversion(const Scene& scene)
      : skeleton_(scene.skeleton),
        metric_(scene.metric_from_file),
        scale_(scaleOf(metric_)),
        turn_(rotationOf(metric_)),
        stays_(scene.skeleton.size(), false) {
    for (const SkinnedMesh& mesh : scene.meshes) stays_[index(mesh.node)] = mesh.skin >= 0;
    for (const SkinnedMesh& mesh : scene.meshes) {
      if (mesh.skin < 0) stays_[index(mesh.node)] = false;
    }
    for (const Node& node : skeleton_.nodes) {
      if (node.parent >= 0) stays_[index(node.parent)] = false;
    }
    for (std::size_t n = 0; n < stays_.size(); ++n) {
      if (skeleton_.nodes[n].parent >= 0) stays_[n] = false;
    }
  }

  Vec3 translation(int node, const Vec3& t) const {
    if (stays_[index(node)]) return t;
    return isRoot(node) ? transformPoint(metric_, t) : t * scale_;
  }
  Vec3 translationTangent(int node, const Vec3& t) const {
    if (stays_[index(node)]) return t;
    return isRoot(node) ? transformVector(metric_, t) : t * scale_;
  }
  Quat rotation(int node, const Quat& q) const {
    return isRoot(node) && !stays_[index(node)] ? turn_ * q : q;
  }
  double scale() const { return scale_; }

 private:
  static std::size_t index(int node) { return static_cast<std::size_t>(node); }
  bool isRoot(int node) const { return skeleton_.nodes[index(node)].parent < 0; }

  const Skeleton& skeleton_;
  const Affine metric_;
  const double scale_;
  const Quat turn_;
  std::vector<bool> stays_;  // roots that do nothing but show skinned meshes
};

void convertTrack(const Conversion& conversion, Track& track) {
  const bool is_cubic = track.interpolation == Interpolation::kCubicSpline;
  const std::size_t width = static_cast<std::size_t>(track.width);
  for (std::size_t i = 0, part = 0; i + width <= track.values.size(); i += width, ++part) {
    double* v = &track.values[i];
    const bool is_tangent = is_cubic && part % 3 != 1;
    if (track.path == TrackPath::kTranslation) {
      const Vec3 from(v[0], v[1], v[2]);
      const Vec3 to = is_tangent ? conversion.translationTangent(track.node, from)
                                 : conversion.translation(track.node, from);
      for (int axis = 0; axis < 3; ++axis) v[axis] = to[axis];
    } else if (track.path == TrackPath::kRotation) {
      const Quat to = conversion.rotation(track.node, Quat(v[3], v[0], v[1], v[2]));
      v[0] = to.x, v[1] = to.y, v[2] = to.z, v[3] = to.w;
    }
  }
}

}  // namespace

Scene inMetres(Scene scene) {
  if (isIdentity(scene.metric_from_file)) return scene;
  const Conversion conversion(scene);
  for (int n = 0; n < static_cast<int>(scene.skeleton.size()); ++n) {
    Transform& rest = scene.skeleton.nodes[static_cast<std::size_t>(n)].rest;
    rest.translation = conversion.translation(n, rest.translation);
    rest.rotation = conversion.rotation(n, rest.rotation);
  }
  for (Skin& skin : scene.skins) {
    for (Affine& map : skin.joint_from_bind) map.translation *= conversion.scale();
  }
  for (SkinnedMesh& mesh : scene.meshes) {
    scaleAll(mesh.positions, conversion.scale());
    for (MorphTarget& morph : mesh.morphs) scaleAll(morph.position_deltas, conversion.scale());
  }
  scene.metric_from_file = Affine{};
  return scene;
}

std::vector<Track> inMetres(const Scene& scene, std::vector<Track> tracks) {
  if (isIdentity(scene.metric_from_file)) return tracks;
  const Conversion conversion(scene);
  for (Track& track : tracks) convertTrack(conversion, track);
  return tracks;
}

}  // namespace clipmill
