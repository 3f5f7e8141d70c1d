// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/vrm.h"

#include "checks.h"
#include "core/to_size.h"
#include "io/gltf/read.h"
#include "io/gltf/tiny_gltf.h"

TEST_SUITE_BEGIN("gltf.vrm");

namespace {

using namespace clipmill;
using namespace clipmill::test;

// Hips(0) > Head(1) > Hair(2) > Hair2(3) > Hair3(4), Ear(5) below Hair; each 1 up from its parent.
// The file lists them backwards, so that ids and indices of the skeleton differ: id = 5 - index but
// for Ear, which is id 6 and index 5.
constexpr const char* kNodes =
    R"([{"name":"Lone"},{"name":"Hair3","translation":[0,1,0]},)"
    R"({"name":"Hair2","translation":[0,1,0],"children":[1]},)"
    R"({"name":"Hair","translation":[0,1,0],"children":[2,6]},)"
    R"({"name":"Head","translation":[0,1,0],"children":[3]},)"
    R"({"name":"Hips","children":[4]},{"name":"Ear","translation":[1,0,0]}])";
constexpr int kLone = 0, kHair3 = 1, kHair2 = 2, kHair = 3, kHead = 4, kHips = 5, kEar = 6;

Scene readExtensions(const std::string& extensions) {
  const auto scene = io::gltf::readScene(
      *documentOf(textBytes(R"({"asset":{"version":"2.0"},"nodes":)" + std::string(kNodes) +
                            R"(,"extensions":{)" + extensions + "}}")),
      false, {});
  CHECK_OK(scene);
  return *scene;
}

int sourceOf(const Scene& scene, int node) {
  return scene.skeleton.nodes.at(toSize(node)).source_id;
}

std::vector<int> jointsOf(const Scene& scene, std::size_t chain) {
  std::vector<int> sources;
  for (const SpringJoint& joint : scene.springs.chains.at(chain).joints) {
    sources.push_back(sourceOf(scene, joint.node));
  }
  return sources;
}

Scene readVrm1(const std::string& members) {
  return readExtensions(R"("VRMC_springBone":{"specVersion":"1.0",)" + members + "}");
}

Scene readVrm0(const std::string& members) {
  return readExtensions(R"("VRM":{"secondaryAnimation":{)" + members + "}}");
}

// The warning for the only spring of VRM 1.0, which is ignored.
std::string refusedSpring(const std::string& spring) {
  const Scene scene = readVrm1(R"("springs":[)" + spring + "]");
  CHECK(scene.springs.chains.empty());
  CHECK(scene.skeleton.size() == 7);
  REQUIRE(scene.warnings.all().size() == 1);
  CHECK(scene.warnings.all()[0].code == "spring_left_out");
  return scene.warnings.all()[0].first;
}

SpringCollider colliderOf(const std::string& collider) {
  const Scene scene = readVrm1(R"("colliders":[)" + collider + "]");
  CHECK(scene.warnings.empty());
  return scene.springs.colliders.at(0);
}

AngleLimit limitOf(const std::string& limit, const char* warning = nullptr) {
  const Scene scene =
      readVrm1(R"("springs":[{"joints":[{"node":3,"extensions":{"VRMC_springBone_limit":)"
               R"({"specVersion":"1.0-draft","limit":)" +
               limit + R"(}}},{"node":2}]}])");
  CHECK(scene.warnings.all().size() == (warning ? 1 : 0));
  if (warning) CHECK(scene.warnings.count(warning) == 1);
  return scene.springs.chains.at(0).joints.at(0).limit;
}

}  // namespace

