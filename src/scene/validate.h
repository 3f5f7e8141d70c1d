// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "anim/track.h"
#include "core/result.h"
#include "scene/scene.h"

namespace clipmill {

/// Whether a scene that is to be written agrees with itself: all indices lead somewhere, parents
/// precede their children, arrays have the lengths they must have, and the meshes of each node
/// have one skin and one number of morphs. Error: kMalformed, naming the element.
Status validateScene(const Scene& scene);

/// Whether tracks fit the skeleton: nodes, widths, numbers of values, at most one track for each
/// property; and whether key times start at 0 or later and ascend, also as 32-bit floats. Error:
/// kMalformed.
Status validateClips(const Skeleton& skeleton, std::span<const KeyframeClip> clips);

}  // namespace clipmill
