// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace clipmill {

/// Whether all formats can store a custom property of that name: it is not empty, and none of the
/// properties that every node of FBX has.
bool isCustomName(std::string_view name);

}  // namespace clipmill
