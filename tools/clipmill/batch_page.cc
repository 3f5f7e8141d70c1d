// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch_page.h"

#include "core/file.h"
#include "core/text.h"
#include "pages/batch_page.h"
#include "preview_page.h"

namespace clipmill::cli {

namespace fs = std::filesystem;

Status BatchPage::prepare(const std::string& path) {
  path_ = path;
  if (path_.empty()) return {};
  CLIPMILL_TRY(template_, pages::loadBatchTemplate());
  return {};
}

Status BatchPage::finish(const std::string& report_json,
                         const std::optional<fs::path>& out_dir) const {
  if (path_.empty()) return {};
  CLIPMILL_TRY(const std::string page, pages::batchPage(template_, report_json, {path_, out_dir}));
  CLIPMILL_CHECK(writeFileAtomically(path_, page));
  logPageSize(printable(path_), page.size());
  return {};
}

}  // namespace clipmill::cli
