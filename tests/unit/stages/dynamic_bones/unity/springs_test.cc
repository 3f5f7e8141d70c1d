// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/unity/springs.h"

#include "checks.h"
#include "stages/dynamic_bones/chains/stepwise_spring.h"

TEST_SUITE_BEGIN("dynamic_bones.unity_springs");

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;

namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 22;

// A prefab under construction. A node's GameObject has its number, its Transform that + 100.
struct Prefab {
  std::string text = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";

  Prefab& node(int id, const std::string& name, int parent, const std::string& position = "x: 0.1",
               const std::string& scale = "x: 1, y: 1, z: 1") {
    const std::string own = std::to_string(id);
    text += "--- !u!1 &" + own +
            "\nGameObject:\n  m_Component:\n  - component: {fileID: " + std::to_string(id + 100) +
            "}\n  m_Name: " + name + "\n--- !u!4 &" + std::to_string(id + 100) +
            "\nTransform:\n  m_GameObject: {fileID: " + own + "}\n  m_LocalPosition: {" + position +
            "}\n  m_LocalScale: {" + scale +
            "}\n  m_Father: {fileID: " + std::to_string(parent ? parent + 100 : 0) + "}\n";
    return *this;
  }
  Prefab& component(int id, int node, const std::string& lines) {
    text += "--- !u!114 &" + std::to_string(id) +
            "\nMonoBehaviour:\n  m_GameObject: {fileID: " + std::to_string(node) +
            "}\n  m_Script: {fileID: 11500000, guid: 00, type: 3}\n" + lines;
    return *this;
  }
};

// Avatar(1) > Hips(2) > Head(3) > Hair1(4) > Hair2(5) > Hair3(6), 0.1 m apart; Ear(7) on Hair1.
Prefab avatar() {
  Prefab prefab;
  prefab.node(1, "Avatar", 0).node(2, "Hips", 1).node(3, "Head", 2).node(4, "Hair1", 3);
  return prefab.node(5, "Hair2", 4).node(6, "Hair3", 5).node(7, "Ear", 4, "x: 0.05");
}

const std::string kDynamicBone =
    "  m_Root: {fileID: 104}\n  m_Damping: 0.1\n  m_Elasticity: 0.2\n  m_Inert: 0.25\n";
const std::string kPhysBone =
    "  rootTransform: {fileID: 104}\n  pull: 0.2\n  spring: 0.3\n  immobile: 0\n  limitType: 0\n";

struct Read {
  DynamicBonesSettings settings;
  std::vector<std::string> notes;

  const ChainSettings& chain() const {
    REQUIRE(settings.chain.size() == 1);
    return settings.chain[0];
  }
  const ColliderSettings& collider() const {
    REQUIRE(settings.collider.size() == 1);
    return settings.collider[0];
  }
  bool hasNote(const std::string& part) const {
    for (const std::string& note : notes) {
      if (note.find(part) != std::string::npos) return true;
    }
    return false;
  }
};

Read read(const Prefab& prefab) {
  Read result;
  const auto notes =
      stages::dynamic_bones::unity::addUnitySprings(prefab.text, kPlenty, result.settings);
  CHECK_OK(notes);
  result.notes = *notes;
  return result;
}

ErrorCode refused(const Prefab& prefab) {
  DynamicBonesSettings settings;
  const auto notes = stages::dynamic_bones::unity::addUnitySprings(prefab.text, kPlenty, settings);
  REQUIRE(!notes.ok());
  return notes.error().code;
}

Vec3 vectorOf(const std::vector<double>& v) { return {v.at(0), v.at(1), v.at(2)}; }

// A DynamicBone that names a collider on the head.
Read withCollider(const std::string& lines, const std::string& scale = "x: 2, y: 2, z: 2") {
  Prefab prefab;
  prefab.node(1, "Avatar", 0).node(3, "Head", 1, "x: 0", scale).node(4, "Hair1", 3);
  prefab.node(5, "Hair2", 4);
  prefab.component(30, 3, lines);
  return read(prefab.component(50, 1, kDynamicBone + "  m_Colliders:\n  - {fileID: 30}\n"));
}

}  // namespace

