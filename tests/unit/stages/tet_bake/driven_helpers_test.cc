// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/drivers/driven_helpers.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "checks.h"
#include "core/to_size.h"
#include "stages/tet_bake/drivers/helper_motion.h"
#include "stages/tet_bake/rotating_limb.h"
#include "stages/tet_bake/surface/bones.h"

TEST_SUITE_BEGIN("tet_bake.driven_helpers");

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::tet_bake;
using namespace clipmill::test;

namespace {

constexpr std::size_t kPoses = 81;
constexpr double kMaxBend_rad = 120.0 * kDegree;
constexpr std::uint32_t kOwner = 1;

double bendIn(std::size_t pose) {
  return kMaxBend_rad * static_cast<double>(pose) / static_cast<double>(kPoses - 1);
}

// A limb whose lower bone bends. A part of its skin about the joint follows a rigid body that
// rotates back by a third of the angle, and shifts by its sine.
struct BentLimb {
  Scene scene = limbScene(kCoarseLimb);
  SkinSurface surface = surfaceOf(scene);
  BindRotations bind{scene, findBones(surface, scene.skeleton)};
  std::vector<MorphRegion> regions = findRegions(surface, scene.skeleton);
  std::vector<std::vector<int>> joints = jointsOfRegions(
      surface, scene.skeleton, regions, std::vector<char>(scene.skeleton.size(), 1));
  PointDisplacements world{surface.pointCount(), kPoses};
  RelativePoses poses;

  BentLimb() {
    for (std::size_t f = 0; f < kPoses; ++f) {
      poses.push_back(std::vector<Quat>(scene.skeleton.size(), kIdentityRotation));
      poses.back()[kOwner] = rotationAbout(Vec3(1, 0, 0), bendIn(f));
      const Affine effect = effectOf(worldsIn(f)[kOwner], bodyIn(f));
      for (std::size_t p = 0; p < surface.pointCount(); ++p) {
        world.set(p, f, transformPoint(effect, surface.positions[p]) * bodyWeight(p));
      }
    }
  }

  Vec3 jointPosition() const { return surface.bind_world_from_node[kOwner].translation; }

  std::vector<Affine> worldsIn(std::size_t pose) const {
    std::vector<Affine> worlds(scene.skeleton.size());
    const Mat3 rotation = glm::mat3_cast(poses[pose][kOwner]);
    const Vec3 joint = jointPosition();
    for (std::size_t n = kOwner; n < worlds.size(); ++n) {
      worlds[n] = {rotation, joint - rotation * joint};
    }
    return worlds;
  }

  Affine bodyIn(std::size_t pose) const {
    const Quat rotation = rotationAbout(Vec3(1, 0, 0), -bendIn(pose) / 3.0);
    const Vec3 joint = jointPosition();
    const Vec3 shift = Vec3(0.0, 0.01, 0.005) * std::sin(bendIn(pose));
    return toAffine({joint + shift - rotation * joint, rotation, Vec3(1.0)});
  }

  // Of what the lower bone has of a point, half.
  double bodyWeight(std::size_t point) const {
    for (const Influence& influence : surface.influencesOf(point)) {
      if (influence.joint == kOwner && influence.weight < 1.0) return 0.5 * influence.weight;
    }
    return 0.0;
  }

  BonesTarget target() const {
    return {surface, world, [this](std::size_t pose) { return worldsIn(pose); }};
  }

  // Every eighth pose: 12 degrees apart.
  static DriverFrames knownFrames() {
    DriverFrames frames;
    for (std::size_t f = 0; f < kPoses; f += 8) {
      frames.columns.push_back(f);
      frames.weights.push_back(1.0);
      frames.parts.push_back(static_cast<int>(f / 8 % 4));
    }
    return frames;
  }

  DrivenHelpers fit(int threads = 1) const {
    BonesFitSettings settings;
    settings.rms_m = settings.p99_m = 1e-6;
    settings.threads = threads;
    return fitDrivenHelpers(target(), regions, joints, bind, poses, knownFrames(), settings);
  }
};

double largestLeft(const BentLimb& limb, const DrivenHelpers& helpers, std::size_t pose) {
  const std::vector<Affine> worlds = limb.worldsIn(pose);
  std::vector<Vec3> plain(limb.surface.pointCount()), shown(limb.surface.pointCount());
  skinSurface(limb.surface, worlds, plain);
  skinByHelpers(limb.surface, helpers.fit, worlds, pose, shown);
  double largest = 0.0;
  for (std::size_t p = 0; p < shown.size(); ++p) {
    largest = std::max(largest, distance(shown[p], plain[p] + limb.world.at(p, pose)));
  }
  return largest;
}

double largestMove(const BentLimb& limb) {
  double largest = 0.0;
  for (std::size_t p = 0; p < limb.surface.pointCount(); ++p) {
    for (std::size_t f = 0; f < kPoses; ++f) {
      largest = std::max(largest, lengthOf(limb.world.at(p, f)));
    }
  }
  return largest;
}

TetBakeSettings drivenBones() {
  TetBakeSettings settings;
  settings.drive = TetBakeDrive::kPose;
  settings.bake_to = TetBakeOutput::kBones;
  settings.pose_samples = 16;
  return settings;
}

}  // namespace

