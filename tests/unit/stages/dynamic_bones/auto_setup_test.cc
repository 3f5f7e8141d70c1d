// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/chains/auto_setup.h"

#include <algorithm>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "human_scene.h"
#include "stages/dynamic_bones/chains/chain.h"
#include "stages/dynamic_bones/chains/chain_patterns.h"
#include "stages/dynamic_bones/chains/chain_presets.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;
using enum clipmill::humanoid::HumanoidRole;

TEST_SUITE_BEGIN("dynamic_bones.auto_setup");

namespace {

// A row of joints straight down from `from`, named "<name>1", "<name>2", ..; the first of them.
int addRow(Scene& scene, const std::string& name, int parent, const Vec3& from, int count,
           double bone_m = 0.1) {
  int first = -1;
  for (int i = 0; i < count; ++i) {
    parent = addAt(scene, name + std::to_string(i + 1), parent, from - Vec3(0, bone_m * i, 0));
    if (i == 0) first = parent;
  }
  return first;
}

// Names of the nodes that the found settings simulate, in the order of nodes.
std::vector<std::string> simulated(const Scene& scene, const AutoSetup& setup) {
  std::vector<ChainSettings> chains;
  for (const FoundChain& chain : setup.chains) chains.push_back(chain.settings);
  const auto nodes = findChains(scene.skeleton, chains);
  CHECK_OK(nodes);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    if ((*nodes)[i].chain >= 0) names.push_back(scene.skeleton.nodes[i].name);
  }
  return names;
}

AutoSetup find(const Scene& scene, std::span<const Motion> motions = {},
               const std::vector<ChainSettings>& given = {}) {
  return findChainsToSwing(scene, findHumanoid(scene), motions, given);
}

// A clip of two frames in which `node` rotates.
Motion rotating(const Scene& scene, int node) {
  Motion motion;
  motion.grid = makeGrid(0.0, 1.0, 1.0);
  motion.node_count = scene.skeleton.size();
  motion.modified = TrackMask(scene.skeleton.size());
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    const Pose pose = restPose(scene.skeleton);
    motion.locals.insert(motion.locals.end(), pose.locals.begin(), pose.locals.end());
  }
  motion.frame(1).locals[toSize(node)].rotation = rotationAbout(Vec3(1, 0, 0), 0.1);
  return motion;
}

}  // namespace

TEST_CASE("Names by position: what hangs on a thing that is carried swings, a wing does not") {
  HumanScene human = humanScene(plainNames());
  Scene& scene = human.scene;
  const int bag = addAt(scene, "Bag", human.at(kSpine), Vec3(0, 1.1, -0.2));
  addRow(scene, "bag_rope", bag, Vec3(0.1, 1.05, -0.2), 2);
  const int hat = addAt(scene, "Hat", human.at(kHead), Vec3(0, 1.7, 0));
  addRow(scene, "hat_feather", hat, Vec3(0, 1.75, 0), 2);
  addRow(scene, "Wing_L_", human.at(kUpperChest), Vec3(0.2, 1.3, -0.2), 5);
  addRow(scene, "Leaf_L_", human.at(kHead), Vec3(0.05, 1.75, 0), 2);
  addRow(scene, "Bun", human.at(kHead), Vec3(0, 1.7, -0.1), 2);
  addRow(scene, "Sword", human.at(kRightHand), Vec3(-0.8, 1.4, 0), 3);
  const AutoSetup setup = find(scene);
  CHECK(simulated(scene, setup) ==
        std::vector<std::string>{"bag_rope1", "bag_rope2", "hat_feather1", "hat_feather2",
                                 "Leaf_L_1", "Leaf_L_2", "Bun1", "Bun2"});
}

