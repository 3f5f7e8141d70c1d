// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/check.h"

#include <cmath>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "checks.h"
#include "make_samples/gait.h"
#include "make_samples/leap.h"
#include "pipeline/clip_measures.h"
#include "scene/figure_scene.h"

TEST_SUITE_BEGIN("pipeline.check");

using namespace clipmill;
using namespace clipmill::test;

namespace {

const samples::Rig& bodyRig() {
  static const samples::Rig rig = samples::makeBodyRig();
  return rig;
}

FileCheck checked(const Scene& scene) {
  const int clip = 0;
  auto check = checkClips(scene, {&clip, 1}, {});
  CHECK_OK(check);
  return std::move(check).value();
}

double valueOf(const FileCheck& check, CheckMeasure measure) {
  const auto value = check.clips[0].of(measure);
  REQUIRE(value);
  return *value;
}

// A node that goes along x as `place` says, at 30 keys a second.
Scene goingScene(int frames, double (*place)(int)) {
  Scene scene;
  Node node;
  node.name = "Root";
  scene.skeleton.nodes.push_back(node);
  std::vector<double> times, values;
  for (int f = 0; f < frames; ++f) {
    times.push_back(f / 30.0);
    values.insert(values.end(), {place(f), 0.0, 0.0});
  }
  const auto shared = std::make_shared<const std::vector<double>>(times);
  Clip clip;
  clip.name = "Go";
  clip.end_s = times.back();
  clip.animated = TrackMask(1);
  clip.animated.set(0, TrackPath::kTranslation);
  clip.source = keyframeSource(
      scene.skeleton, {{0, TrackPath::kTranslation, Interpolation::kLinear, 3, shared, values}});
  scene.clips.push_back(std::move(clip));
  return scene;
}

}  // namespace

TEST_CASE("the way of a root is measured along the ground") {
  // 1 m forth in 10 frames and half of it back in 10.
  const FileCheck check =
      checked(goingScene(21, [](int f) { return f <= 10 ? 0.1 * f : 1.0 - 0.05 * (f - 10); }));
  CHECK(std::abs(valueOf(check, CheckMeasure::kDuration) - 20.0 / 30.0) < 1e-9);
  CHECK(std::abs(valueOf(check, CheckMeasure::kRootPath) - 1.5) < 1e-9);
  CHECK(std::abs(valueOf(check, CheckMeasure::kRootNet) - 0.5) < 1e-9);
  CHECK(std::abs(valueOf(check, CheckMeasure::kMeanSpeed) - 2.25) < 1e-9);
  CHECK(std::abs(valueOf(check, CheckMeasure::kMaxSpeed) - 3.0) < 1e-6);
  CHECK(check.clips[0].root == "Root");
  CHECK_FALSE(check.clips[0].of(CheckMeasure::kFootSkate));
}

TEST_CASE("the seam of a clip that stays is what its end is off its begin") {
  // Ends 2 mm from its begin; 60 mm/s there against 300 mm/s at the begin, which is the fastest.
  const Scene scene =
      goingScene(11, [](int f) { return f <= 3 ? 0.01 * f : 0.03 - 0.004 * (f - 3); });
  const Motion motion = sampled(scene);
  const auto seam = measureSeam(scene, motion, 0, 1.0);
  REQUIRE(seam);
  CHECK(std::abs(seam->distance_mm - 2.0) < 1e-6);
  CHECK(seam->turn_deg < 1e-9);
  CHECK(std::abs(seam->speed_percent - 100.0 * (0.3 + 0.12) / 0.3) < 1e-3);
}

TEST_CASE("the seam of a walk that goes somewhere is none, and that of a leap on a spot neither") {
  const FileCheck walk =
      checked(figureScene(bodyRig(), samples::gaitClip(bodyRig(), "Walk", samples::walkGait(),
                                                       samples::Travel::kRoot)));
  CHECK(std::abs(valueOf(walk, CheckMeasure::kRootNet) - samples::walkGait().stride_m) < 1e-6);
  CHECK(valueOf(walk, CheckMeasure::kLoopSeam) < 0.1);
  CHECK(valueOf(walk, CheckMeasure::kLoopSeamTurn) < 0.01);
  CHECK_FALSE(walk.clips[0].of(CheckMeasure::kAirborneGravity));
}

