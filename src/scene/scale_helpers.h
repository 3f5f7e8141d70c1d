// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <set>

#include "scene/scene.h"

namespace clipmill {

/// The same scene with the scale of each of `scaled` in a node of its own: "<name>_scale", below
/// it, carries the scale, the meshes, the skins and the children that inherit all scales; the node
/// itself keeps translation and rotation, and the children that skip its scale. World positions,
/// and the maps of all nodes but those of `scaled`, stay what they were; `scaled` lose their own
/// scale. With that no shear is left between such a node and the children that skip its scale.
/// Indices of nodes change; source ids of the nodes that were there stay, new ones count on.
Scene withScaleHelpers(const Scene& scene, const std::set<int>& scaled);

}  // namespace clipmill
