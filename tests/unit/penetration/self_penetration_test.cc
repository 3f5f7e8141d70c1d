// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "penetration/self_penetration.h"

#include "checks.h"
#include "core/to_size.h"
#include "penetration/box_man.h"
#include "random.h"

TEST_SUITE_BEGIN("penetration.self_penetration");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::penetration;
using namespace clipmill::test;
using enum clipmill::humanoid::HumanoidRole;

namespace {

SelfPenetration made(const BoxMan& man) {
  auto character = SelfPenetration::make(man.scene, man.map());
  CHECK_OK(character);
  return std::move(character).value();
}

std::size_t pairNamed(const SelfPenetration& character, const std::string& name) {
  for (std::size_t p = 0; p < character.pairs().size(); ++p) {
    if (character.pairs()[p].name == name) return p;
  }
  FAIL("no pair " << name);
  return 0;
}

std::shared_ptr<SelfPenetration::Pose> posed(const SelfPenetration& character, const BoxMan& man) {
  auto pose = character.makePose();
  character.pose(man.worlds(), man.pose.weights, *pose);
  return pose;
}

// Puts the left hand, with its ball, at a position in the world.
void moveHand(BoxMan& man, const Vec3& position) {
  man.local(kLeftHand).translation += position - man.carried(kLeftHand, handPosition(true));
}

// The vertices of the left hand and forearm.
std::vector<Vec3> leftForearm(const BoxMan& man) {
  std::vector<Vec3> positions;
  for (const BoxOfMan& box : boxesOfMan()) {
    if (box.role != kLeftLowerArm) continue;
    for (const Vec3& p : boxSurface(box.low, box.high).positions) {
      positions.push_back(man.carried(kLeftLowerArm, p));
    }
  }
  for (const Vec3& p : ballSurface(handPosition(true), kHandRadius_m, 16, 10).positions) {
    positions.push_back(man.carried(kLeftHand, p));
  }
  return positions;
}

// Of a position to the nearest box of those roles in the pose, negative inside.
double distanceTo(const BoxMan& man, const std::vector<HumanoidRole>& roles, const Vec3& position) {
  double least = 1e9;
  for (const BoxOfMan& box : boxesOfMan()) {
    if (std::find(roles.begin(), roles.end(), box.role) == roles.end()) continue;
    const Affine world = man.worlds()[toSize(man.at(box.role))];
    const Vec3 at_rest =
        transformPoint(inverse(world), position) + restPosition(man.scene, man.at(box.role));
    least = std::min(least, signedDistance(at_rest, box.low, box.high));
  }
  return least;
}

const std::vector<HumanoidRole> kTrunkAndThighs = {kSpine, kLeftUpperLeg, kRightUpperLeg};

}  // namespace

TEST_CASE("Parts follow from the nearest joint with a role at or above") {
  BoxMan man;
  Scene& scene = man.scene;
  const int twist = addAt(scene, "Twist", man.at(kLeftUpperArm), Vec3(0.3, 1.42, 0));
  const int finger = addAt(scene, "Finger", man.at(kRightHand), Vec3(-0.8, 1.42, 0));
  const int hat = addAt(scene, "Hat", man.at(kHead), Vec3(0, 1.8, 0));
  const int prop = addAt(scene, "Prop", 0, Vec3(1, 0, 0));
  const auto parts = bodyPartsOfNodes(scene.skeleton, man.map());
  const auto partAt = [&](int node) { return parts[toSize(node)]; };
  CHECK(partAt(twist) == BodyPart::kLeftUpperArm);
  CHECK(partAt(finger) == BodyPart::kRightForearm);
  CHECK(partAt(hat) == BodyPart::kHead);
  CHECK(partAt(man.at(kLeftShoulder)) == BodyPart::kTrunk);
  CHECK(partAt(man.at(kRightToes)) == BodyPart::kRightShin);
  CHECK(partAt(prop) == BodyPart::kCount);
  CHECK(partAt(0) == BodyPart::kCount);
}

TEST_CASE("At rest nothing penetrates, and the height is that of the skin") {
  const BoxMan man;
  const SelfPenetration character = made(man);
  CHECK(character.height_m() == doctest::Approx(1.75));
  CHECK(character.pairs().size() == 10);
  const auto pose = character.makePose();
  for (std::size_t p = 0; p < character.pairs().size(); ++p) {
    CAPTURE(character.pairs()[p].name);
    const PairDepth depth = character.measure(p, *pose);
    CHECK(depth.vertex_count > 0);
    CHECK(depth.penetrating_count == 0);
    CHECK(depth.depth_m == 0.0);
  }
}

