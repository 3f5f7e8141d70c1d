// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "core/result.h"

namespace clipmill::cli {

/// Error: kUsage for the path of a contact sheet that does not end with .png; empty is no sheet.
Status checkSheetPath(const std::string& path);

}  // namespace clipmill::cli