TEST_CASE(
    "Driven helpers reproduce a rigid motion that depends on the bend, between its examples") {
  const BentLimb limb;
  const DrivenHelpers helpers = limb.fit();
  REQUIRE(helpers.drivers.size() == 1);
  REQUIRE(helpers.drivers[0].helpers.size() == helpers.fit.bones.size());
  const double moved = largestMove(limb);
  CHECK(moved > 0.01);
  double largest = 0.0;
  for (std::size_t f = 4; f < kPoses; f += 8) {
    largest = std::max(largest, largestLeft(limb, helpers, f));
  }
  INFO("largest distance " << 1e3 * largest << " of " << 1e3 * moved << " mm");
  CHECK(largest < 0.01 * moved);
  // Nothing moves in the bind pose.
  CHECK(largestLeft(limb, helpers, 0) < 1e-9);
}

TEST_CASE("The driver of a helper gives its motion in every pose") {
  const BentLimb limb;
  const DrivenHelpers helpers = limb.fit();
  REQUIRE(helpers.drivers.size() == 1);
  const PoseDriver& driver = helpers.drivers[0];
  for (std::size_t f = 0; f < kPoses; f += 5) {
    const std::vector<double> weights = weightsIn(limb.poses[f], driver);
    for (std::size_t h = 0; h < driver.helpers.size(); ++h) {
      const HelperBone& bone = helpers.fit.bones[h];
      const Affine& owner = limb.surface.bind_world_from_node[bone.owner];
      const Affine local = toAffine(helperTransform(driver.helpers[h], weights));
      const Vec3 position = transformPoint(owner, local.translation);
      CHECK(distance(position, transformPoint(bone.moved[f], bone.pivot)) < 1e-5);
      const Vec3 axis = owner.linear * (local.linear * Vec3(1, 0, 0));
      CHECK(distance(axis, bone.moved[f].linear * (owner.linear * Vec3(1, 0, 0))) < 1e-4);
    }
  }
}

TEST_CASE("Without its driver a joint keeps plain skinning") {
  const BentLimb limb;
  DrivenHelpers helpers = limb.fit();
  const int node = limb.regions[0].node;
  CHECK_FALSE(removeHelpers(limb.surface, node + 1, helpers));
  CHECK(removeHelpers(limb.surface, node, helpers));
  CHECK(helpers.drivers.empty());
  CHECK(helpers.fit.bones.empty());
  const std::size_t last = kPoses - 1;
  std::vector<Vec3> plain(limb.surface.pointCount()), shown(plain.size());
  skinSurface(limb.surface, limb.worldsIn(last), plain);
  skinByHelpers(limb.surface, helpers.fit, limb.worldsIn(last), last, shown);
  for (std::size_t p = 0; p < plain.size(); ++p) CHECK(distance(plain[p], shown[p]) < 1e-9);
}

TEST_CASE("Coordinates of motions are as long as the displacements of the skin") {
  const BentLimb limb;
  const DrivenHelpers helpers = limb.fit();
  std::vector<std::size_t> own;
  for (std::size_t b = 0; b < helpers.fit.bones.size(); ++b) own.push_back(b);
  const MotionCoordinates coordinates(limb.surface, helpers.fit.points, helpers.fit.bones, own);
  CHECK(coordinates.count() == 6 * own.size());
  std::vector<PivotMotion> motions(own.size());
  for (std::size_t b = 0; b < own.size(); ++b) {
    motions[b] = {Vec3(1e-5, -2e-5, 1e-5 * static_cast<double>(b)), Vec3(1e-4, 2e-4, -1e-4)};
  }
  std::vector<Vec3> shown(limb.surface.pointCount());
  BonesFit moved = helpers.fit;
  for (std::size_t b = 0; b < own.size(); ++b) {
    moved.bones[b].moved = {movedBy(moved.bones[b], motions[b])};
  }
  skinByHelpers(limb.surface, moved, limb.worldsIn(0), 0, shown);
  double squares = 0.0, found = 0.0;
  for (std::size_t p = 0; p < shown.size(); ++p) {
    const Vec3 move = shown[p] - limb.surface.positions[p];
    squares += glm::dot(move, move);
  }
  const std::vector<double> numbers = coordinates.of(motions);
  for (const double number : numbers) found += number * number;
  CHECK(std::abs(found / squares - 1.0) < 0.05);
  for (std::size_t b = 0; b < own.size(); ++b) {
    const PivotMotion back = coordinates.motionOf(numbers, b);
    CHECK(distance(back.translation_m, motions[b].translation_m) < 1e-12);
    CHECK(distance(back.rotation_rad, motions[b].rotation_rad) < 1e-12);
  }
}

