// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "anim/track.h"
#include "core/file.h"
#include "core/result.h"
#include "scene/scene.h"

namespace clipmill::io::gltf {

/// Raised whenever the same keys and scene give other bytes of GLB or glTF files: those that are
/// made anew (this file) and those that get new keys (patch.h).
inline constexpr int kGltfWriterVersion = 6;

/// What the written file states about itself.
struct WriteOptions {
  std::string generator = "clipmill";
  std::string copyright;  ///< Left out where empty.
  /// A VRMA file: Scene::humanoid and the nodes of Scene::face become VRMC_vrm_animation 1.0.
  bool is_vrm_animation = false;
};

/// A complete binary glTF 2.0 file: nodes in the skeleton's order, skins, meshes, morph targets,
/// materials, images, and one animation for each of `clips`. Scene::clips is not looked at: sample
/// it and make tracks of it first. Everything is written in the scene's own units and axes.
///
/// Numbers of vertices and keys become 32-bit floats. Weights are normalized to sum to 1 and sorted
/// in descending order, in as many sets of four as the vertex with most joints needs. Tracks that
/// share their KeyTimes share one accessor of times. The same input gives the same bytes.
///
/// Corner attributes and materials of triangles become vertices and primitives (splitCorners).
/// Normals are made unit length, one of length 0 points along +Z; vertex colours are clamped to
/// 0..1. An image without data is referred to by its path: backslashes become
/// slashes, and of an absolute path the file's name stays. One without either is left out, as are
/// meshes without triangles, and tracks of morph weights of nodes without a mesh. Node::inherit is
/// not looked at, glTF knows kAll only: whoever has others makes their poses into tracks first, and
/// adds a warning where that cannot be exact.
///
/// Errors: kMalformed where the scene is inconsistent or glTF cannot store it (an index out
/// of range, primitives of one node with different skins or numbers of morphs, a vertex without
/// weights, key times that are negative or do not ascend as floats, a value that is not finite);
/// kLimit where the file would not fit in 4 GiB.
Result<Bytes> writeGlb(const Scene& scene, std::span<const KeyframeClip> clips,
                       const WriteOptions& options = {});

}  // namespace clipmill::io::gltf
