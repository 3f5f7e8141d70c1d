// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "anim/motion.h"
#include "core/warnings.h"
#include "scene/scene.h"
#include "stages/tet_bake/bake.h"

namespace clipmill::stages::tet_bake {

/// Adds twist joints to a rig where these motions need them, and binds its tetrahedra to them too.
/// Nodes whose meshes cannot get new weights (keptPoints()), or have a vertex with more than
/// kMaxInfluences influences, keep their weights; `warnings` report them.
void addTwistJoints(const Scene& scene, std::span<const Motion> motions, BakeRig& rig,
                    Warnings& warnings);

}  // namespace clipmill::stages::tet_bake
