// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/driven_bake.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "checks.h"
#include "core/to_size.h"
#include "scene/integer_deltas.h"
#include "stages/tet_bake/drivers/driven_morphs.h"
#include "stages/tet_bake/drivers/pose_samples.h"
#include "stages/tet_bake/rotating_limb.h"
#include "stages/tet_bake/surface/bones.h"

TEST_SUITE_BEGIN("tet_bake.driven");

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::tet_bake;
using namespace clipmill::test;

namespace {

TetBakeSettings drivenSettings(std::int64_t samples = 16) {
  TetBakeSettings settings;
  settings.drive = TetBakeDrive::kPose;
  settings.pose_samples = samples;
  return settings;
}

nlohmann::json driversOf(const StageOutput& output) {
  REQUIRE(output.additions.files.size() == 1);
  CHECK(output.additions.files[0].suffix == ".drivers.json");
  const Bytes& bytes = output.additions.files[0].bytes;
  auto json = nlohmann::json::parse(bytes.begin(), bytes.end());
  REQUIRE(output.additions.extras.size() == 1);
  CHECK(output.additions.extras[0].key == "clipmill_drivers");
  CHECK(nlohmann::json::parse(output.additions.extras[0].json) == json);
  return json;
}

Quat quatOf(const nlohmann::json& q) {
  return Quat(q[3].get<double>(), q[0].get<double>(), q[1].get<double>(), q[2].get<double>());
}

// The driver of the JSON text, of which the limb has one.
PoseDriver readDriver(const nlohmann::json& json) {
  REQUIRE(json["drivers"].size() == 1);
  const nlohmann::json& own = json["drivers"][0];
  PoseDriver driver;
  driver.joints = {1};
  REQUIRE(own["joints"].size() == 1);
  CHECK(own["joints"][0]["name"] == "lower");
  CHECK(own["joints"][0]["path"] == "upper/lower");
  for (const nlohmann::json& input : own["inputs"]) {
    const std::string part = input["part"];
    Vec3 axis(1, 0, 0);
    for (int k = 0; k < 3 && part != "whole"; ++k) axis[k] = input["axis"][toSize(k)];
    driver.inputs.push_back({input["joint"].get<std::size_t>(),
                             part == "whole"   ? RotationPart::kWhole
                             : part == "swing" ? RotationPart::kSwing
                                               : RotationPart::kTwist,
                             axis, input["weight"].get<double>()});
  }
  driver.width_rad = own["width"];
  for (const nlohmann::json& center : own["centers"]) driver.centers.push_back(quatOf(center[0]));
  for (const nlohmann::json& morph : own["morphs"]) {
    driver.morphs.push_back({morph["name"], morph["values"].get<std::vector<double>>()});
  }
  return driver;
}

}  // namespace

TEST_CASE("A driver restores the volume of a bent limb, and the keys are its weights") {
  const Scene scene = limbScene(kCoarseLimb);
  const Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 90.0);
  const StageOutput output = bakedLimb(scene, motion, drivenSettings());
  const StageResult& result = output.results[0];
  const Scene after = withAdditions(scene, output.additions);
  const double rest = volumeOf(scene.meshes[0], scene.meshes[0].positions);
  CHECK(volumeAt(scene, motion, kFrames - 1) / rest < 0.98);
  CHECK(std::abs(volumeAt(after, result.motion, kFrames - 1) / rest - 1.0) <= 0.02);
  // Nothing moves in the bind pose.
  const std::vector<Vec3> bound = shownAt(after, result.motion, 0);
  for (std::size_t v = 0; v < bound.size(); ++v) {
    CHECK(distance(bound[v], shownAt(scene, motion, 0)[v]) < 1e-7);
  }
  CHECK(metricOf(result, "drivers") == 1.0);

  const nlohmann::json json = driversOf(output);
  CHECK(json["format"] == "clipmill-drivers");
  CHECK(json["version"] == 1);
  const PoseDriver driver = readDriver(json);
  for (const DrivenMorph& morph : driver.morphs) {
    for (const double value : morph.values) {
      CHECK(value >= -1e-7);
      CHECK(value <= 1.0 + 1e-7);
    }
  }
  REQUIRE(output.additions.morphs.size() == driver.morphs.size() + json["constant"].size());
  for (std::size_t f = 0; f < kFrames; ++f) {
    const Quat& local = result.motion.localsOf(f)[1].rotation;
    const Quat bind = quatOf(json["drivers"][0]["joints"][0]["bind"]);
    const std::vector<double> weights =
        centerWeights(driver, std::vector<Quat>{relativeRotation(bind, local)});
    for (std::size_t m = 0; m < driver.morphs.size(); ++m) {
      CHECK(output.additions.morphs[m].name == driver.morphs[m].name);
      const double keyed = result.motion.weightsOf(f)[m];
      CHECK(std::abs(morphWeight(driver.morphs[m], weights) - keyed) < 1e-6);
    }
    for (std::size_t b = driver.morphs.size(); b < output.additions.morphs.size(); ++b) {
      CHECK(json["constant"][0] == output.additions.morphs[b].name);
      CHECK(result.motion.weightsOf(f)[b] == 1.0);
    }
  }
}