TEST_CASE("A DynamicBone is a chain from its root, with values as shares per step") {
  const Read result = read(avatar().component(
      50, 1,
      kDynamicBone +
          "  m_Radius: 0.02\n  m_Friction: 0.5\n  m_Gravity: {x: 0, y: -0.001, z: 0}\n"));
  const ChainSettings& chain = result.chain();
  CHECK(chain.root == "Hair1");
  CHECK(chain.joints.empty());
  CHECK(chain.tip_length == 0.0);
  const auto own = stages::dynamic_bones::equivalentSpring({0.1, 0.2, 60.0});
  // Two bones of one length from Hair1 to Hair3.
  CHECK(chain.frequency_hz.at(1.0) == doctest::Approx(own.frequency_hz / 2.0));
  CHECK(chain.damping_ratio.at(1.0) == doctest::Approx(own.damping_ratio));
  CHECK(chain.air_drag_per_s.at(0.0) == doctest::Approx(own.air_drag_per_s));
  CHECK(chain.gravity_mps2.at(1.0) == doctest::Approx(-0.001 * own.acceleration_mps2));
  CHECK(chain.rest_includes_gravity);
  CHECK(chain.radius_m == Curve(0.02));
  CHECK(chain.friction == Curve(0.5));
  CHECK(chain.inertia_translation == 0.75);
  CHECK(chain.inertia_rotation == 1.0);
  CHECK(chain.limit == LimitShape::kNone);
  CHECK(chain.colliders == std::vector<std::string>{"none"});
  CHECK(result.hasNote("1 chain of DynamicBone"));
  CHECK(result.hasNote("chain with branches"));
}

TEST_CASE("The stiffness s of DynamicBone is a cone limit of 2 asin(1 - s)") {
  const Read result = read(avatar().component(
      50, 1,
      kDynamicBone + "  m_Stiffness: 1\n  m_StiffnessDistrib:\n    m_Curve:\n    - time: 0\n"
                     "      value: 0\n      outSlope: 1\n    - time: 1\n      value: 1\n"
                     "      inSlope: 1\n"));
  CHECK(result.chain().limit == LimitShape::kCone);
  CHECK(result.chain().limit_deg.at(0.5) == doctest::Approx(60.0));  // 2 asin(1/2)
  CHECK(result.chain().limit_deg.at(1.0) == doctest::Approx(0.0));
}

TEST_CASE("The end length of DynamicBone is in lengths of the last bone, its offset in metres") {
  CHECK(read(avatar().component(50, 1, kDynamicBone + "  m_EndLength: 0.5\n")).chain().tip_length ==
        doctest::Approx(0.5));
  CHECK(read(avatar().component(50, 1, kDynamicBone + "  m_EndOffset: {x: 0, y: -0.03, z: 0}\n"))
            .chain()
            .tip_length == doctest::Approx(0.3));
}

TEST_CASE("Exclusions are skipped and do not count for the longest branch") {
  const Read result =
      read(avatar().component(50, 1, kDynamicBone + "  m_Exclusions:\n  - {fileID: 105}\n"));
  CHECK(result.chain().skip == std::vector<std::string>{"Hair2"});
  const auto own = stages::dynamic_bones::equivalentSpring({0.1, 0.2, 60.0});
  CHECK(result.chain().frequency_hz.at(1.0) == doctest::Approx(own.frequency_hz));  // only the ear
}

