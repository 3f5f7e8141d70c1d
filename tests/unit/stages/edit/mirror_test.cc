// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/mirror.h"

#include <cmath>

#include "core/to_size.h"
#include "humanoid/make_character.h"
#include "retarget/counterparts.h"
#include "stages/blend/strider.h"

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::retarget;
using namespace clipmill::stages;
using namespace clipmill::stages::edit;
using namespace clipmill::test;

TEST_SUITE_BEGIN("edit.mirror");

namespace {

StageResult mirrored(const Scene& scene, const Motion& motion,
                     const MirrorSettings& settings = {}) {
  auto results = runMirror({scene, std::span(&motion, 1), 1}, settings);
  CHECK_OK(results);
  return results->front();
}

int otherSide(const Character& character, int node) {
  const std::string name = character.scene.skeleton.nodes[toSize(node)].name;
  std::string other = name;
  if (name.starts_with("left")) other = "right" + name.substr(4);
  if (name.starts_with("right")) other = "left" + name.substr(5);
  return findNodes(character.scene.skeleton, other).front();
}

// Where a point comes to be on the other side of a character that faces `rotation_rad`.
Vec3 reflected(const Vec3& point, double rotation_rad) {
  const Vec3 lateral(std::cos(rotation_rad), 0.0, -std::sin(rotation_rad));
  return point - 2.0 * glm::dot(point, lateral) * lateral;
}

double worstFromReflection(const Character& character, const Motion& before, const Motion& after,
                           double rotation_rad) {
  double worst = 0.0;
  for (std::size_t frame = 0; frame < before.grid.frame_count; ++frame) {
    const auto was = positionsIn(character.scene, before, frame);
    const auto is = positionsIn(character.scene, after, frame);
    for (std::size_t n = 0; n < was.size(); ++n) {
      const auto other = toSize(otherSide(character, static_cast<int>(n)));
      worst = std::max(worst, distance(is[n], reflected(was[other], rotation_rad)));
    }
  }
  return worst;
}

// A skin of all nodes, bound in the rest pose, with a vertex at each.
void bindAtRest(Scene& scene) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, worlds);
  Skin skin;
  SkinnedMesh mesh;
  mesh.node = 0;
  mesh.skin = 0;
  for (std::size_t n = 0; n < worlds.size(); ++n) {
    skin.joints.push_back(static_cast<int>(n));
    skin.joint_from_bind.push_back(inverse(worlds[n]));
    mesh.positions.push_back(worlds[n].translation);
    mesh.influence_start.push_back(n);
    mesh.influences.push_back({static_cast<std::uint32_t>(n), 1.0});
  }
  mesh.influence_start.push_back(worlds.size());
  scene.skins = {skin};
  scene.meshes = {mesh};
}

Affine centimetresZUp() {
  const Mat3 y_from_z(0.01, 0, 0, 0, 0, -0.01, 0, 0.01, 0);
  return {y_from_z, Vec3(0.0)};
}

}  // namespace

TEST_CASE("every joint is at the reflection of its counterpart") {
  for (double rotation_rad : {0.0, 0.8}) {
    for (double roll_rad : {0.0, 0.9}) {
      for (bool in_centimetres : {false, true}) {
        CharacterOptions options;
        options.rotation_rad = rotation_rad;
        options.roll_rad = roll_rad;  // other axes on both sides
        options.arms_down_rad = 0.6;
        if (in_centimetres) options.metric_from_file = centimetresZUp();
        Character character = makeCharacter(options);
        const Motion dance = danceOf(character);
        const StageResult result = mirrored(character.scene, dance);
        CHECK(worstFromReflection(character, dance, result.motion, rotation_rad) < 1e-6);
        CHECK(metricOf(result, "mirrored_pairs") == 7.0);
        CHECK(result.warnings.all().empty());
      }
    }
  }
}

TEST_CASE("where the file stores a frame of motion the pose of the skin's binding is mirrored by") {
  Character character = makeCharacter();
  const Motion dance = danceOf(character);
  Scene& scene = character.scene;
  bindAtRest(scene);
  const auto rotate = [&](HumanoidRole role, const Vec3& axis, double angle_rad) {
    Transform& rest = scene.skeleton.nodes[toSize(character.map[role])].rest;
    rest.rotation = rest.rotation * rotationAbout(axis, angle_rad);
  };
  rotate(HumanoidRole::kHips, Vec3(0, 0, 1), 0.06);
  rotate(HumanoidRole::kLeftUpperArm, Vec3(0, 1, 0), 1.0);
  rotate(HumanoidRole::kRightUpperLeg, Vec3(1, 0, 0), 0.9);
  rotate(HumanoidRole::kRightLowerLeg, Vec3(1, 0, 0), -1.2);
  const StageResult result = mirrored(scene, dance);
  CHECK(worstFromReflection(character, dance, result.motion, 0.0) < 1e-6);
  CHECK(result.warnings.all().empty());
  scene.skins.clear();
  scene.meshes.clear();
  const StageResult unbound = mirrored(scene, dance);
  CHECK(worstFromReflection(character, dance, unbound.motion, 0.0) > 0.05);
  CHECK(unbound.warnings.all().front().code == "rest_not_symmetric");
}

