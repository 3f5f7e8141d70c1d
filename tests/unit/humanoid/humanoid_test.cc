// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/humanoid.h"

#include <string>

#include "checks.h"
#include "core/to_size.h"
#include "human_scene.h"
#include "humanoid/joint_names.h"

TEST_SUITE_BEGIN("humanoid.humanoid");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::test;
using enum clipmill::humanoid::HumanoidRole;

namespace {

struct Convention {
  const char* name;
  RoleNames names;
};

const Convention kConventions[] = {
    {"VRM", plainNames()},
    {"Mixamo", {"mixamorig:Hips",         "mixamorig:Spine",         "mixamorig:Spine1",
                "mixamorig:Spine2",       "mixamorig:Neck",          "mixamorig:Head",
                "mixamorig:LeftShoulder", "mixamorig:LeftArm",       "mixamorig:LeftForeArm",
                "mixamorig:LeftHand",     "mixamorig:RightShoulder", "mixamorig:RightArm",
                "mixamorig:RightForeArm", "mixamorig:RightHand",     "mixamorig:LeftUpLeg",
                "mixamorig:LeftLeg",      "mixamorig:LeftFoot",      "mixamorig:LeftToeBase",
                "mixamorig:RightUpLeg",   "mixamorig:RightLeg",      "mixamorig:RightFoot",
                "mixamorig:RightToeBase"}},
    {"Unreal", {"pelvis",     "spine_01",   "spine_02",   "spine_03", "neck_01",    "head",
                "clavicle_l", "upperarm_l", "lowerarm_l", "hand_l",   "clavicle_r", "upperarm_r",
                "lowerarm_r", "hand_r",     "thigh_l",    "calf_l",   "foot_l",     "ball_l",
                "thigh_r",    "calf_r",     "foot_r",     "ball_r"}},
    {"Biped", {"Bip01 Pelvis",    "Bip01 Spine",  "Bip01 Spine1",     "Bip01 Spine2",
               "Bip01 Neck",      "Bip01 Head",   "Bip01 L Clavicle", "Bip01 L UpperArm",
               "Bip01 L Forearm", "Bip01 L Hand", "Bip01 R Clavicle", "Bip01 R UpperArm",
               "Bip01 R Forearm", "Bip01 R Hand", "Bip01 L Thigh",    "Bip01 L Calf",
               "Bip01 L Foot",    "Bip01 L Toe0", "Bip01 R Thigh",    "Bip01 R Calf",
               "Bip01 R Foot",    "Bip01 R Toe0"}},
    {"Rigify",
     {"DEF-spine",      "DEF-spine.001",   "DEF-spine.002",   "DEF-spine.003", "DEF-spine.004",
      "DEF-spine.006",  "DEF-shoulder.L",  "DEF-upper_arm.L", "DEF-forearm.L", "DEF-hand.L",
      "DEF-shoulder.R", "DEF-upper_arm.R", "DEF-forearm.R",   "DEF-hand.R",    "DEF-thigh.L",
      "DEF-shin.L",     "DEF-foot.L",      "DEF-toe.L",       "DEF-thigh.R",   "DEF-shin.R",
      "DEF-foot.R",     "DEF-toe.R"}},
    {"VRoid", {"J_Bip_C_Hips",     "J_Bip_C_Spine",   "J_Bip_C_Chest",    "J_Bip_C_UpperChest",
               "J_Bip_C_Neck",     "J_Bip_C_Head",    "J_Bip_L_Shoulder", "J_Bip_L_UpperArm",
               "J_Bip_L_LowerArm", "J_Bip_L_Hand",    "J_Bip_R_Shoulder", "J_Bip_R_UpperArm",
               "J_Bip_R_LowerArm", "J_Bip_R_Hand",    "J_Bip_L_UpperLeg", "J_Bip_L_LowerLeg",
               "J_Bip_L_Foot",     "J_Bip_L_ToeBase", "J_Bip_R_UpperLeg", "J_Bip_R_LowerLeg",
               "J_Bip_R_Foot",     "J_Bip_R_ToeBase"}},
    {"KayKit", {"hips",       "spine",      "chest",      "",           "",       "head",
                "",           "upperarm.l", "lowerarm.l", "wrist.l",    "",       "upperarm.r",
                "lowerarm.r", "wrist.r",    "upperleg.l", "lowerleg.l", "foot.l", "toes.l",
                "upperleg.r", "lowerleg.r", "foot.r",     "toes.r"}},
    {"SMPL",
     {"pelvis",      "spine1",        "spine2",      "spine3",     "neck",         "head",
      "left_collar", "left_shoulder", "left_elbow",  "left_wrist", "right_collar", "right_shoulder",
      "right_elbow", "right_wrist",   "left_hip",    "left_knee",  "left_ankle",   "left_foot",
      "right_hip",   "right_knee",    "right_ankle", "right_foot"}},
    {"MMD", {"センター", "上半身",   "上半身2", "",       "首",     "頭",      "左肩", "左腕",
             "左ひじ",   "左手首",   "右肩",    "右腕",   "右ひじ", "右手首",  "左足", "左ひざ",
             "左足首",   "左つま先", "右足",    "右ひざ", "右足首", "右つま先"}},
    {"Daz",
     {"hip",          "abdomenLower", "chestLower",   "chestUpper", "neckLower", "head",
      "lCollar",      "lShldrBend",   "lForearmBend", "lHand",      "rCollar",   "rShldrBend",
      "rForearmBend", "rHand",        "lThighBend",   "lShin",      "lFoot",     "lToe",
      "rThighBend",   "rShin",        "rFoot",        "rToe"}},
    {"VRChat",
     {"Hips",          "Spine",       "Chest",       "",           "Neck",           "Head",
      "Left shoulder", "Left arm",    "Left elbow",  "Left wrist", "Right shoulder", "Right arm",
      "Right elbow",   "Right wrist", "Left leg",    "Left knee",  "Left ankle",     "Left toe",
      "Right leg",     "Right knee",  "Right ankle", "Right toe"}},
    {"one word each",
     {"pelvis",       "spine",        "chest",       "",         "neck",      "head",
      "lclavicle",    "leftupperarm", "leftforearm", "lefthand", "rclavicle", "rightupperarm",
      "rightforearm", "righthand",    "lthigh",      "lcalf",    "lfoot",     "ltoe",
      "rthigh",       "rcalf",        "rfoot",       "rtoe"}},
    {"the name of the character before each",
     {"hero_hips",    "hero_spine",  "hero_chest",   "",
      "hero_neck",    "hero_head",   "hero_L_clav",  "hero_L_arm",
      "hero_L_elbow", "hero_L_hand", "hero_R_clav",  "hero_R_arm",
      "hero_R_elbow", "hero_R_hand", "hero_L_thigh", "hero_L_shin",
      "hero_L_foot",  "hero_L_toe",  "hero_R_thigh", "hero_R_shin",
      "hero_R_foot",  "hero_R_toe"}},
};

// In SMPL the feet are beyond the ankles: they are the toes of the others.
void checkRoles(const HumanScene& human, const HumanoidMap& map) {
  for (std::size_t i = 0; i < kHumanoidRoleCount; ++i) {
    CAPTURE(humanoidRoleName(static_cast<HumanoidRole>(i)));
    CHECK(map.nodes[i] == human.nodes[i]);
  }
}

}  // namespace

