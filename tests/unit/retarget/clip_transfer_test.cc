// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/clip_transfer.h"

#include "checks.h"
#include "core/to_size.h"
#include "humanoid/make_character.h"
#include "retarget/rest_alignment.h"

TEST_SUITE_BEGIN("retarget.clip_transfer");

namespace {

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::retarget;
using namespace clipmill::test;
using Role = HumanoidRole;

CharacterOptions named(const std::string& prefix, double size = 1.0, double roll_rad = 0.0,
                       int trunk = 2) {
  CharacterOptions options;
  options.prefix = prefix;
  options.size = size;
  options.roll_rad = roll_rad;
  options.trunk = trunk;
  return options;
}

// Centimetres, z up, as 3ds Max and Blender have it.
Affine centimetresZUp() {
  const Mat3 y_from_z(0.01, 0, 0, 0, 0, -0.01, 0, 0.01, 0);
  return {y_from_z, Vec3(0.0)};
}

TransferredClip transfer(Character& source, const Motion& motion, const Character& target) {
  const auto match = matchNodes(source.scene, source.scene.clips[0].animated, source.map,
                                target.scene, target.map);
  CHECK_OK(match);
  auto result = transferClip(source.scene, motion, target.scene, *match);
  CHECK_OK(result);
  return std::move(*result);
}

Vec3 positionOf(const Character& character, const Motion& motion, std::size_t frame, Role role) {
  return positionsIn(character.scene, motion, frame)[toSize(character.map[role])];
}

// Largest distance between joints of the same index, over all frames.
double worstDistance(const Character& a, const Motion& motion_a, const Character& b,
                     const Motion& motion_b) {
  double worst = 0.0;
  for (std::size_t f = 0; f < motion_a.grid.frame_count; ++f) {
    const auto positions_a = positionsIn(a.scene, motion_a, f),
               positions_b = positionsIn(b.scene, motion_b, f);
    for (std::size_t n = 0; n < positions_a.size(); ++n) {
      worst = std::max(worst, glm::length(positions_a[n] - positions_b[n]));
    }
  }
  return worst;
}

Motion stillOf(Character& character) {
  Motion motion = danceOf(character, 0.0);
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    motion.frame(f).locals[0] = character.scene.skeleton.nodes[0].rest;
  }
  return motion;
}

Vec3 direction(const Character& character, const Motion& motion, std::size_t frame, Role from,
               Role to) {
  return glm::normalize(positionOf(character, motion, frame, to) -
                        positionOf(character, motion, frame, from));
}

}  // namespace

TEST_CASE("The same character gets the same locals, bit for bit") {
  Character source = makeCharacter(named("", 1.0, 0.7));
  const Motion motion = danceOf(source);
  const Character target = makeCharacter(named("", 1.0, 0.7));
  const TransferredClip result = transfer(source, motion, target);
  CHECK(result.motion.locals == motion.locals);
  CHECK(result.motion.clip_name == "Dance");
  CHECK(result.motion.modified.has(0, TrackPath::kTranslation));
  CHECK(!result.motion.modified.has(1, TrackPath::kTranslation));
  CHECK(result.warnings.empty());
}

TEST_CASE("The same character in other units, axes and joint axes has the same motion") {
  Character source = makeCharacter(named("", 1.0, 0.7));
  const Motion motion = danceOf(source);
  for (const char* prefix : {"", "other:"}) {  // by names, by roles
    CAPTURE(prefix);
    CharacterOptions options;
    options.roll_rad = -1.3;
    options.prefix = prefix;
    options.metric_from_file = centimetresZUp();
    const Character target = makeCharacter(options);
    const TransferredClip result = transfer(source, motion, target);
    CHECK(worstDistance(source, motion, target, result.motion) < 1e-12);
  }
  // And back from there.
  CharacterOptions options;
  options.roll_rad = -1.3;
  options.metric_from_file = centimetresZUp();
  Character other = makeCharacter(options);
  const Motion dance = danceOf(other);
  const Character target = makeCharacter(named("x"));
  CHECK(worstDistance(other, dance, target, transfer(other, dance, target).motion) < 1e-12);
}

