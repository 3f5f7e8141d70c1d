// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/self_penetration.h"

#include "checks.h"
#include "scene/box_man.h"

TEST_SUITE_BEGIN("scene.self_penetration");

using namespace clipmill;
using namespace clipmill::test;
using enum clipmill::HumanoidRole;

namespace {

SelfPenetration made(const BoxMan& man) {
  auto figure = SelfPenetration::make(man.scene, man.map());
  CHECK_OK(figure);
  return std::move(figure).value();
}

std::size_t pairNamed(const SelfPenetration& figure, const std::string& name) {
  for (std::size_t p = 0; p < figure.pairs().size(); ++p) {
    if (figure.pairs()[p].name == name) return p;
  }
  FAIL("no pair " << name);
  return 0;
}

std::shared_ptr<SelfPenetration::Pose> posed(const SelfPenetration& figure, const BoxMan& man) {
  auto pose = figure.makePose();
  figure.pose(man.worlds(), man.pose.weights, *pose);
  return pose;
}

// Puts the left hand, with its ball, at a place in the world.
void moveHand(BoxMan& man, const Vec3& place) {
  man.local(kLeftHand).translation += place - man.carried(kLeftHand, handPlace(true));
}

// The vertices of the left hand and forearm.
std::vector<Vec3> leftForearm(const BoxMan& man) {
  std::vector<Vec3> places;
  for (const BoxOfMan& box : boxesOfMan()) {
    if (box.role != kLeftLowerArm) continue;
    for (const Vec3& p : boxSurface(box.low, box.high).positions) {
      places.push_back(man.carried(kLeftLowerArm, p));
    }
  }
  for (const Vec3& p : ballSurface(handPlace(true), kHandRadius_m, 16, 10).positions) {
    places.push_back(man.carried(kLeftHand, p));
  }
  return places;
}

// Of a place to the nearest box of those roles in the pose, negative inside.
double distanceTo(const BoxMan& man, const std::vector<HumanoidRole>& roles, const Vec3& place) {
  double least = 1e9;
  for (const BoxOfMan& box : boxesOfMan()) {
    if (std::find(roles.begin(), roles.end(), box.role) == roles.end()) continue;
    const Affine world = man.worlds()[static_cast<std::size_t>(man.at(box.role))];
    const Vec3 at_rest =
        transformPoint(inverse(world), place) + restPlace(man.scene, man.at(box.role));
    least = std::min(least, signedDistance(at_rest, box.low, box.high));
  }
  return least;
}

const std::vector<HumanoidRole> kTrunkAndThighs = {kSpine, kLeftUpperLeg, kRightUpperLeg};

}  // namespace

TEST_CASE("Parts go by the nearest joint at or above that plays a role") {
  BoxMan man;
  Scene& scene = man.scene;
  const int twist = addAt(scene, "Twist", man.at(kLeftUpperArm), Vec3(0.3, 1.42, 0));
  const int finger = addAt(scene, "Finger", man.at(kRightHand), Vec3(-0.8, 1.42, 0));
  const int hat = addAt(scene, "Hat", man.at(kHead), Vec3(0, 1.8, 0));
  const int prop = addAt(scene, "Prop", 0, Vec3(1, 0, 0));
  const auto parts = bodyPartsOfNodes(scene.skeleton, man.map());
  const auto partAt = [&](int node) { return parts[static_cast<std::size_t>(node)]; };
  CHECK(partAt(twist) == BodyPart::kLeftUpperArm);
  CHECK(partAt(finger) == BodyPart::kRightForearm);
  CHECK(partAt(hat) == BodyPart::kHead);
  CHECK(partAt(man.at(kLeftShoulder)) == BodyPart::kTrunk);
  CHECK(partAt(man.at(kRightToes)) == BodyPart::kRightShin);
  CHECK(partAt(prop) == BodyPart::kCount);
  CHECK(partAt(0) == BodyPart::kCount);
}

TEST_CASE("At rest nothing is inside, and the height is that of the skin") {
  const BoxMan man;
  const SelfPenetration figure = made(man);
  CHECK(figure.height_m() == doctest::Approx(1.75));
  CHECK(figure.pairs().size() == 10);
  const auto pose = figure.makePose();
  for (std::size_t p = 0; p < figure.pairs().size(); ++p) {
    CAPTURE(figure.pairs()[p].name);
    const PairDepth depth = figure.measure(p, *pose);
    CHECK(depth.vertex_count > 0);
    CHECK(depth.inside_count == 0);
    CHECK(depth.depth_m == 0.0);
  }
}

