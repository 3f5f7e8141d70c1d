// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/springs/spring.h"
#include "stages/stage.h"

namespace clipmill::stages::dynamic_bones {

/// Ends of the bones of `rig` in the last frame of the clip that `clip` continues: the clip of the
/// same name in the first of `files`, or its only one, moved over the ground to where `clip`
/// starts. Nodes are matched by path. Empty without a file; not finite for bones that the file does
/// not have.
PriorEnds endsOfPrior(const Rig& rig, const Scene& scene, const Motion& clip,
                      std::span<const AuxiliaryFile> files, double step_s);

/// Checks that the file has a clip that `clip` can continue. Error: kNotFound.
Status checkPrior(const Motion& clip, std::span<const AuxiliaryFile> files);

}  // namespace clipmill::stages::dynamic_bones