TEST_CASE("A character of a left-handed file moves as one of a right-handed file") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  for (const bool source_is_left : {false, true}) {
    CAPTURE(source_is_left);
    // The same joints in a file with the x axis reversed: every position and rotation is
    // mirrored, and the file's own similarity mirrors it back.
    CharacterOptions options;
    options.prefix = "left_";
    Character mirrored = makeCharacter(options);
    for (Node& node : mirrored.scene.skeleton.nodes) node.rest.translation.x *= -1.0;
    mirrored.scene.metric_from_file.linear[0] = Vec3(-1, 0, 0);
    Motion mirrored_motion = motion;
    for (Transform& local : mirrored_motion.locals) {
      local.translation.x *= -1.0;
      local.rotation.y *= -1.0;
      local.rotation.z *= -1.0;
    }
    mirrored.scene.clips = source.scene.clips;
    CHECK(worstDistance(source, motion, mirrored, mirrored_motion) < 1e-12);
    const TransferredClip result = source_is_left ? transfer(mirrored, mirrored_motion, source)
                                                  : transfer(source, motion, mirrored);
    CHECK(worstDistance(source, motion, source_is_left ? source : mirrored, result.motion) < 1e-12);
  }
}

TEST_CASE("A mirrored joint rotates as the others do") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  CharacterOptions options;
  options.mirrored_arm = true;
  options.prefix = "x";
  options.roll_rad = 0.4;
  const Character target = makeCharacter(options);
  CHECK(target.scene.skeleton.nodes[toSize(target.map[Role::kLeftUpperArm])].rest.scale.x < 0.0);
  CHECK(worstDistance(source, motion, target, transfer(source, motion, target).motion) < 1e-12);
}

TEST_CASE("Arms of an A pose point where those of the T pose do") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  CharacterOptions options;
  options.arms_down_rad = 0.8;
  options.prefix = "a_";
  const Character target = makeCharacter(options);
  const Motion result = transfer(source, motion, target).motion;
  for (const std::size_t f : {0u, 15u, 30u}) {
    for (const auto& [from, to] : {std::pair(Role::kLeftUpperArm, Role::kLeftLowerArm),
                                   std::pair(Role::kLeftLowerArm, Role::kLeftHand),
                                   std::pair(Role::kRightUpperArm, Role::kRightLowerArm),
                                   std::pair(Role::kRightLowerLeg, Role::kRightFoot)}) {
      CHECK(distance(direction(source, motion, f, from, to),
                     direction(target, result, f, from, to)) < 1e-12);
    }
  }
  // At rest the source has its arms level, and so has the target then.
  CHECK(direction(target, result, 0, Role::kRightUpperArm, Role::kRightHand).x ==
        doctest::Approx(-1.0));
  // And the reverse: from A to T.
  Character a_pose = makeCharacter(options);
  const Motion from_a = stillOf(a_pose);
  const Character t_pose = makeCharacter();
  const Motion lowered = transfer(a_pose, from_a, t_pose).motion;
  CHECK(direction(t_pose, lowered, 0, Role::kLeftUpperArm, Role::kLeftHand).y ==
        doctest::Approx(-std::sin(0.8)));
}

TEST_CASE("A character twice as tall moves and crouches by twice the distance") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  CharacterOptions options;
  options.size = 2.0;
  options.prefix = "big_";
  const Character target = makeCharacter(options);
  const Motion result = transfer(source, motion, target).motion;
  for (const std::size_t f : {0u, 10u, 30u}) {
    for (const Role role : {Role::kHips, Role::kLeftFoot, Role::kRightToes, Role::kLeftHand}) {
      CHECK(distance(positionOf(target, result, f, role),
                     2.0 * positionOf(source, motion, f, role)) < 1e-12);
    }
  }
}

TEST_CASE("A character that faces elsewhere moves in the direction it faces") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  for (const double rotation : {1.0, kPi, -2.0}) {
    CharacterOptions options;
    options.rotation_rad = rotation;
    options.prefix = "x";
    options.origin = Vec3(3, 0, -1);
    const Character target = makeCharacter(options);
    const Motion result = transfer(source, motion, target).motion;
    const Quat about = rotationAbout(Vec3(0, 1, 0), rotation);
    for (const Role role : {Role::kHips, Role::kHead, Role::kLeftHand, Role::kRightToes}) {
      const Vec3 expected = options.origin + about * positionOf(source, motion, 20, role);
      CHECK(distance(positionOf(target, result, 20, role), expected) < 1e-12);
    }
  }
}