TEST_CASE("Helper joints with drivers are as near to the solved surface as those with keys") {
  const Scene scene = limbScene(kCoarseLimb);
  const Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 90.0);
  const StageOutput output = bakedLimb(scene, motion, drivenBones());
  const StageResult& result = output.results[0];
  // As near to the solved surface as helpers with keys are, and no worse than these in volume.
  const Metric error = metricNamed(result, "skin_error_rms_mm");
  CHECK(*error.after < 0.3 * *error.before);
  TetBakeSettings keyed;
  keyed.bake_to = TetBakeOutput::kBones;
  const StageOutput by_clip = bakedLimb(scene, motion, keyed);
  CHECK(*error.after < 1.1 * metricOf(by_clip.results[0], "skin_error_rms_mm"));
  const auto last_volume = [&](const StageOutput& baked) {
    const Scene after = withAdditions(scene, baked.additions);
    return volumeAt(after, baked.results[0].motion, kFrames - 1);
  };
  CHECK(last_volume(output) > 0.99 * last_volume(by_clip));
  CHECK(output.additions.morphs.empty());
  CHECK(metricOf(result, "helper_joints") == static_cast<double>(output.additions.joints.size()));

  REQUIRE(output.additions.files.size() == 1);
  const Bytes& bytes = output.additions.files[0].bytes;
  const auto json = nlohmann::json::parse(bytes.begin(), bytes.end());
  CHECK(json["version"] == 1);
  CHECK(json["constant"].empty());
  REQUIRE(json["drivers"].size() == 1);
  const nlohmann::json& driver = json["drivers"][0];
  CHECK(driver["morphs"].empty());
  REQUIRE(driver["helpers"].size() == output.additions.joints.size());
  for (std::size_t h = 0; h < driver["helpers"].size(); ++h) {
    const nlohmann::json& helper = driver["helpers"][h];
    CHECK(helper["name"] == output.additions.joints[h].name);
    CHECK(helper["translations"].size() == driver["centers"].size());
    CHECK(helper["rotations"].size() == driver["centers"].size());
    // In the bind pose, which is the first frame, a helper is at rest.
    const Transform& first = result.motion.localsOf(0)[scene.skeleton.size() + h];
    CHECK(distance(first.translation, output.additions.joints[h].rest.translation) < 1e-5);
    CHECK(angleBetween(first.rotation, kIdentityRotation) < 1e-5);
  }
}

TEST_CASE("Without clips nothing is driven") {
  const Scene scene = limbScene(kCoarseLimb);
  for (const TetBakeOutput bake_to : {TetBakeOutput::kBones, TetBakeOutput::kMorph}) {
    TetBakeSettings settings = drivenBones();
    settings.max_tets = kMaxTestTets;
    settings.bake_to = bake_to;
    settings.deltas = TetBakeDeltas::kInt16;
    const auto output = runTetBake({scene, {}, 1}, settings);
    CHECK_OK(output);
    CHECK(output->results.empty());
    CHECK(output->additions.empty());
  }
}

TEST_CASE("Driven helpers have the same bits for any number of threads") {
  const Scene scene = limbScene(kCoarseLimb);
  const Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 60.0);
  const StageOutput expected = bakedLimb(scene, motion, drivenBones());
  const StageOutput found = bakedLimb(scene, motion, drivenBones(), 3);
  REQUIRE(expected.additions.files.size() == 1);
  REQUIRE(found.additions.files.size() == 1);
  CHECK(found.additions.files[0].bytes == expected.additions.files[0].bytes);
  const auto& keys = found.results[0].motion.locals;
  REQUIRE(keys.size() == expected.results[0].motion.locals.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    CHECK(keys[k].translation == expected.results[0].motion.locals[k].translation);
    CHECK(keys[k].rotation == expected.results[0].motion.locals[k].rotation);
  }
}

TEST_SUITE_END();
