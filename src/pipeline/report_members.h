// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "pipeline/report.h"

/// Members that the reports of runs and of batches have in common. `Json` is one of the value types
/// of nlohmann-json, which must be included before this header: members of one keep the order in
/// which they are added, those of the other are sorted.
namespace clipmill::pipeline {

/// [{code, text, count, first}]; pages, which nobody filters by code, do without it.
template <class Json>
Json warningsJson(const Warnings& warnings, bool has_codes = true) {
  Json list = Json::array();
  for (const Warning& warning : warnings.all()) {
    Json item = Json::object();
    if (has_codes) item["code"] = warning.code;
    item["text"] = warning.text;
    item["count"] = warning.count;
    item["first"] = warning.first;
    list.push_back(std::move(item));
  }
  return list;
}

/// {before, after}: values by name; `before` lacks those that are measured afterwards only; `after`
/// is null where there was nothing to measure.
template <class Json>
Json metricsJson(const StageReport& stage) {
  Json before = Json::object(), after = Json::object();
  for (const Metric& metric : stage.metrics) {
    if (metric.before) before[metric.name] = *metric.before;
    if (!metric.before && !metric.after) before[metric.name] = nullptr;
    after[metric.name] = metric.after ? Json(*metric.after) : Json(nullptr);
  }
  return {{"before", std::move(before)}, {"after", std::move(after)}};
}

/// {tracks, before, after, worst_error_mm, planted_error_mm, error_histogram}: the last two only
/// where planted feet had a tolerance of their own, and where keys were reduced.
template <class Json>
Json keysJson(const ClipReport& clip) {
  Json json = {{"tracks", clip.tracks_written},
               {"before", clip.keys_before},
               {"after", clip.keys_after},
               {"worst_error_mm", clip.worst_key_error_mm}};
  if (clip.planted_key_error_mm) json["planted_error_mm"] = *clip.planted_key_error_mm;
  if (!clip.key_errors.empty()) json["error_histogram"] = clip.key_errors;
  return json;
}

}  // namespace clipmill::pipeline