TEST_CASE("Several roots are several chains, and a component alone starts at its own node") {
  const Read roots = read(
      avatar().component(50, 1,
                         "  m_Roots:\n  - {fileID: 107}\n  - {fileID: 105}\n  - {fileID: 105}\n"
                         "  m_Damping: 0\n  m_Elasticity: 0\n  m_Inert: 0\n  m_EndLength: 1\n"));
  REQUIRE(roots.settings.chain.size() == 2);
  CHECK(roots.settings.chain[0].root == "Hair2");
  CHECK(roots.settings.chain[1].root == "Ear");
  const Read own =
      read(avatar().component(50, 5, "  m_Damping: 0\n  m_Elasticity: 0\n  m_Inert: 0\n"));
  CHECK(own.chain().root == "Hair2");
}

TEST_CASE("A chain ends where another one starts, and one root has one chain") {
  const Read result =
      read(avatar()
               .component(50, 1, kDynamicBone)
               .component(51, 5, "  m_Damping: 0\n  m_Elasticity: 0\n  m_Inert: 0\n")
               .component(52, 1, kDynamicBone));
  REQUIRE(result.settings.chain.size() == 2);
  CHECK(result.settings.chain[0].root == "Hair1");
  CHECK(result.settings.chain[0].skip == std::vector<std::string>{"Hair2"});
  CHECK(result.settings.chain[1].root == "Hair2");
  CHECK(result.hasNote("1x second spring on a bone"));
}

TEST_CASE("The pull of a PhysBone is a share per step, its gravity a share of 90 degrees") {
  const Read result = read(avatar().component(
      50, 1, kPhysBone + "  gravity: 0.5\n  gravityFalloff: 1\n  radius: 0.03\n"));
  const ChainSettings& chain = result.chain();
  const auto own = stages::dynamic_bones::equivalentSpring({0.7, 0.2, 60.0});
  CHECK(chain.frequency_hz.at(1.0) == doctest::Approx(own.frequency_hz / 2.0));
  // Half of 90 degrees: tan(45 degrees) = g/(w^2 L).
  const double w = 2.0 * kPi * own.frequency_hz;
  CHECK(chain.gravity_mps2.at(1.0) == doctest::Approx(-w * w * 0.1));
  CHECK(chain.rest_includes_gravity);
  CHECK(chain.radius_m == Curve(0.03));
  CHECK(chain.inertia_translation == 1.0);
  CHECK(chain.keep_root);  // a fork at the root stays by default
  CHECK(result.hasNote("approximate"));
  CHECK_FALSE(
      read(avatar().component(50, 1, kPhysBone + "  multiChildType: 1\n")).chain().keep_root);
}

TEST_CASE("Immobile scales all inertia, in world mode only that of translation") {
  const std::string immobile =
      "  rootTransform: {fileID: 104}\n  pull: 0.2\n  limitType: 0\n  immobile: 0.75\n";
  const Read all = read(avatar().component(50, 1, immobile));
  CHECK(all.chain().inertia_translation == 0.25);
  CHECK(all.chain().inertia_rotation == 0.25);
  CHECK(all.chain().inertia_node == std::nullopt);
  const Read world = read(avatar().component(50, 1, immobile + "  immobileType: 1\n"));
  CHECK(world.chain().inertia_translation == 0.25);
  CHECK(world.chain().inertia_rotation == 1.0);
  CHECK(world.chain().inertia_node == "Hips");
}

TEST_CASE("Limits of a PhysBone keep their kind") {
  const auto limited = [](int type) {
    return read(avatar().component(
                    50, 1,
                    "  rootTransform: {fileID: 104}\n  pull: 0.2\n  immobile: 0\n  limitType: " +
                        std::to_string(type) +
                        "\n  maxAngleX: 30\n  maxAngleZ: 20\n"
                        "  limitRotation: {x: 1, y: 2, z: 3}\n"))
        .chain();
  };
  CHECK(limited(1).limit == LimitShape::kCone);
  CHECK(limited(1).limit_deg == Curve(30.0));
  CHECK(limited(2).limit == LimitShape::kHinge);
  CHECK(limited(3).limit == LimitShape::kSpherical);
  CHECK(limited(3).limit_yaw_deg == Curve(20.0));
  CHECK(limited(3).limit_rotation_deg == std::vector<double>{1, -2, -3});
}

