// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pages/preview.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "io/glb_copy.h"
#include "io/gltf/data_uri.h"
#include "io/io.h"
#include "mesh/tet_motion.h"
#include "pages/page_template.h"
#include "pipeline/report.h"
#include "pipeline/report_members.h"
#include "pipeline/run.h"

namespace clipmill::pages {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMaxReportDepth = 32;

Json modelJson(const PreviewModel& model) {
  Json clips = Json::array();
  for (const PreviewClip& clip : model.clips) {
    clips.push_back({{"name", clip.name},
                     {"start_s", clip.start_s},
                     {"end_s", clip.end_s},
                     {"fps", clip.fps},
                     {"animation_start_s", clip.animation_start_s}});
  }
  return {{"name", model.name},
          {"bytes", model.glb.size()},
          {"units_per_file_unit", model.units_per_file_unit},
          {"sources", model.source_of_node},
          {"clips", clips},
          {"warnings", pipeline::warningsJson<Json>(model.warnings, false)}};
}

// Clips are paired by name where the name is unique in both files, else by position.
int partnerOf(const PreviewModel& a, std::size_t index, const PreviewModel& b) {
  const auto same = [&](const PreviewClip& clip) { return clip.name == a.clips[index].name; };
  if (std::count_if(a.clips.begin(), a.clips.end(), same) == 1 &&
      std::count_if(b.clips.begin(), b.clips.end(), same) == 1) {
    return static_cast<int>(std::find_if(b.clips.begin(), b.clips.end(), same) - b.clips.begin());
  }
  return index < b.clips.size() ? static_cast<int>(index) : -1;
}

// One entry for each clip of the first model: its index in every model, or -1.
Json pairsJson(const std::vector<PreviewModel>& models) {
  Json pairs = Json::array();
  for (std::size_t i = 0; i < models.front().clips.size(); ++i) {
    Json pair = Json::array({i});
    for (std::size_t f = 1; f < models.size(); ++f) {
      pair.push_back(partnerOf(models.front(), i, models[f]));
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
  Json models = Json::array();
  for (const PreviewModel& model : preview.models) models.push_back(modelJson(model));
  const std::vector<int>& chosen = preview.models.front().chosen_clips;
  const Json header = {{"version", pipeline::kProgramVersion},
                       {"models", models},
                       {"pairs", pairsJson(preview.models)},
                       {"tets", tetsJson(preview.tets)},
                       {"focus", preview.focus},
                       {"follow", preview.follow},
                       {"first", chosen.empty() ? 0 : chosen.front()}};
  return header.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Result<PreviewModel> makePreviewModel(const io::Asset& asset, const std::vector<std::string>& clips,
                                      const io::Limits& limits) {
  auto copy = io::glbCopyOf(asset, limits);
  if (!copy) return within(asset.path.string(), copy.error());
  PreviewModel model;
  if (!clips.empty()) {
    auto chosen = pipeline::selectClips(asset.scene, clips);
    if (!chosen) return within(asset.path.string(), chosen.error());
    model.chosen_clips = std::move(*chosen);
  }
  model.name = asset.path.filename().string();
  model.glb = std::move(copy->bytes);
  model.source_of_node = std::move(copy->source_of_node);
  model.units_per_file_unit = copy->units_per_file_unit;
  for (std::size_t i = 0; i < asset.scene.clips.size(); ++i) {
    const Clip& clip = asset.scene.clips[i];
    model.clips.push_back({clip.name, clip.start_s, clip.end_s, clip.fps, copy->start_s[i]});
  }
  model.warnings = asset.scene.warnings;
  model.warnings.merge(copy->warnings);
  return model;
}

Result<PreviewModel> loadPreviewModel(const std::filesystem::path& path,
                                      const std::vector<std::string>& clips,
                                      const io::Limits& limits) {
  CLIPMILL_TRY(const io::Asset asset, io::load(path, {true, limits}));
  return makePreviewModel(asset, clips, limits);
}

Result<std::string> loadPreviewReport(const std::filesystem::path& path, const io::Limits& limits) {
  CLIPMILL_TRY(const Bytes bytes, readFile(path, limits.max_file_bytes));
  bool is_flat = true;  // values with too many levels are dropped
  const auto keeps = [&](int depth, Json::parse_event_t, Json&) {
    is_flat = is_flat && depth <= kMaxReportDepth;
    return depth <= kMaxReportDepth;
  };
  const std::string_view text = asText(bytes);
  const Json json = Json::parse(text.begin(), text.end(), keeps, false);
  if (json.is_discarded() || !is_flat || !json.is_object() || !json.contains("clips") ||
      !json["clips"].is_array()) {
    return Error{ErrorCode::kMalformed, path.string(), "is not a run report",
                 "use a file that --report wrote"};
  }
  return std::string(text);
}

Result<PreviewTets> loadPreviewTets(const std::filesystem::path& path, const io::Limits& limits) {
  CLIPMILL_TRY(Bytes file, readFile(path, limits.max_file_bytes));
  const auto info = checkTetMotion(file);
  if (!info) return within(path.string(), info.error());
  return PreviewTets{info->clip, std::move(file)};
}

Result<Preview> previewOfRun(const PreviewModel& before, const pipeline::RunReport& part,
                             const io::Limits& limits) {
  Preview preview;
  CLIPMILL_TRY(PreviewModel after, loadPreviewModel(part.output, {}, limits));
  preview.models = {before, std::move(after)};
  preview.report_json = pipeline::reportJson(part);
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
  for (std::size_t i = 0; i < preview.models.size(); ++i) {
    blocks.push_back(
        {"text/plain", "model" + std::to_string(i), io::gltf::encodeBase64(preview.models[i].glb)});
  }
  for (std::size_t i = 0; i < preview.tets.size(); ++i) {
    blocks.push_back(
        {"text/plain", "tets" + std::to_string(i), io::gltf::encodeBase64(preview.tets[i].file)});
  }
  return pageWithData(page_template, blocks);
}

}  // namespace clipmill::pages