TEST_CASE("A hand in the belly is as deep as its deepest vertex") {
  BoxMan man;
  moveHand(man, Vec3(0.12, 1.2, 0.02));
  const SelfPenetration figure = made(man);
  const auto pose = posed(figure, man);
  const std::size_t pair = pairNamed(figure, "left arm - trunk");
  std::size_t inside = 0;
  double deepest = 0.0;
  for (const Vec3& place : leftForearm(man)) {
    const double distance = distanceTo(man, kTrunkAndThighs, place);
    inside += distance < 0.0;
    deepest = std::max(deepest, -distance);
  }
  const PairDepth depth = figure.measure(pair, *pose);
  REQUIRE(inside > 50);
  CHECK(depth.inside_count == inside);
  CHECK(depth.vertex_count == leftForearm(man).size());
  CHECK(depth.depth_m == doctest::Approx(deepest));
  CHECK(distanceTo(man, kTrunkAndThighs, depth.deepest_m) == doctest::Approx(-deepest));
  CHECK(std::abs(distanceTo(man, kTrunkAndThighs, depth.deepest_m + depth.way_out_m)) < 1e-12);
  CHECK(figure.clearance_m(pair, *pose, 1.0) == -depth.depth_m);
  // The other arm and the head are not touched.
  CHECK(figure.measure(pairNamed(figure, "right arm - trunk"), *pose).inside_count == 0);
  CHECK(figure.measure(pairNamed(figure, "left arm - head"), *pose).inside_count == 0);
}

TEST_CASE("Outside the clearance is the distance of the nearest vertex, within the reach") {
  BoxMan man;
  moveHand(man, Vec3(0.3, 1.2, 0.0));
  const SelfPenetration figure = made(man);
  const auto pose = posed(figure, man);
  const std::size_t pair = pairNamed(figure, "left arm - trunk");
  double nearest = 1e9;
  for (const Vec3& place : leftForearm(man)) {
    nearest = std::min(nearest, distanceTo(man, kTrunkAndThighs, place));
  }
  const PairClearance clearance = figure.clearance(pair, *pose, 1.0);
  CHECK(nearest == doctest::Approx(0.09).epsilon(0.01));
  CHECK(clearance.clearance_m == doctest::Approx(nearest));
  CHECK(clearance.is_within_reach);
  CHECK(distance(clearance.nearest_m, Vec3(0.15, clearance.place_m.y, clearance.place_m.z)) <
        1e-12);
  const PairClearance beyond = figure.clearance(pair, *pose, 0.05);
  CHECK(beyond.clearance_m == 0.05);
  CHECK(!beyond.is_within_reach);
}

TEST_CASE("In any pose the answer is that of asking every vertex") {
  BoxMan man;
  const SelfPenetration figure = made(man);
  const auto pose = figure.makePose();
  const std::size_t trunk = pairNamed(figure, "left arm - trunk");
  const std::size_t arms = pairNamed(figure, "left arm - right arm");
  SurfaceRandom random(11);
  std::size_t poses_inside = 0;
  for (int i = 0; i < 1200; ++i) {
    const auto turn = [&](HumanoidRole role, double most) {
      const Vec3 v = random.vector(1.0);
      man.local(role).rotation =
          rotationAbout(v / std::sqrt(glm::dot(v, v)), random.number(-most, most));
    };
    turn(kSpine, 0.5);
    turn(kLeftUpperLeg, 0.2);
    for (const HumanoidRole role : {kLeftUpperArm, kLeftLowerArm, kRightUpperArm}) turn(role, 2.5);
    figure.pose(man.worlds(), {}, *pose);
    for (const auto& [pair, roles] :
         {std::pair{trunk, kTrunkAndThighs},
          std::pair{arms, std::vector<HumanoidRole>{kRightUpperArm, kRightLowerArm}}}) {
      std::size_t inside = 0;
      double deepest = 0.0, nearest = 0.2;
      const Vec3 right_hand = man.carried(kRightHand, handPlace(false));
      bool is_clear_of_ball = true;
      for (const Vec3& place : leftForearm(man)) {
        const double distance = distanceTo(man, roles, place);
        inside += distance < 0.0;
        deepest = std::max(deepest, -distance);
        nearest = std::min(nearest, distance);
        const Vec3 to_hand = place - right_hand;
        is_clear_of_ball &= glm::dot(to_hand, to_hand) > 0.16 * 0.16;
      }
      // The ball of the other hand has no closed form that the facets keep.
      if (pair == arms && !is_clear_of_ball) continue;
      const PairDepth depth = figure.measure(pair, *pose);
      CHECK(depth.inside_count == inside);
      CHECK(depth.depth_m == doctest::Approx(deepest));
      poses_inside += inside > 0;
      if (inside == 0 && pair == trunk) {
        CHECK(figure.clearance_m(pair, *pose, 0.2) == doctest::Approx(nearest));
      }
    }
  }
  CHECK(poses_inside > 40);
}

