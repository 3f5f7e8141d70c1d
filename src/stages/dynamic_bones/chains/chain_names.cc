// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/chains/chain_names.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "core/name_tokens.h"
#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

using Tokens = std::set<std::string_view>;

struct ClassTokens {
  ChainClass chain_class;
  Tokens tokens;                        // whole tokens
  std::vector<std::string_view> signs;  // parts of tokens in other scripts than Latin
};

// The first class with a matching token counts: a class is listed before those it is attached to.
const std::vector<ClassTokens>& classTable() {
  using enum ChainClass;
  static const std::vector<ClassTokens> table = {
      {kAccessory, {"earring", "earrings"}, {"耳飾", "イヤリング", "ピアス"}},
      {kRibbon,
       {"ribbon", "ribbons", "bow", "tie", "necktie", "bowtie", "scarf", "scarves", "scarfs",
        "muffler", "string", "strings", "sash", "bandana", "bandanna", "streamer", "streamers"},
       {"リボン", "ネクタイ", "マフラー", "飘带", "丝带"}},
      {kHair,
       {"hair",      "hairs",     "bang",      "bangs",    "fringe",    "ponytail",   "ponytails",
        "twintail",  "twintails", "pigtail",   "pigtails", "sidetail",  "braid",      "braids",
        "plait",     "plaits",    "bun",       "buns",     "topknot",   "dread",      "dreads",
        "ahoge",     "sidelock",  "sidelocks", "forelock", "dreadlock", "dreadlocks", "hairlock",
        "hairlocks", "hairbun",   "mohawk",    "mane",     "maegami",   "ushirogami", "momiage",
        "beard",     "beards",    "goatee",    "mustache", "moustache", "cheveux",    "tresse",
        "tresses",   "natte",     "haare",     "haar",     "zopf",      "pelo",       "cabello",
        "capelli"},
       {"髪", "もみあげ", "アホ毛", "おさげ", "ポニテ", "ツインテ", "三つ編み", "头发", "刘海",
        "马尾", "辫", "머리카락"}},
      {kSkirt,
       {"skirt",   "skirts",    "dress",  "hem",        "frill", "frills",    "kilt",   "gown",
        "tunic",   "loincloth", "apron",  "pagne",      "tutu",  "petticoat", "tabard", "tasset",
        "tassets", "sarong",    "hakama", "waistcloth", "jupe",  "falda"},
       {"スカート", "スカ－ト", "裙", "치마"}},
      {kCape,
       {"cape", "capes", "cloak", "cloaks", "coat", "mantle", "jacket", "poncho", "robe", "shawl",
        "coattail", "coattails", "tailcoat", "swallowtail", "manteau", "umhang"},
       {"マント", "コート", "ケープ", "披风", "斗篷", "망토"}},
      {kTail,
       {"tail", "tails", "shippo", "schwanz", "cola", "queue"},
       {"尻尾", "しっぽ", "シッポ", "尾巴", "꼬리"}},
      {kSleeve, {"sleeve", "sleeves", "tops", "sode"}, {"袖"}},
      {kEar, {"ear", "ears", "mimi", "oreille", "oreja"}, {"耳", "みみ"}},
      {kBreast,
       {"breast", "breasts", "bust", "boob", "boobs", "oppai", "chichi"},
       {"胸", "おっぱい", "乳"}},
      {kAccessory,
       {"chain",    "tassel",   "tassels",  "antenna",  "antennae", "antennas", "feeler",
        "feelers",  "veil",     "fabric",   "cloth",    "whip",     "rope",     "ropes",
        "cord",     "cords",    "cable",    "cables",   "wire",     "wires",    "strap",
        "straps",   "pendant",  "pendants", "necklace", "charm",    "charms",   "feather",
        "feathers", "plume",    "plumes",   "lace",     "laces",    "tentacle", "tentacles",
        "tendril",  "tendrils", "whisker",  "whiskers", "banner",   "flag",     "fin",
        "leaves",   "leaflet",  "foliage",  "petal",    "petals",   "vine",     "vines",
        "amulet",   "talisman", "locket",   "lanyard",  "leash",    "dangle",   "dangles",
        "dangly",   "pompom"},
       {"鎖", "紐", "羽根飾"}},
      // Names that tools give to joints with physics.
      {kAccessory, {"dyn", "sec", "jiggle", "phys", "physics", "spring", "swing", "dynamic"}, {}},
  };
  return table;
}

const Tokens& excludedTokens() {
  static const Tokens tokens = {
      "twist",   "roll",     "ik",      "fk",      "pole",     "target",   "ctrl",     "ctl",
      "control", "org",      "mch",     "tweak",   "helper",   "adj",      "effector", "driver",
      "drv",     "wgt",      "widget",  "eye",     "eyes",     "eyelid",   "eyelash",  "eyebrow",
      "brow",    "lid",      "jaw",     "tongue",  "teeth",    "tooth",    "lip",      "lips",
      "mouth",   "nose",     "cheek",   "weapon",  "sword",    "gun",      "rifle",    "pistol",
      "knife",   "dagger",   "shield",  "axe",     "staff",    "spear",    "hammer",   "arrow",
      "glasses", "slot",     "socket",  "attach",  "camera",   "light",    "aim",      "goal",
      "clip",    "pin",      "thumb",   "index",   "finger",   "pinky",    "toe",      "toes",
      "forearm", "collider", "goggles", "longbow", "shortbow", "crossbow", "wing",     "wings",
      "翼",      "羽"};
  return tokens;
}

