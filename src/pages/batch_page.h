// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace clipmill::pages {

/// What a page links to.
struct BatchPageLinks {
  std::filesystem::path page;  ///< Where the page is going to lie.
  /// Where the outputs lie; else the report's own word for it is taken, seen from here. A page
  /// without either has no links.
  std::optional<std::filesystem::path> out_dir;
};

/// The page of a batch's report (batchReportJson(), or that of a merge), of which `page_template`
/// is loadBatchTemplate(). Links are relative; those to reports and previews of single files
/// (BesideOutputs) are made where there are such files. The same bytes for the same report and
/// files. Errors: kMalformed for a text that is no report, or a template without the mark for data.
Result<std::string> batchPage(std::string_view page_template, std::string_view report_json,
                              const BatchPageLinks& links);

/// The page without data. Error: that of loadPageTemplate().
Result<std::string> loadBatchTemplate();

}  // namespace clipmill::pages
