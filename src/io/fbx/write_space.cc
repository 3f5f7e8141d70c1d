// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/write_space.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/to_size.h"
#include "scene/view_axes.h"

namespace clipmill::io::fbx {
namespace {

constexpr double kCentimetresInMetre = 100.0;

// Half an ulp of the inputs: a rotation or factor that differs from identity by rounding only.
constexpr double kRounding = 1e-14;

void scaleAll(std::vector<Vec3>& vectors, double scale) {
  for (Vec3& v : vectors) v *= scale;
}

Vec3 rotated(const SpaceChange& change, const Vec3& v) {
  return change.rotation == kIdentityRotation ? v : change.rotation * v;
}

bool hasOrderXyz(const Node& node) {
  return node.euler && node.euler->order == EulerOrder::kXyz &&
         node.euler->pre == kIdentityRotation && node.euler->post == kIdentityRotation;
}

void changeTranslations(Track& track, bool is_root, const SpaceChange& change) {
  const bool is_cubic = track.interpolation == Interpolation::kCubicSpline;
  for (std::size_t i = 0; i + 2 < track.values.size(); i += 3) {
    Vec3 v = Vec3(track.values[i], track.values[i + 1], track.values[i + 2]) * change.scale;
    if (is_root) {
      v = rotated(change, v);
      // Of in-tangent, value and out-tangent only the value is a position.
      if (!is_cubic || i / 3 % 3 == 1) v += change.shift_cm;
    }
    for (int axis = 0; axis < 3; ++axis) track.values[i + toSize(axis)] = v[axis];
  }
}

// The quaternion product is linear in its right operand, so tangents are transformed like values.
void changeRotations(Track& track, const SpaceChange& change) {
  for (std::size_t i = 0; i + 3 < track.values.size(); i += 4) {
    double* q = &track.values[i];
    const Quat product = change.rotation * Quat(q[3], q[0], q[1], q[2]);
    q[0] = product.x;
    q[1] = product.y;
    q[2] = product.z;
    q[3] = product.w;
  }
}

class NumberCheck {
 public:
  void add(double x) { is_good_ = is_good_ && std::fabs(x) <= kMaxFloat; }
  template <class Vector>
  void add(const Vector& v) {
    for (int i = 0; i < Vector::length(); ++i) add(v[i]);
  }
  template <class Value>
  void add(const std::vector<Value>& values) {
    for (const Value& value : values) add(value);
  }
  void add(const Affine& map) {
    add(map.translation);
    for (int column = 0; column < 3; ++column) add(map.linear[column]);
  }
  void add(const Transform& t) {
    add(t.translation);
    add(Vec4(t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w));
    add(t.scale);
  }
  Status status(const std::string& location) const {
    if (is_good_) return {};
    return Error{ErrorCode::kMalformed, location, "a value is not a finite 32-bit number", ""};
  }

 private:
  static constexpr double kMaxFloat = std::numeric_limits<float>::max();
  bool is_good_ = true;
};

Status checkMesh(const SkinnedMesh& mesh) {
  NumberCheck check;
  check.add(mesh.positions);
  check.add(mesh.normals);
  check.add(mesh.uvs);
  check.add(mesh.colors);
  check.add(mesh.corners.normals);
  check.add(mesh.corners.uvs);
  check.add(mesh.corners.colors);
  for (const Influence& influence : mesh.influences) check.add(influence.weight);
  for (const MorphTarget& morph : mesh.morphs) {
    check.add(morph.position_deltas);
    check.add(morph.normal_deltas);
  }
  return check.status("mesh " + mesh.name);
}

void addViews(const Scene& scene, NumberCheck& check) {
  for (const SceneCamera& camera : scene.cameras) {
    check.add(camera.near_distance);
    check.add(camera.far_distance.value_or(0.0));
    if (camera.orthographic) check.add(camera.orthographic->half_width);
  }
  for (const SceneLight& light : scene.lights) {
    check.add(light.color);
    check.add(light.intensity);
    check.add(light.range.value_or(0.0));
  }
}

}  // namespace

SpaceChange toCentimetres(const Affine& metric_from_file) {
  const Transform metric = decompose(metric_from_file);
  SpaceChange change;
  change.scale = metric.scale.y * kCentimetresInMetre;
  if (std::fabs(change.scale - 1.0) < kRounding) change.scale = 1.0;
  change.rotation = normalizedOrIdentity(metric.rotation);
  if (std::fabs(change.rotation.w) > 1.0 - kRounding) change.rotation = kIdentityRotation;
  change.shift_cm = metric.translation * kCentimetresInMetre;
  return change;
}

Scene changedScene(const Scene& scene, const SpaceChange& change) {
  Scene changed;
  changed.skeleton = scene.skeleton;
  changed.skins = scene.skins;
  changed.meshes = scene.meshes;
  changed.materials = scene.materials;
  changed.images = scene.images;
  changed.cameras = scene.cameras;
  changed.lights = scene.lights;
  scaleViews(change.scale, changed);
  for (Node& node : changed.skeleton.nodes) {
    node.rest.translation *= change.scale;
    node.rest.rotation = normalizedOrIdentity(node.rest.rotation);
    if (node.parent >= 0) continue;
    node.rest.translation = rotated(change, node.rest.translation) + change.shift_cm;
    node.rest.rotation = change.rotation * node.rest.rotation;
  }
  for (Skin& skin : changed.skins) {
    for (Affine& map : skin.joint_from_bind) map.translation *= change.scale;
  }
  for (SkinnedMesh& mesh : changed.meshes) {
    scaleAll(mesh.positions, change.scale);
    for (MorphTarget& morph : mesh.morphs) scaleAll(morph.position_deltas, change.scale);
  }
  return changed;
}

std::vector<KeyframeClip> changedClips(const Skeleton& skeleton,
                                       std::span<const KeyframeClip> clips,
                                       const SpaceChange& change) {
  std::vector<KeyframeClip> changed(clips.begin(), clips.end());
  for (KeyframeClip& clip : changed) {
    for (Track& track : clip.tracks) {
      const Node& node = skeleton.nodes[toSize(track.node)];
      const bool is_root = node.parent < 0;
      const bool is_rotated = is_root && change.rotation != kIdentityRotation;
      if (is_rotated || !hasOrderXyz(node)) track.angles_deg.clear();
      if (track.path == TrackPath::kTranslation) changeTranslations(track, is_root, change);
      if (track.path == TrackPath::kRotation && is_rotated) changeRotations(track, change);
    }
  }
  return changed;
}

Status checkNumbers(const Scene& scene, std::span<const KeyframeClip> clips) {
  NumberCheck check;
  for (const Node& node : scene.skeleton.nodes) check.add(node.rest);
  check.add(scene.skeleton.rest_weights);
  for (const Skin& skin : scene.skins) check.add(skin.joint_from_bind);
  CLIPMILL_CHECK(check.status("the nodes"));
  NumberCheck views;
  addViews(scene, views);
  CLIPMILL_CHECK(views.status("cameras and lights"));
  for (const SkinnedMesh& mesh : scene.meshes) CLIPMILL_CHECK(checkMesh(mesh));
  for (const KeyframeClip& clip : clips) {
    NumberCheck keys;
    for (const Track& track : clip.tracks) {
      keys.add(track.values);
      keys.add(track.angles_deg);
      // Times are counted in ticks of 64 bits.
      constexpr double kMostSeconds = 1e8;
      keys.add(track.times_s->back() < kMostSeconds ? 0.0 : HUGE_VAL);
    }
    CLIPMILL_CHECK(keys.status("clip " + clip.name));
  }
  return {};
}

}  // namespace clipmill::io::fbx