TEST_CASE("A spring of VRM 1.0 is read with its joints, groups and centre") {
  const Scene scene = readVrm1(
      R"("colliders":[{"node":4,"shape":{"sphere":{"offset":[1,2,3],"radius":0.25}}},)"
      R"({"node":5,"shape":{"capsule":{"offset":[0,1,0],"tail":[0,2,0],"radius":0.5}}}],)"
      R"("colliderGroups":[{"name":"Body","colliders":[1,0]},{"colliders":[0]}],)"
      R"("springs":[{"name":"Hair","center":5,"colliderGroups":[1,0,1],"joints":[)"
      R"({"node":3,"stiffness":2,"gravityPower":0.5,"gravityDir":[1,0,0],"dragForce":0.25,)"
      R"("hitRadius":0.125},{"node":2},{"node":1}]}])");
  CHECK(scene.warnings.empty());
  const SpringSetup& springs = scene.springs;
  CHECK(springs.kind == SpringSetup::Kind::kVrm1);
  REQUIRE(springs.colliders.size() == 2);
  CHECK(sourceOf(scene, springs.colliders[0].node) == kHead);
  CHECK(springs.colliders[0].kind == SpringCollider::Kind::kSphere);
  CHECK(springs.colliders[0].offset == Vec3(1, 2, 3));
  CHECK(springs.colliders[0].radius == 0.25);
  CHECK(springs.colliders[1].kind == SpringCollider::Kind::kCapsule);
  CHECK(springs.colliders[1].tail == Vec3(0, 2, 0));
  REQUIRE(springs.groups.size() == 2);
  CHECK(springs.groups[0].name == "Body");
  CHECK(springs.groups[0].colliders == std::vector<int>{1, 0});
  REQUIRE(springs.chains.size() == 1);
  const SpringChain& chain = springs.chains[0];
  CHECK(chain.name == "Hair");
  CHECK(jointsOf(scene, 0) == std::vector<int>{kHair, kHair2, kHair3});
  CHECK(chain.collider_groups == std::vector<int>{0, 1});
  CHECK(sourceOf(scene, chain.center) == kHips);
  CHECK(chain.tail_length_m == 0.0);
  CHECK(chain.joints[0].stiffness == 2.0);
  CHECK(chain.joints[0].gravity_power == 0.5);
  CHECK(chain.joints[0].gravity_dir == Vec3(1, 0, 0));
  CHECK(chain.joints[0].drag == 0.25);
  CHECK(chain.joints[0].hit_radius == 0.125);
}

TEST_CASE("Missing properties of a VRM 1.0 joint have the defaults of the schema") {
  const Scene scene = readVrm1(R"("springs":[{"joints":[{"node":3},{"node":2}]}])");
  const SpringJoint joint = scene.springs.chains.at(0).joints.at(0);
  CHECK(joint.stiffness == 1.0);
  CHECK(joint.gravity_power == 0.0);
  CHECK(joint.gravity_dir == Vec3(0, -1, 0));
  CHECK(joint.drag == 0.5);
  CHECK(joint.hit_radius == 0.0);
  CHECK(joint.limit.kind == AngleLimit::Kind::kNone);
  CHECK(scene.springs.chains[0].center == -1);
}

TEST_CASE("Joints may skip nodes") {
  const Scene scene = readVrm1(R"("springs":[{"joints":[{"node":4},{"node":2}]}])");
  CHECK(jointsOf(scene, 0) == std::vector<int>{kHead, kHair2});
  CHECK(scene.warnings.empty());
}

TEST_CASE("An invalid spring is ignored, and the file loads") {
  CHECK(refusedSpring(R"({"joints":[{"node":3},{"node":7}]})").find("springs[0].joints[1]") !=
        std::string::npos);
  refusedSpring(R"({"joints":[{"node":-1},{"node":2}]})");
  refusedSpring(R"({"joints":[{"node":3},{}]})");
  refusedSpring(R"({"joints":[{"node":3},7]})");
  refusedSpring(R"({"joints":[{"node":3,"stiffness":"much"},{"node":2}]})");
  refusedSpring(R"({"joints":[{"node":3,"gravityDir":[0,1]},{"node":2}]})");
  refusedSpring(R"({"joints":[{"node":3}]})");
  refusedSpring(R"({"joints":[]})");
  refusedSpring(R"({"joints":{}})");
  refusedSpring("[]");
  refusedSpring(R"({"joints":[{"node":3},{"node":2}],"center":7})");
  refusedSpring(R"({"joints":[{"node":3},{"node":2}],"colliderGroups":[0]})");
  refusedSpring(R"({"joints":[{"node":3,"extensions":[]},{"node":2}]})");
}

TEST_CASE("Joints that do not go down the hierarchy make no spring") {
  CHECK(refusedSpring(R"({"joints":[{"node":2},{"node":3}]})").find("not below") !=
        std::string::npos);
  CHECK(refusedSpring(R"({"joints":[{"node":2},{"node":6}]})").find("not below") !=
        std::string::npos);
  CHECK(refusedSpring(R"({"joints":[{"node":2},{"node":2}]})").find("not below") !=
        std::string::npos);
}

TEST_CASE("Of two springs with the same joint the first is used") {
  const Scene scene = readVrm1(R"("springs":[{"name":"A","joints":[{"node":3},{"node":2}]},)"
                               R"({"name":"B","joints":[{"node":4},{"node":3}]},)"
                               R"({"name":"C","joints":[{"node":2},{"node":1}]}])");
  REQUIRE(scene.springs.chains.size() == 1);
  CHECK(scene.springs.chains[0].name == "A");
  CHECK(scene.warnings.count("spring_left_out") == 2);
}

