// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/math.h"

namespace clipmill {

/// The joints that may move the vertices of a mesh.
struct Skin {
  std::string name;
  std::vector<int> joints;  ///< Indices in Skeleton::nodes.
  std::vector<Affine>
      joint_from_bind;  ///< Inverse bind matrix of each joint: mesh space at bind to joint.
};

/// One joint's part in a vertex.
struct Influence {
  std::uint32_t joint = 0;  ///< Index in Skin::joints.
  double weight = 0.0;
};

/// Displacements of all vertices at weight 1.
struct MorphTarget {
  std::string name;
  std::vector<Vec3> position_deltas;  ///< One a vertex, or empty for none.
  std::vector<Vec3> normal_deltas;    ///< One a vertex, or empty for none.
};

/// Surface attributes that belong to the corners of triangles, for formats in which the triangles
/// at a vertex need not share them (FBX). Each array is empty, or has one element for each of
/// SkinnedMesh::triangles.
struct CornerAttributes {
  std::vector<Vec3> normals;
  std::vector<Vec4> tangents;
  std::vector<Vec2> uvs;
  std::vector<Vec4> colors;
  std::vector<std::vector<Vec2>> more_uvs;     ///< Of SkinnedMesh::more_uvs, likewise.
  std::vector<std::vector<Vec4>> more_colors;  ///< Of SkinnedMesh::more_colors, likewise.
};

/// A triangle mesh as one node shows it (a primitive in glTF), with any number of influences a
/// vertex. Positions are in mesh space, that of the node for unskinned meshes.
struct SkinnedMesh {
  std::string name;
  int node = -1;      ///< Index in Skeleton::nodes of the node with the mesh.
  int primitive = 0;  ///< Position among the primitives of that node's mesh.
  int skin = -1;      ///< Index in Scene::skins; -1 for a mesh that only follows its node.
  int material = -1;  ///< Index in Scene::materials, or -1.

  std::vector<Vec3> positions;
  std::vector<Vec3> normals;  ///< One a vertex, or empty.
  /// Along u of the first set of texture coordinates, one a vertex, or empty: unit length, or 0 for
  /// no direction. The bitangent is w * cross(normal, tangent), w is 1 or -1 (glTF 2.0, 3.7.2.1).
  std::vector<Vec4> tangents;
  std::vector<Vec2> uvs;                       ///< One a vertex, or empty. Origin top left.
  std::vector<Vec4> colors;                    ///< Linear RGBA, one a vertex, or empty.
  std::vector<std::vector<Vec2>> more_uvs;     ///< The sets behind the first, as `uvs`.
  std::vector<std::vector<Vec4>> more_colors;  ///< Likewise, as `colors`.
  std::vector<std::uint32_t> triangles;        ///< Three vertex indices each.
  CornerAttributes corners;                    ///< Overrides the attributes of the vertices.
  std::vector<int> triangle_materials;         ///< One a triangle, or empty: all have `material`.
  std::vector<std::size_t>
      influence_start;  ///< Vertex v owns influences [start[v], start[v + 1]); empty without skin.
  std::vector<Influence> influences;  ///< Weights of a vertex sum to 1.
  std::vector<MorphTarget> morphs;    ///< In the order of the node's weights.

  std::size_t vertexCount() const { return positions.size(); }
};

}  // namespace clipmill
