// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/track.h"
#include "scene/scene.h"

namespace clipmill {

/// The scene in metres, y up, as formats want it that know no other units (glTF): every local
/// translation, vertex and bind matrix is scaled, and the roots are turned, so that no node is
/// added and no node gets a scale. World positions become `metric_from_file` times what they were;
/// `metric_from_file` of the result is identity. Roots that do nothing but show skinned meshes stay
/// as they are, for skinning does not look at them. Clips are not touched: their keys go through
/// inMetres() below. `metric_from_file` must not mirror. A scene that is in metres comes back
/// bit for bit.
Scene inMetres(Scene scene);

/// Keys for nodes of `scene` (which is still in file units) as keys for inMetres(scene).
std::vector<Track> inMetres(const Scene& scene, std::vector<Track> tracks);

}  // namespace clipmill
