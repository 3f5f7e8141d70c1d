// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "anim/track.h"
#include "core/result.h"
#include "scene/scene.h"

namespace clipmill::glb_writer {

/// How a place in the scene is called in an error: "mesh 3 (Body)".
std::string placeOf(const char* kind, std::size_t index, const std::string& name);

/// Whether all indices of the scene and of the tracks lead somewhere, arrays have the lengths they
/// must have, and the primitives of each node agree. Error: kMalformed.
Status validateScene(const Scene& scene);
Status validateClips(const Skeleton& skeleton, std::span<const KeyframeClip> clips);

}  // namespace clipmill::glb_writer
