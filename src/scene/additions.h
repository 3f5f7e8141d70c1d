// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/file.h"
#include "core/math.h"
#include "core/result.h"
#include "scene/scene.h"

/// What stages add to a file besides motion.
namespace clipmill {

/// A new morph target of the mesh that a node shows. The weight at rest is 0.
///
/// Added morphs follow the node's own in the order in which they stand in their list. A weights
/// track of a node with added morphs has Node::weights_count + added values a key: first those of
/// the node's own morphs, then those of the added ones.
struct AddedMorph {
  int node = 0;                       ///< Index in Skeleton::nodes.
  std::string name;                   ///< Empty: the writer finds one.
  std::vector<Vec3> position_deltas;  ///< Displacements at weight 1, one a vertex of the node's
                                      ///< mesh (SkinnedMesh::positions, and in its space), in file
                                      ///< units. Where Scene::meshes has several of the node, all
                                      ///< their vertices one after another, in that order.
  std::vector<Vec3> normal_deltas = {};  ///< Likewise, or empty for none.
  bool as_int16 = false;  ///< Stored as 16-bit integers where the format can (glTF in place).
};

/// A new joint of the skeleton. Added joints follow the nodes that the scene has, in the order in
/// which they stand in their list: the first one has the index Skeleton::size().
struct AddedJoint {
  std::string name;  ///< Empty: the writer finds one.
  int parent = 0;    ///< Index in Skeleton::nodes, of a node that was there or an added one before.
  Transform rest;    ///< Local transform without animation, in file units.
};

/// One joint's part in a vertex, by node.
struct NodeInfluence {
  int node = 0;  ///< Index in Skeleton::nodes with the added joints.
  double weight = 0.0;
};

/// Other skin weights for the meshes that a node shows; they have a skin, whose joints stay in it.
struct AddedWeights {
  int node = 0;  ///< Index in Skeleton::nodes.
  /// Vertex v has influences [begin[v], begin[v + 1]); vertices as in AddedMorph. At most four a
  /// vertex, which sum to 1.
  std::vector<std::size_t> influence_begin;
  std::vector<NodeInfluence> influences;
  /// The added joints that get into the skin, and their inverse bind matrices: mesh space at bind
  /// to joint, in file units.
  std::vector<int> joints;
  std::vector<Affine> joint_from_bind;
};

/// A file to be written beside the output.
struct AddedFile {
  std::string suffix;  ///< What its name has behind the output's stem: "_body.mdd".
  Bytes bytes;
};

/// All that a stage adds.
struct Additions {
  std::vector<AddedMorph> morphs;
  std::vector<AddedFile> files;
  std::vector<AddedJoint> joints = {};
  std::vector<AddedWeights> weights = {};

  bool empty() const {
    return morphs.empty() && files.empty() && joints.empty() && weights.empty();
  }
};

/// Whether `morphs` fit the meshes of `scene`: nodes that show one, as many finite displacements as
/// vertices. Error: kInternal.
Status checkMorphs(const Scene& scene, std::span<const AddedMorph> morphs);

/// The scene with `morphs`, which fit it, behind the morphs that its nodes have: in the meshes, in
/// the weights of the skeleton, and in the poses that its clips answer, where theirs are 0. A scene
/// without meshes gets the weights alone.
Scene withMorphs(const Scene& scene, std::span<const AddedMorph> morphs);

/// A motion of `before`, the skeleton of a scene, as one of `after`, that of withMorphs(): the new
/// weights are 0.
Motion withMorphs(const Skeleton& before, const Skeleton& after, const Motion& motion);

}  // namespace clipmill