TEST_CASE("A rest pose with its hips in the origin is raised to the floor of its clip") {
  // Motion capture: the rest pose hangs below the floor, the clip is on it.
  CharacterOptions below;
  below.origin = Vec3(0, -0.95, 0);
  Character source = makeCharacter(below);
  Motion motion = stillOf(source);
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    motion.frame(f).locals[0].translation.y += 0.95;
  }
  const Character target = makeCharacter(named("x", 1.5));
  const Motion result = transfer(source, motion, target).motion;
  CHECK(positionOf(target, result, 0, Role::kHips).y == doctest::Approx(1.5 * 0.95));
  CHECK(positionOf(target, result, 0, Role::kLeftFoot).y == doctest::Approx(1.5 * 0.08));
  // A leap, whose rest pose is on the floor, is no such case.
  Character standing = makeCharacter();
  Motion leap = stillOf(standing);
  for (std::size_t f = 0; f < leap.grid.frame_count; ++f) {
    leap.frame(f).locals[0].translation.y += 0.5;
  }
  const Motion leapt = transfer(standing, leap, target).motion;
  CHECK(positionOf(target, leapt, 0, Role::kLeftFoot).y == doctest::Approx(1.5 * (0.08 + 0.5)));
}

TEST_CASE("The last joint of the trunk carries the shoulders, however many there are") {
  for (const int from : {1, 2, 3}) {
    for (const int to : {1, 2, 3}) {
      CAPTURE(from);
      CAPTURE(to);
      Character source = makeCharacter(named("", 1.0, 0.0, from));
      const Motion motion = danceOf(source);
      const Character target = makeCharacter(named("x", 1.0, 0.0, to));
      const Motion result = transfer(source, motion, target).motion;
      for (const auto& [a, b] : {std::pair(Role::kLeftUpperArm, Role::kLeftHand),
                                 std::pair(Role::kLeftUpperArm, Role::kRightUpperArm)}) {
        CHECK(distance(direction(source, motion, 30, a, b), direction(target, result, 30, a, b)) <
              1e-12);
      }
    }
  }
}

TEST_CASE("Rotations keep to one hemisphere") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source, 12.0);
  const Character target = makeCharacter(named("x", 1.0, 2.0));
  const Motion result = transfer(source, motion, target).motion;
  for (std::size_t f = 1; f < result.grid.frame_count; ++f) {
    for (std::size_t n = 0; n < result.node_count; ++n) {
      CHECK(glm::dot(result.localsOf(f - 1)[n].rotation, result.localsOf(f)[n].rotation) > 0.0);
    }
  }
}

TEST_CASE("Nodes without a counterpart are counted, and other nodes rest") {
  Character source = makeCharacter();
  Motion motion = danceOf(source);
  Character target = makeCharacter(named("x"));
  Node tail;
  tail.name = "Tail";
  tail.parent = 0;
  tail.source_id = 99;
  tail.rest.translation = Vec3(0, 0, -0.2);
  target.scene.skeleton.nodes.push_back(tail);
  Clip wag;
  wag.animated = TrackMask(target.scene.skeleton.size());
  const int tail_node = static_cast<int>(target.scene.skeleton.size()) - 1;
  wag.animated.set(tail_node, TrackPath::kRotation);
  target.scene.clips.push_back(wag);
  // Without its toes the target has no node for that motion.
  target.map.nodes[toSize(Role::kLeftToes)] = -1;
  const TransferredClip result = transfer(source, motion, target);
  CHECK(result.warnings.count("unmatched_motion") == 1);
  CHECK(result.warnings.all()[0].first.ends_with("leftToes"));
  CHECK(result.motion.localsOf(30)[toSize(tail_node)] == tail.rest);
  // Another clip moves the tail: this one keys it at rest.
  CHECK(result.motion.modified.has(tail_node, TrackPath::kRotation));
  CHECK(!result.motion.modified.has(tail_node, TrackPath::kTranslation));
}

