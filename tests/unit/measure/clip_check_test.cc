// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "measure/clip_check.h"

#include <cmath>
#include <limits>
#include <string>

#include "checks.h"
#include "core/to_size.h"
#include "make_samples/gait.h"
#include "make_samples/leap.h"
#include "measure/clip_measures.h"
#include "scene/character_scene.h"

TEST_SUITE_BEGIN("measure.clip_check");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::measure;
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

// A node at `x_of(frame)` on the x axis, with 30 keys a second.
Scene movingScene(int frames, double (*x_of)(int)) {
  Scene scene;
  Node node;
  node.name = "Root";
  scene.skeleton.nodes.push_back(node);
  std::vector<double> times, values;
  for (int f = 0; f < frames; ++f) {
    times.push_back(f / 30.0);
    values.insert(values.end(), {x_of(f), 0.0, 0.0});
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

TEST_CASE("The root trajectory is measured on the ground") {
  // 1 m forward in 10 frames and 0.5 m back in 10 frames.
  const FileCheck check =
      checked(movingScene(21, [](int f) { return f <= 10 ? 0.1 * f : 1.0 - 0.05 * (f - 10); }));
  CHECK(std::abs(valueOf(check, CheckMeasure::kDuration) - 20.0 / 30.0) < 1e-9);
  CHECK(std::abs(valueOf(check, CheckMeasure::kRootPath) - 1.5) < 1e-9);
  CHECK(std::abs(valueOf(check, CheckMeasure::kRootNet) - 0.5) < 1e-9);
  CHECK(std::abs(valueOf(check, CheckMeasure::kMeanSpeed) - 2.25) < 1e-9);
  CHECK(std::abs(valueOf(check, CheckMeasure::kMaxSpeed) - 3.0) < 1e-6);
  CHECK(check.clips[0].root == "Root");
  CHECK_FALSE(check.clips[0].of(CheckMeasure::kFootSkate));
}

TEST_CASE("The loop seam of a clip on the spot is the distance from its last to its first frame") {
  // Ends 2 mm from its start; 60 mm/s there against 300 mm/s at the start, which is the fastest.
  const Scene scene =
      movingScene(11, [](int f) { return f <= 3 ? 0.01 * f : 0.03 - 0.004 * (f - 3); });
  const Motion motion = sampled(scene);
  const auto seam = measureSeam(scene, motion, 0, 1.0);
  REQUIRE(seam);
  CHECK(std::abs(seam->distance_mm - 2.0) < 1e-6);
  CHECK(seam->rotation_deg < 1e-9);
  CHECK(std::abs(seam->speed_percent.value() - 100.0 * (0.3 + 0.12) / 0.3) < 1e-3);
}

TEST_CASE("A walk with root motion has no loop seam and no flight") {
  const FileCheck walk =
      checked(characterScene(bodyRig(), samples::gaitClip(bodyRig(), "Walk", samples::walkGait(),
                                                          samples::Travel::kRoot)));
  CHECK(std::abs(valueOf(walk, CheckMeasure::kRootNet) - samples::walkGait().stride_m) < 1e-6);
  CHECK(valueOf(walk, CheckMeasure::kLoopSeam) < 0.1);
  CHECK(valueOf(walk, CheckMeasure::kLoopSeamRotation) < 0.01);
  CHECK_FALSE(walk.clips[0].of(CheckMeasure::kAirborneGravity));
}

TEST_CASE("A leap falls with the gravity of its parabola and its feet do not slide") {
  const FileCheck leap = checked(characterScene(bodyRig(), samples::leapClip(bodyRig())));
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

TEST_CASE("Under a walk on the spot the ground moves by its stride, and feet do not slide on it") {
  const samples::Gait gait = samples::walkGait();
  const FileCheck walk = checked(characterScene(
      bodyRig(), samples::gaitClip(bodyRig(), "Walk", gait, samples::Travel::kInPlace)));
  // The stride over its frames, 30 a second.
  const double treadmill_mps = 30.0 * gait.stride_m / gait.frames;
  CHECK(std::abs(valueOf(walk, CheckMeasure::kTreadmillSpeed) - treadmill_mps) <
        0.05 * treadmill_mps);
  CHECK(valueOf(walk, CheckMeasure::kFootSkate) < 0.2);
  CHECK(valueOf(walk, CheckMeasure::kRootNet) == 0.0);
}

TEST_CASE("Knee accelerations are measured over steps of 1/30 s") {
  const Scene scene = characterScene(bodyRig(), samples::leapClip(bodyRig()));
  const auto knees = measureKnees(scene, characterMap(scene), sampled(scene));
  REQUIRE(knees);
  // The same at the frames of the clip alone, which are such steps.
  double largest = 0.0;
  const Motion motion = sampled(scene);
  for (const char* name : {"LeftLeg", "RightLeg"}) {
    const auto knee = toSize(nodeOf(scene, name));
    const auto at = [&](std::size_t i) { return worldsAt(scene, motion, i)[knee].translation; };
    for (std::size_t i = 1; i + 1 < motion.grid.frame_count; ++i) {
      largest = std::max(largest, glm::length(at(i + 1) - 2.0 * at(i) + at(i - 1)) * 900.0);
    }
  }
  CHECK(knees->acceleration_mps2 >= 0.99 * largest);
  CHECK(knees->acceleration_mps2 < 1.5 * largest);
  CHECK_FALSE(measureKnees(scene, HumanoidMap(), motion));
}

TEST_CASE("A limit is exceeded by a larger value, by NaN and by a missing measure") {
  ClipCheck check;
  check.values.resize(kCheckMeasureCount);
  CheckLimits limits(kCheckMeasureCount);
  CHECK(exceededLimits(check, limits).empty());
  const auto skate = toSize(CheckMeasure::kFootSkate);
  limits[skate] = 0.5;
  CHECK(exceededLimits(check, limits).size() == 1);
  check.values[skate] = 0.5;
  CHECK(exceededLimits(check, limits).empty());
  check.values[skate] = 0.51;
  REQUIRE(exceededLimits(check, limits).size() == 1);
  CHECK(exceededLimits(check, limits)[0].measure == CheckMeasure::kFootSkate);
  check.values[skate] = std::numeric_limits<double>::quiet_NaN();
  CHECK(exceededLimits(check, limits).size() == 1);
}

TEST_CASE("Transforms with NaN are counted") {
  Scene scene = movingScene(3, [](int) { return 0.0; });
  Motion motion = sampled(scene);
  motion.locals[1].translation.y = std::numeric_limits<double>::quiet_NaN();
  CHECK(countNonFinite(scene, motion) == 1);
  const auto seam = measureSeam(scene, motion, -1, 1.0);
  REQUIRE(seam);
  CHECK(std::isnan(seam->speed_percent.value()));
}

TEST_SUITE_END();
