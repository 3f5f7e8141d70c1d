// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "stages/stage.h"

namespace clipmill::stages {

/// All kinds of stages, in the default order of a recipe.
std::span<const StageType> stageTypes();

/// The stage of that name, or null.
const StageType* findStageType(std::string_view name);

}  // namespace clipmill::stages
