// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/result.h"
#include "humanoid/body_parts.h"
#include "mesh/skinned_mesh.h"
#include "scene/scene.h"

namespace clipmill::penetration {

/// The skin of a character, all its meshes in one, so laid out that a body part can be posed
/// without the others. Vertices of a mesh that agree in place, influences and morphs are one.
/// Meshes without skin (what hands hold, hats, capes) are not in it, nor those that no part moves.
class BodySkin {
 public:
  /// A pose, and scratch memory.
  struct Pose {
    std::vector<Vec3> positions_m;  ///< One a vertex, metric world.

    std::vector<Affine> metric_from_bind;  ///< One a bone.
    std::vector<Vec3> morphed;             ///< Bind positions with morphs.
    std::vector<double> morph_weights;     ///< Those of `morphed`.
    /// Counts up with every call; when bones moved last, and when parts were posed last.
    std::uint64_t now = 0;
    std::vector<std::uint64_t> time_of_bone;
    std::array<std::uint64_t, humanoid::kBodyPartCount + 1> time_of_part{};
  };
  /// One a part, and one for vertices of no part.
  using PartMarks = std::array<bool, humanoid::kBodyPartCount + 1>;
  struct Range {
    std::size_t start = 0, end = 0;
    std::size_t count() const { return end - start; }
  };

  /// Empty where no mesh is skinned to the character. Error: kMalformed for positions with NaN or
  /// infinity.
  static Result<BodySkin> make(const Scene& scene, const humanoid::HumanoidMap& map);

  std::size_t vertexCount() const { return bind_.size(); }
  /// Vertices of a part; of none for BodyPart::kCount.
  Range verticesOf(humanoid::BodyPart part) const;
  humanoid::BodyPart partOf(std::uint32_t vertex) const;
  const std::vector<std::uint32_t>& triangles() const { return triangles_; }

  /// `world_from_node` in file space, one a node; morph weights of all nodes in a row, as in Pose;
  /// those that are missing count as 0. Linear blend skinning as in poseMesh(). Parts whose bones
  /// and morphs are as they were are not computed again; returns which parts are.
  PartMarks pose(std::span<const Affine> world_from_node, std::span<const double> morph_weights,
                 Pose& pose) const;
  /// Only the vertices of `part`; morphs stay as they are. All was posed before.
  void posePart(humanoid::BodyPart part, std::span<const Affine> world_from_node, Pose& pose) const;

 private:
  struct Bone {
    int node;
    Affine joint_from_bind;
  };
  struct Morph {
    std::size_t weight;  // in the morph weights
    std::vector<std::uint32_t> vertices;
    std::vector<Vec3> deltas;
  };
  class Builder;

  void poseBone(std::size_t bone, std::span<const Affine> world_from_node, Pose& pose) const;
  void poseVertices(Range range, Pose& pose) const;
  bool morph(std::span<const double> weights, Pose& pose) const;
  bool isStale(std::size_t part, const Pose& pose) const;

  Affine metric_from_file_;
  std::vector<Bone> bones_;
  std::vector<Vec3> bind_;
  std::vector<std::size_t> influence_start_;
  std::vector<Influence> influences_;  // joint: index in bones_
  std::vector<Morph> morphs_;
  std::vector<std::uint32_t> triangles_;
  std::array<std::size_t, humanoid::kBodyPartCount + 2> part_start_{};
  std::array<std::vector<std::size_t>, humanoid::kBodyPartCount + 1> bones_of_part_;
};

/// The skin in the pose in which it was bound (humanoid::boundWorlds()), with the morphs of the
/// file at rest.
BodySkin::Pose boundPose(const Scene& scene, const BodySkin& skin);

}  // namespace clipmill::penetration
