// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/collider_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "anim/pose.h"
#include "checks.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "make_samples/samples.h"
#include "stages/dynamic_bones/colliders/capsule_fit.h"
#include "stages/dynamic_bones/colliders/solid.h"

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::stages::dynamic_bones;
using clipmill::test::distance;
using samples::Accessories;

TEST_SUITE_BEGIN("dynamic_bones.collider_fit");

namespace {

int nodeNamed(const Skeleton& skeleton, const std::string& name) {
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    if (skeleton.nodes[i].name == name) return static_cast<int>(i);
  }
  FAIL("no node ", name);
  return -1;
}

// The roles of the samples' skeleton.
HumanoidMap mapOf(const Skeleton& skeleton) {
  const std::pair<HumanoidRole, const char*> names[] = {
      {HumanoidRole::kHips, "Hips"},
      {HumanoidRole::kSpine, "Spine"},
      {HumanoidRole::kChest, "Spine1"},
      {HumanoidRole::kUpperChest, "Spine2"},
      {HumanoidRole::kNeck, "Neck"},
      {HumanoidRole::kHead, "Head"},
      {HumanoidRole::kLeftUpperArm, "LeftArm"},
      {HumanoidRole::kLeftLowerArm, "LeftForeArm"},
      {HumanoidRole::kLeftHand, "LeftHand"},
      {HumanoidRole::kRightUpperArm, "RightArm"},
      {HumanoidRole::kRightLowerArm, "RightForeArm"},
      {HumanoidRole::kRightHand, "RightHand"},
      {HumanoidRole::kLeftUpperLeg, "LeftUpLeg"},
      {HumanoidRole::kLeftLowerLeg, "LeftLeg"},
      {HumanoidRole::kLeftFoot, "LeftFoot"},
      {HumanoidRole::kRightUpperLeg, "RightUpLeg"},
      {HumanoidRole::kRightLowerLeg, "RightLeg"},
      {HumanoidRole::kRightFoot, "RightFoot"},
      {HumanoidRole::kLeftToes, "LeftToeBase"},
      {HumanoidRole::kRightToes, "RightToeBase"},
  };
  HumanoidMap map;
  map.origin = HumanoidMap::Origin::kGiven;
  map.confidence = 1.0;
  for (const auto& [role, name] : names) {
    map.nodes[toSize(role)] = nodeNamed(skeleton, name);
  }
  return map;
}

Scene humanoidScene(Accessories accessories, const samples::BodyShape& shape = {}) {
  return samples::makeHumanoid(samples::makeRig(accessories), shape, accessories);
}

std::vector<bool> noneOf(const Scene& scene) {
  return std::vector<bool>(scene.skeleton.size(), false);
}

// The solid of some settings, in metric world space at rest.
Taper positioned(const Scene& scene, const ColliderSettings& settings) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds);
  const Affine& world = worlds[toSize(nodeNamed(scene.skeleton, settings.node))];
  const auto at = [&](const std::vector<double>& v) {
    return world.translation + rotationOf(world) * Vec3(v[0], v[1], v[2]);
  };
  const bool is_sphere = settings.shape == ColliderShape::kSphere;
  return Taper(at(settings.offset_m), at(is_sphere ? settings.offset_m : settings.tail_m),
               settings.radius_m, settings.tail_radius_m.value_or(settings.radius_m));
}

// Vertices of the samples, whose rest is their bind pose and whose mesh space is the world.
std::vector<Vec3> verticesOf(const Scene& scene, const std::vector<std::string>& nodes) {
  std::vector<Vec3> found;
  for (const SkinnedMesh& mesh : scene.meshes) {
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      const auto start = mesh.influences.begin() + static_cast<int>(mesh.influence_start[v]);
      const auto end = mesh.influences.begin() + static_cast<int>(mesh.influence_start[v + 1]);
      const auto strongest = std::max_element(
          start, end, [](const Influence& a, const Influence& b) { return a.weight < b.weight; });
      const int joint = scene.skins[0].joints[strongest->joint];
      const std::string& name = scene.skeleton.nodes[toSize(joint)].name;
      if (std::count(nodes.begin(), nodes.end(), name)) found.push_back(mesh.positions[v]);
    }
  }
  return found;
}

const ColliderSettings& colliderNamed(const std::vector<ColliderSettings>& all,
                                      const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ColliderSettings& c) { return c.name == name; });
  REQUIRE(found != all.end());
  return *found;
}

bool isLimb(const std::string& name) {
  for (const char* part : {"UpperArm", "LowerArm", "UpperLeg", "LowerLeg"}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

void checkSame(const std::vector<ColliderSettings>& a, const std::vector<ColliderSettings>& b,
               double tolerance_m) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].node == b[i].node);
    CHECK(a[i].name == b[i].name);
    CHECK(a[i].shape == b[i].shape);
    CHECK(std::abs(a[i].radius_m - b[i].radius_m) < tolerance_m);
    CHECK(std::abs(a[i].tail_radius_m.value_or(-1.0) - b[i].tail_radius_m.value_or(-1.0)) <
          tolerance_m);
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(std::abs(a[i].offset_m[k] - b[i].offset_m[k]) < tolerance_m);
      CHECK(std::abs(a[i].tail_m[k] - b[i].tail_m[k]) < tolerance_m);
    }
  }
}