TEST_CASE("Names of every convention identify all roles") {
  for (const Convention& convention : kConventions) {
    CAPTURE(convention.name);
    HumanScene human = humanScene(convention.names);
    if (std::string(convention.name) == "SMPL") {
      human.nodes[toSize(kLeftToes)] = -1;
      human.nodes[toSize(kRightToes)] = -1;
    }
    const HumanoidMap map = findHumanoid(human.scene);
    checkRoles(human, map);
    CHECK(map.origin == HumanoidMap::Origin::kNames);
    CHECK(map.confidence == 1.0);
    CHECK(map.doubts.empty());
  }
}

TEST_CASE("Helpers, meshes and controls with the names of bones do not count") {
  HumanScene human = humanScene(plainNames());
  bindAll(human.scene);
  Scene& scene = human.scene;
  addAt(scene, "Head", 0, Vec3(0.0));
  addAt(scene, "LeftUpperArm", 0, Vec3(0.0));
  addAt(scene, "LeftFootIK", 0, Vec3(0.1, 0.0, 0.0));
  addAt(scene, "LeftHand", human.at(kLeftHand), Vec3(0.8, 1.42, 0.0));
  addAt(scene, "HeadTop_End", human.at(kHead), Vec3(0.0, 1.8, 0.0));
  checkRoles(human, findHumanoid(scene));
}

