// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "preview_page.h"

#include "core/log.h"
#include "core/text.h"

namespace clipmill::cli {
namespace {

// "35 KB", and from a megabyte on "1.9 MB".
std::string sizeText(std::size_t bytes) {
  const double kilobytes = static_cast<double>(bytes) / 1024.0;
  if (kilobytes < 1024.0) return fixedText(kilobytes, 0) + " KB";
  return fixedText(kilobytes / 1024.0, 1) + " MB";
}

}  // namespace

Status writePreviewPage(std::string_view page_template, const pages::Preview& preview,
                        const std::filesystem::path& path) {
  CLIPMILL_TRY(const std::string page, pages::previewPage(page_template, preview));
  CLIPMILL_CHECK(writeFileAtomically(path, page));
  const std::string name = printable(path.string());
  for (const pages::PreviewModel& model : preview.models) {
    for (const Warning& warning : model.warnings.all()) {
      log::warning(printable(model.name) + ": " + warning.text);
    }
  }
  if (page.size() > pages::kLargePreviewBytes) {
    log::warning(name + ": " + sizeText(page.size()) +
                 "; browsers may open it slowly or not at all");
  }
  logPageSize(name, page.size());
  return {};
}

void logPageSize(const std::string& name, std::size_t bytes) {
  log::note(name + ": written, " + sizeText(bytes) + "; opens in any browser");
}

}  // namespace clipmill::cli
