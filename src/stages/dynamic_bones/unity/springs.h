// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "stages/dynamic_bones/settings.h"

namespace clipmill::stages::dynamic_bones::unity {

/// Adds the springs in the text of a Unity scene, prefab or asset as chains and colliders for the
/// method spring. Components are identified by the names of their fields: DynamicBone and
/// its colliders, VRCPhysBone and VRCPhysBoneCollider, VRMSpringBone and VRMSpringBoneColliderGroup
/// of UniVRM 0.x. Returns notes for users, one line each: what was found, and what is approximate.
///
/// Nodes have the names of the game objects. Unity is left-handed: vectors in the axes of nodes get
/// a negated x, as by its importers of FBX and glTF; those of VRM 0.x a negated z.
///
/// Errors: kMalformed and kLimit of the text, kNotFound where it has no springs, kUnsupported where
/// all its springs are on bones of another file.
Result<std::vector<std::string>> addUnitySprings(std::string_view text, std::uint64_t max_bytes,
                                                 DynamicBonesSettings& settings);

}  // namespace clipmill::stages::dynamic_bones::unity