TEST_CASE("Twist joints in a limb are skipped") {
  HumanScene human = humanScene(plainNames());
  Scene& scene = human.scene;
  const int twist =
      addAt(scene, "leftUpperArmTwist", human.at(kLeftUpperArm), Vec3(0.3, 1.42, 0.0));
  const int lower = addAt(scene, "leftLowerArm", twist, Vec3(0.46, 1.42, 0.0));
  const int hand = addAt(scene, "leftHand", lower, Vec3(0.72, 1.42, 0.0));
  for (HumanoidRole role : {kLeftLowerArm, kLeftHand}) {
    scene.skeleton.nodes[toSize(human.at(role))].name = "gone";
  }
  const HumanoidMap map = findHumanoid(scene);
  CHECK(map[kLeftUpperArm] == human.at(kLeftUpperArm));
  CHECK(map[kLeftLowerArm] == lower);
  CHECK(map[kLeftHand] == hand);
}

TEST_CASE("Numbered bones of a limb are ordered from the body outwards") {
  RoleNames names = plainNames();
  const auto set = [&](HumanoidRole role, const char* name) { names[toSize(role)] = name; };
  for (HumanoidRole role : {kLeftShoulder, kRightShoulder}) set(role, "");
  set(kLeftUpperArm, "Skeleton_arm_joint_L__4_");
  set(kLeftLowerArm, "Skeleton_arm_joint_L__3_");
  set(kLeftHand, "Skeleton_arm_joint_L__2_");
  set(kRightUpperArm, "Skeleton_arm_joint_R");
  set(kRightLowerArm, "Skeleton_arm_joint_R__2_");
  set(kRightHand, "Skeleton_arm_joint_R__3_");
  set(kLeftUpperLeg, "leg_joint_L_1");
  set(kLeftLowerLeg, "leg_joint_L_2");
  set(kLeftFoot, "leg_joint_L_3");
  set(kLeftToes, "leg_joint_L_5");
  set(kRightUpperLeg, "leg_joint_R_1");
  set(kRightLowerLeg, "leg_joint_R_2");
  set(kRightFoot, "leg_joint_R_3");
  set(kRightToes, "leg_joint_R_5");
  const HumanScene human = humanScene(names);
  checkRoles(human, findHumanoid(human.scene));
}

TEST_CASE("A hip joint above the thigh is no thigh") {
  HumanScene human = humanScene(plainNames());
  Scene& scene = human.scene;
  // CMU: hips, LHipJoint at the same position, LeftUpLeg.
  Scene cmu;
  addAt(cmu, "Root", -1, Vec3(0.0));
  for (std::size_t i = 1; i < scene.skeleton.size(); ++i) {
    const Node& node = scene.skeleton.nodes[i];
    cmu.skeleton.nodes.push_back(node);
  }
  const int left = addAt(cmu, "LHipJoint", human.at(kHips), Vec3(0.0, 0.95, 0.0));
  CHECK(humanoid::bodyNameOf("LHipJoint").part == humanoid::NamedPart::kSideHip);
  const HumanoidMap map = findHumanoid(cmu);
  CHECK(map[kLeftUpperLeg] == human.at(kLeftUpperLeg));
  CHECK(map[kLeftUpperLeg] != left);
}