TEST_CASE("a raised left arm becomes a raised right arm") {
  Character character = makeCharacter();
  Motion motion = danceOf(character, 0.0);
  const auto left = toSize(character.map[HumanoidRole::kLeftUpperArm]);
  const auto right = toSize(character.map[HumanoidRole::kRightUpperArm]);
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    motion.frame(frame).locals[left].rotation = rotationAbout(Vec3(0, 0, 1), 0.5);
  }
  const Motion made = mirrored(character.scene, motion).motion;
  CHECK(distance(made.localsOf(7)[right].rotation, rotationAbout(Vec3(0, 0, 1), -0.5)) < 1e-8);
  CHECK(distance(made.localsOf(7)[left].rotation, kIdentityRotation) < 1e-8);
  // A step to the left becomes one to the right; ahead stays ahead.
  CHECK(distance(made.localsOf(30)[0].translation, Vec3(-0.1, 0.95, 1.0)) < 1e-9);
}

TEST_CASE("mirroring twice restores a clip, also on an asymmetric character") {
  for (bool mirrored_arm : {false, true}) {
    CharacterOptions options;
    options.roll_rad = 0.7;
    options.rotation_rad = 0.4;
    options.mirrored_arm = mirrored_arm;
    Character character = makeCharacter(options);
    Skeleton& skeleton = character.scene.skeleton;
    skeleton.nodes[5].rest.translation += Vec3(0.03, 0.02, 0.01);
    skeleton.nodes[5].rest.rotation =
        skeleton.nodes[5].rest.rotation * rotationAbout(Vec3(0, 1, 0), 0.2);
    const Motion dance = danceOf(character);
    const Motion once = mirrored(character.scene, dance).motion;
    const Motion twice = mirrored(character.scene, once).motion;
    double worst = 0.0;
    for (std::size_t frame = 0; frame < dance.grid.frame_count; ++frame) {
      for (std::size_t n = 0; n < dance.node_count; ++n) {
        worst = std::max(worst, worstLocal(twice.localsOf(frame)[n], dance.localsOf(frame)[n]));
      }
    }
    CHECK(worst < 1e-6);
  }
}

TEST_CASE("tracks that move on neither side are not written") {
  Character character = makeCharacter();
  const Motion still = danceOf(character, 0.0);
  character.scene.clips[0].animated = TrackMask(character.scene.skeleton.size());
  character.scene.clips[0].animated.set(character.map[HumanoidRole::kLeftHand],
                                        TrackPath::kRotation);
  Motion held = still;
  for (std::size_t frame = 0; frame < held.grid.frame_count; ++frame) {
    held.frame(frame).locals[0] = character.scene.skeleton.nodes[0].rest;
  }
  const Motion made = mirrored(character.scene, held).motion;
  for (int node = 0; node < static_cast<int>(made.node_count); ++node) {
    const bool is_hand = node == character.map[HumanoidRole::kLeftHand] ||
                         node == character.map[HumanoidRole::kRightHand];
    CHECK(made.modified.any(node) == is_hand);
  }
}

TEST_CASE("a character without two sides is refused, and sides can be given") {
  Strider character;
  character.stride("Walk", 1.0, 30.0, 1.0, 0.3, 0.4);
  const Motion walk = character.motion(0);
  const auto refused = runMirror({character.scene, std::span(&walk, 1), 1}, {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kUnsupported);
  MirrorSettings settings;
  settings.pair = {"leg=spine"};
  CHECK(metricOf(mirrored(character.scene, walk, settings), "mirrored_pairs") == 1.0);
  for (const char* wrong : {"leg", "leg=tail", "leg=spine=head"}) {
    settings.pair = {wrong};
    CHECK_FALSE(runMirror({character.scene, std::span(&walk, 1), 1}, settings).ok());
  }
  settings.pair = {"leg=spine", "head=spine"};
  const auto twice = runMirror({character.scene, std::span(&walk, 1), 1}, settings);
  REQUIRE_FALSE(twice.ok());
  CHECK(describe(twice.error()).find("'spine' has a counterpart") != std::string::npos);
}

TEST_CASE("counterparts are found by sides in names, and below counterparts by the same name") {
  Scene scene;
  const auto add = [&](const char* name, int parent) {
    Node node;
    node.name = name;
    node.parent = parent;
    node.source_id = static_cast<int>(scene.skeleton.size());
    scene.skeleton.nodes.push_back(node);
    return node.source_id;
  };
  const int body = add("body", -1);
  const int left = add("Hand_L", body), right = add("hand.R", body);
  const int left_finger = add("finger", left), right_finger = add("finger", right);
  const int sword = add("sword", left);
  const int wing_left = add("\u5de6\u7ffc", body), wing_right = add("\u53f3\u7ffc", body);
  const int lonely = add("LeftEye", body);
  const int tail = add("tail", body);
  const int left_leg = add("b_LeftLeg01_015", body), right_leg = add("b_RightLeg01_019", body);
  const auto found = findCounterparts(scene, HumanoidMap(), {});
  CHECK_OK(found);
  const std::vector<int> expected = {body,        right, left,       right_finger,
                                     left_finger, -1,    wing_right, wing_left,
                                     -1,          tail,  right_leg,  left_leg};
  CHECK(*found == expected);
  CHECK((*found)[toSize(sword)] == -1);
  CHECK((*found)[toSize(lonely)] == -1);
}
