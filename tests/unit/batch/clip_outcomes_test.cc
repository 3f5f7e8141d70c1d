// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/clip_outcomes.h"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "batch/batch.h"
#include "checks.h"

using namespace clipmill;
using namespace clipmill::pipeline;
using namespace clipmill::stages;
using namespace clipmill::batch;
using nlohmann::json;

TEST_SUITE_BEGIN("batch.clip_outcomes");

namespace {

RunReport reportWith(std::vector<Series> series) {
  StageReport stage;
  stage.type = "self-collision";
  stage.metrics = {{"depth_mm", 4.0, 0.5}, {"tets", std::nullopt, 7.0}};
  stage.series = std::move(series);
  stage.warnings.add("stage_code", "of the stage", "Arm", 2);
  ClipReport clip;
  clip.clip = "Run";
  clip.fps = 30.0;
  clip.frames = 4;
  clip.stages.push_back(std::move(stage));
  clip.warnings.add("clip_code", "of the clip", "Run");
  RunReport report;
  report.output = "out/a.glb";
  report.clips.push_back(std::move(clip));
  report.warnings.add("file_code", "of the file", "");
  return report;
}

json shapeOf(const std::vector<Series>& series) {
  return json::parse(clipOutcomesJson(reportWith(series)))["clips"][0]["stages"][0]["series"];
}

}  // namespace

TEST_CASE("A clip has its numbers and its own warnings") {
  const json outcomes = json::parse(clipOutcomesJson(reportWith({})));
  const json& clip = outcomes["clips"][0];
  CHECK(clip["clip"] == "Run");
  CHECK(clip["output"] == "a.glb");
  const json& metrics = clip["stages"][0]["metrics"];
  CHECK(metrics["before"] == json({{"depth_mm", 4.0}}));
  CHECK(metrics["after"] == json({{"depth_mm", 0.5}, {"tets", 7.0}}));
  REQUIRE(clip["warnings"].size() == 2);
  CHECK(clip["warnings"][0]["code"] == "clip_code");
  CHECK(clip["warnings"][1]["code"] == "stage_code");
  CHECK(clip["warnings"][1]["count"] == 2);
  REQUIRE(outcomes["warnings"].size() == 1);
  CHECK(outcomes["warnings"][0]["code"] == "file_code");
}

TEST_CASE("Clips of variants have their own outputs") {
  RunReport report;
  report.variants = {reportWith({}), reportWith({})};
  report.variants[1].output = "out/a_5m.glb";
  const json outcomes = json::parse(clipOutcomesJson(report));
  REQUIRE(outcomes["clips"].size() == 2);
  CHECK(outcomes["clips"][1]["output"] == "a_5m.glb");
}

TEST_CASE("A short series keeps every value") {
  // 0 to 15 in steps of 1: each its own digit.
  std::vector<double> ramp;
  for (int i = 0; i < 16; ++i) ramp.push_back(i);
  const json shape = shapeOf({{"speed_mps", "", {}, ramp}});
  REQUIRE(shape.size() == 1);
  CHECK(shape[0]["name"] == "speed_mps");
  CHECK(shape[0]["low"] == 0.0);
  CHECK(shape[0]["high"] == 15.0);
  CHECK(shape[0]["levels"] == "0123456789abcdef");
}

TEST_CASE("One outlier among thousands of frames is visible, upward and downward") {
  for (const double bad : {-50.0, 200.0}) {
    std::vector<double> values(4800, 100.0);
    values[2500] = bad;  // in part 25 of 48
    const json shape = shapeOf({{"volume_percent", "", {}, values}});
    const std::string levels = shape[0]["levels"];
    REQUIRE(levels.size() == kShapeParts);
    const char usual = bad < 100.0 ? 'f' : '0', odd = bad < 100.0 ? '0' : 'f';
    for (std::size_t part = 0; part < kShapeParts; ++part) {
      CHECK(levels[part] == (part == 25 ? odd : usual));
    }
  }
}

TEST_CASE("Series of one name on several objects are merged") {
  const json shape = shapeOf({{"speed_mps", "tail", {}, {1.0, 1.0, 1.0, 1.0}},
                              {"speed_mps", "hair", {}, {1.0, 9.0, 1.0, 1.0}},
                              {"angle_deg", "hair", {}, {3.0, 3.0}}});
  REQUIRE(shape.size() == 2);
  CHECK(shape[0]["name"] == "angle_deg");
  CHECK(shape[0]["levels"] == "00");
  CHECK(shape[1]["levels"] == "0f00");
}

TEST_CASE("NaN and infinity, and series without finite values, are left out") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const json shape = shapeOf(
      {{"a_mm", "", {}, {0.0, kNan, 6.0, 3.0}}, {"b_mm", "", {}, {kNan}}, {"c_mm", "", {}, {}}});
  REQUIRE(shape.size() == 1);
  CHECK(shape[0]["high"] == 6.0);
  CHECK(shape[0]["levels"].get<std::string>().size() == 4);
}

TEST_CASE("Outcomes that are no JSON, as of an edited record, are left out of the report") {
  JobResult result;
  result.status = JobStatus::kDone;
  result.job.name = "a.glb";
  for (const char* outcomes : {"", "{\"clips\":[", "7", "\xff"}) {
    result.outcomes_json = outcomes;
    const json report = json::parse(batchReportJson({&result, 1}, "out"));
    CHECK_FALSE(report["jobs"][0].contains("outcomes"));
  }
  result.outcomes_json = R"({"clips":[]})";
  const json report = json::parse(batchReportJson({&result, 1}, "out"));
  CHECK(report["jobs"][0]["outcomes"]["clips"].empty());
}

TEST_SUITE_END();
