// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/to_size.h"
#include "io/assimp/read_parts.h"
#include "mesh/weld.h"

namespace clipmill::io::assimp {
namespace {

bool isSame(const Affine& a, const Affine& b) {
  return a.linear == b.linear && a.translation == b.translation;
}

// The skin of one node while its meshes are read: every joint once, in order of first use.
class SkinBuilder {
 public:
  // The number of the joint in the skin; nothing where it is there with another bind matrix.
  std::optional<std::uint32_t> joint(int node, const Affine& joint_from_bind) {
    const auto found = std::find(skin.joints.begin(), skin.joints.end(), node);
    const auto index = toSize(found - skin.joints.begin());
    if (found == skin.joints.end()) {
      skin.joints.push_back(node);
      skin.joint_from_bind.push_back(joint_from_bind);
    } else if (!isSame(skin.joint_from_bind[index], joint_from_bind)) {
      return std::nullopt;
    }
    return static_cast<std::uint32_t>(index);
  }

  Skin skin;
};

class MeshReader {
 public:
  MeshReader(const aiScene& source, const NodeTable& nodes, const Limits& limits, Scene& scene)
      : source_(source), nodes_(nodes), limits_(limits), scene_(scene) {}

  Status readAll() {
    for (std::size_t n = 0; n < nodes_.source.size(); ++n) {
      CLIPMILL_CHECK(readNode(*nodes_.source[n], static_cast<int>(n)));
    }
    layOutWeights();
    return {};
  }

 private:
  Status readNode(const aiNode& source, int node) {
    std::vector<const aiMesh*> meshes;
    for (unsigned m = 0; m < source.mNumMeshes; ++m) {
      if (source.mMeshes[m] >= source_.mNumMeshes) {
        return Error{ErrorCode::kMalformed, textOf(source.mName),
                     "refers to a mesh that does not exist", ""};
      }
      const aiMesh* mesh = source_.mMeshes[source.mMeshes[m]];
      if (hasTriangles(*mesh)) meshes.push_back(mesh);
    }
    if (meshes.size() < 2 || fitTogether(meshes)) return readMeshesOf(meshes, node);
    for (const aiMesh* mesh : meshes) {
      Node child;
      child.name = textOf(mesh->mName);
      if (child.name.empty()) child.name = textOf(source.mName);
      child.parent = node;
      child.source_id = static_cast<int>(scene_.skeleton.size());
      scene_.skeleton.nodes.push_back(std::move(child));
      CLIPMILL_CHECK(readMeshesOf({mesh}, static_cast<int>(scene_.skeleton.size()) - 1));
    }
    return {};
  }

  bool hasTriangles(const aiMesh& mesh) {
    unsigned triangles = 0;
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) triangles += mesh.mFaces[f].mNumIndices == 3;
    if (triangles < mesh.mNumFaces) {
      scene_.warnings.add("points_and_lines", "points and lines of a mesh are dropped",
                          textOf(mesh.mName), mesh.mNumFaces - triangles);
    }
    return triangles > 0 && mesh.mNumVertices > 0 && mesh.mVertices;
  }

  // Meshes of one node share one skin and one set of morph weights.
  bool fitTogether(const std::vector<const aiMesh*>& meshes) {
    SkinBuilder skin;
    for (const aiMesh* mesh : meshes) {
      if (mesh->HasBones() != meshes.front()->HasBones() ||
          mesh->mNumAnimMeshes != meshes.front()->mNumAnimMeshes) {
        return false;
      }
      for (unsigned b = 0; b < mesh->mNumBones; ++b) {
        const auto found = nodes_.by_name.find(textOf(mesh->mBones[b]->mName));
        if (found == nodes_.by_name.end()) continue;
        if (!skin.joint(found->second, affineOf(mesh->mBones[b]->mOffsetMatrix))) return false;
      }
    }
    return true;
  }

  Status readMeshesOf(const std::vector<const aiMesh*>& meshes, int node) {
    SkinBuilder skin;
    for (const aiMesh* source : meshes) {
      CLIPMILL_CHECK(charge(*source));
      SkinnedMesh mesh = surfaceOf(*source);
      mesh.node = node;
      mesh.primitive = source == meshes.front() ? 0 : primitive_ + 1;
      primitive_ = mesh.primitive;
      addMorphs(*source, mesh);
      if (source->HasBones()) {
        mesh.skin = static_cast<int>(scene_.skins.size());
        addInfluences(*source, node, skin, mesh);
      }
      scene_.meshes.push_back(weldVertices(mesh));
    }
    if (!skin.skin.joints.empty()) {
      skin.skin.name = scene_.skeleton.nodes[toSize(node)].name;
      scene_.skins.push_back(std::move(skin.skin));
    }
    if (!meshes.empty()) addWeights(*meshes.front(), node);
    return {};
  }

