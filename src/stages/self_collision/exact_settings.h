// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

namespace clipmill {

/// Settings of SelfCollisionMethod::kExact. Depths are in percent of the figure's height.
struct ExactSettings {
  double tolerance_percent = 1.0;  ///< What is deeper is freed.
};

}  // namespace clipmill
