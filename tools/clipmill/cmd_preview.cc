// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <filesystem>
#include <memory>

#include "command.h"
#include "core/file.h"
#include "core/log.h"
#include "core/text.h"
#include "io/io.h"
#include "pipeline/preview.h"
#include "pipeline/run.h"
#include "preview_page.h"
#include "render/png.h"
#include "render/sheet.h"

namespace clipmill::cli {
namespace {

struct PreviewOptions {
  CommonOptions common;
  std::string input, processed;
  std::string clip;
  std::string page, report;
  std::vector<std::string> tets;
  std::string sheet;
  render::SheetSettings settings;
  std::string view = "auto";
};

const std::vector<std::pair<std::string, render::View>> kViews = {
    {"auto", render::View::kAuto},
    {"front", render::View::kFront},
    {"back", render::View::kBack},
    {"side", render::View::kSide},
    {"three-quarter", render::View::kThreeQuarter},
    {"top", render::View::kTop}};

// The one clip of `scene` that is shown: the one asked for, or the first; -1 where there is none.
Result<int> clipOf(const Scene& scene, const std::string& selector) {
  if (scene.clips.empty() && selector.empty()) return -1;
  if (selector.empty()) return 0;
  CLIPMILL_TRY(std::vector<int> clips, selectClips(scene, {selector}));
  return clips.front();
}

// The clip of the processed file that belongs to `shown`: the one with its name where that is the
// only one (another program may have put clips in another order), else the one in its place.
int partnerOf(const Clip& shown, int index, const Scene& processed) {
  int found = -1, count = 0;
  for (std::size_t i = 0; i < processed.clips.size(); ++i) {
    if (processed.clips[i].name != shown.name) continue;
    found = static_cast<int>(i);
    ++count;
  }
  if (count == 1) return found;
  return index < static_cast<int>(processed.clips.size()) ? index : -1;
}

render::SheetRow rowOf(const io::Asset& asset, int clip, const std::string& label) {
  return {&asset.scene, clip, label, asset.path.filename().string()};
}

using Assets = std::vector<io::Asset>;

Result<Assets> loadAssets(const PreviewOptions& options) {
  const io::LoadOptions load{true, options.common.limits()};
  Assets assets;
  CLIPMILL_TRY(io::Asset input, io::load(options.input, load));
  assets.push_back(std::move(input));
  if (!options.processed.empty()) {
    CLIPMILL_TRY(io::Asset processed, io::load(options.processed, load));
    assets.push_back(std::move(processed));
  }
  return assets;
}

Status writePage(const PreviewOptions& options, const Assets& assets) {
  CLIPMILL_TRY(const std::string page_template, loadPreviewTemplate());
  const io::Limits limits = options.common.limits();
  std::vector<std::string> clips;
  if (!options.clip.empty()) clips.push_back(options.clip);
  Preview preview;
  for (const io::Asset& asset : assets) {
    CLIPMILL_TRY(PreviewFigure figure, makePreviewFigure(asset, clips, limits));
    preview.figures.push_back(std::move(figure));
    clips.clear();  // pages pair the clips of the files
  }
  if (!options.report.empty()) {
    CLIPMILL_TRY(preview.report_json, loadPreviewReport(options.report, limits));
  }
  for (const std::string& path : options.tets) {
    CLIPMILL_TRY(PreviewTets tets, loadPreviewTets(path, limits));
    preview.tets.push_back(std::move(tets));
  }
  return writePreviewPage(page_template, preview, options.page);
}

Status writeSheet(const PreviewOptions& options, const Assets& assets) {
  const io::Asset& input = assets.front();
  const auto clip = clipOf(input.scene, options.clip);
  if (!clip) return within(options.input, clip.error());
  std::vector<render::SheetRow> rows = {rowOf(input, *clip, "")};
  if (assets.size() > 1) {
    const io::Asset& processed = assets.back();
    const int partner = *clip < 0 ? -1
                                  : partnerOf(input.scene.clips[static_cast<std::size_t>(*clip)],
                                              *clip, processed.scene);
    if (*clip >= 0 && partner < 0) {
      return Error{ErrorCode::kNotFound, options.processed, "has no clip to compare with",
                   "choose another one with --clip"};
    }
    rows[0].label = "before";
    rows.push_back(rowOf(processed, partner, "after"));
  }
  CLIPMILL_TRY(const render::Sheet sheet, render::drawSheet(rows, options.settings));
  for (const Warning& warning : sheet.warnings.all()) {
    log::warning(warning.text + " (" + counted(warning.count, "time") +
                 ", first: " + warning.first + ")");
  }
  CLIPMILL_TRY(const Bytes png, render::encodePng(sheet.picture));
  return writeFileAtomically(options.sheet, png);
}

int runPreview(PreviewOptions options) {
  options.common.applyLogLevel();
  if (options.page.empty() && options.sheet.empty()) {
    return report({ErrorCode::kUsage, "", "an output is needed",
                   "say -o FILE.html for a page, or --sheet FILE.png for a picture"});
  }
  for (const auto& [name, view] : kViews) {
    if (name == options.view) options.settings.view = view;
  }
  const auto assets = loadAssets(options);
  if (!assets) return report(assets.error());
  Status written;
  if (!options.page.empty()) written = writePage(options, *assets);
  if (written && !options.sheet.empty()) written = writeSheet(options, *assets);
  return written ? static_cast<int>(kOk) : report(written.error());
}

}  // namespace

void addPreview(CLI::App& app, Action& action) {
  auto options = std::make_shared<PreviewOptions>();
  CLI::App* command = app.add_subcommand("preview", "show a clip, before and after");
  command->add_option("IN", options->input, "the file to show")->required();
  command->add_option("OUT_CLIP", options->processed, "the file that was made from it");
  command->add_option("--clip", options->clip, "name, index or glob of a clip; else the first");
  command->add_option("-o,--output", options->page, "write a page that plays the clips, HTML");
  command->add_option("--report", options->report,
                      "the report of the run, for plots and tables of the page");
  command->add_option("--tets", options->tets,
                      "tetrahedra that tet-bake kept (.tets), for the page; repeatable");
  command->add_option("--sheet", options->sheet, "write a contact sheet, PNG");
  command->add_option("--frames", options->settings.frames, "pictures in a row of the sheet")
      ->check(CLI::Range(1, render::kMostFrames))
      ->capture_default_str();
  std::vector<std::string> views;
  for (const auto& view : kViews) views.push_back(view.first);
  command->add_option("--view", options->view, "from where the sheet looks")
      ->check(CLI::IsMember(views))
      ->capture_default_str();
  command->add_option("-j,--threads", options->settings.threads, "threads; 0 for one a core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  addCommonOptions(*command, options->common);
  command->callback([options, &action] { action = [options] { return runPreview(*options); }; });
}

}  // namespace clipmill::cli
