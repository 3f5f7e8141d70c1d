// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "stages/edit/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::edit {

/// The motions as they are, under other names. Errors, kRecipe: an empty name, one that two clips
/// of the file would have then.
Result<std::vector<StageResult>> runRename(const StageInput& input, const RenameSettings& settings);

/// The stage as the registry lists it.
StageType renameType();

}  // namespace clipmill::stages::edit
