// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <filesystem>
#include <memory>

#include "command.h"
#include "core/file.h"
#include "core/log.h"
#include "core/text.h"
#include "core/to_size.h"
#include "io/io.h"
#include "pages/preview.h"
#include "pipeline/run.h"
#include "preview_movie.h"
#include "preview_page.h"
#include "render/png.h"
#include "render/sheet.h"
#include "setting_flags.h"
#include "sheet_path.h"
#include "side_files.h"

namespace clipmill::cli {
namespace {

struct PreviewOptions {
  CommonOptions common;
  ArrayFlags arrays;
  std::string input, processed;
  std::string clip;
  std::string page, report;
  std::vector<std::string> tets;
  std::string sheet;
  render::SheetSettings settings;
  std::string view = "auto";
  std::string focus;
  bool follow = false;
  MovieOptions movie;
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
  CLIPMILL_TRY(std::vector<int> clips, pipeline::selectClips(scene, {selector}));
  return clips.front();
}

// The clip of the processed file that belongs to `shown`: the one with its name where that is the
// only one (another program may write clips in another order), else the one with its index.
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
  CLIPMILL_TRY(const io::ArraySettings arrays, options.arrays.settings());
  const io::LoadOptions load{true, options.common.limits(), arrays};
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
  CLIPMILL_TRY(const std::string page_template, pages::loadPreviewTemplate());
  const io::Limits limits = options.common.limits();
  std::vector<std::string> clips;
  if (!options.clip.empty()) clips.push_back(options.clip);
  pages::Preview preview;
  preview.follow = options.follow;
  if (!options.focus.empty()) {
    for (const io::Asset& asset : assets) {
      CLIPMILL_TRY(const int node, findOneNode(asset.scene.skeleton, options.focus, "--focus"));
      preview.focus.push_back(asset.scene.skeleton.nodes[toSize(node)].source_id);
    }
  }
  for (const io::Asset& asset : assets) {
    CLIPMILL_TRY(pages::PreviewModel model, pages::makePreviewModel(asset, clips, limits));
    preview.models.push_back(std::move(model));
    clips.clear();  // pages pair the clips of the files
  }
  if (!options.report.empty()) {
    CLIPMILL_TRY(preview.report_json, pages::loadPreviewReport(options.report, limits));
  }
  for (const std::string& path : options.tets) {
    CLIPMILL_TRY(pages::PreviewTets tets, pages::loadPreviewTets(path, limits));
    preview.tets.push_back(std::move(tets));
  }
  return writePreviewPage(page_template, preview, options.page);
}

// The clip of each file that a sheet or a movie shows.
Result<std::vector<render::SheetRow>> rowsOf(const PreviewOptions& options, const Assets& assets) {
  const io::Asset& input = assets.front();
  const auto clip = clipOf(input.scene, options.clip);
  if (!clip) return within(options.input, clip.error());
  std::vector<render::SheetRow> rows = {rowOf(input, *clip, "")};
  if (assets.size() > 1) {
    const io::Asset& processed = assets.back();
    const int partner =
        *clip < 0 ? -1 : partnerOf(input.scene.clips[toSize(*clip)], *clip, processed.scene);
    if (*clip >= 0 && partner < 0) {
      return Error{ErrorCode::kNotFound, options.processed, "has no matching clip",
                   "choose another clip with --clip"};
    }
    rows[0].label = "before";
    rows.push_back(rowOf(processed, partner, "after"));
  }
  return rows;
}

Status writeSheet(const PreviewOptions& options, const std::vector<render::SheetRow>& rows) {
  CLIPMILL_TRY(const render::Sheet sheet, render::drawSheet(rows, options.settings));
  for (const Warning& warning : sheet.warnings.all()) {
    log::warning(warning.text + " (" + counted(warning.count, "time") +
                 ", first: " + warning.first + ")");
  }
  CLIPMILL_TRY(const Bytes png, render::encodePng(sheet.image));
  return writeFileAtomically(options.sheet, png);
}

Status writeDrawings(const PreviewOptions& options, const Assets& assets) {
  if (options.sheet.empty() && options.movie.path.empty()) return {};
  CLIPMILL_TRY(const std::vector<render::SheetRow> rows, rowsOf(options, assets));
  if (!options.sheet.empty()) CLIPMILL_CHECK(writeSheet(options, rows));
  if (!options.movie.path.empty()) CLIPMILL_CHECK(writeMovie(options.movie, rows));
  return {};
}

Status checkPaths(const PreviewOptions& options) {
  CLIPMILL_CHECK(checkMoviePath(options.movie));
  CLIPMILL_CHECK(checkSheetPath(options.sheet));
  const SideFile files[] = {
      {"--output", options.page}, {"--sheet", options.sheet}, {"--movie", options.movie.path}};
  return checkSideFiles(files, {options.input, options.processed, options.report});
}

int runPreview(PreviewOptions options) {
  options.common.applyLogLevel();
  if (options.page.empty() && options.sheet.empty() && options.movie.path.empty()) {
    return report({ErrorCode::kUsage, "", "an output is needed",
                   "give -o FILE.html for a page, --sheet FILE.png for a contact sheet, or --movie "
                   "FILE.webp for a movie"});
  }
  if (const Status paths = checkPaths(options); !paths) return report(paths.error());
  for (const auto& [name, view] : kViews) {
    if (name == options.view) options.settings.view = view;
  }
  options.settings.focus = options.movie.settings.focus = options.focus;
  options.settings.follow = options.movie.settings.follow = options.follow;
  options.movie.settings.view = options.settings.view;
  options.movie.settings.threads = options.settings.threads;
  const auto assets = loadAssets(options);
  if (!assets) return report(assets.error());
  Status written;
  if (!options.page.empty()) written = writePage(options, *assets);
  if (written) written = writeDrawings(options, *assets);
  return written ? static_cast<int>(kOk) : report(written.error());
}

}  // namespace

