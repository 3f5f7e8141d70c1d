// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <optional>
#include <vector>

#include "checks.h"
#include "stages/dynamic_bones/chains/chain_names.h"

using namespace clipmill::stages::dynamic_bones;

TEST_SUITE_BEGIN("dynamic_bones.chain_patterns");

namespace {

std::optional<ChainClass> classOf(const char* name) { return chainNameOf(name).chain_class; }

}  // namespace

TEST_CASE("Chain classes are found by whole name tokens, not by parts of them") {
  for (const char* name : {"Earring", "Ear_Ring_L", "earrings"}) {
    CAPTURE(name);
    CHECK(classOf(name) == ChainClass::kAccessory);
  }
  for (const char* name : {"Chair", "Detail", "ForeArm", "LeftForeArm", "Heart", "Gear", "rear",
                           "Bear", "Entail", "Elbow", "Banger", "Cocktail", "Address", "Escape",
                           "Landscape", "Raincoats", "Clear", "Year", "Wheelchair_Seat"}) {
    CAPTURE(name);
    CHECK(!classOf(name).has_value());
  }
  CHECK(classOf("Ear.L") == ChainClass::kEar);
  CHECK(classOf("J_Opt_L_RabbitEar1_01") == ChainClass::kEar);
  CHECK(classOf("CoatTail_01") == ChainClass::kCape);
  CHECK(classOf("coattail") == ChainClass::kCape);
  CHECK(classOf("PonyTail1") == ChainClass::kHair);
  CHECK(classOf("twintail_L") == ChainClass::kHair);
  CHECK(classOf("Tail3") == ChainClass::kTail);
  CHECK(classOf("foxtail_01") == ChainClass::kTail);
  CHECK(classOf("HairRibbon") == ChainClass::kRibbon);
  CHECK(classOf("FrontHair_L") == ChainClass::kHair);
  CHECK(classOf("backhair") == ChainClass::kHair);
  CHECK(classOf("Bangs.001") == ChainClass::kHair);
  CHECK(classOf("J_Sec_Hair1_02") == ChainClass::kHair);
  CHECK(classOf("J_Sec_L_CoatSkirtFront1_01") == ChainClass::kSkirt);
  CHECK(classOf("J_Sec_L_Bust1") == ChainClass::kBreast);
  CHECK(classOf("J_Sec_R_TopsUpperArmOutside1") == ChainClass::kSleeve);
  CHECK(classOf("前髪１") == ChainClass::kHair);
  CHECK(classOf("左スカート前") == ChainClass::kSkirt);
  CHECK(classOf("しっぽ2") == ChainClass::kTail);
  CHECK(classOf("DYN_Thing_01") == ChainClass::kAccessory);
  for (const char* name : {"Tail_IK", "hair_ctrl", "ORG-hair", "MCH-tail.001", "Ear_Twist", "Eye_L",
                           "jaw", "Sword_Tail", "tweak_tail", "J_Adj_L_FaceEye", "crossbow"}) {
    CAPTURE(name);
    CHECK(chainNameOf(name).is_excluded);
  }
  CHECK(chainNameOf("Hair1_End").is_end);
  CHECK(chainNameOf("hair_nub").is_end);
  CHECK(!chainNameOf("HairTips").is_end);
}

TEST_CASE("Names of chains as tools and people write them") {
  using enum ChainClass;
  struct Expected {
    ChainClass chain_class;
    std::vector<const char*> names;
  };
  const std::vector<Expected> table = {
      {kHair, {"Bun_L",           "hair_bun.001",   "HairBun",    "Braid.003",    "braid_r_02",
               "Plait1",          "TopKnot",        "Top_Knot",   "DreadLock_04", "dreads_L",
               "Mohawk",          "mane_03",        "goatee",     "Def-hair.002", "bip_hair_01",
               "Bip01 Ponytail1", "pony_tail_02_l", "cheveux_03", "Zopf.L",       "马尾_1",
               "头发_L",          "머리카락1"}},
      {kSkirt,
       {"pagne_01", "Pagne_Av", "tabard_front", "Loin_Cloth_01", "waist_cloth_l", "tutu_4",
        "jupe.002", "tasset_L", "裙_01"}},
      {kCape, {"Cape", "cape_02", "Bip01_Cloak3", "DEF-cape.L.001", "shawl", "manteau_1", "披风1"}},
      {kRibbon, {"Scarf_01", "scarves", "bandana_tail_L", "headScarf2", "sash_03", "streamer"}},
      {kTail, {"tail_04_jnt", "DEF-tail.002", "cola_2", "schwanz3", "queue_01", "尾巴2"}},
      {kEar, {"DEF-ear.L", "ear_l_02", "oreille_G"}},
      {kAccessory,
       {"Cable_03",     "cables",          "hose_cable",    "Bag_Rope",      "bag_strap_01",
        "quiver_strap", "backpackStrap.L", "helmet_plume",  "hat_feather_2", "Leaf",
        "leaf_L_02",    "leaves_03",       "petal_5",       "Strap_01",      "straps.L",
        "Antenna_L",    "antennas",        "Tentacle_A_05", "tendril",       "vine_01",
        "whisker_R",    "amulet",          "lanyard_2"}}};
  for (const Expected& expected : table) {
    for (const char* name : expected.names) {
      CAPTURE(name);
      CHECK(classOf(name) == expected.chain_class);
      CHECK_FALSE(chainNameOf(name).is_excluded);
      CHECK_FALSE(chainNameOf(name).is_end);
    }
  }
  // Nothing of these swings, whatever they contain.
  for (const char* name : {"Bunny",
                           "Chair_Back",
                           "Detail_01",
                           "ForeArm_L",
                           "UpperArm_Twist_01",
                           "Hand_IK.L",
                           "Weapon_R",
                           "sword_01",
                           "Bundle",
                           "Capsule",
                           "Landscape",
                           "Stable_01",
                           "Strapping",
                           "Cabled",
                           "LeafNode",
                           "Captain",
                           "Earth",
                           "Manet",
                           "Humane",
                           "Thigh_L",
                           "Spine1",
                           "mixamorig:LeftHandIndex1",
                           "Bip01 L Calf",
                           "DEF-upper_arm.L",
                           "Bag_01",
                           "Helmet",
                           "Hat",
                           "Wing_L_01",
                           "wing.R",
                           "Cord_IK",
                           "rope_ctrl",
                           "Quiver",
                           "HandSlot_l"}) {
    CAPTURE(name);
    const ChainName found = chainNameOf(name);
    CHECK((!found.chain_class || found.is_excluded));
  }
  // An exporter's leaf bone is the end of its parent.
  CHECK(chainNameOf("Hand_leaf").is_end);
  CHECK(chainNameOf("Tail3_leaf").is_end);
}

TEST_SUITE_END();