TEST_CASE("A skirt, hair and a tail give one setting each that matches exactly their nodes") {
  HumanScene human = humanScene(plainNames());
  Scene& scene = human.scene;
  std::vector<std::string> expected;
  for (int k = 1; k <= 8; ++k) {
    const double angle = 2 * kPi * k / 8;
    addRow(scene, "Skirt" + std::to_string(k) + "_", human.at(kHips),
           Vec3(0.15 * std::cos(angle), 0.9, 0.15 * std::sin(angle)), 3);
  }
  for (int k = 1; k <= 4; ++k) {
    addRow(scene, "Hair" + std::to_string(k) + "_", human.at(kHead), Vec3(0.05 * k, 1.6, -0.1), 4);
  }
  addRow(scene, "Tail", human.at(kHips), Vec3(0.0, 0.9, -0.1), 6);
  const AutoSetup setup = find(scene);
  REQUIRE(setup.chains.size() == 3);
  CHECK(setup.chains[0].chain_class == ChainClass::kSkirt);
  CHECK(setup.chains[0].settings.root == "Skirt*_1");
  CHECK(setup.chains[0].settings.cross == CrossShape::kAuto);
  CHECK(setup.chains[0].chain_count == 8);
  CHECK(setup.chains[0].joint_count == 24);
  CHECK(setup.notes[0] == "skirt: 8 chains below 'hips', 24 joints, by name: 'Skirt*_1'");
  CHECK(setup.chains[1].settings.root == "Hair*_1");
  CHECK(setup.chains[1].settings.cross == CrossShape::kNone);
  CHECK(setup.chains[2].settings.root == "Tail1");
  CHECK(simulated(scene, setup).size() == 24 + 16 + 6);

  DynamicBonesSettings settings;
  CHECK(addFoundChains(scene, {}, settings) == setup.notes);
  const auto rig = makeRig(scene, settings);
  CHECK_OK(rig);
  CHECK(rig->joints.size() == 46);  // last joints have virtual tips

  // Nothing of it is needed where chains are given: also below a chain, also above one.
  const AutoSetup none = find(scene, {}, settings.chain);
  CHECK(none.chains.empty());
}

TEST_CASE("VRoid names of hair, skirts, sleeves and bust are found below body joints") {
  HumanScene human = humanScene(plainNames());
  Scene& scene = human.scene;
  for (const char* k : {"1", "2", "12"}) {
    addRow(scene, std::string("J_Sec_Hair") + k + "_0", human.at(kHead), Vec3(0, 1.6, -0.1), 3);
  }
  for (const char* side : {"L", "R"}) {
    const std::string prefix = std::string("J_Sec_") + side + "_";
    addRow(scene, prefix + "Bust", human.at(kUpperChest), Vec3(0, 1.3, 0.1), 2);
    addRow(scene, prefix + "CoatSkirtFront", human.at(kHips), Vec3(0, 0.9, 0.1), 2);
    addRow(scene, prefix + "CoatSkirtBack", human.at(kHips), Vec3(0, 0.9, -0.1), 2);
  }
  bindAll(scene);
  const AutoSetup setup = find(scene);
  REQUIRE(setup.chains.size() == 2);
  CHECK(setup.chains[0].chain_class == ChainClass::kHair);
  CHECK(setup.chains[0].chain_count == 3);
  CHECK(setup.chains[1].chain_class == ChainClass::kSkirt);
  CHECK(setup.chains[1].chain_count == 4);
  CHECK(simulated(scene, setup).size() == 9 + 8);
  REQUIRE(setup.notes.size() == 3);
  CHECK(setup.notes[2].starts_with("breast: 2 chains below 'upperChest', 4 joints"));
  CHECK(setup.notes[2].find("left out") != std::string::npos);
}

TEST_CASE("Chains are found by name in a character without humanoid map") {
  Scene scene;
  addAt(scene, "root", -1, Vec3(0.0));
  addRow(scene, "tail_0", 0, Vec3(0, 1, 0), 4);
  addRow(scene, "detail_0", 0, Vec3(1, 1, 0), 4);
  const AutoSetup setup = find(scene);
  REQUIRE(setup.chains.size() == 1);
  CHECK(simulated(scene, setup) ==
        std::vector<std::string>{"tail_01", "tail_02", "tail_03", "tail_04"});
}