namespace {

// A rig whose chains have more bones than roles: `before` is one above the joint of a role, at the
// joint above it; `after` is one in the middle of the bone of a role.
struct CutBone {
  HumanoidRole role;
  const char* before;
  const char* after;
};

HumanScene cutScene(const RoleNames& names, const std::vector<CutBone>& cuts) {
  HumanScene human;
  human.nodes.fill(-1);
  addAt(human.scene, "Root", -1, Vec3(0.0));
  std::array<int, kHumanoidRoleCount> lowest{};
  for (std::size_t i = 0; i < kHumanoidRoleCount; ++i) {
    const auto role = static_cast<HumanoidRole>(i);
    int above = parentRole(role);
    while (above >= 0 && human.nodes[toSize(above)] < 0) {
      above = parentRole(static_cast<HumanoidRole>(above));
    }
    int parent = above >= 0 ? lowest[toSize(above)] : 0;
    if (std::string(names[i]).empty()) continue;
    for (const CutBone& cut : cuts) {
      if (cut.role != role || !cut.before) continue;
      parent = addAt(human.scene, cut.before, parent, restPosition(human.scene, parent));
    }
    human.nodes[i] = lowest[i] = addAt(human.scene, names[i], parent, positionOfRole(role));
    for (const CutBone& cut : cuts) {
      if (cut.role != role || !cut.after) continue;
      const Vec3 end = positionOfRole(static_cast<HumanoidRole>(i + 1));
      lowest[i] = addAt(human.scene, cut.after, human.nodes[i], 0.5 * (positionOfRole(role) + end));
    }
  }
  return human;
}

struct CutRig {
  const char* name;
  RoleNames names;
  std::vector<CutBone> cuts;
};

RoleNames renamed(RoleNames names,
                  const std::vector<std::pair<HumanoidRole, const char*>>& changes) {
  for (const auto& [role, name] : changes) names[toSize(role)] = name;
  return names;
}

RoleNames conventionNamed(const std::string& name) {
  for (const Convention& convention : kConventions) {
    if (convention.name == name) return convention.names;
  }
  FAIL("no convention " << name);
  return {};
}

const std::vector<CutBone> kHipJoints = {{kLeftUpperLeg, "LHipJoint", nullptr},
                                         {kRightUpperLeg, "RHipJoint", nullptr}};

std::vector<CutRig> cutRigs() {
  const RoleNames mixamo = conventionNamed("Mixamo");
  return {
      {"CMU with LeftUpLeg", mixamo, kHipJoints},
      {"CMU with femurs",
       renamed(mixamo, {{kLeftUpperLeg, "lfemur"},
                        {kLeftLowerLeg, "ltibia"},
                        {kLeftFoot, "lfoot"},
                        {kLeftToes, "ltoes"},
                        {kRightUpperLeg, "rfemur"},
                        {kRightLowerLeg, "rtibia"},
                        {kRightFoot, "rfoot"},
                        {kRightToes, "rtoes"}}),
       {{kLeftUpperLeg, "lhipjoint", nullptr}, {kRightUpperLeg, "rhipjoint", nullptr}}},
      {"CMU with LeftHip and LeftKnee",
       renamed(mixamo, {{kLeftUpperLeg, "LeftHip"},
                        {kLeftLowerLeg, "LeftKnee"},
                        {kLeftFoot, "LeftAnkle"},
                        {kLeftToes, "LeftToe"},
                        {kRightUpperLeg, "RightHip"},
                        {kRightLowerLeg, "RightKnee"},
                        {kRightFoot, "RightAnkle"},
                        {kRightToes, "RightToe"}}),
       kHipJoints},
      {"a leg below a hip joint and above a knee",
       renamed(mixamo, {{kLeftUpperLeg, "LeftLeg"},
                        {kLeftLowerLeg, "LeftKnee"},
                        {kLeftFoot, "LeftAnkle"},
                        {kRightUpperLeg, "RightLeg"},
                        {kRightLowerLeg, "RightKnee"},
                        {kRightFoot, "RightAnkle"}}),
       {{kLeftUpperLeg, "LeftHip", nullptr}, {kRightUpperLeg, "RightHip", nullptr}}},
      {"Rigify with bones cut in two",
       conventionNamed("Rigify"),
       {{kLeftUpperLeg, nullptr, "DEF-thigh.L.001"},
        {kLeftLowerLeg, nullptr, "DEF-shin.L.001"},
        {kRightUpperLeg, nullptr, "DEF-thigh.R.001"},
        {kRightLowerLeg, nullptr, "DEF-shin.R.001"},
        {kLeftUpperArm, nullptr, "DEF-upper_arm.L.001"},
        {kLeftLowerArm, nullptr, "DEF-forearm.L.001"},
        {kRightUpperArm, nullptr, "DEF-upper_arm.R.001"},
        {kRightLowerArm, nullptr, "DEF-forearm.R.001"}}},
      {"Daz with twist bones",
       conventionNamed("Daz"),
       {{kLeftUpperLeg, nullptr, "lThighTwist"},
        {kRightUpperLeg, nullptr, "rThighTwist"},
        {kLeftUpperArm, nullptr, "lShldrTwist"},
        {kRightUpperArm, nullptr, "rShldrTwist"},
        {kLeftLowerArm, nullptr, "lForearmTwist"},
        {kRightLowerArm, nullptr, "rForearmTwist"}}},
      {"HumanIK with rolls in the chain",
       mixamo,
       {{kLeftUpperArm, nullptr, "LeftArmRoll"},
        {kRightUpperArm, nullptr, "RightArmRoll"},
        {kLeftUpperLeg, nullptr, "LeftUpLegRoll"},
        {kRightUpperLeg, nullptr, "RightUpLegRoll"}}},
  };
}

}  // namespace

