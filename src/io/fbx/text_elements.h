// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/fbx/tree_write.h"

namespace clipmill::io::fbx {

/// How a text file is laid out.
struct TextStyle {
  std::string line_end = "\n";
  std::string indent = "\t";  ///< One step of it.
  bool has_arrays = true;     ///< `*N { a: .. }`, from 7000 on.
};

TextStyle styleOf(const Tree& tree);

/// The lines of an element, each with `indent` before it and a line end behind it.
std::string elementText(const NewElement& element, const std::string& indent,
                        const TextStyle& style);

/// The text between the colon and the bracket or line end; `indent` is the element's own.
std::string valuesText(const std::vector<NewValue>& values, const std::string& indent,
                       const TextStyle& style);

}  // namespace clipmill::io::fbx
