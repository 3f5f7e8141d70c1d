// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "preview_page.h"

#include "core/log.h"
#include "core/text.h"

namespace clipmill::cli {

Status writePreviewPage(std::string_view page_template, const Preview& preview,
                        const std::filesystem::path& path) {
  CLIPMILL_TRY(const std::string page, previewPage(page_template, preview));
  CLIPMILL_CHECK(writeFileAtomically(path, page));
  const std::string name = printable(path.string());
  const double megabytes = static_cast<double>(page.size()) / (1 << 20);
  for (const PreviewFigure& figure : preview.figures) {
    for (const Warning& warning : figure.warnings.all()) {
      log::warning(printable(figure.name) + ": " + warning.text);
    }
  }
  if (page.size() > kLargePreviewBytes) {
    log::warning(name + ": " + fixedText(megabytes, 0) +
                 " MB, which a browser may open slowly or not at all");
  }
  log::note(name + ": written, " + fixedText(megabytes, 1) + " MB; open it in any browser");
  return {};
}

}  // namespace clipmill::cli
