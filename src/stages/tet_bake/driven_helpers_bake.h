// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stages/stage.h"
#include "stages/tet_bake/driven_data.h"

namespace clipmill::stages::tet_bake {

/// Bakes into helper joints that follow joint rotations (fitDrivenHelpers()). Their keys in each
/// clip are what the written drivers give.
StageOutput bakeDrivenHelpers(const DrivenData& data, const Baked& baked);

}  // namespace clipmill::stages::tet_bake
