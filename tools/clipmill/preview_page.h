// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"
#include "pipeline/preview.h"

namespace clipmill::cli {

/// Writes the page to `path`, and says so; a page that is large enough to open slowly is warned of.
Status writePreviewPage(std::string_view page_template, const Preview& preview,
                        const std::filesystem::path& path);

/// Tells that a page of so many bytes was written.
void tellPage(const std::string& name, std::size_t bytes);

}  // namespace clipmill::cli
