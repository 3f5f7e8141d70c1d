// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "merge_summary.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/text.h"

namespace clipmill::cli {
namespace {

// A metric of one clip.
struct Measured {
  std::string clip;
  std::optional<double> before;
  double after = 0.0;
};

// Those of the stages of all clips, the last one of each clip.
std::vector<Measured> measuredOf(const pipeline::RunReport& report, std::string_view name) {
  std::vector<Measured> found;
  for (const pipeline::ClipReport& clip : report.clips) {
    std::optional<Measured> last;
    for (const pipeline::StageReport& stage : clip.stages) {
      for (const Metric& metric : stage.metrics) {
        if (metric.name == name && metric.after) last = {clip.clip, metric.before, *metric.after};
      }
    }
    if (last) found.push_back(std::move(*last));
  }
  return found;
}

double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

// "planted feet drift: median 31.0 -> 2.1 mm, at most 4.0 mm (Walk)"
std::string metricLine(const pipeline::RunReport& report, std::string_view name,
                       const std::string& what, const std::string& unit) {
  const std::vector<Measured> measured = measuredOf(report, name);
  if (measured.empty()) return "";
  std::vector<double> before, after;
  const Measured* worst = &measured.front();
  for (const Measured& one : measured) {
    if (one.before) before.push_back(*one.before);
    after.push_back(one.after);
    if (one.after > worst->after) worst = &one;
  }
  std::string text = "\n  " + what + ": median ";
  if (!before.empty()) text += fixedText(medianOf(before), 2) + " -> ";
  text += fixedText(medianOf(after), 2) + " " + unit;
  if (measured.size() > 1) {
    text += ", at most " + fixedText(worst->after, 2) + " " + unit + " (" +
            printable(worst->clip, 80) + ")";
  }
  return text + ", " + counted(measured.size(), "clip");
}

}  // namespace

std::string mergeSummary(const pipeline::RunReport& report) {
  pipeline::RunReport shown = report;
  constexpr std::size_t kMostNotes = 8;
  if (shown.notes.size() > kMostNotes) shown.notes.clear();
  return pipeline::reportText(shown) +
         metricLine(report, "planted_drift_mm", "drift of planted feet", "mm") +
         metricLine(report, "foot_skate_cm", "foot skate", "cm") +
         metricLine(report, "max_penetration_percent", "largest penetration depth",
                    "% of the height");
}

}  // namespace clipmill::cli
