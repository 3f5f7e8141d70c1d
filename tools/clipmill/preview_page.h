// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"
#include "pages/preview.h"

namespace clipmill::cli {

/// Writes the page to `path` and logs its size; warns about a page that is slow to open.
Status writePreviewPage(std::string_view page_template, const pages::Preview& preview,
                        const std::filesystem::path& path);

/// Logs that a page of so many bytes was written.
void logPageSize(const std::string& name, std::size_t bytes);

}  // namespace clipmill::cli
