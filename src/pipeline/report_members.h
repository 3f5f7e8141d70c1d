// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "pipeline/report.h"

/// Members that the reports of runs and of batches have in common. `Json` is one of the value types
/// of nlohmann-json, which who includes this has included before: members of one keep the order in
/// which they are added, those of the other are sorted.
namespace clipmill {

/// [{code, text, count, first}]
template <class Json>
Json warningsJson(const Warnings& warnings) {
  Json list = Json::array();
  for (const Warning& warning : warnings.all()) {
    list.push_back({{"code", warning.code},
                    {"text", warning.text},
                    {"count", warning.count},
                    {"first", warning.first}});
  }
  return list;
}

/// {before, after}: values by name; `before` lacks those that were measured afterwards alone.
template <class Json>
Json metricsJson(const StageReport& stage) {
  Json before = Json::object(), after = Json::object();
  for (const Metric& metric : stage.metrics) {
    if (metric.before) before[metric.name] = *metric.before;
    after[metric.name] = metric.after;
  }
  return {{"before", std::move(before)}, {"after", std::move(after)}};
}

/// {tracks, before, after, worst_error_mm}
template <class Json>
Json keysJson(const ClipReport& clip) {
  return {{"tracks", clip.tracks_written},
          {"before", clip.keys_before},
          {"after", clip.keys_after},
          {"worst_error_mm", clip.worst_key_error_mm}};
}

}  // namespace clipmill