TEST_CASE("Posing one part again is posing all, where only that part has moved") {
  BoxMan man;
  const SelfPenetration figure = made(man);
  const auto part_by_part = posed(figure, man);
  const std::size_t trunk = pairNamed(figure, "left arm - trunk");
  const std::size_t arms = pairNamed(figure, "right arm - left arm");
  for (const double x : {0.3, 0.12, 0.0, -0.5}) {
    moveHand(man, Vec3(x, 1.3, 0.02));
    figure.posePart(BodyPart::kLeftForearm, man.worlds(), *part_by_part);
    const auto whole = posed(figure, man);
    for (const std::size_t pair : {trunk, arms}) {
      const PairDepth a = figure.measure(pair, *part_by_part), b = figure.measure(pair, *whole);
      CHECK(a.depth_m == b.depth_m);
      CHECK(a.inside_count == b.inside_count);
      CHECK(figure.clearance_m(pair, *part_by_part, 0.3) == figure.clearance_m(pair, *whole, 0.3));
    }
  }
  // A pose that was never posed as a whole is that of rest.
  const auto fresh = figure.makePose();
  figure.posePart(BodyPart::kLeftForearm, man.worlds(), *fresh);
  CHECK(figure.measure(trunk, *fresh).depth_m == figure.measure(trunk, *part_by_part).depth_m);
}

TEST_CASE("What is inside at rest counts in no pose") {
  BoxMan man;
  // A strap that hangs from the left forearm into the trunk.
  addPiece(boxSurface(Vec3(0.1, 1.2, -0.01), Vec3(0.5, 1.22, 0.01)), man.at(kLeftLowerArm),
           man.scene.meshes[0]);
  const SelfPenetration figure = made(man);
  const std::size_t pair = pairNamed(figure, "left arm - trunk");
  const PairDepth depth = figure.measure(pair, *posed(figure, man));
  CHECK(depth.vertex_count == leftForearm(man).size() + 4);
  CHECK(depth.inside_count == 0);
}

TEST_CASE("Near the hip thighs are not held against each other") {
  BoxMan man;
  const SelfPenetration figure = made(man);
  const std::size_t pair = pairNamed(figure, "left thigh - right thigh");
  CHECK(figure.measure(pair, *posed(figure, man)).vertex_count == 4);
  man.local(kLeftUpperLeg).translation += Vec3(-0.1, 0.1, 0.05);
  const PairDepth depth = figure.measure(pair, *posed(figure, man));
  CHECK(depth.inside_count == 1);
  CHECK(depth.depth_m == doctest::Approx(0.04));
}

TEST_CASE("A hole is closed; what stands open on both sides is no body") {
  BoxMan man;
  SkinnedMesh& mesh = man.scene.meshes[0];
  // A skirt, open above and below, and a cape behind the back.
  addPiece(turnedInsideOut(tubeSurface(0.4, 0.2, 0.9)), man.at(kHips), mesh);
  Surface cape;
  cape.positions = {Vec3(-0.3, 0.5, -0.3), Vec3(0.3, 0.5, -0.3), Vec3(0.3, 1.4, -0.2),
                    Vec3(-0.3, 1.4, -0.2)};
  cape.triangles = {0, 1, 2, 0, 2, 3};
  addPiece(cape, man.at(kSpine), mesh);
  const SelfPenetration figure = made(man);
  const std::size_t pair = pairNamed(figure, "left arm - trunk");
  const auto depthAt = [&](const Vec3& place) {
    moveHand(man, place);
    return figure.measure(pair, *posed(figure, man));
  };
  CHECK(depthAt(Vec3(0.3, 0.65, 0.0)).inside_count == 16 * 9 + 2);
  CHECK(depthAt(Vec3(0.3, 0.65, 0.0)).depth_m == doctest::Approx(0.155).epsilon(0.02));
  CHECK(depthAt(Vec3(0.3, 0.1, 0.0)).inside_count == 0);
  for (const double z : {-0.2, -0.23, -0.26, -0.3}) {
    CHECK(depthAt(Vec3(0.2, 1.2, z)).inside_count == 0);
  }
}

