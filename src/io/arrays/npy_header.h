// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "io/arrays/npy.h"

namespace clipmill::io::arrays {

/// What the header of an .npy file states.
struct NpyHeader {
  ElementKind kind = ElementKind::kFloat;
  std::size_t element_bytes = 0;
  bool is_big_endian = false;
  bool is_fortran_order = false;
  std::vector<std::size_t> shape;
};

/// Reads the header, a Python dictionary of three entries. Errors: kMalformed; kUnsupported as for
/// readNpy().
Result<NpyHeader> parseNpyHeader(std::string_view text);

}  // namespace clipmill::io::arrays