TEST_CASE("A chain that all clips animate is left out with a note, which names clip and joint") {
  HumanScene human = humanScene(plainNames());
  addRow(human.scene, "Tail", human.at(kHips), Vec3(0, 0.9, -0.1), 4);
  addRow(human.scene, "Hair", human.at(kHead), Vec3(0, 1.6, -0.1), 4);
  const int joint = static_cast<int>(human.scene.skeleton.size()) - 6;  // "Tail3"
  std::vector<Motion> motions = {rotating(human.scene, joint)};
  motions[0].clip_name = "Wag";
  const AutoSetup setup = find(human.scene, motions);
  REQUIRE(setup.chains.size() == 1);
  CHECK(setup.chains[0].chain_class == ChainClass::kHair);
  CHECK_FALSE(setup.chains[0].settings.skip_animated);
  REQUIRE(setup.notes.size() == 2);
  CHECK(setup.notes[1] ==
        "tail: 1 chain below 'hips', 4 joints, by name, left out: animated by 1 of 1 clip: 'Wag' "
        "(joint 'Tail3')");
  const AutoSetup about = findChainsToSwing(human.scene, findHumanoid(human.scene), motions, {},
                                            AnimatedChains::kSimulate);
  CHECK(about.chains.size() == 2);
}

TEST_CASE("A chain that some clips animate is simulated in the others") {
  HumanScene human = humanScene(plainNames());
  addRow(human.scene, "Tail", human.at(kHips), Vec3(0, 0.9, -0.1), 4);
  addRow(human.scene, "Hair", human.at(kHead), Vec3(0, 1.6, -0.1), 4);
  const std::size_t tail = human.scene.skeleton.size() - 8;
  std::vector<Motion> motions = {rotating(human.scene, human.at(kHips)),
                                 rotating(human.scene, static_cast<int>(tail) + 2)};
  motions[0].clip_name = "Walk";
  motions[1].clip_name = "Wag";
  DynamicBonesSettings settings;
  const auto notes = addFoundChains(human.scene, motions, settings);
  REQUIRE(settings.chain.size() == 2);
  CHECK(settings.chain[0].skip_animated);
  CHECK_FALSE(settings.chain[1].skip_animated);
  CHECK(notes[0].ends_with(
      "'Tail1', animated by 1 of 2 clips: 'Wag' (joint 'Tail3'), left out there"));

  const auto results = runDynamicBones({human.scene, motions, 1}, settings);
  CHECK_OK(results);
  const auto isWritten = [&](std::size_t clip, std::size_t node) {
    return (*results)[clip].motion.modified.has(static_cast<int>(node), TrackPath::kRotation);
  };
  CHECK(isWritten(0, tail));
  CHECK_FALSE(isWritten(1, tail));
  CHECK(isWritten(0, tail + 4));
  CHECK(isWritten(1, tail + 4));
  CHECK(std::count((*results)[1].notes.begin(), (*results)[1].notes.end(),
                   "chain 'Tail1' is left out: the clip animates joint 'Tail3'") == 1);
  // The clip in which it is animated keeps all of its keys there.
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK((*results)[1].motion.localsOf(1)[tail + i] == motions[1].localsOf(1)[tail + i]);
  }

  // Simulated about its animated pose, if asked for.
  DynamicBonesSettings about;
  about.animated = AnimatedChains::kSimulate;
  CHECK(addFoundChains(human.scene, motions, about)[0].ends_with(
      "simulated about the animated pose"));
  const auto simulated_too = runDynamicBones({human.scene, motions, 1}, about);
  CHECK_OK(simulated_too);
  CHECK((*simulated_too)[1].motion.modified.has(static_cast<int>(tail), TrackPath::kRotation));
}

TEST_CASE("A clip that animates all found chains is not modified") {
  HumanScene human = humanScene(plainNames());
  addRow(human.scene, "Tail", human.at(kHips), Vec3(0, 0.9, -0.1), 4);
  const int tail = static_cast<int>(human.scene.skeleton.size()) - 4;
  std::vector<Motion> motions = {rotating(human.scene, human.at(kHips)),
                                 rotating(human.scene, tail)};
  DynamicBonesSettings settings;
  addFoundChains(human.scene, motions, settings);
  const auto results = runDynamicBones({human.scene, motions, 1}, settings);
  CHECK_OK(results);
  CHECK((*results)[0].motion.modified.any(tail));
  CHECK_FALSE((*results)[1].motion.modified.any(tail));
  CHECK((*results)[1].motion.locals == motions[1].locals);
}

