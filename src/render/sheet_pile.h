// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/result.h"
#include "render/sheet.h"

namespace clipmill::render {

/// Contact sheets of single clips below each other, each as drawSheet() draws it: with its own
/// frames and camera. Clips that cannot be drawn are left out, with the warning clip_not_shown.
/// Errors: kUsage for no row; kUnsupported where none can be drawn; kLimit for an image of more
/// than 400 million pixels.
Result<Sheet> drawSheetPile(const std::vector<SheetRow>& rows, const SheetSettings& settings);

}  // namespace clipmill::render
