// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "anim/track.h"
#include "core/result.h"
#include "scene/scene.h"

namespace clipmill::io::fbx {

/// From the units and axes of a scene to centimetres with y up: lengths are multiplied by
/// `scale`, and the roots get `rotation` and then `shift_cm`.
struct SpaceChange {
  double scale = 1.0;
  Quat rotation = kIdentityRotation;
  Vec3 shift_cm{0.0};
};

SpaceChange toCentimetres(const Affine& metric_from_file);

/// A scene (without its clips) and keyframe clips in the new space. Angles that tracks bring along
/// (Track::angles_deg) are kept where they are still valid, for nodes with the order x, y, z.
Scene changedScene(const Scene& scene, const SpaceChange& change);
std::vector<KeyframeClip> changedClips(const Skeleton& skeleton,
                                       std::span<const KeyframeClip> clips,
                                       const SpaceChange& change);

/// Error: kMalformed where a number is not finite or too large for 32 bits.
Status checkNumbers(const Scene& scene, std::span<const KeyframeClip> clips);

}  // namespace clipmill::io::fbx