  // A mesh may be shown by any number of nodes, and is copied for each.
  Status charge(const aiMesh& mesh) {
    const double sets = mesh.GetNumUVChannels() + 2.0 * mesh.GetNumColorChannels();
    bytes_ += (4.0 + sets + 2.0 * mesh.mNumAnimMeshes) * sizeof(Vec3) * mesh.mNumVertices +
              4.0 * sizeof(Influence) * mesh.mNumVertices + 12.0 * mesh.mNumFaces;
    if (bytes_ <= static_cast<double>(limits_.max_decoded_bytes)) return {};
    return Error{ErrorCode::kLimit, textOf(mesh.mName), "decodes to more than the limit",
                 "raise --max-decoded-mb if the file is meant to be that large"};
  }

  SkinnedMesh surfaceOf(const aiMesh& source) {
    SkinnedMesh mesh;
    mesh.name = textOf(source.mName);
    if (source.mMaterialIndex < scene_.materials.size()) {
      mesh.material = static_cast<int>(source.mMaterialIndex);
    }
    for (unsigned v = 0; v < source.mNumVertices; ++v) {
      mesh.positions.push_back(vectorOf(source.mVertices[v]));
      if (source.HasNormals()) mesh.normals.push_back(unitOf(source.mNormals[v]));
    }
    addTangents(source, mesh);
    addUvs(source, mesh);
    addColors(source, mesh);
    for (unsigned f = 0; f < source.mNumFaces; ++f) {
      const aiFace& face = source.mFaces[f];
      if (face.mNumIndices != 3) continue;
      mesh.triangles.insert(mesh.triangles.end(), face.mIndices, face.mIndices + 3);
    }
    return mesh;
  }

  // Where triangles have no area there is no normal; any is as good as another.
  static Vec3 unitOf(const aiVector3D& source) {
    const Vec3 normal = vectorOf(source);
    const double length = std::sqrt(glm::dot(normal, normal));
    return length > 0.0 && std::isfinite(length) ? normal / length : Vec3(0, 1, 0);
  }

  static void addTangents(const aiMesh& source, SkinnedMesh& mesh) {
    if (!source.HasTangentsAndBitangents() || !source.HasNormals()) return;
    for (unsigned v = 0; v < source.mNumVertices; ++v) {
      const Vec3 tangent = unitOrZero(vectorOf(source.mTangents[v]));
      const Vec3 bitangent = vectorOf(source.mBitangents[v]);
      const bool is_mirrored = glm::dot(glm::cross(mesh.normals[v], tangent), bitangent) < 0.0;
      mesh.tangents.emplace_back(tangent, is_mirrored ? -1.0 : 1.0);
    }
  }

  static void addUvs(const aiMesh& source, SkinnedMesh& mesh) {
    for (unsigned k = 0; k < AI_MAX_NUMBER_OF_TEXTURECOORDS; ++k) {
      if (!source.HasTextureCoords(k)) continue;
      std::vector<Vec2> uvs;
      // The library's origin is at the bottom.
      for (unsigned v = 0; v < source.mNumVertices; ++v) {
        uvs.emplace_back(source.mTextureCoords[k][v].x, 1.0 - source.mTextureCoords[k][v].y);
      }
      addSet(std::move(uvs), mesh.uvs, mesh.more_uvs);
    }
  }

  static void addColors(const aiMesh& source, SkinnedMesh& mesh) {
    for (unsigned k = 0; k < AI_MAX_NUMBER_OF_COLOR_SETS; ++k) {
      if (!source.HasVertexColors(k)) continue;
      std::vector<Vec4> colors;
      for (unsigned v = 0; v < source.mNumVertices; ++v) {
        const aiColor4D& color = source.mColors[k][v];
        colors.emplace_back(color.r, color.g, color.b, color.a);
      }
      addSet(std::move(colors), mesh.colors, mesh.more_colors);
    }
  }

  // The first set of its kind, or one more.
  template <class Vector>
  static void addSet(std::vector<Vector> set, std::vector<Vector>& first,
                     std::vector<std::vector<Vector>>& more) {
    if (first.empty()) {
      first = std::move(set);
    } else {
      more.push_back(std::move(set));
    }
  }

