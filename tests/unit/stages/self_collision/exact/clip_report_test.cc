// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/clip_report.h"

#include <algorithm>

#include "stages/self_collision/exact/forearms.h"

TEST_SUITE_BEGIN("self_collision.clip_report");

using namespace clipmill;
using namespace clipmill::penetration;
using namespace clipmill::stages;
using namespace clipmill::stages::self_collision;
using namespace clipmill::test;
using namespace clipmill::stages::self_collision;

namespace {

const Metric& metricOf(const StageResult& report, const std::string& name) {
  const auto found = std::find_if(report.metrics.begin(), report.metrics.end(),
                                  [&](const Metric& metric) { return metric.name == name; });
  REQUIRE(found != report.metrics.end());
  return *found;
}

}  // namespace

TEST_CASE("shares count frames and midpoints apart, and runs above the tolerance are intervals") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  ClipMeasures before = clip.source;
  DepthTable after(before.depths.sampleCount(), before.depths.pairCount());
  before.depths = after;
  before.contacts.assign(after.pairCount(), std::vector<bool>(after.sampleCount(), false));
  // Two runs: frame 1 alone; the midpoint behind frame 3 and frame 4.
  for (const std::size_t sample : {2u, 7u, 8u}) {
    PairDepth& depth = before.depths.at(sample, 0);
    depth.vertex_count = 4;
    depth.penetrating_count = 1;
    depth.depth_m = 2.0 * before.tolerance_m;
  }
  StageResult report;
  reportClip({clip.poser, arms.motion, arms.motion, before, after, before.contacts}, clip.skin,
             report);
  CHECK(metricOf(report, "penetrating_frames_percent").before == doctest::Approx(100.0 * 2 / 12));
  CHECK(metricOf(report, "penetrating_midpoints_percent").before ==
        doctest::Approx(100.0 * 1 / 11));
  CHECK(metricOf(report, "penetration_intervals").before == 2.0);
  CHECK(metricOf(report, "penetrating_vertices_percent").before == doctest::Approx(25.0));
  CHECK(metricOf(report, "max_penetration_percent").before == doctest::Approx(2.0));
  CHECK(metricOf(report, "max_penetration_percent").after == 0.0);
  CHECK(metricOf(report, "changed_frames_percent").after == 0.0);
  CHECK(report.warnings.count("penetration_remains") == 0);
}

TEST_CASE("dropped contacts are counted in frames and named with their reason") {
  const Forearms arms;
  ClipContext clip = arms.clip();
  const std::size_t pair = arms.pairNamed("left arm - right arm");
  REQUIRE(clip.source.contacts[pair][0]);
  std::vector<std::vector<bool>> kept = clip.source.contacts;
  kept[pair][0] = kept[pair][1] = kept[pair][2] = false;  // frames 0 and 1, and a midpoint
  std::vector<std::string> reasons(clip.skin.pairs().size());
  reasons[pair] = "for a test";
  StageResult report;
  warnOfSideEffects({clip.poser, arms.motion, arms.motion, clip.source, clip.depths, kept},
                    clip.skin, reasons, report);
  CHECK(report.warnings.count("contact_dropped") == 2);
}
