// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "anim/clip.h"
#include "anim/pose.h"
#include "core/math.h"
#include "mesh/skinning.h"
#include "render/surface.h"
#include "scene/scene.h"

namespace clipmill::render {

/// Triangles at one time, in metres, y up.
struct PosedMesh {
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;                 ///< One a vertex; empty for flat faces.
  std::span<const std::uint32_t> triangles;  ///< Three indices in `positions` each.
  const SkinnedMesh* look = nullptr;         ///< Colours of the triangles; null for plain bones.
};

/// A character at one time.
struct CharacterPose {
  Pose pose;
  std::vector<Affine> worlds;  ///< Metres, y up, from node.
  std::vector<PosedMesh> meshes;
};

/// What is drawn of a scene while one of its clips plays: its meshes, or bones as thin octahedra
/// where it has none; the joints over them; the trajectory of its root. The scene must outlive it.
class Character {
 public:
  /// `clip` is an index in Scene::clips, or -1 for the pose of the file.
  Character(const Scene& scene, int clip, Warnings& warnings);

  const Scene& scene() const { return *scene_; }
  const Clip* clip() const { return clip_; }
  /// The pose `time_s` after the start of the clip, held at its ends.
  CharacterPose poseAt(double time_s, bool with_meshes = true) const;

  /// Pairs (parent, child) of nodes between which a bone is drawn, and the nodes at their ends (all
  /// that are joints where there is no bone).
  const std::vector<std::pair<int, int>>& bones() const { return bones_; }
  const std::vector<int>& joints() const { return joints_; }
  /// The topmost node that the clip moves through space together with at least half of the joints
  /// (of the meshes where there are none); -1 for none.
  int root() const { return root_; }
  const std::vector<Surface>& surfaces() const { return surfaces_; }

 private:
  void findBones();
  void findRoot();
  void appendBoneShapes(CharacterPose& character) const;

  const Scene* scene_;
  const Clip* clip_ = nullptr;
  std::vector<std::pair<int, int>> bones_;
  std::vector<int> joints_;
  std::vector<std::uint32_t> bone_triangles_;  // of one octahedron after another
  int root_ = -1;
  std::vector<Surface> surfaces_;
  std::vector<SkinnedMesh> meshes_;  // those of the scene, split at their corners
};

/// From the nodes of a pose that are named right to those named left (whole tokens and L, R), on
/// average; zero where there are none, or not as many of the one as of the other.
Vec3 leftOf(const Skeleton& skeleton, std::span<const Affine> worlds);

/// Where a character faces, horizontally, whose left is there: +Z, the front of glTF, where `left`
/// is zero or points up or down.
Vec3 facingFrom(const Vec3& left);

/// Nodes whose local transform differs between two poses of the same skeleton.
void markChanges(const Pose& a, const Pose& b, double size, std::vector<bool>& changed);

/// True where two skeletons have the same nodes, by name and parent.
bool haveSameNodes(const Skeleton& a, const Skeleton& b);

}  // namespace clipmill::render
