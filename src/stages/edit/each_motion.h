// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "core/result.h"
#include "stages/stage.h"

namespace clipmill::stages::edit {

/// Runs `edit` over all motions of a stage, in parallel; each fills the result of its own. Error:
/// that of the first motion that has one.
Result<std::vector<StageResult>> eachMotion(
    const StageInput& input, const std::function<Status(const Motion&, StageResult&)>& edit);

}  // namespace clipmill::stages::edit