TEST_CASE("a leap falls as its parabola does, on feet that do not slide") {
  const FileCheck leap = checked(figureScene(bodyRig(), samples::leapClip(bodyRig())));
  // 0.42 m over the chord of a flight of 23 frames: 8 h / t^2.
  const double flight_s = 23.0 / 30.0;
  CHECK(std::abs(valueOf(leap, CheckMeasure::kAirborneGravity) -
                 8.0 * 0.42 / (flight_s * flight_s)) < 0.02);
  CHECK(valueOf(leap, CheckMeasure::kFootSkate) < 0.1);
  CHECK(valueOf(leap, CheckMeasure::kPlantedDrift) < 5.0);
  CHECK(std::abs(valueOf(leap, CheckMeasure::kRootNet) - samples::kLeap_m) < 1e-6);
  CHECK(valueOf(leap, CheckMeasure::kNonFinite) == 0.0);
  CHECK(leap.humanoid.origin == HumanoidMap::Origin::kNames);
}

TEST_CASE("a walk on the spot slides by its stride") {
  const samples::Gait gait = samples::walkGait();
  const FileCheck walk = checked(figureScene(
      bodyRig(), samples::gaitClip(bodyRig(), "Walk", gait, samples::Travel::kInPlace)));
  // In a thirtieth of a second: the stride over its frames.
  const double slide_cm = 100.0 * gait.stride_m / gait.frames;
  CHECK(std::abs(valueOf(walk, CheckMeasure::kFootSkate) - slide_cm) < 0.1 * slide_cm);
  CHECK(valueOf(walk, CheckMeasure::kRootNet) == 0.0);
}

TEST_CASE("knees are measured over thirtieths of a second") {
  const Scene scene = figureScene(bodyRig(), samples::leapClip(bodyRig()));
  const auto knees = measureKnees(scene, figureMap(scene), sampled(scene));
  REQUIRE(knees);
  // The same at the frames of the clip alone, which are such steps.
  double most = 0.0;
  const Motion motion = sampled(scene);
  for (const char* name : {"LeftLeg", "RightLeg"}) {
    const auto knee = static_cast<std::size_t>(nodeOf(scene, name));
    const auto at = [&](std::size_t i) { return worldsAt(scene, motion, i)[knee].translation; };
    for (std::size_t i = 1; i + 1 < motion.grid.frame_count; ++i) {
      most = std::max(most, glm::length(at(i + 1) - 2.0 * at(i) + at(i - 1)) * 900.0);
    }
  }
  CHECK(knees->acceleration_mps2 >= 0.99 * most);
  CHECK(knees->acceleration_mps2 < 1.5 * most);
  CHECK_FALSE(measureKnees(scene, HumanoidMap(), motion));
}

TEST_CASE("limits are broken by more, by what is no number and by what was not measured") {
  ClipCheck check;
  check.values.resize(kCheckMeasureCount);
  CheckLimits limits(kCheckMeasureCount);
  CHECK(brokenLimits(check, limits).empty());
  const auto skate = static_cast<std::size_t>(CheckMeasure::kFootSkate);
  limits[skate] = 0.5;
  CHECK(brokenLimits(check, limits).size() == 1);
  check.values[skate] = 0.5;
  CHECK(brokenLimits(check, limits).empty());
  check.values[skate] = 0.51;
  REQUIRE(brokenLimits(check, limits).size() == 1);
  CHECK(brokenLimits(check, limits)[0].measure == CheckMeasure::kFootSkate);
  check.values[skate] = std::numeric_limits<double>::quiet_NaN();
  CHECK(brokenLimits(check, limits).size() == 1);
}

TEST_CASE("maps that are no numbers are counted") {
  Scene scene = goingScene(3, [](int) { return 0.0; });
  Motion motion = sampled(scene);
  motion.locals[1].translation.y = std::numeric_limits<double>::quiet_NaN();
  CHECK(countNonFinite(scene, motion) == 1);
  const auto seam = measureSeam(scene, motion, -1, 1.0);
  REQUIRE(seam);
  CHECK(std::isnan(seam->speed_percent));
}

TEST_CASE("the report is JSON with every measure, and text with those that were taken") {
  const FileCheck check = checked(goingScene(21, [](int f) { return 0.1 * f; }));
  CheckLimits limits(kCheckMeasureCount);
  limits[static_cast<std::size_t>(CheckMeasure::kRootNet)] = 1.5;
  const auto json = nlohmann::json::parse(checkJson(check, limits));
  CHECK(json["schema"] == 1);
  CHECK(json["limits"]["root_net_m"] == 1.5);
  const auto& clip = json["clips"][0];
  CHECK(clip["measures"].size() == kCheckMeasureCount);
  CHECK(clip["measures"]["foot_skate_cm"].is_null());
  CHECK(clip["broken"][0]["measure"] == "root_net_m");
  const std::string text = checkText(check, limits);
  CHECK(text.find("root_path_m") != text.npos);
  CHECK(text.find("foot_skate_cm") == text.npos);
  CHECK(text.find("over the limit: root_net_m is 2.000, allowed is 1.5") != text.npos);
}

TEST_SUITE_END();