// Things that are carried and do not swing themselves; what hangs on them does ("bag_rope").
const Tokens& carriedTokens() {
  static const Tokens tokens = {"backpack", "bag", "quiver", "helmet", "hat"};
  return tokens;
}

// Things that hang on others by their names.
const Tokens& hangingTokens() {
  static const Tokens tokens = {"rope",   "ropes",   "strap",   "straps",   "cord",   "cords",
                                "cable",  "cables",  "string",  "strings",  "ribbon", "ribbons",
                                "tassel", "tassels", "feather", "feathers", "plume",  "plumes",
                                "charm",  "charms",  "chain",   "veil"};
  return tokens;
}

const Tokens& endTokens() {
  static const Tokens tokens = {"end", "nub", "tip", "leaf", "endsite", "先端"};
  return tokens;
}

// Attributes that are joined to the name of a class: "fronthair", "cattail".
const Tokens& attributeTokens() {
  static const Tokens tokens = {"front", "back",  "side",  "left",   "right", "long",   "short",
                                "upper", "lower", "mid",   "middle", "rear",  "main",   "root",
                                "cat",   "fox",   "dog",   "wolf",   "bunny", "rabbit", "dragon",
                                "horse", "lion",  "demon", "devil",  "elf"};
  return tokens;
}

struct TokenPair {
  std::string_view first, second, together;
};
// Pairs of tokens with a meaning of their own.
constexpr std::array<TokenPair, 15> kPairs = {{{"pony", "tail", "ponytail"},
                                               {"pony", "tails", "ponytails"},
                                               {"loin", "cloth", "loincloth"},
                                               {"waist", "cloth", "waistcloth"},
                                               {"dread", "lock", "dreadlock"},
                                               {"dread", "locks", "dreadlocks"},
                                               {"top", "knot", "topknot"},
                                               {"twin", "tail", "twintail"},
                                               {"twin", "tails", "twintails"},
                                               {"pig", "tail", "pigtail"},
                                               {"side", "tail", "sidetail"},
                                               {"coat", "tail", "coattail"},
                                               {"coat", "tails", "coattails"},
                                               {"ear", "ring", "earring"},
                                               {"fore", "arm", "forearm"}}};

std::vector<std::string> joinPairs(const std::vector<std::string>& tokens) {
  std::vector<std::string> joined;
  for (const std::string& token : tokens) {
    const auto pair = std::find_if(kPairs.begin(), kPairs.end(), [&](const TokenPair& p) {
      return !joined.empty() && joined.back() == p.first && token == p.second;
    });
    if (pair != kPairs.end()) {
      joined.back() = pair->together;
    } else {
      joined.push_back(token);
    }
  }
  return joined;
}

// Whether `token` is one of `tokens`, or one of them with an attribute.
bool matchesToken(const std::string& token, const Tokens& tokens) {
  if (tokens.contains(token)) return true;
  for (const std::string_view attribute : attributeTokens()) {
    const std::string_view text = token;
    if (text.starts_with(attribute) && tokens.contains(text.substr(attribute.size()))) return true;
    if (text.ends_with(attribute) &&
        tokens.contains(text.substr(0, text.size() - attribute.size()))) {
      return true;
    }
  }
  return false;
}

bool matchesClass(const std::string& token, const ClassTokens& entry) {
  return matchesToken(token, entry.tokens) ||
         std::any_of(entry.signs.begin(), entry.signs.end(),
                     [&](std::string_view sign) { return token.find(sign) != std::string::npos; });
}

// "Leaf", "leaf_L_02": a leaf of a plant. Exporters add "_leaf" to the name of a parent at ends.
bool isPlantLeaf(const std::vector<std::string>& tokens) {
  constexpr std::array<std::string_view, 6> kSides = {"l", "r", "left", "right", "bone", "joint"};
  return !tokens.empty() && tokens.front() == "leaf" &&
         std::all_of(tokens.begin() + 1, tokens.end(), [&](const std::string& token) {
           return isNumberToken(token) || token.size() == 1 ||
                  std::find(kSides.begin(), kSides.end(), token) != kSides.end();
         });
}

}  // namespace

const char* chainClassName(ChainClass chain_class) {
  constexpr std::array<const char*, 9> kNames = {"hair", "skirt",  "tail",   "ribbon",   "ear",
                                                 "cape", "breast", "sleeve", "accessory"};
  return kNames[toSize(chain_class)];
}

ChainName chainNameOf(std::string_view name) {
  const std::vector<std::string> tokens = joinPairs(tokensOfName(name));
  const auto any = [&](const Tokens& wanted) {
    return std::any_of(tokens.begin(), tokens.end(),
                       [&](const std::string& token) { return wanted.contains(token); });
  };
  ChainName result;
  const bool is_carried = any(carriedTokens()) && !any(hangingTokens());
  result.is_excluded = is_carried || any(excludedTokens());
  result.is_end = any(endTokens()) && !isPlantLeaf(tokens);
  if (isPlantLeaf(tokens)) result.chain_class = ChainClass::kAccessory;
  for (const ClassTokens& entry : classTable()) {
    const bool found = std::any_of(tokens.begin(), tokens.end(), [&](const std::string& token) {
      return matchesClass(token, entry);
    });
    if (!found) continue;
    result.chain_class = entry.chain_class;
    break;
  }
  return result;
}

}  // namespace clipmill::stages::dynamic_bones
