// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::unity {

/// Adds the springs in the text of a Unity scene, prefab or asset as chains and colliders for the
/// methods spring and rope. Components are told by the names of their fields: DynamicBone and its
/// colliders, VRCPhysBone and VRCPhysBoneCollider, VRMSpringBone and VRMSpringBoneColliderGroup of
/// UniVRM 0.x. Returns notes for people, one line each: what was found, and what is approximate.
///
/// Nodes are named as the game objects are. Unity is left-handed: numbers along the axes of nodes
/// have their x turned round as by its importers of FBX and glTF, those of VRM 0.x their z.
///
/// Errors: kMalformed and kLimit of the text, kNotFound where it holds no spring, kUnsupported
/// where all its springs are on bones that the text only refers to.
Result<std::vector<std::string>> addUnitySprings(std::string_view text, std::uint64_t max_bytes,
                                                 DynamicBonesSettings& settings);

}  // namespace clipmill::unity
