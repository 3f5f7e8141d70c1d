// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/check_report.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "core/to_size.h"
#include "core/units.h"

namespace clipmill::pipeline {
namespace {

using Json = nlohmann::ordered_json;
using measure::CheckLimits;
using measure::CheckMeasure;
using measure::checkMeasures;
using measure::ClipCheck;
using measure::ExceededLimit;
using measure::exceededLimits;
using measure::FileCheck;
using measure::GroundSpan;
using measure::kCheckMeasureCount;
using measure::MeasureKind;

// A limb that loses less of its volume is not listed.
constexpr double kReportedLossPercent = 2.0;

// "not measured: no contacts found"
std::string notMeasuredText(const std::string& reason) {
  return reason.empty() ? "not measured" : "not measured: " + printable(reason);
}

// One clause: "is 3.1, the limit is 2", or why there is no value.
std::string exceededText(const ExceededLimit& exceeded, int digits) {
  const std::string value = exceeded.value ? "is " + fixedText(*exceeded.value, digits)
                                           : "is " + notMeasuredText(exceeded.not_measured);
  return value + ", the limit is " + numberText(exceeded.limit);
}

const MeasureKind& kindOf(CheckMeasure measure) { return checkMeasures()[toSize(measure)]; }

Json numberOrNull(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json spansJson(const std::vector<GroundSpan>& spans) {
  Json list = Json::array();
  for (const GroundSpan& span : spans) {
    list.push_back({{"part", span.part},
                    {"start_s", span.start_s},
                    {"end_s", span.end_s},
                    {"drift_mm", span.drift_mm}});
  }
  return list;
}

Json clipCheckJson(const ClipCheck& check, const CheckLimits& limits) {
  Json clip = {{"clip", check.clip}, {"index", check.index}, {"root", check.root}};
  clip["measures"] = Json::object();
  for (std::size_t m = 0; m < kCheckMeasureCount; ++m) {
    clip["measures"][checkMeasures()[m].name] = numberOrNull(check.values[m]);
  }
  clip["not_measured"] = Json::object();
  for (std::size_t m = 0; m < check.not_measured.size(); ++m) {
    if (!check.values[m]) clip["not_measured"][checkMeasures()[m].name] = check.not_measured[m];
  }
  clip["contacts"] = spansJson(check.contacts);
  clip["ground_spans"] = spansJson(check.ground_spans);
  clip["exceeded"] = Json::array();
  for (const ExceededLimit& exceeded : exceededLimits(check, limits)) {
    clip["exceeded"].push_back({{"measure", kindOf(exceeded.measure).name},
                                {"value", numberOrNull(exceeded.value)},
                                {"limit", exceeded.limit}});
  }
  clip["limb_pairs"] = Json::array();
  for (const measure::LimbPenetration::Pair& pair : check.limb_pairs) {
    clip["limb_pairs"].push_back(
        {{"pair", pair.name},
         {"penetrating_vertices_percent", pair.depths.penetrating_vertices_percent},
         {"penetrating_frames_percent", pair.depths.penetrating_frames_percent},
         {"max_penetration_percent", pair.depths.max_penetration_percent},
         {"max_penetration_at_s", pair.depths.max_penetration_at_s},
         {"max_penetration_duration_s", pair.depths.max_penetration_duration_s}});
  }
  clip["limb_volumes"] = Json::array();
  for (const measure::LimbVolume& limb : check.limb_volumes) {
    clip["limb_volumes"].push_back({{"joint", limb.joint},
                                    {"min_percent", numberOrNull(limb.min_percent)},
                                    {"min_at_s", limb.min_at_s},
                                    {"max_percent", numberOrNull(limb.max_percent)}});
  }
  return clip;
}

// The pairs that penetrate by more than the threshold, the largest depth first.
std::string penetratingPairsText(const ClipCheck& check) {
  std::vector<measure::LimbPenetration::Pair> pairs;
  for (const measure::LimbPenetration::Pair& pair : check.limb_pairs) {
    if (pair.depths.max_penetration_percent > measure::kPenetrationTolerance_percent)
      pairs.push_back(pair);
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
    return a.depths.max_penetration_percent > b.depths.max_penetration_percent;
  });
  std::string text;
  for (const measure::LimbPenetration::Pair& pair : pairs) {
    text += "  " + pair.name + ": max. penetration " +
            fixedText(pair.depths.max_penetration_percent, 2) + " % of the height, over " +
            numberText(measure::kPenetrationTolerance_percent) + " % in " +
            fixedText(pair.depths.penetrating_frames_percent, 1) + " % of the frames\n";
  }
  return text;
}

// The joints that lose more than kReportedLossPercent, the largest loss first.
std::string volumeLossText(const ClipCheck& check) {
  std::vector<measure::LimbVolume> thin;
  for (const measure::LimbVolume& limb : check.limb_volumes) {
    if (kPercent - limb.min_percent > kReportedLossPercent) thin.push_back(limb);
  }
  std::stable_sort(thin.begin(), thin.end(),
                   [](const measure::LimbVolume& a, const measure::LimbVolume& b) {
                     return a.min_percent < b.min_percent;
                   });
  std::string text;
  for (const measure::LimbVolume& limb : thin) {
    text += "  " + printable(limb.joint) + ": " + fixedText(limb.min_percent, 1) +
            " % of its volume at " + fixedText(limb.min_at_s, 2) + " s\n";
  }
  return text;
}

}  // namespace

std::string checkText(const FileCheck& check, const CheckLimits& limits) {
  std::size_t width = 0;
  for (const MeasureKind& kind : checkMeasures())
    width = std::max(width, std::string(kind.name).size());
  std::string text;
  for (const ClipCheck& clip : check.clips) {
    text += (clip.clip.empty() ? "(unnamed)" : printable(clip.clip)) + ": ";
    text += clip.root.empty() ? "no root motion" : "root motion on " + printable(clip.root);
    text += ", " + counted(clip.ground_spans.size(), "ground contact") + "\n";
    for (std::size_t m = 0; m < kCheckMeasureCount; ++m) {
      const std::string name = checkMeasures()[m].name;
      if (!clip.values[m]) {
        const std::string reason = m < clip.not_measured.size() ? clip.not_measured[m] : "";
        text += "  " + name + std::string(width - name.size() + 2, ' ') + notMeasuredText(reason) +
                "\n";
        continue;
      }
      const std::string value = fixedText(*clip.values[m], checkMeasures()[m].digits);
      constexpr std::size_t kValueWidth = 12;
      text += "  " + name + std::string(width - name.size(), ' ') +
              std::string(kValueWidth - std::min(kValueWidth, value.size()), ' ') + value + "  " +
              checkMeasures()[m].doc + "\n";
    }
    text += penetratingPairsText(clip) + volumeLossText(clip);
    for (const ExceededLimit& exceeded : exceededLimits(clip, limits)) {
      const MeasureKind& kind = kindOf(exceeded.measure);
      text += "  limit exceeded: " + std::string(kind.name) + " " +
              exceededText(exceeded, kind.digits) + "\n";
    }
  }
  for (const Warning& warning : check.irregularities.all()) {
    text += "normalize would mend: " + warning.text + " (" + printable(warning.first) +
            (warning.count > 1 ? ", " + std::to_string(warning.count) + " in all)\n" : ")\n");
  }
  if (check.humanoid.origin == humanoid::HumanoidMap::Origin::kNone) {
    text += "no humanoid was found: feet, knees, flight and limb penetration were not measured\n";
  } else if (!check.penetration_not_measured.empty()) {
    text +=
        "limb penetration was not measured: " + printable(check.penetration_not_measured) + "\n";
  }
  return text;
}

std::string checkJson(const FileCheck& check, const CheckLimits& limits) {
  Json root = {{"schema", 1},
               {"file", check.file},
               {"humanoid",
                {{"origin", humanoid::originName(check.humanoid.origin)},
                 {"confidence", check.humanoid.confidence}}}};
  if (!check.penetration_not_measured.empty())
    root["penetration_not_measured"] = check.penetration_not_measured;
  root["irregularities"] = Json::array();
  for (const Warning& warning : check.irregularities.all()) {
    root["irregularities"].push_back({{"code", warning.code},
                                      {"text", warning.text},
                                      {"count", warning.count},
                                      {"first", warning.first}});
  }
  root["limits"] = Json::object();
  for (std::size_t m = 0; m < limits.size(); ++m) {
    if (limits[m]) root["limits"][checkMeasures()[m].name] = *limits[m];
  }
  root["clips"] = Json::array();
  for (const ClipCheck& clip : check.clips) root["clips"].push_back(clipCheckJson(clip, limits));
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace clipmill::pipeline
