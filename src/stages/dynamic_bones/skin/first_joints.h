// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "anim/motion.h"
#include "scene/scene.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones {

/// What moveFirstJoints() moved.
struct MovedJoints {
  std::vector<int> nodes;    ///< Joints with another translation in at least one frame.
  double max_shift_m = 0.0;  ///< Out of the body, before the weights of the chain.
};

/// Moves first joints of chains, with all below them, by as much as what hangs on them is in the
/// body. Chains cannot rotate that part of their skin out (ChainSkin::FreeVertex::is_movable): the
/// waist of a skirt over a thigh that is raised. Vertices get the distance from the body that they
/// have at rest, at most the gap of other contacts, one after another along the shortest path, and
/// a joint moves by at most 5 % of the size of the body. It moves out and back within 0.1 s. The
/// weights of a chain count. `period`: the length of a cycle in frames. `rig` has a skin. Changes
/// translations of `motion`.
MovedJoints moveFirstJoints(const Rig& rig, const DynamicBonesSettings& settings,
                            const Scene& scene, std::optional<std::size_t> period, Motion& motion);

}  // namespace clipmill::stages::dynamic_bones