TEST_CASE("Drivers of morphs as integers have the weights of the file, and move the limb alike") {
  const Scene scene = limbScene(kCoarseLimb);
  const Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 90.0);
  TetBakeSettings settings = drivenSettings();
  const StageOutput floats = bakedLimb(scene, motion, settings);
  settings.deltas = TetBakeDeltas::kInt16;
  const StageOutput integers = bakedLimb(scene, motion, settings);
  const PoseDriver driver = readDriver(driversOf(integers));
  REQUIRE(integers.additions.morphs.size() == floats.additions.morphs.size());
  for (std::size_t m = 0; m < integers.additions.morphs.size(); ++m) {
    const AddedMorph& morph = integers.additions.morphs[m];
    CHECK(integerScale(morph) == 1.0);
    CHECK(longestComponent(morph.position_deltas) <= 1.0);
    if (m >= driver.morphs.size()) continue;
    // Half of the range is used, or more: by the positions or by the normals.
    CHECK(std::max(longestComponent(morph.position_deltas), longestComponent(morph.normal_deltas)) >
          0.5);
    for (std::size_t f = 0; f < kFrames; ++f) {
      const Quat& local = integers.results[0].motion.localsOf(f)[1].rotation;
      const std::vector<Quat> pose = {relativeRotation(kIdentityRotation, local)};
      const double weight = morphWeight(driver.morphs[m], centerWeights(driver, pose));
      CHECK(std::abs(weight - integers.results[0].motion.weightsOf(f)[m]) < 1e-6);
    }
  }
  const Scene by_floats = withAdditions(scene, floats.additions);
  const Scene by_integers = withAdditions(scene, integers.additions);
  for (std::size_t f = 0; f < kFrames; ++f) {
    const auto expected = shownAt(by_floats, floats.results[0].motion, f);
    const auto found = shownAt(by_integers, integers.results[0].motion, f);
    for (std::size_t v = 0; v < found.size(); ++v) CHECK(distance(found[v], expected[v]) < 1e-9);
  }
}

TEST_CASE("Drivers have the same bits for any number of threads") {
  const Scene scene = limbScene(kCoarseLimb);
  const Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 60.0);
  const StageOutput expected = bakedLimb(scene, motion, drivenSettings());
  const StageOutput found = bakedLimb(scene, motion, drivenSettings(), 3);
  REQUIRE(expected.additions.files.size() == 1);
  REQUIRE(found.additions.files.size() == 1);
  CHECK(found.additions.files[0].bytes == expected.additions.files[0].bytes);
  CHECK(found.results[0].motion.weights == expected.results[0].motion.weights);
}