TEST_CASE("Keys that never change are no animation") {
  HumanScene human = humanScene(plainNames());
  addRow(human.scene, "Tail", human.at(kHips), Vec3(0, 0.9, -0.1), 4);
  const std::size_t tail = human.scene.skeleton.size() - 4;
  // Every frame has the same rotation, which is not that of the rest pose.
  Motion motion = rotating(human.scene, human.at(kHips));
  for (std::size_t frame : {0, 1}) {
    for (std::size_t i = 0; i < 4; ++i) {
      motion.frame(frame).locals[tail + i].rotation = rotationAbout(Vec3(1, 0, 0), 0.3);
    }
  }
  CHECK(find(human.scene, std::span(&motion, 1)).chains.size() == 1);
}

TEST_CASE("The error of a file without chains does not ask for what was asked for already") {
  HumanScene human = humanScene(plainNames());
  DynamicBonesSettings settings;
  settings.found_notes = addFoundChains(human.scene, {}, settings);
  const Error error = bakeError(human.scene, settings);
  CHECK(error.message.find("no chains were found") != std::string::npos);
  CHECK(error.remedy.find("--auto") == std::string::npos);
  CHECK(bakeError(human.scene, {}).remedy.find("--auto") != std::string::npos);
}

TEST_CASE("End joints stop a chain; controls, meshes and given chains are not added") {
  HumanScene human = humanScene(plainNames());
  Scene& scene = human.scene;
  const int left = addRow(scene, "Hair_L", human.at(kHead), Vec3(0.1, 1.6, 0), 1);
  const int left_end = addAt(scene, "Hair_L_End", left, Vec3(0.1, 1.4, 0));
  const int right = addRow(scene, "Hair_R", human.at(kHead), Vec3(-0.1, 1.6, 0), 1);
  addAt(scene, "Hair_R_End", right, Vec3(-0.1, 1.4, 0));
  addAt(scene, "hair_ctrl", right, Vec3(-0.1, 1.3, 0));
  bindAll(scene);
  addAt(scene, "Charm", left_end, Vec3(0.1, 1.3, 0));
  addAt(scene, "HairMesh", human.at(kHead), Vec3(0.0, 1.7, 0));
  const AutoSetup setup = find(scene);
  REQUIRE(setup.chains.size() == 1);
  // "Charm" is below an end joint, which is then no leaf: the end is simulated, the charm follows.
  CHECK(simulated(scene, setup) ==
        std::vector<std::string>{"Hair_L1", "Hair_L_End", "Hair_R1", "Hair_R_End"});

  ChainSettings given;
  given.root = "Hair_L1";
  const AutoSetup other = find(scene, {}, {given});
  REQUIRE(other.chains.size() == 1);
  CHECK(simulated(scene, other) == std::vector<std::string>{"Hair_R1", "Hair_R_End"});
}

TEST_CASE("A joint that connects many chains keeps its own rotation") {
  HumanScene human = humanScene(plainNames());
  Scene& scene = human.scene;
  const int root = addAt(scene, "Skirt", human.at(kHips), Vec3(0, 0.95, 0));
  for (const char* k : {"Skirt_Front", "Skirt_Back", "Skirt_Left", "Skirt_Right"}) {
    addRow(scene, k, root, Vec3(0.1, 0.9, 0), 3);
  }
  const AutoSetup setup = find(scene);
  REQUIRE(setup.chains.size() == 1);
  CHECK(setup.chains[0].settings.root == "Skirt");
  CHECK(setup.chains[0].settings.keep_root);
  CHECK(setup.chains[0].settings.cross == CrossShape::kAuto);
}

TEST_CASE("Rows without known names are found where a human skeleton has no joints") {
  HumanScene human = humanScene(plainNames());
  Scene& scene = human.scene;
  for (int k = 0; k < 6; ++k) {
    addRow(scene, "Bone" + std::to_string(k) + "_", human.at(kHips), Vec3(0.03 * k, 0.9, 0), 3);
  }
  addRow(scene, "Chip_", human.at(kHead), Vec3(0, 1.6, -0.1), 4);
  addRow(scene, "Face_", human.at(kHead), Vec3(0, 1.6, 0.1), 2);        // too few joints
  addRow(scene, "Jaw_", human.at(kHead), Vec3(0, 1.55, 0.1), 4);        // a face
  addRow(scene, "Index_", human.at(kLeftHand), Vec3(0.8, 1.42, 0), 3);  // a finger
  addRow(scene, "Thing_", human.at(kLeftHand), Vec3(0.8, 1.4, 0), 3);
  const AutoSetup setup = find(scene);
  REQUIRE(setup.chains.size() == 2);
  CHECK(setup.chains[0].chain_class == ChainClass::kSkirt);
  CHECK(setup.chains[0].chain_count == 6);
  CHECK(!setup.chains[0].by_name);
  CHECK(setup.chains[1].chain_class == ChainClass::kHair);
  CHECK(simulated(scene, setup).size() == 18 + 4);
  CHECK(setup.notes[0].find("by layout") != std::string::npos);
}

