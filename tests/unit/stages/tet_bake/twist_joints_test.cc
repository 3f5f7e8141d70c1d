// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/joints/twist_joints.h"

#include "checks.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "stages/tet_bake/rotating_limb.h"

TEST_SUITE_BEGIN("tet_bake.twist_joints");

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::test;
using namespace clipmill::stages::tet_bake;

namespace {

const Vec3 kAlong(0, 0, 1), kAcross(1, 0, 0);
constexpr std::size_t kLast = kFrames - 1;

struct Twist {
  std::vector<TwistedJoint> twisted;
  TwistJoints joints;
  Warnings warnings;
};

Twist twistOf(const Scene& scene, const std::vector<Motion>& motions) {
  Twist twist;
  const SkinSurface surface = surfaceOf(scene);
  twist.twisted = findTwistedJoints(scene, surface, findBones(surface, scene.skeleton), motions,
                                    twist.warnings);
  twist.joints = makeTwistJoints(surface, twist.twisted, {});
  return twist;
}

// The surface with twist joints alone.
std::vector<Vec3> twistedPositions(const Scene& scene, const Motion& motion, const Twist& twist,
                                   std::size_t frame) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, motion.localsOf(frame), scene.metric_from_file, worlds);
  const SkinSurface surface = surfaceOf(scene);
  std::vector<Vec3> positions(surface.pointCount());
  skinByHelpers(surface, twist.joints.fit, worldsFromBind(surface.bind_world_from_node, worlds),
                frame, positions);
  return positions;
}

// The lower bone rotated by so much in every frame.
Motion rotated(const Scene& scene, const std::vector<Quat>& rotations) {
  Motion motion = rotatingLimb(scene, kAlong, 0.0);
  REQUIRE(rotations.size() == motion.grid.frame_count);
  for (std::size_t f = 0; f < rotations.size(); ++f)
    motion.frame(f).locals[1].rotation = rotations[f];
  return motion;
}

// Share of the section that is left where a part m follows what has rotated by `step` more.
double sectionLeft(double m, double step_rad) {
  return 1.0 - 2.0 * m * (1.0 - m) * (1.0 - portable::sinCos(step_rad).cosine);
}

// What of a share of the joint follows the upper of the two twist joints about it: near the ends of
// the range only one bone is split, and the other follows its first twist joint as a whole.
double upperPart(double share, double steps) {
  const double position = share * (steps + 1.0);
  const double level = std::min(std::floor(position), steps), upper = position - level;
  if (level == 0.0) return (1.0 - share) * upper + share;
  if (level == steps) return share * upper;
  return upper;
}

double farthestBetween(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, glm::length(a[i] - b[i]));
  return most;
}

}  // namespace

TEST_CASE("n twist joints leave the cosine of a rotation over 2 (n + 1) of the radius") {
  const LimbOptions options;
  const Scene scene = limbScene(options);
  for (const auto& [rotation_deg, steps] :
       {std::pair{150.0, 1.0}, {180.0, 1.0}, {-180.0, 1.0}, {185.0, 2.0}, {265.0, 2.0}}) {
    const Motion motion = rotatingLimb(scene, kAlong, rotation_deg);
    const Twist twist = twistOf(scene, {motion});
    REQUIRE(twist.twisted.size() == 1);
    CHECK(twist.twisted[0].steps == toSize(steps));
    CHECK(twist.joints.fit.bones.size() == 2 * twist.twisted[0].steps);
    CHECK(twist.twisted[0].rotations_rad.back() == doctest::Approx(rotation_deg * kDegree));
    const double step_rad = std::abs(rotation_deg) * kDegree / (steps + 1.0);
    double least = 1.0;
    const SkinSurface surface = surfaceOf(scene);
    const auto positions = twistedPositions(scene, motion, twist, kLast);
    for (std::size_t p = 0; p < positions.size(); ++p) {
      const Vec3& rest = surface.positions[p];
      const double radius = std::sqrt(rest.x * rest.x + rest.y * rest.y);
      if (radius < 0.99 * options.radius) continue;
      // Nothing but its radius changes, for the limb rotates about its own axis.
      const double m = upperPart(lowerWeight(rest.z, options.radius), steps);
      // The limb as a whole lies about an axis that has rotated as well.
      const Quat whole = motion.localsOf(kLast)[0].rotation;
      const Vec3 head(0, 0, -options.half_length);
      const Vec3 position = glm::conjugate(whole) * (positions[p] - head) + head;
      const double left = std::sqrt(position.x * position.x + position.y * position.y) / radius;
      CHECK(left * left == doctest::Approx(sectionLeft(m, step_rad)));
      least = std::min(least, left);
    }
    const double half_step = portable::sinCos(0.5 * step_rad).cosine;
    CHECK(least >= half_step - 1e-9);
    CHECK(least <= half_step + 0.01);
  }
}

