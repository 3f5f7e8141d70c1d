// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/rest_pose.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <sstream>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "humanoid/make_character.h"
#include "io/bvh/read.h"
#include "retarget/clip_transfer.h"

TEST_SUITE_BEGIN("bvh.rest_pose");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::test;
using Role = HumanoidRole;

namespace {

constexpr double kUnit = 0.01;  // metres of a unit of the files

// The angles in degrees of q = z * x * y.
std::array<double, 3> anglesZxy(const Quat& q) {
  const Mat3 m = glm::mat3_cast(q);  // m[column][row]
  const double x = std::asin(std::min(1.0, std::max(-1.0, m[1][2])));
  return {std::atan2(-m[1][0], m[1][1]) / kDegree, x / kDegree,
          std::atan2(-m[0][2], m[2][2]) / kDegree};
}

void writeJoint(const Skeleton& skeleton, std::size_t n, std::ostream& out,
                std::vector<std::size_t>& order) {
  const Node& node = skeleton.nodes[n];
  const bool is_root = node.parent < 0;
  const Vec3 offset = is_root ? Vec3(0.0) : node.rest.translation;
  order.push_back(n);
  out << (is_root ? "ROOT " : "JOINT ") << node.name << "\n{\nOFFSET " << offset.x << " "
      << offset.y << " " << offset.z << "\nCHANNELS "
      << (is_root ? "6 Xposition Yposition Zposition" : "3") << " Zrotation Xrotation Yrotation\n";
  for (std::size_t child = n + 1; child < skeleton.size(); ++child) {
    if (skeleton.nodes[child].parent == static_cast<int>(n))
      writeJoint(skeleton, child, out, order);
  }
  out << "}\n";
}

// A motion as exporters write it that keep the axes of joints: offsets are the rest translations,
// channels the whole local rotations.
std::string bvhOf(const Character& character, const Motion& motion) {
  std::ostringstream out;
  out.precision(15);
  out << "HIERARCHY\n";
  std::vector<std::size_t> order;
  writeJoint(character.scene.skeleton, 0, out, order);
  out << "MOTION\nFrames: " << motion.grid.frame_count << "\nFrame Time: " << 1.0 / motion.grid.fps
      << "\n";
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    const auto locals = motion.localsOf(f);
    const Vec3& root = locals[0].translation;
    out << root.x << " " << root.y << " " << root.z;
    for (const std::size_t n : order) {
      for (const double angle : anglesZxy(locals[n].rotation)) out << " " << angle;
    }
    out << "\n";
  }
  return out.str();
}

Affine zUp() {
  Affine metric;
  metric.linear = Mat3(1, 0, 0, 0, 0, -1, 0, 1, 0);
  return metric;
}

// A character in centimetres.
CharacterOptions optionsOf(double roll_rad, bool is_z_up = false) {
  CharacterOptions options;
  options.roll_rad = roll_rad;
  if (is_z_up) options.metric_from_file = zUp();
  options.metric_from_file.linear *= kUnit;
  return options;
}

Scene read(const std::string& text) {
  auto imported = io::bvh::readBvh(text, "dance", {});
  CHECK_OK(imported);
  CHECK_OK(io::imported::checkImported(*imported));
  io::imported::addClips(imported->clips, imported->scene);
  return std::move(imported->scene);
}

std::vector<Affine> worldsOf(const Scene& scene, std::span<const Transform> locals) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, locals, scene.metric_from_file, worlds);
  return worlds;
}

std::vector<Affine> restWorlds(const Scene& scene) {
  return worldsOf(scene, restPose(scene.skeleton).locals);
}

int nodeNamed(const Scene& scene, const std::string& name) {
  for (std::size_t n = 0; n < scene.skeleton.size(); ++n) {
    if (scene.skeleton.nodes[n].name == name) return static_cast<int>(n);
  }
  FAIL("no node " << name);
  return -1;
}