TEST_CASE("Body joints are never simulated, whatever their names") {
  RoleNames names = plainNames();
  names[toSize(kHead)] = "HairRoot_Head";
  names[toSize(kHips)] = "TailRoot";
  HumanScene human = humanScene(names);
  for (std::size_t i = 0; i < kHumanoidRoleCount; ++i) {
    human.scene.humanoid.push_back(
        {humanoidRoleName(static_cast<HumanoidRole>(i)), human.nodes[i]});
  }
  CHECK(find(human.scene).chains.empty());
}

TEST_CASE("Repeated names and names with glob characters give patterns that match one node") {
  Scene scene;
  const int a = addAt(scene, "a", -1, Vec3(0.0));
  const int b = addAt(scene, "b", a, Vec3(1, 0, 0));
  // "Tail" twice below the same node: only ids identify them; "Tail[x]*" is a name.
  for (int k = 0; k < 2; ++k) {
    const int root = addAt(scene, "Tail", b, Vec3(1 + k, 1, 0));
    addAt(scene, "", root, Vec3(1 + k, 0, 0));
  }
  addRow(scene, "Ear[x]*", a, Vec3(0, 1, 0), 2);
  const AutoSetup setup = find(scene);
  CHECK(simulated(scene, setup).size() == 6);
  const auto ear =
      std::find_if(setup.chains.begin(), setup.chains.end(),
                   [](const FoundChain& chain) { return chain.chain_class == ChainClass::kEar; });
  REQUIRE(ear != setup.chains.end());
  CHECK(ear->settings.root == "Ear[[]x][*]1");
}

TEST_CASE("A glob with unwanted matches lists them in skip") {
  Scene scene;
  const int body = addAt(scene, "body", -1, Vec3(0.0));
  ChainNodes nodes;
  for (const char* name : {"cordA", "cordB", "cordC"}) {
    const int node = addRow(scene, name, body, Vec3(1, 1, 0), 2);
    if (std::string(name) == "cordB") continue;
    nodes.roots.push_back(node);
    nodes.members.insert(nodes.members.end(), {node, node + 1});
  }
  ChainSettings chain;
  REQUIRE(nameChainNodes(scene.skeleton, nodes, chain));
  CHECK(chain.root == "cord*1");
  CHECK(chain.skip == std::vector<std::string>{"cordB1"});
}

TEST_CASE("Accessories get the frequency of a hanging rod of their length, within bounds") {
  ChainSettings chain;
  applyPreset(ChainClass::kAccessory, {0.25, 0.1, 1}, chain);
  // sqrt(1.5 g / 0.25) / 2 pi
  CHECK(chain.frequency_hz.at(0.0) == nearTo(1.22106, 1e-4));
  CHECK(chain.radius_m.at(0.5) == doctest::Approx(0.02));
  applyPreset(ChainClass::kAccessory, {2.0, 0.1, 1}, chain);
  CHECK(chain.frequency_hz.at(0.0) == 1.0);
  applyPreset(ChainClass::kAccessory, {0.0, 0.0, 1}, chain);
  CHECK(chain.frequency_hz.at(0.0) == 2.5);
  CHECK(chain.radius_m.at(0.5) == 0.0);
  applyPreset(ChainClass::kCape, {1.0, 0.2, 2}, chain);
  CHECK(chain.cross == CrossShape::kNone);
  applyPreset(ChainClass::kCape, {1.0, 0.2, 5}, chain);
  CHECK(chain.cross == CrossShape::kSheet);
}

TEST_SUITE_END();
