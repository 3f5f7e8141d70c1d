// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/clip_outcomes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "pipeline/report_members.h"

namespace clipmill::batch {
namespace {

using nlohmann::json;

constexpr double kHighestLevel = 15.0;

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The values of one name, whatever they were measured on: one list each.
using Measured = std::vector<const std::vector<double>*>;

std::vector<double> finiteValues(const Measured& measured) {
  std::vector<double> all;
  for (const std::vector<double>* values : measured) {
    std::copy_if(values->begin(), values->end(), std::back_inserter(all),
                 [](double value) { return std::isfinite(value); });
  }
  return all;
}

// Of part `part` of `parts`.
double farthestInPart(const Measured& measured, std::size_t part, std::size_t parts,
                      double median) {
  double farthest = median;
  for (const std::vector<double>* values : measured) {
    const std::size_t start = part * values->size() / parts;
    const std::size_t end = (part + 1) * values->size() / parts;
    for (std::size_t i = start; i < end; ++i) {
      const double value = (*values)[i];
      if (!std::isfinite(value)) continue;
      if (std::abs(value - median) > std::abs(farthest - median)) farthest = value;
    }
  }
  return farthest;
}

json shapeJson(const std::string& name, const Measured& measured) {
  const std::vector<double> all = finiteValues(measured);
  if (all.empty()) return nullptr;
  std::size_t frames = 0;
  for (const std::vector<double>* values : measured) frames = std::max(frames, values->size());
  const std::size_t parts = std::min(frames, kShapeParts);
  const double median = medianOf(all);
  std::vector<double> shape;
  for (std::size_t part = 0; part < parts; ++part) {
    shape.push_back(farthestInPart(measured, part, parts, median));
  }
  const auto [low, high] = std::minmax_element(shape.begin(), shape.end());
  const double range = *high - *low;
  std::string levels;
  for (const double value : shape) {
    const double level = range > 0.0 ? kHighestLevel * (value - *low) / range : 0.0;
    levels += "0123456789abcdef"[toSize(level + 0.5)];
  }
  return {{"name", name}, {"low", *low}, {"high", *high}, {"levels", levels}};
}

json shapesJson(const pipeline::StageReport& stage) {
  std::map<std::string, Measured> by_name;
  for (const stages::Series& series : stage.series) by_name[series.name].push_back(&series.after);
  json shapes = json::array();
  for (const auto& [name, measured] : by_name) {
    json shape = shapeJson(name, measured);
    if (!shape.is_null()) shapes.push_back(std::move(shape));
  }
  return shapes;
}

json stageJson(const pipeline::StageReport& stage) {
  return {
      {"type", stage.type}, {"metrics", metricsJson<json>(stage)}, {"series", shapesJson(stage)}};
}

// The warnings of stages are listed with those of the clip.
json clipJson(const pipeline::RunReport& part, const pipeline::ClipReport& clip) {
  json stages = json::array();
  Warnings warnings = clip.warnings;
  for (const pipeline::StageReport& stage : clip.stages) {
    stages.push_back(stageJson(stage));
    warnings.merge(stage.warnings);
  }
  return {{"clip", clip.clip},
          {"output", std::filesystem::path(part.output).filename().generic_string()},
          {"fps", clip.fps},
          {"frames", clip.frames},
          {"keys", keysJson<json>(clip)},
          {"stages", stages},
          {"warnings", pipeline::warningsJson<json>(warnings)}};
}

void addClips(const pipeline::RunReport& part, json& clips) {
  for (const pipeline::ClipReport& clip : part.clips) clips.push_back(clipJson(part, clip));
}

}  // namespace

std::string clipOutcomesJson(const pipeline::RunReport& report) {
  json clips = json::array();
  Warnings of_file = report.warnings;
  addClips(report, clips);
  for (const pipeline::RunReport& variant : report.variants) {
    of_file.merge(variant.warnings);
    addClips(variant, clips);
  }
  const json outcomes = {{"clips", clips}, {"warnings", pipeline::warningsJson<json>(of_file)}};
  return outcomes.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace clipmill::batch