TEST_CASE("A VRMSpringBone is read as a spring of VRM 0.x") {
  const Read result = read(avatar()
                               .component(60, 3,
                                          "  Colliders:\n  - Offset: {x: 1, y: 2, z: 3}\n"
                                          "    Radius: 0.5\n  - Offset: {x: 0}\n"
                                          "    Radius: 0.25\n")
                               .component(50, 1,
                                          "  m_stiffnessForce: 2\n  m_gravityPower: 1\n"
                                          "  m_gravityDir: {x: 0, y: -1, z: 0}\n"
                                          "  m_dragForce: 0.4\n  m_center: {fileID: 102}\n"
                                          "  RootBones:\n  - {fileID: 105}\n  m_hitRadius: 0.03\n"
                                          "  ColliderGroups:\n  - {fileID: 60}\n"));
  const ChainSettings& chain = result.chain();
  CHECK(chain.root == "Hair2");
  CHECK(chain.tip_length == doctest::Approx(0.7));
  const double pull_m = 2.0 / 60.0;
  const auto own = stages::dynamic_bones::equivalentSpring({0.4, pull_m / (0.1 + pull_m), 60.0});
  CHECK(chain.frequency_hz.at(0.1 / 0.17) == doctest::Approx(own.frequency_hz * 0.1 / 0.17));
  // Sag: gravity over stiffness.
  const double w = 2.0 * kPi * own.frequency_hz;
  CHECK(chain.gravity_mps2.at(0.1 / 0.17) == doctest::Approx(-0.5 * w * w * 0.1));
  CHECK_FALSE(chain.rest_includes_gravity);
  CHECK(chain.radius_m == Curve(0.03));
  CHECK(chain.inertia_node == "Hips");
  CHECK(chain.inertia_translation == 0.0);
  REQUIRE(result.settings.collider.size() == 2);
  CHECK(vectorOf(result.settings.collider[0].offset_m) == Vec3(1, 2, -3));
  CHECK(chain.colliders == std::vector<std::string>{result.settings.collider[0].name,
                                                    result.settings.collider[1].name});
}

TEST_CASE("Colliders of DynamicBone are in metres with negated x") {
  const std::string head = "  m_Direction: 1\n  m_Center: {x: 0.1, y: 0.2, z: 0.3}\n";
  const Read sphere = withCollider(head + "  m_Bound: 1\n  m_Radius: 0.25\n  m_Height: 0.5\n");
  CHECK(sphere.collider().shape == ColliderShape::kSphere);
  CHECK(sphere.collider().node == "Head");
  CHECK(sphere.collider().inside);
  CHECK(sphere.collider().radius_m == doctest::Approx(0.5));
  CHECK(test::distance(vectorOf(sphere.collider().offset_m), Vec3(-0.2, 0.4, 0.6)) < 1e-12);
  CHECK(sphere.chain().colliders == std::vector<std::string>{sphere.collider().name});

  const Read capsule =
      withCollider(head + "  m_Bound: 0\n  m_Radius: 0.25\n  m_Height: 2\n  m_Radius2: 0.125\n");
  CHECK(capsule.collider().shape == ColliderShape::kCapsule);
  CHECK(test::distance(vectorOf(capsule.collider().offset_m), Vec3(-0.2, 1.9, 0.6)) < 1e-12);
  CHECK(test::distance(vectorOf(capsule.collider().tail_m), Vec3(-0.2, -1.35, 0.6)) < 1e-12);
  CHECK(capsule.collider().tail_radius_m.value_or(-1.0) == doctest::Approx(0.25));

  const Read plane = withCollider("  m_Direction: 0\n  m_Center: {x: 1}\n  m_Bound: 0\n");
  CHECK(plane.collider().shape == ColliderShape::kPlane);
  CHECK(vectorOf(plane.collider().normal) == Vec3(-1, 0, 0));
}

