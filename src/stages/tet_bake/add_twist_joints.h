// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "anim/motion.h"
#include "core/warnings.h"
#include "scene/scene.h"
#include "stages/tet_bake/bake.h"

namespace clipmill::tet_bake {

/// Gives a rig twist joints for these motions where they are needed, and lets them carry the flesh
/// in it too. Nodes whose meshes cannot get new weights (keptPoints()), or have a vertex with more
/// influences than files are sure to hold, keep those that they have: told in `warnings`.
void addTwistJoints(const Scene& scene, std::span<const Motion> motions, BakeRig& rig,
                    Warnings& warnings);

}  // namespace clipmill::tet_bake
