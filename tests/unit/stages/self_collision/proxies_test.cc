// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/proxies.h"

#include <algorithm>

#include "checks.h"
#include "core/to_size.h"
#include "stages/self_collision/box_character.h"

TEST_SUITE_BEGIN("self_collision.proxies");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::stages::self_collision;
using namespace clipmill::stages::self_collision;
using enum HumanoidRole;

namespace {

std::size_t partOf(const Proxies& proxies, int node, bool is_joint) {
  const auto parts = proxies.parts();
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
    return part.node == node && part.is_joint == is_joint;
  });
  REQUIRE(found != parts.end());
  return toSize(found - parts.begin());
}

PosedParts restOf(const Proxies& proxies, const Scene& scene) {
  PosedParts posed;
  proxies.pose(restPose(scene.skeleton).locals, posed);
  return posed;
}

// Four vertices about the left elbow that upper and lower arm share.
void addElbow(test::BoxCharacter& character) {
  SkinnedMesh& mesh = character.scene().meshes[0];
  for (const Vec3& offset :
       {Vec3(0.04, 0, 0), Vec3(-0.04, 0, 0), Vec3(0, 0.03, 0), Vec3(0, -0.03, 0)}) {
    mesh.positions.push_back(Vec3(0.46, 1.42, -0.01) + offset);
    mesh.influences.push_back({static_cast<std::uint32_t>(character.at(kLeftUpperArm)), 0.5});
    mesh.influences.push_back({static_cast<std::uint32_t>(character.at(kLeftLowerArm)), 0.5});
    mesh.influence_start.push_back(mesh.influences.size());
  }
}

}  // namespace

TEST_CASE("each bone with vertices of its own gets the box around them") {
  const test::BoxCharacter character = test::boxCharacter();
  const Proxies proxies(character.scene(), character.map);
  CHECK(proxies.parts().size() == character.boxes.size());
  CHECK(proxies.boxCount() == character.boxes.size());
  const PosedParts posed = restOf(proxies, character.scene());
  for (const test::SkinBox& box : character.boxes) {
    const Obb& obb = posed.boxes[partOf(proxies, character.at(box.bone), false)];
    CHECK(test::distance(obb.center, 0.5 * (box.low + box.high)) < 1e-12);
    CHECK(test::distance(glm::abs(obb.axes * obb.half), 0.5 * (box.high - box.low)) < 1e-12);
  }
}

TEST_CASE("vertices of two bones make a sphere at the joint of the lower one") {
  test::BoxCharacter character = test::boxCharacter();
  addElbow(character);
  const Proxies proxies(character.scene(), character.map);
  REQUIRE(proxies.parts().size() == character.boxes.size() + 1);
  const std::size_t joint = partOf(proxies, character.at(kLeftLowerArm), true);
  CHECK(proxies.parts()[joint].region == Region::kForearm);
  CHECK(proxies.parts()[joint].side == Side::kLeft);
  const PosedParts posed = restOf(proxies, character.scene());
  CHECK(test::distance(posed.spheres[joint].center, Vec3(0.46, 1.42, -0.01)) < 1e-12);
  CHECK(posed.spheres[joint].radius == doctest::Approx(0.04));
}

TEST_CASE("a sphere is fitted to the bent joint, whether posed or rotated") {
  test::BoxCharacter character = test::boxCharacter();
  addElbow(character);
  const Proxies proxies(character.scene(), character.map);
  const std::size_t joint = partOf(proxies, character.at(kLeftLowerArm), true);
  Motion motion = character.still(1);
  test::rotateOutwards(character, motion, 0, kLeftLowerArm, -90.0);
  PosedParts bent;
  proxies.pose(motion.localsOf(0), bent);
  // Half of each offset is rotated: (0.04, 0) becomes (0.02, -0.02).
  CHECK(bent.spheres[joint].radius == test::nearTo(0.02 * std::sqrt(2.0), 1e-9));

  PosedParts rotated = restOf(proxies, character.scene());
  const Subtree swing = proxies.subtreeOf(character.at(kLeftLowerArm));
  CHECK(swing.parts.size() == 1);
  CHECK(swing.split_parts == std::vector<std::uint32_t>{static_cast<std::uint32_t>(joint)});
  proxies.rotate(swing, rotationAbout({0, 0, 1}, -90.0 * kDegree), rotated);
  for (std::size_t i = 0; i < proxies.parts().size(); ++i) {
    CHECK(test::distance(rotated.spheres[i].center, bent.spheres[i].center) < 1e-12);
    CHECK(rotated.spheres[i].radius == doctest::Approx(bent.spheres[i].radius));
    if (i >= proxies.boxCount()) continue;
    CHECK(test::distance(rotated.boxes[i].center, bent.boxes[i].center) < 1e-12);
    for (int k = 0; k < 3; ++k) {
      CHECK(test::distance(rotated.boxes[i].axes[k], bent.boxes[i].axes[k]) < 1e-12);
    }
  }
}

