// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math.h"

namespace clipmill {

inline bool isFinite(const Mat3& m) { return isFinite(m[0]) && isFinite(m[1]) && isFinite(m[2]); }

inline bool isFinite(const Affine& map) {
  return isFinite(map.linear) && isFinite(map.translation);
}

}  // namespace clipmill
