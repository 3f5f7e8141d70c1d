// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/result.h"
#include "io/gltf/document.h"
#include "scene/joint_insertion.h"
#include "scene/scene.h"

namespace clipmill::io::gltf {

/// The document with the joints of `insertion`; `scene` is what readScene() made of it. They are
/// nodes behind those of the file, and the last joints of the skins that have the anchor. Those
/// skins get an accessor with their own inverse bind matrices and the new ones. Error: kLimit.
Result<Bytes> insertJoints(const Document& document, const Scene& scene,
                           const JointInsertion& insertion);

}  // namespace clipmill::io::gltf
