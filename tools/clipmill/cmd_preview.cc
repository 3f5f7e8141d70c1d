// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <memory>

#include "command.h"
#include "preview_page.h"

namespace clipmill::cli {
namespace {

struct PreviewCommand {
  CommonOptions common;
  std::string input, processed, page, report;
  std::string clip;
};

Result<Preview> loadPreview(const PreviewCommand& options) {
  const io::Limits limits = options.common.limits();
  Preview preview;
  std::vector<std::string> clips;
  if (!options.clip.empty()) clips.push_back(options.clip);
  CLIPMILL_TRY(PreviewFigure before, loadPreviewFigure(options.input, clips, limits));
  preview.figures.push_back(std::move(before));
  if (!options.processed.empty()) {
    CLIPMILL_TRY(PreviewFigure after, loadPreviewFigure(options.processed, {}, limits));
    preview.figures.push_back(std::move(after));
  }
  if (!options.report.empty()) {
    CLIPMILL_TRY(preview.report_json, loadPreviewReport(options.report, limits));
  }
  return preview;
}

int runPreview(const PreviewCommand& options) {
  options.common.applyLogLevel();
  const auto page_template = loadPreviewTemplate();
  if (!page_template) return report(page_template.error());
  const auto preview = loadPreview(options);
  if (!preview) return report(preview.error());
  const Status written = writePreviewPage(*page_template, *preview, options.page);
  return written ? static_cast<int>(kOk) : report(written.error());
}

}  // namespace

void addPreview(CLI::App& app, Action& action) {
  auto options = std::make_shared<PreviewCommand>();
  CLI::App* command =
      app.add_subcommand("preview", "make a page that shows a file, or two in sync");
  command->add_option("IN", options->input, "the file to show")->required();
  command->add_option("OUT_CLIP", options->processed, "what was made of it, shown beside it");
  command->add_option("-o,--output", options->page, "the HTML page to write")->required();
  command->add_option("--clip", options->clip, "name, index or glob of the clip to open with");
  command->add_option("--report", options->report, "the report of the run, for plots and tables");
  addCommonOptions(*command, options->common);
  command->callback([options, &action] { action = [options] { return runPreview(*options); }; });
}

}  // namespace clipmill::cli