TEST_CASE("A displacement that a hinge causes becomes one morph") {
  const Scene scene = limbScene(kCoarseLimb);
  const SkinSurface surface = surfaceOf(scene);
  const std::vector<BakeBone> bones = findBones(surface, scene.skeleton);
  const BindRotations bind(scene, bones);
  const std::vector<MorphRegion> regions = findRegions(surface, scene.skeleton);
  REQUIRE(regions.size() == 1);
  const std::vector<char> is_animated(scene.skeleton.size(), 1);
  const std::vector<std::vector<int>> joints =
      jointsOfRegions(surface, scene.skeleton, regions, is_animated);
  CHECK(joints == std::vector<std::vector<int>>{{1}});

  constexpr std::size_t kCount = 40;
  PointDisplacements displacements(surface.pointCount(), kCount);
  RelativePoses poses;
  DriverFrames frames;
  // What skinning takes from the radius between two bones, as it is put back before skinning.
  const auto size_of = [](double angle_rad) {
    return 0.01 * (1.0 / std::cos(0.5 * angle_rad) - 1.0);
  };
  for (std::size_t f = 0; f < kCount; ++f) {
    const double angle_rad = 130.0 * kDegree * static_cast<double>(f) / (kCount - 1);
    poses.push_back(std::vector<Quat>(3, kIdentityRotation));
    poses.back()[1] = rotationAbout(Vec3(1, 0, 0), angle_rad);
    for (std::size_t p = 0; p < surface.pointCount(); ++p) {
      displacements.set(p, f, size_of(angle_rad) * Vec3(0, surface.positions[p].z, 1));
    }
    frames.columns.push_back(f);
    frames.weights.push_back(1.0);
    frames.parts.push_back(static_cast<int>(f % 4));
  }
  DrivenFitSettings settings;
  settings.rms_m = 1e-5;
  const DrivenMorphs morphs =
      fitDrivenMorphs(displacements, regions, joints, bind, poses, frames, settings);
  REQUIRE(morphs.fitted.size() == 1);
  REQUIRE(morphs.drivers.size() == 1);
  for (std::size_t f = 0; f < kCount; ++f) {
    std::vector<Vec3> sum(surface.pointCount(), Vec3(0.0));
    addMorphs(morphs.fitted, f, sum);
    for (std::size_t p = 0; p < sum.size(); ++p) {
      CHECK(distance(sum[p], displacements.at(p, f)) < 0.01 * size_of(130.0 * kDegree));
    }
  }
}

TEST_CASE("Samples vary the rotations of the clips within their limit, and nothing else") {
  const Scene scene = limbScene(kCoarseLimb);
  const std::vector<BakeBone> bones = findBones(surfaceOf(scene), scene.skeleton);
  const BindRotations bind(scene, bones);
  const std::vector<Motion> motions = {rotatingLimb(scene, Vec3(1, 0, 0), 90.0)};
  const std::vector<int> joints = {1};
  const double limit_rad = 10.0 * kDegree;
  const Motion samples = samplePoses(scene, bind, motions, joints, {50, limit_rad});
  REQUIRE(samples.grid.frame_count == 50);
  double least = 1.0, largest = 0.0, farthest = 0.0;
  for (std::size_t s = 0; s < 50; ++s) {
    CHECK(samples.localsOf(s)[0].rotation == bind.locals[0].rotation);
    const Quat& rotation = samples.localsOf(s)[1].rotation;
    double nearest = kPi;
    for (std::size_t f = 0; f < kFrames; ++f) {
      nearest = std::min(nearest, angleBetween(rotation, motions[0].localsOf(f)[1].rotation));
    }
    CHECK(nearest <= limit_rad + 1e-9);
    farthest = std::max(farthest, nearest);
    const double angle_rad = angleBetween(rotation, kIdentityRotation);
    least = std::min(least, angle_rad);
    largest = std::max(largest, angle_rad);
  }
  CHECK(farthest > 0.2 * limit_rad);
  CHECK(least < 15.0 * kDegree);
  CHECK(largest > 75.0 * kDegree);
}

TEST_CASE("Settings that do not go together are refused") {
  const auto refused = [](TetBakeSettings settings) {
    const Status status = checkDriveSettings(settings);
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().code == ErrorCode::kRecipe);
    return status.error().location;
  };
  TetBakeSettings settings = drivenSettings();
  CHECK(checkDriveSettings(settings).ok());
  settings.bake_to = TetBakeOutput::kBones;
  CHECK(checkDriveSettings(settings).ok());
  for (const auto cache : {TetBakeOutput::kMdd, TetBakeOutput::kPc2, TetBakeOutput::kVat}) {
    settings.bake_to = cache;
    CHECK(refused(settings) == "bake_to");
  }
  settings = drivenSettings();
  settings.soft_tissue = TetBakeSoftTissue::kDynamic;
  CHECK(refused(settings) == "soft_tissue");
  settings = TetBakeSettings();
  settings.pose_samples = 4;
  CHECK(refused(settings) == "pose_samples");
  settings = TetBakeSettings();
  settings.pose_variation_deg = 4.0;
  CHECK(refused(settings) == "pose_variation_deg");
}

TEST_SUITE_END();