TEST_CASE("Any skeleton takes the clip of its namesake, lengths by their extent") {
  const auto chain = [](double bone) {
    Character character;
    for (int i = 0; i < 3; ++i) {
      Node node;
      node.name = "bone" + std::to_string(i);
      node.parent = i - 1;
      node.rest.translation = Vec3(0, i > 0 ? bone : 0.0, 0);
      character.scene.skeleton.nodes.push_back(node);
    }
    return character;
  };
  Character source = chain(1.0);
  const Motion motion = danceOf(source);
  const Character target = chain(3.0);
  const Motion result = transfer(source, motion, target).motion;
  for (std::size_t n = 0; n < 3; ++n) {
    CHECK(distance(positionsIn(target.scene, result, 30)[n],
                   3.0 * positionsIn(source.scene, motion, 30)[n]) < 1e-12);
  }
}

TEST_CASE("Nodes whose names repeat are identified by their paths") {
  Scene scene;
  const auto add = [&](const char* name, int parent) {
    Node node;
    node.name = name;
    node.parent = parent;
    node.source_id = static_cast<int>(scene.skeleton.size());
    node.rest.translation = Vec3(0.1 * node.source_id, 1.0, 0.0);
    scene.skeleton.nodes.push_back(node);
    return node.source_id;
  };
  const int root = add("root", -1);
  const int left = add("foot", add("left", root)), right = add("foot", add("right", root));
  Clip clip;
  clip.name = "Tap";
  clip.end_s = 1.0;
  clip.animated = TrackMask(scene.skeleton.size());
  for (int node : {left, right}) clip.animated.set(node, TrackPath::kRotation);
  Scene other = scene;
  scene.clips.push_back(clip);
  const auto match = matchNodes(scene, clip.animated, other);
  CHECK_OK(match);
  CHECK(match->origin == NodeMatch::Origin::kSameRig);
  REQUIRE(match->pairs.size() == 2);
  for (const NodePair& pair : match->pairs) CHECK(pair.source == pair.target);
  // Another one of that name at the same path: nothing distinguishes them.
  Node twin = other.skeleton.nodes[toSize(left)];
  other.skeleton.nodes.push_back(twin);
  other.skeleton.nodes[toSize(left)].name = "toe";
  CHECK(matchNodes(scene, clip.animated, other)->pairs.size() == 2);
  other.skeleton.nodes[toSize(left)].name = "foot";
  CHECK_FALSE(matchNodes(scene, clip.animated, other).ok());
}

TEST_CASE("Characters that do not match are refused with a list of found roles") {
  Character source = makeCharacter();
  danceOf(source);
  const TrackMask& animated = source.scene.clips[0].animated;
  Character box;
  box.scene.skeleton.nodes.emplace_back();
  const auto no_character = matchNodes(source.scene, animated, source.map, box.scene, box.map);
  REQUIRE(!no_character.ok());
  CHECK(no_character.error().code == ErrorCode::kUnsupported);
  CHECK(no_character.error().message.find("0 of 18 moving nodes") != std::string::npos);
  CHECK(no_character.error().message.find("no human character") != std::string::npos);
  Character unsure = makeCharacter(named("x"));
  unsure.map.confidence = 0.2;
  unsure.map.doubts = {"the left hand is on the right"};
  const auto doubtful = matchNodes(source.scene, animated, source.map, unsure.scene, unsure.map);
  REQUIRE(!doubtful.ok());
  CHECK(doubtful.error().message.find("the left hand is on the right") != std::string::npos);
}

