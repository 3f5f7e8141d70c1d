// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "anim/track.h"
#include "core/file.h"
#include "core/result.h"
#include "core/warnings.h"
#include "scene/scene.h"

namespace clipmill {

/// What the written file says of itself.
struct FbxWriteOptions {
  std::string generator = "clipmill";
  double fps = 0.0;  ///< The frame rate that players show; 0: told by the keys of the clips.
};

/// A complete binary FBX 7.4 file: Models in the skeleton's order, skins, meshes, blend shapes,
/// materials, pictures (embedded), and one animation stack for each of `clips`. Scene::clips is not
/// looked at: sample it and make tracks of it first. 7.4 is what every reader of the last decade
/// takes; 7.5 brings nothing but room beyond 4 GiB.
///
/// Everything is written in centimetres with y up, right-handed, through metric_from_file: lengths
/// are multiplied, and the roots (their keys too) take the turn and the shift, so that no node
/// gets a scale that it did not have.
///
/// - Joints of skins, and what lies between them, become LimbNodes; nodes with a mesh Meshes; all
///   others Nulls, and so does a topmost joint without vertices that has one joint below it: it
///   stands for the whole skeleton. In a scene without skins and meshes all nodes become LimbNodes.
/// - The meshes of one node become one Geometry, their vertices one after another. Where the space
///   of the vertices at bind does not agree with where the node stands at rest, the vertices are
///   carried over: tools place skinned meshes by their node.
/// - Keys stay keys. Rotations become Euler angles (x, y, z): linear where that keeps within 1e-5
///   radians of the arc between two keys, else cubic with the slopes of the arc, and with more keys
///   where that is not enough. Key times within the rounding of 32 bits of a frame are put on it.
///
/// `lost` counts what other programs will not find in the file, or find changed. The same input
/// gives the same bytes.
///
/// Errors: kMalformed where the scene contradicts itself (validateScene, validateClips) or holds
/// numbers that are not finite; kLimit where the file would not fit in 4 GiB.
Result<Bytes> writeFbx(const Scene& scene, std::span<const KeyframeClip> clips,
                       const FbxWriteOptions& options, Warnings& lost);

}  // namespace clipmill