// The largest distance, over all frames, of a joint of the clip from where the motion has it.
double errorOfClip_m(const Scene& scene, const Character& character, const Motion& motion) {
  const auto cursor = scene.clips.at(0).source->cursor();
  Pose pose = restPose(scene.skeleton);
  double error_m = 0.0;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    cursor->sample(static_cast<double>(f) / motion.grid.fps, pose.view());
    const auto found = worldsOf(scene, pose.locals);
    const auto wanted = worldsOf(character.scene, motion.localsOf(f));
    for (std::size_t n = 0; n < wanted.size(); ++n) {
      const int same = nodeNamed(scene, character.scene.skeleton.nodes[n].name);
      error_m = std::max(error_m, distance(found[toSize(same)].translation, wanted[n].translation));
    }
  }
  return error_m;
}

// The largest distance between joints of two rest poses, above the same floor.
double errorOfRest_m(const Scene& scene, const Character& expected) {
  const auto found = restWorlds(scene), wanted = restWorlds(expected.scene);
  const Vec3 up(0.0, found[0].translation.y - wanted[0].translation.y, 0.0);
  double error_m = 0.0;
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    const int same = nodeNamed(scene, expected.scene.skeleton.nodes[n].name);
    error_m =
        std::max(error_m, distance(found[toSize(same)].translation, wanted[n].translation + up));
  }
  return error_m;
}

// The limbs of a character in one pose, from joint to joint.
std::vector<Vec3> limbsOf(const HumanoidMap& map, std::span<const Affine> worlds) {
  std::vector<Vec3> limbs;
  for (const auto& [upper, lower] : {std::pair{Role::kLeftUpperArm, Role::kLeftLowerArm},
                                     {Role::kLeftLowerArm, Role::kLeftHand},
                                     {Role::kRightUpperArm, Role::kRightLowerArm},
                                     {Role::kRightLowerArm, Role::kRightHand},
                                     {Role::kLeftUpperLeg, Role::kLeftLowerLeg},
                                     {Role::kLeftLowerLeg, Role::kLeftFoot},
                                     {Role::kRightUpperLeg, Role::kRightLowerLeg},
                                     {Role::kRightLowerLeg, Role::kRightFoot}}) {
    limbs.push_back(worlds[toSize(map[lower])].translation -
                    worlds[toSize(map[upper])].translation);
  }
  return limbs;
}

}  // namespace

TEST_CASE("a rest pose of joints whose axes lie along the bones is found in the motion") {
  for (const bool is_z_up : {false, true}) {
    CAPTURE(is_z_up);
    Character character = makeCharacter(optionsOf(0.9, is_z_up));
    const Motion motion = danceOf(character);
    const Scene scene = read(bvhOf(character, motion));
    CHECK(scene.warnings.count("bvh_rest_pose") == 1);
    CHECK(scene.warnings.count("bvh_up_axis") == (is_z_up ? 1 : 0));
    const HumanoidMap map = findHumanoid(scene);
    CHECK(map.origin == HumanoidMap::Origin::kNames);
    CHECK(map.confidence == 1.0);
    // Frame 0 is the T pose.
    CHECK(errorOfRest_m(scene, character) < 1e-9);
    CHECK(errorOfClip_m(scene, character, motion) < 1e-9);
  }
}

TEST_CASE("a rest pose from the motion faces along z, above the origin, with feet on the floor") {
  for (const double heading_deg : {37.0, 90.0, -160.0}) {
    CAPTURE(heading_deg);
    CharacterOptions options = optionsOf(0.9);
    options.rotation_rad = heading_deg * kDegree;
    options.origin = Vec3(3.0, 0.0, -2.0);
    Character rotated = makeCharacter(options);
    const Motion motion = danceOf(rotated);
    const Scene scene = read(bvhOf(rotated, motion));
    CHECK(errorOfRest_m(scene, makeCharacter(optionsOf(0.9))) < 1e-9);
    CHECK(errorOfClip_m(scene, rotated, motion) < 1e-9);
    double floor_m = 1e9;
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      const auto worlds = worldsOf(rotated.scene, motion.localsOf(f));
      floor_m = std::min(floor_m, lowestFoot_m(rotated.map, worlds));
    }
    CHECK(lowestFoot_m(findHumanoid(scene), restWorlds(scene)) ==
          doctest::Approx(floor_m).epsilon(1e-9));
  }
}