TEST_CASE("Values out of range are clamped, and counted") {
  const Scene scene =
      readVrm1(R"("springs":[{"joints":[{"node":3,"dragForce":1.5,"stiffness":-1,"hitRadius":-2},)"
               R"({"node":2}]}])");
  const SpringJoint joint = scene.springs.chains.at(0).joints.at(0);
  CHECK(joint.drag == 1.0);
  CHECK(joint.stiffness == 0.0);
  CHECK(joint.hit_radius == 0.0);
  CHECK(scene.warnings.count("spring_value_out_of_bounds") == 3);
}

TEST_CASE("An extended collider replaces its fallback, including known misspellings") {
  const std::string fallback =
      R"("shape":{"sphere":{"offset":[0,-1000,0],"radius":0}},"extensions":)"
      R"({"VRMC_springBone_extended_collider":{"specVersion":"1.0-draft","shape":)";
  const auto extended = [&](const std::string& shape) {
    return colliderOf(R"({"node":4,)" + fallback + shape + "}}}");
  };
  const SpringCollider sphere =
      extended(R"({"sphere":{"offset":[1,0,0],"radius":2,"inside":true}})");
  CHECK(sphere.kind == SpringCollider::Kind::kSphere);
  CHECK(sphere.inside);
  CHECK(sphere.offset == Vec3(1, 0, 0));
  CHECK(sphere.radius == 2.0);
  const SpringCollider capsule = extended(R"({"capsule":{"tail":[1,0,0],"radius":2}})");
  CHECK(capsule.kind == SpringCollider::Kind::kCapsule);
  CHECK_FALSE(capsule.inside);
  CHECK(capsule.offset == Vec3(0.0));
  for (const char* key : {"plane", "palne"}) {
    const SpringCollider plane =
        extended(R"({")" + std::string(key) + R"(":{"offset":[0,1,0],"normal":[0,3,4]}})");
    CHECK(plane.kind == SpringCollider::Kind::kPlane);
    CHECK(plane.offset == Vec3(0, 1, 0));
    CHECK(distance(plane.normal, Vec3(0, 0.6, 0.8)) < 1e-15);
  }
  CHECK(extended(R"({"plane":{}})").normal == Vec3(0, 0, 1));
  CHECK(extended(R"({"torus":{}})").offset == Vec3(0, -1000, 0));
}

TEST_CASE("An invalid collider is removed from its groups, and the indices of the others stay") {
  const Scene scene = readVrm1(
      R"("colliders":[{"node":9,"shape":{"sphere":{}}},{"node":4},)"
      R"({"node":4,"shape":{"sphere":{"radius":-1}}},)"
      R"({"node":4,"extensions":{"VRMC_springBone_extended_collider":)"
      R"({"shape":{"plane":{"normal":[0,0,0]}}}}},{"node":4,"shape":{"sphere":{"radius":1}}}],)"
      R"("colliderGroups":[{"colliders":[0,4,1]},{"colliders":[5]},{"colliders":[4]}],)"
      R"("springs":[{"joints":[{"node":3},{"node":2}],"colliderGroups":[0,1,2]}])");
  CHECK(scene.springs.colliders.size() == 1);
  CHECK(scene.warnings.count("collider_left_out") == 4);
  CHECK(scene.warnings.count("collider_group_left_out") == 1);
  REQUIRE(scene.springs.groups.size() == 3);
  CHECK(scene.springs.groups[0].colliders == std::vector<int>{0});
  CHECK(scene.springs.groups[1].colliders.empty());
  CHECK(scene.springs.chains.at(0).collider_groups == std::vector<int>{0, 1, 2});
}

TEST_CASE("The draft extension of angle limits is read, with clamped angles") {
  const AngleLimit cone = limitOf(R"({"cone":{"angle":0.5,"rotation":[0,0,1,1]}})");
  CHECK(cone.kind == AngleLimit::Kind::kCone);
  CHECK(cone.angle_rad == 0.5);
  CHECK(distance(cone.rotation, rotationAbout(Vec3(0, 0, 1), kPi / 2)) < 1e-12);
  const AngleLimit hinge = limitOf(R"({"hinge":{"angle":9}})", "spring_value_out_of_bounds");
  CHECK(hinge.kind == AngleLimit::Kind::kHinge);
  CHECK(hinge.angle_rad == kPi);
  const AngleLimit spherical =
      limitOf(R"({"spherical":{"pitch":1,"yaw":2}})", "spring_value_out_of_bounds");
  CHECK(spherical.kind == AngleLimit::Kind::kSpherical);
  CHECK(spherical.angle_rad == 1.0);
  CHECK(spherical.yaw_rad == kPi / 2);
  CHECK(limitOf(R"({})").kind == AngleLimit::Kind::kNone);
}