// The same character in a file in centimetres, z up, below a root that carries the scale.
Scene inCentimetres(const Scene& scene) {
  Scene other = scene;
  const Affine file_from_metric =
      toAffine({Vec3(10, 20, 30), rotationAbout(Vec3(1, 0, 0), 90.0 * kDegree), Vec3(100.0)});
  other.metric_from_file = inverse(file_from_metric);
  Node root;
  root.name = "Armature";
  root.rest = decompose(file_from_metric);
  for (Node& node : other.skeleton.nodes) ++node.parent;
  other.skeleton.nodes.insert(other.skeleton.nodes.begin(), root);
  for (Skin& skin : other.skins) {
    for (int& joint : skin.joints) ++joint;
  }
  for (SkinnedMesh& mesh : other.meshes) ++mesh.node;
  return other;
}

}  // namespace

TEST_CASE("a capsule through points on a tapered capsule is that capsule, but for its share") {
  // Rings of points on the cone with radii 0.2 and 0.1 around a bone of length 1.
  std::vector<Vec3> points;
  for (int i = 0; i <= 40; ++i) {
    for (int k = 0; k < 24; ++k) {
      const double along = i / 40.0, angle = 2.0 * kPi * k / 24.0;
      const double radius = 0.2 - 0.1 * along;
      points.emplace_back(radius * portable::cos(angle), along, radius * portable::sin(angle));
    }
  }
  // From a bone that runs 3 cm beside the middle.
  const Taper fit = capsuleAlong(Vec3(0.03, 0, 0), Vec3(0.03, 1, 0), points);
  CHECK(distance(fit.head, Vec3(0, 0, 0)) < 1e-3);
  CHECK(distance(fit.at(1.0), Vec3(0, 1, 0)) < 1e-3);
  CHECK(std::abs(fit.head_radius_m - 0.2) < 0.02);
  CHECK(std::abs(fit.radiusAt(1.0) - 0.1) < 0.02);
  CHECK(meanDistance(fit, points) < 0.01);
}

TEST_CASE(
    "the solids of a character hold about 85 % of their vertices and stay close to the skin") {
  for (const samples::BodyShape& shape : {samples::BodyShape(), samples::fatShape()}) {
    const Scene scene = humanoidScene(Accessories::kNone, shape);
    const HumanoidMap map = mapOf(scene.skeleton);
    const auto colliders = fitColliders(scene, map, noneOf(scene));
    CHECK(colliders.size() == 18);
    for (const ColliderSettings& collider : colliders) {
      const std::vector<std::string> below =
          collider.node == "LeftFoot"    ? std::vector<std::string>{"LeftFoot", "LeftToeBase"}
          : collider.node == "RightFoot" ? std::vector<std::string>{"RightFoot", "RightToeBase"}
          : collider.node == "Spine2"
              ? std::vector<std::string>{"Spine2", "LeftShoulder", "RightShoulder"}
              : std::vector<std::string>{collider.node};
      const std::vector<Vec3> points = verticesOf(scene, below);
      REQUIRE(points.size() > 20);
      const Taper taper = positioned(scene, collider);
      std::size_t held = 0;
      std::vector<double> bulges;
      for (const Vec3& point : points) {
        const double out = nearestOnTaper(taper, point).distance_m;
        held += out <= 1e-9;
        bulges.push_back(std::max(-out, 0.0));
      }
      const double share = static_cast<double>(held) / static_cast<double>(points.size());
      CHECK(share >= 0.80);
      CHECK(share <= 0.95);
      if (isLimb(collider.name)) {
        // Limbs are round: where the skin is inside, it is by little.
        std::sort(bulges.begin(), bulges.end());
        const double radius = std::max(taper.head_radius_m, taper.radiusAt(1.0));
        CHECK(bulges[bulges.size() / 2] < 0.10 * radius);
        CHECK(bulges[bulges.size() * 85 / 100] < 0.15 * radius);
      }
    }
  }
}

TEST_CASE("units, axes and scales of the file do not change the solids") {
  const Scene scene = humanoidScene(Accessories::kNone);
  const auto colliders = fitColliders(scene, mapOf(scene.skeleton), noneOf(scene));
  const Scene other = inCentimetres(scene);
  checkSame(colliders, fitColliders(other, mapOf(other.skeleton), noneOf(other)), 1e-9);
}

TEST_CASE("the solids of a character are the same on both sides") {
  const Scene scene = humanoidScene(Accessories::kNone);
  const auto colliders = fitColliders(scene, mapOf(scene.skeleton), noneOf(scene));
  // But for vertices that two joints share evenly, which go to the first of them.
  const double tolerance_m = 6e-3;
  for (const char* name : {"UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot"}) {
    const Taper left = positioned(scene, colliderNamed(colliders, std::string("auto:left") + name));
    const Taper right =
        positioned(scene, colliderNamed(colliders, std::string("auto:right") + name));
    CHECK(std::abs(left.head_radius_m - right.head_radius_m) < tolerance_m);
    CHECK(std::abs(left.radiusAt(1.0) - right.radiusAt(1.0)) < tolerance_m);
    const Vec3 middle = left.at(0.5), other = right.at(0.5);
    CHECK(distance(middle, Vec3(-other.x, other.y, other.z)) < tolerance_m);
  }
}

