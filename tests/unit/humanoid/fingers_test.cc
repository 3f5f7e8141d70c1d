// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/fingers.h"

#include <cmath>
#include <string>
#include <vector>

#include "checks.h"
#include "core/to_size.h"
#include "human_scene.h"

TEST_SUITE_BEGIN("humanoid.fingers");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::test;
using enum clipmill::humanoid::HumanoidRole;

namespace {

// A rig family: the names of the left hand's fingers, thumb first, from the palm outwards, with
// metacarpals where the family has them; "-" marks a joint that is no finger bone.
struct Family {
  const char* name;
  std::vector<std::vector<const char*>> fingers;
};

const std::vector<Family> kFamilies = {
    {"Mixamo",
     {{"mixamorig:LeftHandThumb1", "mixamorig:LeftHandThumb2", "mixamorig:LeftHandThumb3"},
      {"mixamorig:LeftHandIndex1", "mixamorig:LeftHandIndex2", "mixamorig:LeftHandIndex3"},
      {"mixamorig:LeftHandMiddle1", "mixamorig:LeftHandMiddle2", "mixamorig:LeftHandMiddle3"},
      {"mixamorig:LeftHandRing1", "mixamorig:LeftHandRing2", "mixamorig:LeftHandRing3"},
      {"mixamorig:LeftHandPinky1", "mixamorig:LeftHandPinky2", "mixamorig:LeftHandPinky3"}}},
    {"Unreal",
     {{"thumb_01_l", "thumb_02_l", "thumb_03_l"},
      {"-index_metacarpal_l", "index_01_l", "index_02_l", "index_03_l"},
      {"-middle_metacarpal_l", "middle_01_l", "middle_02_l", "middle_03_l"},
      {"-ring_metacarpal_l", "ring_01_l", "ring_02_l", "ring_03_l"},
      {"-pinky_metacarpal_l", "pinky_01_l", "pinky_02_l", "pinky_03_l"}}},
    {"Rigify",
     {{"DEF-thumb.01.L", "DEF-thumb.02.L", "DEF-thumb.03.L"},
      {"-DEF-palm.01.L", "DEF-f_index.01.L", "DEF-f_index.02.L", "DEF-f_index.03.L"},
      {"-DEF-palm.02.L", "DEF-f_middle.01.L", "DEF-f_middle.02.L", "DEF-f_middle.03.L"},
      {"-DEF-palm.03.L", "DEF-f_ring.01.L", "DEF-f_ring.02.L", "DEF-f_ring.03.L"},
      {"-DEF-palm.04.L", "DEF-f_pinky.01.L", "DEF-f_pinky.02.L", "DEF-f_pinky.03.L"}}},
    {"Biped",
     {{"Bip01 L Finger0", "Bip01 L Finger01", "Bip01 L Finger02"},
      {"Bip01 L Finger1", "Bip01 L Finger11", "Bip01 L Finger12"},
      {"Bip01 L Finger2", "Bip01 L Finger21", "Bip01 L Finger22"},
      {"Bip01 L Finger3", "Bip01 L Finger31", "Bip01 L Finger32"},
      {"Bip01 L Finger4", "Bip01 L Finger41", "Bip01 L Finger42"}}},
    {"VRoid",
     {{"J_Bip_L_Thumb1", "J_Bip_L_Thumb2", "J_Bip_L_Thumb3"},
      {"J_Bip_L_Index1", "J_Bip_L_Index2", "J_Bip_L_Index3"},
      {"J_Bip_L_Middle1", "J_Bip_L_Middle2", "J_Bip_L_Middle3"},
      {"J_Bip_L_Ring1", "J_Bip_L_Ring2", "J_Bip_L_Ring3"},
      {"J_Bip_L_Little1", "J_Bip_L_Little2", "J_Bip_L_Little3"}}},
    {"Rokoko",
     {{"LeftFinger1Metacarpal", "LeftFinger1Proximal", "LeftFinger1Distal"},
      {"-LeftFinger2Metacarpal", "LeftFinger2Proximal", "LeftFinger2Medial", "LeftFinger2Distal"},
      {"-LeftFinger3Metacarpal", "LeftFinger3Proximal", "LeftFinger3Medial", "LeftFinger3Distal"},
      {"-LeftFinger4Metacarpal", "LeftFinger4Proximal", "LeftFinger4Medial", "LeftFinger4Distal"},
      {"-LeftFinger5Metacarpal", "LeftFinger5Proximal", "LeftFinger5Medial", "LeftFinger5Distal"}}},
    {"Daz",
     {{"lThumb1", "lThumb2", "lThumb3"},
      {"-lCarpal1", "lIndex1", "lIndex2", "lIndex3"},
      {"-lCarpal2", "lMid1", "lMid2", "lMid3"},
      {"-lCarpal3", "lRing1", "lRing2", "lRing3"},
      {"-lCarpal4", "lPinky1", "lPinky2", "lPinky3"}}},
    {"Perception Neuron",
     {{"LeftHandThumb1", "LeftHandThumb2", "LeftHandThumb3"},
      {"-LeftInHandIndex", "LeftHandIndex1", "LeftHandIndex2", "LeftHandIndex3"},
      {"-LeftInHandMiddle", "LeftHandMiddle1", "LeftHandMiddle2", "LeftHandMiddle3"},
      {"-LeftInHandRing", "LeftHandRing1", "LeftHandRing2", "LeftHandRing3"},
      {"-LeftInHandPinky", "LeftHandPinky1", "LeftHandPinky2", "LeftHandPinky3"}}},
    {"MMD",
     {{"左親指０", "左親指１", "左親指２"},
      {"左人指１", "左人指２", "左人指３"},
      {"左中指１", "左中指２", "左中指３"},
      {"左薬指１", "左薬指２", "左薬指３"},
      {"左小指１", "左小指２", "左小指３"}}},
    {"numbers alone",
     {{"b21", "b22", "b23"},
      {"b31", "b32", "b33"},
      {"b41", "b42", "b43"},
      {"b51", "b52", "b53"},
      {"b61", "b62", "b63"}}},
};

// The left hand of a T pose, palm down: fingers along x, the thumb to the front (z).
Vec3 fingerPosition(std::size_t finger, double joint) {
  const Vec3 hand = positionOfRole(kLeftHand);
  if (finger == 0) return hand + Vec3(0.02, -0.01, 0.025) + joint * 0.03 * Vec3(0.7, 0.0, 0.7);
  const double across_m = 0.045 - 0.02 * static_cast<double>(finger);
  return hand + Vec3(0.08, 0.0, across_m) + joint * 0.025 * Vec3(1.0, 0.0, 0.0);
}

// Adds the fingers in the given order of files; returns what findFingers() must find.
HandFingers addFingers(Scene& scene, int hand, const Family& family,
                       const std::vector<std::size_t>& order) {
  HandFingers expected;
  for (auto& finger : expected) finger.fill(-1);
  for (const std::size_t finger : order) {
    int above = hand;
    std::size_t joint = 0;
    for (const char* name : family.fingers[finger]) {
      const bool is_bone = name[0] != '-';
      const double at = is_bone ? static_cast<double>(joint) : -2.0;
      above = addAt(scene, is_bone ? name : name + 1, above, fingerPosition(finger, at));
      if (is_bone) expected[finger][joint++] = above;
    }
    addAt(scene, family.fingers[finger].back() + std::string("_end"), above,
          fingerPosition(finger, static_cast<double>(joint)));
  }
  return expected;
}

HumanoidMap mapOf(const HumanScene& human) {
  HumanoidMap map;
  map.nodes = human.nodes;
  map.origin = HumanoidMap::Origin::kGiven;
  return map;
}

}  // namespace

