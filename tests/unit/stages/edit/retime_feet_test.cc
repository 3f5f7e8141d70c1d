// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "checks.h"
#include "make_samples/gait.h"
#include "scene/character_scene.h"
#include "stages/blend/strider.h"
#include "stages/edit/trim.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::edit;
using namespace clipmill::test;

TEST_SUITE_BEGIN("edit.retime_feet");

namespace {

StageResult retimed(double fps, double time_scale) {
  const samples::Rig rig = samples::makeBodyRig();
  const Scene scene = characterScene(
      rig, samples::gaitClip(rig, "Walk", samples::walkGait(), samples::Travel::kRoot));
  const Motion walk = sampled(scene);
  RetimeSettings settings;
  settings.result_fps = fps;
  settings.time_scale = time_scale;
  auto results = runRetime({scene, std::span(&walk, 1), 1}, settings);
  CHECK_OK(results);
  return results->front();
}

}  // namespace

TEST_CASE("a retimed walk reports the slide of its feet") {
  for (const double scale : {0.7, 1.0, 1.5}) {
    INFO("scale " << scale);
    const StageResult result = retimed(30.0, scale);
    CHECK(metricOf(result, "planted_drift_mm") < 5.0);
    CHECK(metricOf(result, "foot_skate_cm") >= 0.0);
    CHECK(result.warnings.count("feet_slide") == 0);
  }
}

TEST_CASE("frames that are too far apart for planted feet are reported") {
  const StageResult result = retimed(6.0, 1.0);
  CHECK(metricOf(result, "planted_drift_mm") > 5.0);
  CHECK(result.warnings.count("feet_slide") == 1);
}

TEST_SUITE_END();
