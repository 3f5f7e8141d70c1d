// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include <assimp/scene.h>

#include "core/limits.h"
#include "core/math.h"
#include "core/result.h"
#include "io/assimp/files.h"
#include "io/imported/imported.h"

/// The parts of readWithAssimp, each in a file of its own. They run in this order and fill one
/// scene.
namespace clipmill::io::assimp {

/// Values of the library as the types of clipmill.
inline std::string textOf(const aiString& text) { return {text.data, text.length}; }
inline Vec3 vectorOf(const aiVector3D& v) { return Vec3(v.x, v.y, v.z); }
inline Quat quatOf(const aiQuaternion& q) { return normalizedOrIdentity(Quat(q.w, q.x, q.y, q.z)); }
inline Affine affineOf(const aiMatrix4x4& m) {
  return {Mat3(m.a1, m.b1, m.c1, m.a2, m.b2, m.c2, m.a3, m.b3, m.c3), Vec3(m.a4, m.b4, m.c4)};
}

/// Where the library's nodes are in the skeleton.
struct NodeTable {
  std::map<std::string, int> by_name;   ///< The first one of each name; the library knows no other.
  std::map<std::string, int> count_of;  ///< How many have a name.
  std::vector<const aiNode*> source;    ///< Of every node of the skeleton, as long as they are the
                                        ///< library's own.
};

/// All nodes with their rest pose.
Result<NodeTable> readNodes(const aiScene& source, const Limits& limits, Scene& scene);

/// Materials in the library's order, and the images that they use.
void readMaterials(const aiScene& source, FilesRead& files, Scene& scene);

/// Meshes with skins and morph targets. A node whose meshes do not fit together gets a child for
/// each of them.
Status readMeshes(const aiScene& source, const NodeTable& nodes, const Limits& limits,
                  Scene& scene);

/// Animations as clips of linear tracks; one without a name is called `name`.
/// `default_ticks_per_second` is used where a file has none.
void readClips(const aiScene& source, const NodeTable& nodes, const std::string& name,
               double default_ticks_per_second, imported::ImportedScene& imported);

}  // namespace clipmill::io::assimp
