// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/result.h"

/// HTML pages that the viewer's tools made, and the data that is put into them.
namespace clipmill::pages {

/// Data of a page, in an element that no browser runs.
struct PageBlock {
  std::string type;     ///< "application/json", "text/plain"
  std::string id;       ///< Of its element.
  std::string content;  ///< Without '<': JSON by jsonBlock(), all else as base64.
};

/// A block of JSON. A '<' occurs in JSON strings only, and is escaped there, so that no text can
/// end its element or open a comment.
PageBlock jsonBlock(std::string id, std::string_view json_text);

/// A page without data, as it is installed with the program: share/clipmill/NAME beside the folder
/// of the executable. Error: kNotFound with a remedy.
Result<std::string> loadPageTemplate(const std::string& name);

/// The page with its data. Error: kMalformed for a template without the mark for data.
Result<std::string> pageWithData(std::string_view page_template, std::span<const PageBlock> blocks);

}  // namespace clipmill::pages