TEST_CASE("limbs of a retargeted clip have the directions of joints whose axes lie along bones") {
  for (const double roll_rad : {0.0, 0.9}) {
    CAPTURE(roll_rad);
    CharacterOptions options = optionsOf(roll_rad);
    options.rotation_rad = 0.6;
    Character character = makeCharacter(options);
    const Motion motion = danceOf(character);
    const Scene scene = read(bvhOf(character, motion));
    CharacterOptions others;
    others.size = 0.7;
    others.arms_down_rad = 0.8;
    const Character target = makeCharacter(others);
    const HumanoidMap map = findHumanoid(scene);
    const auto match =
        retarget::matchNodes(scene, scene.clips[0].animated, map, target.scene, target.map);
    CHECK_OK(match);
    const Motion sampled = sampleClip(scene.skeleton, scene.clips[0], 0, motion.grid);
    const auto result = retarget::transferClip(scene, sampled, target.scene, *match, {});
    CHECK_OK(result);
    double largest_rad = 0.0;
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      const auto found = limbsOf(target.map, worldsOf(target.scene, result->motion.localsOf(f)));
      const auto wanted = limbsOf(character.map, worldsOf(character.scene, motion.localsOf(f)));
      for (std::size_t limb = 0; limb < wanted.size(); ++limb) {
        largest_rad = std::max(largest_rad, angleBetween(found[limb], wanted[limb]));
      }
    }
    CHECK(largest_rad < 0.01 * kDegree);
  }
}

TEST_CASE("without a T pose in the clip the trunk is made upright, and limbs bend forwards") {
  CharacterOptions options = optionsOf(0.9);
  options.rotation_rad = 0.6;
  Character character = makeCharacter(options);
  Motion motion = danceOf(character);
  for (std::size_t f = 0; f < 15; ++f) {  // the first frames are nearly T poses
    const std::span<const Transform> posed = motion.localsOf(15);
    std::copy(posed.begin(), posed.end(), motion.frame(f).locals.begin());
  }
  const Scene scene = read(bvhOf(character, motion));
  CHECK(scene.warnings.count("bvh_rest_pose") == 1);
  CHECK(errorOfClip_m(scene, character, motion) < 1e-9);
  const HumanoidMap map = findHumanoid(scene);
  const std::vector<Affine> worlds = restWorlds(scene);
  const auto axes = bodyAxes(map, worlds);
  REQUIRE(axes);
  CHECK(distance(axes->up, Vec3(0, 1, 0)) < 1e-9);
  CHECK(distance(axes->forward, Vec3(0, 0, 1)) < 1e-9);
  // Arms bend forwards, legs backwards: where forearm and shin go beside the upper limb.
  const std::vector<Vec3> limbs = limbsOf(map, worlds);
  for (std::size_t upper = 0; upper < limbs.size(); upper += 2) {
    CAPTURE(upper);
    const Vec3 along = limbs[upper] / lengthOf(limbs[upper]);
    const Vec3 bend = limbs[upper + 1] - along * glm::dot(along, limbs[upper + 1]);
    const double sense = upper < 4 ? 1.0 : -1.0;
    CHECK(sense * bend.z > -1e-9);
  }
}

TEST_CASE("zero rotations stay the rest pose of upright humans and of what is no human") {
  Character character = makeCharacter(optionsOf(0.0));
  const Motion motion = danceOf(character);
  const Scene scene = read(bvhOf(character, motion));
  CHECK(scene.warnings.count("bvh_rest_pose") == 0);
  for (const Node& node : scene.skeleton.nodes) CHECK(node.rest.rotation == kIdentityRotation);

  Character other = makeCharacter(optionsOf(0.9));
  const Motion moved = danceOf(other);
  for (std::size_t n = 0; n < other.scene.skeleton.size(); ++n) {
    Node& node = other.scene.skeleton.nodes[n];
    node.name = "J" + std::to_string(n);
    if (n > 0) node.rest.translation *= 1.0 + 0.3 * static_cast<double>(n % 5);  // lopsided
  }
  const Scene unknown = read(bvhOf(other, moved));
  CHECK(unknown.warnings.count("bvh_rest_pose") == 0);
  for (const Node& node : unknown.skeleton.nodes) CHECK(node.rest.rotation == kIdentityRotation);
}