TEST_CASE("Colliders of a PhysBone lie along the y axis of their own rotation") {
  const auto shaped = [](int type, double height) {
    Prefab prefab = avatar().component(
        60, 1,
        "  rootTransform: {fileID: 103}\n  shapeType: " + std::to_string(type) +
            "\n  insideBounds: 0\n  radius: 0.25\n  height: " + std::to_string(height) +
            "\n  position: {x: 1, y: 0, z: 0}\n"
            "  rotation: {x: 0, y: 0, z: -0.70710678118654757, w: 0.70710678118654757}\n");
    return read(prefab.component(50, 1, kPhysBone + "  colliders:\n  - {fileID: 60}\n"));
  };
  // A rotation of 90 degrees about -z takes y to x.
  const ColliderSettings capsule = shaped(1, 1.5).collider();
  CHECK(capsule.shape == ColliderShape::kCapsule);
  CHECK(test::distance(vectorOf(capsule.offset_m), Vec3(-1.5, 0, 0)) < 1e-12);
  CHECK(test::distance(vectorOf(capsule.tail_m), Vec3(-0.5, 0, 0)) < 1e-12);
  CHECK(shaped(1, 0.5).collider().shape == ColliderShape::kSphere);
  CHECK(shaped(0, 9).collider().shape == ColliderShape::kSphere);
  CHECK(test::distance(vectorOf(shaped(2, 1).collider().normal), Vec3(-1, 0, 0)) < 1e-12);
}

TEST_CASE("Nodes of equal name are referenced by their path below the prefab") {
  Prefab prefab;
  prefab.node(1, "Avatar", 0).node(2, "Left", 1).node(3, "Hair", 2).node(4, "Tip", 3);
  prefab.node(5, "Right", 1).node(6, "Hair", 5).node(7, "Tip", 6);
  const std::string fields = "  m_Damping: 0\n  m_Elasticity: 0\n  m_Inert: 0\n";
  const Read result = read(prefab.component(50, 6, fields));
  CHECK(result.chain().root == "*Right/Hair");
}

TEST_CASE("Disabled components and bones of other files are left out") {
  CHECK(refused(avatar()) == ErrorCode::kNotFound);
  CHECK(refused(avatar().component(50, 1, "  m_Enabled: 0\n" + kDynamicBone)) ==
        ErrorCode::kUnsupported);
  Prefab stripped;
  stripped.text +=
      "--- !u!4 &104 stripped\nTransform:\n"
      "  m_CorrespondingSourceObject: {fileID: 9, guid: 00, type: 3}\n";
  CHECK(refused(stripped.component(50, 1, kDynamicBone)) == ErrorCode::kUnsupported);
}

TEST_CASE("A center that a chain moves is left out") {
  const Read result = read(avatar().component(
      50, 1,
      "  m_stiffnessForce: 2\n  m_center: {fileID: 106}\n  RootBones:\n  - {fileID: 105}\n"));
  CHECK(result.chain().inertia_node == std::nullopt);
  CHECK(result.chain().inertia_translation == 1.0);
  CHECK(result.hasNote("1x center that a chain moves"));
}

TEST_CASE("Cycles of transforms and invalid numbers are ignored") {
  Prefab prefab;
  prefab.node(1, "A", 2).node(2, "B", 1).node(4, "Hair1", 0).node(5, "Tip", 4);
  prefab.component(50, 1, kDynamicBone);
  prefab.component(51, 4,
                   "  m_Damping: .nan\n  m_Elasticity: x\n  m_Inert: {fileID: 1}\n"
                   "  m_UpdateRate: 0\n");
  const Read result = read(prefab);
  CHECK(result.chain().root == "Hair1");
}

TEST_SUITE_END();