void addPreview(CLI::App& app, Action& action) {
  auto options = std::make_shared<PreviewOptions>();
  CLI::App* command = app.add_subcommand(
      "preview", "write a page that plays clips before and after processing, or a contact sheet");
  command->add_option("IN", options->input, "file to show")->required();
  command->add_option("OUT_CLIP", options->processed, "processed file, shown beside it");
  command->add_option("--clip", options->clip,
                      "clip to show first: name, index or glob; default: the first clip");
  command->add_option("-o,--output", options->page, "write a page that plays the clips, HTML");
  command->add_option("--report", options->report,
                      "report of the run; the page shows its plots and tables");
  command->add_option("--tets", options->tets,
                      "tetrahedra that tet-bake wrote (.tets), shown on the page; repeatable");
  command->add_option("--sheet", options->sheet, "write a contact sheet, PNG");
  command->add_option("--frames", options->settings.frames, "frames in a row of the contact sheet")
      ->check(CLI::Range(1, render::kMostFrames))
      ->capture_default_str();
  addMovieOptions(*command, options->movie);
  std::vector<std::string> views;
  for (const auto& view : kViews) views.push_back(view.first);
  command->add_option("--view", options->view, "direction from which the sheet and the movie look")
      ->check(CLI::IsMember(views))
      ->capture_default_str();
  command->add_option("--focus", options->focus,
                      "close-up: joint (name or glob) that fills sheet, movie and page with all "
                      "joints below it");
  command->add_flag("--follow", options->follow,
                    "the camera moves with the joint of --focus, or with the root without it, so "
                    "that motion relative to it is shown");
  command
      ->add_option("-j,--threads", options->settings.threads,
                   "number of threads; 0 = one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  options->arrays.add(*command);
  addCommonOptions(*command, options->common);
  command->callback(
      [options, &action] { action = interruptible([options] { return runPreview(*options); }); });
}

}  // namespace clipmill::cli