TEST_CASE("a rotation of the shoulder leaves the sphere of the elbow as it is") {
  test::BoxCharacter character = test::boxCharacter();
  addElbow(character);
  const Proxies proxies(character.scene(), character.map);
  const Subtree swing = proxies.subtreeOf(character.at(kLeftUpperArm));
  CHECK(swing.parts.size() == 3);
  CHECK(swing.split_parts.empty());
  CHECK(swing.nodes.size() == 3);
}

TEST_CASE("the first level is about all parts") {
  const test::BoxCharacter character = test::boxCharacter();
  const Proxies proxies(character.scene(), character.map);
  const PosedParts posed = restOf(proxies, character.scene());
  for (const Vec3& position : character.scene().meshes[0].positions) {
    CHECK(glm::length(position - posed.whole.center) <= posed.whole.radius + 1e-12);
  }
}

TEST_CASE("forearms are tested against the trunk, sides against each other, neighbours not") {
  const test::BoxCharacter character = test::boxCharacter();
  const Proxies proxies(character.scene(), character.map);
  CHECK(proxies.armTrunk(Side::kLeft).size() == 1);
  CHECK(proxies.armTrunk(Side::kRight).size() == 1);
  CHECK(proxies.armArm().size() == 4);
  CHECK(proxies.legLeg().size() == 3);
  CHECK(proxies.footFoot().size() == 1);
  CHECK(proxies.overlapsAtRest().empty());
  const PosedParts posed = restOf(proxies, character.scene());
  for (Side side : kSides) CHECK_FALSE(proxies.anyOverlaps(proxies.armTrunk(side), posed));
}

TEST_CASE("parts that overlap in the bind pose are reported and not tested") {
  test::BoxCharacterOptions options;
  options.trunk_half_width_m = 0.6;
  const test::BoxCharacter character = test::boxCharacter(options);
  const Proxies proxies(character.scene(), character.map);
  CHECK(proxies.armTrunk(Side::kLeft).empty());
  REQUIRE(proxies.overlapsAtRest().size() == 2);
  CHECK(proxies.overlapsAtRest()[0] == "leftLowerArm - chest");
}

TEST_CASE("influences of next to no weight do not make a joint") {
  test::BoxCharacter character = test::boxCharacter();
  SkinnedMesh& mesh = character.scene().meshes[0];
  mesh.influences.clear();
  mesh.influence_start.clear();
  for (const test::SkinBox& box : character.boxes) {
    for (int i = 0; i < 8; ++i) {
      mesh.influence_start.push_back(mesh.influences.size());
      mesh.influences.push_back({0, 5e-4});
      mesh.influences.push_back({static_cast<std::uint32_t>(character.at(box.bone)), 1.0 - 5e-4});
    }
  }
  mesh.influence_start.push_back(mesh.influences.size());
  const Proxies proxies(character.scene(), character.map);
  CHECK(proxies.boxCount() == character.boxes.size());
  CHECK(proxies.parts().size() == character.boxes.size());
}

TEST_CASE("NaN and infinite vertices, meshes without skin and scenes without meshes are passed") {
  test::BoxCharacter character = test::boxCharacter();
  Scene& scene = character.scene();
  scene.meshes[0].positions[0].x = std::numeric_limits<double>::quiet_NaN();
  SkinnedMesh prop;
  prop.node = character.at(kLeftHand);
  prop.positions = {Vec3(0.0)};
  scene.meshes.push_back(prop);
  CHECK(Proxies(scene, character.map).parts().size() == character.boxes.size());
  scene.meshes.clear();
  CHECK(Proxies(scene, character.map).parts().empty());
}

TEST_SUITE_END();
