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

namespace clipmill::io::fbx {

/// Raised whenever the same keys and scene give other bytes of FBX files: those that are made anew
/// (this file) and those that get new keys (patch.h).
inline constexpr int kFbxWriterVersion = 3;

/// What the written file states about itself.
struct FbxWriteOptions {
  std::string generator = "clipmill";
  double fps = 0.0;  ///< Frame rate that programs show; 0: detected from the keys of the clips.
};

/// A complete binary FBX 7.4 file: Models in the skeleton's order, skins, meshes, blend shapes,
/// materials, images (embedded), and one animation stack for each of `clips`. Scene::clips is not
/// looked at: sample it and make tracks of it first. 7.4 is what every reader of the last decade
/// takes; 7.5 only adds files larger than 4 GiB.
///
/// Everything is written in centimetres with y up, right-handed, through metric_from_file: lengths
/// are multiplied, and the roots (their keys too) get the rotation and the translation, so that no
/// node gets a new scale.
///
/// - Joints of skins, and what lies between them, become LimbNodes; nodes with a mesh Meshes; all
///   others Nulls, and so does a topmost joint without vertices that has one joint below it: it
///   represents the whole skeleton. In a scene without skins and meshes all nodes become LimbNodes.
/// - The meshes of one node become one Geometry, their vertices one after another. Where the bind
/// space of the vertices differs from the rest transform of the node, the vertices are transformed:
/// other programs position skinned meshes by their node.
/// - Keys stay keys. Rotations become Euler angles (x, y, z): linear where that keeps within 1e-5
///   radians of the arc between two keys, else cubic with the slopes of the arc, and with more keys
///   where that is not enough. Key times within the rounding of 32 bits of a frame are put on it.
///
/// `losses` counts what other programs do not find in the file, or find changed. The same input
/// gives the same bytes.
///
/// Errors: kMalformed where the scene is inconsistent (validateScene, validateClips) or holds
/// numbers that are not finite; kLimit where the file would not fit in 4 GiB.
Result<Bytes> writeFbx(const Scene& scene, std::span<const KeyframeClip> clips,
                       const FbxWriteOptions& options, Warnings& losses);

}  // namespace clipmill::io::fbx