  static void addMorphs(const aiMesh& source, SkinnedMesh& mesh) {
    for (unsigned m = 0; m < source.mNumAnimMeshes; ++m) {
      const aiAnimMesh& target = *source.mAnimMeshes[m];
      MorphTarget morph;
      morph.name = textOf(target.mName);
      morph.position_deltas.assign(mesh.vertexCount(), Vec3(0.0));
      const unsigned count = std::min(target.mNumVertices, source.mNumVertices);
      for (unsigned v = 0; v < count && target.HasPositions(); ++v) {
        morph.position_deltas[v] = vectorOf(target.mVertices[v]) - mesh.positions[v];
      }
      if (target.HasNormals() && !mesh.normals.empty()) {
        morph.normal_deltas.assign(mesh.vertexCount(), Vec3(0.0));
        for (unsigned v = 0; v < count; ++v) {
          morph.normal_deltas[v] = unitOf(target.mNormals[v]) - mesh.normals[v];
        }
      }
      mesh.morphs.push_back(std::move(morph));
    }
  }

  void addInfluences(const aiMesh& source, int node, SkinBuilder& skin, SkinnedMesh& mesh) {
    std::vector<std::vector<Influence>> of_vertex(source.mNumVertices);
    for (unsigned b = 0; b < source.mNumBones; ++b) {
      const aiBone& bone = *source.mBones[b];
      const auto found = nodes_.by_name.find(textOf(bone.mName));
      if (found == nodes_.by_name.end()) {
        scene_.warnings.add("bone_without_node",
                            "a bone has no node; its vertices do not follow it",
                            textOf(bone.mName));
        continue;
      }
      // A mesh with its own node can still list a bone twice.
      const auto joint = skin.joint(found->second, affineOf(bone.mOffsetMatrix));
      if (!joint) {
        scene_.warnings.add("repeated_bone", "a mesh lists a bone twice; the first one is used",
                            textOf(bone.mName));
        continue;
      }
      for (unsigned w = 0; w < bone.mNumWeights; ++w) {
        const aiVertexWeight& weight = bone.mWeights[w];
        if (weight.mVertexId >= source.mNumVertices || !(weight.mWeight > 0.0f) ||
            !std::isfinite(weight.mWeight)) {
          continue;
        }
        of_vertex[weight.mVertexId].push_back({*joint, weight.mWeight});
      }
    }
    mesh.influence_start.push_back(0);
    for (std::vector<Influence>& influences : of_vertex) {
      if (influences.empty()) influences.push_back({followNode(node, source, skin), 1.0});
      double sum = 0.0;
      for (const Influence& influence : influences) sum += influence.weight;
      for (const Influence& influence : influences) {
        mesh.influences.push_back({influence.joint, influence.weight / sum});
      }
      mesh.influence_start.push_back(mesh.influences.size());
    }
  }

  // The joint for vertices that no bone moves: the node that shows the mesh.
  std::uint32_t followNode(int node, const aiMesh& source, SkinBuilder& skin) {
    scene_.warnings.add("vertex_without_weight",
                        "a vertex has no weights; it is bound to the node of its mesh",
                        textOf(source.mName));
    return skin.joint(node, Affine{}).value_or(0);
  }

  void addWeights(const aiMesh& source, int node) {
    Node& mesh_node = scene_.skeleton.nodes[toSize(node)];
    weights_of_node_.emplace(node, std::vector<double>());
    mesh_node.weights_count = static_cast<int>(source.mNumAnimMeshes);
    for (unsigned m = 0; m < source.mNumAnimMeshes; ++m) {
      weights_of_node_[node].push_back(source.mAnimMeshes[m]->mWeight);
    }
  }

  // Weights lie in the order of the nodes, some of which came late.
  void layOutWeights() {
    Skeleton& skeleton = scene_.skeleton;
    for (std::size_t n = 0; n < skeleton.size(); ++n) {
      skeleton.nodes[n].weights_start = static_cast<int>(skeleton.rest_weights.size());
      const auto found = weights_of_node_.find(static_cast<int>(n));
      if (found == weights_of_node_.end()) continue;
      skeleton.rest_weights.insert(skeleton.rest_weights.end(), found->second.begin(),
                                   found->second.end());
    }
  }

  const aiScene& source_;
  const NodeTable& nodes_;
  const Limits& limits_;
  Scene& scene_;
  std::map<int, std::vector<double>> weights_of_node_;
  int primitive_ = 0;
  double bytes_ = 0.0;
};

}  // namespace

Status readMeshes(const aiScene& source, const NodeTable& nodes, const Limits& limits,
                  Scene& scene) {
  return MeshReader(source, nodes, limits, scene).readAll();
}

}  // namespace clipmill::io::assimp