TEST_CASE("VRM 0.x: roots include all nodes below them, every node is a joint once") {
  const Scene scene =
      readVrm0(R"("boneGroups":[{"comment":"hair","stiffiness":2.5,"gravityPower":0.5,)"
               R"("gravityDir":{"x":1,"y":2,"z":3},"dragForce":0.25,"center":-1,"hitRadius":0.125,)"
               R"("bones":[3],"colliderGroups":[]}])");
  CHECK(scene.warnings.empty());
  CHECK(scene.springs.kind == SpringSetup::Kind::kVrm0);
  REQUIRE(scene.springs.chains.size() == 2);
  CHECK(jointsOf(scene, 0) == std::vector<int>{kHair, kHair2, kHair3});
  CHECK(jointsOf(scene, 1) == std::vector<int>{kEar});
  for (const SpringChain& chain : scene.springs.chains) {
    CHECK(chain.name == "hair");
    CHECK(chain.tail_length_m == 0.07);
    CHECK(chain.center == -1);
    for (const SpringJoint& joint : chain.joints) {
      CHECK(joint.stiffness == 2.5);
      CHECK(joint.gravity_power == 0.5);
      CHECK(joint.gravity_dir == Vec3(1, 2, 3));
      CHECK(joint.drag == 0.25);
      CHECK(joint.hit_radius == 0.125);
    }
  }
}

TEST_CASE("VRM 0.x: offsets of colliders are left-handed") {
  const Scene scene = readVrm0(
      R"("colliderGroups":[{"node":4,"colliders":[{"offset":{"x":1,"y":2,"z":3},"radius":0.5},)"
      R"({"radius":0.25}]}],"boneGroups":[{"bones":[2],"center":4,"colliderGroups":[0]}])");
  REQUIRE(scene.springs.colliders.size() == 2);
  CHECK(scene.springs.colliders[0].offset == Vec3(1, 2, -3));
  CHECK(scene.springs.colliders[1].offset == Vec3(0.0));
  CHECK(sourceOf(scene, scene.springs.colliders[1].node) == kHead);
  CHECK(scene.springs.groups.at(0).colliders == std::vector<int>{0, 1});
  CHECK(sourceOf(scene, scene.springs.chains.at(0).center) == kHead);
}

TEST_CASE("VRM 0.x: a node below several roots is in one spring") {
  const Scene scene = readVrm0(R"("boneGroups":[{"bones":[2,2]},{"bones":[3,0]},{"bones":[1]}])");
  REQUIRE(scene.springs.chains.size() == 4);
  CHECK(jointsOf(scene, 0) == std::vector<int>{kHair2, kHair3});
  CHECK(jointsOf(scene, 1) == std::vector<int>{kHair});
  CHECK(jointsOf(scene, 2) == std::vector<int>{kEar});
  CHECK(jointsOf(scene, 3) == std::vector<int>{kLone});
  CHECK(scene.warnings.count("spring_left_out") == 3);
}

TEST_CASE("VRM 0.x: invalid groups are ignored, and the file loads") {
  for (const char* group :
       {R"({"bones":[7]})", R"({"bones":[3],"colliderGroups":[0]})", R"({"bones":3})", "7",
        R"({"bones":[3],"center":7})", R"({"bones":[3],"gravityDir":[0,1,0]})",
        R"({"bones":[3],"stiffiness":"much"})", R"({"bones":[3],"gravityDir":{"x":"a"}})"}) {
    CAPTURE(group);
    const Scene scene = readVrm0(R"("boneGroups":[)" + std::string(group) + "]");
    CHECK(scene.springs.chains.empty());
    CHECK(scene.warnings.count("spring_left_out") == 1);
  }
  const Scene scene = readVrm0(R"("colliderGroups":[{"colliders":[]},{"node":4,"colliders":[7]}])");
  CHECK(scene.springs.groups.size() == 2);
  CHECK(scene.warnings.count("collider_group_left_out") == 1);
  CHECK(scene.warnings.count("collider_left_out") == 1);
}

