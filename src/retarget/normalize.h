// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/limits.h"
#include "core/result.h"
#include "core/warnings.h"
#include "scene/scene.h"

/// What exporters leave in files, and scenes without it.
namespace clipmill::retarget {

/// What normalizeScene() mends.
struct NormalizeSettings {
  bool armature_scale = true;
  bool up_axis = true;
  bool facing = true;
  bool scale_tracks = true;
  bool duplicate_frames = true;
};

/// A scene and what was found in it: the codes of findIrregularities().
struct NormalizedScene {
  Scene scene;
  Warnings found;
};

/// What normalizeScene() would mend, one code each with the node or clip where it is first:
///
/// armature_scale: a uniform scale at or above the topmost joint of a skin that is not 1 in metres.
/// up_axis: a humanoid whose up axis is not y, in its bind pose and in its clips.
/// facing: a humanoid whose bind pose faces another of the four directions than +z.
/// constant_scale_track: keys of a scale that never differs from that of the rest pose by 1e-4.
/// duplicate_frame: a frame that repeats the one before while the clip moves before and after it.
/// rotation_not_unit, channel_without_node: what readers left out or normalised.
Result<Warnings> findIrregularities(const Scene& scene, const io::Limits& limits);

/// The scene in metres, y up (plainScene()), without them. Positions in the world stay, apart from
/// the rotation of everything that makes the character upright along y and face +z; that rotation
/// is a multiple of 90 degrees. Scales of armatures go into translations, bind matrices and rigid
/// meshes. A duplicate frame gets the cubic through its neighbours.
///
/// Error: kLimit for clips that need more memory than `limits` allow.
Result<NormalizedScene> normalizeScene(const Scene& scene, const NormalizeSettings& settings,
                                       const io::Limits& limits);

}  // namespace clipmill::retarget
