// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

#include "core/result.h"
#include "pipeline/preview.h"

namespace clipmill::cli {

/// Writes the page to `path`, and says so; a page that is large enough to open slowly is warned of.
Status writePreviewPage(std::string_view page_template, const Preview& preview,
                        const std::filesystem::path& path);

}  // namespace clipmill::cli