TEST_CASE("Extensions that are not objects have no springs") {
  for (const char* extension :
       {R"("VRMC_springBone":7)", R"("VRM":{"secondaryAnimation":[]})", R"("VRM":"1")",
        R"("VRMC_springBone":{"springs":{},"colliders":1,"colliderGroups":""})", R"("VRMC_vrm":[])",
        R"("VRMC_vrm":{"humanoid":{"humanBones":[]}})"}) {
    CAPTURE(extension);
    const Scene scene = readExtensions(extension);
    CHECK(scene.springs.chains.empty());
    CHECK(scene.humanoid.empty());
    CHECK_FALSE(scene.warnings.empty());
  }
}

TEST_CASE("Roles of VRM 1.0 and of VRMA files are read") {
  for (const char* name : {"VRMC_vrm", "VRMC_vrm_animation"}) {
    const Scene scene =
        readExtensions("\"" + std::string(name) +
                       R"(":{"humanoid":{"humanBones":{"hips":{"node":5},"head":{"node":4}}}})");
    CHECK(scene.warnings.empty());
    REQUIRE(scene.humanoid.size() == 2);
    CHECK(scene.humanoid[0].role == "head");
    CHECK(sourceOf(scene, scene.humanoid[0].node) == kHead);
    CHECK(scene.humanoid[1].role == "hips");
    CHECK(sourceOf(scene, scene.humanoid[1].node) == kHips);
  }
}

TEST_CASE("Roles of VRM 0.x get the names of VRM 1.0") {
  const Scene scene = readExtensions(
      R"("VRM":{"humanoid":{"humanBones":[{"bone":"hips","node":5},)"
      R"({"bone":"leftThumbProximal","node":3},{"bone":"leftThumbIntermediate","node":2},)"
      R"({"bone":"leftThumbDistal","node":1},{"bone":"leftIndexProximal","node":6}]}})");
  CHECK(scene.warnings.empty());
  std::vector<std::string> roles;
  for (const DeclaredRole& given : scene.humanoid) roles.push_back(given.role);
  CHECK(roles == std::vector<std::string>{"hips", "leftThumbMetacarpal", "leftThumbProximal",
                                          "leftThumbDistal", "leftIndexProximal"});
}

TEST_CASE("A role has one node, and a node has one role") {
  const Scene scene = readExtensions(
      R"("VRM":{"humanoid":{"humanBones":[{"bone":"hips","node":5},{"bone":"hips","node":4},)"
      R"({"bone":"spine","node":5},{"bone":"head","node":-1},{"node":2},7]}})");
  REQUIRE(scene.humanoid.size() == 1);
  CHECK(sourceOf(scene, scene.humanoid[0].node) == kHips);
  CHECK(scene.warnings.count("humanoid_role_left_out") == 5);
}

TEST_CASE("Settings of nodes are read from extras, as an object or as one string") {
  const auto scene = io::gltf::readScene(
      *documentOf(textBytes(
          R"({"asset":{"version":"2.0"},"nodes":[{"extras":{"dynbone":{"frequency_hz":3,)"
          R"("damping_ratio":[[0,0.5],[1,0.25]],"keep_root":true,"stop":["A","B"],)"
          R"("limit_rotation_deg":[1,2.5,3]}}},{"extras":{"dynbone":"mass = 2; drag=0.5;"}},)"
          R"({"extras":{"dynbone":{}}},{"extras":{"dynbone":7}},{"extras":{"dynbone":"mass"}},)"
          R"({"extras":{"dynbone":{"mass":{}}}},{"extras":[]},{"extras":{"other":1}}]})")),
      false, {});
  CHECK_OK(scene);
  REQUIRE(scene->node_settings.size() == 3);
  using Values = std::vector<std::pair<std::string, std::string>>;
  CHECK(scene->node_settings[0].values == Values{{"damping_ratio", "0:0.5,1:0.25"},
                                                 {"frequency_hz", "3"},
                                                 {"keep_root", "true"},
                                                 {"limit_rotation_deg", "1,2.5,3"},
                                                 {"stop", "A,B"}});
  CHECK(scene->node_settings[1].node == 1);
  CHECK(scene->node_settings[1].topic == "dynbone");
  CHECK(scene->node_settings[1].values == Values{{"drag", "0.5"}, {"mass", "2"}});
  CHECK(scene->node_settings[2].values.empty());
  CHECK(scene->warnings.count("node_settings_left_out") == 3);
}

TEST_SUITE_END();
