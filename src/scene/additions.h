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
/// Added morphs follow the node's own in the order of their list. A weights
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
  bool as_int16 = false;        ///< Stored as 16-bit integers where the format can (glTF in place).
  bool has_unit_scale = false;  ///< Integers are parts of 1, and the weights stay as they are.
};

/// A new joint of the skeleton. Added joints follow the nodes that the scene has, in the order in
/// their list: the first one has the index Skeleton::size().
struct AddedJoint {
  std::string name;  ///< Empty: it is called "joint_<number>".
  int parent = 0;    ///< Index in Skeleton::nodes, of a node that was there or an added one before.
  Transform rest;    ///< Local transform without animation, in file units. Inherits all scales.
};

/// One joint's part in a vertex, by node.
struct NodeInfluence {
  int node = 0;  ///< Index in Skeleton::nodes with the added joints.
  double weight = 0.0;
};

/// Other skin weights for the meshes that a node shows; they have a skin, whose joints stay in it.
struct AddedWeights {
  int node = 0;  ///< Index in Skeleton::nodes.
  /// Vertex v has influences [start[v], start[v + 1]); vertices as in AddedMorph. At most four a
  /// vertex, each of another joint, which sum to 1.
  std::vector<std::size_t> influence_start;
  std::vector<NodeInfluence> influences;
  /// The joints that get into the skin (mostly added ones), and their inverse bind matrices: mesh
  /// space at bind to joint, in file units. Meshes that share the skin get them too; they come
  /// behind its own, in this order.
  std::vector<int> joints;
  std::vector<Affine> joint_from_bind;
};

/// A file to be written beside the output.
struct AddedFile {
  std::string suffix;  ///< What its name has behind the output's stem: "_body.mdd".
  Bytes bytes;
};

/// A JSON value for the extras of the file as a whole, in glTF that is edited in place; other
/// formats, and conversions, do not have it.
struct AddedExtra {
  std::string key;
  std::string json;  ///< The text of a JSON value. Replaces the value that the key has.
};

/// All that a stage adds.
struct Additions {
  std::vector<AddedMorph> morphs;
  std::vector<AddedFile> files;
  std::vector<AddedJoint> joints = {};
  std::vector<AddedWeights> weights = {};
  std::vector<AddedExtra> extras = {};

  bool empty() const {
    return morphs.empty() && files.empty() && extras.empty() && !changesSkins();
  }
  /// Whether there is more than what belongs to single meshes.
  bool changesSkins() const { return !joints.empty() || !weights.empty(); }
};

/// Whether `additions` fit `scene`, which has its meshes where morphs or weights are added: nodes
/// that show one, as many finite displacements as vertices; joints with a parent before them;
/// influences of joints that the skin has. No node may get weights twice. Error: kInternal.
Status checkAdditions(const Scene& scene, const Additions& additions, int threads = 1);

/// Appends `made`, which fits the scene with `all`, to `all`: withAdditions() gives the same for
/// both at once as for one after the other. Weights of a node replace its former ones.
void append(Additions made, Additions& all);

/// The nodes with what `additions` bring: longer rows of weights, and the new joints, which animate
/// angles where their parents do.
Skeleton withAdditions(const Skeleton& skeleton, const Additions& additions);

/// The scene with `additions`, which fit it. Morphs follow those that their nodes have, and
/// are 0 in the poses that its clips give; new joints follow all nodes, and the clips leave
/// them as they are. A scene without meshes gets the weights and the joints alone.
Scene withAdditions(const Scene& scene, const Additions& additions, int threads = 1);

/// A motion of `before`, the skeleton of a scene, as one of `after`, that of withAdditions(): the
/// new weights are 0, the new joints at rest.
Motion withAdditions(const Skeleton& before, const Skeleton& after, const Motion& motion);

}  // namespace clipmill
