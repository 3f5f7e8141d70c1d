// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace clipmill {

/// A number that is known to be zero or more, as an index or a count.
template <class Number>
constexpr std::size_t toSize(Number value) {
  return static_cast<std::size_t>(value);
}

}  // namespace clipmill
