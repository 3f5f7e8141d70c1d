// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/springs/spring.h"
#include "stages/stage.h"

namespace clipmill::bones {

/// Where the bones of `rig` were when the clip ended from which `clip` goes on: the clip of the
/// same name in the first of `files`, or its only one, carried over the ground to where `clip`
/// begins. Nodes are found by their paths. Empty without a file; ends are not finite for bones that
/// the file does not have.
PriorEnds endsOfPrior(const Rig& rig, const Scene& scene, const Motion& clip,
                      std::span<const AuxiliaryFile> files, double step_s);

/// Whether the file has a clip from which `clip` can go on. Error: kNotFound.
Status checkPrior(const Motion& clip, std::span<const AuxiliaryFile> files);

}  // namespace clipmill::bones