TEST_CASE("simulated joints and their skin get no solids") {
  const Scene bare = humanoidScene(Accessories::kNone);
  const Scene dressed = humanoidScene(Accessories::kAll);
  std::vector<bool> swings = noneOf(dressed);
  for (std::size_t i = 0; i < swings.size(); ++i) {
    const std::string& name = dressed.skeleton.nodes[i].name;
    for (const char* prefix : {"Hair", "Skirt", "Tail", "Whip"}) {
      swings[i] = swings[i] || name.rfind(prefix, 0) == 0;
    }
  }
  const auto expected = fitColliders(bare, mapOf(bare.skeleton), noneOf(bare));
  const auto found = fitColliders(dressed, mapOf(dressed.skeleton), swings);
  const auto all = fitColliders(dressed, mapOf(dressed.skeleton), noneOf(dressed));
  // The skirt's band and the roots of the hair do move with the body.
  checkSame(expected, found, 0.02);
  CHECK(colliderNamed(all, "auto:hips").radius_m >
        colliderNamed(found, "auto:hips").radius_m + 0.02);
  CHECK(colliderNamed(all, "auto:rightHand").radius_m !=
        colliderNamed(found, "auto:rightHand").radius_m);
  // Nor is a part of the body that swings itself.
  swings = noneOf(bare);
  swings[toSize(nodeNamed(bare.skeleton, "LeftForeArm"))] = true;
  swings[toSize(nodeNamed(bare.skeleton, "LeftHand"))] = true;
  CHECK(fitColliders(bare, mapOf(bare.skeleton), swings).size() == expected.size() - 2);
}

TEST_CASE("a character without skin gets the proportions of its size") {
  Scene scene = humanoidScene(Accessories::kNone);
  const auto fitted = fitColliders(scene, mapOf(scene.skeleton), noneOf(scene));
  scene.meshes.clear();
  const auto colliders = fitColliders(scene, mapOf(scene.skeleton), noneOf(scene));
  REQUIRE(colliders.size() == fitted.size());
  for (std::size_t i = 0; i < colliders.size(); ++i) {
    CHECK(colliders[i].name == fitted[i].name);
    const Taper a = positioned(scene, colliders[i]), b = positioned(scene, fitted[i]);
    // Within 1.5 times the radius from the skin; capsules of the trunk may have swapped ends.
    CHECK(a.radiusAt(0.5) < 1.6 * b.radiusAt(0.5));
    CHECK(a.radiusAt(0.5) > b.radiusAt(0.5) / 1.6);
    CHECK(distance(a.at(0.5), b.at(0.5)) < 0.06);
  }
  // Twice the size, twice the solids.
  Scene large = scene;
  large.metric_from_file.linear = Mat3(2.0);
  const auto doubled = fitColliders(large, mapOf(large.skeleton), noneOf(large));
  for (std::size_t i = 0; i < colliders.size(); ++i) {
    CHECK(doubled[i].radius_m == doctest::Approx(2.0 * colliders[i].radius_m));
  }
}

TEST_CASE("without a humanoid map every joint with enough vertices that does not swing gets one") {
  const Scene scene = humanoidScene(Accessories::kAll);
  std::vector<bool> swings = noneOf(scene);
  for (std::size_t i = 0; i < swings.size(); ++i) {
    swings[i] = scene.skeleton.nodes[i].name.rfind("Skirt", 0) == 0;
  }
  const auto colliders = fitColliders(scene, HumanoidMap(), swings);
  CHECK(colliders.size() > 18);
  bool has_tail = false;
  for (const ColliderSettings& collider : colliders) {
    CHECK(collider.node.rfind("Skirt", 0) != 0);
    CHECK(collider.name == "auto:" + collider.node);
    CHECK(collider.radius_m >= 0.0);
    has_tail = has_tail || collider.node == "Tail2";
  }
  CHECK(has_tail);
  CHECK(fitColliders(Scene(), HumanoidMap(), {}).empty());
}

TEST_CASE("nodes whose names repeat are named by their paths") {
  Scene scene = humanoidScene(Accessories::kNone);
  const HumanoidMap map = mapOf(scene.skeleton);
  const int left = map[HumanoidRole::kLeftHand];
  scene.skeleton.nodes[toSize(left)].name = "Hand";
  scene.skeleton.nodes[toSize(map[HumanoidRole::kRightHand])].name = "Hand";
  const auto colliders = fitColliders(scene, map, noneOf(scene));
  const std::string& node = colliderNamed(colliders, "auto:leftHand").node;
  CHECK(findNodes(scene.skeleton, node) == std::vector<int>{left});
}

TEST_SUITE_END();