TEST_CASE(
    "A twist of 180 degrees costs what its closed form gives, and less than without a joint") {
  const LimbOptions options;
  const Scene scene = limbScene(options);
  const Motion motion = rotatingLimb(scene, kAlong, 180.0);
  const Twist twist = twistOf(scene, {motion});
  double with = 0.0, without = 0.0;  // shares of the volume that are missing
  constexpr int kParts = 20000;
  for (int i = 0; i < kParts; ++i) {
    const double z = options.half_length * (2.0 * (i + 0.5) / kParts - 1.0);
    const double share = lowerWeight(z, options.radius);
    with += (1.0 - sectionLeft(upperPart(share, 1.0), 0.5 * kPi)) / kParts;
    without += (1.0 - sectionLeft(share, kPi)) / kParts;
  }
  const SkinnedMesh& mesh = scene.meshes[0];
  const double rest = volumeOf(mesh, mesh.positions);
  const double plain = volumeAt(scene, motion, kLast) / rest;
  const double joints = volumeOf(mesh, twistedPositions(scene, motion, twist, kLast)) / rest;
  CHECK(1.0 - plain == nearTo(without, 0.02));
  CHECK(1.0 - joints == nearTo(with, 0.02));
  CHECK(without == nearTo(0.1286, 1e-3));
  CHECK(with < 0.55 * without);
}

TEST_CASE("A swing asks for no twist joints, and leaves those of another clip alone") {
  const Scene scene = limbScene();
  const Motion bend = rotatingLimb(scene, kAcross, 150.0);
  const Twist none = twistOf(scene, {bend});
  CHECK(none.twisted.empty());
  CHECK(none.joints.empty());
  const Twist both = twistOf(scene, {rotatingLimb(scene, kAlong, 170.0), bend});
  REQUIRE(both.twisted.size() == 1);
  for (const HelperBone& bone : both.joints.fit.bones) {
    for (std::size_t f = kFrames; f < 2 * kFrames; ++f) {
      CHECK(bone.moved[f].linear == Mat3(1.0));
      CHECK(bone.moved[f].translation == Vec3(0.0));
    }
  }
}

TEST_CASE("A rotation of 110 degrees needs no twist joints") {
  const Scene scene = limbScene();
  CHECK(twistOf(scene, {rotatingLimb(scene, kAlong, 110.0)}).joints.empty());
}

TEST_CASE("Bones keep the weight that they had, four influences hold it, and the bind pose stays") {
  Scene scene = limbScene();
  const Twist twist = twistOf(scene, {rotatingLimb(scene, kAlong, 265.0)});
  const SkinSurface surface = surfaceOf(scene);
  const std::size_t nodes = scene.skeleton.size();
  std::size_t moved = 0;
  for (std::size_t p = 0; p < surface.pointCount(); ++p) {
    std::vector<double> own(nodes, 0.0);
    const auto influences = twist.joints.fit.influencesOf(p);
    CHECK(influences.size() <= kMaxInfluences);
    for (const Influence& influence : influences) {
      CHECK(influence.weight > 0.0);
      const bool is_helper = influence.joint >= nodes;
      moved += is_helper ? 1 : 0;
      own[is_helper ? twist.joints.fit.bones[influence.joint - nodes].owner : influence.joint] +=
          influence.weight;
    }
    for (const std::uint32_t node : {0u, 1u}) {
      CHECK(std::abs(own[node] - weightOf(surface.influencesOf(p), node)) < 1e-8);
    }
    // What one bone alone moves is unchanged.
    if (surface.influencesOf(p).size() == 1) CHECK(influences.size() == 1);
  }
  CHECK(moved > 0);
  const Motion rest = rotatingLimb(scene, kAlong, 0.0);
  CHECK(farthestBetween(twistedPositions(scene, rest, twist, 0), surface.positions) < 1e-12);
}

