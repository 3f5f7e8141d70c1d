// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/preview.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "io/glb_copy.h"
#include "io/gltf/data_uri.h"
#include "io/io.h"
#include "mesh/tet_motion.h"
#include "pipeline/page_template.h"
#include "pipeline/report.h"
#include "pipeline/run.h"

namespace clipmill {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepestReport = 32;

Json warningsJson(const Warnings& warnings) {
  Json list = Json::array();
  for (const Warning& warning : warnings.all()) {
    list.push_back({{"text", warning.text}, {"count", warning.count}, {"first", warning.first}});
  }
  return list;
}

Json figureJson(const PreviewFigure& figure) {
  Json clips = Json::array();
  for (const PreviewClip& clip : figure.clips) {
    clips.push_back({{"name", clip.name},
                     {"begin_s", clip.begin_s},
                     {"end_s", clip.end_s},
                     {"fps", clip.fps},
                     {"animation_begin_s", clip.animation_begin_s}});
  }
  return {{"name", figure.name},
          {"bytes", figure.glb.size()},
          {"units_per_file_unit", figure.units_per_file_unit},
          {"sources", figure.source_of_node},
          {"clips", clips},
          {"warnings", warningsJson(figure.warnings)}};
}

// Clips are paired by name where the name is unique in both files, else by position.
int partnerOf(const PreviewFigure& a, std::size_t index, const PreviewFigure& b) {
  const auto same = [&](const PreviewClip& clip) { return clip.name == a.clips[index].name; };
  if (std::count_if(a.clips.begin(), a.clips.end(), same) == 1 &&
      std::count_if(b.clips.begin(), b.clips.end(), same) == 1) {
    return static_cast<int>(std::find_if(b.clips.begin(), b.clips.end(), same) - b.clips.begin());
  }
  return index < b.clips.size() ? static_cast<int>(index) : -1;
}

// One entry for each clip of the first figure: its index in every figure, or -1.
Json pairsJson(const std::vector<PreviewFigure>& figures) {
  Json pairs = Json::array();
  for (std::size_t i = 0; i < figures.front().clips.size(); ++i) {
    Json pair = Json::array({i});
    for (std::size_t f = 1; f < figures.size(); ++f) {
      pair.push_back(partnerOf(figures.front(), i, figures[f]));
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

Json tetsJson(const std::vector<PreviewTets>& tets) {
  Json list = Json::array();
  for (const PreviewTets& each : tets) list.push_back({{"clip", each.clip}});
  return list;
}

std::string headerText(const Preview& preview) {
  Json figures = Json::array();
  for (const PreviewFigure& figure : preview.figures) figures.push_back(figureJson(figure));
  const std::vector<int>& chosen = preview.figures.front().chosen_clips;
  const Json header = {{"version", kProgramVersion},
                       {"figures", figures},
                       {"pairs", pairsJson(preview.figures)},
                       {"tets", tetsJson(preview.tets)},
                       {"first", chosen.empty() ? 0 : chosen.front()}};
  return header.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Result<PreviewFigure> makePreviewFigure(const io::Asset& asset,
                                        const std::vector<std::string>& clips,
                                        const io::Limits& limits) {
  auto copy = io::glbCopyOf(asset, limits);
  if (!copy) return within(asset.path.string(), copy.error());
  PreviewFigure figure;
  if (!clips.empty()) {
    auto chosen = selectClips(asset.scene, clips);
    if (!chosen) return within(asset.path.string(), chosen.error());
    figure.chosen_clips = std::move(*chosen);
  }
  figure.name = asset.path.filename().string();
  figure.glb = std::move(copy->bytes);
  figure.source_of_node = std::move(copy->source_of_node);
  figure.units_per_file_unit = copy->units_per_file_unit;
  for (std::size_t i = 0; i < asset.scene.clips.size(); ++i) {
    const Clip& clip = asset.scene.clips[i];
    figure.clips.push_back({clip.name, clip.begin_s, clip.end_s, clip.fps, copy->begin_s[i]});
  }
  figure.warnings = asset.scene.warnings;
  figure.warnings.merge(copy->warnings);
  return figure;
}

Result<PreviewFigure> loadPreviewFigure(const std::filesystem::path& path,
                                        const std::vector<std::string>& clips,
                                        const io::Limits& limits) {
  CLIPMILL_TRY(const io::Asset asset, io::load(path, {true, limits}));
  return makePreviewFigure(asset, clips, limits);
}

Result<std::string> loadPreviewReport(const std::filesystem::path& path, const io::Limits& limits) {
  CLIPMILL_TRY(const Bytes bytes, readFile(path, limits.max_file_bytes));
  bool is_flat = true;  // what is nested without end is not kept
  const auto keeps = [&](int depth, Json::parse_event_t, Json&) {
    is_flat = is_flat && depth <= kDeepestReport;
    return depth <= kDeepestReport;
  };
  const std::string_view text = asText(bytes);
  const Json json = Json::parse(text.begin(), text.end(), keeps, false);
  if (json.is_discarded() || !is_flat || !json.is_object() || !json.contains("clips") ||
      !json["clips"].is_array()) {
    return Error{ErrorCode::kMalformed, path.string(), "is no report of a run",
                 "give the file that --report wrote"};
  }
  return std::string(text);
}

Result<PreviewTets> loadPreviewTets(const std::filesystem::path& path, const io::Limits& limits) {
  CLIPMILL_TRY(Bytes file, readFile(path, limits.max_file_bytes));
  const auto info = checkTetMotion(file);
  if (!info) return within(path.string(), info.error());
  return PreviewTets{info->clip, std::move(file)};
}

Result<Preview> previewOfRun(const PreviewFigure& before, const RunReport& part,
                             const io::Limits& limits) {
  Preview preview;
  CLIPMILL_TRY(PreviewFigure after, loadPreviewFigure(part.output, {}, limits));
  preview.figures = {before, std::move(after)};
  preview.report_json = reportJson(part);
  for (const std::filesystem::path& path : part.beside) {
    if (path.extension() != kTetMotionEnding) continue;
    CLIPMILL_TRY(PreviewTets tets, loadPreviewTets(path, limits));
    preview.tets.push_back(std::move(tets));
  }
  return preview;
}

Result<std::string> loadPreviewTemplate() { return loadPageTemplate("viewer.html"); }

Result<std::string> previewPage(std::string_view page_template, const Preview& preview) {
  std::vector<PageBlock> blocks = {jsonBlock("preview", headerText(preview))};
  if (!preview.report_json.empty()) blocks.push_back(jsonBlock("report", preview.report_json));
  for (std::size_t i = 0; i < preview.figures.size(); ++i) {
    blocks.push_back(
        {"text/plain", "figure" + std::to_string(i), gltf::encodeBase64(preview.figures[i].glb)});
  }
  for (std::size_t i = 0; i < preview.tets.size(); ++i) {
    blocks.push_back(
        {"text/plain", "tets" + std::to_string(i), gltf::encodeBase64(preview.tets[i].file)});
  }
  return pageWithData(page_template, blocks);
}

}  // namespace clipmill
