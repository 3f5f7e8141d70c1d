// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "merge_images.h"

#include <filesystem>

#include "core/file.h"
#include "core/log.h"
#include "core/text.h"
#include "io/io.h"
#include "preview_page.h"
#include "render/png.h"
#include "render/sheet_pile.h"
#include "scene/find_clip.h"
#include "sheet_path.h"

namespace clipmill::cli {
namespace {

constexpr std::size_t kMostRows = 100;

// Indices of the added clips in the written file; the report has their names.
std::vector<int> addedClips(const Scene& scene, const pipeline::RunReport& report) {
  std::vector<int> clips;
  for (const pipeline::ClipReport& clip : report.clips) {
    for (std::size_t c = 0; c < scene.clips.size(); ++c) {
      if (scene.clips[c].name == clip.clip) clips.push_back(static_cast<int>(c));
    }
  }
  return clips;
}

std::filesystem::path numberedPath(const std::filesystem::path& path, std::size_t number) {
  if (number == 0) return path;
  std::filesystem::path name = path.stem();
  name += "_" + std::to_string(number + 1);
  name += path.extension();
  return path.parent_path() / name;
}

Status drawSheets(const MergeImages& images, const io::Asset& asset,
                  const pipeline::RunReport& report, int threads,
                  const pipeline::ProgressCallback& progress) {
  const std::vector<int> clips = addedClips(asset.scene, report);
  render::SheetSettings settings;
  settings.threads = threads;
  for (std::size_t at = 0; at < clips.size(); at += kMostRows) {
    if (progress) progress("sheet", at, clips.size());
    const std::size_t end = std::min(at + kMostRows, clips.size());
    std::vector<render::SheetRow> rows;
    for (std::size_t i = at; i < end; ++i) {
      rows.push_back({&asset.scene, clips[i], "", asset.path.filename().string()});
    }
    CLIPMILL_TRY(const render::Sheet sheet, render::drawSheetPile(rows, settings));
    CLIPMILL_TRY(const Bytes png, render::encodePng(sheet.image));
    CLIPMILL_CHECK(writeFileAtomically(numberedPath(images.sheet, at / kMostRows), png));
  }
  return {};
}

}  // namespace

Status checkImages(const MergeImages& images) { return checkSheetPath(images.sheet); }

Status drawMerged(const MergeImages& images, const pipeline::RunReport& report,
                  const io::Limits& limits, int threads,
                  const pipeline::ProgressCallback& progress) {
  if (images.sheet.empty() && images.page.empty()) return {};
  CLIPMILL_TRY(const io::Asset asset, io::load(report.output, {true, limits}));
  if (!images.sheet.empty()) {
    CLIPMILL_CHECK(drawSheets(images, asset, report, threads, progress));
  }
  if (images.page.empty()) return {};
  CLIPMILL_TRY(const std::string page_template, pages::loadPreviewTemplate());
  pages::Preview preview;
  CLIPMILL_TRY(pages::PreviewModel model, pages::makePreviewModel(asset, {}, limits));
  preview.models.push_back(std::move(model));
  preview.report_json = pipeline::reportJson(report);
  return writePreviewPage(page_template, preview, images.page);
}

}  // namespace clipmill::cli
