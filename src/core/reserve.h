// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/system.h"

namespace clipmill {

/// Reserves memory for `count` values that are all about to be written; the system may hand it out
/// in large pieces.
template <class T>
void reserveToFill(std::vector<T>& values, std::size_t count) {
  values.reserve(count);
  system::expectToFill(values.data(), count * sizeof(T));
}

}  // namespace clipmill