TEST_CASE("Where a point has all its influences in use the nearer twist joint has all weight") {
  std::vector<TwistedJoint> twisted = {{0, 1, kAlong, 1, {}}};
  const std::vector<Influence> own = {{0, 0.3}, {1, 0.3}, {2, 0.2}, {3, 0.2}};
  const auto split = twistedInfluences(own, twisted, 10, kMaxInfluences);
  REQUIRE(split.size() == 4);
  CHECK(weightOf(split, 2) == 0.2);
  CHECK(weightOf(split, 3) == 0.2);
  CHECK(weightOf(split, 10) == doctest::Approx(0.3));
  CHECK(weightOf(split, 11) == doctest::Approx(0.3));
  // With free influences a share of 0.25 lies halfway between the bone above and the first joint.
  const auto free = twistedInfluences(std::vector<Influence>{{0, 0.75}, {1, 0.25}}, twisted, 10, 4);
  CHECK(weightOf(free, 0) == doctest::Approx(0.375));
  CHECK(weightOf(free, 10) == doctest::Approx(0.375));
  CHECK(weightOf(free, 11) == doctest::Approx(0.25));
  // Points that do not blend the two are left alone.
  CHECK(twistedInfluences(std::vector<Influence>{{1, 0.5}, {2, 0.5}}, twisted, 10, 4).size() == 2);
}

TEST_CASE("Rotations continue beyond 180 degrees, and those that wind the skin up are refused") {
  const Scene scene = limbScene();
  const Twist through = twistOf(scene, {rotatingLimb(scene, kAlong, 250.0)});
  REQUIRE(through.twisted.size() == 1);
  for (std::size_t f = 0; f < kFrames; ++f) {
    const double wanted = 250.0 * kDegree * static_cast<double>(f) / kLast;
    CHECK(through.twisted[0].rotations_rad[f] == doctest::Approx(wanted));
  }
  const Twist round = twistOf(scene, {rotatingLimb(scene, kAlong, 400.0)});
  CHECK(round.joints.empty());
  CHECK(round.warnings.count("twist_limit_exceeded") == 1);
}

TEST_CASE("A rotation that a swing leaves undefined is not used") {
  const Scene scene = limbScene();
  std::vector<Quat> rotations;
  for (const double swing_deg : {0., 30., 60., 90., 110., 130., 150., 165., 175., 180.}) {
    rotations.push_back(rotationAbout(kAcross, swing_deg * kDegree) *
                        rotationAbout(kAlong, 150.0 * kDegree));
  }
  const Twist twist = twistOf(scene, {rotated(scene, rotations)});
  REQUIRE(twist.twisted.size() == 1);
  const std::vector<double>& rad = twist.twisted[0].rotations_rad;
  for (std::size_t f = 0; f < 5; ++f) CHECK(rad[f] == doctest::Approx(150.0 * kDegree));
  for (std::size_t f = 5; f < 7; ++f) CHECK(rad[f] < rad[f - 1]);
  for (std::size_t f = 7; f < 10; ++f) CHECK(rad[f] == 0.0);
}

TEST_CASE("A limb twisted by 180 degrees keeps its volume with twist joints, but not without") {
  const Scene scene = limbScene();
  const Motion motion = rotatingLimb(scene, kAlong, 180.0);
  const double rest = volumeOf(scene.meshes[0], scene.meshes[0].positions);
  TetBakeSettings off;
  off.twist_joints = TetBakeTwistJoints::kOff;
  const StageOutput before = bakedLimb(scene, motion, off), after = bakedLimb(scene, motion);
  CHECK(before.additions.joints.empty());
  CHECK(before.results[0].warnings.count("displacement_clamped") > 0);
  REQUIRE(after.additions.joints.size() == 2);
  CHECK(after.additions.joints[0].name == "twist_lower_1");
  CHECK(after.additions.joints[0].parent == 0);
  CHECK(after.additions.joints[1].parent == 1);
  CHECK(after.results[0].warnings.count("displacement_clamped") == 0);
  CHECK(metricOf(after.results[0], "twist_joints") == 2.0);
  CHECK_OK(checkAdditions(scene, after.additions));
  CHECK(metricOf(after.results[0], "skin_error_max_mm") <
        0.25 * metricOf(before.results[0], "skin_error_max_mm"));
  const Scene wide = withAdditions(scene, after.additions);
  const double volume = volumeAt(wide, after.results[0].motion, kLast) / rest;
  CHECK(std::abs(volume - 1.0) <= 0.02);
  CHECK(volumeAt(scene, motion, kLast) / rest < 0.88);
}