TEST_CASE("The depth of a hand in the belly is that of its vertex farthest from the surface") {
  BoxMan man;
  moveHand(man, Vec3(0.12, 1.2, 0.02));
  const SelfPenetration character = made(man);
  const auto pose = posed(character, man);
  const std::size_t pair = pairNamed(character, "left arm - trunk");
  std::size_t inside = 0;
  double max_depth = 0.0;
  for (const Vec3& position : leftForearm(man)) {
    const double distance = distanceTo(man, kTrunkAndThighs, position);
    inside += distance < 0.0;
    max_depth = std::max(max_depth, -distance);
  }
  const PairDepth depth = character.measure(pair, *pose);
  REQUIRE(inside > 50);
  CHECK(depth.penetrating_count == inside);
  CHECK(depth.vertex_count == leftForearm(man).size());
  CHECK(depth.depth_m == doctest::Approx(max_depth));
  CHECK(distanceTo(man, kTrunkAndThighs, depth.position_m) == doctest::Approx(-max_depth));
  CHECK(std::abs(distanceTo(man, kTrunkAndThighs, depth.position_m + depth.exit_m)) < 1e-12);
  CHECK(character.clearance_m(pair, *pose, 1.0) == -depth.depth_m);
  // The other arm and the head are not in contact.
  CHECK(character.measure(pairNamed(character, "right arm - trunk"), *pose).penetrating_count == 0);
  CHECK(character.measure(pairNamed(character, "left arm - head"), *pose).penetrating_count == 0);
}

TEST_CASE("An upper arm in the trunk is measured away from the shoulder") {
  BoxMan man;
  man.local(kLeftUpperArm).translation += Vec3(-0.35, -0.1, 0.0);
  auto with_upper_arms = SelfPenetration::make(man.scene, man.map(), true);
  CHECK_OK(with_upper_arms);
  const SelfPenetration& character = *with_upper_arms;
  CHECK(character.pairs().size() == made(man).pairs().size() + 4);
  const PairDepth depth =
      character.measure(pairNamed(character, "left upper arm - trunk"), *posed(character, man));
  // The corners at the elbow are at x = 0.1, those near the shoulder, on the other side of the
  // trunk, do not count.
  CHECK(depth.vertex_count == 4);
  CHECK(depth.penetrating_count == 4);
  CHECK(depth.depth_m == doctest::Approx(0.05));
  CHECK(character.measure(pairNamed(character, "right upper arm - trunk"), *posed(character, man))
            .penetrating_count == 0);
}

TEST_CASE("An upper arm in the head is measured away from the shoulder") {
  BoxMan man;
  auto with_upper_arms = SelfPenetration::make(man.scene, man.map(), true);
  CHECK_OK(with_upper_arms);
  const SelfPenetration& character = *with_upper_arms;
  const std::size_t pair = pairNamed(character, "left upper arm - head");
  CHECK(character.measure(pair, *posed(character, man)).penetrating_count == 0);
  // The corners at the elbow, at rest (0.45, 1.38 to 1.46, +-0.04), come to (0.05, 1.58 to 1.66,
  // +-0.04): 0.03 from the side of the head.
  man.local(kLeftUpperArm).translation += Vec3(-0.4, 0.2, 0.0);
  const PairDepth depth = character.measure(pair, *posed(character, man));
  CHECK(depth.vertex_count == 4);
  CHECK(depth.penetrating_count == 4);
  CHECK(depth.depth_m == doctest::Approx(0.03));
}

TEST_CASE("A skin that is posed again has the bits of one that is posed for the first time") {
  BoxMan man;
  const auto skin = BodySkin::make(man.scene, man.map());
  CHECK_OK(skin);
  BodySkin::Pose again, first;
  const std::vector<Affine> rest = man.worlds();
  const BodySkin::PartMarks all = skin->pose(rest, {}, again);
  CHECK(std::all_of(all.begin(), all.end(), [](bool is_posed) { return is_posed; }));
  man.local(kLeftLowerArm).rotation = rotationAbout(Vec3(0, 0, 1), 0.7);
  // A part alone, and then the whole skin, of which the other parts are as they were.
  skin->posePart(BodyPart::kLeftForearm, man.worlds(), again);
  man.local(kLeftUpperArm).rotation = rotationAbout(Vec3(0, 1, 0), -0.4);
  const BodySkin::PartMarks some = skin->pose(man.worlds(), {}, again);
  CHECK(some[toSize(BodyPart::kLeftUpperArm)]);
  CHECK(some[toSize(BodyPart::kLeftForearm)]);
  CHECK_FALSE(some[toSize(BodyPart::kTrunk)]);
  CHECK_FALSE(some[toSize(BodyPart::kRightForearm)]);
  skin->pose(man.worlds(), {}, first);
  CHECK(again.positions_m == first.positions_m);
  skin->posePart(BodyPart::kLeftForearm, rest, again);
  skin->pose(rest, {}, again);
  skin->pose(rest, {}, first);
  CHECK(again.positions_m == first.positions_m);
}