TEST_CASE("Fingers of every family of rigs are found, in any order of the file") {
  for (const Family& family : kFamilies) {
    for (const std::vector<std::size_t>& order :
         {std::vector<std::size_t>{0, 1, 2, 3, 4}, std::vector<std::size_t>{3, 4, 0, 2, 1}}) {
      CAPTURE(family.name);
      HumanScene human = humanScene(plainNames());
      const HandFingers expected = addFingers(human.scene, human.at(kLeftHand), family, order);
      const Fingers found = findFingers(human.scene, mapOf(human));
      for (std::size_t finger = 0; finger < kFingerCount; ++finger) {
        CAPTURE(finger);
        CHECK(found[0][finger] == expected[finger]);
        CHECK(found[1][finger][0] == -1);
      }
    }
  }
}

TEST_CASE("Without names four fingers are thumb, index, middle and ring") {
  Family family = kFamilies.back();
  HumanScene human = humanScene(plainNames());
  HandFingers expected = addFingers(human.scene, human.at(kLeftHand), family, {2, 0, 3, 1});
  CHECK(findFingers(human.scene, mapOf(human))[0] == expected);
}

TEST_CASE("A sword, twist joints and a hand without a thumb are no fingers") {
  HumanScene human = humanScene(plainNames());
  const int hand = human.at(kLeftHand);
  const Vec3 at = positionOfRole(kLeftHand);
  addAt(human.scene, "handslot", addAt(human.scene, "weapon", hand, at), at + Vec3(0.1, 0, 0));
  addAt(human.scene, "b2", addAt(human.scene, "b1", hand, at), at + Vec3(0.1, 0, 0));
  const Fingers found = findFingers(human.scene, mapOf(human));
  for (const auto& finger : found[0]) CHECK(finger[0] == -1);
}

TEST_CASE("Declared fingers precede names") {
  HumanScene human = humanScene(plainNames());
  const HandFingers named =
      addFingers(human.scene, human.at(kLeftHand), kFamilies.front(), {0, 1, 2, 3, 4});
  human.scene.humanoid.push_back({"leftIndexProximal", named[2][0]});
  const Fingers found = findFingers(human.scene, mapOf(human));
  CHECK(found[0][1][0] == named[2][0]);
  CHECK(found[0][2][0] == -1);
}