TEST_CASE("A clip that was not baked with twist joints looks as before") {
  const Scene scene = limbScene();
  const StageOutput output = bakedLimb(scene, rotatingLimb(scene, kAlong, 180.0));
  REQUIRE_FALSE(output.additions.joints.empty());
  const Scene after = withAdditions(scene, output.additions);
  const Motion other = rotatingLimb(scene, Vec3(0.6, 0.0, 0.8), 140.0);
  const Motion wide = withAdditions(scene.skeleton, after.skeleton, other);
  for (std::size_t f = 0; f < kFrames; ++f) {
    CHECK(farthestBetween(shownAt(scene, other, f), shownAt(after, wide, f)) <= 1e-9);
  }
}

TEST_CASE(
    "A mesh with more than four influences at a vertex keeps its weights, and the report states "
    "it") {
  Scene scene = limbScene();
  const auto nodes = static_cast<int>(scene.skeleton.size());
  for (int j = 0; j < 3; ++j) {
    Node node = scene.skeleton.nodes[1];
    node.name = "copy_" + std::to_string(j);
    node.source_id = nodes + j;
    scene.skeleton.nodes.push_back(node);
    scene.skins[0].joints.push_back(nodes + j);
    scene.skins[0].joint_from_bind.push_back(scene.skins[0].joint_from_bind[1]);
  }
  // One vertex follows all five; the others are as they were.
  SkinnedMesh& mesh = scene.meshes[0];
  mesh.influences.insert(mesh.influences.begin() + 2, {{2, 0.1}, {3, 0.1}, {4, 0.1}});
  mesh.influences[1].weight = 0.1;
  mesh.influences[0].weight = 0.6;
  for (std::size_t v = 1; v < mesh.influence_start.size(); ++v) mesh.influence_start[v] += 3;
  const StageOutput output = bakedLimb(scene, rotatingLimb(scene, kAlong, 180.0));
  CHECK(output.additions.joints.empty());
  CHECK(output.results[0].warnings.count("weights_kept") > 0);
  CHECK_OK(checkAdditions(scene, output.additions));
}

TEST_CASE("A mirrored limb, in centimetres and with other axes, twists as one in metres") {
  LimbOptions options;
  options.radius *= 100.0;
  options.half_length *= 100.0;
  Scene scene = limbScene(options);
  scene.metric_from_file.linear =
      glm::mat3_cast(rotationAbout(Vec3(1, 0, 0), -90.0 * kDegree)) * 0.01;
  scene.skeleton.nodes[0].rest.scale = Vec3(-1, 1, 1);
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, {}, worlds);
  for (std::size_t j = 0; j < 2; ++j) scene.skins[0].joint_from_bind[j] = inverse(worlds[j]);
  const Motion motion = rotatingLimb(scene, kAlong, 180.0);
  const StageOutput output = bakedLimb(scene, motion);
  REQUIRE(output.additions.joints.size() == 2);
  const Scene after = withAdditions(scene, output.additions);
  const double rest = volumeOf(scene.meshes[0], scene.meshes[0].positions);
  const double volume = volumeAt(after, output.results[0].motion, kLast) / rest;
  CHECK(std::abs(volume - 1.0) <= 0.02);
  const Scene metres = limbScene();
  const StageOutput straight = bakedLimb(metres, rotatingLimb(metres, kAlong, 180.0));
  CHECK(metricOf(output.results[0], "skin_error_rms_mm") <=
        1.5 * metricOf(straight.results[0], "skin_error_rms_mm"));
}