TEST_CASE("Outside the clearance is the distance of the nearest vertex, within the reach") {
  BoxMan man;
  moveHand(man, Vec3(0.3, 1.2, 0.0));
  const SelfPenetration character = made(man);
  const auto pose = posed(character, man);
  const std::size_t pair = pairNamed(character, "left arm - trunk");
  double nearest = 1e9;
  for (const Vec3& position : leftForearm(man)) {
    nearest = std::min(nearest, distanceTo(man, kTrunkAndThighs, position));
  }
  const PairClearance clearance = character.clearance(pair, *pose, 1.0);
  CHECK(nearest == nearTo(0.09, 0.01));
  CHECK(clearance.clearance_m == doctest::Approx(nearest));
  CHECK(clearance.is_within_reach);
  CHECK(distance(clearance.nearest_m, Vec3(0.15, clearance.position_m.y, clearance.position_m.z)) <
        1e-12);
  const PairClearance beyond = character.clearance(pair, *pose, 0.05);
  CHECK(beyond.clearance_m == 0.05);
  CHECK(!beyond.is_within_reach);
}

TEST_CASE("In any pose the result is that of a test of every vertex") {
  BoxMan man;
  const SelfPenetration character = made(man);
  const auto pose = character.makePose();
  const std::size_t trunk = pairNamed(character, "left arm - trunk");
  const std::size_t arms = pairNamed(character, "left arm - right arm");
  Random random(11);
  std::size_t penetrating_poses = 0;
  for (int i = 0; i < 1200; ++i) {
    const auto rotation = [&](HumanoidRole role, double most) {
      man.local(role).rotation = random.rotation(most);
    };
    rotation(kSpine, 0.5);
    rotation(kLeftUpperLeg, 0.2);
    for (const HumanoidRole role : {kLeftUpperArm, kLeftLowerArm, kRightUpperArm})
      rotation(role, 2.5);
    character.pose(man.worlds(), {}, *pose);
    for (const auto& [pair, roles] :
         {std::pair{trunk, kTrunkAndThighs},
          std::pair{arms, std::vector<HumanoidRole>{kRightUpperArm, kRightLowerArm}}}) {
      std::size_t inside = 0;
      double max_depth = 0.0, nearest = 0.2;
      const Vec3 right_hand = man.carried(kRightHand, handPosition(false));
      bool is_clear_of_ball = true;
      for (const Vec3& position : leftForearm(man)) {
        const double distance = distanceTo(man, roles, position);
        inside += distance < 0.0;
        max_depth = std::max(max_depth, -distance);
        nearest = std::min(nearest, distance);
        const Vec3 to_hand = position - right_hand;
        is_clear_of_ball &= glm::dot(to_hand, to_hand) > 0.16 * 0.16;
      }
      // The ball of the other hand has no closed form that the facets keep.
      if (pair == arms && !is_clear_of_ball) continue;
      const PairDepth depth = character.measure(pair, *pose);
      CHECK(depth.penetrating_count == inside);
      CHECK(depth.depth_m == doctest::Approx(max_depth));
      const std::vector<PenetratingPoint> points = character.penetratingPoints(pair, *pose);
      CHECK(points.size() == inside);
      double max_exit = 0.0;
      for (const PenetratingPoint& point : points) {
        max_exit = std::max(max_exit, lengthOf(point.exit_m));
      }
      CHECK(max_exit == depth.depth_m);
      penetrating_poses += inside > 0;
      if (inside == 0 && pair == trunk) {
        CHECK(character.clearance_m(pair, *pose, 0.2) == doctest::Approx(nearest));
      }
    }
  }
  CHECK(penetrating_poses > 40);
}