TEST_CASE("Pieces inside of others do not shorten the way out") {
  BoxMan man;
  addPiece(boxSurface(Vec3(-0.05, 1.1, -0.05), Vec3(0.05, 1.3, 0.05)), man.at(kSpine),
           man.scene.meshes[0]);
  moveHand(man, Vec3(0.0, 1.2, 0.0));
  const SelfPenetration figure = made(man);
  const PairDepth depth =
      figure.measure(pairNamed(figure, "left arm - trunk"), *posed(figure, man));
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
  const SelfPenetration figure = made(man);
  const std::size_t pair = pairNamed(figure, "left arm - trunk");
  const auto pose = figure.makePose();
  for (const double weight : {0.0, 1.0, 0.5, 0.0}) {
    figure.pose(man.worlds(), std::vector<double>{weight}, *pose);
    // The ball's pole is a vertex on the side of the trunk.
    CHECK(figure.clearance_m(pair, *pose, 1.0) == doctest::Approx(0.09 - 0.1 * weight));
  }
}

TEST_CASE("Units and axes of the file do not matter") {
  BoxMan man;
  moveHand(man, Vec3(0.12, 1.2, 0.02));
  const PairDepth metric = made(man).measure(0, *posed(made(man), man));
  // Centimetres, z up.
  const Quat turn = rotationAbout(Vec3(1, 0, 0), kPi / 2.0);
  BoxMan cm = man;
  for (Vec3& p : cm.scene.meshes[0].positions) p = turn * (100.0 * p);
  for (std::size_t n = 0; n < cm.scene.skeleton.size(); ++n) {
    for (Transform* local : {&cm.scene.skeleton.nodes[n].rest, &cm.pose.locals[n]}) {
      local->translation = turn * (100.0 * local->translation);
    }
    cm.scene.skins[0].joint_from_bind[n].translation =
        turn * (100.0 * cm.scene.skins[0].joint_from_bind[n].translation);
  }
  cm.scene.metric_from_file.linear = 0.01 * glm::mat3_cast(glm::conjugate(turn));
  const SelfPenetration figure = made(cm);
  CHECK(figure.height_m() == doctest::Approx(1.75));
  const PairDepth depth = figure.measure(0, *posed(figure, cm));
  CHECK(depth.depth_m == doctest::Approx(metric.depth_m));
  CHECK(depth.inside_count == metric.inside_count);
  CHECK(distance(depth.way_out_m, metric.way_out_m) < 1e-9);
}

TEST_CASE("A figure with one arm has the pairs of that arm") {
  RoleNames names = plainNames();
  names[static_cast<std::size_t>(kRightUpperArm)] = "";
  names[static_cast<std::size_t>(kRightLowerArm)] = "";
  names[static_cast<std::size_t>(kRightHand)] = "";
  const SelfPenetration figure = made(BoxMan(names));
  std::vector<std::string> arms;
  for (const PartPair& pair : figure.pairs()) {
    if (pair.name.find("arm") != std::string::npos) arms.push_back(pair.name);
  }
  CHECK(arms == std::vector<std::string>{"left arm - trunk", "left arm - head"});
}

TEST_CASE("Without a skin, a trunk or limbs there is nothing to measure") {
  const auto codeOf = [](const BoxMan& man) {
    const auto figure = SelfPenetration::make(man.scene, man.map());
    return figure.ok() ? ErrorCode::kInternal : figure.error().code;
  };
  BoxMan no_mesh, not_skinned, no_trunk, no_number, no_figure;
  no_mesh.scene.meshes.clear();
  CHECK(codeOf(no_mesh) == ErrorCode::kUnsupported);
  not_skinned.scene.meshes[0].skin = -1;
  CHECK(codeOf(not_skinned) == ErrorCode::kUnsupported);
  for (const HumanoidRole role : {kHips, kSpine, kChest, kUpperChest}) {
    no_trunk.nodes[static_cast<std::size_t>(role)] = -1;
  }
  CHECK(codeOf(no_trunk) == ErrorCode::kUnsupported);
  no_number.scene.meshes[0].positions[3].y = std::nan("");
  CHECK(codeOf(no_number) == ErrorCode::kMalformed);
  no_figure.nodes.fill(-1);
  CHECK(codeOf(no_figure) == ErrorCode::kUnsupported);
}

TEST_CASE("A pose of no numbers is measured as nothing") {
  BoxMan man;
  const SelfPenetration figure = made(man);
  man.local(kLeftUpperArm).translation.x = std::nan("");
  const auto pose = posed(figure, man);
  for (std::size_t p = 0; p < figure.pairs().size(); ++p) {
    CHECK(figure.measure(p, *pose).depth_m == 0.0);
  }
  man.local(kSpine).translation.x = std::nan("");
  figure.pose(man.worlds(), {}, *pose);
  for (std::size_t p = 0; p < figure.pairs().size(); ++p) {
    CHECK(figure.measure(p, *pose).depth_m == 0.0);
  }
}
