// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/check_report.h"

#include <string>

#include <nlohmann/json.hpp>

#include "checks.h"
#include "core/to_size.h"

TEST_SUITE_BEGIN("pipeline.check_report");

using namespace clipmill;
using namespace clipmill::measure;
using namespace clipmill::pipeline;

namespace {

// A clip with a root trajectory of 2 m, and without feet and limbs.
FileCheck twoMetres() {
  ClipCheck clip;
  clip.clip = "Go";
  clip.root = "Root";
  clip.values.resize(kCheckMeasureCount);
  clip.not_measured.resize(kCheckMeasureCount);
  clip.not_measured[toSize(CheckMeasure::kFootSkate)] = "no contacts found";
  clip.values[toSize(CheckMeasure::kRootPath)] = 2.0;
  clip.values[toSize(CheckMeasure::kRootNet)] = 2.0;
  FileCheck check;
  check.penetration_not_measured = "no mesh is skinned";
  check.clips.push_back(clip);
  return check;
}

CheckLimits netLimit(double limit_m) {
  CheckLimits limits(kCheckMeasureCount);
  limits[toSize(CheckMeasure::kRootNet)] = limit_m;
  return limits;
}

}  // namespace

TEST_CASE("The JSON of a check has every measure, null where a clip has none") {
  const auto json = nlohmann::json::parse(checkJson(twoMetres(), netLimit(1.5)));
  CHECK(json["schema"] == 1);
  CHECK(json["limits"]["root_net_m"] == 1.5);
  CHECK(json["penetration_not_measured"] == "no mesh is skinned");
  const auto& clip = json["clips"][0];
  CHECK(clip["measures"].size() == kCheckMeasureCount);
  CHECK(clip["measures"]["foot_skate_cm"].is_null());
  CHECK(clip["not_measured"]["foot_skate_cm"] == "no contacts found");
  CHECK(clip["exceeded"].size() == 1);
  CHECK(clip["exceeded"][0]["measure"] == "root_net_m");
}

TEST_CASE("The text of a check lists the measures of a clip and the limits that it exceeds") {
  const std::string text = checkText(twoMetres(), netLimit(1.5));
  CHECK(text.find("Go: root motion on Root") != text.npos);
  CHECK(text.find("root_path_m") != text.npos);
  CHECK(text.find("foot_skate_cm                      not measured: no contacts found") !=
        text.npos);
  CHECK(text.find("limit exceeded: root_net_m is 2.000, the limit is 1.5") != text.npos);
  CHECK(checkText(twoMetres(), netLimit(2.0)).find("limit exceeded") == text.npos);
}

TEST_SUITE_END();