TEST_CASE("Rigs with more bones than roles in a chain have the roles at the right ones") {
  for (const CutRig& rig : cutRigs()) {
    CAPTURE(rig.name);
    const HumanScene human = cutScene(rig.names, rig.cuts);
    const HumanoidMap map = findHumanoid(human.scene);
    checkRoles(human, map);
    CHECK(map.origin == HumanoidMap::Origin::kNames);
  }
}

TEST_CASE("Declared roles precede names; unknown roles and nodes are skipped") {
  HumanScene human = humanScene(plainNames());
  Scene& scene = human.scene;
  for (std::size_t i = 0; i < kHumanoidRoleCount; ++i) {
    scene.humanoid.push_back({humanoidRoleName(static_cast<HumanoidRole>(i)), human.nodes[i]});
  }
  scene.humanoid[toSize(kChest)].node = human.at(kUpperChest);
  scene.humanoid.push_back({"jaw", 1});
  scene.humanoid.push_back({"hips", 99});
  scene.humanoid.push_back({"hips", 3});
  const HumanoidMap map = findHumanoid(scene);
  CHECK(map.origin == HumanoidMap::Origin::kDeclared);
  CHECK(map[kChest] == human.at(kUpperChest));
  CHECK(map[kHips] == human.at(kHips));
}

TEST_CASE("Given roles override found ones") {
  HumanScene human = humanScene(plainNames());
  const std::vector<std::string> pairs = {"head=neck", "leftToes=", "chest = Root/hips/sp*/chest"};
  const auto map = humanoidFromPairs(human.scene, pairs);
  CHECK_OK(map);
  CHECK(map->origin == HumanoidMap::Origin::kGiven);
  CHECK((*map)[kHead] == human.at(kNeck));
  CHECK((*map)[kNeck] == -1);
  CHECK((*map)[kLeftToes] == -1);
  CHECK((*map)[kChest] == human.at(kChest));
  CHECK((*map)[kLeftHand] == human.at(kLeftHand));

  const auto error = [&](const std::string& pair) {
    const std::vector<std::string> one = {pair};
    const auto result = humanoidFromPairs(human.scene, one);
    REQUIRE(!result.ok());
    return result.error();
  };
  CHECK(error("head").code == ErrorCode::kRecipe);
  CHECK(error("haed=head").remedy.find("'head'") != std::string::npos);
  CHECK(error("head=haed").code == ErrorCode::kNotFound);
  CHECK(error("head=*Leg").message.find("4 nodes") != std::string::npos);
  const std::vector<std::string> twice = {"head=neck", "head=head"};
  CHECK(!humanoidFromPairs(human.scene, twice).ok());
}

TEST_CASE("Names identify parts and sides") {
  using humanoid::NamedPart;
  using humanoid::Side;
  const auto is = [](const char* name, NamedPart part, Side side) {
    CAPTURE(name);
    const humanoid::BodyName found = humanoid::bodyNameOf(name);
    CHECK(found.part == part);
    CHECK(found.side == side);
  };
  is("ValveBiped.Bip01_L_Thigh", NamedPart::kUpperLeg, Side::kLeft);
  is("CC_Base_R_Upperarm", NamedPart::kUpperArm, Side::kRight);
  is("左腕捩", NamedPart::kHelper, Side::kLeft);
  is("右足ＩＫ", NamedPart::kHelper, Side::kRight);
  is("RightHandThumb1", NamedPart::kFinger, Side::kRight);
  is("r-LEGCONTROL", NamedPart::kHelper, Side::kRight);
  is("L_Hip", NamedPart::kSideHip, Side::kLeft);
  is("Hips", NamedPart::kHips, Side::kNone);
  is("J_Sec_L_Bust1", NamedPart::kHelper, Side::kLeft);
  is("Barbarian_ArmLeft", NamedPart::kNone, Side::kLeft);
  is("headtracker", NamedPart::kNone, Side::kNone);
  is("rear", NamedPart::kNone, Side::kNone);
  is("arm", NamedPart::kNone, Side::kNone);
}

TEST_SUITE_END();