TEST_CASE("A character below a scale of zero is refused") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  Character target = makeCharacter(named("x"));
  target.scene.metric_from_file.linear = Mat3(0.0);
  const auto match = matchNodes(source.scene, source.scene.clips[0].animated, source.map,
                                target.scene, target.map);
  CHECK_OK(match);
  const auto result = transferClip(source.scene, motion, target.scene, *match);
  REQUIRE(!result.ok());
  CHECK(result.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("Fingers follow where both files declare them") {
  Character source = makeCharacter(), target = makeCharacter(named("x"));
  for (Character* character : {&source, &target}) {
    Node finger;
    finger.name = character == &source ? "f" : "g";
    finger.parent = character->map[Role::kLeftHand];
    finger.rest.translation = Vec3(0.08, 0, 0);
    character->scene.humanoid.push_back(
        {"leftIndexProximal", static_cast<int>(character->scene.skeleton.size())});
    character->scene.skeleton.nodes.push_back(finger);
  }
  const Motion motion = danceOf(source);
  const Motion result = transfer(source, motion, target).motion;
  const std::size_t finger = source.scene.skeleton.size() - 1;
  CHECK(result.modified.has(static_cast<int>(finger), TrackPath::kRotation));
  std::vector<Mat3> from, to;
  computeAxes(source.scene, motion.localsOf(30), from);
  computeAxes(target.scene, result.localsOf(30), to);
  CHECK(angleBetween(glm::quat_cast(from[finger]), glm::quat_cast(to[finger])) < 1e-7);
}

TEST_CASE("A character whose file has another rest pose is measured in its bind pose") {
  Character source = makeCharacter();
  const Motion motion = danceOf(source);
  Character target = makeCharacter(named("x", 1.0, 0.6));
  const Motion expected = transfer(source, motion, target).motion;
  // The same character, kept in the middle of a run.
  Skin skin;
  const RestPose bind(target.scene);
  for (std::size_t n = 0; n < target.scene.skeleton.size(); ++n) {
    skin.joints.push_back(static_cast<int>(n));
    skin.joint_from_bind.push_back(inverse(bind.worlds[n]));
  }
  target.scene.skins.push_back(skin);
  CHECK(bindLocals(target.scene) == restPose(target.scene.skeleton).locals);
  for (std::size_t n = 1; n < target.scene.skeleton.size(); ++n) {
    Quat& rotation = target.scene.skeleton.nodes[n].rest.rotation;
    rotation =
        rotation * rotationAbout(Vec3(0.6, 0.0, 0.8), 0.3 + 0.1 * static_cast<double>(n % 5));
  }
  const Motion result = transfer(source, motion, target).motion;
  CHECK(worstDistance(target, expected, target, result) < 1e-12);
}

// By names on one side and by shape on the other, with a prefix that no finger of the source has.
TEST_CASE("Fingers follow by their position in the hand, whatever their names are") {
  Character source = makeCharacter(), target = makeCharacter(named("x"));
  const char* const kNames[] = {"Thumb", "Index", "Middle", "Ring", "Pinky"};
  std::vector<int> tips;
  for (Character* character : {&source, &target}) {
    for (int finger = 0; finger < 5; ++finger) {
      int above = character->map[Role::kLeftHand];
      for (int joint = 1; joint <= 3; ++joint) {
        Node node;
        const std::string number = std::to_string(joint);
        node.name = character == &source
                        ? "LeftHand" + std::string(kNames[finger]) + number
                        : "bone" + std::to_string(100 - 10 * finger) + "." + number;
        node.parent = above;
        const Vec3 along = finger == 0 ? Vec3(0.02, 0, 0.02) : Vec3(0.03, 0, 0);
        node.rest.translation =
            joint > 1 ? along : Vec3(0.02 + 0.06 * (finger > 0), 0, 0.04 - 0.02 * finger);
        above = static_cast<int>(character->scene.skeleton.size());
        character->scene.skeleton.nodes.push_back(node);
      }
      if (character == &source) tips.push_back(above);
    }
  }
  const Motion motion = danceOf(source);
  const Motion result = transfer(source, motion, target).motion;
  std::vector<Mat3> from, to;
  computeAxes(source.scene, motion.localsOf(30), from);
  computeAxes(target.scene, result.localsOf(30), to);
  for (const int tip : tips) {
    for (int joint = tip - 2; joint <= tip; ++joint) {
      CHECK(result.modified.has(joint, TrackPath::kRotation));
      CHECK(angleBetween(glm::quat_cast(from[toSize(joint)]), glm::quat_cast(to[toSize(joint)])) <
            1e-7);
    }
  }
}
