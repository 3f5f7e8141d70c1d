// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/result.h"
#include "io/fbx/read.h"
#include "scene/joint_insertion.h"

namespace clipmill::io::fbx {

/// The file with the joints of `insertion`: Models behind those of the file, with an entry in each
/// bind pose that has the anchor. Connections of adopted Models lead to their new parent. They are
/// limbs; a joint to whose end Blender would connect its only bone, so that this bone loses its
/// translation, is a Null. Error: kUnsupported before FBX 7.
Result<Bytes> insertJoints(const Document& document, const ReadScene& read,
                           const JointInsertion& insertion);

}  // namespace clipmill::io::fbx