TEST_CASE("posePart() equals pose() where only that part has moved") {
  BoxMan man;
  const SelfPenetration character = made(man);
  const auto part_by_part = posed(character, man);
  const std::size_t trunk = pairNamed(character, "left arm - trunk");
  const std::size_t arms = pairNamed(character, "right arm - left arm");
  for (const double x : {0.3, 0.12, 0.0, -0.5}) {
    moveHand(man, Vec3(x, 1.3, 0.02));
    character.posePart(BodyPart::kLeftForearm, man.worlds(), *part_by_part);
    const auto whole = posed(character, man);
    for (const std::size_t pair : {trunk, arms}) {
      const PairDepth a = character.measure(pair, *part_by_part),
                      b = character.measure(pair, *whole);
      CHECK(a.depth_m == b.depth_m);
      CHECK(a.penetrating_count == b.penetrating_count);
      CHECK(character.clearance_m(pair, *part_by_part, 0.3) ==
            character.clearance_m(pair, *whole, 0.3));
    }
  }
  // A pose that was never posed as a whole is that of rest.
  const auto fresh = character.makePose();
  character.posePart(BodyPart::kLeftForearm, man.worlds(), *fresh);
  CHECK(character.measure(trunk, *fresh).depth_m ==
        character.measure(trunk, *part_by_part).depth_m);
}

TEST_CASE("Vertices that penetrate at rest count in no pose") {
  BoxMan man;
  // A strap that hangs from the left forearm into the trunk.
  addPiece(boxSurface(Vec3(0.1, 1.2, -0.01), Vec3(0.5, 1.22, 0.01)), man.at(kLeftLowerArm),
           man.scene.meshes[0]);
  const SelfPenetration character = made(man);
  const std::size_t pair = pairNamed(character, "left arm - trunk");
  const PairDepth depth = character.measure(pair, *posed(character, man));
  CHECK(depth.vertex_count == leftForearm(man).size() + 4);
  CHECK(depth.penetrating_count == 0);
}

TEST_CASE("Near the hip thighs are not tested against each other") {
  BoxMan man;
  const SelfPenetration character = made(man);
  const std::size_t pair = pairNamed(character, "left thigh - right thigh");
  CHECK(character.measure(pair, *posed(character, man)).vertex_count == 4);
  man.local(kLeftUpperLeg).translation += Vec3(-0.1, 0.1, 0.05);
  const PairDepth depth = character.measure(pair, *posed(character, man));
  CHECK(depth.penetrating_count == 1);
  CHECK(depth.depth_m == doctest::Approx(0.04));
}

TEST_CASE("A hole is closed; a tube open on both sides is no body") {
  BoxMan man;
  SkinnedMesh& mesh = man.scene.meshes[0];
  // A skirt, open above and below, and a cape behind the back.
  addPiece(rotatedInsideOut(tubeSurface(0.4, 0.2, 0.9)), man.at(kHips), mesh);
  Surface cape;
  cape.positions = {Vec3(-0.3, 0.5, -0.3), Vec3(0.3, 0.5, -0.3), Vec3(0.3, 1.4, -0.2),
                    Vec3(-0.3, 1.4, -0.2)};
  cape.triangles = {0, 1, 2, 0, 2, 3};
  addPiece(cape, man.at(kSpine), mesh);
  const SelfPenetration character = made(man);
  const std::size_t pair = pairNamed(character, "left arm - trunk");
  const auto depthAt = [&](const Vec3& position) {
    moveHand(man, position);
    return character.measure(pair, *posed(character, man));
  };
  CHECK(depthAt(Vec3(0.3, 0.65, 0.0)).penetrating_count == 16 * 9 + 2);
  CHECK(std::abs(depthAt(Vec3(0.3, 0.65, 0.0)).depth_m - 0.155) < 0.005);
  CHECK(depthAt(Vec3(0.3, 0.1, 0.0)).penetrating_count == 0);
  for (const double z : {-0.2, -0.23, -0.26, -0.3}) {
    CHECK(depthAt(Vec3(0.2, 1.2, z)).penetrating_count == 0);
  }
}

TEST_CASE("Pieces inside of others do not shorten the exit") {
  BoxMan man;
  addPiece(boxSurface(Vec3(-0.05, 1.1, -0.05), Vec3(0.05, 1.3, 0.05)), man.at(kSpine),
           man.scene.meshes[0]);
  moveHand(man, Vec3(0.0, 1.2, 0.0));
  const SelfPenetration character = made(man);
  const PairDepth depth =
      character.measure(pairNamed(character, "left arm - trunk"), *posed(character, man));
  CHECK(depth.depth_m > 0.099);
}

