// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/chains/chain_names.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "core/name_words.h"

namespace clipmill::bones {
namespace {

using Words = std::set<std::string_view>;

struct ClassWords {
  ChainClass chain_class;
  Words words;                          // whole words
  std::vector<std::string_view> signs;  // parts of words that are not Latin
};

// The first class that has a word counts: what is tied to something stands before it.
const std::vector<ClassWords>& classTable() {
  using enum ChainClass;
  static const std::vector<ClassWords> table = {
      {kAccessory, {"earring", "earrings"}, {"耳飾", "イヤリング", "ピアス"}},
      {kRibbon,
       {"ribbon", "ribbons", "bow", "tie", "necktie", "bowtie", "scarf", "muffler", "string",
        "strings", "sash"},
       {"リボン", "ネクタイ", "マフラー"}},
      {kHair,
       {"hair",     "hairs",      "bang",     "bangs",     "fringe",   "ponytail",
        "twintail", "twintails",  "pigtail",  "pigtails",  "sidetail", "braid",
        "braids",   "ahoge",      "sidelock", "sidelocks", "forelock", "dreadlock",
        "maegami",  "ushirogami", "momiage",  "beard",     "mustache", "moustache"},
       {"髪", "もみあげ", "アホ毛", "おさげ", "ポニテ", "ツインテ"}},
      {kSkirt,
       {"skirt", "skirts", "dress", "hem", "frill", "frills", "kilt", "gown", "tunic", "loincloth",
        "apron"},
       {"スカート", "スカ－ト"}},
      {kCape,
       {"cape", "cloak", "coat", "mantle", "jacket", "poncho", "robe", "coattail", "coattails",
        "tailcoat", "swallowtail"},
       {"マント", "コート", "ケープ"}},
      {kTail, {"tail", "tails", "shippo"}, {"尻尾", "しっぽ", "シッポ"}},
      {kSleeve, {"sleeve", "sleeves", "tops", "sode"}, {"袖"}},
      {kEar, {"ear", "ears", "mimi"}, {"耳", "みみ"}},
      {kBreast,
       {"breast", "breasts", "bust", "boob", "boobs", "oppai", "chichi"},
       {"胸", "おっぱい", "乳"}},
      {kAccessory,
       {"chain",    "tassel", "tassels", "antenna", "antennae", "feeler", "wing",  "wings",
        "veil",     "fabric", "cloth",   "whip",    "rope",     "cord",   "strap", "pendant",
        "necklace", "charm",  "feather", "lace",    "tentacle", "banner", "flag",  "fin"},
       {"鎖", "紐", "羽"}},
      // What tools call joints that they mean to be moved by physics.
      {kAccessory, {"dyn", "sec", "jiggle", "phys", "physics", "spring", "swing", "dynamic"}, {}},
  };
  return table;
}

const Words& excludedWords() {
  static const Words words = {
      "twist",   "roll",     "ik",      "fk",      "pole",    "target",   "ctrl",     "ctl",
      "control", "org",      "mch",     "tweak",   "helper",  "adj",      "effector", "driver",
      "drv",     "wgt",      "widget",  "eye",     "eyes",    "eyelid",   "eyelash",  "eyebrow",
      "brow",    "lid",      "jaw",     "tongue",  "teeth",   "tooth",    "lip",      "lips",
      "mouth",   "nose",     "cheek",   "weapon",  "sword",   "gun",      "rifle",    "pistol",
      "knife",   "dagger",   "shield",  "axe",     "staff",   "spear",    "hammer",   "quiver",
      "arrow",   "backpack", "bag",     "glasses", "helmet",  "slot",     "socket",   "attach",
      "camera",  "light",    "aim",     "goal",    "clip",    "pin",      "thumb",    "index",
      "finger",  "pinky",    "toe",     "toes",    "forearm", "collider", "goggles",  "hat",
      "longbow", "shortbow", "crossbow"};
  return words;
}

const Words& endWords() {
  static const Words words = {"end", "nub", "tip", "leaf", "endsite", "先端"};
  return words;
}

// Words that are written together with a class: "fronthair", "cattail".
const Words& attributeWords() {
  static const Words words = {"front", "back",  "side",  "left",   "right", "long",   "short",
                              "upper", "lower", "mid",   "middle", "rear",  "main",   "root",
                              "cat",   "fox",   "dog",   "wolf",   "bunny", "rabbit", "dragon",
                              "horse", "lion",  "demon", "devil",  "elf"};
  return words;
}

struct WordPair {
  std::string_view first, second, together;
};
// Two words that mean something else than each of them.
constexpr std::array<WordPair, 9> kPairs = {{{"pony", "tail", "ponytail"},
                                             {"twin", "tail", "twintail"},
                                             {"twin", "tails", "twintails"},
                                             {"pig", "tail", "pigtail"},
                                             {"side", "tail", "sidetail"},
                                             {"coat", "tail", "coattail"},
                                             {"coat", "tails", "coattails"},
                                             {"ear", "ring", "earring"},
                                             {"fore", "arm", "forearm"}}};

std::vector<std::string> joinPairs(const std::vector<std::string>& words) {
  std::vector<std::string> joined;
  for (const std::string& word : words) {
    const auto pair = std::find_if(kPairs.begin(), kPairs.end(), [&](const WordPair& p) {
      return !joined.empty() && joined.back() == p.first && word == p.second;
    });
    if (pair != kPairs.end()) {
      joined.back() = pair->together;
    } else {
      joined.push_back(word);
    }
  }
  return joined;
}

// Whether `word` is one of `words`, or one of them and an attribute.
bool says(const std::string& word, const Words& words) {
  if (words.contains(word)) return true;
  for (const std::string_view attribute : attributeWords()) {
    const std::string_view text = word;
    if (text.starts_with(attribute) && words.contains(text.substr(attribute.size()))) return true;
    if (text.ends_with(attribute) &&
        words.contains(text.substr(0, text.size() - attribute.size()))) {
      return true;
    }
  }
  return false;
}

bool saysClass(const std::string& word, const ClassWords& entry) {
  return says(word, entry.words) ||
         std::any_of(entry.signs.begin(), entry.signs.end(),
                     [&](std::string_view sign) { return word.find(sign) != std::string::npos; });
}

}  // namespace

const char* chainClassName(ChainClass chain_class) {
  constexpr std::array<const char*, 9> kNames = {"hair", "skirt",  "tail",   "ribbon",   "ear",
                                                 "cape", "breast", "sleeve", "accessory"};
  return kNames[static_cast<std::size_t>(chain_class)];
}

ChainName chainNameOf(std::string_view name) {
  const std::vector<std::string> words = joinPairs(wordsOfName(name));
  const auto any = [&](const Words& wanted) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return wanted.contains(word); });
  };
  ChainName result;
  result.is_excluded = any(excludedWords());
  result.is_end = any(endWords());
  for (const ClassWords& entry : classTable()) {
    const bool found = std::any_of(words.begin(), words.end(),
                                   [&](const std::string& word) { return saysClass(word, entry); });
    if (!found) continue;
    result.chain_class = entry.chain_class;
    break;
  }
  return result;
}

}  // namespace clipmill::bones