TEST_CASE("Morphs move the skin") {
  BoxMan man;
  SkinnedMesh& mesh = man.scene.meshes[0];
  MorphTarget fat{"Fat", std::vector<Vec3>(mesh.vertexCount(), Vec3(0.0)), {}};
  for (std::size_t v = 0; v < 8; ++v) {
    fat.position_deltas[v] = Vec3(mesh.positions[v].x > 0 ? 0.1 : -0.1, 0, 0);
  }
  mesh.morphs.push_back(fat);
  man.scene.skeleton.nodes[0].weights_count = 1;
  man.scene.skeleton.rest_weights = {0.0};
  moveHand(man, Vec3(0.3, 1.2, 0.0));
  const SelfPenetration character = made(man);
  const std::size_t pair = pairNamed(character, "left arm - trunk");
  const auto pose = character.makePose();
  for (const double weight : {0.0, 1.0, 0.5, 0.0}) {
    character.pose(man.worlds(), std::vector<double>{weight}, *pose);
    // The ball's pole is a vertex on the side of the trunk.
    CHECK(character.clearance_m(pair, *pose, 1.0) == doctest::Approx(0.09 - 0.1 * weight));
  }
}

TEST_CASE("Units and axes of the file do not matter") {
  BoxMan man;
  moveHand(man, Vec3(0.12, 1.2, 0.02));
  const PairDepth metric = made(man).measure(0, *posed(made(man), man));
  // Centimetres, z up.
  const Quat rotation = rotationAbout(Vec3(1, 0, 0), kPi / 2.0);
  BoxMan cm = man;
  for (Vec3& p : cm.scene.meshes[0].positions) p = rotation * (100.0 * p);
  for (std::size_t n = 0; n < cm.scene.skeleton.size(); ++n) {
    for (Transform* local : {&cm.scene.skeleton.nodes[n].rest, &cm.pose.locals[n]}) {
      local->translation = rotation * (100.0 * local->translation);
    }
    cm.scene.skins[0].joint_from_bind[n].translation =
        rotation * (100.0 * cm.scene.skins[0].joint_from_bind[n].translation);
  }
  cm.scene.metric_from_file.linear = 0.01 * glm::mat3_cast(glm::conjugate(rotation));
  const SelfPenetration character = made(cm);
  CHECK(character.height_m() == doctest::Approx(1.75));
  const PairDepth depth = character.measure(0, *posed(character, cm));
  CHECK(depth.depth_m == doctest::Approx(metric.depth_m));
  CHECK(depth.penetrating_count == metric.penetrating_count);
  CHECK(distance(depth.exit_m, metric.exit_m) < 1e-9);
}

TEST_CASE("A character with one arm has the pairs of that arm") {
  RoleNames names = plainNames();
  names[toSize(kRightUpperArm)] = "";
  names[toSize(kRightLowerArm)] = "";
  names[toSize(kRightHand)] = "";
  const SelfPenetration character = made(BoxMan(names));
  std::vector<std::string> arms;
  for (const PartPair& pair : character.pairs()) {
    if (pair.name.find("arm") != std::string::npos) arms.push_back(pair.name);
  }
  CHECK(arms == std::vector<std::string>{"left arm - trunk", "left arm - head"});
}

TEST_CASE("A character without skin, trunk or limbs is refused") {
  const auto codeOf = [](const BoxMan& man) {
    const auto character = SelfPenetration::make(man.scene, man.map());
    return character.ok() ? ErrorCode::kInternal : character.error().code;
  };
  BoxMan no_mesh, not_skinned, no_trunk, no_number, no_character;
  no_mesh.scene.meshes.clear();
  CHECK(codeOf(no_mesh) == ErrorCode::kUnsupported);
  not_skinned.scene.meshes[0].skin = -1;
  CHECK(codeOf(not_skinned) == ErrorCode::kUnsupported);
  for (const HumanoidRole role : {kHips, kSpine, kChest, kUpperChest}) {
    no_trunk.nodes[toSize(role)] = -1;
  }
  CHECK(codeOf(no_trunk) == ErrorCode::kUnsupported);
  no_number.scene.meshes[0].positions[3].y = std::nan("");
  CHECK(codeOf(no_number) == ErrorCode::kMalformed);
  no_character.nodes.fill(-1);
  CHECK(codeOf(no_character) == ErrorCode::kUnsupported);
}

TEST_CASE("A pose with NaN or infinity has no penetration") {
  BoxMan man;
  const SelfPenetration character = made(man);
  man.local(kLeftUpperArm).translation.x = std::nan("");
  const auto pose = posed(character, man);
  for (std::size_t p = 0; p < character.pairs().size(); ++p) {
    CHECK(character.measure(p, *pose).depth_m == 0.0);
  }
  man.local(kSpine).translation.x = std::nan("");
  character.pose(man.worlds(), {}, *pose);
  for (std::size_t p = 0; p < character.pairs().size(); ++p) {
    CHECK(character.measure(p, *pose).depth_m == 0.0);
  }
}
